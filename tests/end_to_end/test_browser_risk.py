"""Margins and crash risks on the scoring board, in a real Chromium."""

import copy
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from companion.web import Server, WebSettings, create_app, serve
from tests.web.fake_table_view import LIVE, FakeTable, state
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


def well(name: str, risk: float, step: str = "lift", move: str = "") -> dict[str, Any]:
    return {"well": name, "step": step, "margin_mm": 1.2, "sd_mm": 0.1, "risk": risk, "move": move or f"{name}-a3"}


def risks(*wells: dict[str, Any], held: tuple[str, ...] = (), warnings: tuple[dict[str, Any], ...] = ()) -> Any:
    ranked = sorted(wells, key=lambda one: -one["risk"])
    return {
        "side": "white",
        "player": "Ada",
        "in_hand": list(held),
        "wells": ranked,
        "safest": ranked[-1]["move"],
        "least_risk": ranked[-1]["risk"],
        "warn_above": 0.5,
        "warnings": list(warnings),
        "forced": None,
    }


SAFE = risks(well("b1", 0.03), well("d1", 0.02), well("a2", 0.01))
CAREFUL = risks(well("b1", 0.31), well("d1", 0.12), well("a2", 0.04))
DANGER = risks(well("b1", 1.0), well("d1", 0.82), well("f1", 0.3), well("a2", 0.04))
IN_HAND = risks(well("b2", 1.0, "place"), well("a3", 0.04, "place"), held=("a2",))
NOWHERE = risks(well("b1", 1.0), well("d1", 0.82), well("a2", 0.66))
FORCED = {"kind": "forced", "text": "g2-g3 forces Black to crash at the next turn", "moves": ["g2-g3"], "within": 1}


def steps(lift: float, felt: float, place: float) -> dict[str, Any]:
    return {
        "risk": 0.1,
        "least_risk": 0.02,
        "steps": [
            {"step": "lift", "margin_mm": lift, "sd_mm": 0.1, "risk": 0.08, "least_mm": felt},
            {"step": "place", "margin_mm": place, "sd_mm": 0.1, "risk": 0.02, "least_mm": place},
        ],
    }


def played() -> dict[str, Any]:
    """A game whose second move was a near miss, and which ended in a crash."""
    crash = {
        "seq": 40,
        "time": 1_700_000_040.0,
        "kind": "crash",
        "player": "white",
        "step": "place",
        "balance": {"risk": 1.0, "steps": [{"step": "place", "margin_mm": -0.4, "sd_mm": 0.1, "risk": 1.0}]},
    }
    over = {**crash, "seq": 41, "kind": "game_over", "winner": "black", "termination": "crash", "points": 1}
    made = state(crash, over, game={"over": {"winner": "black", "termination": "crash", "points": 1}})
    for move, balance in zip(made["game"]["moves"], (steps(2, 1, 3), steps(1, 0.1, 2), steps(1.5, 1, 2)), strict=False):
        move["balance"] = balance
    return made


@pytest.fixture(scope="module")
def served() -> Iterator[tuple["CannedTable", Server]]:
    table = CannedTable()
    server = serve(create_app(table, WebSettings(title="Table 1")), port=0)
    yield table, server
    server.close()


@pytest.fixture
def table(served: tuple["CannedTable", Server]) -> "CannedTable":
    served[0].begin_anew()
    return served[0]


@pytest.fixture
def server(served: tuple["CannedTable", Server], table: "CannedTable") -> Server:
    """One for all tests, with nothing left of the test before."""
    return served[1]


@pytest.fixture
def complaints() -> list[str]:
    return []


@pytest.fixture
def page(pages: "KeptPages", server: Server, complaints: list[str]) -> Iterator["Page"]:
    with pages.opened(complaints, (1280, 800), reduced_motion="reduce") as opened:
        opened.goto(server.url)
        expect(opened.locator("#link")).to_have_attribute("data-link", "live")
        yield opened
    assert complaints == []


class CannedTable(FakeTable):
    """Also shows a state made here."""

    def put(self, state: dict[str, Any], live: dict[str, Any]) -> None:
        with self._changed:
            self.shown, self.values = {**state, "seq": self.shown["seq"] + 1}, live
            self._version += 1
            self._changed.notify_all()


def shown(table: "CannedTable", wanted: Any, seen_by: str = "all") -> None:
    table.set_live(**{"warnings_for": seen_by, "risks": copy.deepcopy(wanted)})


def test_without_risks_there_is_nothing_of_them(page: "Page") -> None:
    expect(page.locator("#verdict")).to_be_hidden()
    expect(page.locator(".risk")).to_have_count(0)
    expect(page.locator("[data-plot]")).to_be_hidden()


@pytest.mark.parametrize(
    ("wanted", "level", "word"),
    [
        (SAFE, "safe", "Safe"),
        (CAREFUL, "careful", "Careful"),
        (DANGER, "danger", "Danger: b1 d1"),
        (IN_HAND, "danger", "Danger: b2"),
        (NOWHERE, "nowhere", "No safe move"),
    ],
)
def test_one_word_says_whether_the_next_touch_is_dangerous(
    page: "Page", table: "CannedTable", wanted: Any, level: str, word: str
) -> None:
    shown(table, wanted)
    expect(page.locator("#verdict")).to_have_attribute("data-level", level)
    expect(page.locator(".verdict-word")).to_have_text(word)
    height = page.locator(".verdict-word").bounding_box()
    assert height is not None
    assert height["height"] >= 28  # px on a screen 800 high: read at two metres


def test_every_well_carries_its_number_and_not_colour_alone_tells_its_level(page: "Page", table: "CannedTable") -> None:
    shown(table, DANGER)
    expect(page.locator(".risk")).to_have_count(4)
    numbers = {one: page.locator(f'.risk[data-well="{one}"] text').text_content() for one in ("b1", "d1", "f1", "a2")}
    assert numbers == {"b1": "×100%", "d1": "×82%", "f1": "!30%", "a2": "4%"}
    assert page.locator('.risk[data-well="b1"] .risk-ring').count() == 1
    assert page.locator('.risk[data-well="a2"] .risk-ring').count() == 0


def test_marks_follow_the_hand(page: "Page", table: "CannedTable") -> None:
    shown(table, DANGER)
    expect(page.locator('.risk[data-well="d1"]')).to_have_count(1)
    shown(table, IN_HAND)
    expect(page.locator('.risk[data-well="d1"]')).to_have_count(0)
    expect(page.locator('.risk[data-well="b2"]')).to_have_count(1)
    shown(table, None)
    expect(page.locator(".risk")).to_have_count(0)


def test_a_forced_crash_is_said(page: "Page", table: "CannedTable") -> None:
    shown(table, {**SAFE, "warnings": [FORCED]})
    expect(page.locator(".verdict-note")).to_contain_text("g2-g3 forces Black to crash at the next turn")


def test_what_is_for_spectators_is_not_shown_to_the_players(
    page: "Page", table: "CannedTable", server: Server, pages: "KeptPages"
) -> None:
    shown(table, DANGER, "spectators")
    expect(page.locator(".risk")).to_have_count(0)
    expect(page.locator("#verdict")).to_be_hidden()
    with pages.opened() as watching:
        watching.goto(f"{server.url}?watch")
        expect(watching.locator(".risk")).to_have_count(4)


def test_each_touch_of_the_game_can_be_pointed_at(page: "Page", table: "CannedTable") -> None:
    table.put(played(), LIVE)
    points = page.locator(".plot-point")
    expect(points).to_have_count(7)
    expect(page.locator(".plot-near")).to_have_count(1)
    expect(page.locator(".plot-crash")).to_have_count(1)
    expect(page.locator("#plot-caption")).to_have_text("13. Crash: White places: margin -0.4 mm, risk foretold 100%")
    page.locator(".plot-near").hover()
    expect(page.locator("#plot-caption")).to_have_text(
        "2. Near miss: Black lifts, d6-d5: margin 1.0 mm, only 0.1 mm felt, risk foretold 8%"
    )
    points.first.focus()
    expect(page.locator("#plot-caption")).to_contain_text("1. White lifts, a1-a2: margin 2.0 mm")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#plot-caption")).to_contain_text("1. White places, a1-a2: margin 3.0 mm")
    expect(page.locator(".plot-point[tabindex='0']")).to_have_count(1)
    at = {kind: page.locator(f".plot-{kind} path").bounding_box() for kind in ("near", "crash")}
    assert at["near"]
    assert at["crash"]
    assert abs(at["near"]["y"] - at["crash"]["y"]) < 12  # 0.1 mm was felt of the one, nothing of the other


def test_the_verdict_is_never_brighter_than_the_board_stands(page: "Page", table: "CannedTable") -> None:
    shown(table, SAFE)
    expect(page.locator(".verdict-word")).to_have_text("Safe")
    table.set_live(margin_mm=0.6)
    expect(page.locator("#margin")).to_have_text("Near the edge · 0.6 mm to spare")
    expect(page.locator(".verdict-word")).to_have_text("Careful")
    table.set_live(margin_mm=-0.2)
    expect(page.locator(".verdict-word")).to_have_text("Over the edge")
    table.set_live(margin_mm=3.2)
    expect(page.locator("#margin")).to_have_text("Stands · 3.2 mm to spare")
    expect(page.locator(".verdict-word")).to_have_text("Safe")


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080), (1024, 600)])
def test_on_a_wide_screen_everything_is_seen_at_once(page: "Page", table: "CannedTable", size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    table.put(played(), {**LIVE, "warnings_for": "all", "risks": DANGER})
    expect(page.locator("#verdict")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for part in ("#witness-camera", "#plot-caption", "#verdict", "#gauge"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= size[1] + 1, part
