"""How hands do things: from what a player means to do to a plan of steps, forces and the way of the hand.

Times were taken from people moving spheres at a normal pace: four to five seconds a move, of which about two between
lift and placing. All forces are of fingers that have not the slightest wish to press.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

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
    PutUp,
    Roll,
    SetUpright,
    Step,
    Sweep,
    TakeUp,
    Tell,
    Truth,
)
from companion.simulator.board import Push, Shape
from companion.simulator.statics import START_SPHERES, WHITE_SPHERES, BoardSpec, Spheres, balance_of
from companion.simulator.world import OUTSIDE_Y_MM, beside

AT_SPHERE_Z_MM, CARRY_Z_MM, OUTSIDE_Z_MM = 26.0, 62.0, 80.0
"""Height of the finger tips when they grip a sphere on the board, in carrying, and on the way out."""
PRESS_G, CARELESS_PRESS_G = (2.0, 11.0), (20.0, 50.0)
LANDING_G, CARELESS_LANDING_G = (15.0, 45.0), (80.0, 200.0)
FORCED_PRESS_G = 900.0
"""Peak forces in grams: pressing down just before a lift, and the knock of a sphere that is placed."""
HELD_AFTER_S = 1.0
"""A hand that rests on the board for this long holds it."""
KEPT_MARGIN = 0.45
"""A hand that leans leaves the board at least this share of its margin: people feel it give."""


@dataclass(frozen=True, slots=True)
class Carry:
    """One sphere on its way: from a well or from beside the board, to a well or to beside it.

    `forced` lifts and `slammed` placings tip the board. `aside_mm`: where beside the board, if not at its usual place.
    """

    from_well: int | None
    to_well: int | None
    sphere: int = -1
    step: str = "lift"
    careless: bool = False
    forced: bool = False
    slammed: bool = False
    aside_mm: tuple[float, float] | None = None


class Hands:
    """Makes plans for one board. `pace` 2 moves twice as fast; every draw comes from the one generator."""

    def __init__(self, spec: BoardSpec, rng: np.random.Generator, pace: float = 1.0) -> None:
        self.spec = spec
        self._rng = rng
        self._pace = pace

    def _s(self, low: float, high: float) -> float:
        """A time in seconds at this pace."""
        return float(self._rng.uniform(low, high)) / self._pace

    def _draw(self, span: tuple[float, float]) -> float:
        return float(self._rng.uniform(*span))

    def wait(self, t: float, player: Side, seconds: float, truth: Sequence[Truth] = ()) -> Plan:
        """Nobody does anything for a while; `truth` is told at the beginning."""
        return Plan(player, t + seconds, tuple(Tell(t, line) for line in truth), quiet_until=t + seconds)

    def carry(
        self,
        t: float,
        player: Side,
        carries: Sequence[Carry],
        truth: Sequence[Truth] = (),
        think: tuple[float, float] = (0.7, 1.4),
        hand: Side | None = None,
    ) -> Plan:
        """One hand comes, carries one sphere after another, and leaves; `truth` is told once the last is let go."""
        start = now = t + self._s(*think)
        side = hand or player
        steps: list[Step] = []
        pushes: list[Push] = []
        keys = [self._outside(side, now, self._at(carries[0], True)[0])]
        now += self._s(0.55, 0.9)
        for i, one in enumerate(carries):
            if i:
                now += self._s(0.45, 0.7)
            x, y = self._at(one, True)
            grip = self._s(0.2, 0.32)
            keys.append(HandKey(now, x, y, AT_SPHERE_Z_MM))
            now += grip
            keys.append(HandKey(now + 0.03, x, y, AT_SPHERE_Z_MM))
            if one.from_well is None:
                steps.append(TakeUp(now, one.sphere))
            else:
                pushes.append(self._grip(now, grip, one))
                steps.append(Lift(now, one.from_well, over_s=self._draw((0.05, 0.1)), step=one.step))
            aside = one.to_well is None
            travel = self._s(0.7, 1.0) if aside else self._s(1.5, 2.1)
            tx, ty = self._at(one, False)
            keys.append(HandKey(now + 0.45 * travel, (x + tx) / 2, (y + ty) / 2, CARRY_Z_MM))
            now += travel
            keys.append(HandKey(now - 0.12 / self._pace, tx, ty, AT_SPHERE_Z_MM + 2))
            if one.to_well is None:
                steps.append(PutAside(now, tx, ty))
                keys.append(HandKey(now + 0.05, tx, ty, AT_SPHERE_Z_MM))
            else:
                steps.append(Place(now, one.to_well, over_s=self._draw((0.02, 0.05))))
                release = self._s(0.12, 0.28)
                pushes += self._landing(now, release, one)
                now += release
                keys.append(HandKey(now, tx, ty, AT_SPHERE_Z_MM))
        steps += [Tell(now + 0.02, line) for line in truth]
        now += self._s(0.5, 0.75)
        keys.append(self._outside(side, now, keys[-1].x_mm))
        path = HandPath(side, tuple(keys))
        return Plan(player, now, Plan.ordered(*steps), tuple(pushes), (path,), quiet_until=start)

    def roll(self, t: float, player: Side, from_well: int, to_well: int, truth: Sequence[Truth]) -> Plan:
        """A sphere is pushed along with a finger instead of being lifted."""
        start = t + self._s(0.7, 1.4)
        (x, y), (tx, ty) = self.spec.grid.centre_mm(from_well), self.spec.grid.centre_mm(to_well)
        now = start + self._s(0.55, 0.9)
        keys = [self._outside(player, start, x), HandKey(now, x, y, AT_SPHERE_Z_MM)]
        now += self._s(0.15, 0.25)
        rolled = now + self._s(0.25, 0.5)
        press = self._draw(PRESS_G)
        push = Push(now - 0.1, rolled, self.spec.place_mm(from_well), press, to_p_mm=self.spec.place_mm(to_well))
        free = rolled + self._s(0.15, 0.25)
        left = free + self._s(0.5, 0.75)
        keys += [HandKey(now, x, y, AT_SPHERE_Z_MM), HandKey(rolled, tx, ty, AT_SPHERE_Z_MM)]
        keys += [HandKey(free, tx, ty, AT_SPHERE_Z_MM + 8), self._outside(player, left, tx)]
        steps = Plan.ordered(Roll(now, rolled, from_well, to_well), *(Tell(free, line) for line in truth))
        return Plan(player, left, steps, (push,), (HandPath(player, tuple(keys)),), quiet_until=start)

    def lean(self, t: float, player: Side, side: Side, seconds: float, spheres: Spheres) -> Plan:
        """A hand rests on the board; held from the moment it has lain there for a second."""
        start = t + self._s(0.3, 0.8)
        on = start + self._s(0.5, 0.7)
        off = on + seconds
        left = off + self._s(0.5, 0.7)
        sign = 1 if side is Side.BLACK else -1
        x, y = float(self._rng.uniform(-100, 100)), sign * float(self._rng.uniform(60, 105))
        grams = float(self._rng.uniform(150, 500))
        place = self.bearable(y if self.spec.axis == "ranks" else x, grams, spheres)
        push = Push(on, off, place, grams, rise_s=0.2, waver_g=grams * 0.012, phase=x, fingers=True)
        keys = (
            self._outside(side, start, x),
            HandKey(on, x, y, 12.0),
            HandKey(off, x + 2, y, 12.0),
            self._outside(side, left, x),
        )
        steps: tuple[Step, ...] = ()
        if seconds > HELD_AFTER_S:
            truth = {"kind": "held", "player": str(player), "t_from": round(on, 3), "t_to": round(off, 3)}
            steps = (Tell(on + HELD_AFTER_S, truth),)
        return Plan(player, left, steps, (push,), (HandPath(side, keys, flat=True),), quiet_until=start)

    def hover(self, t: float, player: Side, side: Side) -> Plan:
        """A hand goes over the board, thinks better of it and leaves: nothing to rule."""
        start = t + self._s(0.3, 0.8)
        sign = 1 if side is Side.BLACK else -1
        points = self._rng.uniform((-80, -60), (80, 60), (2, 2))
        times = [start, start + self._s(0.6, 0.9)]
        times += [times[-1] + self._s(0.8, 1.4)]
        times += [times[-1] + self._s(0.6, 0.8)]
        (ax, ay), (bx, by) = ((float(x), float(y) + sign * 30) for x, y in points)
        keys = (
            self._outside(side, times[0], ax),
            HandKey(times[1], ax, ay, 55.0),
            HandKey(times[2], bx, by, 50.0),
            self._outside(side, times[3], bx),
        )
        none = {"kind": "none", "what": "hand_over_board", "t_end": round(times[3], 3)}
        path = HandPath(side, keys, flat=bool(self._rng.random() < 0.5))
        return Plan(player, times[3], (Tell(times[1], none),), (), (path,), quiet_until=start)

    def bump(self, t: float, player: Side, spheres: Spheres) -> Plan:
        """Somebody knocks against the table."""
        at = t + self._s(0.3, 0.8)
        grams = float(self._rng.uniform(80, 260))
        place = self.bearable(float(self._rng.uniform(-40, 40)), grams, spheres)
        push = Push(at, at + 0.5, place, grams, Shape.KNOCK)
        none = {"kind": "none", "what": "bump"}
        return Plan(player, at + 1.0, (Tell(at, none),), (push,), quiet_until=at)

    def set_up(self, t: float, first: Side, spheres: Spheres, tipped: bool, truth: Sequence[Truth]) -> Plan:
        """Both players clear the board and set it up again; `truth` is told once their hands have gone."""
        start = t + self._s(0.6, 1.2)
        now = start + self._s(0.7, 0.9)
        steps: list[Step] = [SetUpright(now)]
        displaced = [] if tipped else [w for w, s in sorted(spheres.items()) if START_SPHERES.get(w) != s]
        home = {sphere: well for well, sphere in START_SPHERES.items()}
        standing = set() if tipped else {s for w, s in spheres.items() if START_SPHERES.get(w) == s}
        steady = now - 0.1
        paths: dict[Side, list[HandKey]] = {}
        for side in Side:
            paths[side] = [self._outside(side, start, 0.0), HandKey(now, 0.0, -60.0 if side is Side.WHITE else 60, 30)]
        for well in displaced:
            now += self._s(0.12, 0.22)
            steps.append(Sweep(now, well))
            x, y = self.spec.grid.centre_mm(well)
            paths[Side.WHITE if spheres[well] in WHITE_SPHERES else Side.BLACK].append(
                HandKey(now, x, y, AT_SPHERE_Z_MM)
            )
        now += self._s(0.3, 0.5)
        for sphere in _from_the_middle():
            if sphere in standing:
                continue
            now += self._s(0.3, 0.45)
            well = home[sphere]
            side = Side.WHITE if sphere in WHITE_SPHERES else Side.BLACK
            x, y = self.spec.grid.centre_mm(well)
            lx, ly = beside(sphere, sphere)
            before = paths[side][-1].t
            paths[side].append(HandKey((before + now) / 2, x * 0.7 + lx * 0.3, y * 0.7 + ly * 0.3, 45))
            paths[side].append(HandKey(now, x, y, AT_SPHERE_Z_MM))
            steps.append(PutUp(now + 0.02, well, sphere))
        now += self._s(0.25, 0.4)
        steps.append(LetGo(now))
        hold = Push(steady, now, 0.0, self._draw((60, 180)), rise_s=0.15, waver_g=6.0, fingers=True)
        left = now + self._s(0.6, 0.8)
        hands = []
        for side, keys in paths.items():
            hands.append(
                HandPath(
                    side,
                    (*keys, HandKey(now, keys[-1].x_mm, keys[-1].y_mm, 45), self._outside(side, left, keys[-1].x_mm)),
                )
            )
        steps += [Tell(left + 0.01, line) for line in truth]
        return Plan(first, left + 2.0, Plan.ordered(*steps), (hold,), tuple(hands))

    def _outside(self, side: Side, t: float, x: float) -> HandKey:
        sign = 1 if side is Side.BLACK else -1
        return HandKey(t, 0.75 * x + sign * 10, sign * OUTSIDE_Y_MM, OUTSIDE_Z_MM)

    def _at(self, carry: Carry, begin: bool) -> tuple[float, float]:
        well = carry.from_well if begin else carry.to_well
        if well is None and not begin and carry.aside_mm is not None:
            return carry.aside_mm
        return beside(carry.sphere, carry.sphere) if well is None else self.spec.grid.centre_mm(well)

    def _grip(self, t: float, grip: float, carry: Carry) -> Push:
        """Fingers close on a sphere: they bear on it a little until the lift."""
        assert carry.from_well is not None
        grams = self._draw(CARELESS_PRESS_G if carry.careless else PRESS_G)
        place = self.spec.place_mm(carry.from_well)
        since, until = t - 0.7 * grip, t + 0.02
        if carry.forced:
            grams, since, until = FORCED_PRESS_G, t, t + 0.8
            place = math.copysign(max(abs(place), 40.0), place)
        phase = float(self._rng.uniform(0, math.tau))
        return Push(since, until, place, grams, rise_s=0.05, waver_g=grams * 0.15, phase=phase, fingers=True)

    def _landing(self, t: float, release: float, carry: Carry) -> tuple[Push, Push]:
        """A sphere lands with a knock, and the fingers stay on it a moment."""
        assert carry.to_well is not None
        place = self.spec.place_mm(carry.to_well)
        knock = self._draw(CARELESS_LANDING_G if carry.careless else LANDING_G)
        rest = self._draw(CARELESS_PRESS_G) * 0.5 if carry.careless else self._draw((0.5, 4.0))
        if carry.slammed:
            rest, release, place = FORCED_PRESS_G, 0.8, math.copysign(max(abs(place), 40.0), place)
        phase = float(self._rng.uniform(0, math.tau))
        return (
            Push(t, t + 0.03, place, knock, rise_s=0.014),
            Push(t + 0.01, t + release, place, rest, rise_s=0.04, waver_g=rest * 0.3, phase=phase, fingers=True),
        )

    def bearable(self, place_mm: float, grams: float, spheres: Spheres) -> float:
        """The place nearest to the one wished for where the board bears so many grams and keeps some margin."""
        balance = balance_of(self.spec, spheres)
        spacing = self.spec.half_spacing_mm
        kept = KEPT_MARGIN * max(0.0, balance.margin_mm(spacing))
        room = (balance.total_g + grams) * (spacing - kept)
        lowest, highest = (-room - balance.moment_g_mm) / grams, (room - balance.moment_g_mm) / grams
        return max(lowest, min(highest, place_mm))


def _from_the_middle() -> list[int]:
    """The spheres in the order of setting up: White's and Black's in turn, the middle files first."""
    return [sphere for file in (3, 2, 4, 1, 5, 0, 6) for sphere in (file, 7 + file)]
