"""From a picture to a board reading."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInput
from vision.bareness import bare_grain
from vision.board_pose import NoPose, Points, Pose
from vision.colour import Colours, brightness_of, colours_of, hue_of_name, log_levels
from vision.evidence import SURE, BarePatches, Judgement, Patches, gather, judge
from vision.exchange import board_exchanged, spheres_exchanged
from vision.geometry import CameraModel, Grid, MarkerLayout, SphereColours
from vision.landmarks import LandmarkTracker
from vision.light import Light, judge_light, relight
from vision.medians import median
from vision.palette import COLOURED, Palette, learn_palette, named_palette
from vision.pose_tracker import Footing, PoseTracker, Sight
from vision.reading import BoardReading, Content, nothing_seen, picture_fault
from vision.sampling import COLOURED_SAMPLES, DISC, SampleMap, build_map, gap_centres_mm, sample_board, shrink
from vision.soundness import board_tint, colour_fault, doubted, known_tint, levels_fault, other_shape, print_fault
from vision.weighing import Probabilities

Image = NDArray[np.uint8]

NOT_WHERE_IT_WAS = "the board is not seen where its corners were: it is covered, or it or the camera was moved"

WHITEST = 5  # of the samples of a marker's white cells that are looked at
UNREAD = 6  # wells of a picture that are not read, from which its colours are looked at more closely
ASTRAY = 3  # wells that spheres lie beside, from which it is the wells that do not lie where they should
STILL_THERE = 0.7  # share of the wells that must be read to believe that a board without markers in sight has not moved
KNOWABLE = np.array([content is not Content.HIDDEN for content in Content])


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One picture seen with its pose: the working picture `image`, and its colours as the camera has them.

    `levels` (wells, STEPS x STEPS, 3): logarithms of linear light, BGR; `colours` (wells, samples, 3) at
    `COLOURED_SAMPLES`; `gaps` (gaps, 3); `paper` (markers, 3), NaN for a marker out of sight; `ink`
    (markers,): how bright the markers' black is.
    """

    sight: Sight
    places: SampleMap
    image: Image
    levels: Colours
    colours: Colours
    gaps: Colours
    paper: Colours
    ink: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class EmptyBoard:
    """The empty board as it was seen once: the working picture, where it lay, its light, the tints of its gaps."""

    image: Image
    places: SampleMap
    light: Light
    gaps: Colours


class BoardReader:
    """Reads pictures of one board. Learns what it is shown; without any it goes by white paper and colour names."""

    def __init__(
        self, grid: Grid, camera: CameraModel, markers: MarkerLayout | None, colours: SphereColours | None
    ) -> None:
        """Without `markers` it needs to be told where the board lies, with `place`; without `colours` all are plain.

        Raises `BadInput` for a colour's name that is not known.
        """
        self._grid = grid
        self._markers = markers or MarkerLayout({})
        self._camera = camera
        self._tracker: PoseTracker | LandmarkTracker = PoseTracker(self._markers, camera)
        self._placed: Sight | None = None
        self._palette: Palette = named_palette(colours)
        names = (colours.white_coloured, colours.black_coloured) if colours else ()
        self._hues = {content: hue_of_name(name) for content, name in zip(COLOURED, names, strict=False)}
        self._centres = np.array([grid.centre_mm(w) for w in range(grid.wells)])
        self._gap_centres = gap_centres_mm(grid)
        self._map: SampleMap | None = None
        self._empty: EmptyBoard | None = None
        self._bare: tuple[SampleMap, BarePatches] | None = None
        self._sight: Sight | None = None
        self._light_seen: Light | None = None
        self._tint: Colours | None = None  # the board's, relative to paper
        self._tint_seen: Colours | None = None  # the same as `board_tint` measures it
        self._exchanged = False
        self._names_exchanged = False

    @property
    def light(self) -> Light | None:
        """The light in the last picture that showed the board."""
        return self._light_seen

    @property
    def exchanged(self) -> bool:
        """Does the camera give red for blue, unlike in the pictures learned from? Here it is put right."""
        return self._exchanged

    @property
    def names_exchanged(self) -> bool:
        """Have the coloured spheres the colours of their names only with red and blue exchanged?"""
        return self._names_exchanged

    @property
    def sight(self) -> Sight | None:
        """How the board was seen in the last picture; None where it was not found."""
        return self._sight

    def place(self, pose: Pose | None) -> None:
        """Take this for the board's pose in every picture of its size; None: look for the markers again."""
        self._placed = None if pose is None else Sight(pose, Footing.GIVEN, False, ())
        self._tracker = PoseTracker(self._markers, self._camera)

    def place_corners(self, image: Image, corners_px: Points) -> None:
        """Take the board to lie as somebody sees it in this picture, and follow it from there by what is around it.

        The corners are the centres of the last rank's first and last well, then the first rank's last and first well.
        Raises `BadInput` where they cannot be.
        """
        self._tracker = LandmarkTracker(image[..., 1], corners_px, self._grid, self._camera)
        self._placed = None

    def learn_empty(self, image: Image) -> None:
        """Remember the empty board. Raises `BadInput` where the picture does not show the board."""
        look = self._look(image)
        light = judge_light(look.gaps, look.paper, self._grid, self._markers)
        self._empty = EmptyBoard(look.image, look.places, light, look.gaps - light.at(self._gap_centres))
        self._bare = None
        self._tint = light.board
        self._tint_seen = known_tint(look.gaps, look.paper)

    def learn_start(self, image: Image, contents: Sequence[Content]) -> None:
        """Remember how the spheres look, from a picture of the start position. As `learn_known`."""
        self.learn_known(image, contents)

    def learn_known(self, image: Image, contents: Sequence[Content]) -> None:
        """Remember how the spheres look, from a picture in which every well's content is known for certain.

        Wells given as `HIDDEN` are left out. Raises `BadInput` where the picture does not show the board.
        """
        if len(contents) != self._grid.wells:
            raise BadInput(f"contents: {len(contents)} wells given, {self._grid.wells} needed")
        look = self._look(image)
        discs = (look.colours - self._light(look).at(self._centres)[:, None])[:, DISC]
        seen = learn_palette(discs, np.asarray(contents))
        self._palette = dict(self._palette) | seen
        self._names_exchanged = spheres_exchanged(seen, self._hues)
        self._tint = (
            judge_light(look.gaps, look.paper, self._grid, self._markers).board if self._tint is None else self._tint
        )
        if self._tint_seen is None:
            self._tint_seen = known_tint(look.gaps, look.paper)

    def read(self, image: Image, t: float) -> BoardReading:
        """What stands on the board in a BGR picture taken at `t` seconds.

        Never raises: a picture without the board, or what is no picture at all, gives a reading that says why.
        """
        try:
            look = self._look(image)
            seen = self._judge(look)
            if np.count_nonzero(~_read(seen.p)) >= UNREAD:
                look, seen = self._try_exchanged(image, look, seen)
        except BadInput as problem:
            return nothing_seen(self._grid, t, str(problem))
        p, fault = seen.p, self._fault(image, look, seen)
        if fault is not None:
            p = doubted(p)
        if look.sight.footing is Footing.HELD and np.count_nonzero(_read(p)) < STILL_THERE * self._grid.wells:
            # No marker is where it was, and hardly a well looks like one: the board does not lie where it is looked for
            p = nothing_seen(self._grid, t, "").p
        doubt = fault or self._doubt(p, seen, look.sight)
        return BoardReading(t, True, p, doubt is None, doubt, tuple(map(int, np.flatnonzero(seen.foreign))))

    def _fault(self, image: Image, look: Look, seen: Judgement) -> str | None:
        """What is wrong with the picture as a whole."""
        tint = board_tint(look.gaps, look.paper)
        lost = levels_fault(image, look.levels) or print_fault(look.paper, look.ink)
        return lost or colour_fault(tint, self._tint_seen, seen.middles, seen.p, self._palette)

    def _judge(self, look: Look) -> Judgement:
        self._light_seen = light = self._light(look)
        paper = light.at(self._centres)[:, None]
        patches = Patches(brightness_of(look.levels) - paper[..., 0], look.colours - paper)
        gaps = look.gaps - light.at(self._gap_centres) - light.board
        evidence = gather(patches, look.colours, gaps, light.board, self._bare_patches(look.places))
        return judge(evidence, self._palette)

    def _try_exchanged(self, image: Image, look: Look, read: Judgement) -> tuple[Look, Judgement]:
        """Where much is not known, red and blue may be exchanged: then it is read the other way."""
        seen = judge_light(look.gaps, look.paper, self._grid, self._markers).board
        if self._tint is None or np.isnan(look.paper).all() or not board_exchanged(seen, self._tint):
            return look, read
        self._exchanged = not self._exchanged
        look = self._look(image)
        return look, self._judge(look)

    def _look(self, image: Image) -> Look:
        """Raises `BadInput`, and leaves no sight, where there is no board."""
        self._sight = None
        fault = picture_fault(image)
        if fault is not None:
            raise BadInput(fault)
        sight = self._placed or self._tracker.update(image[..., 1])
        if isinstance(sight, NoPose):
            raise BadInput(sight.why + other_shape(image, self._camera.size_px))
        if sight.pose.size_px != (image.shape[1], image.shape[0]):
            raise BadInput(
                f"image: {image.shape[1]} x {image.shape[0]} pixels, but the board's place was given for "
                f"{sight.pose.size_px[0]} x {sight.pose.size_px[1]}"
            )
        self._sight = sight
        if sight.footing is Footing.HELD and isinstance(self._tracker, LandmarkTracker):
            # Unlike with markers nothing tells whether the board still lies there: the table would be read as a board
            raise BadInput(NOT_WHERE_IT_WAS)
        if self._map is None or self._map.pose is not sight.pose:
            self._map = build_map(sight.pose, self._grid, self._markers)
        places = self._map
        small = shrink(np.ascontiguousarray(image[..., ::-1]) if self._exchanged else image, places.halvings)
        pixels = small.reshape(-1, 3)
        levels = log_levels(pixels.take(places.patches, axis=0))
        gaps, white, black = (
            colours_of(log_levels(pixels.take(at, axis=0))) for at in (places.gaps, places.paper, places.ink)
        )
        gaps, paper, ink = median(gaps, axis=1), whitest(white), median(np.sort(black[..., 0])[:, :WHITEST], axis=1)
        paper[[k for k, marker in enumerate(sorted(self._markers.centres_mm)) if marker not in sight.markers]] = np.nan
        return Look(sight, places, small, levels, colours_of(levels.take(COLOURED_SAMPLES, axis=1)), gaps, paper, ink)

    def _light(self, look: Look) -> Light:
        if self._empty is not None:
            return relight(look.gaps, self._grid, self._empty.gaps, self._empty.light.board)
        return judge_light(look.gaps, look.paper, self._grid, self._markers)

    def _bare_patches(self, places: SampleMap) -> BarePatches | None:
        """The bare board where this map looks, from the picture of the empty one."""
        if self._empty is None:
            return None
        if self._bare is None or self._bare[0] is not places:
            seen = sample_board(self._empty.image, self._empty.places.view, places.on_board)
            levels = log_levels(seen).reshape(self._grid.wells, -1, 3)
            paper = self._empty.light.at(self._centres)[:, None]
            colours = colours_of(levels[:, COLOURED_SAMPLES]) - paper
            brightness = brightness_of(levels) - paper[..., 0]
            self._bare = (places, BarePatches(brightness, colours, bare_grain(brightness)))
        return self._bare[1]

    def _doubt(self, p: Probabilities, seen: Judgement, sight: Sight) -> str | None:
        """Why the reading is not certain, or None."""
        if sight.footing is Footing.HELD:
            return "no marker is in sight, so the board may have been moved"
        if np.count_nonzero(seen.astray) >= ASTRAY:
            return f"the wells do not lie where the settings say: spheres lie beside {self._names(seen.astray)}"
        said = []
        if seen.astray.any():
            said.append(f"a sphere lies beside {self._names(seen.astray)}")
        if seen.foreign.any():
            said.append(f"something else on {self._names(seen.foreign)}, of no sphere's colour: check [spheres]")
        unsure = (p.argmax(axis=1) != Content.HIDDEN) & (p.max(axis=1) < SURE) & ~seen.astray
        if unsure.any():
            said.append("uncertain: " + self._names(unsure))
        return "; ".join(said) or None

    def _names(self, wells: NDArray[np.bool_]) -> str:
        return ", ".join(self._grid.name(int(well)) for well in np.flatnonzero(wells))


def _read(p: Probabilities) -> NDArray[np.bool_]:
    """Which wells are in sight and certain."""
    return np.asarray(p.max(axis=1, where=KNOWABLE, initial=0.0) >= SURE, np.bool_)


def whitest(white: Colours) -> Colours:
    """The colour (markers, 3) of the brightest of the samples of each marker's white cells, (markers, samples, 3).

    In a blurred picture the others are darkened by the black cells around them.
    """
    brightest = white[..., 0].argsort(axis=1)[:, -WHITEST:]
    return np.asarray(median(np.take_along_axis(white, brightest[..., None], axis=1), axis=1), np.float32)
