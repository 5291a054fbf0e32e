"""The panel on gpiozero's mock pins: one press is one press, one lamp is lit, and nothing is left open."""

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory

from companion.errors import BadInput, SenryakuError
from companion.table.settings import BUTTONS, LAMPS
from firmware_bridge.panel import (
    ATTENTION,
    BUTTON_NAMES,
    BUZZER_NAME,
    CONFIRM_S,
    LAMP_NAMES,
    QUIET_S,
    Margin,
    Panel,
    PanelError,
)

PINS = {name: 16 + i for i, name in enumerate((*BUTTON_NAMES, *LAMP_NAMES, BUZZER_NAME))}


class Bench:
    """A panel, its pins, and a clock that stands still unless told; `during` happens while a press is confirmed."""

    def __init__(self, pins=PINS):
        self.t = 0.0
        self.presses = []
        self.during = lambda: None
        self.factory = MockFactory()
        self.panel = Panel(pins, self.presses.append, factory=self.factory, clock=lambda: self.t, sleep=self._sleep)

    def _sleep(self, seconds):
        self.t += seconds
        self.during()

    def close_switch(self, name="white_button", after=1.0):
        self.t += after
        self.factory.pin(f"GPIO{PINS[name]}").drive_low()

    def open_switch(self, name="white_button", after=1.0):
        self.t += after
        self.factory.pin(f"GPIO{PINS[name]}").drive_high()

    def lit(self):
        return [name for name in LAMP_NAMES if self.factory.pin(f"GPIO{PINS[name]}").state]


@pytest.fixture
def bench():
    made = Bench()
    yield made
    made.panel.close()
    made.factory.reset()


def test_the_names_are_those_of_the_settings():
    assert BUTTON_NAMES == BUTTONS
    assert (*LAMP_NAMES, BUZZER_NAME) == LAMPS


@pytest.mark.parametrize("name", BUTTON_NAMES)
def test_a_press_is_told_once_with_its_button(bench, name):
    bench.close_switch(name)
    bench.open_switch(name)
    assert bench.presses == [name]


def test_a_held_button_is_one_press(bench):
    bench.close_switch()
    bench.t += 60
    assert bench.presses == ["white_button"]


def test_bouncing_at_the_press_and_at_the_release_adds_none(bench):
    for change in (bench.open_switch, bench.close_switch) * 4:
        if not bench.presses:
            bench.close_switch()
        change(after=0.003)
    for change in (bench.open_switch, bench.close_switch) * 4:
        change(after=0.003)
    bench.open_switch(after=0.003)
    assert bench.presses == ["white_button"]


def test_bouncing_while_a_press_is_looked_at_again_does_not_lose_it(bench):
    bench.during = lambda: bench.open_switch(after=0)
    bench.close_switch()
    assert bench.presses == []
    bench.during = lambda: None
    bench.close_switch(after=QUIET_S)
    assert bench.presses == ["white_button"]


def test_a_spike_on_the_wire_is_no_press(bench):
    bench.during = lambda: bench.open_switch(after=0)
    for _ in range(20):
        bench.close_switch()
    assert bench.presses == []


def test_two_presses_one_after_the_other_are_two(bench):
    for _ in range(2):
        bench.close_switch(after=0.2)
        bench.open_switch(after=0.1)
    assert bench.presses == ["white_button"] * 2


def test_a_button_does_not_wait_for_another(bench):
    bench.close_switch("white_button")
    bench.close_switch("black_button", after=CONFIRM_S)
    assert bench.presses == ["white_button", "black_button"]


@pytest.mark.parametrize("margin", Margin)
def test_one_lamp_at_a_time(bench, margin):
    for before in (*Margin, None):
        bench.panel.show(before)
        bench.panel.show(margin)
        assert bench.lit() == [f"{margin}_lamp"]
    bench.panel.show(None)
    assert bench.lit() == []


def test_the_buzzer_sounds_its_pattern(monkeypatch):
    asked = []
    monkeypatch.setattr(gpiozero.Buzzer, "beep", lambda self, on, off, n: asked.append((on, off, n)))
    bench = Bench()
    bench.panel.buzz(ATTENTION)
    bench.panel.close()
    assert asked == [(ATTENTION.on_s, ATTENTION.off_s, ATTENTION.times)]


def test_closing_stops_a_buzzer_and_puts_the_lamps_out(bench):
    bench.panel.show(Margin.CRASH)
    bench.panel.buzz(ATTENTION)
    bench.panel.close()
    bench.panel.close()
    assert bench.lit() == []
    assert bench.factory.pin(f"GPIO{PINS['buzzer']}").function == "input"


def test_a_panel_without_parts_does_nothing_and_says_nothing():
    bench = Bench({})
    bench.panel.show(Margin.NEAR)
    bench.panel.buzz(ATTENTION)
    bench.panel.close()


def test_a_part_that_fails_is_named_with_its_pin_and_the_others_are_let_go():
    factory = MockFactory()
    taken = gpiozero.LED(PINS["near_lamp"], pin_factory=factory)
    with pytest.raises(PanelError, match=r"GPIO 20 \(near_lamp\)") as error:
        Panel(PINS, print, factory=factory)
    assert isinstance(error.value, SenryakuError)
    assert isinstance(error.value, OSError)
    assert "\n" not in str(error.value)
    taken.close()
    with Panel(PINS, print, factory=factory) as panel:  # every pin is free again
        panel.show(Margin.SAFE)


def test_a_pin_that_is_none_is_named():
    with pytest.raises(PanelError, match=r"GPIO 99 \(buzzer\)"):
        Panel({"buzzer": 99}, print, factory=MockFactory())


def test_an_unknown_part_is_refused():
    with pytest.raises(BadInput, match="green_lamp"):
        Panel({"green_lamp": 5}, print, factory=MockFactory())
