"""Hands that do odd things: two at once, things that do not belong, sleeves, a sphere that is nudged on."""

from collections.abc import Sequence
from dataclasses import replace

from companion.rules import Move, Side
from companion.simulator.actions import (
    HandKey,
    HandPath,
    Lift,
    Place,
    Plan,
    PutAside,
    PutOn,
    Roll,
    Step,
    TakeAway,
    Tell,
    Thing,
    Truth,
)
from companion.simulator.board import Push
from companion.simulator.hands import AT_SPHERE_Z_MM, CARRY_Z_MM, Carry, Hands
from companion.simulator.statics import Spheres

TOUCH_G = (4.0, 16.0)
"""Fingers that take hold of a sphere and think better of it."""
LEAN_SHORT_S = (0.3, 0.75)
"""Clearly shorter than what counts as holding."""
REPLY_AFTER_S = (0.15, 0.9)
"""The reply's sphere is lifted so soon after the move's was set down."""
DWELL_S = (0.2, 0.9)
"""A sphere that is nudged on was set down for so long."""
KNOCK_OVER_G = 2500.0


class OddHands(Hands):
    """The same hands as `Hands`."""

    def touch(self, t: float, player: Side, well: int) -> Plan:
        """Fingers close on a sphere, and let go of it without lifting."""
        start = t + self._s(0.5, 1.2)
        on = start + self._s(0.55, 0.9)
        off = on + self._s(0.3, 0.8)
        left = off + self._s(0.5, 0.75)
        x, y = self.spec.grid.centre_mm(well)
        keys = (
            self._outside(player, start, x),
            HandKey(on, x, y, AT_SPHERE_Z_MM),
            HandKey(off, x, y, AT_SPHERE_Z_MM),
            self._outside(player, left, x),
        )
        grams = self._draw(TOUCH_G)
        push = Push(on, off, self.spec.place_mm(well), grams, waver_g=grams * 0.2, phase=x, fingers=True)
        none = Tell(on, {"kind": "none", "what": "touched"})
        return Plan(player, left, (none,), (push,), (HandPath(player, keys),), quiet_until=start)

    def lean_short(self, t: float, player: Side, side: Side, spheres: Spheres) -> Plan:
        """An elbow on the board, for less than a second."""
        plan = self.lean(t, player, side, self._draw(LEAN_SHORT_S), spheres)
        return replace(plan, steps=(Tell(plan.pushes[0].t0, {"kind": "none", "what": "leaned"}), *plan.steps))

    def nudge(self, t: float, player: Side, move: Move, via: int, rolled: bool, truth: Sequence[Truth]) -> Plan:
        """A sphere is set down in a well, and taken or pushed on to the next one without letting go of it."""
        start = now = t + self._s(0.7, 1.4)
        (x, y), (vx, vy), (tx, ty) = (self.spec.grid.centre_mm(w) for w in (move.from_well, via, move.to_well))
        keys = [self._outside(player, now, x)]
        now += self._s(0.55, 0.9)
        keys.append(HandKey(now, x, y, AT_SPHERE_Z_MM))
        grip = self._s(0.2, 0.32)
        now += grip
        first = Carry(move.from_well, via)
        pushes = [self._grip(now, grip, first)]
        steps: list[Step] = [Lift(now, move.from_well)]
        keys.append(HandKey(now + 0.03, x, y, AT_SPHERE_Z_MM))
        travel = self._s(1.2, 1.8)
        keys.append(HandKey(now + 0.5 * travel, (x + vx) / 2, (y + vy) / 2, CARRY_Z_MM))
        now += travel
        keys.append(HandKey(now, vx, vy, AT_SPHERE_Z_MM))
        dwell = self._draw(DWELL_S)
        steps.append(Place(now, via))
        pushes += self._landing(now, dwell, first)
        now += dwell
        keys.append(HandKey(now, vx, vy, AT_SPHERE_Z_MM))
        onward = self._s(0.35, 0.7)
        if rolled:
            steps.append(Roll(now, now + onward, via, move.to_well))
        else:
            steps += [Lift(now, via), Place(now + onward, move.to_well)]
        now += onward
        keys.append(HandKey(now, tx, ty, AT_SPHERE_Z_MM))
        release = self._s(0.12, 0.28)
        pushes += self._landing(now, release, Carry(via, move.to_well))
        now += release
        keys.append(HandKey(now, tx, ty, AT_SPHERE_Z_MM))
        steps += [Tell(now + 0.02, line) for line in truth]
        left = now + self._s(0.5, 0.75)
        keys.append(self._outside(player, left, tx))
        path = HandPath(player, tuple(keys))
        return Plan(player, left, Plan.ordered(*steps), tuple(pushes), (path,), quiet_until=start)

    def quick_reply(self, t: float, player: Side, pair: tuple[Move, Move], truth: tuple[Truth, Truth]) -> Plan:
        """A move, and a reply whose hand comes while the first is still on its way out."""
        first, second = (
            self.carry(t, side, [Carry(m.from_well, m.to_well)], [line], think=(0.3, 0.6))
            for side, m, line in zip((player, player.other), pair, truth, strict=True)
        )
        placed = next(step.t for step in first.steps if isinstance(step, Place))
        lifted = next(step.t for step in second.steps if isinstance(step, Lift))
        second = _shifted(_by_hand(second, 1, player.other), placed + self._draw(REPLY_AFTER_S) - lifted)
        return _together(first, second)

    def capture_with_both(self, t: float, player: Side, move: Move, sphere: int, truth: Sequence[Truth]) -> Plan:
        """One hand takes the captured sphere and keeps it over the board until the other has made the move."""
        start = t + self._s(0.7, 1.4)
        x, y = self.spec.grid.centre_mm(move.to_well)
        at = start + self._s(0.55, 0.9)
        grip = self._s(0.2, 0.32)
        lift = at + grip
        aside = Carry(move.to_well, None, sphere, step="remove")
        away = self._s(0.5, 0.8)
        sign = 1 if x < 0 else -1
        over = (max(-120.0, min(120.0, x + sign * 90.0)), y)
        own = self.carry(lift + away - 0.2, player, [Carry(move.from_well, move.to_well)], (), think=(0.0, 0.1))
        own = _by_hand(own, 1, player)
        done = own.end
        ax, ay = self._at(aside, False)
        put = done + self._s(0.7, 1.0)
        left = put + self._s(0.5, 0.7)
        keys = (
            self._outside(player, start, x),
            HandKey(at, x, y, AT_SPHERE_Z_MM),
            HandKey(lift + 0.03, x, y, AT_SPHERE_Z_MM),
            HandKey(lift + away, *over, CARRY_Z_MM),
            HandKey(done, *over, CARRY_Z_MM),
            HandKey(put, ax, ay, AT_SPHERE_Z_MM),
            self._outside(player, left, ax),
        )
        steps: list[Step] = [Lift(lift, move.to_well, step="remove"), PutAside(put, ax, ay)]
        # The capture is made once the other hand has set its sphere down, whatever becomes of the captured one.
        made = max(step.t for step in own.steps if isinstance(step, Place)) + 0.02
        steps += [Tell(made, line) for line in truth]
        removal = Plan(
            player,
            left,
            Plan.ordered(*steps),
            (self._grip(lift, grip, aside),),
            (HandPath(player, keys),),
            quiet_until=start,
        )
        return _together(removal, own)

    def sweep_along(self, t: float, player: Side, moves: Sequence[Move]) -> Plan:
        """A sleeve takes some spheres along, each to a neighbouring well."""
        start = t + self._s(0.4, 1.0)
        now = start + self._s(0.5, 0.8)
        keys = [self._outside(player, start, 0.0)]
        steps: list[Step] = [Tell(now, {"kind": "none", "what": "sleeve"})]
        for move in moves:
            x, y = self.spec.grid.centre_mm(move.to_well)
            keys.append(HandKey(now, x, y, 40.0))
            took = self._draw((0.15, 0.3))
            steps.append(Roll(now, now + took, move.from_well, move.to_well))
            now += took + self._draw((0.03, 0.1))
        left = now + self._s(0.5, 0.8)
        keys.append(self._outside(player, left, 0.0))
        path = HandPath(player, tuple(keys), flat=True)
        return Plan(player, left, Plan.ordered(*steps), (), (path,), quiet_until=start)

    def put_thing(self, t: float, player: Side, side: Side, thing: Thing, seconds: float) -> Plan:
        """A thing is put on the board, stays for a while, and is taken away again."""
        start = t + self._s(0.4, 1.0)
        on = start + self._s(0.6, 1.0)
        away = on + self._s(0.5, 0.8)
        back = on + seconds
        off = back + self._s(0.6, 0.9)
        left = off + self._s(0.5, 0.8)
        x, y = thing.x_mm, thing.y_mm
        arriving = (self._outside(side, start, x), HandKey(on, x, y, 40.0), self._outside(side, away, x))
        taking = (self._outside(side, back, x), HandKey(off, x, y, 40.0), self._outside(side, left, x))
        none = Tell(on, {"kind": "none", "what": "strange_sphere" if thing.letter else "cup", "t_end": round(left, 3)})
        steps = Plan.ordered(none, PutOn(on + 0.02, thing), TakeAway(off, thing.name))
        return Plan(player, left, steps, (), (HandPath(side, arriving), HandPath(side, taking)), quiet_until=start)

    def knock_over(self, t: float, player: Side) -> Plan:
        """Somebody hits the table so hard that the board tips, with no hand near it."""
        at = t + self._s(1.6, 2.2)
        push = Push(at, at + 0.6, self._draw((30.0, 60.0)), KNOCK_OVER_G, rise_s=0.02)
        return Plan(player, at + 3.0, (), (push,), quiet_until=at)


def _shifted(plan: Plan, by: float) -> Plan:
    """The same, so much later."""
    steps = tuple(replace(step, t=step.t + by) for step in plan.steps)
    pushes = tuple(replace(push, t0=push.t0 + by, t1=push.t1 + by) for push in plan.pushes)
    paths = tuple(replace(p, keys=tuple(replace(k, t=k.t + by) for k in p.keys)) for p in plan.hands)
    return Plan(plan.player, plan.end + by, steps, pushes, paths, plan.quiet_until + by)


def _by_hand(plan: Plan, hand: int, player: Side) -> Plan:
    """The same with another hand, whose owner answers for it."""
    steps = tuple(
        replace(step, hand=hand, player=player) if isinstance(step, Lift | Place) else step for step in plan.steps
    )
    return replace(plan, steps=steps)


def _together(one: Plan, two: Plan) -> Plan:
    """Both at once, each with one hand; the turn is the first one's."""
    return Plan(
        one.player,
        max(one.end, two.end),
        Plan.ordered(*one.steps, *two.steps),
        (*one.pushes, *two.pushes),
        (*one.hands, *two.hands),
        min(one.quiet_until, two.quiet_until),
    )
