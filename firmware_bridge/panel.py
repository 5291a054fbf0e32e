"""The panel on the table's edge: a button for each player and the referee, three lamps, a buzzer. Any may be absent."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from types import TracebackType
from typing import Any, Self

from companion.errors import BadInput, SenryakuError

BUTTON_NAMES = ("white_button", "black_button", "referee_button")
LAMP_NAMES = ("safe_lamp", "near_lamp", "crash_lamp")
BUZZER_NAME = "buzzer"
QUIET_S = 0.05
"""A switch bounces for up to 20 ms; a press so soon after its last change is none."""
HOLD_S = 3.0
"""A button that is held for so long means something else than a press; nobody leans on one for that long."""
CONFIRM_S = 0.005
"""A press must still be there so much later: what long wires pick up is over by then."""


class PanelError(SenryakuError, OSError):
    """A part of the panel that cannot be used; the message names it and its pin."""


class Margin(StrEnum):
    """How near the board is to tipping, as the lamps show it."""

    SAFE = "safe"
    NEAR = "near"
    CRASH = "crash"


@dataclass(frozen=True, slots=True)
class Pattern:
    """How the buzzer sounds: so long, then so long a silence (s), so many times."""

    on_s: float
    off_s: float = 0.1
    times: int = 1


CONFIRMED = Pattern(0.05)
ATTENTION = Pattern(0.15, 0.1, 2)
CRASHED = Pattern(1.0)


class Debounce:
    """One button's changes: which of them are presses. The time (s) is passed in."""

    def __init__(self) -> None:
        self._changed = float("-inf")

    def press(self, t: float, still: Callable[[], bool]) -> bool:
        """The switch has closed; `still` tells, a moment later, whether it is."""
        if t - self._changed < QUIET_S:
            self._changed = t
            return False
        if not still():
            return False
        self._changed = t
        return True

    def release(self, t: float) -> None:
        """The switch has opened."""
        self._changed = t


class Panel:
    """The parts on these pins (BCM numbers by name). `on_press` is called with a button's name, on gpiozero's thread.

    `on_hold` likewise, when a button is held for `HOLD_S`; its press came before.

    Buttons connect their pin to ground. `factory` is gpiozero's; without one its own choice is taken.

    Raises:
        BadInput: a name is not known.
        PanelError: a part cannot be opened; those that were are closed again.
    """

    def __init__(
        self,
        pins: Mapping[str, int],
        on_press: Callable[[str], None],
        on_hold: Callable[[str], None] | None = None,
        *,
        factory: Any = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        known = (*BUTTON_NAMES, *LAMP_NAMES, BUZZER_NAME)
        for name in pins:
            if name not in known:
                raise BadInput(f"panel: {name!r} is not one of {', '.join(known)}")
        self._on_press, self._on_hold = on_press, on_hold
        self._clock, self._sleep = clock, sleep
        self._parts: dict[str, Any] = {}
        try:
            for name, pin in pins.items():
                self._parts[name] = _open(name, pin, factory)
        except PanelError:
            self.close()
            raise
        for name in BUTTON_NAMES:
            if name in self._parts:
                self._watch(name, self._parts[name])

    @property
    def pressed(self) -> tuple[str, ...]:
        """The names of the buttons that are pressed now."""
        return tuple(name for name in BUTTON_NAMES if name in self._parts and self._parts[name].is_pressed)

    def show(self, margin: Margin | None) -> None:
        """Lights the lamp of this state and no other; None puts all out."""
        wanted = None if margin is None else f"{margin}_lamp"
        for name in LAMP_NAMES:
            if name in self._parts and name != wanted:
                self._parts[name].off()
        if wanted in self._parts:
            self._parts[wanted].on()

    def buzz(self, pattern: Pattern) -> None:
        """Sounds, and does not wait for the end; what sounded before is cut off."""
        if BUZZER_NAME in self._parts:
            self._parts[BUZZER_NAME].beep(pattern.on_s, pattern.off_s, pattern.times)

    def close(self) -> None:
        """Puts everything out and lets go of the pins; may be called more than once."""
        parts, self._parts = self._parts, {}
        for name, part in parts.items():
            with suppress(Exception):  # one that fails must not keep the others lit
                if name not in BUTTON_NAMES:
                    part.off()
                part.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _watch(self, name: str, button: Any) -> None:
        debounce = Debounce()

        def still() -> bool:
            self._sleep(CONFIRM_S)
            return bool(button.is_pressed)

        def pressed() -> None:
            if debounce.press(self._clock(), still):
                self._on_press(name)

        button.when_released = lambda: debounce.release(self._clock())
        button.when_pressed = pressed
        if self._on_hold is not None:
            button.hold_time = HOLD_S
            button.when_held = partial(self._on_hold, name)


def _open(name: str, pin: int, factory: Any) -> Any:
    # It looks for a machine's pins as soon as a device is made, so only who has a panel needs it.
    import gpiozero

    try:
        if name in BUTTON_NAMES:
            return gpiozero.Button(pin, pull_up=True, pin_factory=factory)
        if name in LAMP_NAMES:
            return gpiozero.LED(pin, pin_factory=factory)
        return gpiozero.Buzzer(pin, pin_factory=factory)
    except (gpiozero.GPIOZeroError, OSError, ValueError) as error:
        why = " ".join(str(error).split()) or type(error).__name__
        raise PanelError(f"panel: GPIO {pin} ({name}) cannot be opened: {why}") from error
