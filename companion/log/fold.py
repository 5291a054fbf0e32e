"""From events to the state of the table. A state comes from nowhere else, so what is read from it cannot disagree.

The fold believes the log: the position that a ruling gives is the position, even where the rules say otherwise, since a
person may overrule everything. `contradictions` says where log and rules disagree. Every event that can be appended can
be folded.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from companion.errors import BadInput
from companion.log.events import Event
from companion.log.kinds import NOTHING, UNDOABLE, Kind, match_rules, outcome_of
from companion.log.names import plain
from companion.log.state import EMPTY, GameState, MatchState, PlayedMove, Standing, Step, TableState, Undone
from companion.log.words import step_in_words
from companion.rules import Match, MatchRules, Position, Side, Termination

CONSEQUENCES = frozenset({"move", "illegal", "restored", "held", "crash", "game_over", "correct", "start"})
"""What can come of an answer."""


def fold(events: Iterable[Event]) -> TableState:
    """The state after these events, the first of which is the log's first."""
    state = EMPTY
    for event in events:
        state = apply(state, event)
    return state


def apply(state: TableState, event: Event) -> TableState:
    """The state after one more event. Takes the same time however long the log is."""
    if event.kind in UNDOABLE:
        state = replace(_add(state, event), undone=None)
    elif event.kind == Kind.UNDO:
        state = _undo(state, event)
    elif event.kind == Kind.REDO:
        state = _redo(state, event)
    elif event.kind == Kind.FAULT:
        state = replace(state, faults=(*_other_faults(state, event), event))
    elif event.kind == Kind.FAULT_OVER:
        state = replace(state, faults=_other_faults(state, event))
    elif event.kind == Kind.PAUSE and state.paused is None:
        state = replace(state, paused=event)
    elif event.kind == Kind.RESUME and state.paused is not None:
        state = replace(state, paused=None, pauses=(*state.pauses, (state.paused.time, event.time)))
    return replace(state, seq=event.seq)


def undo_event(state: TableState) -> tuple[Kind, dict[str, Any]] | None:
    """Kind and payload of the event that takes back the last step; None if there is nothing to take back."""
    step = state.last
    return None if step is None else (Kind.UNDO, {"undoes": step.seqs, "says": step_in_words(step.events, step.before)})


def redo_event(state: TableState) -> tuple[Kind, dict[str, Any]] | None:
    """Kind and payload of the event that takes back the last undo; None if there is none, or a ruling came since."""
    undone = state.undone
    return None if undone is None else (Kind.REDO, {"redoes": undone.undo.seq, "says": undone.undo.payload["says"]})


# Undo and redo


def _add(state: TableState, event: Event) -> TableState:
    last = state.last
    if last is not None and _belongs_to(last, event):
        last = replace(last, events=(*last.events, event))
    else:
        last = Step((event,), state.standing, last)
    return replace(state, standing=_after(state.standing, event), last=last)


def _belongs_to(step: Step, event: Event) -> bool:
    """Whether the event is part of what happened in that step, and so is undone with it."""
    cause = step.events[-1]
    if cause.kind == Kind.ANSWER:
        chosen = cause.payload["move"]
        follows = event.payload.get("move") == chosen or (event.seq == cause.seq + 1 and chosen != NOTHING)
        return follows and event.kind in CONSEQUENCES
    if event.kind == Kind.RESTORED:
        return cause.kind == Kind.ILLEGAL
    if event.kind in (Kind.MOVE, Kind.CORRECT) and cause.kind == Kind.ILLEGAL:
        return cause.payload.get("counts") is False  # it was let stand at once
    if event.kind != Kind.GAME_OVER:
        return False
    by_itself = event.origin != "person"
    termination = event.payload["termination"]
    return (
        (cause.kind == Kind.MOVE and termination in (Termination.CAPTURE, Termination.NO_MOVE))
        or (cause.kind == Kind.CRASH and termination == Termination.CRASH)
        or (cause.kind == Kind.MOVE and termination == Termination.VOID and by_itself)
        or (cause.kind in (Kind.HELD, Kind.ILLEGAL) and termination == Termination.FORFEIT and by_itself)
    )


def _undo(state: TableState, event: Event) -> TableState:
    gone = set(event.payload["undoes"])
    state, events = _rewind(state, min(gone))
    taken = tuple(e for e in events if e.seq in gone)
    state = _add_all(state, [e for e in events if e.seq not in gone])
    return replace(state, undone=Undone(event, taken, state.undone)) if taken else state


def _redo(state: TableState, event: Event) -> TableState:
    undone = state.undone
    if undone is None or undone.undo.seq != event.payload["redoes"]:
        return state  # a new ruling has made it void
    state, events = _rewind(state, undone.events[0].seq)
    state = _add_all(state, sorted([*events, *undone.events], key=lambda e: e.seq))
    return replace(state, undone=undone.below)


def _rewind(state: TableState, seq: int) -> tuple[TableState, list[Event]]:
    """The state before the step with event `seq`, or before all later ones, and the events taken off, in order."""
    step, standing, taken = state.last, state.standing, list[Event]()
    while step is not None and step.events[-1].seq >= seq:
        taken[:0] = step.events
        standing, step = step.before, step.below
    return replace(state, standing=standing, last=step), taken


def _add_all(state: TableState, events: Iterable[Event]) -> TableState:
    for event in events:
        state = _add(state, event)
    return state


def _other_faults(state: TableState, event: Event) -> tuple[Event, ...]:
    witness, what = event.payload["witness"], event.payload["what"]
    return tuple(f for f in state.faults if (f.payload["witness"], f.payload["what"]) != (witness, what))


# What each kind does to the game


def _after(standing: Standing, event: Event) -> Standing:
    kind, payload = event.kind, event.payload
    if kind == Kind.MATCH:
        score = Match(match_rules(payload.get("rules") or {}))
        return Standing(MatchState(plain(payload["white"]), plain(payload["black"]), score), policy=standing.policy)
    if kind == Kind.SETTINGS:
        return _after_settings(standing, payload)
    if kind == Kind.START:
        new = _new_game(standing, Position.parse(payload["position"]))
        return replace(standing, game=replace(new, started=event.time))
    if kind == Kind.MOVE:
        return replace(standing, game=_after_move(standing, event))
    if kind == Kind.CORRECT:
        return replace(standing, game=_after_correction(standing, event))
    if kind == Kind.GAME_OVER:
        return _after_end(standing, event)
    return standing if standing.game is None else replace(standing, game=_while_playing(standing.game, event))


def _new_game(standing: Standing, start: Position) -> GameState:
    return GameState(standing.next_number, start, start, (start,))


def _after_move(standing: Standing, event: Event) -> GameState:
    position = Position.parse(event.payload["position"])
    game = standing.game or _new_game(standing, position)
    line = (*game.line, position)
    return replace(game, position=position, line=line, moves=(*game.moves, _played(event)), restore=None, question=None)


def _played(event: Event) -> PlayedMove:
    said, position = event.payload, Position.parse(event.payload["position"])
    stands = said.get("let_stand")
    return PlayedMove(event.seq, Side(said["player"]), said["move"], position, stands, said_of_balance(event))


def plays(event: Event) -> bool:
    """Is it a move, or the position with an illegal one that was let stand?"""
    said = event.payload
    stands = event.kind == Kind.CORRECT and said.get("let_stand") and said.get("move") and said.get("player")
    return event.kind == Kind.MOVE or bool(stands)


def said_of_balance(event: Event) -> dict[str, Any] | None:
    """What a move's event says of the balance; a log may say anything."""
    said = event.payload.get("balance")
    return said if isinstance(said, dict) and isinstance(said.get("steps"), list) else None


def _after_correction(standing: Standing, event: Event) -> GameState:
    game, position = standing.game, Position.parse(event.payload["position"])
    if game is None:
        return _new_game(standing, position)
    moves = (*game.moves, _played(event)) if plays(event) else game.moves
    return replace(game, position=position, line=(*game.line, position), moves=moves, restore=None, question=None)


def _after_end(standing: Standing, event: Event) -> Standing:
    game, match = standing.game, standing.match
    if game is None or game.over is not None:
        return standing  # a game ends once
    over = outcome_of(event.payload)
    if match is not None and not match.score.over:
        match = replace(match, score=match.score.after(over))
    ended = replace(game, over=over, awarded=event.payload.get("awarded") is True, ended=event.time)
    return replace(standing, match=match, game=replace(ended, restore=None, question=None))


def _after_settings(standing: Standing, payload: dict[str, Any]) -> Standing:
    match = standing.match
    if match is not None:
        white, black = (_name(payload.get(side), getattr(match, side)) for side in ("white", "black"))
        match = replace(match, white=white, black=black)
        if payload.get("rules") is not None:
            match = replace(match, score=under(match_rules(payload["rules"]), match.score))
    policy = payload.get("policy")
    return replace(standing, match=match, policy=standing.policy if policy is None else tuple(policy.items()))


def _name(said: Any, before: str) -> str:
    return plain(said) if isinstance(said, str) else before


def under(rules: MatchRules, score: Match) -> Match:
    """The scoring board under other rules; as it was where it cannot stand so under them."""
    try:
        return replace(score, rules=rules)
    except BadInput:
        return score


def _while_playing(game: GameState, event: Event) -> GameState:
    kind = event.kind
    if kind == Kind.ILLEGAL:
        white, black = game.illegal_moves
        by_white = event.payload["player"] == Side.WHITE
        one = event.payload.get("counts") is not False
        counts = (white + (by_white and one), black + (not by_white and one))
        return replace(game, restore=event, question=None, illegal_moves=counts)
    if kind == Kind.RESTORED:
        return replace(game, restore=None, question=None)
    if kind == Kind.QUESTION:
        return replace(game, question=event)
    if kind == Kind.ANSWER and game.question is not None and game.question.seq == event.payload["question"]:
        return replace(game, question=None)
    return game
