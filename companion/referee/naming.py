"""What the answers to a question are called, so that no two of them are called the same.

Explanations may have the same moves and yet blame different players, or break different rules: then their text says who
and why. Where two mean the very same to a person they are one answer, as likely as both together.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from companion.referee.explain import ANSWERS, said
from companion.referee.hypotheses import Hypothesis, Meaning
from companion.referee.rulings import Candidate, Question, Ruling
from companion.referee.set_back import WORTH_ASKING
from companion.referee.state import RefereeState, Verdict
from companion.rules import Reason

WHY = {
    Reason.BACKWARD: "backward",
    Reason.TOO_FAR: "too far",
    Reason.SAME_SPHERE_TWICE: "the same sphere twice running",
    Reason.OPPONENTS_SPHERE: "not their sphere",
    Reason.NOT_YOUR_TURN: "out of turn",
    Reason.PLAIN_CAPTURE: "a plain sphere captured",
    Reason.ROLLED: "not lifted",
    Reason.PUT_BACK: "not the sphere touched first",
    Reason.OCCUPIED: "into a taken well",
}


def told_apart(state: RefereeState, rulings: tuple[Ruling, ...]) -> tuple[Ruling, ...]:
    """The rulings, with the answers to a question told apart that was chosen from what the state was ruled by."""
    return tuple(_apart(state, r) if isinstance(r, Question) and r.about == "move" else r for r in rulings)


def answers(verdict: Verdict) -> dict[str, Hypothesis]:
    """The explanations that a question offers, by the texts of its answers; the likeliest of those that are one."""
    offered = [h for p, h in verdict.ranked[:ANSWERS] if p >= WORTH_ASKING] or [h for _, h in verdict.ranked[:ANSWERS]]
    return dict(zip(reversed(texts(offered)), reversed(offered), strict=True))


def texts(hypotheses: Sequence[Hypothesis]) -> tuple[str, ...]:
    """What each is called among these: its moves, and who and why where the moves alone do not tell it apart."""
    plain = [said(h) for h in {said_with_who(h): h for h in hypotheses}.values()]
    return tuple(said(h) if plain.count(said(h)) == 1 else said_with_who(h) for h in hypotheses)


def said_with_who(hypothesis: Hypothesis) -> str:
    """For example `a6-a5 by Black, out of turn`."""
    if hypothesis.parts:
        return ", and then ".join(_blamed(part) for part in hypothesis.parts)
    if hypothesis.meaning is Meaning.MOVE:
        return f"{said(hypothesis)}, a legal move"
    return _blamed(hypothesis)


def _apart(state: RefereeState, question: Question) -> Question:
    if state.ruled_by is None or len({c.move for c in question.candidates}) == len(question.candidates):
        return question
    # Behind the explanations there may be an answer that is none of them: something else.
    known = [h for (_, h), c in zip(state.ruled_by.ranked, question.candidates, strict=False) if said(h) == c.move]
    called = (*texts(known), *(c.move for c in question.candidates[len(known) :]))
    return replace(question, candidates=_merged(zip(called, (c.p for c in question.candidates), strict=True)))


def _merged(named: Iterable[tuple[str, float]]) -> tuple[Candidate, ...]:
    odds: dict[str, float] = {}
    for text, p in named:
        odds[text] = odds.get(text, 0.0) + p
    return tuple(Candidate(text, round(p, 4)) for text, p in odds.items())


def _blamed(part: Hypothesis) -> str:
    if part.player is None or part.reason is None:
        return said(part)
    why = "set back" if part.meaning is Meaning.PUT_BACK and part.reason is Reason.PUT_BACK else WHY[part.reason]
    goal = part.moves[0].to_well
    taken = any(step.kind == "remove" and step.well != goal for step in part.steps)
    return f"{said(part)} by {part.player.capitalize()}, {why}{', a sphere taken off' if taken else ''}"
