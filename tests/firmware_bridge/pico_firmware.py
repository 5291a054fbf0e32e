"""Runs hardware/firmware/code.py as a Pico would, over fake chips and a clock of its own."""

import contextlib
import importlib
import io
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.firmware_bridge.hx711_fake import FakeHX711, VirtualClock

FIRMWARE = Path(__file__).resolve().parents[2] / "hardware" / "firmware" / "code.py"
LOOP_S = 0.0003
"""A turn of the program's loop takes about so long on a Pico."""


class PoweredOff(BaseException):
    """The Pico's power is gone."""


class _Out(io.StringIO):
    """What the Pico prints, with the time at which it did."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__()
        self._clock = clock
        self.lines: list[tuple[float, bytes]] = []

    def write(self, text: str) -> int:
        self.lines.append((self._clock.t / 1e9, text.encode()))
        return len(text)


class _Pin:
    """digitalio.DigitalInOut over the pins of the fakes."""

    def __init__(self, pin: Any) -> None:
        self._pin = pin

    def switch_to_input(self, pull: object = None) -> None:
        assert pull == "up"

    def switch_to_output(self, value: bool = False) -> None:
        self._pin.value = value

    @property
    def value(self) -> bool:
        return bool(self._pin.value)

    @value.setter
    def value(self, high: bool) -> None:
        self._pin.value = high


class _Runtime:
    """supervisor.runtime: is looked at once a turn, and so is where time passes and power fails."""

    autoreload = True

    def __init__(self, clock: VirtualClock, until_s: float, asks: list[float]) -> None:
        self._clock, self._until_s, self._asks = clock, until_s, asks

    @property
    def serial_bytes_available(self) -> int:
        self._clock.sleep(LOOP_S)
        if self._clock.t > self._until_s * 1e9:
            raise PoweredOff
        if self._asks and self._clock.t > self._asks[0] * 1e9:
            self._asks.pop(0)
            return 1
        return 0


@contextlib.contextmanager
def _modules(patch: pytest.MonkeyPatch, clock: VirtualClock, low: FakeHX711, high: FakeHX711) -> Iterator[None]:
    def module(name: str, **content: Any) -> None:
        made = ModuleType(name)
        vars(made).update(content)
        patch.setitem(sys.modules, name, made)

    pins = dict(zip(("GP2", "GP3", "GP4", "GP5"), (*low.pins(), *high.pins()), strict=True))
    module("board", **pins)
    module("digitalio", DigitalInOut=_Pin, Pull=SimpleNamespace(UP="up"))
    module(
        "microcontroller",
        disable_interrupts=lambda: None,
        enable_interrupts=lambda: None,
        delay_us=lambda us: clock.sleep(us / 1e6),
    )
    module("time", monotonic_ns=clock.tick, sleep=clock.sleep)
    patch.delitem(sys.modules, "adafruit_hx711.hx711", raising=False)
    try:
        importlib.import_module("adafruit_hx711.hx711")
        yield
    finally:
        sys.modules.pop("adafruit_hx711.hx711", None)


def run(
    low: FakeHX711, high: FakeHX711, seconds: float, asks: tuple[float, ...] = (), library: bool = True
) -> list[tuple[float, bytes]]:
    """What a Pico prints from switching on until its power fails, each with the time (s) on its clock.

    `asks`: times at which somebody asks for the version. `library`: whether the library is on the drive.
    """
    clock = low.clock
    out = _Out(clock)
    with pytest.MonkeyPatch.context() as patch, _modules(patch, clock, low, high):
        if not library:
            patch.setitem(sys.modules, "adafruit_hx711.hx711", None)
        runtime = _Runtime(clock, clock.t / 1e9 + seconds, list(asks))
        supervisor = ModuleType("supervisor")
        vars(supervisor).update(runtime=runtime, reload=lambda: None)
        patch.setitem(sys.modules, "supervisor", supervisor)
        patch.setattr(sys, "stdin", io.StringIO("V" * 9))
        patch.setattr(sys, "stdout", out)
        with contextlib.suppress(PoweredOff):
            runpy.run_path(str(FIRMWARE), run_name="__main__")
        assert not runtime.autoreload
    return out.lines
