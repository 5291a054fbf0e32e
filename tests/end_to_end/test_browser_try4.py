"""Try 4 on the screen in a real Chromium: by mouse, by finger and by keyboard alone."""

import itertools
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from companion.log.try4_store import Try4Store
from companion.table.try4_games import Try4Games
from companion.web import Server, WebSettings, create_app, serve
from companion.web.try4 import add_try4
from tests.end_to_end.axe_check import axe_complaints
from tests.web.fake_table_view import FakeTable
from tests.web.kept_pages import KeptPages

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
try:
    from playwright.sync_api import Page, expect
except ImportError:
    CHROMIUM = None

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt install chromium, pip install -e '.[dev]'"),
]

PHONE = (390, 844)
SMALLEST = (320, 568)
ANSWERED_MS = 10_000


class Served:
    """The games of one table, served; `restart` as after a power cut."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.clock = itertools.count(1_700_000_000.0, 3600.0)
        self.port = 0
        self.begin()

    def begin(self) -> None:
        self.store = Try4Store.open(self.file)
        self.games = Try4Games(self.store, lambda: next(self.clock))
        app = create_app(FakeTable(), WebSettings(title="Table 1", simulated=True))
        add_try4(app, self.games)
        self.server: Server = serve(app, port=self.port)
        self.port = self.server.port

    def end(self) -> None:
        self.server.close()
        self.store.close()

    def ask(self, do: str, **more: Any) -> dict[str, Any]:
        state = self.games.state()
        return self.games.command({"do": do, "game": state["game"], "turns": len(state["turns"]), **more})

    @property
    def url(self) -> str:
        return f"{self.server.url}try4/"


@pytest.fixture
def served(tmp_path: Any) -> Iterator[Served]:
    made = Served(tmp_path / "try4.db")
    yield made
    made.end()


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """What the browser complains of: refused scripts or styles, errors, failed requests. There may be nothing."""
    said: list[str] = []
    yield said
    assert said == []


@pytest.fixture
def opened(pages: "KeptPages", served: Served, complaints: list[str]) -> Iterator[Callable[..., "Page"]]:
    kept = ExitStack()

    def go(**how: Any) -> Page:
        how = {"size": (1280, 800), "reduced_motion": "reduce", **how}
        page = kept.enter_context(pages.opened(complaints, timeout_ms=ANSWERED_MS, **how))
        page.goto(served.url)
        expect(page.locator("#board [data-cell]").first).to_be_visible()
        return page

    with kept:
        yield go


@pytest.fixture
def page(opened: Callable[..., "Page"]) -> "Page":
    return opened()


def tile(page: "Page", name: str) -> Any:
    return page.locator(f"#tray [data-tile={name}]")


def cell(page: "Page", name: str) -> Any:
    return page.locator(f"#board [data-cell={name}]")


def tap(page: "Page", name: str, at: str) -> None:
    tile(page, name).click()
    cell(page, at).click()
    expect(cell(page, at)).to_have_attribute("data-tile", name)


def play(page: "Page", **laid: str) -> None:
    for at, name in laid.items():
        tap(page, name, at)
    page.locator("#play").click()


def middle(where: Any) -> tuple[float, float]:
    box = where.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: "Page", start: Any, end: Any) -> None:
    page.mouse.move(*middle(start))
    page.mouse.down()
    page.mouse.move(*middle(end), steps=6)
    page.mouse.up()


class Finger:
    """A finger, as the browser is told of one by the system."""

    def __init__(self, page: "Page") -> None:
        self._session = page.context.new_cdp_session(page)

    def _send(self, kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y} for x, y in places]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def drag(self, start: tuple[float, float], end: tuple[float, float], lift: bool = True) -> None:
        self._send("touchStart", start)
        for k in range(1, 7):
            self._send("touchMove", (start[0] + (end[0] - start[0]) * k / 6, start[1] + (end[1] - start[1]) * k / 6))
        if lift:
            self.lift()

    def lift(self) -> None:
        self._send("touchEnd")

    def cancel(self) -> None:
        self._send("touchCancel")


def test_tiles_are_dragged_by_mouse_taken_back_and_played(page: "Page") -> None:
    drag(page, tile(page, "red1"), cell(page, "c3"))
    expect(cell(page, "c3")).to_have_attribute("aria-label", "c3, red 1, laid this turn")
    expect(tile(page, "red1")).to_have_attribute("aria-label", "red 1, 1 left")
    drag(page, cell(page, "c3"), cell(page, "d5"))
    expect(cell(page, "d5")).to_have_attribute("data-tile", "red1")
    expect(cell(page, "c3")).to_have_attribute("data-tile", "")
    drag(page, cell(page, "d5"), page.locator("#tray"))
    expect(cell(page, "d5")).to_have_attribute("data-tile", "")
    expect(tile(page, "red1")).to_have_attribute("aria-label", "red 1, 2 left")
    drag(page, tile(page, "red1"), cell(page, "c3"))
    page.locator("#play").click()
    expect(page.locator("#turns li")).to_have_count(1)
    expect(cell(page, "c3")).to_have_attribute("aria-label", "c3, red 1")


def test_play_shows_each_new_square_and_how_its_score_came_about(page: "Page") -> None:
    play(page, c3="red1")
    play(page, c4="red2", d3="red3", d4="red4")
    expect(page.locator("#message-text")).to_have_text("1 new square: 14")
    expect(page.locator("#overlay .square-score")).to_have_text(["+14"])
    expect(page.locator("#squares li")).to_have_text(
        ["c3 to d4: 14Colour 4: 4 share red.Number 10: 1, 2, 3, 4: all different, 1 + 2 + 3 + 4."]
    )
    expect(page.locator("#totals .total").first).to_have_text("14")
    expect(page.locator("#announcer p").last).to_have_text("1 new square: 14. c3 to d4: colour 4, number 10.")
    play(page, e3="blue2", e4="blue1", b4="green1")
    expect(page.locator("#overlay .square-score")).to_have_text(["+12"])
    page.get_by_role("button", name="red 1 on c3 0").click()
    expect(page.locator("#overlay .square-score")).to_have_count(0)


def test_a_turn_that_breaks_a_rule_is_explained_with_its_cells_marked_and_its_tiles_stay(page: "Page") -> None:
    play(page, c3="red1")
    play(page, a7="blue1", f6="green2")
    expect(page.locator("#message-text")).to_have_text(
        "2 tiles complete no square: two or three at once must complete at least one."
    )
    expect(page.locator("#board .marked")).to_have_count(2)
    expect(cell(page, "a7")).to_have_attribute("aria-label", "a7, blue 1, laid this turn, breaks a rule")
    page.get_by_role("button", name="Take back").click()
    expect(page.locator("#board .marked")).to_have_count(0)
    expect(page.locator("#board .laid")).to_have_count(0)


def test_a_drag_away_from_the_board_or_onto_a_taken_cell_changes_nothing(page: "Page") -> None:
    play(page, c3="red1")
    drag(page, tile(page, "red2"), page.locator("h1"))
    drag(page, tile(page, "red2"), cell(page, "c3"))
    drag(page, cell(page, "c3"), cell(page, "d3"))
    expect(page.locator("#board .laid")).to_have_count(0)
    expect(cell(page, "c3")).to_have_attribute("data-tile", "red1")
    page.mouse.move(*middle(tile(page, "red2")))
    page.mouse.down()
    page.mouse.move(*middle(cell(page, "d4")), steps=4)
    expect(page.locator(".ghost")).to_have_count(1)
    expect(cell(page, "d4")).to_have_class("aimed")
    page.keyboard.press("Escape")
    expect(page.locator(".ghost")).to_have_count(0)
    page.mouse.up()
    expect(page.locator("#board .laid")).to_have_count(0)


@pytest.mark.parametrize("size", [PHONE, SMALLEST])
def test_tiles_are_dragged_by_a_finger_on_a_phone(opened: Callable[..., "Page"], size: tuple[int, int]) -> None:
    page = opened(size=size, has_touch=True, is_mobile=True)
    finger = Finger(page)
    tile(page, "yellow3").scroll_into_view_if_needed()
    where = page.evaluate("scrollY")
    finger.drag(middle(tile(page, "yellow3")), middle(cell(page, "d1")), lift=False)
    expect(page.locator(".ghost")).to_have_count(1)
    expect(cell(page, "d1")).to_have_class("aimed")
    finger.lift()
    expect(cell(page, "d1")).to_have_attribute("data-tile", "yellow3")
    assert page.evaluate("scrollY") == where, "the page does not scroll while a tile is dragged"
    finger.drag(middle(cell(page, "d1")), middle(tile(page, "red1")))
    expect(cell(page, "d1")).to_have_attribute("data-tile", "")
    finger.drag(middle(tile(page, "yellow3")), middle(cell(page, "d1")), lift=False)
    finger.cancel()
    expect(page.locator(".ghost")).to_have_count(0)
    expect(cell(page, "d1")).to_have_attribute("data-tile", "")
    tile(page, "blue2").tap()
    cell(page, "e1").tap()
    expect(cell(page, "e1")).to_have_attribute("data-tile", "blue2")
    page.locator("#play").tap()
    expect(page.locator("#turns li")).to_have_count(1)


def test_the_whole_game_can_be_played_by_keyboard_alone(page: "Page", served: Served) -> None:
    served.ask("settings", columns=2, rows=2, players=1, set="red 1 2; blue 3 4", names=[])
    page.reload()
    expect(page.locator("#board [data-cell]")).to_have_count(4)
    keys = page.keyboard

    def tab_to(selector: str) -> None:
        for _ in range(20):
            if page.evaluate("s => document.activeElement.matches(s)", selector):
                return
            keys.press("Tab")
        pytest.fail(f"no way to {selector} by Tab")

    def lay(steps: list[str], moves: list[str]) -> None:
        tab_to("#tray [data-tile]")
        for step in ["Home", *steps, "Enter"]:
            keys.press(step)
        expect(page.locator("#board [data-cell]:focus")).to_have_count(1)
        for move in [*moves, "Enter"]:
            keys.press(move)
        expect(page.locator("#tray [data-tile]:focus")).to_have_count(1)

    lay([], ["ArrowDown", "ArrowLeft"])
    expect(cell(page, "a1")).to_have_attribute("data-tile", "red1")
    keys.press("Shift+Tab")
    expect(cell(page, "a1")).to_be_focused()
    keys.press("Delete")
    expect(cell(page, "a1")).to_have_attribute("data-tile", "")
    lay([], [])
    tab_to("#play")
    keys.press("Enter")
    expect(page.locator("#turns li")).to_have_count(1)
    lay(["ArrowRight"], ["ArrowRight"])
    lay(["ArrowRight", "ArrowRight"], ["ArrowUp"])
    lay(["End"], ["ArrowLeft"])
    tab_to("#play")
    keys.press("Space")
    expect(page.locator("#message-text")).to_contain_text("1 new square: 12")
    expect(page.locator("#message-text")).to_contain_text("The game is over: total 12.")


def test_escape_lets_go_of_a_tile_taken_by_key(page: "Page") -> None:
    tile(page, "red1").focus()
    page.keyboard.press("Enter")
    expect(tile(page, "red1")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(tile(page, "red1")).to_have_attribute("aria-pressed", "false")
    expect(tile(page, "red1")).to_be_focused()


def test_an_unfinished_game_survives_closing_the_browser_and_a_power_cut(
    opened: Callable[..., "Page"], served: Served
) -> None:
    page = opened()
    play(page, c3="red1")
    expect(page.locator("#turns li")).to_have_count(1)
    with page.expect_response("**/try4/command"):
        tap(page, "blue4", "e5")
    page.context.close()
    served.end()
    served.begin()
    page = opened()
    expect(cell(page, "c3")).to_have_attribute("data-tile", "red1")
    expect(cell(page, "e5")).to_have_attribute("aria-label", "e5, blue 4, laid this turn")


def test_a_turn_played_on_another_screen_is_shown(page: "Page", served: Served) -> None:
    served.ask("play", laid={"c3": "red1"})
    expect(page.locator("#turns li")).to_have_count(1)
    expect(cell(page, "c3")).to_have_attribute("data-tile", "red1")


def test_whoever_lays_the_next_tile_before_the_last_turn_is_answered_keeps_it(page: "Page", served: Served) -> None:
    """The first `play` is answered only once the next tile lies there."""
    held: list[Any] = []

    def hold(route: Any) -> None:
        if route.request.post_data_json["do"] == "play" and not held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/try4/command", hold)
    play(page, c3="red1")
    tap(page, "red2", "c4")
    held[0].continue_()
    expect(page.locator("#turns li")).to_have_count(1)
    expect(cell(page, "c4")).to_have_attribute("data-tile", "red2")
    expect(page.locator("#message[data-tone=bad]")).to_have_count(0)
    page.locator("#play").click()
    expect(page.locator("#turns li")).to_have_count(2)
    assert list(served.games.state()["board"]) == ["c3", "c4"]


def test_a_turn_that_another_screen_was_quicker_with_is_not_lost_in_silence(
    page: "Page", served: Served, complaints: list[str]
) -> None:
    tap(page, "red2", "d4")
    page.wait_for_timeout(300)
    served.ask("play", laid={"c3": "red1"})
    page.locator("#play").click()
    expect(page.locator("#message-text")).to_contain_text("The board has changed meanwhile")
    expect(cell(page, "c3")).to_have_attribute("data-tile", "red1")
    complaints[:] = [said for said in complaints if "409" not in said]


def test_delete_clears_the_board_and_what_was_cleared_can_be_brought_back(page: "Page") -> None:
    play(page, c3="red1")
    expect(page.locator("#turns li")).to_have_count(1)
    page.get_by_role("button", name="Delete").click()
    expect(page.locator("#message-text")).to_have_text("The board is cleared.")
    expect(cell(page, "c3")).to_have_attribute("data-tile", "")
    page.get_by_role("button", name="Bring it back").click()
    expect(cell(page, "c3")).to_have_attribute("data-tile", "red1")


def finish(served: Served, *turns: dict[str, str]) -> None:
    """A game to the end, as another screen would play it."""
    served.ask("settings", columns=3, rows=3, players=1, set="red 1 2 3 4; blue 1", names=[])
    for turn in turns:
        served.ask("play", laid=turn)


BEST = ({"a1": "red1"}, {"b1": "red2", "a2": "red3", "b2": "red4"}, {"c3": "blue1"})
LOWEST = ({"a1": "red1"}, {"b1": "red2", "a2": "blue1", "b2": "red3"}, {"c3": "red4"})


def test_statistics_show_best_lowest_and_a_plot_of_all_and_share_copies_them(
    opened: Callable[..., "Page"], served: Served
) -> None:
    page = opened(permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Statistics").click()
    expect(page.locator("#plot")).to_contain_text("No game has been played to the end yet")
    page.keyboard.press("Escape")
    for turns in (LOWEST, BEST, LOWEST):
        finish(served, *turns)
    page.get_by_role("button", name="Statistics").click()
    expect(page.locator("#figures dd")).to_have_text(["14", "3", "6.7", "3"])
    expect(page.locator("#plot")).to_have_attribute("aria-label", "Plot of 3 totals: best 14, lowest 3")
    expect(page.locator("#plot .plot-word")).to_have_text(["best 14", "lowest 3"])
    page.get_by_role("button", name="Share").click()
    expect(page.locator("#shared")).to_have_text("Copied to the clipboard.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.splitlines()[0] == "Try 4 (all games): best 14, lowest 3, mean 6.7 of 3"
    assert len(copied.splitlines()) == 4
    assert axe_complaints(page) == []


def test_share_works_where_the_browser_has_no_clipboard_for_pages_without_a_certificate(
    opened: Callable[..., "Page"], served: Served
) -> None:
    page = opened()
    finish(served, *BEST)
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.get_by_role("button", name="Statistics").click()
    page.get_by_role("button", name="Share").click()
    expect(page.locator("#shared")).to_have_text("Copied to the clipboard.")


def test_settings_choose_colours_tile_set_board_and_players(page: "Page") -> None:
    page.get_by_role("button", name="Settings").click()
    assert axe_complaints(page) == []
    page.get_by_label("How many").select_option("2")
    page.get_by_label("Name 1").fill("Ada")
    page.get_by_label("Columns").fill("5")
    page.get_by_label("Rows", exact=True).fill("6")
    page.get_by_label("Colour of row 1").select_option("turquoise")
    page.get_by_label("Numbers of row 2").fill("7 7 8")
    page.get_by_role("button", name="Remove row 5").click()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#board [data-cell]")).to_have_count(30)
    expect(tile(page, "turquoise1")).to_have_attribute("aria-label", "turquoise 1, 2 left")
    expect(tile(page, "blue7")).to_have_attribute("aria-label", "blue 7, 2 left")
    expect(page.locator("#tray [data-tile^=purple]")).to_have_count(0)
    expect(page.locator("#totals .total-name")).to_have_text(["Ada", "Player 2", "Tiles left"])
    play(page, a1="blue8")
    expect(page.locator("#totals [aria-current]")).to_contain_text("Player 2")


def test_settings_that_make_no_game_say_why_and_keep_what_was_written(page: "Page", complaints: list[str]) -> None:
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Columns").fill("3")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#settings-error")).to_contain_text("25 tiles are too many for the 21 cells")
    expect(page.get_by_label("Columns")).to_have_value("3")
    complaints[:] = [said for said in complaints if "400" not in said]


def test_deleting_the_history_asks_first(page: "Page", served: Served) -> None:
    finish(served, *BEST)
    page.get_by_role("button", name="Settings").click()
    expect(page.locator("#history-count")).to_contain_text("1 finished game in the statistics.")
    expect(page.locator("#history-count")).to_contain_text("those played on a mat by camera too")
    page.get_by_role("button", name="Delete the history").click()
    page.get_by_role("button", name="Keep them").click()
    assert len(served.games.statistics()["results"]) == 1
    page.get_by_role("button", name="Delete the history").click()
    page.get_by_role("button", name="Yes, delete 1 game").click()
    expect(page.locator("#forgotten")).to_have_text("The history is deleted.")
    assert served.games.statistics()["results"] == []


def test_help_shows_the_rules_and_the_worked_example_as_pictures(page: "Page") -> None:
    page.get_by_role("button", name="Help").click()
    expect(page.locator("#example .example-board")).to_have_count(4)
    expect(page.locator("#example figcaption")).to_contain_text(["0.", "14.", "14.", "24."])
    assert axe_complaints(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Help")).to_be_focused()


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        (SMALLEST, "dark"),
        (PHONE, "light"),
        ((844, 390), "light"),
        ((1280, 800), "dark"),
    ],
)
def test_axe_finds_nothing_wrong_and_nothing_runs_off_the_screen(
    opened: Callable[..., "Page"], size: tuple[int, int], scheme: str
) -> None:
    page = opened(size=size, color_scheme=scheme)
    play(page, c3="red1")
    play(page, c4="red2", d3="red3", d4="red4")
    expect(page.locator("#squares li")).to_have_count(1)
    assert axe_complaints(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    play(page, a7="blue1", f6="green2")
    expect(page.locator("#board .marked")).to_have_count(2)
    assert axe_complaints(page) == []


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (3840, 2160)])
def test_on_a_desk_or_a_wall_everything_fits_without_scrolling(
    opened: Callable[..., "Page"], size: tuple[int, int]
) -> None:
    page = opened(size=size)
    for part in ("#board", "#tray", "#play", "#totals", "#turns"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= size[1]
    board, tray = page.locator("#board-fit").bounding_box(), page.locator("#tray").bounding_box()
    assert board is not None
    assert tray is not None
    assert board["y"] + board["height"] <= tray["y"], "the tray is below the board"


def test_each_colour_has_a_shape_of_its_own(page: "Page") -> None:
    shapes = page.evaluate(
        """async () => {
            const { COLOURS } = await import("/try4/static/tile.js");
            return Object.values(COLOURS).map(({ shape }) => shape);
        }"""
    )
    assert len(set(shapes)) == len(shapes) >= 11


def test_without_the_table_what_was_laid_stays_and_it_is_said(
    page: "Page", served: Served, complaints: list[str]
) -> None:
    tap(page, "red1", "c3")
    page.wait_for_timeout(300)
    served.server.close()
    page.locator("#play").click()
    expect(page.locator("#message-text")).to_have_text("The table did not answer; try again.")
    expect(cell(page, "c3")).to_have_attribute("data-tile", "red1")
    served.store.close()
    served.begin()
    page.locator("#play").click()
    expect(page.locator("#turns li")).to_have_count(1)
    complaints.clear()
