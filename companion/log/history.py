"""The games that a log holds, as they were played: what was taken back is not in them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.log.events import Event
from companion.log.fold import apply, fold, plays, said_of_balance
from companion.log.kinds import SHOWN, Kind
from companion.log.state import EMPTY, GameState, TableState
from companion.rules import Move, Outcome, Position, Side, legal_moves


@dataclass(frozen=True, slots=True)
class RecordedMove:
    """One move. `seconds` since the move before it or the start; `choices` are the legal moves there were.

    `missed` is a capture that could have been made instead; `exposed`: the opponent could then capture. `balance` is
    what its event says of margins and risks, None where nothing. `let_stand` is why it was illegal, where the referee
    let it stand.
    """

    seq: int
    player: Side
    move: str
    position: Position
    time: float
    seconds: float
    choices: int
    missed: str | None
    exposed: bool
    let_stand: str | None = None
    balance: Mapping[str, Any] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game. `id` is the number of the event that began it, `match` that of its match, None for a single game.

    `score` are the steps of White and of Black on the scoring board after it, of `track` steps in all.
    """

    id: int
    match: int | None
    number: int
    white: str
    black: str
    start: Position
    started: float
    ended: float | None = None
    over: Outcome | None = None
    awarded: bool = False
    score: tuple[int, int] | None = None
    track: int | None = None
    moves: tuple[RecordedMove, ...] = ()
    rulings: tuple[Event, ...] = field(default=(), repr=False)

    def name(self, side: Side) -> str:
        return self.white if side is Side.WHITE else self.black


def games(events: Iterable[Event]) -> list[GameRecord]:
    """The games of a log, oldest first; `events` begin with the log's first. The last one may still be going on."""
    found: list[GameRecord] = []
    state, match = EMPTY, None
    for event in fold(events).active():
        before, state = state, apply(state, event)
        if event.kind == Kind.MATCH:
            match = event.seq
        if event.kind == Kind.SETTINGS and state.match is not None:
            # Other names are a correction, for all of the match; others who play begin a match of their own
            white, black = state.match.white or "White", state.match.black or "Black"
            found = [replace(each, white=white, black=black) if each.match == match else each for each in found]
        if state.game is None:
            continue
        if event.kind == Kind.START or before.game is None:
            found.append(_begun(event, state.game, match))
        found[-1] = _with(found[-1], event, before, state)
    return found


def _begun(event: Event, game: GameState, match: int | None) -> GameRecord:
    return GameRecord(event.seq, match, game.number, "White", "Black", game.start, event.time)


def _with(record: GameRecord, event: Event, before: TableState, state: TableState) -> GameRecord:
    assert state.game is not None
    if event.kind in SHOWN or event.kind == Kind.ANSWER:
        record = replace(record, rulings=(*record.rulings, event))
    if state.match is not None and record.over is None:
        score = state.match.score
        record = replace(
            record,
            white=state.match.white or "White",
            black=state.match.black or "Black",
            score=(score.white, score.black),
            track=score.rules.track_steps,
        )
    if plays(event):
        record = replace(record, moves=(*record.moves, _move(record, event, before)))
    return replace(record, over=state.game.over, awarded=state.game.awarded, ended=state.game.ended)


def _move(record: GameRecord, event: Event, before: TableState) -> RecordedMove:
    earlier = record.moves[-1].time if record.moves else record.started
    stood = record.start if before.game is None else before.game.position
    after = Position.parse(event.payload["position"])
    possible = legal_moves(stood)
    made = event.payload["move"]
    captures = [str(move) for move in possible if move.capture]
    player = Side(event.payload["player"])
    missed = captures[0] if captures and player is stood.side and not _captures(made) else None
    exposed = any(move.capture for move in legal_moves(after))
    seconds = max(0.0, event.time - earlier)
    stands, balance = event.payload.get("let_stand"), said_of_balance(event)
    return RecordedMove(
        event.seq, player, made, after, event.time, seconds, len(possible), missed, exposed, stands, balance
    )


def _captures(text: str) -> bool:
    try:
        return Move.parse(text).capture
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """What the finished games say of a player. `seconds_a_move` is the mean, None without a move."""

    name: str
    games: int = 0
    won: int = 0
    lost: int = 0
    captures: int = 0
    crashes: int = 0
    illegal: int = 0
    moves: int = 0
    seconds: float = 0.0

    @property
    def seconds_a_move(self) -> float | None:
        return self.seconds / self.moves if self.moves else None


def players(records: Iterable[GameRecord]) -> list[PlayerRecord]:
    """Every player by name, who won most first."""
    found: dict[str, PlayerRecord] = {}
    for record in records:
        if record.over is None:
            continue
        for side in Side:
            name = record.name(side)
            found[name] = _played(found.get(name, PlayerRecord(name)), record, side)
    return sorted(found.values(), key=lambda player: (-player.won, player.lost, player.name))


def _played(player: PlayerRecord, record: GameRecord, side: Side) -> PlayerRecord:
    over = record.over
    assert over is not None
    own = [move for move in record.moves if move.player is side]
    won, lost = over.winner is side, over.winner is side.other
    illegal = sum(event.kind == Kind.ILLEGAL and event.payload["player"] == side for event in record.rulings)
    return replace(
        player,
        games=player.games + 1,
        won=player.won + won,
        lost=player.lost + lost,
        captures=player.captures + (won and over.termination == "capture"),
        crashes=player.crashes + (lost and over.termination == "crash"),
        illegal=player.illegal + illegal,
        moves=player.moves + len(own),
        seconds=player.seconds + sum(move.seconds for move in own),
    )
