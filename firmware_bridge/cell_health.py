"""Named faults of one load cell and its amplifier, as states: each begins with its cause and ends with it."""

from collections import deque

from firmware_bridge.faults import CellFault
from firmware_bridge.samples import COUNTS_MAX, COUNTS_MIN

SILENCE_S = 1.0
"""Missing this long is a fault. A chip that resets itself is back after 0.4 s, and a few lost samples are normal."""
SATURATED_S = 0.25
"""At an end of the scale this long is a fault; a lone code is a corrupt sample."""
STUCK_S = 0.4
STUCK_SAMPLES = 5
"""The same count for so long and so often is no measurement: the amplifier's own noise is 20 counts and more by its
data sheet, so that five repeats by chance are rarer than one in a hundred million."""
RECENT_S = 1.8
"""Lost and garbled samples are counted over so long ..."""
SPREAD_S = 1.2
"""... and must be spread over so much of it: a short rough touch is over sooner, with the amplifier's filter."""
ERRATIC_SHARE = 0.25
CALM_SHARE = 0.08
"""Real bit-banged readers garble up to 5% of samples, prototypes under load more; at a quarter of the recent ones
nothing that is left can be trusted. A floating data line gives far more. It is over when this few are left."""
JUMPS = 5
"""So many jumps that the other cell does not share, within that time, are a loose wire as well."""
MISSING_SHARE = 0.55
MISSING_S = 1.3
"""A reader on a busy computer may drop up to 43% of the samples and levels are still good; with more, for so
long, they are not."""
BELOW_ZERO_G = -25.0
"""A pinnacle cannot pull its cell up, and drift is a few grams: lower is no load."""
BELOW_ZERO_S = 1.0
"""So much below zero for so long is a fault."""
REVERSED_G = -60.0
"""No zero is so wrong by drift: the cell pulls where it should press."""
LATELY_SAMPLES = 9
REVERSED_SAMPLES = 6
"""So many of the last ones must be that low: a wild sample or two are not the cell's own word."""
BACK_SAMPLES = 3
"""So many above it in a row end a fault of being below zero: one or two may be wild ones."""
SPIKES_LEAST, SPIKES_SHARE = 3, 0.03
"""So many, and such a share, of the recent samples left out as corrupt or lone spikes are named. Real amplifiers on a
Pi give 2 or 3 in 1000: at 80 a second they reach this about once in half a day."""
SPIKES_SPREAD_S = SPREAD_S
"""... and they are spread over as much time as those of a loose wire: by then it is known which of the two it is."""
DROPOUT_S = 0.35
"""Away for longer, but not for good: a reset takes a chip 0.4 s at 10 samples a second (data sheet); two lost samples
in a row do not come up to it."""
DROPOUT_WAIT_S, DROPOUT_TOLD_S = 1.0, 3.0
"""A dropout is known when it is over. It is told from so long after it, when a cell that loses most of its samples has
been named for that, until so long after it."""


class CellHealth:
    """A fold over one cell's samples; `faults` holds what is wrong right now as `"<cell> <fault>"`.

    Of a cell at fault no reading is to be believed. `weaknesses` are faults that spoil single readings only, which are
    left out. `notices` are the same from the very first spike on, which a good cell has now and then as well.
    """

    def __init__(self, cell: str) -> None:
        self._names = {fault: f"{cell} {fault}" for fault in CellFault}
        self.faults: tuple[str, ...] = ()
        self.weaknesses: tuple[str, ...] = ()
        self.notices: tuple[str, ...] = ()
        self.spikes = self.dropouts = 0
        """How often so far."""
        self._fault: CellFault | None = None
        self._first_t: float | None = None
        self._seen_t: float | None = None
        self._off_scale_since: float | None = None
        self._last_counts: int | None = None
        self._same_since = 0.0
        self._same_times = 0
        self._below_since: float | None = None
        self._below_before = False
        self._not_below = 0
        self._far_below: deque[bool] = deque(maxlen=LATELY_SAMPLES)
        self._dropout_t = self._dropouts_since = float("-inf")
        self._all: deque[float] = deque()
        self._bad: deque[float] = deque()
        self._missing: deque[float] = deque()
        self._jumps: deque[float] = deque()
        self._was_alone = False

    def note(self, t: float, counts: int | None, grams: float | None, spike: bool, alone: bool = False) -> None:
        """Takes a sample: counts, grams (None when impossible), and of the one before whether it was a spike.

        `alone`: the one before jumped, and the other cell did not.
        """
        if self._first_t is None:
            self._first_t = self._same_since = t
        self._all.append(t)
        if counts is None:
            self._missing.append(t)
        else:
            self._note_counts(t, counts, grams, spike or alone)
        if alone and not self._was_alone and not spike:  # a jump goes on for as long as the filter takes
            self._jumps.append(t)
        self._was_alone = alone
        oldest = t - RECENT_S
        while self._all[0] < oldest:
            self._all.popleft()
        if self._bad or self._missing or self._jumps:
            for times in (self._bad, self._missing, self._jumps):
                while times and times[0] < oldest:
                    times.popleft()
        fault = self._judge(t)
        if fault is not self._fault:
            if fault is None:
                self._forget_weaknesses()
            self._fault = fault
            self.faults = () if fault is None else (self._names[fault],)
        if self._bad or self.notices or self._dropout_t >= t - DROPOUT_TOLD_S:
            self._note_weaknesses(t)

    def _note_counts(self, t: float, counts: int, grams: float | None, wild: bool) -> None:
        off_scale = counts >= COUNTS_MAX or counts <= COUNTS_MIN
        below = grams is not None and grams < BELOW_ZERO_G
        wild = wild and not self._below_before  # that one was counted when it came
        in_a_run = (off_scale and self._off_scale_since is not None) or (below and self._below_before)
        if not off_scale:
            self._off_scale_since = None
        elif self._off_scale_since is None:
            self._off_scale_since = t
        if grams is not None and (below or self._below_since is not None):
            self._note_below(t, grams, below)
        self._below_before = below
        if self._seen_t is not None and DROPOUT_S < t - self._seen_t <= SILENCE_S:
            if t - self._dropout_t > DROPOUT_TOLD_S:
                self._dropouts_since = t
            self._dropout_t = t
            self.dropouts += 1
        self._seen_t = t
        if self._fault is CellFault.NO_DATA:
            self._missing.clear()
        if counts == self._last_counts:
            self._same_times += 1
        else:
            self._last_counts, self._same_since, self._same_times = counts, t, 0
        if (grams is None or wild or below) and not in_a_run:
            self._bad.append(t)
            self.spikes += 1

    def _note_below(self, t: float, grams: float, below: bool) -> None:
        self._far_below.append(grams < REVERSED_G)
        if below:
            self._not_below = 0
            if self._below_since is None:
                self._below_since = t
            return
        self._not_below += 1
        if self._not_below >= BACK_SAMPLES or self._fault not in (CellFault.BELOW_ZERO, CellFault.REVERSED):
            self._below_since = None
            self._far_below.clear()

    def _note_weaknesses(self, t: float) -> None:
        spikes, dropouts = self._names[CellFault.SPIKES], self._names[CellFault.DROPOUTS]
        dropped = (dropouts,) if t - self._dropout_t <= DROPOUT_TOLD_S else ()
        noticed = ((spikes,) if self._bad else ()) + dropped
        if self._fault is not None:
            self.notices = self.weaknesses = ()
            return
        self.notices = noticed
        self.weaknesses = ((spikes,) if self._is_spiky(spikes in self.weaknesses) else ()) + (
            dropped if t - self._dropouts_since >= DROPOUT_WAIT_S else ()
        )

    def _forget_weaknesses(self) -> None:
        """A fault is over: what it spoilt says nothing of the cell as it is now."""
        self._bad.clear()
        self._jumps.clear()
        self._dropout_t = float("-inf")
        self.notices = self.weaknesses = ()

    def _is_spiky(self, named: bool) -> bool:
        bad = self._bad
        if named:
            return len(bad) > 1
        if len(self._jumps) > 1:  # rather a bad contact, which is named when it has gone on for long enough
            return False
        enough = len(bad) >= max(SPIKES_LEAST, SPIKES_SHARE * len(self._all))
        return enough and bad[-1] - bad[0] >= SPIKES_SPREAD_S

    def _judge(self, t: float) -> CellFault | None:
        since = self._seen_t if self._seen_t is not None else self._first_t
        if since is not None and t - since > SILENCE_S:
            return CellFault.NO_DATA
        if self._off_scale_since is not None and t - self._off_scale_since >= SATURATED_S:
            return CellFault.SATURATED
        if self._same_times >= STUCK_SAMPLES and t - self._same_since >= STUCK_S:
            return CellFault.STUCK
        if self._bad and self._is_erratic():
            return CellFault.ERRATIC
        if self._below_since is not None and t - self._below_since >= BELOW_ZERO_S:
            return CellFault.REVERSED if self._is_far_below() else CellFault.BELOW_ZERO
        if self._missing and self._is_starved():
            return CellFault.TOO_FEW
        return None

    def _is_far_below(self) -> bool:
        """Whether most of the last samples say so; once it is named, whether some still do."""
        far = sum(self._far_below)
        return far >= (LATELY_SAMPLES - REVERSED_SAMPLES if self._fault is CellFault.REVERSED else REVERSED_SAMPLES)

    def _is_erratic(self) -> bool:
        rows, jumps = len(self._all), self._jumps
        if self._fault is CellFault.ERRATIC:
            return len(self._bad) > CALM_SHARE * rows or len(jumps) > 1
        if len(jumps) >= JUMPS and jumps[-1] - jumps[0] >= SPREAD_S:
            return True
        return len(self._bad) >= ERRATIC_SHARE * rows and self._bad[-1] - self._bad[0] >= SPREAD_S

    def _is_starved(self) -> bool:
        share = MISSING_SHARE - (0.1 if self._fault is CellFault.TOO_FEW else 0.0)
        return len(self._missing) > share * len(self._all) and self._missing[-1] - self._missing[0] >= MISSING_S
