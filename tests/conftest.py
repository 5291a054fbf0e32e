"""Fixtures that many tests need."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is slow now and then; that is no failure. In CI the same examples are tried every time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of data with truth that lies beside the project; tests that need it skip where it is absent."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the data with truth (../shared/data) is not beside the project")
    return SHARED
