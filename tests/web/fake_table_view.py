"""A table made of canned states, to see and test the pages without a table."""

import copy
import threading
import time
from typing import Any

from companion.errors import BadInput
from companion.log import Entry, Event, rules_payload
from companion.log.events import FIRST_PREVIOUS, chained
from companion.log.history import GameRecord, games
from companion.referee.policy import Policy
from companion.rules import MatchRules
from companion.table.changes import policy_payload
from companion.table.evidence_case import Case
from companion.table.evidence_lookup import NoEvidence
from companion.table.printing import sheet_pdf

START = "bbbBbbb/7/7/7/7/wwwWwww w - -"
MIDDLE = "b2Bb1b/1b1b1b1/7/2w4/w4w1/1w1W1ww w c3 b5"

LIVE: dict[str, Any] = {
    "margin_mm": 3.2,
    "half_spacing_mm": 6.0,
    "centre_mm": -2.8,
    "low_g": 520.0,
    "high_g": 260.0,
    "touching": False,
    "in_hand": None,
    "reading": None,
    "witnesses": {"load_cells": "ok", "camera": "ok"},
    "t": 12.0,
}


def _moves(*texts: str, first: str = "white") -> list[dict[str, Any]]:
    sides = ("white", "black") if first == "white" else ("black", "white")
    return [{"seq": 10 + i, "n": i + 1, "player": sides[i % 2], "move": text} for i, text in enumerate(texts)]


def _ruling(seq: int, kind: str, **payload: Any) -> dict[str, Any]:
    return {"seq": seq, "time": 1_700_000_000.0 + seq, "kind": kind, **payload}


def state(*rulings: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A state in mid-game; `game` and `match` changes are merged in."""
    recent = list(rulings) or [_ruling(20, "move", player="black", move="c6-b5", position=MIDDLE, confidence=0.99)]
    texts = ("a1-a2", "d6-d5", "c1-c2", "f6-f5", "e1-f2", "d5-d6", "d1-d2", "b6-c6", "d2-d1", "d6-d5", "c2-c3")
    made = {
        "seq": recent[-1]["seq"],
        "match": {
            "white": "Ada",
            "black": "Bo",
            "steps": 7,
            "white_steps": 2,
            "black_steps": 1,
            "games_played": 2,
            "over": False,
            "winner": None,
        },
        "game": {
            "number": 3,
            "position": MIDDLE,
            "side": "white",
            "start": START,
            "over": None,
            "moves": _moves(*texts, "c6-b5"),
            "waiting": None,
        },
        "last_ruling": recent[-1],
        "recent": recent,
        "faults": [],
        "can_undo": None,
        "can_redo": None,
    }
    for key, value in changes.items():
        made[key] = {**made[key], **value} if isinstance(value, dict) and isinstance(made[key], dict) else value
    return made


def scenes() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Named states with their live values."""
    illegal = {"player": "black", "move": "f6-e4", "reason": "too_far"}
    before = "b2Bbbb/1b1b3/7/2w4/w4w1/1w1W1ww b c3 b5"
    question = {"seq": 20, "about": "move", "candidates": [{"move": "b1-b2", "p": 0.6}, {"move": "b1-c2", "p": 0.4}]}
    crash = _ruling(20, "crash", player="black", step="place")
    long = {"white": "Wilhelmina Featherstonehaugh-Cholmondeley", "black": "<img src=x onerror=alert(1)>"}
    return {
        "play": (state(), LIVE),
        "start": (
            state(
                _ruling(3, "start", position=START),
                game={"number": 1, "position": START, "moves": []},
                match={"white_steps": 0, "black_steps": 0, "games_played": 0},
            ),
            {**LIVE, "margin_mm": None, "half_spacing_mm": None, "centre_mm": None},
        ),
        "in_hand": (state(), {**LIVE, "in_hand": "d1", "touching": True, "margin_mm": 0.7, "centre_mm": 5.3}),
        "illegal": (
            state(
                _ruling(20, "illegal", position=before, **illegal),
                game={
                    "position": before,
                    "side": "black",
                    "waiting": {
                        "for": "restore",
                        "illegal": illegal,
                        "position": before,
                        "placement": "b2Bb1b/1b1b3/4b2/2w4/w4w1/1w1W1ww",
                    },
                },
            ),
            LIVE,
        ),
        "question": (
            state(
                _ruling(20, "question", about="move", candidates=question["candidates"]),
                game={"waiting": {"for": "answer", "question": question}},
            ),
            LIVE,
        ),
        "held": (state(_ruling(20, "held", player="black")), {**LIVE, "touching": True}),
        "capture": (
            state(
                _ruling(19, "move", player="white", move="c5xd6", position=MIDDLE, confidence=1.0),
                _ruling(20, "game_over", winner="white", termination="capture", points=2),
                game={
                    "over": {"winner": "white", "termination": "capture", "points": 2},
                    "position": "b2wb1b/1b1b1b1/7/7/w4w1/1w1W1ww b d6 b5",
                    "side": "black",
                    "moves": _moves("a1-a2", "d6-d5", "c4-c5", "d5-d6", "c5xd6"),
                },
                match={"white_steps": 4, "games_played": 3},
            ),
            LIVE,
        ),
        "crash": (
            state(
                crash,
                _ruling(21, "game_over", winner="white", termination="crash", points=1),
                game={"over": {"winner": "white", "termination": "crash", "points": 1}},
                match={"white_steps": 3, "games_played": 3},
            ),
            {**LIVE, "margin_mm": -0.4, "centre_mm": 6.4},
        ),
        "match_over": (
            state(
                _ruling(20, "game_over", winner="black", termination="no_move", points=1),
                game={"over": {"winner": "black", "termination": "no_move", "points": 1}},
                match={"black_steps": 7, "white_steps": 5, "games_played": 9, "over": True, "winner": "black"},
            ),
            LIVE,
        ),
        "faults": (
            state(
                faults=[
                    {"witness": "camera", "what": "no new picture for 12 s", "remedy": "check the camera's cable"},
                ],
                match=long,
            ),
            {**LIVE, "witnesses": {"load_cells": "missing", "camera": "no_picture"}, "margin_mm": None},
        ),
        "nothing": (
            {**state(), "seq": 0, "match": None, "game": None, "last_ruling": None, "recent": []},
            {**LIVE, "margin_mm": None, "half_spacing_mm": None, "centre_mm": None, "witnesses": {}},
        ),
    }


class FakeTable:
    """Shows one state until told to show another; answers commands by writing them down."""

    def __init__(self, scene: str = "play") -> None:
        self._changed = threading.Condition()
        self._version = 1
        self._lay_out(scene)

    def begin_anew(self) -> None:
        """All as it was made, under one more number of the log: a server that goes on tells its pages so."""
        with self._changed:
            seq = self.shown["seq"] + 1
            self._lay_out("play")
            self.shown = {**self.shown, "seq": seq}
            self._version += 1
            self._changed.notify_all()

    def _lay_out(self, scene: str) -> None:
        self.log: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.jpeg: bytes | None = None
        self.book: list[Event] = []
        self.set_up_view: dict[str, Any] = {
            "can_write": True,
            "written": [],
            "problem": None,
            "camera": {
                "source": "v4l2:0",
                "by_corners": False,
                "wanted": [0, 1, 2, 3],
                "found": {"0": [[10, 10], [14, 10], [14, 14], [10, 14]]},
                "board": None,
                "size_px": [64, 48],
                "light": [{"what": "the board is too dark", "remedy": "switch on a lamp"}],
            },
            "load_cells": {"source": "pico", "calibration": None},
            "colours": {"white_coloured": "magenta", "black_coloured": "blue", "known": ["red", "magenta", "blue"]},
        }
        self.cases: dict[int, Case] = {}
        self.on_desk: dict[str, Any] = {
            "rules": rules_payload(MatchRules()),
            "policy": policy_payload(Policy()),
            "out_of_start": [],
            "evidence": [],
        }
        self.shown, self.values = (copy.deepcopy(part) for part in scenes()[scene])

    def state(self) -> dict[str, Any]:
        with self._changed:
            return self.shown

    def live(self) -> dict[str, Any]:
        with self._changed:
            return self.values

    def events_after(self, seq: int) -> list[dict[str, Any]]:
        with self._changed:
            return [event for event in self.log if event["seq"] > seq]

    def wait_for_change(self, seq: int, live_version: int | None, timeout: float) -> tuple[int, int]:
        def changed() -> bool:
            return self.shown["seq"] != seq or live_version not in (None, self._version)

        with self._changed:
            self._changed.wait_for(changed, timeout)
            return self.shown["seq"], self._version

    def picture(self, drawn: bool = False) -> bytes | None:
        return self.jpeg

    def desk(self) -> dict[str, Any]:
        return copy.deepcopy(self.on_desk)

    def history(self) -> list[GameRecord]:
        return games(self.book)

    def set_up(self) -> dict[str, Any]:
        return copy.deepcopy(self.set_up_view)

    def sheet(self, what: str, paper: str) -> bytes:
        return sheet_pdf(what, None, paper)

    def set_up_step(self, command: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(command)
        findings = [{"part": "disk", "ok": False, "what": "<b>full</b>", "remedy": "Free 200 MB at least."}]
        return {"done": True, "findings": findings}

    def loads(self, since: float) -> dict[str, Any]:
        t = self.values["t"]
        points = [[t - 60 + n / 10, 500.0 + 30 * (n > 450), 260.0] for n in range(600)]
        return {"t": t, "points": [point for point in points if point[0] > since]}

    def evidence(self, seq: int) -> Case:
        if seq not in self.cases:
            raise NoEvidence(f"there is no evidence for event {seq}")
        return self.cases[seq]

    def ask(self, command: dict[str, Any]) -> dict[str, Any]:
        if command["do"] not in {"hand_move", "lean", "bump", "let_play"}:
            raise BadInput(f"do: '{command['do']}' is unknown: hand_move, lean, bump or let_play")
        self.asked.append(command)
        return {"ok": True}

    def console(self, command: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(command)
        return {"done": True}

    def write(self, kind: str, origin: str = "both", **payload: Any) -> None:
        """Adds an event to the log that the history is read from."""
        seq = len(self.book) + 1
        previous = self.book[-1].digest if self.book else FIRST_PREVIOUS
        self.book.append(chained(previous, seq, Entry(1_700_000_000.0 + 7 * seq, kind, origin, payload)))

    def play_a_game(self, white: str = "Ada", black: str = "Bo") -> None:
        """A short game with an illegal move, a near miss, a capture that was missed and one that was not."""
        felt = [
            {"step": step, "margin_mm": margin, "sd_mm": 0.1, "risk": 0.08, "least_mm": least}
            for step, margin, least in (("lift", 1.4, 0.2), ("place", 2.2, 1.9))
        ]
        self.write("match", white=white, black=black)
        self.write("start", position="7/7/3B3/2wW3/7/7 w - -")
        self.write("illegal", player="white", move="c3-c5", reason="too_far", position="7/7/3B3/2wW3/7/7 w - -")
        self.write("restored", position="7/7/3B3/2wW3/7/7 w - -")
        balance = {"risk": 0.15, "least_risk": 0.02, "steps": felt}
        self.write("move", player="white", move="c3-b3", position="7/7/3B3/1w1W3/7/7 b b3 -", balance=balance)
        self.write("move", player="black", move="d4-e4", position="7/7/4B2/1w1W3/7/7 w b3 -")
        self.write("move", player="white", move="d3xe4", position="7/7/4W2/1w5/7/7 b - -")
        self.write("game_over", winner="white", termination="capture", points=2)

    def rule(self, kind: str, *, game: dict[str, Any] | None = None, **payload: Any) -> int:
        """Adds a ruling to the log and to the state; gives its number."""
        with self._changed:
            seq: int = self.shown["seq"] + 1
            ruling = _ruling(seq, kind, **payload)
            self.log.append({"seq": seq, "time": ruling["time"], "kind": kind, "origin": "both", "payload": payload})
            self.shown = {
                **self.shown,
                "seq": seq,
                "last_ruling": ruling,
                "recent": [*self.shown["recent"], ruling][-30:],
                "game": {**self.shown["game"], **(game or {})},
            }
            self._changed.notify_all()
            return seq

    def move(self, player: str, move: str, position: str) -> int:
        """A move by `player` that leads to `position`."""
        moves = self.shown["game"]["moves"]
        made = {"seq": self.shown["seq"] + 1, "n": len(moves) + 1, "player": player, "move": move}
        game = {
            "position": position,
            "side": {"w": "white", "b": "black"}[position.split()[1]],
            "moves": [*moves, made],
            "waiting": None,
        }
        return self.rule("move", game=game, player=player, move=move, position=position, confidence=0.99)

    def show(self, scene: str) -> None:
        """Another canned state, as one more number of the log."""
        with self._changed:
            shown, self.values = (copy.deepcopy(part) for part in scenes()[scene])
            self.shown = {**shown, "seq": self.shown["seq"] + 1}
            self._version += 1
            self._changed.notify_all()

    def set_live(self, **values: Any) -> None:
        with self._changed:
            self.values = {**self.values, **values, "t": self.values["t"] + 0.2}
            self._version += 1
            self._changed.notify_all()


def tick(table: FakeTable, stop: threading.Event) -> None:
    """Keeps the live values fresh, as a running table does."""
    while not stop.wait(0.5):
        table.set_live(seen=time.monotonic())
