"""A game as it was played, from a log or a recording, with all that is known of its balance."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.balance import Hand, Learned
from companion.errors import BadInput
from companion.log import Event, EventLog, GameState, Kind, MatchState, TableState, apply
from companion.referee.rulings import Crash, GameOver, MoveMade, Ruling, Start
from companion.referee.state import begin
from companion.rules import Move, Outcome, Position, Side, Termination, legal_moves
from companion.table.balance_file import Kept, balance_file, read_kept
from companion.table.balancing import Balancing
from companion.table.recording import Recording
from companion.table.refereeing import Refereeing

NAMES = {Side.WHITE: "White", Side.BLACK: "Black"}


@dataclass(frozen=True, slots=True)
class Made:
    """One move: the positions before and after it, and what its event says of the balance."""

    player: Side
    move: str
    before: Position
    after: Position
    balance: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class GameRecord:
    """`crash` is the payload of the crash that ended it; `known` and `hands` (by name) as they were at its end.

    `known` is None where no load cell was there.
    """

    names: Mapping[Side, str]
    start: Position
    moves: tuple[Made, ...]
    over: Outcome | None
    awarded: bool = False
    crash: Mapping[str, Any] | None = None
    known: Learned | None = None
    hands: Mapping[str, Hand] = field(default_factory=dict)

    @property
    def end(self) -> Position:
        """The last position."""
        return self.moves[-1].after if self.moves else self.start


def recorded_game(file: Path, number: int | None = None) -> GameRecord:
    """A game of a log (counted from 1, the last where no number is given), or the one in a recording's folder.

    Raises BadInput where there is no such game.
    """
    if file.is_dir():
        if not (file / "table.toml").is_file():
            raise BadInput(f"{file}: is no recording, as it holds no table.toml; give one, or a log such as demo.db")
        if number not in (None, 1):
            raise BadInput(f"{file}: a recording holds one game; there is no game {number}")
        return _of_recording(file)
    with EventLog.read(file) as log:
        games = _games(log.events())
    if not games:
        raise BadInput(f"{file}: no game was played yet")
    if number is not None and not 1 <= number <= len(games):
        raise BadInput(f"{file}: there is no game {number}; its games are 1 to {len(games)}")
    return _of_log(file, games[-1 if number is None else number - 1])


@dataclass(slots=True)
class _Played:
    """One game of a log: its state as it was last, and its events."""

    game: GameState
    match: MatchState | None
    events: list[Event]


def _games(events: Iterable[Event]) -> list[_Played]:
    state, games = TableState(), list[_Played]()
    for event in events:
        state = apply(state, event)
        if state.game is None:
            continue
        if event.kind == Kind.START or not games:
            games.append(_Played(state.game, state.match, []))
        games[-1].game, games[-1].match = state.game, state.match
        games[-1].events.append(event)
    return games


def _of_log(file: Path, played: _Played) -> GameRecord:
    game = played.game
    taught = [e.payload["taught"] for e in played.events if e.kind == Kind.NOTE and "taught" in e.payload]
    kept = Kept.from_json(taught[-1]) if taught else Kept()
    if not taught and game.over is None:
        kept = read_kept(balance_file(file))
    crashes = [e.payload for e in played.events if e.kind == Kind.CRASH]
    crashed = game.over is not None and game.over.termination is Termination.CRASH
    before, moves = game.start, []
    for move in game.moves:
        if move.let_stand and Move.parse(move.move) not in legal_moves(before):
            before = move.position
            continue  # of what is no move there are no margins and no better ones
        # A position set by hand, or an illegal move let stand, may lie between two moves.
        line = [p for p in game.line if p.side is move.player]
        before = before if before.side is move.player or not line else line[-1]
        moves.append(Made(move.player, move.move, before, move.position, move.balance))
        before = move.position
    match = played.match
    names = NAMES if match is None else {Side.WHITE: match.white, Side.BLACK: match.black}
    return GameRecord(
        names,
        game.start,
        tuple(moves),
        game.over,
        game.awarded,
        crashes[-1] if crashes and crashed else None,
        kept.learned,
        kept.hands,
    )


def _of_recording(folder: Path) -> GameRecord:
    recording = Recording.open(folder)
    settings = recording.settings
    refereeing = Refereeing.of(
        settings, begin(settings.rules), loads=recording.loads, camera=recording.camera, empty=recording.empty()
    )
    balancing = Balancing.of(settings)
    said: list[tuple[Ruling, Mapping[str, Any] | None]] = []
    known: Learned | None = None
    for item in recording.items():
        rulings = refereeing.take(item)
        balancing.take(item, rulings, refereeing)
        said += [(ruling, balancing.report(ruling)) for ruling in rulings]
        if any(isinstance(ruling, GameOver) for ruling in rulings):
            known = balancing.teaching.known
            break
    return _of_rulings(folder, said, (known or balancing.known) if recording.loads else None, balancing.hands)


def _of_rulings(
    folder: Path,
    said: Sequence[tuple[Ruling, Mapping[str, Any] | None]],
    known: Learned | None,
    hands: Mapping[str, Hand],
) -> GameRecord:
    start: Position | None = None
    moves: list[Made] = []
    over, crash = None, None
    for ruling, balance in said:
        if isinstance(ruling, Start):
            start = Position.parse(ruling.position)
        elif isinstance(ruling, MoveMade) and start is not None:
            before = moves[-1].after if moves else start
            moves.append(Made(ruling.player, ruling.move, before, Position.parse(ruling.position), balance))
        elif isinstance(ruling, Crash):
            crash = {"player": str(ruling.player), "step": ruling.step, **({"balance": balance} if balance else {})}
        elif isinstance(ruling, GameOver):
            over = Outcome(ruling.winner, Termination(ruling.termination), ruling.points)
    if start is None:
        raise BadInput(f"{folder}: no game starts in this recording")
    return GameRecord(NAMES, start, tuple(moves), over, False, crash, known, hands)
