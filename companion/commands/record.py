"""`record`: a table's raw sensor data as a recording; or only its last minute, after something odd happened."""

import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click
import tomli_w

from companion.commands.output import stderr, stdout
from companion.commands.run import KEEP_SIGNAL, log_of
from companion.commands.run_session import EMPTY_BOARD, RECORDINGS
from companion.errors import BadInput, SenryakuError
from companion.simulator.settings import SimulatedSettings
from companion.simulator.table import SimulatedTable
from companion.table.camera_settings import SIMULATED
from companion.table.live_stream import LiveStream
from companion.table.pacing import paced
from companion.table.recorder import RING_S, AboutTable, LastMinute, Recorder
from companion.table.refereeing import Item
from companion.table.settings import TableSettings, read_settings
from companion.table.sources import camera_source, load_source
from vision.frames import Frame

KEPT_WITHIN_S = 20.0
"""A running table writes its last minute in a second or two; on a very slow card in ten."""


class NotRunning(SenryakuError, RuntimeError):
    """The table that should keep its last minute does not run, or does not answer."""


@click.command()
@click.argument("table_file", metavar="TABLE.toml", required=False, type=click.Path(path_type=Path))
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Stop after so long.")
@click.option("--fps", type=click.FloatRange(0.1, 240), help="Keep no more pictures a second than this.")
@click.option("--last", "ring_s", type=click.FloatRange(1, 3600), help="Keep only the last so many seconds, in memory.")
@click.option("--keep", is_flag=True, help=f"Let the table that runs (senryaku run) keep its last {RING_S:.0f} s.")
@click.option("--log", "log_file", type=click.Path(path_type=Path), help="With --keep: the running table's log.")
@click.option("--simulated", is_flag=True, help="Record a simulated table; then only DIR is given.")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="With --simulated: which table.")
def record(
    table_file: Path | None,
    folder: Path | None,
    seconds: float | None,
    fps: float | None,
    ring_s: float | None,
    keep: bool,
    log_file: Path | None,
    simulated: bool,
    seed: int,
) -> None:
    """Record what load cells and camera of a table give into the new folder DIR, until Ctrl-C.

    `senryaku replay DIR` plays it back. With --last nothing is written before Enter is pressed (or the signal USR1
    comes, or it ends): then the last seconds are. While `senryaku run` referees the table, --keep does that.
    """
    if keep:
        _keep(table_file, folder, log_file)
        return
    if simulated:
        table_file, folder = None, folder or table_file
    if folder is None or (table_file is None and not simulated):
        raise BadInput("record: give a TABLE.toml and a new folder, or --keep and the TABLE.toml of a running table")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder}: is there already; give a new folder for the recording")
    with _opened(table_file, seed) as (items, about, loads, camera):
        thinned = _thinned(_until(items, seconds), fps)
        if ring_s is not None:
            _ring(thinned, LastMinute(ring_s, fps or 15.0), folder, about)
            return
        with Recorder(folder, about, loads=loads, camera=camera) as recorder:
            stderr.print(f"Recording into {folder}; Ctrl-C ends it.", markup=False)
            with suppress(KeyboardInterrupt):
                for item in thinned:
                    if item is not None:
                        recorder.take(item)
        stdout.print(f"{folder}: {recorder.samples} samples, {recorder.pictures} pictures", markup=False)


Opened = tuple[Iterator[Item | None], AboutTable, bool, bool]


@contextmanager
def _opened(table_file: Path | None, seed: int) -> Iterator[Opened]:
    """A table's stream; None now and then when nothing comes. What it says of the table; has it cells, a camera?"""
    if table_file is None:
        table = SimulatedTable(seed)
        yield paced(table, 1.0, time.monotonic, time.sleep), _about_simulated(table), True, True
        return
    settings = read_settings(table_file)
    clock = _since(time.monotonic())
    loads = None if settings.load_source == "none" else load_source(settings, clock)
    try:
        camera = None if settings.camera_source in ("none", SIMULATED) else camera_source(settings, clock)
    except BaseException:
        if loads is not None:
            loads.close()
        raise
    if loads is None and camera is None:
        raise BadInput(f"{table_file}: nothing to record: set source in [camera] or in [load_cells], or both")
    stream = LiveStream(loads, camera, clock)
    terminated = signal.signal(signal.SIGTERM, lambda *_: stream.close())
    try:
        yield (
            iter(stream),
            AboutTable.of(table_file, _beside(settings, table_file)),
            loads is not None,
            camera is not None,
        )
    finally:
        signal.signal(signal.SIGTERM, terminated)
        stream.close()


def _beside(settings: TableSettings, table_file: Path) -> list[str]:
    """The files that must lie beside a copy of the settings."""
    seen_in = None if settings.corners is None else settings.corners.picture
    inside = seen_in is not None and seen_in.parent.resolve() == table_file.parent.resolve()
    return [EMPTY_BOARD, *([seen_in.name] if inside and seen_in is not None else [])]


def _since(began: float) -> Callable[[], float]:
    return lambda: time.monotonic() - began


def _until(items: Iterator[Item | None], seconds: float | None) -> Iterator[Item | None]:
    """So many seconds from the first item on."""
    first: float | None = None
    for item in items:
        if item is not None:
            first = item.t if first is None else first
            if seconds is not None and item.t - first > seconds:
                return
        yield item


def _thinned(items: Iterator[Item | None], fps: float | None) -> Iterator[Item | None]:
    """No more pictures a second than `fps`."""
    last = float("-inf")
    for item in items:
        if fps is not None and isinstance(item, Frame):
            if item.t - last < 1 / fps - 0.01:
                continue
            last = item.t
        yield item


def _ring(items: Iterator[Item | None], ring: LastMinute, folder: Path, about: AboutTable) -> None:
    """Writes the ring when it is asked to, each time into another folder, and at the end if it never was."""
    asked: list[bool] = []
    before = signal.signal(KEEP_SIGNAL, lambda *_: asked.append(True))
    written = 0
    stderr.print(f"Watching; Enter keeps the last {ring.seconds:g} s, Ctrl-C keeps them and ends.", markup=False)

    def write() -> None:
        nonlocal written
        target = folder if not written else folder.with_name(f"{folder.name}-{written + 1}")
        kept = ring.taken()
        kept.write(target, about)
        written += 1
        stdout.print(f"{target}: the last {kept.seconds:.0f} s", markup=False)

    try:
        with suppress(KeyboardInterrupt):
            for item in items:
                if item is not None:
                    ring.note(item)
                if asked or _enter():
                    asked.clear()
                    write()
        if not written:
            write()
    finally:
        signal.signal(KEEP_SIGNAL, before)


def _enter() -> bool:
    """Has somebody pressed Enter? Only a terminal is asked."""
    with suppress(OSError, ValueError):
        if sys.stdin.isatty() and select.select([sys.stdin], [], [], 0)[0]:
            return bool(sys.stdin.readline())
    return False


def _keep(table_file: Path | None, folder: Path | None, log_file: Path | None) -> None:
    """Asks the process that writes the table's log to keep its last minute, and waits for it."""
    if log_file is None and table_file is None:
        raise BadInput("record: --keep needs the TABLE.toml of the running table, or its --log")
    if log_file is None:
        assert table_file is not None
        log_file = log_of(read_settings(table_file))
    there = set(_recordings(log_file))
    _tell(log_file)
    end = time.monotonic() + KEPT_WITHIN_S
    while time.monotonic() < end:
        for made in sorted(set(_recordings(log_file)) - there):
            if folder is not None:
                shutil.copytree(made, folder)
            stdout.print(str(folder or made), markup=False)
            return
        time.sleep(0.2)
    raise NotRunning(f"{log_file}: the table did not keep anything within {KEPT_WITHIN_S:g} s; see what it says")


def _tell(log_file: Path) -> None:
    lock = log_file.with_name(log_file.name + ".lock")
    try:
        pid = int(lock.read_text(encoding="ascii"))
        if b"senryaku" not in (command := Path(f"/proc/{pid}/cmdline").read_bytes()) and b"companion" not in command:
            raise ProcessLookupError
        os.kill(pid, KEEP_SIGNAL)
    except PermissionError as error:
        raise NotRunning(f"{log_file}: its table runs as another user; run this with sudo -u USER") from error
    except (OSError, ValueError) as error:
        raise NotRunning(f"{log_file}: no table writes to this log now; start it with `senryaku run`") from error


def _recordings(log_file: Path) -> list[Path]:
    return sorted((log_file.parent / RECORDINGS).glob(f"{log_file.stem}-*"))


def _about_simulated(table: SimulatedTable) -> AboutTable:
    import cv2

    done, jpeg = cv2.imencode(".jpg", table.empty_picture(), [cv2.IMWRITE_JPEG_QUALITY, 95])
    assert done
    return AboutTable(tomli_w.dumps(_simulated_values(table.settings)), {EMPTY_BOARD: jpeg.tobytes()})


def _simulated_values(known: SimulatedSettings) -> dict[str, Any]:
    assert known.camera.size_px is not None
    assert known.camera.matrix is not None
    cells = {
        name: {"offset_counts": cell.offset_counts, "counts_per_gram": cell.counts_per_gram}
        for name, cell in (("low", known.cells.low), ("high", known.cells.high))
    }
    return {
        "name": "Simulated table",
        "board": {
            "well_pitch_mm": known.grid.pitch_mm,
            "sphere_diameter_mm": known.grid.sphere_diameter_mm,
            "size_mm": list(known.grid.size_mm),
        },
        "pinnacles": {"axis": known.axis, "half_spacing_mm": known.cells.half_spacing_mm},
        "load_cells": {"sample_rate_hz": known.cells.sample_rate_hz, **cells},
        "camera": {"size_px": list(known.camera.size_px), "matrix": [list(row) for row in known.camera.matrix]},
        "markers": {
            "size_mm": known.markers.size_mm,
            "centres_mm": {str(k): list(v) for k, v in known.markers.centres_mm.items()},
        },
        "spheres": {
            "white_coloured": known.colours.white_coloured,
            "black_coloured": known.colours.black_coloured,
        },
    }
