"""A table's load cells as its settings name them."""

from companion.table.settings import TableSettings
from companion.table.toml_sections import BadSettings
from firmware_bridge.readers import LoadSource


def load_source(settings: TableSettings) -> LoadSource:
    """Opens the load cells. What must be there for it is imported only now.

    A part that is not plugged in is no error here: the source then gives samples without readings.

    Raises:
        BadSettings: the table has no load cells.
        BadInput: their pins are missing or used twice.
    """
    if settings.load_source == "gpio":
        from firmware_bridge.gpio_reader import GpioReader

        low, high = settings.low_pins, settings.high_pins
        return GpioReader((low.data, low.clock), (high.data, high.clock))
    if settings.load_source == "pico":
        from firmware_bridge.pico_reader import PicoReader

        return PicoReader()
    raise BadSettings(
        f'{settings.name}: [load_cells] source is "none"; set it to "gpio" or "pico", or try it with --simulated'
    )
