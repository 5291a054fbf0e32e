"""Every page: no barrier that axe knows, no sideways scrolling, no complaint of the browser, quick and small."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.test_browser_console import case, reading
from tests.web.fake_table_view import START, FakeTable

try:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import Page, expect
except ImportError:
    pytest.skip("needs playwright and axe: pip install -e '.[dev]'", allow_module_level=True)

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)>"
PAGES = ("/", "/?wall", "/?kiosk", "/pair", "/console", "/history", "/history/2", "/setup", "/api", "/nothing-here")
WIDTHS = (320, 390, 1280, 3840)
FIRST_LOAD_BYTES = 150_000
SHIFTED = """() => new Promise((done) => {
    let sum = 0;
    new PerformanceObserver((list) => { for (const { value } of list.getEntries()) sum += value; })
        .observe({ type: "layout-shift", buffered: true });
    setTimeout(() => done(sum), 100);
})"""
"""How much of the page has jumped since it was opened (cumulative layout shift; 0.1 is good)."""


@pytest.fixture
def page(open_page: Callable[..., "Page"], table: FakeTable) -> "Page":
    """A paired device at a table whose players, rulings and faults are as odd as they can be."""
    table.play_a_game(HOSTILE, "Wilhelmina Featherstonehaugh-Cholmondeley")
    table.show("faults")
    table.shown["faults"] = [{"witness": "camera", "what": HOSTILE, "remedy": HOSTILE}]
    table.cases[20] = case(20)
    table.on_desk["evidence"] = [20]
    table.set_live(reading=reading(START.split()[0]))
    page: Page = open_page(paired=True, settings={"trusted_hosts": ("table.local",)})
    return page


def unfolded(page: "Page", path: str) -> None:
    page.goto(f"http://{page.url.split('/')[2]}{path}")
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    page.wait_for_timeout(150)


def faults(page: "Page", options: dict[str, Any] | None = None) -> list[str]:
    found: Any = Axe().run(page, options={"resultTypes": ["violations"], **(options or {})})
    return [
        f"{page.url}: {v['id']}: {node['target']} {node['failureSummary']}"
        for v in found.response["violations"]
        for node in v["nodes"]
    ]


def test_axe_finds_no_barrier_on_any_page(page: "Page") -> None:
    found: list[str] = []
    for path in PAGES:
        unfolded(page, path)
        if path == "/console":
            page.get_by_role("button", name="Set the position").click()
        found += faults(page)
        page.emulate_media(color_scheme="dark")
        found += faults(page, {"runOnly": {"type": "rule", "values": ["color-contrast"]}})
        page.emulate_media(color_scheme="light")
    assert found == []


def test_axe_finds_no_barrier_in_the_evidence(page: "Page") -> None:
    unfolded(page, "/console")
    page.get_by_role("button", name="Evidence for").first.click()
    expect(page.locator("#evidence table")).to_be_visible()
    assert faults(page) == []


def test_no_page_scrolls_sideways_or_makes_the_browser_complain(page: "Page", complaints: list[str]) -> None:
    wide = []
    for path in PAGES:
        unfolded(page, path)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": max(640, width * 9 // 16)})
            across = page.evaluate("document.documentElement.scrollWidth")
            if across > width:
                wide.append((path, width, across))
        assert page.locator("img[src='x']").count() == 0
    assert wide == []
    assert [said for said in complaints if "picture.jpg" not in said and "404" not in said] == []


def test_nothing_moves_where_less_motion_is_wished_for(page: "Page") -> None:
    moving = page.evaluate(
        """() => [...document.querySelectorAll("*")].filter((e) => {
            const { transitionDuration, transitionProperty, animationName } = getComputedStyle(e);
            return animationName !== "none" || (transitionProperty !== "none" && parseFloat(transitionDuration) > 0);
        }).length"""
    )
    assert moving == 0


def test_the_first_load_is_small_and_soon_of_use(open_page: Callable[..., "Page"]) -> None:
    page = open_page("/", size=(390, 844))
    expect(page.locator("#link")).to_have_attribute("data-link", "live")
    link = page.context.new_cdp_session(page)
    link.send("Network.enable")
    link.send("Network.setCacheDisabled", {"cacheDisabled": True})
    loaded: list[int] = []
    link.on("Network.loadingFinished", lambda said: loaded.append(int(said["encodedDataLength"])))
    page.reload()
    expect(page.locator("#link")).to_have_attribute("data-link", "live")
    page.wait_for_timeout(200)
    assert 20_000 < sum(loaded) < FIRST_LOAD_BYTES
    assert page.evaluate(SHIFTED) < 0.1
