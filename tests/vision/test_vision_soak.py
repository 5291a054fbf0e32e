"""A table reads for days: nothing may pile up.

Longer: `python tests/vision/test_vision_soak.py 100000` prints the process's memory as it reads (7 minutes).
"""

import gc
import sys
import tracemalloc
from pathlib import Path

from vision.reader import BoardReader

READINGS, SHIFT_EVERY = 300, 100
SLACK_BYTES = 40_000  # one small array kept a reading would be more; what else the process does is less


def read_on(reader: BoardReader, still, shifted, count: int) -> None:
    """Reads a board that is shifted and put back now and then."""
    for n in range(count):
        reader.read(shifted if n % SHIFT_EVERY > SHIFT_EVERY - 5 else still, float(n))


def prepared(table, draw, start_spheres):
    reader = BoardReader(table.grid, table.camera, table.markers, table.colours)
    reader.learn_empty(draw(table, {}, table.pose()))
    reader.learn_start(draw(table, start_spheres, table.pose()), table.contents(start_spheres))
    still = draw(table, {"c3": "w", "d4": "b"}, table.pose())
    return reader, still, draw(table, {"c3": "w"}, table.pose(aim=(6, 4)))


def test_memory_stays_the_same_over_many_pictures(table, draw_board, start_spheres):
    reader, still, shifted = prepared(table, draw_board, start_spheres)
    first = reader.read(still, 0.0).likeliest()
    tracemalloc.start()
    try:
        read_on(reader, still, shifted, 2 * SHIFT_EVERY)
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        read_on(reader, still, shifted, READINGS)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < SLACK_BYTES
    assert reader.read(still, 0.0).likeliest() == first


def resident_kb() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    import conftest

    reading, at_rest, moved = prepared(conftest.Table(), conftest.draw, conftest.START)
    total = int(sys.argv[1])
    for step in range(10):
        read_on(reading, at_rest, moved, total // 10)
        print(f"{(step + 1) * total // 10} pictures read: {resident_kb()} kB")
