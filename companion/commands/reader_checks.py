"""What reads the load cells, a Pico or a process on the pins: there, of the right version, and on time? Pure."""

from collections.abc import Mapping
from types import MappingProxyType

from companion.commands.findings import Finding, fine, wrong
from firmware_bridge.gpio_process import NORMAL
from firmware_bridge.link_reader import LinkHealth
from firmware_bridge.sample_link import LinkCounts

PICO_FIRMWARE = "1.0"
"""VERSION in hardware/firmware/code.py."""
OLD_LIBRARY = ("1.0.",)
"""Versions of adafruit_hx711 that do not switch interrupts off while they read."""
GARBLED_SHARE = 0.01
UPDATE = "Copy hardware/firmware/code.py to the CIRCUITPY drive"
PLUG_IN = "Check that it is plugged in, and the source and pins under [load_cells] in table.toml."

PICO_VERSION = f"{PICO_FIRMWARE} (driver 1.1.2)"
_WRONG: Mapping[str, tuple[bool, str | None, str | None, int]] = {
    "no Pico": (
        False,
        "no Pico at any USB port: plug it in, or look whether its cable is one for charging only",
        None,
        0,
    ),
    "Pico without firmware": (True, None, None, 0),
    "old Pico firmware": (True, None, "0.9 (driver 1.1.2)", 0),
    "old Pico library": (True, None, f"{PICO_FIRMWARE} (driver 1.0.8)", 0),
    "Pico lines garbled": (True, None, PICO_VERSION, 90),
}
READER_FAULTS: Mapping[str, str] = MappingProxyType(dict.fromkeys(_WRONG, "Pico"))
"""Each fault of a reader that can be simulated, and the part with which something is wrong then."""


def reader_findings(source: str, health: LinkHealth | None, silent: bool) -> list[Finding]:
    """A line about the reader; none where it cannot be told. `silent`: no sample came from either cell."""
    if health is None:
        return []
    if source == "pico":
        return [_pico(health, silent)]
    part = "load-cell reader"
    if silent and health.trouble is not None:
        return [wrong(part, f"nothing comes from the {source} reader: {_line(health.trouble)}", PLUG_IN)]
    if health.version is None:
        return []
    if f"at {NORMAL} priority" in health.version:
        remedy = "Allow it: LimitRTPRIO=25 in its service, or a line `USER - rtprio 25` in /etc/security/limits.conf."
        return [wrong(part, f"{health.version}: it may not run at real-time priority", remedy)]
    return [fine(part, health.version)]


def _pico(health: LinkHealth, silent: bool) -> Finding:
    part = "Pico"
    if silent and health.trouble is not None:
        return wrong(part, _line(health.trouble), PLUG_IN)
    if health.version is None:
        what = "it does not say its version" + (", and gives nothing" if silent else "")
        return wrong(part, what, f"{UPDATE}, and the library: circup install adafruit_hx711.")
    firmware, _, library = health.version.partition(" (driver ")
    if firmware != PICO_FIRMWARE:
        return wrong(part, f"firmware {firmware}, this program's is {PICO_FIRMWARE}", f"{UPDATE}.")
    if library.startswith(OLD_LIBRARY):
        what = f"its library is adafruit_hx711 {library.rstrip(')')}, which is interrupted while it reads"
        return wrong(part, what, "Update it: circup update adafruit_hx711.")
    if health.counts.garbled > max(2, GARBLED_SHARE * health.counts.lines):
        what = f"{health.counts.garbled} of {health.counts.lines} lines came garbled"
        return wrong(part, what, "Take another USB cable, a short one, and no hub between.")
    return fine(part, f"firmware {health.version}")


def health_with(source: str, fault: str | None) -> LinkHealth:
    """What a simulated reader says of itself; `connected` is false where it gives nothing."""
    connected, trouble, version, garbled = _WRONG[fault] if fault else (True, None, _sound(source), 0)
    counts = LinkCounts(lines=800, garbled=garbled)
    return LinkHealth(connected, trouble, version, 1, 0, counts, {}, None, None)


def _sound(source: str) -> str:
    return PICO_VERSION if source == "pico" else "gpio at real-time priority (driver 1.1.2)"


def _line(text: str) -> str:
    return text.rstrip(".?!")
