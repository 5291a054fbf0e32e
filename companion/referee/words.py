"""Rulings in words, for people."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from companion.referee.misplaced import Astray, left_out_of_place
from companion.referee.rulings import (
    Candidate,
    Corrected,
    Crash,
    GameOver,
    Held,
    Illegal,
    MoveMade,
    Noted,
    Question,
    Restored,
    Ruling,
    Start,
)
from companion.rules import Position

REASONS = {
    "backward": "it went backward",
    "too_far": "it went further than one well",
    "same_sphere_twice": "the same plain sphere may not move twice running",
    "opponents_sphere": "it is the opponent's sphere",
    "not_your_turn": "it is not their turn",
    "plain_capture": "only coloured spheres are captured",
    "rolled": "it was rolled, not lifted",
    "put_back": "a lifted sphere must be moved",
    "occupied": "the well is occupied",
}
_KINDS: dict[str, type[Ruling]] = {
    known.kind: known
    for known in (Start, MoveMade, Illegal, Restored, Held, Crash, GameOver, Question, Corrected, Noted)
}
TERMINATIONS = {
    "capture": "by capture",
    "crash": "by a crash",
    "no_move": "as there is no move left",
    "forfeit": "by forfeit",
    "resignation": "by resignation",
}


DENIED = {
    "crash": "nobody tipped the board",
    "held": "nobody held the board",
    "put_back": "no sphere was set back",
    "game_over": "the game goes on",
    "restored": "the position is not right yet",
}
"""What the answer that it was not so says, by what was asked."""
ANSWERS = {
    "nothing": "no move at all",
    "in_hand": "a sphere still in a hand",
    "restored": "the spheres put right",
    "let_stand": "let it stand",
    "game_over": "the game is over",
}


def answer_in_words(about: str | None, text: str) -> str:
    """A person's answer to a question about this, None where that is not known."""
    if text in ANSWERS:
        return DENIED.get(about or "", ANSWERS[text]) if text == "nothing" else ANSWERS[text]
    word, _, side = text.partition(" ")
    if word in ("crash", "forfeit"):
        return f"{side.capitalize()} {'tipped the board' if word == 'crash' else 'forfeits'}"
    return text.replace(" rolled", ", rolled")


def in_words(ruling: Ruling) -> str:
    """One line that says it to people."""
    if isinstance(ruling, MoveMade | Illegal | Restored):
        return _about_a_move(ruling)
    if isinstance(ruling, Start):
        return f"The game starts; {'White' if ruling.position.split()[1] == 'w' else 'Black'} begins"
    if isinstance(ruling, Held):
        return f"The board is held in {ruling.player}'s turn"
    if isinstance(ruling, Crash):
        return f"Crash: {ruling.player} tipped the board ({ruling.step})"
    if isinstance(ruling, GameOver):
        return _over(ruling)
    if isinstance(ruling, Question):
        return f"The referee asks ({ruling.about}): " + ", ".join(f"{c.move} {c.p:.0%}" for c in ruling.candidates)
    if isinstance(ruling, Noted):
        return f"Noted only: {ruling.text}"
    return _set(ruling) if isinstance(ruling, Corrected) else ruling.kind


def _set(ruling: Corrected) -> str:
    if ruling.let_stand is None:
        return "The position is set by the referee"
    return f"The referee lets {ruling.player} {ruling.move} stand ({ruling.let_stand.replace('_', ' ')})"


def _about_a_move(ruling: MoveMade | Illegal | Restored) -> str:
    if isinstance(ruling, MoveMade):
        stands = "" if ruling.let_stand is None else f" ({ruling.let_stand.replace('_', ' ')}, let stand)"
        return f"{ruling.player.capitalize()} moves {ruling.move}{stands}"
    if isinstance(ruling, Illegal):
        what = f"Illegal: {ruling.player} {ruling.move}, {REASONS[ruling.reason]}"
        back = (
            ""
            if ruling.counts is False
            else way_back(left_out_of_place(ruling.move, Position.parse(ruling.position), ruling.placement))
        )
        return f"{what}. {back}" if back else what
    return "The position is right again"


def _over(ruling: GameOver) -> str:
    if ruling.winner is None:
        return "The game is void"
    points = f"{ruling.points} point{'' if ruling.points == 1 else 's'}"
    if ruling.awarded:
        return f"The referee awards the game to {ruling.winner}: {points}"
    return f"{ruling.winner.capitalize()} wins {TERMINATIONS[ruling.termination]}: {points}"


def way_back(astray: Sequence[Astray]) -> str:
    """What is to be put where, sphere by sphere: one sentence, empty where all is right."""
    return f"Put {'; '.join(map(str, astray))}." if astray else ""


def event_in_words(kind: str, payload: Mapping[str, Any]) -> str:
    """The same line for an event of the log, whose payload a person or an older version may have written."""
    try:
        if kind == "answer":
            return f"Answered: {answer_in_words(payload.get('about'), payload['move'])}"
        return in_words(_ruling(kind, payload))
    except (KeyError, TypeError, ValueError):
        return kind.replace("_", " ")


def _ruling(kind: str, payload: Mapping[str, Any]) -> Ruling:
    known = _KINDS[kind]
    values = {f.name: payload.get(f.name) for f in fields(known) if f.name not in ("t", "candidates")}
    if known is Question:
        values["candidates"] = tuple(Candidate(c["move"], c["p"]) for c in payload["candidates"])
    return known(t=0.0, **values)
