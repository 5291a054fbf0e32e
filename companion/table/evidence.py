"""What the witnesses reported lately, in memory: pictures as JPEG and the samples of both cells."""

from collections import deque
from dataclasses import dataclass, field

import cv2

from firmware_bridge.samples import RawSample
from vision.frames import Frame

KEEP_S = 90.0
"""A turn with some thought in it; what is older is no longer evidence for what happens now."""
PICTURE_EVERY_S = 1.0
"""Pictures come up to 15 times a second; packing one costs a few milliseconds, so one a second is kept."""
JPEG_QUALITY = 80
"""Good enough to see spheres and marks, about 40 kB at 640 x 480."""
LEAD_S = 3.0
"""The stretch of load trace begins so long before the change: the loads at rest."""


@dataclass(frozen=True, slots=True)
class Picture:
    """`clear`: no well was hidden when it was taken."""

    t: float
    jpeg: bytes = field(repr=False)
    clear: bool = False


@dataclass(frozen=True, slots=True)
class Stretch:
    """What was seen and felt between two moments (s on the table's clock)."""

    since: float
    until: float
    before: Picture | None
    after: Picture | None
    samples: tuple[RawSample, ...] = field(repr=False)


class Lately:
    """The ring of pictures and samples. Called from the table's thread only."""

    def __init__(self) -> None:
        self._samples: deque[RawSample] = deque()
        self._pictures: deque[Picture] = deque()
        self._newest: tuple[Frame, bool] | None = None

    def note(self, item: RawSample | Frame, clear: bool = False) -> None:
        """Takes one sample or picture; `clear`: no well of the picture is hidden."""
        if isinstance(item, RawSample):
            _forget(self._samples, item.t)
            self._samples.append(item)
            return
        self._newest = (item, clear)
        _forget(self._pictures, item.t)
        if not self._pictures or item.t - self._pictures[-1].t >= PICTURE_EVERY_S:
            self._pictures.extend(packed(item, clear))

    def stretch(self, since: float, until: float) -> Stretch:
        """What there is of the time from a little before `since`, when something began to change, to `until`."""
        samples = tuple(s for s in self._samples if since - LEAD_S <= s.t <= until)
        after = self._pictures[-1] if self._pictures else None
        if self._newest is not None and (after is None or self._newest[0].t > after.t):
            after = next(iter(packed(*self._newest)), after)
        return Stretch(since, until, self._before(since), after, samples)

    def _before(self, since: float) -> Picture | None:
        """The last picture before the change that no hand covers, or else the last before it, or the first there is."""
        earlier = [p for p in self._pictures if p.t <= since]
        clear = [p for p in earlier if p.clear]
        found = clear or earlier or list(self._pictures)[:1]
        return found[-1] if found else None


def packed(frame: Frame, clear: bool) -> list[Picture]:
    """The picture as JPEG; none where it cannot be packed."""
    done, jpeg = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return [Picture(frame.t, jpeg.tobytes(), clear)] if done else []


def _forget(ring: "deque[RawSample] | deque[Picture]", now: float) -> None:
    if ring and ring[-1].t > now:  # the clock was set back, so it is another one
        ring.clear()
    while ring and ring[0].t < now - KEEP_S:
        ring.popleft()
