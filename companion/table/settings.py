"""One table's settings: what its `table.toml` says, as frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from companion.errors import BadInput
from companion.referee.policy import RULING_KINDS, Handling, Policy
from companion.rules import MatchRules, Side
from companion.table.camera_settings import BoardCorners, Taking, read_camera
from companion.table.toml_sections import BadSettings, Section, is_number
from firmware_bridge.samples import CellCalibration, LoadCells
from vision.geometry import CameraModel, Grid, MarkerLayout, SphereColours

BUTTONS = ("white_button", "black_button", "referee_button")
LAMPS = ("safe_lamp", "near_lamp", "crash_lamp", "buzzer")
HIGHEST_GPIO = 27
"""The last GPIO number on a Raspberry Pi's 40-pin header."""

WARN_ABOVE = 0.5
"""A touch that is likelier than this to tip the board is warned of, unless a table says otherwise."""


@dataclass(frozen=True, slots=True)
class Pins:
    """GPIO numbers of one HX711; None where it is not on GPIO."""

    data: int | None = None
    clock: int | None = None


@dataclass(frozen=True, slots=True)
class WebSettings:
    host: str = "127.0.0.1"
    port: int = 8000
    trusted_hosts: tuple[str, ...] = ()
    open_to_spectators: bool = True


@dataclass(frozen=True, slots=True)
class Try4Settings:
    """The mat: its grid and tiles (mm); `tile_set` in the words of the game text, empty for the standard one."""

    columns: int = 7
    rows: int = 7
    cell_mm: float = 34.0
    tile_mm: float | None = None
    mat_mm: tuple[float, ...] = ()
    colours: tuple[str, ...] = ("red", "blue", "green", "yellow", "purple")
    tile_set: str = ""


@dataclass(frozen=True, slots=True)
class MqttSettings:
    broker: str = ""
    user: str = ""
    topics: str = "senryaku"


@dataclass(frozen=True, slots=True)
class TableSettings:
    """Everything `table.toml` can say. `axis` is `ranks` or `files`: the direction in which the pinnacles lie apart.

    Where `corners` are given the board is found by them, not by its markers. `board`: whether there is one, or a Try 4
    mat alone.
    """

    name: str
    grid: Grid = Grid()
    axis: str = "ranks"
    load_source: str = "none"
    cells: LoadCells = LoadCells()
    low_pins: Pins = Pins()
    high_pins: Pins = Pins()
    camera_source: str = "none"
    camera: CameraModel = CameraModel()
    taking: Taking = Taking()
    corners: BoardCorners | None = None
    markers: MarkerLayout = field(default_factory=lambda: MarkerLayout({}))
    colours: SphereColours = SphereColours()
    rules: MatchRules = MatchRules()
    policy: Policy = Policy()
    warnings: str = "all"
    warn_above: float = WARN_ABOVE
    panel: dict[str, int] = field(default_factory=dict)
    web: WebSettings = WebSettings()
    try4: Try4Settings | None = None
    board: bool = True
    mqtt: MqttSettings | None = None

    @property
    def along_mm(self) -> float:
        """From well to well along the line of the pinnacles."""
        across, up = self.grid.pitches_mm
        return up if self.axis == "ranks" else across


def read_settings(file: Path, board_known: bool = True) -> TableSettings:
    """Reads a `table.toml`. Raises `BadSettings`, naming the file, the key and what is allowed.

    With `board_known` it must say how the board is found in a picture, by markers or by corners.
    """
    top = Section.read(file)
    markers, board, try4 = top.section("markers"), top.section("board"), top.section("try4")
    camera = read_camera(top.section("camera"))
    if board_known and not (top.has("markers") or (camera.corners is not None and top.has("board"))):
        raise BadSettings(
            f"{file}: [markers] is missing; it says which markers lie where (a board without any needs corners_px in "
            "[camera]: `senryaku calibrate corners`)"
        )
    if not (top.has("board") or top.has("try4")):
        raise BadSettings(f"{file}: [board] is missing (or [try4] for a Try 4 mat alone)")
    load_cells = top.section("load_cells")
    axis, half_spacing_mm = _pinnacles(top.section("pinnacles"))
    low, low_pins = _cell(load_cells.section("low"))
    high, high_pins = _cell(load_cells.section("high"))
    load_source = load_cells.choice("source", "none", ("gpio", "pico", "none"))
    cells = LoadCells(low, high, load_cells.number("sample_rate_hz", 80, 1, 400), half_spacing_mm)
    policy, warnings, warn_above = _referee(top.section("referee"))
    panel = _panel(top.section("panel"))
    if load_source == "gpio":
        _check_pins(file, low_pins, high_pins, panel)
    settings = TableSettings(
        name=top.text("name", file.resolve().parent.name),
        grid=_grid(board),
        axis=axis,
        load_source=load_source,
        cells=cells,
        low_pins=low_pins,
        high_pins=high_pins,
        camera_source=camera.source,
        camera=camera.model,
        taking=camera.taking,
        corners=camera.corners,
        markers=_markers(markers) if top.has("markers") else MarkerLayout({}),
        colours=_colours(top.section("spheres")),
        rules=_rules(top.section("rules")),
        policy=policy,
        warnings=warnings,
        warn_above=warn_above,
        panel=panel,
        web=_web(top.section("web")),
        try4=_try4(try4) if top.has("try4") else None,
        board=top.has("board"),
        mqtt=_mqtt(top.section("mqtt")) if top.has("mqtt") else None,
    )
    load_cells.finish()
    top.finish()
    return settings


def _grid(board: Section) -> Grid:
    defaults = Grid()
    width, height = board.numbers("size_mm", defaults.size_mm, (2,))
    if not min(width, height) > 0:
        raise board.bad("size_mm", f"should be two lengths above 0, not {width:g} and {height:g}")
    grid = Grid(
        pitch_mm=board.number("well_pitch_mm", defaults.pitch_mm, 5, 500),
        sphere_diameter_mm=board.number("sphere_diameter_mm", defaults.sphere_diameter_mm, 2, 400),
        size_mm=(width, height),
        rank_pitch_mm=board.optional_number("rank_pitch_mm", 5, 500),
        piece_height_mm=board.optional_number("piece_height_mm", 1, 400),
    )
    for key, pitch_mm in zip(("well_pitch_mm", "rank_pitch_mm"), grid.pitches_mm, strict=True):
        if grid.sphere_diameter_mm >= pitch_mm:
            raise board.bad("sphere_diameter_mm", f"should be less than {key} ({pitch_mm:g})")
    board.finish()
    return grid


def _pinnacles(section: Section) -> tuple[str, float | None]:
    axis = section.choice("axis", "ranks", ("ranks", "files"))
    half_spacing_mm = section.optional_number("half_spacing_mm", 0.1, 200)
    section.finish()
    return axis, half_spacing_mm


def _cell(section: Section) -> tuple[CellCalibration, Pins]:
    defaults = CellCalibration()
    gain = section.number("counts_per_gram", defaults.counts_per_gram)
    if gain == 0:
        raise section.bad("counts_per_gram", "should not be 0; run `senryaku calibrate load-cells`")
    calibration = CellCalibration(section.number("offset_counts", defaults.offset_counts), gain)
    pins = Pins(
        section.optional_whole("data_pin", 0, HIGHEST_GPIO), section.optional_whole("clock_pin", 0, HIGHEST_GPIO)
    )
    section.finish()
    return calibration, pins


def _check_pins(file: Path, low: Pins, high: Pins, panel: Mapping[str, int]) -> None:
    """Every wire to a GPIO of its own: chips that share a clock are both reset whenever one is slow."""
    used = {pin: f"[panel] {name}" for name, pin in panel.items()}
    for cell, pins in (("low", low), ("high", high)):
        for key, pin in (("data_pin", pins.data), ("clock_pin", pins.clock)):
            name = f"[load_cells.{cell}] {key}"
            if pin is None:  # a recording's table needs none
                continue
            if pin in used:
                raise BadSettings(f"{file}: {name}: GPIO {pin} is already {used[pin]}; each wire needs one of its own")
            used[pin] = name


def _markers(section: Section) -> MarkerLayout:
    dictionary = section.choice("dictionary", "DICT_4X4_50", ("DICT_4X4_50",))
    size_mm = section.number("size_mm", 22.0, 1, 500)
    centres: dict[int, tuple[float, float]] = {}
    for key, value in section.free("centres_mm").items():
        if not key.isdigit() or not 0 <= int(key) < 50:
            raise section.bad(f"centres_mm.{key}", "marker ids are whole numbers from 0 to 49")
        if not isinstance(value, list) or len(value) != 2 or not all(is_number(v) for v in value):
            raise section.bad(f"centres_mm.{key}", f"should be [x, y] in mm, not {value!r}")
        centre = (float(value[0]), float(value[1]))
        twin = next((marker for marker, other in centres.items() if other == centre), None)
        if twin is not None:
            raise section.bad(f"centres_mm.{key}", f"markers {twin} and {key} have the same centre {value}")
        centres[int(key)] = centre
    if len(centres) < 3:
        raise section.bad("centres_mm", f"should name at least three markers, it names {len(centres)}")
    section.finish()
    return MarkerLayout(centres, dictionary, size_mm)


def _colours(section: Section) -> SphereColours:
    defaults = SphereColours()
    colours = SphereColours(
        section.text("white_coloured", defaults.white_coloured), section.text("black_coloured", defaults.black_coloured)
    )
    if colours != defaults:
        white, black = (_hue(section, key, getattr(colours, key)) for key in ("white_coloured", "black_coloured"))
        if white == black:
            raise section.bad("black_coloured", f"both coloured spheres are {colours.white_coloured}; they must differ")
    section.finish()
    return colours


def _hue(section: Section, key: str, name: str) -> float:
    # Imported only for colours to look up, as OpenCV comes with it and most commands need none.
    from vision.colour import HUES_DEG, hue_of_name

    try:
        return hue_of_name(name)
    except BadInput:
        raise section.bad(key, f"{name!r} is no known colour; known are {', '.join(HUES_DEG)}") from None


def _rules(section: Section) -> MatchRules:
    defaults = MatchRules()
    try:
        rules = MatchRules(
            first=Side(section.choice("first", "white", ("white", "black"))),
            alternate_first=section.flag("alternate_first", defaults.alternate_first),
            track_steps=section.whole("track_steps", defaults.track_steps, 1, 99),
            capture_points=section.whole("capture_points", defaults.capture_points, 0, 99),
            crash_points=section.whole("crash_points", defaults.crash_points, 0, 99),
            no_move_points=section.whole("no_move_points", defaults.no_move_points, 0, 99),
            forfeit_points=section.whole("forfeit_points", defaults.forfeit_points, 0, 99),
            resignation_points=section.whole("resignation_points", defaults.resignation_points, 0, 99),
            void_at_repetition=section.optional_whole("void_at_repetition", 3, 99),
            illegal_moves_forfeit=section.optional_whole("illegal_moves_forfeit", 1, 99),
            holding_forfeits=section.flag("holding_forfeits", defaults.holding_forfeits),
        )
    except BadSettings:
        raise
    except BadInput as error:
        raise BadSettings(f"{section.file}: [rules]: {error}") from error
    section.finish()
    return rules


def _referee(section: Section) -> tuple[Policy, str, float]:
    defaults = Policy()
    handlings = {
        kind: Handling(section.choice(kind, getattr(defaults, kind).value, [h.value for h in Handling]))
        for kind in RULING_KINDS
    }
    warnings = section.choice("warnings", "all", ("all", "spectators", "nobody"))
    warn_above = section.number("warn_above", WARN_ABOVE, 0.01, 0.99)
    section.finish()
    return Policy(**handlings), warnings, warn_above


def _panel(section: Section) -> dict[str, int]:
    pins: dict[str, int] = {}
    for name in BUTTONS + LAMPS:
        pin = section.optional_whole(name, 0, HIGHEST_GPIO)
        if pin is None:
            continue
        if pin in pins.values():
            raise section.bad(name, f"GPIO {pin} is used twice")
        pins[name] = pin
    section.finish()
    return pins


def _web(section: Section) -> WebSettings:
    defaults = WebSettings()
    web = WebSettings(
        section.text("host", defaults.host),
        section.whole("port", defaults.port, 1, 65535),
        section.texts("trusted_hosts", ()),
        section.flag("open_to_spectators", True),
    )
    section.finish()
    return web


def _try4(section: Section) -> Try4Settings:
    defaults = Try4Settings()
    try4 = Try4Settings(
        section.whole("columns", defaults.columns, 2, 26),
        section.whole("rows", defaults.rows, 2, 26),
        section.number("cell_mm", defaults.cell_mm, 5, 200),
        section.optional_number("tile_mm", 3, 200),
        section.numbers("mat_mm", (), (0, 2)),
        section.texts("colours", defaults.colours),
        section.text("tile_set", ""),
    )
    section.finish()
    return try4


def _mqtt(section: Section) -> MqttSettings:
    mqtt = MqttSettings(section.text("broker", ""), section.text("user", ""), section.text("topics", "senryaku"))
    section.finish()
    return mqtt
