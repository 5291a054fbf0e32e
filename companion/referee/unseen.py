"""Several turns of which no picture tells: the camera was away, or hands were over the board all the time.

What is left are the lifts and placings that the cells felt, each with its place along one line, and the picture that
shows how it all ended. Of all the ways to play from the one to the other, those that agree with both are found here;
where only one does, that is what was played.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import log

import numpy as np

from companion.referee import odds
from companion.referee.hypotheses import Hypothesis, Meaning, Step, StepKind, move_steps, placement_of
from companion.referee.likelihood import match_step
from companion.referee.possible import moves_made
from companion.referee.seen import Seen
from companion.referee.sensed import Sensed
from companion.rules import Move, Position, Side, play
from firmware_bridge.events import LoadEvent, LoadEventKind

FEWEST_LIFTS = 3
"""Fewer are one turn or two, which are weighed otherwise."""
MOST_STEPS = 40
"""Longer stretches are for people to set right."""
WAYS_KEPT = 24
"""So many ways to each position: more would be no answer anyway."""
POSITIONS_KEPT = 400


@dataclass(frozen=True, slots=True)
class Way:
    """One way to play so far. `clear`: it is nothing but legal moves."""

    prior: float = 0.0
    fit: float = 0.0
    moves: tuple[Move, ...] = ()
    steps: tuple[Step, ...] = ()
    clear: bool = True

    @property
    def score(self) -> float:
        return self.prior + self.fit

    def on(self, prior: float, fit: float, steps: tuple[Step, ...], *moves: Move) -> "Way":
        """The same and one thing more; without moves it leaves everything as it was."""
        clear = self.clear and bool(moves)
        return Way(self.prior + prior, self.fit + fit, self.moves + moves, self.steps + steps, clear)


def turns_unseen(position: Position, touched: int | None, sensed: Sensed) -> list[Hypothesis]:
    """The ways to play that agree with the cells and with the last picture; none where that is not what happened."""
    events, finals = sensed.steps or (), sensed.finals
    lifts = sum(event.kind is LoadEventKind.LIFT for event in events)
    alternate = all(e.kind is (LoadEventKind.PLACE if n % 2 else LoadEventKind.LIFT) for n, e in enumerate(events))
    if lifts < FEWEST_LIFTS or len(events) > MOST_STEPS or len(events) % 2 or not alternate or not finals:
        return []
    if not finals[-1].sees_all():
        return []
    shown = np.array(finals[-1].likeliest)
    seen = {at: picture for at in range(2, len(events), 2) for picture in _in_between(at, sensed)}
    goals = [*((at, np.array(picture.likeliest)) for at, picture in seen.items()), (len(events), shown)]
    layers: list[dict[Position, list[Way]]] = [{} for _ in range(len(events) + 1)]
    layers[0][position] = [Way()]
    all_kept = True
    for at in range(0, len(events), 2):
        agreeing = _agreeing(layers[at], seen.get(at))
        goal = next(goal for goal in goals if goal[0] > at)
        all_kept &= len(agreeing) <= POSITIONS_KEPT and all(len(ways) <= WAYS_KEPT for _, ways in agreeing)
        for here, ways in agreeing[:POSITIONS_KEPT]:
            bound = touched if at == 0 and here == position else None
            _go_on(layers, at, here, ways[:WAYS_KEPT], bound, sensed, goal)
    ends = [(end, ways) for end, ways in layers[-1].items() if (np.array(placement_of(end)) == shown).all()]
    found = [_as_hypothesis(way, position.side, end) for end, ways in ends for way in ways if way.moves]
    if found and not all_kept:
        # Some were dropped on the way: it is as likely to have been one of those.
        found += [replace(each, meaning=Meaning.UNCLEAR) for each in found]
    return found


def _agreeing(layer: dict[Position, list[Way]], picture: Seen | None) -> list[tuple[Position, list[Way]]]:
    """The positions before an event that the picture of that moment shows, if there is one, the likeliest first."""
    found = [each for each in layer.items() if picture is None or picture.shows(placement_of(each[0]))]
    return sorted(found, key=lambda each: -each[1][0].score)


def _in_between(at: int, sensed: Sensed) -> list[Seen]:
    """The last picture that shows the whole board between the placing before an event and the lift that it is."""
    events = sensed.steps or ()
    begins = events[at - 1].t_contact + odds.PICTURE_AFTER_CONTACT
    ends = events[at].t_contact - odds.CONTACT_ERROR
    return [p for p in sensed.pictures if begins < p.t < ends and p.sees_all()][-1:]


def _go_on(
    layers: list[dict[Position, list[Way]]],
    at: int,
    here: Position,
    ways: list[Way],
    touched: int | None,
    sensed: Sensed,
    goal: tuple[int, np.ndarray[tuple[int], np.dtype[np.int64]]],
) -> None:
    """One more turn: a legal move, or something that left everything as it was.

    `goal` is before which event the board is seen next, or the end, and what is seen in each well then.
    """
    events = sensed.steps or ()
    lift, place = events[at], events[at + 1]
    seen_at, shown = goal
    turns_left = (seen_at - at) // 2 - 1
    for made in moves_made(here, touched):
        move = made.moves[0]
        if move.capture or made.meaning is not Meaning.MOVE:
            continue
        steps = move_steps(placement_of(here), move)
        fit = match_step(steps[0], lift, sensed) + match_step(steps[1], place, sensed)
        # What is worse than a step that was not reported is no match.
        if fit <= odds.MISSED_EVENT or int((np.array(made.after) != shown).sum()) > 2 * turns_left:
            continue
        after = play(here, move)
        _keep(layers[at + 2], after, [way.on(made.prior, fit, steps, move) for way in ways])
    if int((np.array(placement_of(here)) != shown).sum()) > 2 * turns_left:
        return
    for steps, prior in _nothing_changed(here, events[at : at + 4], sensed):
        if at + len(steps) < len(layers):
            _keep(layers[at + len(steps)], here, [way.on(prior, 0.0, steps) for way in ways])


def _nothing_changed(
    here: Position, events: tuple[LoadEvent, ...], sensed: Sensed
) -> Iterator[tuple[tuple[Step, ...], float]]:
    """A sphere set back, and a sphere that went where it may not and came back: any one stands for all there are."""
    standing = placement_of(here)
    lifted = [well for well, content in enumerate(standing) if content and sensed.is_near(events[0], well)]
    if not lifted:
        return
    own = Step(StepKind.LIFT, lifted[0], standing[lifted[0]])
    share = len(lifted) / sum(map(bool, standing))
    if any(sensed.is_near(events[1], well) for well in lifted):
        yield (own, replace(own, kind=StepKind.PLACE)), log(odds.PUT_BACK * share)
    free = [well for well, content in enumerate(standing) if not content and sensed.is_near(events[1], well)]
    if free and len(events) == 4 and sensed.is_near(events[2], free[0]) and sensed.is_near(events[3], own.well):
        there = Step(StepKind.PLACE, free[0], own.content)
        steps = (own, there, replace(there, kind=StepKind.LIFT), replace(own, kind=StepKind.PLACE))
        yield steps, log(odds.ILLEGAL * share * len(free) / (42 - sum(map(bool, standing))))


def _keep(layer: dict[Position, list[Way]], position: Position, ways: list[Way]) -> None:
    known = layer.get(position, [])
    layer[position] = sorted((*known, *ways), key=lambda way: -way.score)[: WAYS_KEPT + 1]


def _as_hypothesis(way: Way, side: Side, end: Position) -> Hypothesis:
    meaning = Meaning.TWO_MOVES if way.clear else Meaning.UNCLEAR
    return Hypothesis(meaning, way.steps, placement_of(end), way.prior, way.moves, player=side)
