"""The step between what was found and what is ruled: the table's policy, and what single witnesses may not say."""

from dataclasses import replace

from companion.referee.let_stand import let_stand
from companion.referee.policy import Handling
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
)
from companion.referee.state import For, RefereeState, Setup, Waiting
from companion.referee.told import told
from companion.referee.verdicts import cleared, end_game, ending
from companion.referee.witness import Witnesses, may_say, witnesses
from companion.referee.words import in_words
from companion.rules import Position, Reason, Termination

Result = tuple[RefereeState, tuple[Ruling, ...]]
NOTHING = "nothing"
"""The answer that it was not so."""
LET_STAND = "let_stand"


def handled(setup: Setup, before: RefereeState, after: RefereeState, rulings: tuple[Ruling, ...]) -> Result:
    """What becomes of `rulings`, which were found and led from the state `before` to the state `after`."""
    if isinstance(rulings[0], Held):
        return _held(setup, before, after, rulings)
    if any(isinstance(r, Question) and r.about == "crash" for r in rulings):
        return after_crash(after, rulings[-1].t, asked=True), rulings
    for place, ruling in enumerate(rulings):
        handling = setup.policy.of(ruling.kind)
        seen_by = replace(after, pictures=after.pictures or before.pictures)
        who = witnesses(setup, seen_by, ruling.t)
        if not may_say(who, ruling):
            if who is Witnesses.LOAD_CELLS:
                state = replace(told(before, rulings[:place]), ruled_by=after.ruled_by)
                return _lost(state, rulings, place)
            handling = Handling.ASK
        if handling is Handling.ACCEPT or (handling is not Handling.ASK and isinstance(ruling, Restored)):
            continue
        state, made = told(before, rulings[:place]), rulings[:place]
        if handling is not Handling.ASK and isinstance(ruling, Illegal):
            return _lets_stand(setup, state, after, made, rulings[place:], handling is Handling.LOG)
        rest = rulings[place:]
        state, more = _ask(state, after, rest) if handling is Handling.ASK else _nothing_follows(state, rest, handling)
        return state, (*made, *more)
    return after, rulings


def _held(setup: Setup, before: RefereeState, after: RefereeState, rulings: tuple[Ruling, ...]) -> Result:
    """A held board. The game goes on whatever is done about it, except with the forfeit itself."""
    held, handling = rulings[0], setup.policy.held
    assert isinstance(held, Held)
    player = held.player
    points = before.match.rules.points(Termination.FORFEIT)
    over = GameOver(held.t, player.other, Termination.FORFEIT.value, points)
    if handling is Handling.ACCEPT or (handling is Handling.LOG and before.match.rules.holding_forfeits):
        return end_game(after, over) if len(rulings) == 1 else after, (held, over)
    state = replace(before, load=after.load, press_since=after.press_since, press_ended=None, press_ruled=True)
    if handling is Handling.ASK:
        candidates = (Candidate(f"forfeit {player}", 0.5), Candidate(NOTHING, 0.5))
        return state, (held, Question(held.t, "held", candidates))
    return state, (held,) if handling is Handling.LOG else ()


def _ask(state: RefereeState, after: RefereeState, rulings: tuple[Ruling, ...]) -> Result:
    """The rulings are put as a question, and nothing is ruled before it is settled."""
    ruling = rulings[0]
    if isinstance(ruling, Crash):
        candidates = (Candidate(f"crash {ruling.player}", 0.9), Candidate(NOTHING, 0.1))
        return after_crash(state, ruling.t, True, after, rulings), (Question(ruling.t, "crash", candidates),)
    p = round(getattr(ruling, "confidence", None) or 1.0, 4)
    placement = ruling.placement if isinstance(ruling, Illegal) else None
    otherwise = LET_STAND if isinstance(ruling, Illegal) else NOTHING
    candidates = (Candidate(asked_as(ruling), p), Candidate(otherwise, round(1 - p, 4)))
    settles = isinstance(ruling, MoveMade) or (isinstance(ruling, Illegal) and ruling.move[:2] != ruling.move[3:])
    waiting = Waiting(For.ANSWER, ruling.t, True, ruling.kind, after, rulings, settles)
    return replace(state, waiting=waiting), (Question(ruling.t, ruling.kind, candidates, placement),)


def _lost(state: RefereeState, rulings: tuple[Ruling, ...], place: int) -> Result:
    """Without a camera no board can settle a question: whose turn it is is not known from here on."""
    if state.asked:
        return replace(state, lost=True), rulings[:place]
    candidates = (Candidate(asked_as(rulings[place]), 0.5), Candidate(NOTHING, 0.5))
    question = Question(rulings[place].t, "move", candidates)
    return replace(state, asked=True, lost=True), (*rulings[:place], question)


def after_crash(
    state: RefereeState,
    t: float,
    asked: bool,
    after: RefereeState | None = None,
    rulings: tuple[Ruling, ...] = (),
) -> RefereeState:
    """The state that waits for what became of a crash; `asked`: it is a question, to which `rulings` are a yes."""
    rest = state.rests[-1] if state.rests else None
    waiting = Waiting(For.CRASH, t, asked, "crash", after, rulings, rest=rest)
    return replace(state, asked=asked, waiting=waiting)


def asked_as(ruling: Ruling) -> str:
    """The text by which a ruling is a candidate of the question about it."""
    if isinstance(ruling, MoveMade):
        return ruling.move
    if isinstance(ruling, Illegal):
        return f"{ruling.move} rolled" if ruling.reason == Reason.ROLLED else ruling.move
    return f"crash {ruling.player}" if isinstance(ruling, Crash) else ruling.kind


def _nothing_follows(state: RefereeState, rulings: tuple[Ruling, ...], handling: Handling) -> Result:
    """A move, a crash or the end of a game that is only noted or passed over."""
    ruling = rulings[0]
    log = handling is Handling.LOG
    if isinstance(ruling, Crash):
        return after_crash(state, ruling.t, asked=False), (ruling,) if log else ()
    state = replace(cleared(state), waiting=Waiting(For.BOARD, ruling.t))
    return state, (Noted(ruling.t, in_words(ruling)),) if log else ()


def _lets_stand(
    setup: Setup,
    state: RefereeState,
    after: RefereeState,
    made: tuple[Ruling, ...],
    rulings: tuple[Ruling, ...],
    log: bool,
) -> Result:
    """An illegal move that does not stop the game. One that captures is asked about all the same."""
    illegal = rulings[0]
    assert isinstance(illegal, Illegal)
    stands = let_stand(illegal.t, state.position, illegal.move, illegal.player, illegal.placement, illegal.reason)
    changes = [r for r in stands if isinstance(r, MoveMade | Corrected)]
    if any(Position.parse(r.position).captured for r in changes):
        state, asked = _ask(state, after, rulings)
        return state, (*made, *asked)
    counts = state.illegal_moves
    state = replace(told(state, stands), illegal_moves=counts)
    said: tuple[Ruling, ...] = (replace(illegal, counts=False), *stands) if log else tuple(changes)
    over = ending(state, illegal.t) if changes else None
    if over is not None:
        return end_game(state, over), (*made, *said, over)
    # What came after it in the same evidence, such as the move that followed a sphere set back.
    rest = tuple(r for r in rulings[1:] if isinstance(r, MoveMade | Illegal))
    if not rest:
        return state, (*made, *said)
    state, more = handled(setup, state, told(state, rest), rest)
    return state, (*made, *said, *more)
