"""Where a table's logs are kept when nobody says otherwise."""

import os
from pathlib import Path


def data_folder() -> Path:
    """The user's data folder for this program (XDG base directories); it need not be there yet."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "senryaku"
