"""A person's answer to an open question: what then follows."""

import re
from collections.abc import Iterator
from dataclasses import replace

from companion.errors import SenryakuError
from companion.referee import possible as hyp
from companion.referee.explain import said
from companion.referee.handling import LET_STAND, NOTHING, asked_as
from companion.referee.hypotheses import Hypothesis, Meaning
from companion.referee.let_stand import let_stand
from companion.referee.naming import answers, said_with_who
from companion.referee.rulings import Crash, GameOver, Illegal, Restored, Ruling
from companion.referee.state import Phase, RefereeState, Setup, Verdict, Waiting
from companion.referee.told import told, until_shown
from companion.referee.verdicts import cleared, ending, settle
from companion.rules import Move, Side, Termination

Result = tuple[RefereeState, tuple[Ruling, ...]]
STILL_IN_HAND = Meaning.IN_HAND.value
SOMETHING_ELSE = "something_else"
MOVE_TEXT = re.compile(r"\b[a-g][1-6][-x][a-g][1-6]\b")


class NoAnswer(SenryakuError, ValueError):
    """An answer that the referee can do nothing with, at least not now."""


def answer(setup: Setup, state: RefereeState, text: str, t: float, about: str = "move") -> Result:
    """The state and the rulings after `text`, a candidate of the open question `about`, was given as its answer.

    Raises `NoAnswer`.
    """
    if state.phase is Phase.AWAIT_START:
        raise NoAnswer(f"{text}: the game that this was about is over")
    if text == STILL_IN_HAND or (about == "held" and text == NOTHING):
        return state, ()
    if text == NOTHING:
        return _nothing(setup, state, t), ()
    waiting = state.waiting
    if waiting is not None and waiting.after is not None and _is_yes(waiting, text):
        return _adopted(setup, state, waiting, t)
    word, _, side = text.partition(" ")
    if word in ("crash", "forfeit") and side in tuple(Side):
        termination = Termination.CRASH if word == "crash" else Termination.FORFEIT
        return _ended(state, termination, Side(side).other, t)
    if text == LET_STAND:
        return _stands(setup, state, waiting, t)
    if text == GameOver.kind:
        over = ending(state, t)
        if over is None:
            raise NoAnswer("game_over: nothing in the position ends the game; award it, or enter the move first")
        return told(state, [over]), (over,)
    return _explained(setup, state, text, t, about)


def _is_yes(waiting: Waiting, text: str) -> bool:
    return any(text == asked_as(ruling) for ruling in waiting.rulings[:1])


def _nothing(setup: Setup, state: RefereeState, t: float) -> RefereeState:
    """It was not so: all is as it was, and the board has to show it."""
    if state.phase is Phase.RESTORING:
        return replace(cleared(state), waiting=None)
    return until_shown(setup, told(replace(state, waiting=None), [Restored(t, state.position.text())]), t)


def _adopted(setup: Setup, state: RefereeState, waiting: Waiting, t: float) -> Result:
    """A yes: what was asked about happens now. Evidence that came in meanwhile belongs to it."""
    assert waiting.after is not None
    after = waiting.after
    if after.phase is not Phase.AWAIT_START:
        after = replace(after, pictures=state.pictures[-1:], used_until=cleared(state).used_until)
    after = replace(after, load=state.load, waiting=None, ruled_by=state.ruled_by)
    if after.phase is Phase.PLAYING and after.touched is None:
        after = until_shown(setup, after, t)
    return after, tuple(replace(ruling, t=t) for ruling in waiting.rulings)


def _ended(state: RefereeState, termination: Termination, winner: Side, t: float) -> Result:
    over = GameOver(t, winner, termination.value, state.match.rules.points(termination))
    step = next((r.step for r in (state.waiting.rulings if state.waiting else ()) if isinstance(r, Crash)), None)
    crash: tuple[Ruling, ...] = () if step is None else (Crash(t, winner.other, step),)
    return told(state, [over]), (*crash, over)


def _stands(setup: Setup, state: RefereeState, waiting: Waiting | None, t: float) -> Result:
    illegal = next((r for r in (waiting.rulings if waiting else ()) if isinstance(r, Illegal)), None)
    if illegal is None:
        raise NoAnswer("let_stand: the referee no longer knows what stood; set the position by hand")
    return stand(setup, state, illegal.move, illegal.player, illegal.placement, illegal.reason, t)


def stand(
    setup: Setup, state: RefereeState, move: str, player: Side, placement: str | None, reason: str, t: float
) -> Result:
    """An illegal move is let stand; see `let_stand`."""
    rulings = let_stand(t, state.position, move, player, placement, reason)
    after = replace(told(state, rulings), waiting=None, touched=None)
    over = ending(after, t)
    if over is not None:
        return told(after, [over]), (*rulings, over)
    return until_shown(setup, after, t), rulings


def _explained(setup: Setup, state: RefereeState, text: str, t: float, about: str) -> Result:
    """The explanation with this text: of those asked about, of those weighed since, or else what the text says."""
    verdicts = (state.ruled_by if about in ("move", "put_back") else None, state.verdict)
    named = (_among(verdict, text) for verdict in verdicts if verdict is not None)
    found = next(filter(None, named), None) or next(_meant(state, text), None)
    if found is None or text == SOMETHING_ELSE:
        raise NoAnswer(
            f"{text}: the referee cannot tell what that would mean; enter the move, or set the position by hand"
        )
    after, rulings = settle(replace(state, waiting=None, asked=False), found, 1.0, t)
    return until_shown(setup, after, t) if after.touched is None else after, rulings


def _among(verdict: Verdict, text: str) -> Hypothesis | None:
    offered = answers(verdict).get(text)
    return offered or next((h for _, h in verdict.ranked if text in (said(h), said_with_who(h))), None)


def _meant(state: RefereeState, text: str) -> Iterator[Hypothesis]:
    """The hypotheses about the position that have this text."""
    position, standing = state.position, state.standing
    moves = [Move.parse(move) for move in MOVE_TEXT.findall(text)]
    if not moves or not standing[moves[0].from_well]:
        return
    first = moves[0]
    possible: list[tuple[Hypothesis, ...]] = [
        hyp.moves_made(position, state.touched),
        hyp.put_backs(position, standing),
        hyp.put_back_then_moves(position, standing, first.from_well),
        hyp.move_pairs(position) if len(moves) == 2 else (),
        hyp.wrong_displacements(position, standing, first.from_well, first.to_well) if len(moves) == 1 else (),
        hyp.rolled(position, standing, first.from_well, first.to_well),
        hyp.moves_beside_a_capture(position) if len(moves) == 1 else (),
    ]
    yield from (h for hypotheses in possible for h in hypotheses if text in (said(h), said_with_who(h)))
