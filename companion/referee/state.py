"""What the referee keeps in mind between two pieces of evidence. Frozen: every step makes a new one."""

from dataclasses import dataclass
from enum import StrEnum

from companion.referee.hypotheses import Hypothesis, Placement, placement_of
from companion.referee.policy import Policy
from companion.referee.rulings import Ruling
from companion.referee.seen import Seen
from companion.rules import Match, MatchRules, Move, Position, Side
from firmware_bridge.events import LoadEvent, LoadState
from vision.geometry import Grid

SPHERE_G = 20.0
"""What a sphere is taken to weigh until one has been lifted."""


class Phase(StrEnum):
    AWAIT_START = "await_start"
    PLAYING = "playing"
    RESTORING = "restoring"


@dataclass(frozen=True, slots=True)
class Setup:
    """What is fixed for a table. `loads` and `camera`: which witnesses it has at all; either or both may be absent."""

    grid: Grid = Grid()
    axis: str = "ranks"
    half_spacing_mm: float | None = None
    loads: bool = True
    camera: bool = True
    policy: Policy = Policy()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Explanations with their probabilities, likeliest first, and the evidence (times) that they were weighed by."""

    evidence: tuple[tuple[float, ...], tuple[float, ...]]
    steps_known: bool
    ranked: tuple[tuple[float, Hypothesis], ...]

    @property
    def found(self) -> Hypothesis:
        return self.ranked[0][1]

    @property
    def p(self) -> float:
        return self.ranked[0][0]


class For(StrEnum):
    """What the referee waits for before he rules again."""

    BOARD = "board"
    """That the board shows the position."""
    ANSWER = "answer"
    """That a person answers, or that the board shows the position again."""
    CRASH = "crash"
    """That it becomes clear whether the board has crashed: a person says so, or the game goes on."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """`since` when; `asked`: a question is open in the log. `rulings` and `after` are what a yes would bring.

    `board_settles`: the board showing the position means no. `rest` are the loads at rest before, `stood_since` the
    time from which on they have been the same again.
    """

    what: For
    since: float
    asked: bool = False
    about: str = ""
    after: "RefereeState | None" = None
    rulings: tuple[Ruling, ...] = ()
    board_settles: bool = True
    rest: LoadState | None = None
    stood_since: float | None = None


@dataclass(frozen=True, slots=True)
class Tipping:
    """The board stands on one pinnacle by the event `tip`; `before` is what was known then.

    `ends` is since when it has borne on both again, `lighter` the last load on that pinnacle that was less than the
    board can weigh while it stands.
    """

    tip: LoadEvent
    before: "RefereeState"
    ends: float | None = None
    lighter: LoadState | None = None


@dataclass(frozen=True, slots=True)
class RefereeState:
    """`position` is what is right, `standing` what is believed to stand; they differ after an illegal move.

    `steps` and `pictures` are the evidence since the last settled position; `changed_since` is when they first
    disagreed with `standing`. `rests` are the last loads while nobody touched the board,
    `weight_g` the total then while nothing had changed, `lightest_g` the least total at rest since.
    `lost`: a question about the position is open and no picture can settle it, so whose turn it is is not known.
    `pressed` are times and totals of the press of late, `longest_touch` how long a hand bore on the board without a
    break since the last settled position, `totals` the times and totals of the last seconds, whether or not anybody
    touches the board, also from before the last ruling; those after `weighed_since` are of this turn and without a gap.
    `dipped_g` is by how much the board was lighter for a moment since then. `blurred`: the cells have not followed
    everything that was done since, `foreign`: they made nothing of something. `sphere_g` is what the sphere that was
    lifted last weighed. `tipping`: the board has left a pinnacle, and it is not yet known whether it has fallen.
    `last_place` is when the last ruled move's sphere was set down, and `last_mover` by whom. `waiting`: nothing is
    ruled until that is over. `ruled_by` are the explanations that the last ruling or question was chosen from.
    `weighed_at` is when the board was weighed last.
    `veiled` is for each well the share of the pictures of late, while nobody touched the board, that did not show it.
    `set_up`: no game has been played yet that has left the spheres anywhere but in the start position.
    """

    match: Match
    phase: Phase = Phase.AWAIT_START
    position: Position = Position.start()
    standing: Placement = placement_of(Position.start())
    wrong: Move | None = None
    touched: int | None = None
    steps: tuple[LoadEvent, ...] = ()
    pictures: tuple[Seen, ...] = ()
    load: LoadState | None = None
    rests: tuple[LoadState, ...] = ()
    weight_g: float | None = None
    lightest_g: float | None = None
    fault_since: float | None = None
    changed_since: float | None = None
    verdict: Verdict | None = None
    verdict_since: float = float("-inf")
    asked: bool = False
    lost: bool = False
    in_hand: int | None = None
    press_since: float | None = None
    press_ended: float | None = None
    press_ruled: bool = False
    pressed: tuple[tuple[float, float], ...] = ()
    longest_touch: float = 0.0
    weighed_since: float = float("-inf")
    totals: tuple[tuple[float, float], ...] = ()
    dipped_g: float = 0.0
    blurred: bool = False
    foreign: bool = False
    sphere_g: float = SPHERE_G
    tipping: "Tipping | None" = None
    used_until: float = float("-inf")
    weighed_at: float | None = None
    veiled: tuple[float, ...] = (0.0,) * 42
    last_place: float = float("-inf")
    last_mover: Side | None = None
    past: tuple[Position, ...] = ()
    illegal_moves: tuple[int, int] = (0, 0)
    waiting: Waiting | None = None
    ruled_by: Verdict | None = None
    set_up: bool = True


def begin(rules: MatchRules) -> RefereeState:
    """Before the first game of a match: waits for the start position."""
    return RefereeState(Match(rules))


def resume(match: Match, position: Position, standing: Placement | None, wrong: Move | None) -> RefereeState:
    """In the middle of a game, as a log remembers it. `wrong` is an illegal move not yet put right."""
    right = placement_of(position)
    return RefereeState(
        match,
        Phase.RESTORING if wrong else Phase.PLAYING,
        position,
        right if standing is None or wrong is None else standing,
        wrong,
        past=(position,),
    )
