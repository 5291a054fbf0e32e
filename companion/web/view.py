"""What the web pages need of a table, and how they are set up."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from companion.log.history import GameRecord
from companion.table.evidence_case import Case

JsonObject = dict[str, Any]
BOARD_PAGE = "board.html"


class TableView(Protocol):
    """One table as the web server sees it. All methods are called from several threads."""

    def state(self) -> JsonObject:
        """The state folded from the log; `seq` is the last sequence number in it, 0 for an empty log."""

    def live(self) -> JsonObject:
        """The values that are not in the log: margin, loads, sphere in hand, witnesses, table clock `t`."""

    def events_after(self, seq: int) -> list[JsonObject]:
        """All events of the log with a number above `seq`, in order: `seq`, `time`, `kind`, `origin`, `payload`."""

    def wait_for_change(self, seq: int, live_version: int | None, timeout: float) -> tuple[int, int]:
        """Waits until the log's last number is not `seq` or the live values' version is not `live_version`.

        With `live_version` None only the log counts. Returns after `timeout` seconds at the latest. Gives the last
        number and the live version as they are then. A version is any integer that changes with the live values.
        """

    def picture(self, drawn: bool = False) -> bytes | None:
        """The newest camera picture as JPEG, or None; `drawn` with what was read in it."""

    def history(self) -> list[GameRecord]:
        """The games in the log, oldest first; what was taken back is not in them."""

    def desk(self) -> JsonObject:
        """What only the referee's console shows: `rules`, `policy`, `out_of_start`, `evidence`."""

    def set_up(self) -> JsonObject:
        """What the set-up pages show: `camera`, `load_cells`, `colours`, `can_write`, `written`."""

    def set_up_step(self, command: JsonObject) -> JsonObject:
        """Carries out a step of the set-up, such as `{"do": "doctor"}`. Raises like `console`."""

    def sheet(self, what: str, paper: str) -> bytes:
        """A sheet to print in true size, as PDF. Raises a `BadInput` for what cannot be printed."""

    def loads(self, since: float) -> JsonObject:
        """The loads of the last minute after a time on the table's clock: `t` and `points`, `[t, low, high]` (s, g)."""

    def evidence(self, seq: int) -> Case:
        """What the ruling with this number was based on. Raises a `SenryakuError` where nothing is kept of it."""

    def console(self, command: JsonObject) -> JsonObject:
        """Carries out what a person asks at the referee's console, such as `{"do": "let_stand"}`.

        Raises a `BadInput` for a command that makes no sense and a `SenryakuError` for one that cannot be done now.
        """

    def ask(self, command: JsonObject) -> JsonObject:
        """Carries out a command for a simulated table, such as `{"do": "hand_move", "from": "d1", "to": "d2"}`.

        Raises a `BadInput` for a command that makes no sense and a `SenryakuError` for one that cannot be done now.
        """


@dataclass(frozen=True, slots=True)
class WebSettings:
    """How the pages of one table are served.

    `trusted_hosts` are the names (without port) by which browsers may call the server besides `localhost` and the
    loopback addresses; with `trust_addresses` any literal IP address will do too, which is safe against DNS rebinding
    because that needs a name. `simulated` tables show and accept moves by hand. `axis` is the direction in which the
    pinnacles lie apart, `ranks` or `files`. `console`: paired devices may answer the referee's questions,
    overrule him and enter moves; they are kept in `sessions_file`, where one is given. Unless a table is
    `open_to_spectators`, only paired devices see anything. `max_streams` is how many browsers may watch live, each of
    which costs one thread; further ones are told to poll. `page` is the template of the first page.
    With `screen_plays` the table's own screen, on its own machine, needs no pairing for what players do.
    """

    title: str = "Senryaku"
    trusted_hosts: tuple[str, ...] = ()
    trust_addresses: bool = False
    simulated: bool = False
    console: bool = False
    axis: str = "ranks"
    max_streams: int = 250
    page: str = BOARD_PAGE
    screen_plays: bool = False
    sessions_file: Path | None = None
    open_to_spectators: bool = True
