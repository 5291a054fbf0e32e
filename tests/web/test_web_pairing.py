"""Who becomes the referee, and who does not: codes, wrong codes, devices, restarts."""

import logging
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from companion.web import pairing, sessions
from companion.web.pairing import CODE_LASTS_S, IN_ALL_WITHIN_S, TRIES_IN_ALL, Pairing, TooManyTries, WrongCode
from companion.web.sessions import IDLE_S, LASTS_S, MOST, Sessions, SessionsNotSaved
from tests.web.conftest import SAME_SITE, pair_up
from tests.web.fake_table_view import FakeTable

FAR = {"REMOTE_ADDR": "192.168.1.20"}
UNDO = {"do": "undo"}


@pytest.fixture
def codes() -> Pairing:
    made = iter(f"{n:06}" for n in range(111111, 999999))
    return Pairing(lambda: next(made))


def wrong(codes: Pairing, client: str, now: float) -> None:
    with pytest.raises(WrongCode):
        codes.check(client, "000000", now)


def test_a_code_that_is_shown_pairs_one_device(codes: Pairing) -> None:
    shown = codes.code(0)
    codes.check("tablet", shown, 1)
    with pytest.raises(WrongCode):
        codes.check("phone", shown, 2)
    assert codes.code(3) != shown


def test_a_shown_code_stays_until_there_is_too_little_time_to_type_it(codes: Pairing) -> None:
    shown = codes.code(0)
    assert codes.code(400) == shown
    assert codes.code(500) != shown
    codes.check("tablet", shown, 550)


def test_a_code_does_not_last(codes: Pairing) -> None:
    shown = codes.code(0)
    with pytest.raises(WrongCode):
        codes.check("tablet", shown, CODE_LASTS_S + 1)


def test_who_types_wrong_codes_waits_longer_and_longer(codes: Pairing) -> None:
    shown = codes.code(0)
    for _ in range(3):
        wrong(codes, "phone", 0)
    with pytest.raises(TooManyTries, match="wait 10 s"):
        codes.check("phone", shown, 0)
    wrong(codes, "phone", 10)
    with pytest.raises(TooManyTries, match="wait 20 s"):
        codes.check("phone", shown, 10)
    codes.check("tablet", shown, 10)  # others do not wait


def test_many_devices_together_are_stopped_too_but_not_who_sits_at_the_table(codes: Pairing) -> None:
    codes.code(0)
    for n in range(TRIES_IN_ALL):
        wrong(codes, f"10.0.0.{n}", 1)
    shown = codes.code(1)
    with pytest.raises(TooManyTries, match="many devices"):
        codes.check("192.168.1.9", shown, 1)
    shown = codes.code(2)
    codes.check("127.0.0.1", shown, 2, at_the_table=True)
    shown = codes.code(IN_ALL_WITHIN_S + 2)
    codes.check("192.168.1.9", shown, IN_ALL_WITHIN_S + 2)


def test_guessing_for_a_day_is_hopeless(codes: Pairing) -> None:
    """By any number of devices: so many tries are let through that one code in a million is met by chance."""
    tried = 0
    for minute in range(24 * 60):
        for n in range(5):
            try:
                codes.check(f"10.{n}.0.{minute % 250}", "000000", minute * 60.0)
            except WrongCode:
                tried += 1
            except TooManyTries:
                pass
    assert tried <= (24 * 6 + 1) * TRIES_IN_ALL


def test_no_crowd_of_addresses_fills_the_memory(codes: Pairing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing, "TRIES_IN_ALL", 10**6)
    for n in range(pairing.MOST_CLIENTS + 50):
        wrong(codes, f"client {n}", 0)
    assert len(codes._clients) == pairing.MOST_CLIENTS


@given(st.text())
def test_whatever_is_typed_is_a_wrong_code(text: str) -> None:
    codes = Pairing(lambda: "123456")
    codes.code(0)
    if text != "123456":
        with pytest.raises(WrongCode):
            codes.check("phone", text, 0)


def test_codes_are_not_the_same_every_time() -> None:
    assert len({pairing.new_code() for _ in range(50)}) > 40


def test_a_device_is_known_after_a_restart_and_the_file_holds_no_token(tmp_path: Path) -> None:
    file = tmp_path / "devices.json"
    token, made = Sessions(file).open("tablet", 100.0)
    assert Sessions(file).find(token, 200.0) == made
    assert token not in file.read_text()
    assert file.stat().st_mode & 0o077 == 0
    assert Sessions(file).find(token + "x", 200.0) is None


def test_a_device_that_is_not_used_or_is_old_must_be_paired_anew(tmp_path: Path) -> None:
    devices = Sessions(tmp_path / "devices.json")
    token, _ = devices.open("tablet", 0.0)
    assert devices.find(token, IDLE_S + 1) is None
    for day in range(0, int(LASTS_S), 86400):
        assert devices.find(token, float(day)) is not None
    assert devices.find(token, LASTS_S + 1) is None


def test_a_device_that_was_sent_away_is_gone_for_good(tmp_path: Path) -> None:
    file = tmp_path / "devices.json"
    devices = Sessions(file)
    token, made = devices.open("tablet", 0.0)
    assert devices.revoke(made.id)
    assert not devices.revoke(made.id)
    assert Sessions(file).find(token, 1.0) is None


def test_there_are_never_too_many_devices() -> None:
    devices = Sessions(None)
    tokens = [devices.open(f"device {n}", float(n))[0] for n in range(MOST + 3)]
    assert [devices.find(token, 100.0) is not None for token in tokens] == [False] * 3 + [True] * MOST


@pytest.mark.parametrize("content", ["", "{", "[1]", '[{"id": 1}]', "[[]]", "null"])
def test_a_damaged_file_of_devices_pairs_nobody(tmp_path: Path, content: str) -> None:
    file = tmp_path / "devices.json"
    file.write_text(content)
    assert Sessions(file).all(0.0) == []


def test_a_file_that_cannot_be_written_is_said_and_pairs_nobody(tmp_path: Path) -> None:
    devices = Sessions(tmp_path / "a file" / "devices.json")
    (tmp_path / "a file").write_text("")
    with pytest.raises(SessionsNotSaved, match="cannot be saved"):
        devices.open("tablet", 0.0)
    assert devices.all(0.0) == []


# Over the web


@pytest.fixture
def client(make_app) -> FlaskClient:
    return make_app(console=True).test_client()


def ask_console(client: FlaskClient, **more: object):
    return client.post("/api/v1/console", json=UNDO, headers=SAME_SITE, **more)


def test_nothing_is_written_without_pairing(client: FlaskClient, table: FakeTable) -> None:
    writes = [
        rule
        for rule in client.application.url_map.iter_rules()
        if {"POST", "PUT", "PATCH", "DELETE"} & (rule.methods or set()) and rule.endpoint != "referees.pair"
    ]
    assert len(writes) >= 3
    for rule in writes:
        path = rule.rule.replace("<int:seq>", "1").replace("<session_id>", "x").replace("<step>", "loads")
        method = next(m for m in ("POST", "DELETE", "PUT") if m in (rule.methods or set()))
        answer = client.open(path, method=method, json={"do": "undo"}, headers=SAME_SITE)
        assert answer.status_code == 401, f"{method} {path}"
        assert "pair" in answer.json["error"]
    assert table.asked == []


def test_the_code_is_shown_at_the_table_only(client: FlaskClient) -> None:
    assert len(client.get("/api/v1/session").json["code"]) == 6
    assert "code" not in client.get("/api/v1/session", environ_base=FAR).json
    for header in ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"):
        assert "code" not in client.get("/api/v1/session", headers={header: "127.0.0.1"}).json
    assert client.get("/api/v1/session", headers={"Host": "evil.example"}).status_code == 400


def test_a_device_far_away_pairs_with_the_code_and_then_may_write(client: FlaskClient, table: FakeTable) -> None:
    code = client.get("/api/v1/session").json["code"]
    spaced = {"code": f" {code[:3]} {code[3:]}", "name": "<b>tab\nlet</b>" * 10}
    answer = client.post("/api/v1/pair", json=spaced, headers=SAME_SITE, environ_base=FAR)
    assert answer.json["name"] == ("<b>tab let</b>" * 10)[:40]
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert ask_console(client, environ_base=FAR).status_code == 200
    assert table.asked == [UNDO]


def test_wrong_codes_are_refused_and_then_throttled(client: FlaskClient, table: FakeTable) -> None:
    code = client.get("/api/v1/session").json["code"]
    guess = {"code": f"{(int(code) + 1) % 10**6:06}"}
    answers = [client.post("/api/v1/pair", json=guess, headers=SAME_SITE, environ_base=FAR) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [403, 403, 403, 429]
    assert int(answers[-1].headers["Retry-After"]) == 10
    right = client.post("/api/v1/pair", json={"code": code}, headers=SAME_SITE, environ_base=FAR)
    assert right.status_code == 429
    elsewhere = {"REMOTE_ADDR": "192.168.1.21"}
    right = client.post("/api/v1/pair", json={"code": code}, headers=SAME_SITE, environ_base=elsewhere)
    assert right.status_code == 200


def test_all_addresses_of_an_ipv6_network_are_one_client(client: FlaskClient) -> None:
    client.get("/api/v1/session")
    addresses = [{"REMOTE_ADDR": f"2001:db8::{n}"} for n in range(1, 5)]
    answers = [
        client.post("/api/v1/pair", json={"code": "x"}, headers=SAME_SITE, environ_base=address)
        for address in addresses
    ]
    assert [answer.status_code for answer in answers] == [403, 403, 403, 429]


@pytest.mark.parametrize(
    "body", [{}, {"code": 123456}, {"code": None}, {"code": "1", "name": 1}, {"code": []}, {"code": " "}]
)
def test_a_malformed_pairing_is_refused(client: FlaskClient, body: dict[str, object]) -> None:
    answer = client.post("/api/v1/pair", json=body, headers=SAME_SITE)
    assert answer.status_code == 400
    assert "code" in answer.json["error"]


@pytest.mark.parametrize(
    "headers", [{}, {**SAME_SITE, "Sec-Fetch-Site": "cross-site"}, {**SAME_SITE, "Origin": "null"}]
)
def test_another_site_cannot_pair(client: FlaskClient, headers: dict[str, str]) -> None:
    code = client.get("/api/v1/session").json["code"]
    assert client.post("/api/v1/pair", json={"code": code}, headers=headers).status_code == 403


@pytest.mark.parametrize("token", ["", "x", "a" * 3000, "é", "\udcff"])
def test_a_made_up_token_is_nobody(client: FlaskClient, token: str) -> None:
    client.set_cookie("senryaku_80", token.encode("utf-8", "replace").decode("latin-1"))
    assert ask_console(client).status_code == 401


def test_the_referee_lists_devices_and_sends_them_away_at_once(make_app, table: FakeTable) -> None:
    app = make_app(console=True)
    own, other = app.test_client(), app.test_client()
    pair_up(own, "own")
    other_id = pair_up(other, "lost phone")
    assert ask_console(other).status_code == 200
    listed = own.get("/api/v1/sessions").json
    assert {(device["name"], device["this"]) for device in listed} == {("own", True), ("lost phone", False)}
    assert all("digest" not in device and "token" not in device for device in listed)
    assert own.delete(f"/api/v1/sessions/{other_id}", headers=SAME_SITE).status_code == 200
    assert ask_console(other).status_code == 401
    assert own.delete(f"/api/v1/sessions/{other_id}", headers=SAME_SITE).status_code == 404
    assert app.test_client().get("/api/v1/sessions").status_code == 401


def test_pairing_again_leaves_one_device(client: FlaskClient) -> None:
    pair_up(client, "first")
    pair_up(client, "second")
    assert [device["name"] for device in client.get("/api/v1/sessions").json] == ["second"]


def test_paired_devices_survive_a_restart(make_app, tmp_path: Path) -> None:
    file = tmp_path / "devices.json"
    before = make_app(console=True, sessions_file=file).test_client()
    pair_up(before)
    cookie = before.get_cookie("senryaku_80")
    assert cookie is not None
    after = make_app(console=True, sessions_file=file).test_client()
    after.set_cookie(cookie.key, cookie.value)
    assert ask_console(after).status_code == 200


def test_a_table_that_is_not_open_shows_nothing_without_pairing(make_app) -> None:
    app = make_app(console=True, open_to_spectators=False)
    far = app.test_client()
    assert far.get("/", environ_base=FAR).headers["Location"] == "/pair"
    for path in ("/api/v1/state", "/api/v1/live", "/api/v1/events"):
        assert far.get(path, environ_base=FAR).status_code == 401
    assert far.get("/picture.jpg", environ_base=FAR).status_code == 302
    assert far.get("/pair", environ_base=FAR).status_code == 200
    code = app.test_client().get("/api/v1/session").json["code"]
    far.post("/api/v1/pair", json={"code": code}, headers=SAME_SITE, environ_base=FAR)
    assert far.get("/api/v1/state", environ_base=FAR).status_code == 200


def test_a_device_that_is_sent_away_hears_no_more_of_a_table_that_is_not_open(make_app, table: FakeTable) -> None:
    app = make_app(console=True, open_to_spectators=False)
    far, own = app.test_client(), app.test_client()
    code = own.get("/api/v1/session").json["code"]
    device = far.post("/api/v1/pair", json={"code": code}, headers=SAME_SITE, environ_base=FAR).json["id"]
    pair_up(own)
    with far.get("/api/v1/events", environ_base=FAR) as stream:
        heard = stream.iter_encoded()
        assert b"event: state" in next(heard)
        own.delete(f"/api/v1/sessions/{device}", headers=SAME_SITE)
        table.rule("held", player="white")
        assert list(heard) == []


def test_no_secret_reaches_the_log(client: FlaskClient, caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    with caplog.at_level(logging.DEBUG):
        code = client.get("/api/v1/session").json["code"]
        client.post("/api/v1/pair", json={"code": "999999x"}, headers=SAME_SITE)
        token = client.post("/api/v1/pair", json={"code": code}, headers=SAME_SITE).headers["Set-Cookie"]
        ask_console(client)
        sessions.log.warning("seen")
    assert "seen" in caplog.text
    secret = token.split("=", 1)[1].split(";")[0]
    assert code not in caplog.text
    assert secret not in caplog.text
