"""What a settled explanation does to the game: the rulings it gives, and the referee's state after it."""

from dataclasses import replace
from itertools import takewhile

import numpy as np

from companion.referee import odds
from companion.referee.hypotheses import Hypothesis, Meaning, Placement, placement_of, ranks_text
from companion.referee.lightness import weighing_since
from companion.referee.rulings import GameOver, Illegal, MoveMade, Restored, Ruling
from companion.referee.state import Phase, RefereeState
from companion.rules import (
    Match,
    Outcome,
    Position,
    Reason,
    Side,
    Termination,
    legal_moves,
    normalised,
    outcome,
    play,
    repetitions,
)

Result = tuple[RefereeState, tuple[Ruling, ...]]


def started(state: RefereeState, position: Position, t: float = float("-inf")) -> RefereeState:
    """The state at the beginning of a game; evidence up to `t` belongs to setting it up."""
    return RefereeState(
        state.match,
        Phase.PLAYING,
        position,
        placement_of(position),
        pictures=state.pictures[-1:],
        load=state.load,
        sphere_g=state.sphere_g,
        veiled=state.veiled,
        weighed_at=state.weighed_at,
        used_until=t,
        past=(position,),
    )


def end_game(state: RefereeState, over: GameOver) -> RefereeState:
    """The state after a game: the match goes on, a new one begins when it is over, and the next start is awaited."""
    match = state.match.after(Outcome(over.winner, Termination(over.termination), over.points))
    if match.over:
        match = Match(match.rules)
    return RefereeState(
        match,
        load=state.load,
        sphere_g=state.sphere_g,
        veiled=state.veiled,
        weighed_at=state.weighed_at,
        press_since=state.press_since,
        press_ruled=state.press_ruled,
        ruled_by=state.ruled_by,
        set_up=False,
    )


def cleared(state: RefereeState) -> RefereeState:
    """The state with the evidence so far used up, and no question open."""
    return replace(
        state,
        steps=(),
        used_until=_used_until(state),
        pictures=state.pictures[-1:],
        changed_since=None,
        verdict=None,
        ruled_by=state.verdict or state.ruled_by,
        asked=False,
        lost=False,
        in_hand=None,
        longest_touch=0.0,
        lightest_g=None,
        weighed_since=state.totals[-1][0] if state.totals else state.weighed_since,
        dipped_g=0.0,
        blurred=False,
        foreign=False,
    )


def settle(state: RefereeState, found: Hypothesis, p: float, t: float) -> Result:
    """Rules on the explanation that has won, and clears the evidence that it used."""
    placed_at = _placed_at(state, found.after, t)
    settled = weighing_since(replace(cleared(state), standing=found.after), _stands_since(state, found.after, t))
    if sum(map(bool, found.after)) != sum(map(bool, state.standing)):
        settled = replace(settled, weight_g=None)
    if found.meaning is Meaning.NOTHING:
        # Whoever was asked about it is told that it has settled itself.
        return settled, (Restored(t, state.position.text()),) if state.asked else ()
    if found.meaning in (Meaning.MOVE, Meaning.TWO_MOVES):
        return _moves(settled, found, p, t, placed_at)
    if found.parts:
        return _one_after_the_other(state, found, p, t)
    if found.meaning is Meaning.RESTORED:
        back = replace(settled, phase=Phase.PLAYING, wrong=None)
        return back, (Restored(t, state.position.text()),)
    return _illegal(settled, found, p, t)


def _placed_at(state: RefereeState, after: Placement, t: float) -> float:
    """When the last sphere was set down: as felt, or else as soon as it may have been, going by the pictures."""
    if state.steps:
        return max(step.t_contact for step in state.steps)
    shown = list(takewhile(lambda picture: picture.shows(after), reversed(state.pictures)))
    before = state.pictures[-len(shown) - 1 : -len(shown) or None][:1]
    return before[0].t if before else shown[-1].t if shown else t


def _stands_since(state: RefereeState, after: Placement, t: float) -> float:
    """Since when it certainly stands so: since the last placing was felt, or all that has changed was in sight."""
    if state.steps:
        return max(step.t_contact for step in state.steps)
    changed = np.array(after) != np.array(state.standing)
    if not changed.any():
        return t
    shown = takewhile(lambda picture: picture.shows(after), reversed(state.pictures))
    return min((p.t for p in shown if (p.visible[changed] > 0.5).all()), default=t)


def _one_after_the_other(state: RefereeState, found: Hypothesis, p: float, t: float) -> Result:
    """Several things in a row are settled like each alone, unless one of them ends the game."""
    rulings: tuple[Ruling, ...] = ()
    for part in found.parts:
        if state.phase is Phase.AWAIT_START:
            break
        state, made = settle(state, part, p, t)
        rulings += made
    return state, rulings


def _used_until(state: RefereeState) -> float:
    """What happened before the picture that settled it belongs to the past, also if the cells report it only later."""
    last_step = max((step.t_contact for step in state.steps), default=state.used_until)
    seen = [p.t for p in state.pictures[-1:] if p.board_found]
    return max(last_step, state.used_until, *(t - odds.CONTACT_ERROR for t in seen))


def _moves(state: RefereeState, found: Hypothesis, p: float, t: float, placed_at: float) -> Result:
    rulings: list[Ruling] = []
    if state.phase is Phase.RESTORING:
        rulings.append(Restored(t, state.position.text()))
    position = state.position
    past = state.past
    for move in found.moves:
        mover = position.side
        text = str(normalised(position, move))
        position = play(position, move)
        past = (*past, position)
        rulings.append(MoveMade(t, mover, text, position.text(), p))
        state = replace(
            state,
            phase=Phase.PLAYING,
            position=position,
            wrong=None,
            touched=None,
            past=past,
            last_mover=mover,
            last_place=placed_at,
        )
        over = ending(state, t)
        if over is not None:
            return end_game(state, over), (*rulings, over)
    return state, tuple(rulings)


def ending(state: RefereeState, t: float) -> GameOver | None:
    """How the game has ended in this position, None if it goes on."""
    rules = state.match.rules
    ended = outcome(state.position, rules)
    if ended is None and rules.void_at_repetition and repetitions(state.past) >= rules.void_at_repetition:
        ended = rules.outcome(Termination.VOID)
    return None if ended is None else GameOver(t, ended.winner, ended.termination.value, ended.points)


def _illegal(state: RefereeState, found: Hypothesis, p: float, t: float) -> Result:
    assert found.player is not None
    move, reason = found.moves[0], found.reason or Reason.PUT_BACK
    # Who has taken off the enemy coloured sphere is bound to a capture, where there is a legal one.
    legal = legal_moves(state.position)
    legal_here = any(move.from_well in (m.from_well, m.to_well if m.capture else m.from_well) for m in legal)
    set_back = found.meaning is Meaning.PUT_BACK
    if set_back and not legal_here and reason is Reason.PUT_BACK and state.position.resting(found.player):
        resting = state.position.resting(found.player) >> move.from_well & 1
        reason = Reason.SAME_SPHERE_TWICE if resting else reason
    text = str(move) if set_back else str(normalised(state.position, move))
    right = state.position.text()
    illegal = Illegal(t, found.player, text, reason.value, right, ranks_text(found.after), p)
    if not set_back:
        state = replace(state, phase=Phase.RESTORING, wrong=move)
    elif legal_here:
        state = replace(state, touched=move.from_well)
    rulings: tuple[Ruling, ...] = (illegal,)
    if set_back and not legal_here:
        rulings = (illegal, Restored(t, right))
    return _count_illegal(state, found.player, t, rulings)


def _count_illegal(state: RefereeState, player: Side, t: float, rulings: tuple[Ruling, ...]) -> Result:
    white, black = state.illegal_moves
    counts = (white + 1, black) if player is Side.WHITE else (white, black + 1)
    state = replace(state, illegal_moves=counts)
    limit = state.match.rules.illegal_moves_forfeit
    if limit is None or counts[0 if player is Side.WHITE else 1] < limit:
        return state, rulings
    points = state.match.rules.points(Termination.FORFEIT)
    over = GameOver(t, player.other, Termination.FORFEIT.value, points)
    return end_game(state, over), (*rulings, over)
