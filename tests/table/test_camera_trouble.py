"""What a camera says of itself takes the place of what was guessed from its silence, and is said once."""

from companion.table.camera_notices import LIGHT_CHANGED
from companion.table.camera_trouble import NOT_THERE, CameraTrouble
from companion.table.witnesses import NO_BOARD, NO_PICTURES, WitnessFault
from vision.camera_watch import CABLE, NEW_LIGHT, CameraHealth, CameraState

OK = CameraHealth(CameraState.OK)
STARTING = CameraHealth(CameraState.STARTING, "starting", "wait")
SILENT = WitnessFault("camera", NO_PICTURES, "guess")
UNSEEN = WitnessFault("camera", NO_BOARD, "all four markers")
CELL = WitnessFault("load_cells", "low no data", "plug")


def gone(seconds):
    return CameraHealth(CameraState.GONE, f"the camera hangs: no picture for {seconds} s", CABLE)


def test_a_sound_camera_adds_nothing():
    assert CameraTrouble().told([SILENT, CELL], OK) == (SILENT, CELL)
    assert CameraTrouble().told([SILENT], None) == (SILENT,)


def test_a_camera_that_hangs_is_named_with_its_remedy_in_place_of_the_guess():
    fault, other = CameraTrouble().told([SILENT, CELL], gone(2.5))
    assert (fault.witness, fault.what) == ("camera", "the camera hangs: no picture for 2.5 s")
    assert fault.remedy.startswith("Check the camera's cable")
    assert other == CELL


def test_one_condition_is_one_fault_however_long_it_lasts():
    trouble = CameraTrouble()
    (first,) = trouble.told([], gone(2.5))
    assert trouble.told([SILENT], gone(2.6)) == (first,)
    unplugged = CameraHealth(CameraState.GONE, "/dev/video0 is gone: the camera was unplugged", CABLE)
    (second,) = trouble.told([SILENT], unplugged)
    assert "unplugged" in second.what
    assert trouble.told([], OK) == ()
    (third,) = trouble.told([], gone(3.0))
    assert "3.0" in third.what


def test_a_camera_that_is_starting_is_not_blamed():
    assert CameraTrouble().told([SILENT, UNSEEN, CELL], STARTING) == (CELL,)


def test_a_camera_that_sets_its_exposure_anew_is_said_so_once_and_nobody_need_act():
    trouble, settling = CameraTrouble(), CameraHealth(CameraState.SETTLING, NEW_LIGHT)
    changed = WitnessFault("camera", LIGHT_CHANGED, "")
    said = trouble.told([changed, CELL], settling)
    assert said == (WitnessFault("camera", NEW_LIGHT, ""), CELL)
    assert trouble.told([CELL], OK) == (CELL,)


def test_a_board_without_markers_is_not_asked_for_markers():
    (fault,) = CameraTrouble(by_corners=True).told([UNSEEN], OK)
    assert fault.what == NOT_THERE
    assert "calibrate corners" in fault.remedy
