"""The set-up pages in a real Chromium."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.test_browser_console import JPEG
from tests.web.fake_table_view import FakeTable

try:
    from playwright.sync_api import Page, expect
except ImportError:
    pytest.skip("needs playwright: pip install -e '.[dev]'", allow_module_level=True)

pytestmark = pytest.mark.browser


@pytest.fixture
def page(open_page: Callable[..., "Page"], table: FakeTable) -> "Page":
    table.jpeg = JPEG
    opened: Page = open_page("/setup", paired=True)
    expect(opened.locator("#camera-words")).to_contain_text("1 of 4 markers are seen; not 1, 2, 3.")
    return opened


def sent(table: FakeTable, page: "Page", act: Callable[[], Any]) -> dict[str, Any]:
    posted = lambda answer: answer.url.endswith("/api/v1/setup") and answer.request.method == "POST"  # noqa: E731
    with page.expect_response(posted):
        act()
    return table.asked[-1]


def test_each_step_tells_what_is_wrong_and_what_to_do(page: "Page", table: FakeTable, complaints: list[str]) -> None:
    assert sent(table, page, page.get_by_role("button", name="Look at the computer").click) == {"do": "doctor"}
    expect(page.locator("#findings")).to_contain_text("disk: <b>full</b>")
    expect(page.locator("#findings strong")).to_have_text("Free 200 MB at least.")
    expect(page.locator("#light-list")).to_contain_text("switch on a lamp")
    expect(page.locator("#cells-list")).to_contain_text("A press on the low side was felt")
    expect(page.get_by_role("link", name="Camera and corners needs attention")).to_be_visible()
    table.set_up_view["camera"] |= {"board": [[5, 5], [60, 5], [60, 40], [5, 40]], "light": []}
    expect(page.get_by_role("link", name="Camera and corners done")).to_be_visible()
    expect(page.locator("#light-list")).to_have_text("The light is good.")
    table.rule("illegal", player="white", move="a1-a3", reason="too_far", position="7/7/7/7/7/7 w - -")
    expect(page.locator("[data-test=illegal]")).to_have_attribute("data-ok", "true")
    assert complaints == []


def test_corners_are_pointed_at_or_typed(page: "Page", table: FakeTable) -> None:
    page.get_by_text("The board has no markers").click()
    picture = page.locator("#marks").bounding_box()
    assert picture is not None
    for x, y in ((0.25, 0.25), (0.75, 0.25), (0.75, 0.75)):
        page.locator("#marks").click(position={"x": x * picture["width"], "y": y * picture["height"]}, force=True)
    expect(page.locator("#corner-words")).to_have_text("Now point at a1.")
    page.get_by_label("a1").fill("16, 36")
    page.keyboard.press("Tab")
    corners = sent(table, page, page.get_by_role("button", name="Keep these corners").click)["corners"]
    assert [[round(v) for v in corner] for corner in corners] == [[16, 12], [48, 12], [48, 36], [16, 36]]


def test_the_cells_are_calibrated_with_the_keyboard_alone(page: "Page", table: FakeTable) -> None:
    page.get_by_label("Grams of the sphere").fill("20,1")
    begin = page.locator("#calibrate")
    assert sent(table, page, lambda: begin.press("Enter")) == {"do": "calibrate", "mass_g": 20.1}
    step = {"step": "board off", "asks": "Take the board off.", "waiting": True, "progress": 0, "problem": None}
    table.set_up_view["load_cells"]["calibration"] = {**step, "done": False, "found": None}
    expect(page.locator("#asks")).to_have_text("Take the board off.")
    assert sent(table, page, lambda: page.locator("#confirm").press("Enter")) == {"do": "confirm"}
    found = {"half_spacing_mm": 6.0, "board_g": 512.3}
    table.set_up_view["load_cells"]["calibration"] = {**step, "done": True, "found": found}
    table.set_up_view["written"] = ["load cells"]
    expect(page.locator("#calibration-said")).to_contain_text("12.0 mm apart")
    expect(page.locator("#restart")).to_contain_text("Changed: load cells.")
