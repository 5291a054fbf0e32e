"""The board has tipped: who answers for it, and which step did it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import erfc, sqrt
from statistics import median

from companion.referee import odds
from companion.referee.hand import covers, hand_from, reach
from companion.referee.hypotheses import side_of
from companion.referee.rulings import Candidate, Crash, GameOver, Question, Ruling
from companion.referee.seen import Seen
from companion.referee.state import RefereeState, Setup
from companion.referee.verdicts import end_game
from companion.rules import Side, Termination, legal_moves
from firmware_bridge.events import LoadEvent, LoadEventKind
from vision.reading import Content

Result = tuple[RefereeState, tuple[Ruling, ...]]
HAND_SEEN_WITHIN = 2.0
"""Pictures this old still tell over which wells the hand was (s); at about one a second the last one always counts."""
LONG_TOUCH = 1.0
"""A touch as long as this (s) may be that of a whole move, of which the cells have made nothing."""
NO_CRASH = 0.2
"""A knock at the table can feel like a tip: offered as an answer where nobody was seen to tip the board."""
HAND_SPREAD_MM = 0.5
"""How much margin a hand takes, more or less, when it lifts (measured 0.14 to 0.24 mm clean, more when pressed)."""
HANGS = 0.95
"""A board that hangs on one pinnacle for longer (s) before it falls may have been tipped by the first step of a capture
or by the second."""
NOT_SURE = 0.5
SEEN_GONE = 2
"""So many pictures must show that a sphere has left its well: a single one may be confused."""
MATCHES_PLACE_MM = 12.0
"""A lift this near to a well's line may be of the sphere in it: a third of the usual pitch."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Who tipped the board and with which step, None where that cannot be told."""

    player: Side | None
    step: str | None
    p: float = 1.0


def rule(setup: Setup, state: RefereeState, tip: LoadEvent, since: tuple[Seen, ...] = ()) -> Result:
    """A crash ends the game, unless no hand was near it: then the referee asks.

    `state` is what was known before the tip, `since` are the pictures taken since then.
    """
    # While a question about a move is open, nobody knows for certain whose turn it is.
    unknown = state.lost or state.asked or _in_doubt(setup, state) or _may_have_moved(state, tip)
    cause = Cause(None, None) if unknown else _cause(setup, state, tip, since)
    captures = any(move.capture for move in legal_moves(state.position))
    if captures and tip.t - tip.t_contact > HANGS:
        cause = replace(cause, p=min(cause.p, NOT_SURE))
    if cause.player is None or cause.step is None or cause.p < odds.SURE_STEP:
        return _ask(state, cause, tip)
    points = state.match.rules.points(Termination.CRASH)
    over = GameOver(tip.t, cause.player.other, Termination.CRASH.value, points)
    return end_game(state, over), (Crash(tip.t, cause.player, cause.step), over)


def _in_doubt(setup: Setup, state: RefereeState) -> bool:
    """Without a camera a placing that is not yet ruled on may have ended a turn: whose turn it is is not known."""
    placed = any(s.kind is LoadEventKind.PLACE for s in state.steps)
    return not setup.camera and placed


def _may_have_moved(state: RefereeState, tip: LoadEvent) -> bool:
    """Does a sphere stand where none stood, set down some time ago, and it is not yet ruled how it came there?

    Then it may be the other player's turn already.
    """
    placed = [s.t_contact for s in state.steps if s.kind is LoadEventKind.PLACE]
    if placed and tip.t_contact - placed[-1] <= odds.PLACE_TIPS_WITHIN:
        return False
    last = [p for p in state.pictures if p.t <= tip.t_contact - odds.CONTACT_ERROR and p.board_found][-2:]
    empty = [well for well, content in enumerate(state.standing) if not content]
    return bool(last) and any(all(p.contradicted(state.standing)[well] for p in last) for well in empty)


def _ask(state: RefereeState, cause: Cause, tip: LoadEvent) -> Result:
    blamed = tuple(Side) if cause.player is None else (cause.player,)
    p = 1 - NO_CRASH if cause.player is None else cause.p
    answers = tuple(Candidate(f"crash {side}", round(p / len(blamed), 4)) for side in blamed)
    answers = (*answers, Candidate("nothing", round(1 - p, 4)))
    return replace(state, asked=True), (Question(tip.t, "crash", answers),)


def _cause(setup: Setup, state: RefereeState, tip: LoadEvent, since: tuple[Seen, ...]) -> Cause:
    player = state.position.side
    steps = [s for s in state.steps if s.kind in (LoadEventKind.LIFT, LoadEventKind.PLACE)]
    if steps and steps[-1].kind is LoadEventKind.LIFT and _nothing_lacks(state, steps[-1]):
        steps = []  # what left the board was a thing that did not belong to it
    if not steps:
        if state.last_mover is not None and tip.t_contact - state.last_place <= odds.PLACE_TIPS_WITHIN:
            later = [p for p in _recent(state, tip) if p.t > state.last_place]
            # The board may still rock from the placing, or the next player has taken hold of a sphere already.
            return Cause(None, None) if hand_from(later, player) else Cause(state.last_mover, "place")
        return _first_touch(setup, state, tip, since)
    last = steps[-1]
    age = tip.t_contact - last.t_contact
    if last.kind is LoadEventKind.PLACE:
        # Later somebody has taken hold of the next sphere, and whose turn it is is not yet known.
        return Cause(player, "place") if age <= odds.PLACE_TIPS_WITHIN else Cause(None, None)
    removed = _is_removal(setup, state, steps)
    if age <= odds.LIFT_TIPS_WITHIN:
        return Cause(player, "remove" if removed and len(steps) == 1 else "lift")
    return Cause(player, "lift" if removed and len(steps) == 1 else "place")


def _nothing_lacks(state: RefereeState, lift: LoadEvent) -> bool:
    """Is the board as heavy after the lift as with all its spheres?"""
    totals = [r.total_g for r in state.rests if r.t > lift.t and r.total_g is not None]
    return state.weight_g is not None and bool(totals) and state.weight_g - median(totals) < odds.LIFTED_G / 2


def _is_removal(setup: Setup, state: RefereeState, steps: list[LoadEvent]) -> bool:
    """Was the first lift of this turn that of the enemy coloured sphere? By its line, and by what the pictures show."""
    captures = {m.to_well for m in legal_moves(state.position) if m.capture}
    if not captures:
        return False
    first = steps[0]
    p_of = _line(setup)
    if first.p_mm is not None and all(abs(first.p_mm - p_of(w)) > MATCHES_PLACE_MM for w in captures):
        return False
    after = [p for p in state.pictures if p.t > first.t_contact + odds.CONTACT_BLUR and p.board_found]
    target = next(iter(captures))
    return not any(p.visible[target] > 0.5 and p.likeliest[target] != Content.EMPTY for p in after)


def _first_touch(setup: Setup, state: RefereeState, tip: LoadEvent, since: tuple[Seen, ...]) -> Cause:
    """No step was felt before the tip: the first touch of the turn did it, if a hand was there at all."""
    recent = _recent(state, tip)
    if not covers(recent):
        return Cause(None, None)
    player = state.position.side
    if _carried_off(state, tip):
        # The lift was not felt, but its sphere has been seen to be gone for a while: it is the placing.
        return Cause(player, "place")
    if state.longest_touch > LONG_TOUCH:
        return Cause(player, "lift", NOT_SURE)  # or the placing of a sphere whose lift was not felt
    if (taken := _taken(state, since)) is not None:
        if side_of(state.standing[taken]) is player:
            return Cause(player, "lift")
        # Only the enemy coloured sphere is ever removed; any other is out of turn, or meant for what is no move.
        captures = any(m.to_well == taken for m in legal_moves(state.position) if m.capture)
        return Cause(player, "remove") if captures else Cause(None, None)
    handled = reach(recent[-1:], player)
    legal = legal_moves(state.position)
    weights = {"lift": 0.0, "remove": 0.0}
    for well in {m.from_well for m in legal} | {m.to_well for m in legal if m.capture}:
        step = "lift" if side_of(state.standing[well]) is player else "remove"
        weights[step] += handled[well] * _would_tip(setup, state, tip, well)
    total = weights["lift"] + weights["remove"]
    if not total:
        return Cause(player, "lift")
    step = max(weights, key=weights.__getitem__)
    return Cause(player, step, weights[step] / total)


def _carried_off(state: RefereeState, tip: LoadEvent) -> bool:
    """Was a sphere of the player to move seen to have left its well some time before the board tipped?"""
    own = [w for w, content in enumerate(state.standing) if content and side_of(content) is state.position.side]
    before = [p for p in state.pictures if p.board_found and p.t <= tip.t_contact - odds.CONTACT_ERROR]
    return any(sum(_is_gone(state, p, w) for p in before) >= SEEN_GONE for w in own)


def _taken(state: RefereeState, since: tuple[Seen, ...]) -> int | None:
    """The well whose sphere is seen to be gone when the board has tipped and the others have not yet rolled off."""
    for picture in since:
        if picture.board_found and int(picture.contradicted(state.standing).sum()) == 1:
            return next((w for w, sphere in enumerate(state.standing) if sphere and _is_gone(state, picture, w)), None)
    return None


def _is_gone(state: RefereeState, picture: Seen, well: int) -> bool:
    clearly = picture.loglik[well, state.standing[well]] <= odds.CLEAREST_WELL / 2
    return bool(clearly and picture.visible[well] > 0.5 and picture.likeliest[well] == Content.EMPTY)


def _recent(state: RefereeState, tip: LoadEvent) -> list[Seen]:
    """The pictures that tell where a hand was when the board tipped."""
    return [p for p in state.pictures if tip.t - HAND_SEEN_WITHIN <= p.t <= tip.t_contact and p.board_found]


def _centre_at_rest(state: RefereeState, tip: LoadEvent) -> tuple[float, float] | None:
    """Total load (g) and centre of mass (as a share of the half spacing) before the touch that tipped the board."""
    sums = [
        (r.low_g + r.high_g, r.high_g - r.low_g)
        for r in state.rests
        if r.low_g is not None and r.high_g is not None and r.t <= tip.t_contact - odds.BEFORE_TOUCH
    ]
    if not sums:
        return None
    total, difference = (median(column) for column in zip(*sums, strict=True))
    return (total, difference / total) if total > state.sphere_g else None


def _would_tip(setup: Setup, state: RefereeState, tip: LoadEvent, well: int) -> float:
    """How likely lifting the sphere in a well tips the board the way it has tipped, by the loads before."""
    load, rest = state.load, _centre_at_rest(state, tip)
    if rest is None or setup.half_spacing_mm is None or load is None or load.low_g is None or load.high_g is None:
        return 1.0
    total, part = rest
    toward = 1.0 if load.high_g > load.low_g else -1.0
    moment = setup.half_spacing_mm * part * total - state.sphere_g * _line(setup)(well)
    centre = moment / (total - state.sphere_g)
    beyond = (toward * centre - setup.half_spacing_mm) / HAND_SPREAD_MM
    return 0.5 * erfc(-beyond / sqrt(2))


def _line(setup: Setup) -> Callable[[int], float]:
    axis = 1 if setup.axis == "ranks" else 0
    return lambda well: setup.grid.centre_mm(well)[axis]
