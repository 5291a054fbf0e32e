"""Whether a camera does what it should, and when to start it anew: pure, the time is told."""

from dataclasses import dataclass, field
from enum import StrEnum


class CameraState(StrEnum):
    OK = "ok"
    STARTING = "starting"  # no picture has come yet, which is no wonder
    SETTLING = "settling"  # pictures come while exposure and colours are found anew, as the light has changed for good
    FROZEN = "frozen"  # pictures come, but always the same one
    GONE = "gone"  # no pictures come


@dataclass(frozen=True, slots=True)
class CameraHealth:
    """`what` is wrong, and the `remedy`; empty where all is well, the remedy alone where nobody need do anything."""

    state: CameraState
    what: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds. Of real cameras; tests have less patience."""

    first_picture: float = 12.0  # a Pi needs 3 to 5 to start its camera
    next_picture: float = 2.5
    same_picture: float = 4.0  # noise makes every picture of a living camera different from the last
    too_old: float = 1.0  # a picture that was taken so long ago is not passed on
    restart: float = 1.0  # before the first new start; twice as long before each further one ...
    restart_at_most: float = 15.0  # ... up to this


CABLE = "check the camera's cable and plug it in again; `senryaku doctor` says more"
OLD = "the machine is too slow for this picture size or rate: choose a smaller size_px in [camera]"
FREEZE = "take off the lens cap if it is on; unplug the camera and plug it in again"
STARTED = "wait; if this lasts, check the camera's cable"
NEW_LIGHT = "the light has changed; the camera sets its exposure and colours anew"
DELIVERING = (CameraState.OK, CameraState.SETTLING)
"""States in which new pictures come."""


@dataclass(slots=True)
class CameraWatch:
    """Told of starts, pictures and ends; says how the camera is and whether it is time to kill it."""

    deadlines: Deadlines = field(default_factory=Deadlines)
    restarts: int = 0
    old: int = 0
    repeated: int = 0
    _started: float = 0.0
    _seen: float | None = None  # when the last picture of this start came
    _changed: float = 0.0
    _mark: int | None = None  # of the last picture
    _settling: bool = False
    _failures: int = 0  # starts in a row that came to nothing
    _health: CameraHealth = field(default_factory=lambda: CameraHealth(CameraState.STARTING, "starting", STARTED))

    def start(self, now: float) -> None:
        """The camera is being started."""
        self._started, self._seen, self._settling = now, None, False

    def settle(self, begun: bool) -> None:
        """The camera finds exposure and colours anew in another light, or has found and locked them."""
        self._settling = begun

    def picture(self, taken: float, mark: int, now: float) -> bool:
        """A picture came; `mark` tells it from others. Is it a new one, fit to be passed on?"""
        self._seen = now
        if mark == self._mark:
            self.repeated += 1
            return False
        self._mark, self._changed = mark, now
        if now - taken > self.deadlines.too_old:
            self.old += 1
            self._health = CameraHealth(CameraState.FROZEN, f"pictures come {now - taken:.1f} s late", OLD)
            return False
        self._failures = 0
        self._health = CameraHealth(CameraState.SETTLING, NEW_LIGHT) if self._settling else CameraHealth(CameraState.OK)
        return True

    def due(self, now: float) -> bool:
        """Is a deadline over, so that the camera should be killed and started anew?"""
        limits = self.deadlines
        if self._seen is None:
            if now - self._started <= limits.first_picture:
                return False
            self._gone(f"no picture came within {limits.first_picture:g} s of starting the camera")
            return True
        if now - self._seen > limits.next_picture:
            self._gone(f"the camera hangs: no picture for {now - self._seen:.1f} s")
            return True
        if now - max(self._changed, self._started) > limits.same_picture:
            what = f"the picture has not changed for {now - self._changed:.0f} s"
            self._health = CameraHealth(CameraState.FROZEN, what, FREEZE)
            return True
        return False

    def ended(self, last_words: str) -> None:
        """The camera's process ended by itself."""
        self._gone(last_words or "the camera's process ended")

    def restart_after(self) -> float:
        """The camera is down: how long to wait before it is started again, s."""
        wait = min(self.deadlines.restart * float(1 << min(self._failures, 16)), self.deadlines.restart_at_most)
        self._failures += 1
        self.restarts += 1
        return wait

    def _gone(self, what: str) -> None:
        self._health = CameraHealth(CameraState.GONE, what, CABLE)

    @property
    def health(self) -> CameraHealth:
        return self._health
