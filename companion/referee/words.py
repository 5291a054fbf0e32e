"""Rulings in words, for people."""

from companion.referee.rulings import Crash, GameOver, Held, Illegal, MoveMade, Question, Restored, Ruling, Start

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
TERMINATIONS = {
    "capture": "by capture",
    "crash": "by a crash",
    "no_move": "as there is no move left",
    "forfeit": "by forfeit",
    "resignation": "by resignation",
}


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
    return ruling.kind


def _about_a_move(ruling: MoveMade | Illegal | Restored) -> str:
    if isinstance(ruling, MoveMade):
        return f"{ruling.player.capitalize()} moves {ruling.move}"
    if isinstance(ruling, Illegal):
        return f"Illegal: {ruling.player} {ruling.move}, {REASONS[ruling.reason]}"
    return "The position is right again"


def _over(ruling: GameOver) -> str:
    if ruling.winner is None:
        return "The game is void"
    points = f"{ruling.points} point{'' if ruling.points == 1 else 's'}"
    return f"{ruling.winner.capitalize()} wins {TERMINATIONS[ruling.termination]}: {points}"
