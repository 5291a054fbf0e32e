"""A reader process with chips made of software, which hang or end once: `gpio_fake_process.py FLAG_FILE hang|end`.

The file is made when it starts, so that a second life is known from the first, and is spared.
"""

import sys
import time
from collections import Counter
from pathlib import Path

from firmware_bridge.gpio_process import keep_stdout, serve
from firmware_bridge.hx711_reading import Reading

HANGS_AFTER = 40
PERIOD_S = 0.005


class Chip:
    """A chip that converts on time, and hangs or ends when told to."""

    def __init__(self, sign: int, fate: str) -> None:
        self._sign, self._fate = sign, fate
        self._n = 0
        self._began = time.monotonic()
        self.drops: Counter[str] = Counter({"late": 3})
        self.lost = 3

    def rest_s(self) -> float:
        return 0.0005

    def poll(self) -> Reading | None:
        if self._fate and self._n >= HANGS_AFTER:
            if self._fate == "end":
                raise RuntimeError("the pins\nare gone")
            time.sleep(1000)
        due = self._began + self._n * PERIOD_S
        if time.monotonic() < due:
            return None
        self._n += 1
        return Reading(due, self._sign * self._n)


def main() -> int:
    pipe = keep_stdout()
    print("Blinka speaks where it should not")
    flag, fate = Path(sys.argv[1]), sys.argv[2]
    if flag.exists():
        fate = ""
    flag.touch()
    return serve(lambda: (Chip(1, ""), Chip(-1, fate), "fake"), pipe)


if __name__ == "__main__":
    sys.exit(main())
