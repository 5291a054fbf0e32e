#!/usr/bin/env python3
"""Renders the printed parts with a table's measures: `make_models.py [TABLE.toml] [FOLDER] [--pictures]`.

Needs openscad (apt), for pictures on a machine without a screen also xvfb. `make models` calls it.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1])]

from companion.table.settings import TableSettings, read_settings  # noqa: E402

PRINTED = ("pinnacle", "cell_mount", "board_stop", "arm_foot", "arm_elbow", "camera_plate")
"""What is printed ..."""
SHOWN = (*PRINTED, "base", "assembly", "cells")
"""... and what there are pictures of."""
USUAL_HALF_SPACING_MM = 6.0
"""Where the table does not say: it learns it later."""
PICTURE_PX = (900, 700)
WHOLE = ("--viewall", "--autocenter")
CLOSE = ("-D", "with_board=false", "--camera=10,0,28,58,0,38,330")
"""The two cells and pinnacles, with the board away."""


def parameters(settings: TableSettings) -> dict[str, str]:
    """What the models are told, as OpenSCAD values."""
    half_spacing_mm = settings.cells.half_spacing_mm or USUAL_HALF_SPACING_MM
    width, height = settings.grid.size_mm
    return {
        "half_spacing": f"{half_spacing_mm:g}",
        "board_size": f"[{width:g}, {height:g}]",
        "along_ranks": "true" if settings.axis == "ranks" else "false",
    }


def render(name: str, target: Path, settings: TableSettings, extra: Sequence[str] = ()) -> None:
    """Renders one model. Raises CalledProcessError with what openscad said."""
    told = [word for key, value in parameters(settings).items() for word in ("-D", f"{key}={value}")]
    command = ["openscad", "--hardwarnings", "-o", str(target), *told, *extra, str(HERE / f"{name}.scad")]
    if target.suffix == ".png" and not os.environ.get("DISPLAY") and shutil.which("xvfb-run"):
        command = ["xvfb-run", "-a", *command]
    subprocess.run(command, check=True, capture_output=True, text=True)


def main(arguments: Sequence[str]) -> int:
    words = [word for word in arguments if not word.startswith("--")]
    table = Path(words[0]) if words else HERE.parent / "pi" / "table.toml"
    folder = Path(words[1]) if len(words) > 1 else Path("build/models")
    if shutil.which("openscad") is None:
        print("make models: openscad is missing: sudo apt install openscad", file=sys.stderr)
        return 1
    settings = read_settings(table)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for name in PRINTED:
            render(name, folder / f"{name}.stl", settings)
            print(folder / f"{name}.stl")
        render("base", folder / "base.svg", settings, ("-D", "plan=true"))
        print(folder / "base.svg")
        for name in SHOWN if "--pictures" in arguments else ():
            size = f"--imgsize={PICTURE_PX[0]},{PICTURE_PX[1]}"
            extra = [size, *(CLOSE if name == "cells" else WHOLE), "--colorscheme=Tomorrow", "--projection=p"]
            render("assembly" if name == "cells" else name, folder / f"{name}.png", settings, extra)
            print(folder / f"{name}.png")
    except subprocess.CalledProcessError as error:
        print(f"make models: {' '.join(error.stderr.split())[-400:]}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
