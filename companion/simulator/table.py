"""A table made of software: it gives samples and pictures in order of time, and beside them the truth."""

from collections import deque
from collections.abc import Iterator, Mapping
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput
from companion.rules import Match, MatchRules, Position, Side
from companion.rules.wells import N_WELLS
from companion.simulator.actions import Action, Truth
from companion.simulator.board import TICK_S
from companion.simulator.cells import SPIKES, Cells
from companion.simulator.course import People
from companion.simulator.mishaps import LiveMishaps
from companion.simulator.odd_hands import OddHands
from companion.simulator.people import SLIPS, Player, Slip
from companion.simulator.picture import Camera, camera_for
from companion.simulator.reading_model import ModelReader
from companion.simulator.settings import SimulatedSettings, simulated_settings
from companion.simulator.statics import SPHERE_LETTERS, Spheres, make_board
from companion.simulator.world import Ended, World
from firmware_bridge.samples import RawSample
from vision.frames import Frame

RATES_HZ = (10, 80)
UNDRAWN_SHAPE = (64, 64, 3)
"""Of a picture that is not drawn, all of one grey, which changes from picture to picture as a living camera's do."""
LAST_LOOK_S = 2.0
"""After the last game a table goes on for so long."""


class SimulatedTable:
    """Iterates `RawSample | Frame` in order of time, from t = 0, for ever or until `games` games are over.

    The same arguments give the same bytes. It can be gone through once, but a loop that was left can be taken up again.
    Nothing here waits: whoever iterates sets the pace. `ask` may be called from any thread. `truth` grows as things can
    first be known, in the shape of a recording's truth.jsonl.

    `mistakes` is the share of turns in which something goes wrong, `slips` says what; `noise` multiplies the noise of
    loads and pictures;
    `pace` 2 makes hands twice as fast; `frames_per_second` 0 gives no pictures, and where
    they are not `drawn` they are grey, for a reader that looks at the scene instead (`model_reader`). `position`
    begins in the middle of a game, `standing` (letters by well) says what stands on the board then if it is not yet
    put right. Sides not in `playing` are not moved by the simulated players. Raises BadInput on a rate other than 10 or
    80.
    """

    def __init__(
        self,
        seed: int = 0,
        games: int | None = None,
        mistakes: float = 0.0,
        *,
        rate_hz: int = 80,
        frames_per_second: float = 5.0,
        noise: float = 1.0,
        spikes: float = SPIKES,
        position: Position | None = None,
        standing: dict[int, str] | None = None,
        first: Side = Side.WHITE,
        match: Match | None = None,
        axis: str = "ranks",
        half_spacing_mm: float = 6.0,
        sphere_mass_g: float = 20.0,
        board_mass_g: float = 500.0,
        pace: float = 1.0,
        playing: frozenset[Side] = frozenset(Side),
        slips: Mapping[Slip, float] = SLIPS,
        drawn: bool = True,
    ) -> None:
        if rate_hz not in RATES_HZ:
            raise BadInput(f"rate_hz is {rate_hz}; load cells give 10 or 80 samples a second")
        if pace <= 0 or frames_per_second < 0:
            raise BadInput(f"pace {pace} must be above 0 and frames_per_second {frames_per_second} at least 0")
        self.settings: SimulatedSettings = simulated_settings(seed, rate_hz, axis, half_spacing_mm)
        match = match or Match(MatchRules(first=first))
        spec = make_board(_generator(seed, 2), axis, half_spacing_mm, sphere_mass_g, board_mass_g)
        letters = standing if standing is not None else (position or Position.start(match.first_of_next_game)).letters()
        self._games = games
        self._wishes: deque[Action] = deque()
        self._lock = Lock()
        self._world = World(spec, spheres_for(letters), _generator(seed, 3))
        self._people = People(
            self._world,
            OddHands(spec, _generator(seed, 4), pace),
            Player(spec, _generator(seed, 5), mistakes, slips),
            self._next_wish,
            match,
            playing,
        )
        self._course = self._people.course(position)
        self._cells = Cells(
            self.settings.cells,
            (self._world.board.low_g, self._world.board.high_g),
            _generator(seed, 6),
            noise,
            spikes,
        )
        self._drawn, self._noise, self._seed = drawn, noise, seed
        self._camera: Camera = camera_for(self.settings, noise, seed)
        self.mishaps = LiveMishaps(_generator(seed, 9))
        """What befalls camera, board and light; for trying out what the table makes of it."""
        self._frame_s = 1 / frames_per_second if frames_per_second else float("inf")
        self._last_t = float("inf")
        self._stream = self._run()

    @property
    def truth(self) -> list[Truth]:
        """What could be known so far, one dict a line; the list itself grows."""
        return self._world.truth

    @property
    def position(self) -> Position:
        """The position as the rules have it."""
        return self._people.position

    @property
    def games_over(self) -> int:
        return self._people.games_over

    @property
    def world(self) -> World:
        """The physical table; look, do not touch."""
        return self._world

    def letter_at(self, well: int) -> str:
        """What stands in a well on the board itself: `w W b B`, or nothing."""
        sphere = self._world.spheres.get(well)
        return "" if sphere is None else SPHERE_LETTERS[sphere]

    def ask(self, action: Action) -> None:
        """Wishes for something to be done by a hand, as soon as the players' hands are away. Any thread may call."""
        with self._lock:
            self._wishes.append(action)

    def let_play(self, sides: frozenset[Side]) -> None:
        """Says which sides the simulated players move by themselves from now on."""
        self._people.playing = sides

    @property
    def match(self) -> Match:
        """The scoring board as it should stand."""
        return self._people.match

    def model_reader(self) -> ModelReader:
        """A reader that looks at the scene and not at pictures."""
        return ModelReader(self.settings, self._camera, self._world.scene, self._noise, self._seed)

    def picture(self) -> NDArray[np.uint8]:
        """What the camera sees now; BGR, shape (480, 640, 3)."""
        if not self._drawn:
            return np.full(UNDRAWN_SHAPE, self._world.board.tick % 251, np.uint8)
        return self._camera.draw(self._world.scene(), self._world.t, self.mishaps.at(self._world.t))

    def empty_picture(self) -> NDArray[np.uint8]:
        """The empty board, nothing else in the picture; BGR, shape (480, 640, 3)."""
        return self._camera.empty()

    def __iter__(self) -> Iterator[RawSample | Frame]:
        return self._stream

    def _run(self) -> Iterator[RawSample | Frame]:
        frame_t = self._frame_s * 0.25
        self._world.begin(next(self._course))
        while True:
            t = min(self._cells.next_t, frame_t)
            if t > self._last_t:
                return
            self._go_on_to(t)
            if frame_t <= self._cells.next_t:
                frame = self.mishaps.spoil(Frame(round(frame_t, 6), self.picture()))
                frame_t += self._frame_s
                if frame is not None:
                    yield frame
            else:
                sample = self._cells.read()
                if sample is not None:
                    yield sample

    def _go_on_to(self, t: float) -> None:
        """Lets the world and its people go on to a time, and the cells feel it."""
        tick = int(t / TICK_S)
        world = self._world
        while world.board.tick < tick:
            world.advance(tick)
            ended = world.ended()
            if ended is None and self._wishes and world.drop():
                ended = Ended.DROPPED
            if ended is not None:
                world.begin(self._course.send(ended))
                if self._games is not None and self._people.games_over >= self._games:
                    self._last_t = min(self._last_t, world.t + LAST_LOOK_S)
        self._cells.follow(world.loads)
        world.loads.clear()

    def _next_wish(self) -> Action | None:
        with self._lock:
            return self._wishes.popleft() if self._wishes else None


def spheres_for(letters: dict[int, str]) -> Spheres:
    """Says which of the fourteen spheres stands where, given letters by well; raises BadInput if there are too many."""
    spheres: dict[int, int] = {}
    for well, letter in sorted(letters.items()):
        if not letter:
            continue
        free = [s for s, of in enumerate(SPHERE_LETTERS) if of == letter and s not in spheres.values()]
        if not free or not 0 <= well < N_WELLS:
            raise BadInput(f"no sphere {letter!r} is left for well {well}; there are six w and b, one W and B")
        spheres[well] = free[0]
    return spheres


def _generator(seed: int, concern: int) -> np.random.Generator:
    """Each concern draws from a generator of its own, so that a change in one leaves the others as they were."""
    return np.random.default_rng([seed, concern])
