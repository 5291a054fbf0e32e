"""Whether a camera does well enough, one line for each part, from what `camera_health` measured. Pure."""

from dataclasses import dataclass

from vision.camera_health import CameraFigures
from vision.camera_watch import CABLE, DELIVERING, OLD, CameraHealth, CameraState
from vision.light_check import LightProblem, exposure_problems, flicker_problems

LEAST_RATE = 2.0  # pictures a second, below which a move is seen long after it was made
SLOW_OF_WANTED = 0.6  # share of the rate that was asked for, below which something is wrong
LONGEST_WAIT_S = 1.0  # between two pictures
OLDEST_S = 0.4  # a picture's usual age when it comes
BLURRED_OF_WIDTH = 0.005  # of the picture's longer side: edges as wide as this blur the markers' cells together
BARELY_SEEN = 0.7  # share of the pictures in which a marker should be found
MOST_ERROR_MM = 1.5  # rms, from where the settings say that the markers' corners are

SLOWER = "choose a smaller size_px or a lower fps in [camera], and plug a USB camera into a USB 3 socket"
FOCUS = "turn the lens until the markers' edges are crisp and fix it there; its mount should not shake"
NO_EDGES = "take off the lens cap, switch on a lamp, and point the camera at the board"
SHOW_MARKERS = "put board and camera so that all markers are in the picture: whole, flat, sharp and without glare"
MEASURE = "measure anew where the markers are for [markers], and the lens with `senryaku calibrate camera`"
CALIBRATE = "the lens is guessed; `senryaku calibrate camera` measures it"


@dataclass(frozen=True, slots=True)
class CameraLine:
    """One line: which part of the camera, whether it does well enough, what was measured, and what to do if not."""

    part: str
    ok: bool
    what: str
    remedy: str = ""


def camera_lines(
    figures: CameraFigures,
    health: CameraHealth | None = None,
    wanted_fps: float | None = None,
    lens_guessed: bool = False,
    by_corners: bool = False,
) -> list[CameraLine]:
    """A line for each part.

    `health`: what the camera says of itself; `wanted_fps`: the rate that the settings ask for; `lens_guessed`: they
    have no matrix; `by_corners`: its board has no markers.
    """
    if health is not None and health.state not in (*DELIVERING, CameraState.STARTING):
        return [CameraLine("pictures", False, health.what, health.remedy)]
    if figures.size_px is None:
        what = figures.fault or ("no picture came" if not figures.pictures else "no picture could be read")
        return [CameraLine("pictures", False, what, CABLE)]
    lines = [*_rate(figures, wanted_fps), _age(figures), _sharpness(figures, figures.size_px)]
    if not by_corners:
        lines.append(_markers(figures))
    lines.append(_alignment(figures, lens_guessed, by_corners))
    return lines + _light(figures)


def _rate(figures: CameraFigures, wanted: float | None) -> list[CameraLine]:
    if figures.rate is None or figures.longest_wait_s is None:
        return [CameraLine("pictures", False, f"{figures.pictures} came in all", CABLE)]
    width, height = figures.size_px or (0, 0)
    of_wanted = "" if wanted is None else f" of {wanted:g} wanted"
    what = f"{figures.rate:.1f} a second{of_wanted}, at most {figures.longest_wait_s:.2f} s apart, {width} x {height}"
    slow = figures.rate < max(LEAST_RATE, SLOW_OF_WANTED * (wanted or 0.0))
    ok = not slow and figures.longest_wait_s <= LONGEST_WAIT_S
    return [CameraLine("pictures", ok, what, "" if ok else SLOWER)]


def _age(figures: CameraFigures) -> CameraLine:
    age = figures.age_s or 0.0
    ok = age <= OLDEST_S
    return CameraLine("delay", ok, f"a picture is {1000 * age:.0f} ms old when it comes", "" if ok else OLD)


def _sharpness(figures: CameraFigures, size_px: tuple[int, int]) -> CameraLine:
    if figures.edge_px is None:
        return CameraLine("sharpness", False, "nothing in the picture has an edge", NO_EDGES)
    limit = max(3.0, BLURRED_OF_WIDTH * max(size_px))
    ok = figures.edge_px <= limit
    what = f"sharp edges are {figures.edge_px:.1f} pixels wide" + ("" if ok else f", more than {limit:.1f} is blurred")
    return CameraLine("sharpness", ok, what, "" if ok else FOCUS)


def _markers(figures: CameraFigures) -> CameraLine:
    poor = [marker for marker, share in figures.markers.items() if share < BARELY_SEEN]
    if not figures.markers:
        return CameraLine("markers", False, "none was looked for: [markers] names none", SHOW_MARKERS)
    if not poor:
        return CameraLine("markers", True, f"{_names(list(figures.markers))} in sight")
    seen = [marker for marker in figures.markers if marker not in poor]
    what = f"{_names(poor)} {'is' if len(poor) == 1 else 'are'} not found; {_names(seen) or 'none'} in sight"
    return CameraLine("markers", False, what, SHOW_MARKERS)


def _names(markers: list[int]) -> str:
    return ", ".join(map(str, markers))


def _alignment(figures: CameraFigures, guessed: bool, by_corners: bool) -> CameraLine:
    if by_corners:
        return CameraLine("alignment", True, "the board's corners are named in [camera]")
    if figures.error_px is None or figures.error_mm is None:
        return CameraLine("alignment", False, figures.no_board or "the board is not found", SHOW_MARKERS)
    if figures.astray:
        what = f"marker {_names(list(figures.astray))} does not lie where [markers] says, by what the others show"
        return CameraLine("alignment", False, what, MEASURE)
    ok = figures.error_mm <= MOST_ERROR_MM
    what = f"the markers fit within {figures.error_px:.1f} pixels ({figures.error_mm:.1f} mm) rms"
    what += f" ({CALIBRATE})" if guessed and ok else ""
    return CameraLine("alignment", ok, what, "" if ok else MEASURE)


def _light(figures: CameraFigures) -> list[CameraLine]:
    if figures.level is None or figures.clipped is None:
        return []  # the board is not found, which has been said
    what = f"the board's bright parts have level {figures.level:.0f} of 255, {figures.clipped:.1%} are overexposed"
    lines = _problems("exposure", exposure_problems(figures.level, figures.clipped), what)
    lines += _problems("light", figures.light, "even, without glare and dark shadows")
    if figures.flicker is None or figures.banding is None:
        return lines
    what = f"{figures.flicker:.1%} from picture to picture, bands of {figures.banding:.1%}"
    return lines + _problems("flicker", flicker_problems(figures.flicker, figures.banding), what)


def _problems(part: str, problems: tuple[LightProblem, ...], well: str) -> list[CameraLine]:
    if not problems:
        return [CameraLine(part, True, well)]
    return [CameraLine(part, False, problem.what, problem.remedy) for problem in problems]
