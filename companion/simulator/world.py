"""The physical table: board, spheres, hands. It plays plans, and knows nothing of rules."""

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from companion.rules import Side
from companion.simulator.actions import (
    HandKey,
    HandPath,
    LetGo,
    Lift,
    Place,
    Plan,
    PutAside,
    PutOn,
    PutUp,
    Roll,
    SetUpright,
    Step,
    Sweep,
    TakeAway,
    TakeUp,
    Tell,
    Thing,
    Truth,
)
from companion.simulator.board import SHED_AFTER_S, SHED_FOR_S, TICK_S, Board, Loads, Push, Shape
from companion.simulator.statics import N_SPHERES, WHITE_SPHERES, BoardSpec, Spheres, balance_of

OUTSIDE_Y_MM = 255.0
"""Finger tips this far from the board's centre are out of the picture."""
DOUBT_S = 4.0
"""A board with hardly a margin is waited for so long before what was done on it counts as done."""
GRIPPED_S = 0.4
"""A board that tips so shortly before a lift was tipped by the fingers that were about to lift."""
SLIDE_MM_S2 = 220.0
"""How fast spheres roll down a tipped board."""
ON_TABLE_Z_MM = -26.0
"""Height of the table's top, from the board's."""


class Ended(StrEnum):
    """How a plan came out."""

    DONE = "done"
    CRASHED = "crashed"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class LooseSphere:
    """A sphere that is in no well; z of its lowest point, from the board's top (mm)."""

    sphere: int
    x_mm: float
    y_mm: float
    z_mm: float


@dataclass(frozen=True, slots=True)
class HandView:
    """A hand as the camera sees it: finger tips in mm, the player it belongs to, flat or gripping."""

    side: Side
    x_mm: float
    y_mm: float
    z_mm: float
    flat: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """All that a picture shows.

    `spheres` are (well, sphere) pairs, `loose` the spheres on the table or rolling, `in_hand` those between fingers.
    `tipped` is 0, or -1 or +1 for a board lying toward its low or high pinnacle; `slide_mm` is how far its spheres have
    slid from their wells by then. `things` lie on the board and do not belong there.
    """

    spheres: tuple[tuple[int, int], ...]
    loose: tuple[LooseSphere, ...] = ()
    in_hand: tuple[LooseSphere, ...] = ()
    hands: tuple[HandView, ...] = ()
    tipped: int = 0
    slide_mm: float = 0.0
    things: tuple[Thing, ...] = ()


class World:
    """Plays one plan after another upon a board.

    `loads` collects the forces on the cells at every tick until somebody takes them; `truth` what can be known.
    """

    def __init__(self, spec: BoardSpec, spheres: Spheres, rng: np.random.Generator) -> None:
        self.spec = spec
        self.board = Board(spec, spheres, rng)
        self.loads: list[Loads] = []
        self.truth: list[Truth] = []
        self.loose: dict[int, tuple[float, float]] = {}
        """Spheres on the table beside the board, and where (mm)."""
        self.things: dict[str, Thing] = {}
        """What lies on the board and does not belong there."""
        self.crash_step = "lift"
        self.crash_player = Side.WHITE
        self._held: dict[int, int] = {}
        self._rolling: Roll | None = None
        self._rolling_sphere = -1
        self._plan = Plan(Side.WHITE, 0.0)
        self._steps: deque[Step] = deque()
        self._tells: deque[Tell] = deque()
        self._placed_at = -DOUBT_S
        self._crashed = False
        self._shed = True
        for i, sphere in enumerate(sorted(set(range(N_SPHERES)) - set(spheres.values()))):
            self.loose[sphere] = beside(sphere, i)

    @property
    def t(self) -> float:
        return self.board.t

    @property
    def spheres(self) -> Spheres:
        return self.board.spheres

    def begin(self, plan: Plan) -> None:
        """Starts a plan; the one before must be over."""
        self._plan = plan
        self._steps = deque(plan.steps)
        self._crashed = False
        self.board.push(*plan.pushes)

    def drop(self) -> bool:
        """Gives up the plan if nothing of it has begun; says whether it could."""
        if self.t >= self._plan.quiet_until or self._crashed or self._tells:
            return False
        self.board.drop_pushes()
        self._steps.clear()
        self._plan = Plan(self._plan.player, self.t)
        return True

    def ended(self) -> Ended | None:
        """How the plan came out, None while it is under way."""
        if self._crashed:
            return Ended.CRASHED
        if self._steps or self._tells or self.t < self._plan.end:
            return None
        return Ended.DONE

    def advance(self, to_tick: int) -> None:
        """Moves on to a tick, doing what the plan says on the way; stops at the plan's end or a crash."""
        while self.board.tick < to_tick and self.ended() is None:
            until = min(to_tick, self.board.tick + 5)
            if self._steps:
                until = min(until, max(self.board.tick, round(self._steps[0].t / TICK_S)))
            was_tipped = self.board.tipped_toward
            self.loads += self.board.advance(until - self.board.tick)
            if self.board.tipped_toward and not was_tipped:
                self._crash()
                return
            if not self._shed and self.t > self.board.tipped_at + SHED_AFTER_S + SHED_FOR_S:
                self._roll_off()
            while self._steps and self._steps[0].t <= self.t + TICK_S / 2:
                self._do(self._steps.popleft())
            self._tell()

    def scene(self) -> Scene:
        """What the camera would see now."""
        hands, in_hand = [], []
        for i, path in enumerate(self._plan.hands):
            where = path.at(self.t)
            if where is None:
                continue
            hands.append(HandView(path.side, *where, path.flat))
            if i in self._held:
                in_hand.append(LooseSphere(self._held[i], where[0], where[1], where[2] - 16.0))
        loose = [LooseSphere(s, x, y, ON_TABLE_Z_MM) for s, (x, y) in sorted(self.loose.items())]
        if self._rolling is not None:
            roll = self._rolling
            u = min(1.0, (self.t - roll.t) / (roll.t_end - roll.t))
            u = 0.5 * (1 - float(np.cos(np.pi * u)))
            (x0, y0), (x1, y1) = (self.spec.grid.centre_mm(w) for w in (roll.from_well, roll.to_well))
            loose.append(LooseSphere(self._rolling_sphere, x0 + (x1 - x0) * u, y0 + (y1 - y0) * u, 1.0))
        spheres = tuple(sorted(self.board.spheres.items()))
        toward = self.board.tipped_toward
        slide = toward * SLIDE_MM_S2 * (self.t - self.board.tipped_at) ** 2 if toward and spheres else 0.0
        things = tuple(thing for _, thing in sorted(self.things.items()))
        return Scene(spheres, tuple(loose), tuple(in_hand), tuple(hands), toward, slide, things)

    def _do(self, step: Step) -> None:
        if isinstance(step, Lift):
            self.crash_step, self.crash_player = step.step, step.player or self._plan.player
            self._held[step.hand] = self.board.lift(step.well, step.over_s)
        elif isinstance(step, Place):
            self.crash_step, self.crash_player = "place", step.player or self._plan.player
            self._placed_at = self.t
            self.board.place(step.well, self._held.pop(step.hand), step.over_s)
        elif isinstance(step, Roll):
            self._roll(step)
        elif isinstance(step, PutAside):
            self.loose[self._held.pop(step.hand)] = (step.x_mm, step.y_mm)
        elif isinstance(step, PutOn | TakeAway):
            self._burden(step)
        elif isinstance(step, TakeUp):
            del self.loose[step.sphere]
            self._held[step.hand] = step.sphere
        elif isinstance(step, Tell):
            self._tells.append(step)
        else:
            self._set_up(step)

    def _burden(self, step: PutOn | TakeAway) -> None:
        if isinstance(step, PutOn):
            thing = self.things[step.thing.name] = step.thing
            place = thing.y_mm if self.spec.axis == "ranks" else thing.x_mm
            self.board.put_on(thing.name, thing.mass_g, place)
        else:
            del self.things[step.name]
            self.board.take_away(step.name)

    def _set_up(self, step: SetUpright | LetGo | Sweep | PutUp) -> None:
        if isinstance(step, SetUpright):
            if self.board.tipped_toward:
                self.board.set_upright({})
            self.board.steady = True
        elif isinstance(step, LetGo):
            self.board.steady = False
        elif isinstance(step, Sweep):
            sphere = self.board.lift(step.well, 0.05)
            self.loose[sphere] = beside(sphere, sphere)
        else:
            self.loose.pop(step.sphere)
            self.board.place(step.well, step.sphere, 0.05)

    def _roll(self, step: Roll) -> None:
        """The weight never leaves the board, it wanders; the sphere is put down where it ends."""
        self.crash_step, self.crash_player = "place", self._plan.player
        if self._rolling is None:
            self._rolling = step
            self._rolling_sphere = self.board.lift(step.from_well, TICK_S)
            mass = self.spec.sphere_masses_g[self._rolling_sphere]
            start, end = (self.spec.place_mm(well) for well in (step.from_well, step.to_well))
            self.board.push(Push(self.t, step.t_end, start, mass, Shape.ROLL, end))
            self._steps.appendleft(Roll(step.t_end, step.t_end, step.from_well, step.to_well))
            self._steps = deque(sorted(self._steps, key=lambda s: s.t))
        else:
            self._placed_at = self.t
            self.board.place(step.to_well, self._rolling_sphere, TICK_S)
            self._rolling = None

    def _tell(self) -> None:
        """Tells what is due, once the board has made up its mind whether to stay."""
        while self._tells:
            if self.board.leaning:
                return
            margin = balance_of(self.spec, self.board.spheres).margin_mm(self.spec.half_spacing_mm)
            if margin < 0.15 and self.t < self._placed_at + DOUBT_S:
                return
            self.truth.append({"t": round(self.t, 3), **self._tells.popleft().truth})

    def _crash(self) -> None:
        """The board has tipped: what was planned is off, the hands draw back."""
        if self._steps and isinstance(self._steps[0], Lift) and self._steps[0].t < self.t + GRIPPED_S:
            lift = self._steps[0]
            self.crash_step, self.crash_player = lift.step, lift.player or self._plan.player
        self._crashed = True
        self._shed = False
        self._steps.clear()
        self._tells.clear()
        self._rolling, rolling = None, self._rolling_sphere if self._rolling else -1
        if rolling >= 0:
            self.loose[rolling] = beside(rolling, rolling)
        away = []
        for path in self._plan.hands:
            where = path.at(self.t)
            if where is None:
                away.append(HandPath(path.side, ()))
            else:
                x, y, z = where
                sign = 1 if path.side is Side.BLACK else -1
                keys = (HandKey(self.t, x, y, z), HandKey(self.t + 0.6, x, sign * OUTSIDE_Y_MM, z + 40))
                away.append(HandPath(path.side, keys, path.flat))
        self._plan = Plan(self._plan.player, self.t, hands=tuple(away))

    @property
    def retreat(self) -> tuple[HandPath, ...]:
        """The hands that draw back after a crash."""
        return self._plan.hands

    def _roll_off(self) -> None:
        """The spheres lie where they rolled to, and what was still in a hand is laid aside."""
        self._shed = True
        self.things.clear()
        self.loose.update((sphere, beside(sphere, sphere)) for sphere in self._held.values())
        self._held.clear()
        along = 0 if self.spec.axis == "ranks" else 1
        wells = {sphere: self.spec.grid.centre_mm(well)[along] for well, sphere in self.board.spheres.items()}
        fallen = sorted(self.board.roll_off(), key=lambda sphere: (wells[sphere], sphere))
        toward = self.board.tipped_toward
        for i, sphere in enumerate(fallen):
            middle = i - (len(fallen) - 1) / 2
            if self.spec.axis == "ranks":
                self.loose[sphere] = (27.0 * middle, toward * (149.0 + 3.0 * (sphere % 3)))
            else:
                self.loose[sphere] = (toward * (170.0 + 27.0 * (i % 2)), 18.0 * middle)


def beside(sphere: int, place: int) -> tuple[float, float]:
    """Where a sphere lies that is out of the game: White's at the right of the board, Black's at the left (mm)."""
    row = place % 7
    return (188.0, -75.0 + 26 * row) if sphere in WHITE_SPHERES else (-188.0, 75.0 - 26 * row)
