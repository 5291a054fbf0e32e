"""One simulated match with a referee, and a person at the console who answers what is asked and mends what is wrong."""

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

import numpy as np

from companion.referee.hypotheses import placement_of
from companion.referee.rulings import Question
from companion.referee.state import For, Phase, RefereeState, Waiting, begin
from companion.referee.verdicts import cleared
from companion.rules import Match, MatchRules, Position
from companion.simulator.outcomes import Line, Outcome, judge
from companion.simulator.people import EVERY_SLIP, Slip
from companion.simulator.table import SimulatedTable
from companion.table.refereeing import Refereeing
from companion.table.settings import TableSettings
from firmware_bridge.samples import RawSample
from vision.frames import Frame

TRACK_STEPS = 3
"""Matches are short: one capture and one crash, or three crashes."""
LONGEST_S = 600.0
"""A match that has not ended by then is left."""
LAST_LOOK_S = 7.0
"""What could be known within so long before the end is not counted: it could not be ruled any more."""
ANSWERS_AFTER_S = 5.0
"""So long a question may settle by itself before the person at the console answers it."""
MENDS_AFTER_S = 9.0
"""So long what the referee takes for the position may differ from what it is before the person sets it right."""


CAMERA_GONE_S = 2.0
CAMERA_THERE_S, CAMERA_AWAY_S = (20.0, 60.0), (3.0, 25.0)
"""With outages: for how long the camera gives pictures, and then none."""
LOADS_THERE_S, LOADS_AWAY_S = (8.0, 40.0), (0.2, 12.0)
"""The same for the load cells: a loose plug, which is shorter, and comes oftener."""

TELLS_POSITION = ("move", "restored", "start")
parsed = lru_cache(maxsize=4)(Position.parse)


class Path(StrEnum):
    """How pictures become readings."""

    PIXELS = "pixels"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Trial:
    """What a match is played with. `loads` and `camera`: the witnesses there are.

    `outages`: now and then the camera is away for a while; `dropouts`: the load cells.
    """

    seed: int
    path: Path = Path.MODEL
    noise: float = 1.0
    rate_hz: int = 80
    frames_per_second: float = 15.0
    loads: bool = True
    camera: bool = True
    mistakes: float = 0.35
    axis: str = "ranks"
    outages: bool = False
    dropouts: bool = False
    longest_s: float = LONGEST_S


@dataclass(frozen=True, slots=True)
class Played:
    """What came of it. `mended`: times at which the person set the position right."""

    trial: Trial
    outcomes: tuple[Outcome, ...]
    seconds: float
    questions: int
    mended: tuple[float, ...]


def table_of(trial: Trial) -> SimulatedTable:
    """The simulated table of a trial. Half of the matches are played by impatient people.

    Without a camera nobody but the player to move holds the board: `held` then only says in whose turn.
    """
    return SimulatedTable(
        trial.seed,
        None,
        trial.mistakes,
        rate_hz=trial.rate_hz,
        frames_per_second=trial.frames_per_second if trial.camera else 0.0,
        noise=trial.noise,
        match=Match(MatchRules(track_steps=TRACK_STEPS)),
        pace=(1.0, 1.35)[trial.seed % 2],
        axis=trial.axis,
        slips={slip: share for slip, share in EVERY_SLIP.items() if trial.camera or slip is not Slip.OTHER_HOLDS},
        drawn=trial.path is Path.PIXELS,
    )


def settings_of(table: SimulatedTable) -> TableSettings:
    """What the referee is told of a simulated table."""
    known = table.settings
    return TableSettings(
        name="Simulated table",
        grid=known.grid,
        axis=known.axis,
        cells=known.cells,
        camera=known.camera,
        markers=known.markers,
        colours=known.colours,
    )


class Console:
    """The person who answers questions by what the simulator knows, and mends the position when it is wrong."""

    def __init__(self, table: SimulatedTable, refereeing: Refereeing) -> None:
        self.table = table
        self.refereeing = refereeing
        self.mended: list[float] = []
        self._asked_at: float | None = None
        self._wrong_since: float | None = None

    def look(self, t: float, asked: bool) -> None:
        """Called with every sample and picture."""
        if asked:
            self._asked_at = t
        state = self.refereeing.state
        if not state.asked and state.waiting is None:
            self._asked_at = None
        if self._agrees(state) or self._sees_nothing(t):
            self._wrong_since = None
        elif self._wrong_since is None:
            self._wrong_since = t
        answers = self._asked_at is not None and t - self._asked_at >= ANSWERS_AFTER_S
        mends = self._wrong_since is not None and t - self._wrong_since >= MENDS_AFTER_S
        if answers or mends:
            self._set_right(t)

    def _agrees(self, state: RefereeState) -> bool:
        over = self._over
        if over or state.phase is Phase.AWAIT_START:
            return over == (state.phase is Phase.AWAIT_START)
        return state.position == self._position

    @property
    def _position(self) -> Position:
        """As it is this moment; the table's own is that of its last finished turn."""
        told = (line["position"] for line in reversed(self.table.truth) if line["kind"] in TELLS_POSITION)
        text = next(told, None)
        return self.table.position if text is None else parsed(text)

    def _sees_nothing(self, t: float) -> bool:
        """Whoever knows that the camera is away lets the referee catch up first."""
        reading = self.refereeing.reading
        return self.refereeing.setup.camera and reading is not None and t - reading.t > CAMERA_GONE_S

    @property
    def _over(self) -> bool:
        kinds = (line["kind"] for line in reversed(self.table.truth))
        return next((kind for kind in kinds if kind in ("start", "game_over", "question")), "") != "start"

    def _set_right(self, t: float) -> None:
        self.mended.append(round(t, 2))
        self._asked_at = self._wrong_since = None
        old = self.refereeing.state
        if self._over:
            self.refereeing.state = replace(begin(old.match.rules), match=self.table.match, load=old.load, set_up=False)
            return
        position = self._position
        last = max((line["t"] for line in self.table.truth), default=t)
        # What is being put back just now must first be seen to stand, as at the console.
        restoring = bool(self.table.truth) and self.table.truth[-1]["kind"] == "illegal"
        last = t if restoring else last
        self.refereeing.state = replace(
            cleared(old),
            match=self.table.match,
            phase=Phase.PLAYING,
            position=position,
            standing=placement_of(position),
            wrong=None,
            touched=None,
            steps=tuple(step for step in old.steps if step.t_contact > last),
            used_until=last,
            blurred=True,  # the next sphere may be in hand already
            waiting=Waiting(For.BOARD, t) if restoring else None,
            past=(position,),
        )


class Outages:
    """Times at which a witness says nothing. `stream`: tells one witness's times from another's of the same seed."""

    def __init__(self, seed: int, stream: int, there_s: tuple[float, float], away_s: tuple[float, float]) -> None:
        self._rng = np.random.default_rng([seed, stream])
        self._there_s, self._away_s = there_s, away_s
        self._begins = self._ends = 0.0
        self._next()

    def _next(self) -> None:
        self._begins = self._ends + float(self._rng.uniform(*self._there_s))
        self._ends = self._begins + float(self._rng.uniform(*self._away_s))

    def away(self, t: float) -> bool:
        """Whether nothing is said at a time; to be asked in order of time."""
        while t >= self._ends:
            self._next()
        return t >= self._begins


def play(trial: Trial) -> Played:
    """Plays a match and says what became of everything that happened in it."""
    table = table_of(trial)
    settings = settings_of(table)
    rules = MatchRules(track_steps=TRACK_STEPS)
    empty = table.empty_picture() if trial.camera and trial.path is Path.PIXELS else None
    refereeing = Refereeing.of(settings, begin(rules), loads=trial.loads, camera=trial.camera, empty=empty)
    if trial.path is Path.MODEL:
        refereeing.reader = table.model_reader()
    console = Console(table, refereeing)
    ruled: list[Line] = []
    t = end = 0.0
    camera = Outages(trial.seed, 11, CAMERA_THERE_S, CAMERA_AWAY_S)
    loads = Outages(trial.seed, 13, LOADS_THERE_S, LOADS_AWAY_S)
    for item in table:
        t = item.t
        if isinstance(item, RawSample) and (not trial.loads or (trial.dropouts and loads.away(t))):
            continue
        if isinstance(item, Frame) and trial.outages and camera.away(t):
            continue
        rulings = refereeing.take(item)
        ruled += [ruling.to_json() for ruling in rulings]
        console.look(t, any(isinstance(ruling, Question) for ruling in rulings))
        if not end and _match_over(table):
            end = t + LAST_LOOK_S
        if (end and t >= end) or t >= trial.longest_s:
            break
    outcomes = [outcome for outcome in judge(table.truth, ruled) if outcome.t <= t - LAST_LOOK_S]
    questions = sum(line["kind"] == "question" for line in ruled)
    return Played(trial, tuple(outcomes), t, questions, tuple(console.mended))


def _match_over(table: SimulatedTable) -> bool:
    """The last game of the match is over, and its winner has been told."""
    return table.games_over > 0 and table.match.games == 0
