"""Joins a table to the panel on its edge: a thread follows the table and lights and sounds; buttons ask."""

import logging
import threading
from collections.abc import Callable, Mapping

from companion.errors import SenryakuError
from companion.table.panel_signals import REFUSED, KeepLastMinute, asked, lamp, sound, warning
from companion.table.table import Table
from firmware_bridge.panel import Margin, Panel, PanelError

FOLLOW_S = 0.25
"""A look at the table is due so often, also when it says nothing new."""
_log = logging.getLogger(__name__)


class PanelDesk:
    """One table's panel. `open` gives None where it cannot be used: the table goes on without, and says so."""

    def __init__(self, pins: Mapping[str, int], table: Table, keep: Callable[[], None], warnings: str) -> None:
        """Raises `PanelError` for a part that cannot be opened."""
        self._table, self._keep, self._warnings = table, keep, warnings
        self._ending = threading.Event()
        self._seq = table.table_state.seq
        self._panel = Panel(pins, lambda button: self._asked(button, False), lambda button: self._asked(button, True))
        self._thread = threading.Thread(target=self._follow, name="panel", daemon=True)
        self._thread.start()

    @classmethod
    def open(cls, pins: Mapping[str, int], table: Table, keep: Callable[[], None], warnings: str) -> "PanelDesk | None":
        """The panel on these pins; None without any, and where it cannot be used."""
        if not pins:
            return None
        try:
            return cls(pins, table, keep, warnings)
        except PanelError as error:
            _log.warning("%s; the table goes on without its panel, `senryaku doctor` says more", error)
            return None

    def close(self) -> None:
        """Puts all out; may be called more than once."""
        self._ending.set()
        self._thread.join(timeout=2 * FOLLOW_S)
        self._panel.close()

    def _follow(self) -> None:
        live_version: int | None = None
        lit: Margin | None = None
        while not self._ending.is_set():
            seq, live_version = self._table.wait_for_change(self._seq, live_version, FOLLOW_S)
            state = self._table.table_state
            lamp_now = lamp(state, self._table.live(), self._warnings)
            pattern = warning(lit, lamp_now, state)
            if seq != self._seq:
                pattern = sound(event["kind"] for event in self._table.events_after(self._seq)) or pattern
                self._seq = seq
            if pattern is not None:
                self._panel.buzz(pattern)
            lit = lamp_now
            self._panel.show(lit)

    def _asked(self, button: str, held: bool) -> None:
        """Called on gpiozero's thread."""
        try:
            for request in asked(button, held, self._table.table_state):
                if isinstance(request, KeepLastMinute):
                    self._keep()
                else:
                    self._table.carry_out(request)
        except SenryakuError as error:
            _log.warning("%s: %s", button.replace("_", " "), error)
            self._panel.buzz(REFUSED)
