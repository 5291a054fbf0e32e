"""Turns in which something odd happens, and what the rules make of it."""

from collections.abc import Generator
from math import dist
from typing import TYPE_CHECKING, Any

from companion.rules import Move, Outcome, Reason, Side, Termination, legal_moves, outcome, play
from companion.simulator.actions import Plan, Thing, Truth
from companion.simulator.hands import Carry
from companion.simulator.people import Slip
from companion.simulator.putting_right import ways_back
from companion.simulator.statics import balance_of
from companion.simulator.world import Ended, beside

if TYPE_CHECKING:
    from companion.simulator.course import People

NOTICED_S = (0.8, 1.4)
"""Time after which one's own mistake is put right."""
CUP_G = (30.0, 250.0)
CUP_RADIUS_MM = 28.0
CUP_S = (3.0, 9.0)
STRANGE_SPHERE_S = (3.0, 7.0)
KEPT_MM = 0.8
"""What is put on the board leaves at least so much margin."""

Course = Generator[Plan, Ended, None]


def odd_turn(people: "People", slip: Slip) -> Course:
    """Lets it happen, if it can in this position; the turn itself goes on afterwards unless it was made."""
    if slip in ILLEGAL_BY:
        yield from _illegal(people, ILLEGAL_BY[slip])
    else:
        yield from ODD_TURNS[slip](people)


def _illegal(people: "People", reason: Reason) -> Course:
    """A sphere goes where it may not: with what stood there taken off first, or by the player whose turn it is not."""
    position, spheres = people.position, people.world.spheres
    side = hand = position.side
    if reason is Reason.NOT_YOUR_TURN:
        hand = side.other
        move = people.player.out_of_turn(position, spheres)
    else:
        blunder = people.player.blunder(position, spheres, [reason])
        move = None if blunder is None else blunder.move
    if move is None:
        return
    carries = [Carry(move.from_well, move.to_well)]
    taken = spheres.get(move.to_well)
    if taken is not None:
        carries.insert(0, Carry(move.to_well, None, taken, step="remove"))
    truth = [people.illegal(move, reason, hand)]
    plan = people.hands.carry(people.world.t, side, carries, truth, hand=hand)
    if (yield from people.play_out(plan)) is not Ended.DONE:
        return
    if hand is side and reason is not Reason.OPPONENTS_SPHERE:
        people.must_move(move.from_well)
    back = ways_back(people.world.spheres, position.letters(), people.world.loose)
    if taken is not None:
        back = [Carry(move.to_well, move.from_well), Carry(None, move.to_well, taken)]
    yield from people.surely(people.hands.carry(people.world.t, side, back, [people.restored()], NOTICED_S, hand=hand))


def _set_back_fixed(people: "People") -> Course:
    """A sphere that has no move is lifted and set back."""
    well = people.player.fixed(people.position, people.world.spheres)
    if well is not None:
        truth = people.set_back(well)
        yield from people.play_out(people.hands.carry(people.world.t, people.position.side, [Carry(well, well)], truth))


def _fidgeted(people: "People") -> Course:
    """Whose turn it is not lifts a sphere and sets it back."""
    position, spheres = people.position, people.world.spheres
    other = position.side.other
    own = [w for w in sorted(spheres) if position.spheres(other) >> w & 1 and people.player.bears(spheres, Move(w, w))]
    move = people.player.one_of([Move(w, w) for w in own])
    if move is not None:
        truth = [people.illegal(move, Reason.NOT_YOUR_TURN, other), people.restored()]
        carries = [Carry(move.from_well, move.to_well)]
        yield from people.play_out(people.hands.carry(people.world.t, position.side, carries, truth, hand=other))


def _touched(people: "People") -> Course:
    wells = sorted(people.world.spheres)
    well = wells[int(people.player.seconds(0, len(wells) - 1e-6))]
    yield from people.play_out(people.hands.touch(people.world.t, people.position.side, well))


def _leaned(people: "People") -> Course:
    side = people.position.side
    yield from people.play_out(
        people.hands.lean_short(people.world.t, side, people.player.side(), people.world.spheres)
    )


def _other_holds(people: "People") -> Course:
    other = people.position.side.other
    seconds = people.player.seconds(1.5, 3.0)
    yield from people.play_out(people.hands.lean(people.world.t, other, other, seconds, people.world.spheres))


def _quick_reply(people: "People") -> Course:
    position = people.position
    pair = people.player.quick_pair(position, people.world.spheres)
    if pair is None:
        return
    between = play(position, pair[0])
    after = play(between, pair[1])
    if outcome(between) is not None or outcome(after) is not None:
        return
    truth = (
        _moved(position.side, pair[0], between.text(), "quick"),
        _moved(between.side, pair[1], after.text(), "quick"),
    )
    plan = people.hands.quick_reply(people.world.t, position.side, pair, truth)
    if (yield from people.play_out(plan)) is Ended.DONE:
        people.go_on_from(after)


def _nudged(people: "People") -> Course:
    position = people.position
    found = people.player.detour(position, people.world.spheres)
    if found is None:
        return
    move, via = found
    after = play(position, move)
    if outcome(after) is not None:
        return
    rolled = people.player.side() is Side.WHITE
    truth = [_moved(position.side, move, after.text(), "nudged")]
    plan = people.hands.nudge(people.world.t, position.side, move, via, rolled, truth)
    if (yield from people.play_out(plan)) is Ended.DONE:
        people.go_on_from(after)


def _untidy_capture(people: "People") -> Course:
    """The captured sphere is left at the edge of the table, or kept over the board till the end."""
    position, world = people.position, people.world
    captures = [m for m in legal_moves(position) if m.capture and people.player.bears(world.spheres, m)]
    if not captures:
        return
    move = captures[0]
    sphere = world.spheres[move.to_well]
    after = play(position, move)
    result = outcome(after)
    assert result is not None
    over = {"winner": str(result.winner), "termination": str(result.termination), "points": result.points}
    truth = [_moved(position.side, move, after.text(), "untidy"), {"kind": "game_over", **over}]
    if people.player.side() is Side.WHITE:
        x, _ = beside(sphere, 0)
        _, y = people.world.spec.grid.centre_mm(move.to_well)
        aside = Carry(move.to_well, None, sphere, step="remove", aside_mm=(x * 0.88, y))
        carries = [aside, Carry(move.from_well, move.to_well)]
        plan = people.hands.carry(world.t, position.side, carries, truth)
    else:
        plan = people.hands.capture_with_both(world.t, position.side, move, sphere, truth)
    if (yield from people.play_out(plan)) is Ended.DONE:
        people.go_on_from(after)


def _sleeve(people: "People") -> Course:
    position = people.position
    moves = people.player.swept(people.world.spheres)
    if not moves:
        return
    plan = people.hands.sweep_along(people.world.t, position.side, moves)
    if (yield from people.play_out(plan)) is Ended.DONE:
        back = ways_back(people.world.spheres, position.letters(), people.world.loose)
        if back:
            none: Truth = {"kind": "none", "what": "put_right"}
            yield from people.surely(people.hands.carry(people.world.t, position.side, back, [none], NOTICED_S))


def _cup(people: "People") -> Course:
    """A cup is put on the board, but not at a player's own edge: there it looks and weighs like a hand that rests."""
    grid = people.world.spec.grid
    wide, deep = grid.size_mm[0] / 2 - CUP_RADIUS_MM, grid.pitch_mm * 0.6
    x, y = people.player.seconds(-wide, wide), people.player.seconds(-deep, deep)
    thing = Thing("cup", x, y, people.player.seconds(*CUP_G), CUP_RADIUS_MM, 40.0)
    room = CUP_RADIUS_MM + grid.sphere_diameter_mm / 2 + 2.0
    near = any(dist((x, y), grid.centre_mm(well)) < room for well in people.world.spheres)
    if near or not _bears_thing(people, thing):
        return
    side = people.player.side()
    seconds = people.player.seconds(*CUP_S)
    yield from people.play_out(people.hands.put_thing(people.world.t, people.position.side, side, thing, seconds))


def _strange_sphere(people: "People") -> Course:
    """One too many: from another box it comes, and into a free well it goes."""
    grid, spheres = people.world.spec.grid, people.world.spheres
    free = [w for w in range(grid.wells) if w not in spheres]
    well = free[int(people.player.seconds(0, len(free) - 1e-6))]
    x, y = grid.centre_mm(well)
    letter = "w" if people.player.side() is Side.WHITE else "b"
    thing = Thing("sphere", x, y, 20.0, grid.sphere_diameter_mm / 2, grid.sphere_diameter_mm, letter)
    if not _bears_thing(people, thing):
        return
    side, seconds = people.player.side(), people.player.seconds(*STRANGE_SPHERE_S)
    yield from people.play_out(people.hands.put_thing(people.world.t, people.position.side, side, thing, seconds))


def _crash(people: "People") -> Course:
    """The board tips at one step of a move, whichever that is."""
    position, world = people.position, people.world
    moves = legal_moves(position)
    captures = [m for m in moves if m.capture]
    move = people.player.one_of(captures or moves)
    if move is None:
        return
    count = 3 if move.capture else 2
    fails = int(people.player.seconds(0, count - 1e-6)) + (3 - count)
    own = Carry(move.from_well, move.to_well, forced=fails == 1, slammed=fails == 2)
    carries = [own]
    if move.capture:
        carries.insert(0, Carry(move.to_well, None, world.spheres[move.to_well], step="remove", forced=fails == 0))
    ended = yield from people.play_out(people.hands.carry(world.t, position.side, carries))
    if ended is Ended.DONE:
        # It did not tip after all: a move like any other.
        world.truth.append({"t": round(world.t, 3), **_moved(position.side, move, play(position, move).text(), "late")})
        people.go_on_from(play(position, move))


def _knocked_over(people: "People") -> Course:
    ended = yield people.hands.knock_over(people.world.t, people.position.side)
    if ended is Ended.CRASHED:
        people.world.truth.append({"t": round(people.world.t, 3), "kind": "question", "about": "crash"})
        people.end(Outcome(None, Termination.VOID, 0))


def _moved(player: Side, move: Move, position: str, how: str) -> dict[str, Any]:
    return {"kind": "move", "player": str(player), "move": str(move), "position": position, "how": how}


def _bears_thing(people: "People", thing: Thing) -> bool:
    spec = people.world.spec
    balance = balance_of(spec, people.world.spheres)
    place = thing.y_mm if spec.axis == "ranks" else thing.x_mm
    total, moment = balance.total_g + thing.mass_g, balance.moment_g_mm + thing.mass_g * place
    return spec.half_spacing_mm - abs(moment / total) > KEPT_MM


ILLEGAL_BY = {
    Slip.OPPONENTS_SPHERE: Reason.OPPONENTS_SPHERE,
    Slip.OUT_OF_TURN: Reason.NOT_YOUR_TURN,
    Slip.PLAIN_CAPTURE: Reason.PLAIN_CAPTURE,
    Slip.OCCUPIED: Reason.OCCUPIED,
}
ODD_TURNS = {
    Slip.SET_BACK_FIXED: _set_back_fixed,
    Slip.FIDGETED: _fidgeted,
    Slip.TOUCHED: _touched,
    Slip.LEANED: _leaned,
    Slip.OTHER_HOLDS: _other_holds,
    Slip.QUICK_REPLY: _quick_reply,
    Slip.NUDGED: _nudged,
    Slip.UNTIDY_CAPTURE: _untidy_capture,
    Slip.SLEEVE: _sleeve,
    Slip.CUP: _cup,
    Slip.STRANGE_SPHERE: _strange_sphere,
    Slip.CRASH: _crash,
    Slip.KNOCKED_OVER: _knocked_over,
}
