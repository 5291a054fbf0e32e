"""The scoring board on the wall, in a kiosk and aloud, in a real Chromium."""

from collections.abc import Callable

import pytest

from tests.web.fake_table_view import FakeTable

try:
    from playwright.sync_api import Page, expect
except ImportError:
    pytest.skip("needs playwright: pip install -e '.[dev]'", allow_module_level=True)

pytestmark = pytest.mark.browser

HEAR = """
window.heard = [];
window.speechSynthesis.speak = (said) => window.heard.push(said.text);
window.speechSynthesis.cancel = () => {};
"""


def live(page: "Page") -> "Page":
    expect(page.locator("#link")).to_have_attribute("data-link", "live")
    return page


def test_only_the_final_word_is_spoken(open_page: Callable[..., "Page"], table: FakeTable) -> None:
    page = live(open_page())
    page.evaluate(HEAR)
    sound = page.locator("#sound")
    sound.click()
    expect(sound).to_have_text("Sounds")
    sound.click()
    expect(sound).to_have_text("Speech")
    table.rule("crash", player="black", step="lift")
    table.rule("game_over", winner="white", termination="crash", points=1)
    page.wait_for_timeout(1300)
    assert page.evaluate("window.heard") == ["Rulings are spoken.", "Crash on lifting: White wins 1 point"]
    table.rule("move", player="white", move="d1-d2", position="7/7/7/7/7/7 w - -")
    page.wait_for_timeout(300)
    table.show("play")  # taken back at once
    page.wait_for_timeout(1000)
    assert len(page.evaluate("window.heard")) == 2
    page.reload()
    expect(page.locator("#sound")).to_have_text("Speech")


def test_the_time_of_a_game_runs_without_its_pauses(open_page: Callable[..., "Page"], table: FakeTable) -> None:
    page = live(open_page())
    said = page.evaluate(
        """async () => {
            const { lasted, spanWords } = await import("/static/clock.js");
            const game = { started: 1000, ended: null, paused_s: 60 };
            return [
                spanWords(lasted({ game }, 1754)),
                spanWords(lasted({ game, paused_since: 1100 }, 1754)),
                spanWords(lasted({ game: { ...game, ended: 5000 } }, 9000)),
                lasted({ game: null }, 1),
            ];
        }"""
    )
    assert said == ["11:34", "0:40", "1:05:40", None]


def test_a_paused_game_is_said_to_be_paused(open_page: Callable[..., "Page"], table: FakeTable) -> None:
    table.values["time"] = 2000.0
    table.shown["paused_since"] = 1900.0
    table.shown["game"] |= {"started": 1000.0, "ended": None, "paused_s": 0.0}
    page = live(open_page())
    expect(page.locator("#clock")).to_have_text("15:00 · paused")
    expect(page.locator("#ruling-note")).to_have_text("The game is paused.")
    expect(page.locator("#ruling-text")).to_have_text("Paused")


def test_a_player_who_has_stopped_the_game_is_named(open_page: Callable[..., "Page"], table: FakeTable) -> None:
    table.shown |= {"paused_since": 1900.0, "paused_by": "black"}
    page = live(open_page())
    name = table.shown["match"]["black"]
    expect(page.locator("#ruling-note")).to_have_text(f"{name} (Black) calls the referee: the game is paused.")
    expect(page.locator("#ruling-text")).to_have_text(f"{name} calls the referee")


def test_the_wall_fills_a_television_and_tells_where_to_watch(
    open_page: Callable[..., "Page"], complaints: list[str]
) -> None:
    for size in ((1920, 1080), (1280, 720)):
        page = live(open_page("/?wall", size=size, settings={"trusted_hosts": ("table.local",)}))
        expect(page.get_by_role("img", name="QR code of http://table.local")).to_be_visible()
        down, moves, row, note = page.evaluate(
            """() => [document.documentElement.scrollHeight,
                document.querySelector("#moves-scroll").clientHeight, document.querySelector("#moves tr").offsetHeight,
                parseFloat(getComputedStyle(document.querySelector(".watch p")).fontSize)]"""
        )
        assert down <= size[1]
        assert moves >= 2 * row
        assert note >= size[1] / 55
    assert complaints == []


def test_a_kiosk_leads_nowhere_else(open_page: Callable[..., "Page"]) -> None:
    page = live(open_page("/?kiosk", size=(1024, 600)))
    expect(page.locator("a")).to_have_count(0)
    expect(page.locator("body")).to_have_css("user-select", "none")
