"""Fixtures of the readers' tests: Adafruit's driver as it is, over pins and a clock that are not."""

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from tests.firmware_bridge.hx711_fake import VirtualClock


@pytest.fixture(params=["interrupts", "no interrupts"])
def microcontroller(request: pytest.FixtureRequest) -> ModuleType:
    """CircuitPython's module; as in Blinka it cannot switch interrupts off, or it can."""
    module = ModuleType("microcontroller")
    if request.param == "interrupts":
        module.disable_interrupts = module.enable_interrupts = lambda: None  # type: ignore[attr-defined]
        module.delay_us = lambda _: None  # type: ignore[attr-defined]
    return module


@pytest.fixture
def guarded(microcontroller: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """`guarded(chip)` is a GuardedHX711 over the real driver, wired to a `FakeHX711`, on that one's clock."""
    for name in ("adafruit_hx711.hx711", "firmware_bridge.hx711_guarded"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in ("digitalio", "board"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    sys.modules["digitalio"].DigitalInOut = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "microcontroller", microcontroller)
    driver = importlib.import_module("adafruit_hx711.hx711")
    module = importlib.import_module("firmware_bridge.hx711_guarded")

    def make(chip: Any) -> Any:
        clock: VirtualClock = chip.clock
        monkeypatch.setattr(driver, "time", clock)
        made = module.GuardedHX711(*chip.pins(), clock_ns=clock.tick, sleep=clock.sleep)
        assert isinstance(made, driver.HX711)
        return made

    make.NoReading = module.NoReading  # type: ignore[attr-defined]
    yield make
    for name in ("adafruit_hx711.hx711", "firmware_bridge.hx711_guarded"):
        sys.modules.pop(name, None)
