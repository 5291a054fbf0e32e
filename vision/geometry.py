"""The geometry a board reader needs, as plain values: the grid of wells, the markers, the camera."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Grid:
    """Wells centred on the board, coordinates in mm from its centre: +x along files a to g, +y along ranks 1 up.

    Well number `rank * files + file`, so a1 is 0, b1 is 1, and the last file of the last rank is `files * ranks - 1`.
    `rank_pitch_mm`: between ranks, where it is not that between files. `piece_height_mm`: of pieces flatter than
    spheres, whose other diameter is `sphere_diameter_mm`.
    """

    files: int = 7
    ranks: int = 6
    pitch_mm: float = 36.0
    sphere_diameter_mm: float = 25.0
    size_mm: tuple[float, float] = (300.0, 260.0)
    rank_pitch_mm: float | None = None
    piece_height_mm: float | None = None

    @property
    def wells(self) -> int:
        return self.files * self.ranks

    @property
    def pitches_mm(self) -> tuple[float, float]:
        """From file to file and from rank to rank."""
        return (self.pitch_mm, self.pitch_mm if self.rank_pitch_mm is None else self.rank_pitch_mm)

    @property
    def height_mm(self) -> float:
        """Of a piece."""
        return self.sphere_diameter_mm if self.piece_height_mm is None else self.piece_height_mm

    def centre_mm(self, well: int) -> tuple[float, float]:
        """Where the well's centre is."""
        rank, file = divmod(well, self.files)
        across, up = self.pitches_mm
        return ((file - (self.files - 1) / 2) * across, (rank - (self.ranks - 1) / 2) * up)

    def name(self, well: int) -> str:
        rank, file = divmod(well, self.files)
        return f"{chr(ord('a') + file)}{rank + 1}"


@dataclass(frozen=True, slots=True)
class MarkerLayout:
    """Printed square markers: where each id's centre lies on the board (mm), and how long a side is (mm).

    They are printed upright as White sees them: corner order top left, top right, bottom right, bottom left of the
    black square is board (-x,+y), (+x,+y), (+x,-y), (-x,-y) of the centre, half of `size_mm` each way.
    """

    centres_mm: dict[int, tuple[float, float]]
    dictionary: str = "DICT_4X4_50"
    size_mm: float = 22.0


@dataclass(frozen=True, slots=True)
class CameraModel:
    """Pinhole camera: `size_px` (width, height), 3x3 `matrix` rows, OpenCV `distortion`. No `matrix`: it is guessed."""

    size_px: tuple[int, int] | None = None
    matrix: tuple[tuple[float, float, float], ...] | None = None
    distortion: tuple[float, ...] = field(default=(0.0, 0.0, 0.0, 0.0, 0.0))


@dataclass(frozen=True, slots=True)
class SphereColours:
    """Names of the two coloured spheres' colours."""

    white_coloured: str = "magenta"
    black_coloured: str = "blue"
