"""Board readings without pixels: what the reader would make of a scene, by how much of each well is covered.

For runs of hundreds of matches, where drawing and reading pictures is nearly all of the cost. When a well counts as
hidden was measured on 276,000 wells of drawn pictures (noise 1 and 2) against the share of it that is covered: half of
them at 0.35, all of them from 0.5 on. The reader made no error there, so the model's confusions are harsher than that.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.simulator.hand_sprite import PX_PER_MM, hand_sprite
from companion.simulator.picture import Camera
from companion.simulator.settings import SimulatedSettings
from companion.simulator.statics import SPHERE_LETTERS
from companion.simulator.view import Floats, view_of
from companion.simulator.world import HandView, LooseSphere, Scene
from vision.geometry import Grid
from vision.reader import BoardReader
from vision.reading import BoardReading, Content

CONTENTS = {"w": Content.WHITE, "b": Content.BLACK, "W": Content.WHITE_COLOURED, "B": Content.BLACK_COLOURED}
HALF_HIDDEN, HIDDEN_WIDTH = 0.35, 0.03
"""The covered share at which the reader says hidden as often as not, and over how much that turns (measured)."""
WAVER = 0.03
"""By how much, one standard deviation, the share seems to waver from picture to picture."""
CERTAIN = 0.9996
"""What the reader gives a well that it sees."""
CONFUSED = 2e-4
"""Share of visible wells in which a single picture shows something else, or nothing clear."""
CONFUSED_BESIDE = 0.01
"""The same where a hand or its shadow covers a part of the well ..."""
SPELL_PICTURES = (2, 8)
"""... and stays so for some pictures."""
BESIDE = 0.08
STALE = 0.1
"""Share of pictures that show once more what the one before showed."""
SLID_MM = 18.0
"""On a tipped board spheres that have gone so far are in no well."""


class Covering:
    """How much of each well is covered in a scene, 0 to 1, by the same shapes that the camera draws."""

    def __init__(self, settings: SimulatedSettings, camera: Camera) -> None:
        self._view = view_of(settings.camera)
        self._camera = camera
        self.grid = settings.grid
        self._radius = settings.grid.sphere_diameter_mm / 2
        flat = np.array([(*settings.grid.centre_mm(well), 0.0) for well in range(settings.grid.wells)])
        self._low = self._view.project(flat)
        self._high = self._view.project(flat + np.array([0.0, 0.0, self._radius]))

    def covered(self, scene: Scene) -> Floats:
        """Share of every well that something lies or is held over, shape (wells,)."""
        points = self._low.copy()
        for well, _ in scene.spheres:
            points[well] = self._high[well]
        share = np.zeros(len(points))
        for hand in scene.hands:
            share = np.maximum(share, self._by_hand(hand, points))
        for loose in (*scene.in_hand, *(s for s in scene.loose if s.z_mm > -self._radius)):
            share = np.maximum(share, self._by_sphere(loose, points))
        for thing in scene.things:
            place = np.array([thing.x_mm, thing.y_mm, thing.height_mm / 2])
            share = np.maximum(share, self._by_disc(place, thing.radius_mm, points))
        return share

    def _by_hand(self, hand: HandView, points: Floats) -> Floats:
        matrix = self._camera.hand_matrix(hand)
        cover = _blurred(hand.flat, str(hand.side), round(self._radius * PX_PER_MM))
        back = cv2.invertAffineTransform(matrix)
        at = np.rint(points @ back[:, :2].T + back[:, 2]).astype(int)
        inside = (at[:, 0] >= 0) & (at[:, 0] < cover.shape[1]) & (at[:, 1] >= 0) & (at[:, 1] < cover.shape[0])
        share = np.zeros(len(points))
        share[inside] = cover[at[inside, 1], at[inside, 0]] / 255.0
        return share

    def _by_sphere(self, sphere: LooseSphere, points: Floats) -> Floats:
        return self._by_disc(np.array([sphere.x_mm, sphere.y_mm, sphere.z_mm + self._radius]), self._radius, points)

    def _by_disc(self, place: Floats, radius_mm: float, points: Floats) -> Floats:
        scale = self._view.scale(place)
        middle = self._view.project(place[None])[0]
        away = np.hypot(*(points - middle).T) / scale
        return np.asarray(np.clip((radius_mm + self._radius - away) / (2 * self._radius), 0.0, 1.0))


@lru_cache(maxsize=8)
def _blurred(flat: bool, side: str, radius_px: int) -> NDArray[np.uint8]:
    """For every point of a hand's picture the share of a sphere's disc around it that the hand covers."""
    size = 2 * radius_px + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)).astype(np.float32)
    return np.asarray(cv2.filter2D(hand_sprite(flat, side).cover, -1, disc / disc.sum()))


class ModelReader(BoardReader):
    """Takes the place of a `BoardReader`: `read` ignores the picture and looks at the scene instead.

    `noise` multiplies waver and confusions. The same scenes in the same order give the same readings.
    """

    def __init__(
        self, settings: SimulatedSettings, camera: Camera, scene: Callable[[], Scene], noise: float, seed: int
    ) -> None:
        super().__init__(settings.grid, settings.camera, settings.markers, settings.colours)
        self._covering = Covering(settings, camera)
        self._scene = scene
        self._noise = noise
        self._rng = np.random.default_rng([seed, 10])
        self._wells = settings.grid.wells
        self._spells: dict[int, tuple[int, Content]] = {}
        self._before: Scene | None = None

    def learn_empty(self, image: NDArray[np.uint8]) -> None:
        """Nothing to learn."""

    def learn_known(self, image: NDArray[np.uint8], contents: Sequence[Content]) -> None:
        """Nothing to learn."""

    def read(self, image: NDArray[np.uint8], t: float) -> BoardReading:  # noqa: ARG002
        """What the reader would make of the scene as it is now."""
        now = self._scene()
        stale = self._before is not None and self._rng.random() < STALE
        scene = self._before if stale and self._before is not None else now
        self._before = now
        contents = self._contents(scene)
        share = self._covering.covered(scene) + self._rng.normal(0, WAVER * self._noise, self._wells)
        hidden = 1 / (1 + np.exp(np.clip(-(share - HALF_HIDDEN) / HIDDEN_WIDTH, -30, 30)))
        shown, certain = self._confuse(contents, share)
        p = np.zeros((self._wells, len(Content)))
        rest = (1 - certain) / 4
        p[:, : Content.HIDDEN] = rest[:, None]
        p[np.arange(self._wells), shown] = certain
        p[:, : Content.HIDDEN] *= (1 - hidden)[:, None]
        p[:, Content.HIDDEN] = hidden
        p /= p.sum(axis=1, keepdims=True)
        unsure = (p.argmax(axis=1) != Content.HIDDEN) & (p.max(axis=1) < 0.9)
        return BoardReading(t, True, p, not unsure.any(), "uncertain" if unsure.any() else None)

    def _contents(self, scene: Scene) -> NDArray[np.int64]:
        contents = np.zeros(self._wells, dtype=np.int64)
        if abs(scene.slide_mm) < SLID_MM:
            for well, sphere in scene.spheres:
                contents[well] = CONTENTS[SPHERE_LETTERS[sphere]]
        for thing in scene.things:
            if thing.letter:
                contents[self._nearest(thing.x_mm, thing.y_mm)] = CONTENTS[thing.letter]
        return contents

    def _nearest(self, x_mm: float, y_mm: float) -> int:
        grid: Grid = self._covering.grid
        return min(range(self._wells), key=lambda w: math.dist(grid.centre_mm(w), (x_mm, y_mm)))

    def _confuse(self, contents: NDArray[np.int64], share: Floats) -> tuple[NDArray[np.int64], Floats]:
        """What each well seems to hold, and how certainly."""
        shown, certain = contents.copy(), np.full(self._wells, CERTAIN)
        luck = self._rng.random(self._wells)
        beside = (share > BESIDE) & (share < HALF_HIDDEN)
        rate = np.where(beside, CONFUSED_BESIDE / np.mean(SPELL_PICTURES), CONFUSED) * self._noise
        for well in map(int, np.flatnonzero(luck < rate)):
            other = Content(int(self._rng.choice([c for c in range(5) if c != contents[well]])))
            pictures = int(self._rng.integers(*SPELL_PICTURES)) if beside[well] else 1
            self._spells[well] = (pictures, other)
        for well, (pictures, other) in list(self._spells.items()):
            shown[well] = other
            certain[well] = self._rng.uniform(0.4, 0.98)
            if pictures > 1:
                self._spells[well] = (pictures - 1, other)
            else:
                del self._spells[well]
        return shown, certain
