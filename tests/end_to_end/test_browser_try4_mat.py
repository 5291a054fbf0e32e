"""The page of a Try 4 mat in a real Chromium, over a table whose reader is told what to read."""

import itertools
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest

from companion.log.try4_store import Setup, Try4Store
from companion.rules.try4_text import placings_of
from companion.table.try4_games import STANDARD_SET, Try4Games
from companion.table.try4_table import Try4Table
from companion.web import WebSettings, create_app, serve
from companion.web.try4 import add_try4
from tests.end_to_end.axe_check import axe_complaints
from tests.web.kept_pages import KeptPages
from vision.frames import Frame
from vision.tile_mat import TileGrid
from vision.tile_reading import CellIs, CellReading, nothing_found, reading_of

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
try:
    from playwright.sync_api import Page, expect
except ImportError:
    CHROMIUM = None

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt install chromium, pip install -e '.[dev]'"),
]

GRID = TileGrid()
PICTURE = np.full((48, 64, 3), 128, np.uint8)


class Mat:
    """A served mat. `shows` is what the camera reads, four times a second on the table's clock."""

    def __init__(self, file: Any) -> None:
        self.hand: list[dict[str, Any]] = []
        self.by_hand = False
        self.store = Try4Store.open(file)
        setup = Setup.of(7, 7, 2, STANDARD_SET, ("Ada", "Ben"))
        colours = ("red", "blue", "green", "yellow", "purple")
        clock = itertools.count(1_700_000_000.0).__next__
        self.table = Try4Table(
            self.store,
            setup,
            colours,
            lambda _: self,  # type: ignore[arg-type, return-value]
            clock,
            self.ask,
            by_hand=lambda: self.by_hand,
        )
        settings = WebSettings(title="Mat 1", simulated=True, console=True, page="try4/mat.html", screen_plays=True)
        app = create_app(self.table, settings)
        add_try4(app, Try4Games(self.store, clock), home="Mat")
        self.server = serve(app, port=0)
        self.t = 0.0
        self.cells: dict[int, CellReading] | None = {}

    def ask(self, command: dict[str, Any]) -> dict[str, Any]:
        self.hand.append(command)
        self.by_hand = command["do"] != "let_play"
        return {"done": True}

    def read(self, image: Any, t: float) -> Any:
        if self.cells is None:
            return nothing_found(GRID, t, "markers 0, 1, 2 and 3 are not seen")
        bare = CellReading(CellIs.EMPTY)
        return reading_of(GRID, t, tuple(self.cells.get(k, bare) for k in range(GRID.cells)))

    def shows(self, lies: str = "", unsure: str = "", hidden: str = "", found: bool = True, times: int = 5) -> None:
        self.cells = {} if found else None
        if self.cells is not None:
            for kind, text in ((CellIs.TILE, lies), (CellIs.UNSURE, unsure), (CellIs.HIDDEN, hidden)):
                for cell, tile in placings_of(text).items():
                    x, y = 8.0 * cell.column, 6.0 * (6 - cell.row)
                    corners = ((x, y), (x + 7, y), (x + 7, y + 5), (x, y + 5))
                    self.cells[cell.row * 7 + cell.column] = CellReading(
                        kind, tile.colour, tile.number, 0.4, at_px=corners
                    )
        for _ in range(times):
            self.t += 0.25
            self.table.show(Frame(self.t, PICTURE))


@pytest.fixture
def mat(tmp_path: Any) -> Iterator[Mat]:
    made = Mat(tmp_path / "mat.db")
    yield made
    made.server.close()
    made.store.close()


@pytest.fixture
def opened(pages: "KeptPages", mat: Mat) -> Iterator[Callable[..., "Page"]]:
    complaints: list[str] = []
    kept = ExitStack()

    def go(**how: Any) -> Page:
        how = {"size": (1280, 800), "reduced_motion": "reduce", **how}
        page = kept.enter_context(pages.opened(complaints, **how))
        page.goto(mat.server.url)
        expect(page.locator("#board [data-cell]")).to_have_count(49)
        return page

    mat.shows()
    with kept:
        yield go
    assert complaints == []


@pytest.fixture
def page(opened: Callable[..., "Page"]) -> "Page":
    return opened()


def cell(page: "Page", name: str) -> Any:
    return page.locator(f"#board [data-cell={name}]")


def says(page: "Page", text: str) -> None:
    expect(page.locator("#message-text")).to_have_text(text)


def test_what_the_camera_reads_is_shown_and_play_scores_it(page: "Page", mat: Mat) -> None:
    says(page, "Ada: lay one, two or three tiles, then press Play.")
    mat.shows("c3=red1")
    expect(cell(page, "c3")).to_have_attribute("aria-label", "c3, red 1, laid this turn")
    says(page, "Ada: 1 tile laid: press Play.")
    page.locator("#play").click()
    expect(page.locator("#turns li")).to_have_count(1)
    mat.shows("c3=red1 c4=red2 d3=red3 d4=red4")
    page.locator("body").press("Enter")
    says(page, "Ben: 1 new square: 14")
    expect(page.locator("#overlay .square-score")).to_have_text(["+14"])
    expect(page.locator("#totals .total")).to_have_text(["0", "14", "21"])
    expect(page.locator("#camera-picture")).to_be_visible()


def test_a_turn_that_breaks_a_rule_is_explained_and_its_cells_are_marked_until_it_is_put_right(
    page: "Page", mat: Mat
) -> None:
    mat.shows("c3=red1 f6=blue2")
    page.locator("#play").click()
    says(
        page,
        "Not played. 2 tiles complete no square: two or three at once must complete at least one. Put it right and "
        "press Play.",
    )
    expect(page.locator("#board .marked")).to_have_count(2)
    mat.shows("c3=red1")
    expect(page.locator("#board .marked")).to_have_count(0)
    page.locator("#play").click()
    expect(page.locator("#turns li")).to_have_count(1)


def test_a_tile_that_was_moved_is_noticed_at_once(page: "Page", mat: Mat) -> None:
    mat.shows("c3=red1")
    mat.table.press()
    mat.shows("d5=red1")
    says(page, "Red 1 was played on c3 and lies on d5; put it back on c3.")
    expect(page.locator("#board .marked")).to_have_count(2)


def test_hands_wait(page: "Page", mat: Mat) -> None:
    mat.shows("c3=red1")
    mat.shows(hidden="c3=red1 c2=red1")
    page.locator("#play").click()
    says(page, "Something is over c2, c3: a hand? The turn waits until it is away.")
    expect(page.locator("#play")).to_be_disabled()
    expect(cell(page, "c3")).to_have_attribute("data-tile", "red1")
    mat.shows("c3=red1")
    expect(page.locator("#turns li")).to_have_count(1)


def test_an_unsure_tile_is_asked_about_and_answered_by_keyboard(page: "Page", mat: Mat) -> None:
    mat.shows(unsure="c3=red1")
    says(page, "c3: a tile that cannot be read with certainty.")
    expect(cell(page, "c3")).to_have_attribute("aria-label", "c3, something, not read with certainty")
    page.locator("#play").click()
    page.get_by_role("button", name="What lies on c3?").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What lies on c3?")).to_be_visible()
    assert axe_complaints(page) == []
    page.get_by_role("button", name="green 2", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#turns li")).to_have_count(1)
    expect(cell(page, "c3")).to_have_attribute("data-tile", "green2")


def test_without_the_camera_the_game_goes_on_by_hand(page: "Page", mat: Mat) -> None:
    mat.shows(found=False, times=20)
    expect(page.locator("#message-text")).to_contain_text("The camera does not see the mat")
    cell(page, "b2").click()
    page.get_by_role("button", name="blue 4", exact=True).click()
    page.locator("#play").click()
    expect(page.locator("#turns li")).to_have_count(1)


def test_tiles_beside_the_simulated_mat_are_laid_on_it_by_hand(page: "Page", mat: Mat) -> None:
    page.locator("#tray [data-tile=yellow3]").click()
    cell(page, "e5").click()
    expect(page.get_by_role("button", name="Let them play on")).to_be_visible()
    assert mat.hand == [{"do": "lay", "cell": "e5", "tile": "yellow3"}]
    mat.shows("e5=yellow3")
    expect(cell(page, "e5")).to_have_attribute("data-tile", "yellow3")
    cell(page, "e5").click()
    page.get_by_role("button", name="Turn it over").click()
    expect(page.locator("#cell")).to_be_hidden()
    page.get_by_role("button", name="Let them play on").click()
    expect(page.get_by_role("button", name="Let them play on")).to_be_hidden()
    assert [command["do"] for command in mat.hand] == ["lay", "turn_over", "let_play"]


def test_a_new_game_for_other_players_taking_back_and_the_colours(page: "Page", mat: Mat) -> None:
    mat.shows("c3=red1")
    page.locator("#play").click()
    expect(page.locator("#turns li")).to_have_count(1)
    page.get_by_role("button", name="Game", exact=True).click()
    assert axe_complaints(page) == []
    page.get_by_role("button", name="Take back the last turn").click()
    expect(page.locator("#turns li")).to_have_count(0)
    page.get_by_label("Players").select_option("3")
    page.get_by_label("Name 3").fill("Cem")
    page.get_by_role("button", name="Clear the board and begin").click()
    expect(page.locator("#totals .total-name")).to_have_text(["Ada", "Ben", "Cem", "Tiles left"])


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        ((320, 568), "light"),
        ((390, 844), "dark"),
        ((844, 390), "dark"),
        ((1280, 800), "light"),
    ],
)
def test_axe_finds_nothing_wrong_and_nothing_runs_off_the_screen(
    opened: Callable[..., "Page"], mat: Mat, size: tuple[int, int], scheme: str
) -> None:
    page = opened(size=size, color_scheme=scheme)
    mat.shows("c3=red1")
    mat.table.press()
    mat.shows("c3=red1 c4=red2 d3=red3 d4=red4")
    mat.table.press()
    mat.shows("c3=red1 c4=red2 d3=red3 g7=blue1", unsure="a1=red1")
    expect(page.locator("#board .unsure")).to_have_count(1)
    assert axe_complaints(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


@pytest.mark.parametrize(
    ("width", "height"), [(320, 640), (844, 390), (1280, 800), (1366, 768), (1440, 900), (1920, 1080)]
)
def test_new_squares_are_in_sight_by_the_board_with_all_their_lines(
    opened: Callable[..., "Page"], mat: Mat, width: int, height: int
) -> None:
    mat.shows("c3=red1")
    mat.table.press()
    mat.shows("c3=red1 c4=red2 d3=red3 d4=red4")
    mat.table.press()
    page = opened(size=(width, height))
    line = page.locator("#squares li")
    expect(line).to_have_count(1)
    expect(line.locator("span")).to_have_count(2)
    box, board = line.bounding_box(), page.locator("#board-fit").bounding_box()
    assert box is not None
    assert board is not None
    assert box["height"] > 55
    assert box["y"] + box["height"] <= height
    assert (
        page.evaluate(
            "(() => { const s = document.querySelector('#squares'); return s.scrollHeight - s.clientHeight })()"
        )
        <= 2
    )
    assert box["y"] < page.locator("#turns").bounding_box()["y"]  # type: ignore[index]
