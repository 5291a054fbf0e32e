"""From a picture to a board reading."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput
from vision import appearance
from vision.appearance import ANYTHING, BLACK, WHITE, Hue, Palette, Scores, Surface, Tint
from vision.bareness import GRAIN_LIMIT, STRAY_ALLOWED, USUAL_SHARE, grain_scores, stray_scores
from vision.board_pose import NoPose
from vision.colour import Colours, hue_of_name, log_colours
from vision.geometry import CameraModel, Grid, MarkerLayout, SphereColours
from vision.light import Light, judge_light, relight
from vision.pose_tracker import Footing, PoseTracker, Sight
from vision.reading import BoardReading, Content
from vision.sampling import IN_DISC, IN_RIM, SampleMap, build_map, gap_centres_mm, sample_board, shrink

Image = NDArray[np.uint8]

SURE = 0.99  # a well's reading below this probability is uncertain
INDEPENDENT_SAMPLES = 8.0  # the samples of a disc say as much as so many independent ones
EXPLAINED = 1.0  # nats by which a surface must beat "anything at all" at a sample to explain it
VISIBLE_SOFTNESS = 0.02
MIN_VISIBLE = 0.55  # share of a disc that must show what it is, or the well counts as hidden ...
MIN_VISIBLE_COVERED = 0.8  # ... and where all around it is covered as well
PRIORS = {
    Content.EMPTY: 28 / 42,
    Content.WHITE: 6 / 42,
    Content.BLACK: 6 / 42,
    Content.WHITE_COLOURED: 1 / 42,
    Content.BLACK_COLOURED: 1 / 42,
}
COLOURED = (Content.WHITE_COLOURED, Content.BLACK_COLOURED)
KNOWN_WEIGHT = 2.0
SPHERES = (Content.WHITE, Content.BLACK, Content.WHITE_COLOURED, Content.BLACK_COLOURED)
SPILL_WEIGHT = 0.6
GRAIN_SURE, GRAIN_SURE_SCORE = 6.0, 0.0
BRIGHTEST_AROUND = 0.2
GRAIN_TOLERANCE = 3.0
ROUNDS = 3
MIN_CHROMA_SPREAD = 0.06
MIN_BRIGHTNESS_SPREAD = 0.35


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """A picture's colours at a map's places, absolute: `patches`, `gaps` and `paper` as there, (..., 3)."""

    patches: Colours
    gaps: Colours
    paper: Colours


@dataclass(frozen=True, slots=True, eq=False)
class EmptyBoard:
    """The empty board as it was seen once: the working picture, the pose's map, and the light that was on it."""

    image: Image
    map: SampleMap
    light: Light


class BoardReader:
    """Reads pictures of one board. Learns what it is shown; without any it goes by white paper and colour names."""

    def __init__(self, grid: Grid, camera: CameraModel, markers: MarkerLayout, colours: SphereColours) -> None:
        self._grid = grid
        self._markers = markers
        self._tracker = PoseTracker(markers, camera)
        self._palette: dict[Content, Surface] = {
            Content.WHITE: WHITE,
            Content.BLACK: BLACK,
            Content.WHITE_COLOURED: Hue(hue_of_name(colours.white_coloured)),
            Content.BLACK_COLOURED: Hue(hue_of_name(colours.black_coloured)),
        }
        self._centres = np.array([grid.centre_mm(w) for w in range(grid.wells)])
        self._gap_centres = gap_centres_mm(grid)
        self._map: SampleMap | None = None
        self._empty: EmptyBoard | None = None
        self._reference: tuple[SampleMap, Colours] | None = None
        self._gap_tints: Colours | None = None

    # -- learning

    def learn_empty(self, image: Image) -> None:
        """Remember the empty board. Raises `BadInput` where the board is not found in the picture."""
        sight, small, samples = self._look(image)
        light = judge_light(np.median(samples.gaps, axis=1), self._paper(samples, sight), self._grid, self._markers)
        self._empty = EmptyBoard(small, self._map_for(sight), light)
        self._gap_tints = np.median(samples.gaps, axis=1) - light.at(self._gap_centres)
        self._reference = None

    def learn_start(self, image: Image, contents: Sequence[Content]) -> None:
        """Remember how the spheres look, from a picture in which every well's content is known."""
        self.learn_known(image, contents)

    def learn_known(self, image: Image, contents: Sequence[Content]) -> None:
        """As `learn_start`, for any later position that is known for certain."""
        if len(contents) != self._grid.wells:
            raise BadInput(f"contents: {len(contents)} wells given, {self._grid.wells} needed")
        sight, _, samples = self._look(image)
        light = self._light(samples, sight)
        z = samples.patches[:, IN_DISC] - light.at(self._centres)[:, None]
        self._palette = dict(self._palette) | learn_palette(z, np.asarray(contents))

    # -- reading

    def read(self, image: Image, t: float) -> BoardReading:
        """What stands on the board in a BGR picture taken at `t` seconds."""
        try:
            sight, _, samples = self._look(image)
        except BadInput as problem:
            return nothing_seen(self._grid, t, str(problem))
        light = self._light(samples, sight)
        p = self._probabilities(samples, light, self._map_for(sight))
        doubt = self._doubt(p, sight)
        return BoardReading(t, True, p, doubt is None, doubt)

    def _look(self, image: Image) -> tuple[Sight, Image, Samples]:
        if not isinstance(image, np.ndarray) or image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
            raise BadInput("image: a BGR picture is needed, height x width x 3, 8 bits")
        sight = self._tracker.update(cv2.extractChannel(image, 1))
        if isinstance(sight, NoPose):
            raise BadInput(sight.why)
        places = self._map_for(sight)
        small = shrink(image, places.scale)
        flat = small.reshape(-1, 3)
        return (
            sight,
            small,
            Samples(
                log_colours(flat[places.patches]),
                log_colours(flat[places.gaps]),
                log_colours(flat[places.paper]),
            ),
        )

    def _map_for(self, sight: Sight) -> SampleMap:
        if self._map is None or self._map.pose is not sight.pose:
            self._map = build_map(sight.pose, self._grid, self._markers)
        return self._map

    def _paper(self, samples: Samples, sight: Sight) -> Colours:
        paper = np.median(samples.paper, axis=1)
        unseen = [k for k, marker in enumerate(sorted(self._markers.centres_mm)) if marker not in sight.markers]
        paper[unseen] = np.nan
        return np.asarray(paper, np.float32)

    def _light(self, samples: Samples, sight: Sight) -> Light:
        gaps = np.median(samples.gaps, axis=1)
        if self._gap_tints is not None and self._empty is not None:
            return relight(gaps, self._grid, self._gap_tints, self._empty.light.board)
        return judge_light(gaps, self._paper(samples, sight), self._grid, self._markers)

    def _bare(self, light: Light, places: SampleMap) -> Colours | None:
        """The bare board's tint at every sample of the patches, from the picture of the empty board."""
        if self._empty is None:
            return None
        if self._reference is None or self._reference[0] is not places:
            old = self._empty.map
            seen = sample_board(self._empty.image, old.pose.scaled(old.scale), places.on_board)
            self._reference = (places, log_colours(seen).reshape(self._grid.wells, -1, 3))
        return np.asarray(self._reference[1] - self._empty.light.at(self._centres)[:, None], np.float32)

    def _probabilities(self, samples: Samples, light: Light, places: SampleMap) -> NDArray[np.float64]:
        z = samples.patches - light.at(self._centres)[:, None]
        bare = self._bare(light, places)
        blur = appearance.noise_blur(samples.patches)
        if bare is None:
            bare = np.broadcast_to(light.board, (self._grid.wells, 1, 3))
            spread = np.clip(usual_spread(z - bare), (0.3, 0.08, 0.03), (0.5, 0.15, 0.08)).astype(np.float32)
            likeness, grain = np.zeros(z.shape[:2], np.float32), np.zeros(len(z), np.float32)
        else:
            likeness, grain = grain_scores(z[..., 0], bare[..., 0])
            spread = np.clip(usual_spread(z - bare), (0.2, 0.05, 0.025), (0.3, 0.1, 0.06)).astype(np.float32)
        rims = (z - bare)[:, IN_RIM]
        if self._empty is None:
            gaps = samples.gaps - light.at(self._gap_centres)[:, None] - light.board
            bare_samples = np.concatenate([rims.reshape(-1, 3), gaps.reshape(-1, 3)])
        else:
            bare_samples = rims[likeness[:, IN_RIM] > 0]
        shade = appearance.fit_shade(bare_samples)
        around = np.minimum(np.median(rims[..., 0], axis=1), BRIGHTEST_AROUND)[:, None]
        plain = appearance.board_scores(z, bare, spread, around, shade, blur)
        board = plain + likeness
        board = np.where(likeness > GRAIN_SURE, np.maximum(board, GRAIN_SURE_SCORE), board)
        palette: Palette = self._palette
        known = self._empty is not None
        middles = np.median(z[:, IN_DISC], axis=1)
        bare_nats = grain + GRAIN_TOLERANCE if known else np.full(len(z), GRAIN_LIMIT)
        for _ in range(ROUNDS):
            spheres = [appearance.surface_scores(z, palette[c], around, shade, blur) for c in SPHERES]
            scores = np.stack([board, *spheres])
            strays = [appearance.surface_strays(middles, palette[c], c, shade) for c in SPHERES]
            own = np.stack([gate(bare_nats), *(gate(STRAY_ALLOWED - stray) for stray in strays)])
            p = weigh(scores[..., IN_DISC], scores[..., IN_RIM], plain[:, IN_RIM], own)
            stray = stray_scores(z - bare, z, p[:, Content.EMPTY] > 0.5, shade, known)
            bare_nats = np.minimum(bare_nats, STRAY_ALLOWED - stray + np.maximum(grain, 0))
            palette = dict(self._palette) | refine_palette(z[:, IN_DISC], p, self._palette)
        return only_one_each(p, scores[..., IN_DISC].mean(axis=2).T)

    def _doubt(self, p: NDArray[np.float64], sight: Sight) -> str | None:
        if sight.footing is Footing.HELD:
            return "no marker is in sight, so the board may have been moved"
        likely = p.argmax(axis=1)
        unsure = [self._grid.name(w) for w in range(len(p)) if likely[w] != Content.HIDDEN and p[w].max() < SURE]
        if unsure:
            return "uncertain: " + ", ".join(unsure)
        for content in (Content.WHITE_COLOURED, Content.BLACK_COLOURED):
            twice = [self._grid.name(int(w)) for w in np.flatnonzero(likely == content)]
            if len(twice) > 1:
                return f"{content.word} is seen more than once: " + ", ".join(twice)
        return None


def nothing_seen(grid: Grid, t: float, why: str) -> BoardReading:
    """The reading of a picture in which the board was not found."""
    p = np.zeros((grid.wells, len(Content)))
    p[:, Content.HIDDEN] = 1.0
    return BoardReading(t, False, p, False, why)


def usual_spread(off: Colours) -> Colours:
    """How far samples (wells, samples, 3) of bare wells stray in brightness and chroma, (3,).

    Most wells are bare, but not all: so it is that of a well below the middle.
    """
    centred = np.abs(off - np.median(off, axis=1, keepdims=True))
    return np.asarray(1.48 * np.quantile(np.median(centred, axis=1), USUAL_SHARE, axis=0), np.float32)


def weigh(discs: Scores, rims: Scores, plain: Scores, own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Samples' log densities (contents, wells, samples) on discs and around them to probabilities (wells, 6).

    `plain`: as `rims[0]`, bare board, but by colour alone.
    `own` (contents, wells): the probability that a disc which seems to show a content as a whole can be it.
    """
    votes = np.maximum(discs, ANYTHING).mean(axis=2).T.astype(np.float64) * INDEPENDENT_SAMPLES
    votes += np.log([PRIORS[Content(k)] for k in range(5)])
    votes -= votes.max(axis=1, keepdims=True)
    p = np.exp(votes)
    p /= p.sum(axis=1, keepdims=True)
    best, wells = p.argmax(axis=1), np.arange(len(p))
    explained = (discs[best, wells] > ANYTHING + EXPLAINED).mean(axis=1)
    covered = (rims[0] < ANYTHING).mean(axis=1)
    spilled = ((rims[best, wells] > ANYTHING + EXPLAINED) & (plain < ANYTHING)).mean(axis=1)
    needed = MIN_VISIBLE + (MIN_VISIBLE_COVERED - MIN_VISIBLE) * covered + SPILL_WEIGHT * spilled
    seen = gate((explained - needed) / VISIBLE_SOFTNESS)
    hidden = 1 - seen * own[best, wells]
    return np.concatenate([p * (1 - hidden)[:, None], hidden[:, None]], axis=1)


def gate(nats: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probability that belongs to log odds."""
    return np.asarray(1 / (1 + np.exp(np.clip(-nats, -40, 40))))


def learn_palette(z: Colours, contents: NDArray[np.int_]) -> dict[Content, Surface]:
    """Tints of the spheres from discs z (wells, samples, 3) whose contents are known."""
    tints: dict[Content, Surface] = {}
    for content in SPHERES:
        of_it = z[contents == content].reshape(-1, 3)
        if len(of_it):
            mean = np.median(of_it, axis=0)
            spread = 1.48 * np.median(np.abs(of_it - mean), axis=0)
            floor = np.array([MIN_BRIGHTNESS_SPREAD, MIN_CHROMA_SPREAD, MIN_CHROMA_SPREAD], np.float32)
            tints[content] = Tint(np.asarray(mean, np.float32), np.asarray(np.maximum(spread * 1.2, floor), np.float32))
    return tints


def refine_palette(z: Colours, p: NDArray[np.float64], palette: Palette) -> dict[Content, Surface]:
    """Tints bent toward what this very picture shows where a content is certain.

    Where a coloured sphere seems to be in two places, neither is believed.
    """
    sure = np.where(p.max(axis=1) > SURE, p.argmax(axis=1), Content.HIDDEN)
    for content in COLOURED:
        if np.count_nonzero(sure == content) > 1:
            sure[sure == content] = Content.HIDDEN
    bent: dict[Content, Surface] = {}
    for content, tint in learn_palette(z, sure).items():
        known = palette[content]
        if isinstance(known, Tint) and isinstance(tint, Tint):
            tint = Tint((known.mean * KNOWN_WEIGHT + tint.mean) / (KNOWN_WEIGHT + 1), np.maximum(known.spread, tint.spread) if content not in COLOURED else known.spread)
        bent[content] = tint
    return bent


def only_one_each(p: NDArray[np.float64], votes: NDArray[np.float64]) -> NDArray[np.float64]:
    """There is one sphere of each colour: where several wells seem to hold it, all but the best match are covered."""
    p = p.copy()
    likely = p.argmax(axis=1)
    for content in COLOURED:
        rivals = np.flatnonzero(likely == content)
        if len(rivals) > 1:
            losers = rivals[rivals != rivals[votes[rivals, content].argmax()]]
            p[losers, Content.HIDDEN] += p[losers, content]
            p[losers, content] = 0
    return p
