"""The recorded games, each refereed once: what was ruled, what was foretold, and what was learned from nothing."""

from dataclasses import dataclass, field, replace
from functools import cache

from companion.balance import Balance, Outlook
from companion.balance.weighing import Scale
from companion.referee.state import begin
from companion.rules import Position
from companion.table.balancing import Balancing
from companion.table.extremes import Extremes
from companion.table.recording import Recording
from companion.table.refereeing import Refereeing
from companion.table.teaching import Teaching

STILL_G = 1.0
"""A stretch that rocks more shows no margin to compare with."""


@dataclass
class Replayed:
    """What was ruled, what was foretold when (time, outlook), and what the moves' events said."""

    rulings: list = field(default_factory=list)
    shown: list[tuple[float, Outlook]] = field(default_factory=list)
    reports: list[dict] = field(default_factory=list)
    crashes: list[tuple[float, dict]] = field(default_factory=list)
    notices: int = 0

    def at(self, t):
        return [outlook for shown, outlook in self.shown if shown <= t][-1]

    def take(self, item, rulings, balancing, refereeing):
        balancing.take(item, rulings, refereeing)
        for ruling in rulings:
            report = balancing.report(ruling)
            if report is not None and ruling.kind == "crash":
                self.crashes.append((ruling.t, report))
            elif report is not None:
                self.reports.append(report)
        outlook = balancing.ahead(refereeing.state)
        if outlook is not None and (not self.shown or self.shown[-1][1] != outlook):
            self.shown.append((item.t, outlook))
        self.notices += len(balancing.teaching.notices)
        balancing.teaching.notices.clear()
        self.rulings += rulings


class Watched(Teaching):
    """Notes for every stretch at rest the margin that was foretold before the touch, and the one that is then shown."""

    def begin(self, position):
        super().begin(position)
        self.before = None

    def _read(self, stretch):
        if stretch is not None and self.before is not None:
            reading = stretch.reading()
            if reading.rocking_g < STILL_G:
                total = reading.low_g + reading.high_g
                spacing = self.true_mm
                shown = spacing - abs(spacing * (reading.high_g - reading.low_g) / total)
                self.seen.append((self.plies, *self._foretold(), shown))
        super()._read(stretch)
        self.before = self.known

    def _foretold(self):
        known = replace(self.before, standing=self.known.standing)
        balance: Balance = known.balance()
        letters = {w: of for w, of in zip(known.standing, known.letters, strict=True) if w is not None}
        scale = Scale.of(balance, Position.from_placement(letters, Position.start().side))
        (weighed,) = scale.weigh([{well: well for well in scale.wells}])
        return weighed.margin_mm, weighed.sd_mm


@cache
def refereed(folder):
    """What one who knows the table foretold of a recording, and what one learned who knew nothing of it.

    A process goes through each recording once; nobody may change what is given.
    """
    recording = Recording.open(folder)
    settings = recording.settings
    refereeing = Refereeing.of(settings, begin(settings.rules), loads=True, camera=True, empty=recording.empty())
    knowing, found = Balancing.of(settings), Replayed()
    teaching = Watched(settings.axis, settings.along_mm, None)
    teaching.true_mm = settings.cells.half_spacing_mm
    teaching.seen, teaching.plies = [], 0
    learning = Balancing(teaching, Extremes(settings.cells))
    for item in recording.items():
        rulings = refereeing.take(item)
        found.take(item, rulings, knowing, refereeing)
        learning.take(item, rulings, refereeing)
        teaching.plies += sum(ruling.kind == "move" for ruling in rulings)
    return found, teaching
