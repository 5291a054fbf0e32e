"""Which part goes to which pin: the one place from which the drawings, the pages and the example settings are made.

Any free pin may be used; these keep clear of I2C (2, 3), the serial port (14, 15) and the HAT's memory (0, 1), and
leave the wires of the cells' amplifiers near each other on the header.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from companion.table.settings import Pins

CELL_PINS: Mapping[str, Pins] = MappingProxyType({"low": Pins(5, 6), "high": Pins(13, 19)})
"""GPIO numbers of each cell's amplifier at a Raspberry Pi."""
PICO_PINS: Mapping[str, Pins] = MappingProxyType({"low": Pins(2, 3), "high": Pins(4, 5)})
"""GP numbers at a Pico, as its firmware has them."""
PANEL_PINS: Mapping[str, int] = MappingProxyType(
    {
        "white_button": 17,
        "black_button": 27,
        "referee_button": 22,
        "safe_lamp": 23,
        "near_lamp": 24,
        "crash_lamp": 25,
        "buzzer": 16,
    }
)
"""GPIO numbers of the panel's parts."""

HEADER: Mapping[int, int] = MappingProxyType(
    dict(
        zip(
            (2, 3, 4, 14, 15, 17, 18, 27, 22, 23, 24, 10, 9, 25, 11, 8, 7, 0, 1, 5, 6, 12, 13, 19, 16, 26, 20, 21),
            (
                3,
                5,
                7,
                8,
                10,
                11,
                12,
                13,
                15,
                16,
                18,
                19,
                21,
                22,
                23,
                24,
                26,
                27,
                28,
                29,
                31,
                32,
                33,
                35,
                36,
                37,
                38,
                40,
            ),
            strict=True,
        )
    )
)
"""Place on the 40-pin header of each GPIO number (Raspberry Pi documentation, "GPIO and the 40-pin header")."""
HEADER_3V3, HEADER_5V, HEADER_GROUND = (1, 17), (2, 4), (6, 9, 14, 20, 25, 30, 34, 39)
CELL_GROUNDS = (25, 39)

PICO_BOARD: Mapping[int, int] = MappingProxyType(
    dict(
        zip(
            (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 26, 27, 28),
            (1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 27, 29, 31, 32, 34),
            strict=True,
        )
    )
)
"""Place on the Pico's edge of each GP number (Raspberry Pi Pico data sheet, figure 2)."""
PICO_3V3, PICO_GROUND = 36, (3, 8, 13, 18, 23, 28, 33, 38)


@dataclass(frozen=True, slots=True)
class Wire:
    """From a pin of a part to a place on the header or the Pico's edge. `gpio` is None for power and ground."""

    part: str
    part_pin: str
    place: int
    gpio: int | None
    colour: str

    @property
    def place_name(self) -> str:
        """What the place is called: GPIO 5, 3.3 V, ground."""
        if self.gpio is not None:
            return f"GPIO {self.gpio}"
        if self.colour == "black":
            return "ground"
        return "5 V" if self.place == BUZZER_5V and self.part == "buzzer" else "3.3 V"


AMPLIFIER_COLOURS = {"VCC": "red", "GND": "black", "DT": "green", "SCK": "blue"}


def cell_wires(pico: bool) -> tuple[Wire, ...]:
    """The wires from both amplifiers. They run on 3.3 V: their data pin then gives no more than a GPIO can bear."""
    pins, places = (PICO_PINS, PICO_BOARD) if pico else (CELL_PINS, HEADER)
    power = (PICO_3V3, PICO_3V3) if pico else HEADER_3V3
    grounds = PICO_GROUND[:2] if pico else CELL_GROUNDS
    wires = []
    for n, (name, cell) in enumerate(pins.items()):
        assert cell.data is not None
        assert cell.clock is not None
        part = f"{name} cell's HX711"
        wires += [
            Wire(part, "VCC", power[n], None, AMPLIFIER_COLOURS["VCC"]),
            Wire(part, "GND", grounds[n], None, AMPLIFIER_COLOURS["GND"]),
            Wire(part, "DT", places[cell.data], cell.data, AMPLIFIER_COLOURS["DT"]),
            Wire(part, "SCK", places[cell.clock], cell.clock, AMPLIFIER_COLOURS["SCK"]),
        ]
    return tuple(wires)


PANEL_GROUNDS = {"buttons": 9, "lamps": 20, "buzzer": 34}
"""Ground pins that the panel's parts share, by kind."""
BUZZER_5V = 4
"""The buzzer has a transistor of its own and is fed from here: it draws more than a GPIO may give (16 mA)."""


def panel_wires() -> tuple[Wire, ...]:
    """The panel's signal wires, a ground wire for each kind of part, and the buzzer's supply."""
    colours = {"safe_lamp": "green", "near_lamp": "orange", "crash_lamp": "red", "buzzer": "purple"}
    wires = [Wire(_kind(name), name, HEADER[pin], pin, colours.get(name, "grey")) for name, pin in PANEL_PINS.items()]
    wires.append(Wire("buzzer", "VCC", BUZZER_5V, None, "red"))
    return (*wires, *(Wire(kind, "GND", place, None, "black") for kind, place in PANEL_GROUNDS.items()))


def _kind(name: str) -> str:
    return name if name == "buzzer" else f"{name.rpartition('_')[2]}s"
