"""The panel's line: can each part be opened, has it a pin of its own, and is no button pressed all the time?"""

import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from companion.commands.findings import Finding, absent, fine, wrong
from companion.table.settings import TableSettings
from firmware_bridge.panel import BUTTON_NAMES, Panel, PanelError

PART = "panel"
PANEL_FAULTS: Mapping[str, str] = MappingProxyType({"button stuck": PART, "panel pin taken": PART})
"""Each fault that can be simulated, and the part with which something is wrong then."""


def panel(settings: TableSettings | None, factory: Any = None) -> Finding:
    """Opens the panel's parts for a moment; nothing is lit and nothing sounds. `factory` is gpiozero's."""
    if settings is None:
        return absent(PART, "not looked at, give the table's table.toml for that")
    if not settings.panel:
        return absent(PART, "this table has none ([panel] names no pins)")
    cells = {pin for of in (settings.low_pins, settings.high_pins) for pin in (of.data, of.clock)}
    shared = [f"{name} (GPIO {pin})" for name, pin in settings.panel.items() if pin in cells]
    if settings.load_source == "gpio" and shared:
        what = f"{', '.join(shared)} has the pin of a load cell"
        return wrong(PART, what, "Wire it to another pin, and write that under [panel] in table.toml.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # gpiozero tells of each kind of pins that it could not use
            with Panel(settings.panel, lambda _: None, factory=factory) as opened:
                pressed = opened.pressed
    except PanelError as error:
        what = str(error).removeprefix("panel: ")
        remedy = "Stop what holds the pin (sudo systemctl stop senryaku), or set the number right under [panel]."
        return wrong(PART, what, remedy)
    if pressed:
        what = f"{', '.join(name.replace('_', ' ') for name in pressed)} is pressed, or its wire touches ground"
        return wrong(PART, what, "Let it go; if this stays, pull its plug: then the wire is at fault, else the button.")
    buttons = sum(name in BUTTON_NAMES for name in settings.panel)
    return fine(PART, f"{buttons} buttons, {len(settings.panel) - buttons} lamps and buzzer, none pressed")


def simulated_panel(settings: TableSettings, fault: str | None) -> Finding:
    """The same on pins made of software."""
    from gpiozero import LED
    from gpiozero.pins.mock import MockFactory, MockPin

    class Grounded(MockPin):  # type: ignore[misc]
        """A pin whose wire touches ground, whatever pulls it up."""

        def _get_state(self) -> int:
            return 0

    factory = MockFactory()
    try:
        if fault == "button stuck":
            factory.pin(f"GPIO{settings.panel['white_button']}", pin_class=Grounded)
        taken = LED(settings.panel["near_lamp"], pin_factory=factory) if fault == "panel pin taken" else None
        try:
            return panel(settings, factory)
        finally:
            if taken is not None:
                taken.close()
    finally:
        factory.close()
