"""The page and its JSON."""

import gzip
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

import companion.web
from tests.web.fake_table_view import FakeTable

WEB = Path(companion.web.__file__).parent
SOURCES = sorted([*WEB.glob("static/*.js"), *WEB.glob("static/*.css"), *WEB.glob("templates/*.html")])


def test_the_board_page_names_the_table_and_escapes_the_name(client: FlaskClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert page.mimetype == "text/html"
    assert "<h1>Table &lt;1&gt;</h1>" in page.text


def test_what_the_page_will_show_has_its_room_from_the_first(client: FlaskClient, table: FakeTable) -> None:
    assert 'data-level="none" role="status" hidden' in client.get("/").text
    table.set_live(risks={"wells": []}, warnings_for="spectators")
    table.shown["game"]["moves"][0]["balance"] = {"steps": []}
    assert 'data-level="none" role="status" hidden' in client.get("/").text
    assert "<div data-plot>" in client.get("/").text
    table.set_live(risks={"wells": [1]}, warnings_for="all")
    assert 'data-level="none" role="status">' in client.get("/").text


def test_only_a_simulated_table_offers_a_hand(make_app) -> None:
    assert 'id="hand"' in make_app(simulated=True).test_client().get("/").text
    assert 'id="hand"' not in make_app(simulated=False).test_client().get("/").text


def test_everything_the_page_names_is_served_by_the_table_itself(client: FlaskClient) -> None:
    page = client.get("/").text
    links = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(links) >= 3
    for link in links:
        assert re.match("/(?!/)", link)
        with client.get(link) as answer:
            assert answer.status_code == (302 if link == "/console" else 200)


def test_every_module_that_a_module_imports_exists() -> None:
    imports = [
        (path, name) for path in WEB.glob("static/*.js") for name in re.findall(r'from "(.+?)"', path.read_text())
    ]
    assert len(imports) > 10
    for path, name in imports:
        assert (path.parent / name).is_file(), f"{path.name} imports {name}"


def test_a_page_names_every_module_it_needs(client: FlaskClient) -> None:
    page = client.get("/").text
    preloaded = re.findall(r'modulepreload" href="/static/([^"]+)"', page)
    needed, waiting = set(), ["main.js"]
    while waiting:
        text = (WEB / "static" / waiting.pop()).read_text()
        new = set(re.findall(r'from "\./(.+?)"', text)) - needed
        needed |= new
        waiting += new
    assert sorted(preloaded) == sorted(needed)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_source_turns_text_into_markup_or_needs_the_network(path: Path) -> None:
    text = path.read_text()
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function", text
    )
    assert not re.search(r"\son\w+=|style=|<style|\|\s*safe", text)
    assert set(re.findall(r"https?://[^\s\"')]+", text)) <= {"http://www.w3.org/2000/svg"}


def test_the_state_is_given_as_the_table_has_it(client: FlaskClient, table: FakeTable) -> None:
    answer = client.get("/api/v1/state")
    assert answer.status_code == 200
    assert answer.json == table.state()


def test_live_values_are_given_apart_from_the_state(client: FlaskClient, table: FakeTable) -> None:
    table.set_live(margin_mm=1.25)
    assert client.get("/api/v1/live").json["margin_mm"] == 1.25  # type: ignore[index]


def test_the_newest_picture_is_served_and_never_kept(client: FlaskClient, table: FakeTable) -> None:
    table.jpeg = b"\xff\xd8 a picture \xff\xd9"
    answer = client.get("/picture.jpg")
    assert (answer.mimetype, answer.data) == ("image/jpeg", table.jpeg)
    assert answer.headers["Cache-Control"] == "no-store"


def test_without_a_picture_there_is_one_line_saying_so(client: FlaskClient) -> None:
    answer = client.get("/picture.jpg")
    assert answer.status_code == 404
    assert answer.json == {"error": "there is no camera picture yet"}


def test_scripts_come_packed_for_browsers_that_unpack_them_and_only_once(client: FlaskClient) -> None:
    plain = client.get("/static/main.js")
    packed = client.get("/static/main.js", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < len(plain.data) / 2
    again = client.get("/static/main.js", headers={"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    for answer in (plain, packed, again):
        answer.close()
