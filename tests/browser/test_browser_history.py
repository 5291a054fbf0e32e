"""Pairing and looking back at games, in a real Chromium."""

import re
from collections.abc import Callable

import pytest

from companion.web import Server
from tests.web.fake_table_view import FakeTable

try:
    from playwright.sync_api import Page, expect
except ImportError:
    pytest.skip("needs playwright: pip install -e '.[dev]'", allow_module_level=True)

pytestmark = pytest.mark.browser


def test_a_device_is_paired_with_the_code_and_sent_away_by_keyboard(
    open_page: Callable[..., "Page"], start: Callable[..., Server], complaints: list[str]
) -> None:
    server = start()
    own = open_page("/pair", paired=True, server=server)
    device = open_page("/pair", server=server, size=(390, 844))
    expect(own.locator("#code")).to_have_text(re.compile(r"\d{3} \d{3}"))
    expect(device.locator("#code")).to_have_text(own.locator("#code").inner_text())
    device.get_by_role("textbox", name="Code").fill(own.locator("#code").inner_text())
    device.get_by_label("Name of this device").fill("<i>phone</i>")
    device.keyboard.press("Enter")
    expect(device.locator("#said")).to_have_text("Paired.")
    expect(device.get_by_role("link", name="Open the referee's console")).to_be_visible()
    own.reload()
    button = own.get_by_role("button", name="Send away <i>phone</i>")
    button.focus()
    own.keyboard.press("Enter")
    expect(button).to_have_count(0)
    device.goto(server.url + "console")
    expect(device).to_have_url(server.url + "pair")
    assert complaints == []


def test_a_wrong_code_is_said(open_page: Callable[..., "Page"]) -> None:
    page = open_page("/pair")
    page.get_by_role("textbox", name="Code").fill("12 34 56")
    page.get_by_role("button", name="Pair", exact=True).click()
    expect(page.locator("#said")).to_contain_text("this is not the code")


def test_a_game_is_played_back_by_mouse_and_by_keyboard(
    open_page: Callable[..., "Page"], table: FakeTable, complaints: list[str]
) -> None:
    table.play_a_game()
    page = open_page("/history")
    page.get_by_role("link").filter(has=page.locator("time")).first.click()
    said = page.locator("#said")
    expect(said).to_have_text("A new game begins")
    page.get_by_role("button", name="One on").click()
    expect(said).to_have_text("Illegal: White moved c3-c5, too far. Put it back on c3.")
    expect(page.locator("#board .arrow-back")).to_have_count(1)
    page.get_by_role("button", name="To the end").click()
    expect(said).to_have_text("White captures the coloured sphere and wins 2 points")
    page.locator("#slider").focus()
    page.keyboard.press("ArrowLeft")
    expect(said).to_have_text("White captures d3xe4")
    expect(page.locator("#board [data-well=e4] .letter")).to_have_text("W")
    page.keyboard.press("Home")
    expect(said).to_have_text("A new game begins")
    page.locator("#rulings button").nth(3).click()
    expect(said).to_have_text("White moves c3-b3")
    expect(page.locator("#analysis")).to_contain_text("White played c3-b3 and missed the capture c3xd4.")
    page.locator("#first").click()
    page.locator(".plot-near").click()
    expect(said).to_have_text("White moves c3-b3")
    expect(page.locator("#plot-caption")).to_contain_text("1. Near miss: White lifts, c3-b3: margin 1.4 mm, only 0.2")
    expect(page.locator("#plot-counts")).to_contain_text("2 touches: 1 near miss, 0 crashes")
    with page.expect_download() as download:
        page.get_by_role("link", name="Text").click()
    assert download.value.suggested_filename == "game-2.txt"
    assert complaints == []


def test_a_game_plays_by_itself_until_its_end(open_page: Callable[..., "Page"], table: FakeTable) -> None:
    table.play_a_game()
    page = open_page("/history/2?at=5", has_touch=True, size=(390, 844))
    expect(page.locator("#said")).to_have_text("White captures d3xe4")
    page.get_by_role("button", name="Play").tap()
    expect(page.locator("#said")).to_have_text("White captures the coloured sphere and wins 2 points")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_what_was_let_stand_has_its_place_among_the_moves_and_what_was_answered_is_said(
    open_page: Callable[..., "Page"],
) -> None:
    page = open_page("/history")
    turns = page.evaluate(
        """async () => (await import("/static/position.js")).turnsOf({ moves: [
            { player: "black", move: "a6-a4", let_stand: "too_far" }, { player: "white", move: "c1-b2" },
            { player: "white", move: "e1-e2" }] })"""
    )
    assert turns == {"first": "black", "turns": [["a6-a4 (illegal)", "c1-b2"], ["", "e1-e2"]]}
    words = page.evaluate(
        """async () => { const { rulingWords } = await import("/static/words.js"); return [
            { kind: "answer", move: "nothing", about: "crash" }, { kind: "answer", move: "b1-b2", about: "move" },
            { kind: "correct", move: "a6-a4", let_stand: "too_far" }, { kind: "correct" }]
            .map((ruling) => rulingWords(ruling)); }"""
    )
    assert words == [
        "Answered: nobody tipped the board",
        "Answered: b1-b2",
        "The referee lets a6-a4 stand",
        "The referee has set the position",
    ]
