"""The referee's proof: `python -m companion.simulator.bench_referee --matches 500`.

Plays simulated matches with mistakes of every kind, at several noise levels and with one witness or both, and prints
what became of everything that happened. Exit 1 where a promise is broken.
"""

import multiprocessing
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from companion.simulator.outcomes import Became, Outcome
from companion.simulator.trial import Path, Played, Trial, play

FIRST_SEED = 1000
MOVES_PER_QUESTION = 200
"""At most one move in so many is asked about."""


@dataclass(frozen=True, slots=True)
class Section:
    """Matches of one sort. `share` of all; `promise`: what must hold. `both` witnesses or not is in the trial."""

    name: str
    share: float
    trial: Trial
    asks_little: bool = False
    is_quick: bool = False


SECTIONS = (
    Section("both, model", 0.36, Trial(0), True, True),
    Section("both, pixels", 0.10, Trial(0, Path.PIXELS), True, True),
    Section("half the noise, model", 0.08, Trial(0, noise=0.5), True),
    Section("twice the noise, model", 0.10, Trial(0, noise=2.0)),
    Section("twice the noise, pixels", 0.02, Trial(0, Path.PIXELS, noise=2.0)),
    Section("10 samples/s, model", 0.06, Trial(0, rate_hz=10)),
    Section("tips to the sides, model", 0.06, Trial(0, axis="files"), True),
    Section("camera only, model", 0.04, Trial(0, loads=False)),
    Section("load cells only", 0.02, Trial(0, camera=False)),
    Section("camera comes and goes, model", 0.04, Trial(0, outages=True)),
    Section("load cells come and go, model", 0.04, Trial(0, dropouts=True)),
    Section("1 picture/s, model", 0.06, Trial(0, frames_per_second=1.0)),
    Section("1 picture/s and 10 samples/s, model", 0.02, Trial(0, rate_hz=10, frames_per_second=1.0)),
)


@dataclass(frozen=True, slots=True)
class Limit:
    """Latency that is promised, s, from the moment a thing could be known; `rows` are prefixes of the table's rows."""

    name: str
    rows: tuple[str, ...]
    median_s: float
    p95_s: float


LIMITS = (
    Limit("moves", ("move",), 0.7, 1.5),
    Limit("held", ("held",), 0.5, 0.5),
    Limit("crashes", ("crash",), 0.3, 0.3),
)


def trials(matches: int) -> list[tuple[Section, Trial]]:
    """What is played, in turns so that every section comes early; each match has its own seed, always the same."""
    found = []
    for number, section in enumerate(SECTIONS):
        count = max(1, round(section.share * matches))
        for n in range(count):
            found.append(((n + 0.5) / count, section, replace(section.trial, seed=FIRST_SEED * (number + 1) + n)))
    return [(section, trial) for _, section, trial in sorted(found, key=lambda each: each[0])]


def run(section_and_trial: tuple[Section, Trial]) -> tuple[str, Played]:
    return section_and_trial[0].name, play(section_and_trial[1])


def kinds_table(name: str, played: Sequence[Played]) -> Table:
    """Kinds by outcome."""
    counts: dict[str, Counter[Became]] = defaultdict(Counter)
    for outcome in _outcomes(played):
        counts[outcome.kind][outcome.became] += 1
    hours = sum(p.seconds for p in played) / 3600
    table = Table(title=f"{name}: {len(played)} matches, {hours:.1f} h of play", title_justify="left")
    table.add_column("kind")
    for became in Became:
        table.add_column(str(became), justify="right")
    for kind in sorted(counts):
        table.add_row(kind, *(str(counts[kind][became] or "") for became in Became))
    table.add_row("all", *(str(sum(c[became] for c in counts.values()) or "") for became in Became), style="bold")
    return table


def latencies(limit: Limit, played: Sequence[Played]) -> list[float]:
    """How much later than it could be known things were ruled, in order."""
    late = [
        o.late
        for o in _outcomes(played)
        if o.late is not None and o.became in (Became.RIGHT, Became.LATE) and o.kind.startswith(limit.rows)
    ]
    return sorted(late)


def asked_about(played: Sequence[Played]) -> tuple[int, int]:
    """Legal moves that were asked about, and all legal moves."""
    moves = [outcome for outcome in _outcomes(played) if outcome.kind.startswith("move")]
    return sum(outcome.became is Became.QUESTION for outcome in moves), len(moves)


def broken(section: Section, played: Sequence[Played]) -> list[str]:
    """Promises that these matches break, in words."""
    found = []
    if wrong := _wrong(played):
        found.append(f"{len(wrong)} wrong or invented rulings")
    asked, moves = asked_about(played)
    if section.asks_little and asked * MOVES_PER_QUESTION > moves:
        found.append(f"{asked} of {moves} moves asked about, more than 1 in {MOVES_PER_QUESTION}")
    if section.is_quick:
        for limit in LIMITS:
            late = latencies(limit, played)
            if late and (median(late) > limit.median_s or _p95(late) > limit.p95_s):
                found.append(f"{limit.name}: median {median(late):.2f} s, p95 {_p95(late):.2f} s")
    return found


def _wrong(played: Iterable[Played]) -> list[Outcome]:
    return [o for o in _outcomes(played) if o.became in (Became.WRONG, Became.INVENTED)]


def _line(match: Played, outcome: Outcome) -> str:
    return f"seed {match.trial.seed} at {outcome.t:.1f} s: {outcome.became}: {outcome.kind}: {outcome.detail}"


def _outcomes(played: Iterable[Played]) -> Iterable[Outcome]:
    return (outcome for match in played for outcome in match.outcomes)


def _p95(late: Sequence[float]) -> float:
    return late[min(len(late) - 1, int(len(late) * 0.95))]


def report(out: Console, by_name: dict[str, list[Played]]) -> list[str]:
    """Prints everything; gives the promises that were broken."""
    failures = []
    for section in SECTIONS:
        played = sorted(by_name.get(section.name, []), key=lambda p: p.trial.seed)
        if not played:
            continue
        out.print(kinds_table(section.name, played))
        for limit in LIMITS:
            late = latencies(limit, played)
            if late:
                out.print(f"  {limit.name}: median {median(late):.2f} s, p95 {_p95(late):.2f} s ({len(late)})")
        asked, moves = asked_about(played)
        questions = sum(p.questions for p in played)
        mended = sum(len(p.mended) for p in played)
        out.print(
            f"  {asked} of {moves} moves asked about; {questions} questions in all; set right by hand {mended} times"
        )
        for match in played:
            for o in match.outcomes:
                if o.became not in (Became.RIGHT, Became.QUESTION):
                    out.print(f"    {_line(match, o)}", markup=False)
        failures += [f"{section.name}: {why}" for why in broken(section, played)]
    return failures


@click.command()
@click.option("--matches", type=click.IntRange(1), default=30, show_default=True)
@click.option("--only", help="Only sections whose name contains this.")
@click.option("--minutes", type=float, default=float("inf"), help="Report on what has been played by then.")
def main(matches: int, only: str | None, minutes: float) -> None:
    """Play simulated matches with mistakes of every kind and say what the referee made of them."""
    out, progress_on = Console(width=120), Console(stderr=True)
    wanted = [each for each in trials(matches) if only is None or only in each[0].name]
    by_name: dict[str, list[Played]] = defaultdict(list)
    until = time.monotonic() + 60 * minutes
    out.print("model: what the reader would say of each scene, without pixels; pixels: pictures drawn and read")
    with Progress(console=progress_on) as progress, multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        task = progress.add_task("matches", total=len(wanted))
        for name, played in pool.imap_unordered(run, wanted):
            by_name[name].append(played)
            for outcome in _wrong([played]):
                progress.console.print(f"{name}: {_line(played, outcome)}", markup=False)
            progress.advance(task)
            if time.monotonic() > until:
                break
    failures = report(out, by_name)
    for failure in failures:
        out.print(f"BROKEN: {failure}", markup=False)
    out.print("all promises kept" if not failures else f"{len(failures)} promises broken")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
