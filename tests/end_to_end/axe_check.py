"""axe-core on a page, from the copy that comes with axe-playwright-python: nothing is fetched."""

from typing import Any

import pytest


def axe_complaints(page: Any) -> list[str]:
    """What axe-core finds wrong on the page as it is now, one line each. Skips the test where axe is not installed."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe: pip install -e '.[dev]'")
    found = axe.Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found for node in one["nodes"]]
