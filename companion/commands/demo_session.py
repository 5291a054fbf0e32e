"""A simulated table wired to referee, log and scoring board; it goes on where the log left off."""

import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from companion.commands.computer_checks import computer_findings
from companion.errors import BadInput
from companion.log import Event, EventLog, Kind, Origin, TableState, fold
from companion.rules import Match, MatchRules, Outcome, Position, Side, Termination, parse_well, well_name
from companion.simulator.actions import Action, Bump, HandMove, Lean, Overruled, Tip
from companion.simulator.known_hand import SIMULATED_HAND
from companion.simulator.live_faults import LIVE_FAULTS, LiveFaults
from companion.simulator.mishaps import BUMPED, MISHAPS
from companion.simulator.scorecard import GameCard, compare
from companion.simulator.table import SimulatedTable
from companion.table.balance_file import balance_file
from companion.table.evidence_store import evidence_folder
from companion.table.keeping import EvidenceKeeper
from companion.table.refereeing import Item, Refereeing
from companion.table.resuming import referee_state
from companion.table.setting_up import SettingUp
from companion.table.settings import TableSettings
from companion.table.table import Table
from companion.table.table_balance import TableBalance

NAMES = ("Ada", "Ben")
MISTAKES = 0.15
"""Share of turns in which something goes wrong, with --mistakes: about one in seven keeps a spectator awake."""
RULINGS = frozenset({"start", "move", "illegal", "restored", "held", "crash", "game_over", "question"})
RESUMED_SEED = 1_000_003
"""A game that goes on after a stop draws anew, by seed and by how far the log had come."""
LEAN_S = 2.5


@dataclass(frozen=True, slots=True)
class Played:
    """What a log says about an earlier run: its settings, how many games are over, and the log's last number."""

    state: TableState
    demo: dict[str, Any] | None
    games: int
    seq: int

    @classmethod
    def of(cls, events: list[Event]) -> "Played":
        begun = [e for e in events if e.kind == Kind.NOTE and "demo" in e.payload]
        demo = begun[-1].payload["demo"] if begun else None
        since = [e for e in events if not begun or e.seq > begun[-1].seq]
        games = sum(e.kind == Kind.GAME_OVER for e in since)
        return cls(fold(events), demo, games, events[-1].seq if events else 0)

    def goes_on(self, seed: int | None, mistakes: bool, games: int | None) -> bool:
        """Is there an unfinished run to go on with?

        Whoever only watches goes on with whatever match is unfinished. A number of games asks for a run of its own
        kind, as its summary compares all of it.
        """
        demo = self.demo
        if demo is None or not self.unfinished or (seed is not None and demo["seed"] != seed):
            return False
        if games is None:
            return True
        return bool(demo["games"] == games and demo["mistakes"] == mistakes)

    @property
    def unfinished(self) -> bool:
        """A game or a match is not over, or there are games still to be played."""
        match, game, demo = self.state.match, self.state.game, self.demo
        if game is None or match is None or demo is None:
            return False
        if demo["games"] is not None:
            return bool(self.games < demo["games"])
        return game.over is None or not match.score.over


class DemoSession:
    """One run of the demo. Use `open`, then `play`."""

    def __init__(
        self, log: EventLog, log_file: Path, seed: int | None, mistakes: bool, games: int | None, fresh: bool
    ) -> None:
        self.log_file = log_file
        played = Played.of(log.events())
        self.resumed = not fresh and played.goes_on(seed, mistakes, games)
        self.left_behind = played.unfinished and not self.resumed
        self._log = log
        if self.resumed and played.demo is not None:
            seed = int(played.demo["seed"])
        elif seed is None:
            seed = int.from_bytes(os.urandom(3), "big")
        left = None if games is None else games - (played.games if self.resumed else 0)
        state = played.state if self.resumed else TableState()
        self.simulated = _simulated(seed, mistakes, left, state, played.seq if self.resumed else 0)
        settings = _settings(self.simulated)
        self.faults = LiveFaults(settings.cells)
        refereeing = Refereeing.of(
            settings,
            referee_state(state, settings.rules),
            loads=True,
            camera=True,
            empty=self.simulated.empty_picture(),
        )
        self.axis = settings.axis
        self._from_seq = played.seq
        if not self.resumed:
            about = {"seed": seed, "mistakes": mistakes, "games": games}
            log.append(time.time(), Kind.NOTE, Origin.TABLE, {"text": f"demo with seed {seed}", "demo": about})
        self.by_hand: Side | None = None
        self.table = Table(
            log,
            refereeing,
            time.time,
            self._ask,
            lambda: {"by_hand": self.by_hand},
            EvidenceKeeper(evidence_folder(log_file), settings.cells),
            self._obey,
            balance=TableBalance(
                settings, refereeing.state, balance_file(log_file), dict.fromkeys(NAMES, SIMULATED_HAND)
            ),
            setting_up=SettingUp(settings, None, lambda: computer_findings(log_file.parent, settings)),
        )
        if not self.resumed:
            self.table.begin_match(*NAMES, settings.rules)

    @classmethod
    def open(cls, log_file: Path, seed: int | None, mistakes: bool, games: int | None, fresh: bool) -> "DemoSession":
        """Opens the log and everything that hangs on it. Raises like `EventLog.open`."""
        log = EventLog.open(log_file)
        try:
            return cls(log, log_file, seed, mistakes, games, fresh)
        except BaseException:
            log.close()
            raise

    def items(self) -> Iterator[Item]:
        """The table's samples and pictures."""
        return self.faults.spoil(self.simulated)

    def play(self, items: Iterable[Item]) -> None:
        """Lets the referee watch until the games are over."""
        for item in items:
            self.table.take(item)

    def cards(self) -> list[GameCard]:
        """What happened and what was ruled in this run, game by game."""
        return compare(self.simulated.truth, self.ruled())

    def ruled(self) -> list[dict[str, Any]]:
        """The rulings of this run, in the shape of the simulator's truth."""
        shown = [e for e in self._log.events(self._from_seq) if e.kind in RULINGS]
        return [{"kind": e.kind, **e.payload} for e in shown]

    def _ask(self, command: dict[str, Any]) -> dict[str, Any]:
        if command.get("do") == "fault":
            self._set_fault(_fault(command))
            return {"done": True}
        if command.get("do") == "let_play":
            self._play_by_hand(None)
            return {"done": True}
        action = _action(command, self.simulated.position.side)
        if isinstance(action, HandMove):
            self._play_by_hand(self._owner(action))
        self.simulated.ask(action)
        return {"done": False, "queued": True}

    def _set_fault(self, name: str | None) -> None:
        """Begins a fault of the load cells or a mishap before the camera, or ends all of them with None."""
        if name is not None and name not in (*LIVE_FAULTS, *MISHAPS):
            known = ", ".join((*LIVE_FAULTS, *MISHAPS))
            raise BadInput(f"{name!r} is no fault that can be set; known are {known}")
        if name is None or name in LIVE_FAULTS:
            self.faults.set(name)
        if name is None or name in MISHAPS:
            self.simulated.mishaps.set(name)
        if name == BUMPED:
            self.simulated.ask(Bump())

    def _obey(self, state: TableState) -> None:
        """What was said at the console holds for the simulated players too."""
        game, match = state.game, state.match
        if game is not None:
            going_on = None if game.over else game.position
            self.simulated.ask(Overruled(going_on, game.over, match.score if match and going_on else None))
        elif match is not None:
            self.simulated.ask(Overruled(None, Outcome(None, Termination.VOID, 0), match.score))
        self._let_play(state.paused is not None)

    def _owner(self, move: HandMove) -> Side:
        """Whose sphere somebody moves on the page. Raises BadInput where none stands."""
        letter = self.simulated.letter_at(move.from_well)
        if not letter:
            raise BadInput(f"no sphere stands on {well_name(move.from_well)}")
        if move.to_well == move.from_well:
            raise BadInput(f"{well_name(move.from_well)} is where it stands already")
        return Side.WHITE if letter in "wW" else Side.BLACK

    def _play_by_hand(self, side: Side | None) -> None:
        """Who moves a sphere plays that side from now on; the simulated player of the other side plays on."""
        self.by_hand = side
        self._let_play(self.table.table_state.paused is not None)

    def _let_play(self, paused: bool) -> None:
        """The simulated players rest while the game is paused."""
        side = self.by_hand
        playing = frozenset(Side) if side is None else frozenset({side.other})
        self.simulated.let_play(frozenset() if paused else playing)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.table.close()
        self._log.close()


def _simulated(seed: int, mistakes: bool, games: int | None, state: TableState, seq: int) -> SimulatedTable:
    """The simulated table as the log has it: same position, same match, same sphere out of place."""
    match = state.match.score if state.match is not None and not state.match.score.over else Match(MatchRules())
    position, standing = None, None
    if state.game is not None and state.game.over is None:
        position = state.game.position
        if state.game.restore is not None:
            ranks = state.game.restore.payload.get("placement")
            standing = Position.from_placement(ranks, position.side).letters() if ranks else None
    return SimulatedTable(
        seed * RESUMED_SEED + seq if seq else seed,
        games,
        MISTAKES if mistakes else 0.0,
        position=position,
        standing=standing,
        match=match,
    )


def _settings(simulated: SimulatedTable) -> TableSettings:
    known = simulated.settings
    return TableSettings(
        name="Simulated table",
        grid=known.grid,
        axis=known.axis,
        cells=known.cells,
        camera=known.camera,
        markers=known.markers,
        colours=known.colours,
    )


def _fault(command: dict[str, Any]) -> str | None:
    name = command.get("name")
    if not isinstance(name, str | None):
        raise BadInput('fault needs "name", such as "low no data", or null to end it')
    return name


def _action(command: dict[str, Any], side: Side) -> Action:
    """What a browser asks of the simulated hands. Raises BadInput saying what can be asked."""
    match command.get("do"):
        case "hand_move":
            from_well, to_well = command.get("from"), command.get("to")
            if not isinstance(from_well, str) or not isinstance(to_well, str | None):
                raise BadInput('hand_move needs "from" and "to", wells such as "d1"; "to" null takes the sphere off')
            return HandMove(parse_well(from_well), None if to_well is None else parse_well(to_well))
        case "lean":
            return Lean(side, LEAN_S)
        case "bump":
            return Bump()
        case "tip":
            return Tip()
        case other:
            raise BadInput(
                f"{other!r} is nothing that can be done; known are hand_move, lean, bump, tip, fault, let_play"
            )
