"""What became of everything that happened in a match: ruled rightly, asked about, missed, or ruled wrongly."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from companion.simulator.scorecard import TOLD

EARLY_S, LATE_S = 0.5, 6.0
"""A ruling belongs to what happened if it comes so much before, at the most, or after it could first be known ..."""
TOO_LATE_S = 40.0
"""... and if it is the right one, but comes only so much after it, it is late: the camera may have been away."""
TIPS_EARLY_S = 1.0
"""A board that hangs on one pinnacle is past saving some time before it has tipped by 8.5 degrees."""
TOLD_FROM_ROCKING_S = 0.25
"""Nobody can tell a board that falls from one that rocks before so long after a pinnacle has come off its cell: rocking
lifts it for up to 0.2 s, and the amplifier's filter spans 0.05 s at 80 samples a second."""
ASKED_WITHIN_S = 12.0
"""A question is about what happened in the time before it, or is about to be told (captures, hands still there)."""
NOTHING_LASTS_S = 12.0
"""What gives no ruling is held to account for what is ruled within so long after it."""

Line = dict[str, Any]


class Became(StrEnum):
    RIGHT = "right"
    LATE = "late"
    QUESTION = "question"
    MISSED = "missed"
    WRONG = "wrong"
    INVENTED = "invented"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`kind` is a row of the table; `t` when it happened, or was ruled where nothing had; `late` how much later (s)."""

    kind: str
    became: Became
    t: float
    late: float | None = None
    detail: str = ""


def row_of(line: Line) -> str:
    """The row of the table that something belongs to."""
    kind = str(line["kind"])
    if kind == "move":
        how = "capture" if "x" in line["move"] else ""
        return " ".join(filter(None, (kind, how, line.get("how"))))
    if kind == "none":
        return f"none: {line['what']}"
    if kind == "question":
        return f"question: {line['about']}"
    extra = {"illegal": "reason", "crash": "step", "game_over": "termination"}.get(kind)
    return f"{kind} {line[extra]}" if extra else kind


def said(line: Line) -> str:
    """What was said or happened, in short."""
    return " ".join([str(line["kind"]), *(str(line.get(key)) for key in TOLD.get(line["kind"], ()))])


def judge(truth: Sequence[Line], ruled: Sequence[Line]) -> list[Outcome]:
    """Compares what could be known with what was ruled; both with `t`, in order of time.

    An unfit ruling near something that was not ruled rightly is wrong, any other is invented. That the position is
    right again is never held against the referee.
    """
    happened = [line for line in truth if line["kind"] in TOLD or line["kind"] == "question"]
    told = [line for line in ruled if line["kind"] in TOLD]
    questions = [line for line in ruled if line["kind"] == "question"]
    pairs = _pairs(happened, told)
    outcomes = [_right(happened[i], told[j]) for i, j in pairs]
    hit, used = {i for i, _ in pairs}, {j for _, j in pairs}
    unfit = [told[j] for j in range(len(told)) if j not in used and told[j]["kind"] != "restored"]
    answered: set[int] = set()
    for i, line in enumerate(happened):
        if i in hit:
            continue
        late = next((r for r in unfit if _same(line, r) and 0 < r["t"] - line["t"] <= TOO_LATE_S), None)
        near = next((r for r in unfit if -EARLY_S * 4 <= r["t"] - line["t"] <= LATE_S), None)
        asked = next((n for n, q in enumerate(questions) if _is_about(q, line)), None)
        if late is not None:
            unfit.remove(late)
            outcomes.append(Outcome(row_of(line), Became.LATE, line["t"], late["t"] - line["t"], said(line)))
        elif near is not None and not (asked is not None and questions[asked]["t"] < near["t"]):
            unfit.remove(near)
            outcomes.append(Outcome(row_of(line), Became.WRONG, line["t"], detail=f"{said(line)} -> {said(near)}"))
        elif asked is not None:
            answered.add(asked)
            became = Became.RIGHT if line["kind"] == "question" else Became.QUESTION
            outcomes.append(Outcome(row_of(line), became, line["t"], questions[asked]["t"] - line["t"], said(line)))
        else:
            outcomes.append(Outcome(row_of(line), Became.MISSED, line["t"], detail=said(line)))
    outcomes += _nothing(truth, unfit, [q for n, q in enumerate(questions) if n not in answered])
    return sorted(outcomes, key=lambda outcome: outcome.t)


def _right(line: Line, ruling: Line) -> Outcome:
    known = max(line["t"], line["t_onset"] + TOLD_FROM_ROCKING_S) if "t_onset" in line else line["t"]
    return Outcome(row_of(line), Became.RIGHT, line["t"], ruling["t"] - known)


def _is_about(question: Line, line: Line) -> bool:
    if line["kind"] == "question" and question["about"] != line["about"]:
        return False
    return bool(-ASKED_WITHIN_S <= line["t"] - question["t"] <= ASKED_WITHIN_S / 2)


def _nothing(truth: Sequence[Line], unfit: Sequence[Line], questions: Sequence[Line]) -> list[Outcome]:
    """What should give no ruling, and what came of it all the same."""
    nothings = [line for line in truth if line["kind"] == "none"]
    outcomes = []
    unfit, questions = list(unfit), list(questions)
    for n, line in enumerate(nothings):
        end = float(line.get("t_end") or line["t"]) + NOTHING_LASTS_S
        if n + 1 < len(nothings):
            end = min(end, nothings[n + 1]["t"])
        ruled = [r for r in unfit if line["t"] - EARLY_S <= r["t"] <= end]
        asked = [q for q in questions if line["t"] <= q["t"] <= end]
        unfit = [r for r in unfit if r not in ruled]
        questions = [q for q in questions if q not in asked]
        became = Became.INVENTED if ruled else Became.QUESTION if asked else Became.RIGHT
        outcomes.append(Outcome(row_of(line), became, line["t"], detail="; ".join(map(said, ruled))))
    outcomes += [Outcome("none: at all", Became.INVENTED, r["t"], detail=said(r)) for r in unfit]
    outcomes += [Outcome("none: at all", Became.QUESTION, q["t"], detail=str(q.get("candidates"))) for q in questions]
    return outcomes


def _pairs(happened: Sequence[Line], told: Sequence[Line]) -> list[tuple[int, int]]:
    """The longest common subsequence of what happened and what was ruled, in order and in time."""
    n, m = len(happened), len(told)
    best = [[0] * (m + 1) for _ in range(n + 1)]
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            fits = 1 + best[i + 1][j + 1] if _fits(happened[i], told[j]) else 0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], fits)
    pairs, i, j = [], 0, 0
    while i < n and j < m:
        if _fits(happened[i], told[j]) and best[i][j] == 1 + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _fits(line: Line, ruling: Line) -> bool:
    early = TIPS_EARLY_S if "crash" in (line["kind"], line.get("termination")) else EARLY_S
    return -early <= ruling["t"] - line["t"] <= LATE_S and _same(line, ruling)


def _same(line: Line, ruling: Line) -> bool:
    kind = line["kind"]
    if kind != ruling["kind"] or kind not in TOLD:
        return False
    return all(str(line.get(key)) == str(ruling.get(key)) for key in TOLD[kind])
