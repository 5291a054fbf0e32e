"""The pages of Try 4 and their JSON: served with care, and refused to other sites."""

import itertools

import pytest

from companion.log.try4_store import Try4Store
from companion.table.try4_games import Try4Games
from companion.web.try4 import add_try4

OWN = {"X-Senryaku": "1"}


@pytest.fixture
def page(make_app, tmp_path):
    with Try4Store.open(tmp_path / "try4.db") as store:
        app = make_app()
        add_try4(app, Try4Games(store, itertools.count(1000.0).__next__))
        yield app.test_client()


def test_the_page_is_one_document_under_the_strict_policy(page):
    answer = page.get("/try4/")
    assert answer.status_code == 200
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
    text = answer.get_data(as_text=True)
    assert "<style" not in text
    assert " style=" not in text
    assert " onclick=" not in text
    assert "http://" not in text
    assert "https://" not in text


def test_the_table_s_page_leads_to_it_only_where_it_is_served(page, client):
    assert 'href="/try4/"' in page.get("/").get_data(as_text=True)
    assert 'href="/try4/"' not in client.get("/").get_data(as_text=True)


@pytest.mark.parametrize("asked", ["", "?game=1", "?game=999", "?game=x", "?game=" + "9" * 40, "?game=-1"])
def test_any_game_asked_for_gives_one_that_can_be_played(page, asked):
    state = page.get(f"/try4/state{asked}").get_json()
    assert state["columns"] == 7


def test_a_turn_is_played_and_scored(page):
    state = page.get("/try4/state").get_json()
    asked = {"do": "play", "game": state["game"], "turns": 0, "laid": {"c3": "red1"}}
    said = page.post("/try4/command", json=asked, headers=OWN)
    assert said.status_code == 200
    assert said.get_json()["board"] == {"c3": "red1"}
    again = page.post("/try4/command", json=asked, headers=OWN)
    assert (again.status_code, again.get_json()["turns"]) == (200, said.get_json()["turns"]), (
        "a double press plays once"
    )
    other = page.post("/try4/command", json={**asked, "laid": {"e5": "red2"}}, headers=OWN)
    assert other.status_code == 409
    assert "changed meanwhile" in other.get_json()["error"]


def test_a_device_that_is_not_paired_plays_no_turn_from_elsewhere(page):
    state = page.get("/try4/state").get_json()
    asked = {"do": "play", "game": state["game"], "turns": 0, "laid": {"c3": "red1"}}
    far = {"REMOTE_ADDR": "192.168.1.7"}
    said = page.post("/try4/command", json=asked, headers=OWN, environ_overrides=far)
    assert said.status_code == 401
    assert "/pair" in said.get_json()["error"]
    assert page.get("/try4/state").get_json()["board"] == {}


@pytest.mark.parametrize(
    "headers",
    [{}, {**OWN, "Origin": "http://evil.example"}, {**OWN, "Sec-Fetch-Site": "cross-site"}],
)
def test_other_sites_play_no_turn(page, headers):
    assert page.post("/try4/command", json={"do": "clear"}, headers=headers).status_code == 403


@pytest.mark.parametrize(
    "body", ["", "[]", "{", '{"do": 1}', '{"do": "play"}', '{"do":"lay","game":1,"turns":0,"laid":[]}']
)
def test_a_bad_command_is_refused_in_one_line(page, body):
    said = page.post("/try4/command", data=body, headers=OWN, content_type="application/json")
    assert said.status_code in (400, 409)
    assert "\n" not in said.get_json()["error"]


def test_statistics_begin_empty(page):
    assert page.get("/try4/statistics").get_json() == {"results": []}
