"""The course of events at the table: games after games, with mistakes, wishes from outside, and setting up again.

A course is a generator: it yields plans and is sent how each came out. What it decides depends on the world it looks
at and on the draws of its people, never on a clock.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Never

from companion.rules import (
    Match,
    Move,
    Outcome,
    Position,
    Reason,
    Side,
    Termination,
    legal_moves,
    outcome,
    play,
    why_illegal,
)
from companion.rules.position_text import ranks_text
from companion.rules.wells import N_WELLS
from companion.simulator.actions import Action, Bump, HandMove, Lean, Overruled, Plan, Tip, Truth
from companion.simulator.hands import Carry
from companion.simulator.odd_hands import OddHands
from companion.simulator.odd_turns import odd_turn
from companion.simulator.people import Player, Slip
from companion.simulator.putting_right import is_right, ways_back
from companion.simulator.statics import WHITE_SPHERES, Spheres
from companion.simulator.world import Ended, World

PUT_RIGHT_AFTER_S = 4.0
"""So long a position that is wrong by a wish from outside stands before the players put it right."""
OPENING_S = 2.0
"""Still time before the first move."""
ASIDE_S = 8.0
"""So long a sphere that was taken off by a wish from outside may lie beside the board."""

AT_ONCE = (0.1, 0.2)
NOTICED_S = (0.8, 1.4)
THINK_S = (0.7, 1.4)
"""Time before the hand comes, when it is wished for, after one's own mistake, and for a move."""

Course = Generator[Plan, Ended, None]
Told = Generator[Plan, Ended, Ended]


@dataclass(frozen=True, slots=True)
class Situation:
    """Where a game stands: the position, the well of a sphere that was lifted and so must move, and whether something
    has gone wrong in this turn already."""

    position: Position
    must_move: int | None = None
    slipped: bool = False


class GameEnded(Exception):
    """No error, but the way out of a game from wherever it ends."""

    def __init__(self, result: Outcome) -> None:
        self.result = result
        super().__init__(result.termination)


class People:
    """The two players at one table."""

    def __init__(
        self,
        world: World,
        hands: OddHands,
        player: Player,
        next_wish: Callable[[], Action | None],
        match: Match,
        playing: frozenset[Side],
    ) -> None:
        self.world = world
        self.hands = hands
        self.player = player
        self.match = match
        self.games_over = 0
        self.playing = playing
        """Sides that the simulated players move by themselves; the other ones wait for a wish."""
        self._rules = match.rules
        self._next_wish = next_wish
        self._next_match: Match | None = None
        self._now = Situation(Position.start(match.first_of_next_game))

    @property
    def position(self) -> Position:
        """The position as the rules have it."""
        return self._now.position

    def course(self, resumed: Position | None = None) -> Course:
        """Game after game, without end; the first may go on from a position in the middle of a game."""
        self._now = Situation(resumed or Position.start(self.match.first_of_next_game))
        yield self.hands.wait(self.world.t, self.position.side, OPENING_S, [self._start()])
        while True:
            self.player.new_game()
            try:
                yield from self.put_right_if_wrong()
                while True:
                    yield from self._turn()
            except GameEnded as end:
                result = end.result
            self.games_over += 1
            self.match = self._next_match or self.match.after(result)
            self._next_match = None
            if self.match.over:
                self.match = Match(self._rules)
            yield from self._set_up()

    # One turn

    def _turn(self) -> Course:
        wish = self._next_wish()
        if wish is not None:
            yield from self._fulfil(wish)
        elif self.position.side not in self.playing:
            yield self.hands.wait(self.world.t, self.position.side, 0.3)
        else:
            yield from self._own_turn()

    def _own_turn(self) -> Course:
        """The player to move does something; if a wish comes up while they still think, they let it go first."""
        t, side, spheres = self.world.t, self.position.side, self.world.spheres
        slip = None if self._now.slipped else self.player.slip()
        self._now = replace(self._now, slipped=slip is not None or self._now.slipped)
        if slip is Slip.HELD:
            yield from self.play_out(self.hands.lean(t, side, side, self.player.seconds(1.5, 3.0), spheres))
        elif slip is Slip.BUMP:
            yield from self.play_out(self.hands.bump(t, side, spheres))
        elif slip is Slip.HOVER:
            yield from self.play_out(self.hands.hover(t, side, self.player.side()))
        elif slip in (Slip.ILLEGAL, Slip.ROLLED, Slip.PUT_BACK):
            yield from self._err(slip)
        elif slip is not None and slip is not Slip.CARELESS:
            yield from odd_turn(self, slip)
        else:
            move = self.player.choose(self.position, spheres, self._now.must_move)
            yield from self.make(move, careless=slip is Slip.CARELESS)

    def make(self, move: Move, careless: bool = False, aside: bool = False, wished: bool = False) -> Told:
        """A legal move; with `aside` the captured sphere has already been removed, if `wished` nothing puts it off."""
        carries = [Carry(move.from_well, move.to_well, careless=careless)]
        if move.capture and not aside:
            sphere = self.world.spheres[move.to_well]
            carries.insert(0, Carry(move.to_well, None, sphere, step="remove", careless=careless))
        side = self.position.side
        after = play(self.position, move)
        truth: list[Truth] = [{"kind": "move", "player": str(side), "move": str(move), "position": after.text()}]
        result = outcome(after, self._rules)
        if result is not None:
            truth.append(_game_over(result))
        think = AT_ONCE if wished else THINK_S
        plan = self.hands.carry(self.world.t, side, carries, truth, think)
        ended = yield from self.surely(plan) if wished or aside else self.play_out(plan)
        if ended is Ended.DONE:
            self._now = Situation(after)
            if result is not None:
                raise GameEnded(result)
        return ended

    # Mistakes

    def _err(self, slip: Slip) -> Course:
        position, spheres, t = self.position, self.world.spheres, self.world.t
        side = position.side
        if slip is Slip.ILLEGAL and (blunder := self.player.blunder(position, spheres)):
            move = blunder.move
            plan = self.hands.carry(
                t, side, [Carry(move.from_well, move.to_well)], [self.illegal(move, blunder.reason)]
            )
        elif slip is Slip.ROLLED and (rolled := self.player.rolled(position, spheres)):
            move = rolled
            plan = self.hands.roll(t, side, move.from_well, move.to_well, [self.illegal(move, Reason.ROLLED)])
        elif slip is Slip.PUT_BACK and (well := self.player.hesitated(position, spheres)) is not None:
            move = Move(well, well)
            plan = self.hands.carry(t, side, [Carry(well, well)], [self.illegal(move, Reason.PUT_BACK)])
        else:
            return
        if (yield from self.play_out(plan)) is not Ended.DONE:
            return
        self.must_move(move.from_well)
        if move.from_well != move.to_well:
            back = [Carry(move.to_well, move.from_well)]
            yield from self.surely(self.hands.carry(self.world.t, side, back, [self.restored()], NOTICED_S))

    def go_on_from(self, position: Position) -> None:
        """A turn is over and this is the position now. Raises GameEnded where that ends the game."""
        self._now = Situation(position)
        result = outcome(position, self._rules)
        if result is not None:
            self.end(result)

    def end(self, result: Outcome) -> Never:
        """The way out of a game from wherever it ends."""
        raise GameEnded(result)

    def must_move(self, well: int) -> None:
        """Who has lifted a sphere must move it, if it can move at all."""
        if any(move.from_well == well for move in legal_moves(self.position)):
            self._now = replace(self._now, must_move=well)

    # Wishes from outside

    def _fulfil(self, wish: Action) -> Course:
        t, side, spheres = self.world.t, self.position.side, self.world.spheres
        if isinstance(wish, Lean):
            yield from self.surely(self.hands.lean(t, side, wish.side, wish.seconds, spheres))
        elif isinstance(wish, Bump):
            yield from self.surely(self.hands.bump(t, side, spheres))
        elif isinstance(wish, Tip):
            yield from self._tip_over()
        elif isinstance(wish, Overruled):
            self._obey(wish)
            yield from self.put_right_if_wrong()
        else:
            yield from self._move_by_hand(wish)

    def _obey(self, wish: Overruled) -> None:
        """The game goes on from another position, or it is over."""
        if wish.result is not None:
            self._next_match = wish.match
            raise GameEnded(wish.result)
        if wish.match is not None and wish.match.games < self.match.games:
            self.games_over -= 1  # its end has been taken back
        self.match = wish.match or self.match
        if wish.position is not None and wish.position != self.position:
            self._now = Situation(wish.position)

    def _tip_over(self) -> Course:
        white = self.position.side is Side.WHITE
        own = [well for well, sphere in self.world.spheres.items() if (sphere in WHITE_SPHERES) == white]
        well = max(own, key=lambda w: abs(self.world.spec.place_mm(w)))
        carry = Carry(well, well, forced=True)
        yield from self.surely(self.hands.carry(self.world.t, self.position.side, [carry], think=AT_ONCE))

    def _move_by_hand(self, wish: HandMove) -> Course:
        """Does a wished move and judges it as the rules would."""
        spheres, position = self.world.spheres, self.position
        if not self._possible(wish):
            return
        if wish.to_well is None:
            yield from self._take_off(wish.from_well)
            return
        enemy = bool(position.coloured(position.side.other) >> wish.to_well & 1)
        move = Move(wish.from_well, wish.to_well, capture=enemy)
        if move in legal_moves(position):
            yield from self.make(move, wished=True)
            return
        carries = [Carry(move.from_well, move.to_well)]
        if enemy:
            carries.insert(0, Carry(move.to_well, None, spheres[move.to_well], step="remove"))
        reason, player = why_illegal(position, move)[0], position.side
        if reason is Reason.OPPONENTS_SPHERE and move in legal_moves(position.with_side(player.other)):
            # A good move of the other player's, but out of turn.
            reason, player = Reason.NOT_YOUR_TURN, player.other
        truth = [self.illegal(move, reason, player)]
        plan = self.hands.carry(self.world.t, position.side, carries, truth, AT_ONCE, player)
        yield from self.surely(plan)
        if position.spheres(position.side) >> move.from_well & 1:
            self.must_move(move.from_well)
        yield from self.put_right_if_wrong()

    def _possible(self, wish: HandMove) -> bool:
        """Whether a hand could do it: a sphere to lift, and room (or the sphere to be captured) where it goes."""
        spheres, to_well = self.world.spheres, wish.to_well
        if wish.from_well not in spheres:
            return False
        if to_well is None or to_well == wish.from_well:
            return True
        enemy = self.position.coloured(self.position.side.other)
        return 0 <= to_well < N_WELLS and (to_well not in spheres or bool(enemy >> to_well & 1))

    def _take_off(self, well: int) -> Course:
        """A sphere is laid beside the board: the first half of a capture, or an odd thing to do."""
        position, side = self.position, self.position.side
        sphere = self.world.spheres[well]
        enemy = bool(position.coloured(side.other) >> well & 1)
        carry = Carry(well, None, sphere, step="remove" if enemy else "lift")
        yield from self.surely(self.hands.carry(self.world.t, side, [carry], (), AT_ONCE))
        captures = [move for move in legal_moves(position) if enemy and move.capture]
        until = self.world.t + (ASIDE_S if captures else PUT_RIGHT_AFTER_S)
        while self.world.t < until:
            wish = self._next_wish()
            wished = [m for m in captures if isinstance(wish, HandMove) and wish == HandMove(m.from_well, m.to_well)]
            if wished:
                yield from self.make(wished[0], aside=True)
                return
            if isinstance(wish, Overruled):
                self._obey(wish)
                return
            if isinstance(wish, Lean | Bump | Tip):
                yield from self._fulfil(wish)
            yield from self._wait(0.25)
        if captures:
            yield from self.make(captures[0], aside=True)
            return
        truth = self.set_back(well)
        yield from self.surely(self.hands.carry(self.world.t, side, [Carry(None, well, sphere)], truth, AT_ONCE))
        self.must_move(well)

    def set_back(self, well: int) -> list[Truth]:
        """What a sphere that was lifted and set back comes to: one that cannot move is right again at once."""
        position, side = self.position, self.position.side
        if any(move.from_well == well for move in legal_moves(position)):
            return [self.illegal(Move(well, well), Reason.PUT_BACK)]
        reason = Reason.PUT_BACK
        if not position.spheres(side) >> well & 1:
            reason = Reason.OPPONENTS_SPHERE
        elif position.resting(side) >> well & 1:
            reason = Reason.SAME_SPHERE_TWICE
        return [self.illegal(Move(well, well), reason), self.restored()]

    # Putting right, and setting up

    def put_right_if_wrong(self) -> Course:
        """Waits for somebody to put the board right; after a while the players do it themselves."""
        until = self.world.t + PUT_RIGHT_AFTER_S
        while not self._is_right(self.world.spheres):
            wish = self._next_wish()
            if isinstance(wish, HandMove) and wish.to_well is not None and self._possible(wish):
                after = dict(self.world.spheres)
                after[wish.to_well] = after.pop(wish.from_well)
                truth = [self.restored()] if self._is_right(after) else []
                carry = Carry(wish.from_well, wish.to_well)
                yield from self.surely(self.hands.carry(self.world.t, self.position.side, [carry], truth, AT_ONCE))
                until = self.world.t + PUT_RIGHT_AFTER_S
            elif isinstance(wish, Overruled):
                self._obey(wish)
            elif isinstance(wish, Lean | Bump | Tip):
                yield from self._fulfil(wish)
            elif self.world.t < until:
                yield from self._wait(0.25)
            else:
                carries = ways_back(self.world.spheres, self.position.letters(), self.world.loose)
                truth = [self.restored()]
                yield from self.surely(self.hands.carry(self.world.t, self.position.side, carries, truth, AT_ONCE))

    def _is_right(self, spheres: Spheres) -> bool:
        return is_right(spheres, self.position.letters())

    def _set_up(self) -> Course:
        """The result is looked at, then the board is set up again for the next game."""
        first = self.match.first_of_next_game
        look = self.hands.wait(self.world.t, first, 2.5)
        yield replace(look, hands=self.world.retreat, quiet_until=0.0)
        self._now = Situation(Position.start(first))
        tipped = bool(self.world.board.tipped_toward)
        plan = self.hands.set_up(self.world.t, first, self.world.spheres, tipped, [self._start()])
        yield replace(plan, quiet_until=0.0)
        wishes = iter(self._next_wish, None)
        # What else was wished for while the board was being set up was meant for the game before
        overruled = [wish for wish in wishes if isinstance(wish, Overruled)]
        if overruled and overruled[-1].position is not None:
            self._obey(overruled[-1])

    # Playing plans

    def play_out(self, plan: Plan) -> Told:
        """Plays a plan; a crash ends the game."""
        ended = yield plan
        if ended is Ended.CRASHED:
            loser = self.world.crash_player
            result = self._rules.outcome(Termination.CRASH, loser.other)
            toward = "high" if self.world.board.tipped_toward > 0 else "low"
            t = round(self.world.t, 3)
            crash: Truth = {"t": t, "kind": "crash", "player": str(loser), "step": self.world.crash_step}
            self.world.truth.append({**crash, "t_onset": round(self.world.board.onset, 3), "toward": toward})
            self.world.truth.append({"t": t, **_game_over(result)})
            raise GameEnded(result)
        return ended

    def surely(self, plan: Plan) -> Told:
        """Plays a plan that no wish may put off."""
        return (yield from self.play_out(replace(plan, quiet_until=0.0)))

    def _wait(self, seconds: float) -> Told:
        return (yield from self.surely(self.hands.wait(self.world.t, self.position.side, seconds)))

    # Lines of the truth

    def _start(self) -> Truth:
        return {"kind": "start", "position": self.position.text()}

    def restored(self) -> Truth:
        return {"kind": "restored", "position": self.position.text()}

    def illegal(self, move: Move, reason: Reason, player: Side | None = None) -> Truth:
        letters = self.position.letters()
        letters[move.to_well] = letters.pop(move.from_well)
        line: Truth = {"kind": "illegal", "player": str(player or self.position.side), "move": str(move)}
        return {**line, "reason": str(reason), "placement": ranks_text(letters)}


def _game_over(result: Outcome) -> Truth:
    winner = None if result.winner is None else str(result.winner)
    return {"kind": "game_over", "winner": winner, "termination": str(result.termination), "points": result.points}
