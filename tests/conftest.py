"""Fixtures that many tests need."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of data with truth that lies beside the project; tests that need it skip where it is absent."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the data with truth (../shared/data) is not beside the project")
    return SHARED
