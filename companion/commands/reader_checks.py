"""What reads the load cells, a Pico or a process on the pins: there, of the right version, and on time? Pure."""

from collections.abc import Mapping
from types import MappingProxyType

from companion.commands.findings import Finding, fine, wrong
from firmware_bridge.drops import POOR_SHARE
from firmware_bridge.gpio_process import NORMAL
from firmware_bridge.link_reader import LinkHealth
from firmware_bridge.sample_link import LinkCounts

PICO_FIRMWARE = "1.0"
"""VERSION in hardware/firmware/code.py."""
OLD_LIBRARY = ("1.0.",)
"""Versions of adafruit_hx711 that do not switch interrupts off while they read."""
GARBLED_SHARE = 0.01
UPDATE = "Copy hardware/firmware/code.py to the CIRCUITPY drive"
PLUG_IN_PICO = f"Plug it in; if it is, {UPDATE[0].lower()}{UPDATE[1:]}, and the library: circup install adafruit_hx711."
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
    if health.trouble is not None:
        if not silent:
            return [wrong(part, f"it has stopped: {_line(health.trouble)}", PLUG_IN)]
        return [wrong(part, f"nothing comes from the {source} reader: {_line(health.trouble)}", PLUG_IN)]
    if health.version is None:
        return []
    if f"at {NORMAL} priority" in health.version:
        remedy = "Allow it: LimitRTPRIO=25 in its service, or a line `USER - rtprio 25` in /etc/security/limits.conf."
        return [wrong(part, f"{health.version}: it may not run at real-time priority", remedy)]
    lost = _lost(health)
    if health.poor:
        remedy = "Shorten the data and clock wires and ease the computer's load, or read the cells with a Pico."
        return [wrong(part, f"{health.version}: {lost}, {POOR_SHARE:.0%} are too many", remedy)]
    return [fine(part, f"{health.version}{lost and ': '}{lost}")]


def _lost(health: LinkHealth) -> str:
    """How many readings were thrown away rather than believed, and mostly why."""
    shares = [
        (name, share) for name, share in (("low", health.lost_low), ("high", health.lost_high)) if share is not None
    ]
    if not shares:
        return ""
    said = " and ".join(f"{share:.1%} of the {name} cell's" for name, share in shares) + " readings thrown away"
    worst = max(health.reasons, key=lambda reason: sum(health.reasons[reason]), default=None)
    return said if worst is None or not sum(health.reasons[worst]) else f"{said}, mostly: {worst}"


def _pico(health: LinkHealth, silent: bool) -> Finding:
    part = "Pico"
    if health.trouble is not None:
        return wrong(part, _line(health.trouble), PLUG_IN_PICO)
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
