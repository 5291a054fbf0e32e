"""Fixtures that many tests need."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.web.kept_pages import KeptPages

# A busy machine is slow now and then; that is no failure. In CI the same examples are tried every time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

# Where tests run side by side each process has a core of its own; threads beside them would only wait for each other.
# What reads this is imported later, and the programs that tests start have it from here.
if "PYTEST_XDIST_WORKER" in os.environ:
    for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OPENCV_FOR_THREADS_NUM"):
        os.environ.setdefault(threads, "1")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of data with truth that lies beside the project; tests that need it skip where it is absent."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the data with truth (../shared/data) is not beside the project")
    return SHARED


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """One real Chromium for all tests: its driver must not be started a second time in a process."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("needs a browser: apt install chromium")
    driver = pytest.importorskip("playwright.sync_api", reason="needs a browser's driver: pip install -e '.[dev]'")
    with driver.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield running
        running.close()


@pytest.fixture(scope="session")
def pages(browser: "Browser") -> "KeptPages":
    """Pages of that Chromium that are emptied and used again; `with pages.opened() as page` wherever a page will do."""
    from tests.web.kept_pages import KeptPages

    return KeptPages(browser)
