"""Whatever happens in whatever order: one fold, and it always agrees with the rules and with itself."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.log import EMPTY, Event, EventLog, TableState, contradictions, fold, redo_event, state_json, undo_event
from companion.log.kinds import UNDOABLE
from companion.rules import Outcome, Position, Side, Termination

CHOICE = st.integers(0, 1000)


def start(book: Any, _: int) -> None:
    if book.state.game is None or book.state.game.over is not None:
        book.start(Position.start(list(Side)[_ % 2]).text())


def playing(act: Callable[[Any, int], Any]) -> Callable[[Any, int], None]:
    def only_in_a_game(book: Any, n: int) -> None:
        if book.state.game is not None and book.state.game.over is None:
            act(book, n)

    return only_in_a_game


def move(book: Any, n: int) -> None:
    book.play_any(n)


def crash(book: Any, n: int) -> None:
    if n % 4 == 0:
        player = book.position.side
        book.add("crash", "load_cells", player=str(player), step="lift")
        book.end(Outcome(player.other, Termination.CRASH, 1), "load_cells")


def illegal(book: Any, n: int) -> None:
    book.illegal("a1-a1", "put_back")
    if n % 2:
        book.restored()


def ask(book: Any, n: int) -> None:
    asked = book.question("a1-a2", "nothing")
    if n % 3:
        book.add("answer", "person", question=asked.seq, move="nothing")


def resign(book: Any, n: int) -> None:
    if n % 4 == 0:
        book.end(Outcome(list(Side)[n % 2], Termination.RESIGNATION, 1), "person")


def new_match(book: Any, n: int) -> None:
    if n % 4 == 0:
        book.match(track_steps=1 + n % 5)


def undo(book: Any, n: int) -> None:
    for _ in range(1 + n % 3):
        if undo_event(book.state) is not None:
            book.undo()


def redo(book: Any, _: int) -> None:
    if redo_event(book.state) is not None:
        book.redo()


def fault(book: Any, n: int) -> None:
    kind = "fault" if n % 2 else "fault_over"
    book.add(kind, "table", witness="camera", what=str(n % 3), remedy="wipe it")


def hold(book: Any, _: int) -> None:
    book.add("held", "load_cells", player=str(book.position.side))


ACTS: list[Callable[[Any, int], None]] = [
    start,
    *[playing(move)] * 6,
    *[playing(act) for act in (crash, illegal, ask, resign, hold)],
    new_match,
    fault,
    *[undo] * 3,
    *[redo] * 2,
]
SESSION = st.lists(st.tuples(st.sampled_from(ACTS), CHOICE), max_size=60)


def played(book: Any, session: list[tuple[Callable[[Any, int], None], int]]) -> Any:
    if len(session) % 2:
        book.match()
    book.start()
    for act, n in session:
        act(book, n)
    return book


def events_left(events: list[Event]) -> list[Event]:
    """The rulings that are not undone, worked out in the plainest way."""
    left: dict[int, Event] = {}
    undone: list[tuple[int, list[Event]]] = []
    for event in events:
        if event.kind in UNDOABLE:
            left[event.seq] = event
            undone.clear()
        elif event.kind == "undo":
            taken = [left.pop(seq) for seq in dict.fromkeys(event.payload["undoes"]) if seq in left]
            if taken:
                undone.append((event.seq, taken))
        elif event.kind == "redo" and undone and undone[-1][0] == event.payload["redoes"]:
            left |= {e.seq: e for e in undone.pop()[1]}
    return [left[seq] for seq in sorted(left)]


def steps(state: TableState) -> list[tuple[list[int], Any]]:
    return [(step.seqs, step.before) for step in state.steps()]


def without_seq(state: TableState) -> dict[str, Any]:
    return {name: value for name, value in state_json(state).items() if name != "seq"}


@settings(deadline=None)
@given(session=SESSION)
def test_the_state_is_that_of_the_events_which_are_not_undone(new_book: Callable[[], Any], session: Any) -> None:
    book = played(new_book(), session)
    alone = fold(events_left(book.events))
    assert book.state.standing == alone.standing
    assert steps(book.state) == steps(alone)
    assert book.state.rulings() == alone.rulings()
    assert book.state.active() == events_left(book.events)


@settings(deadline=None)
@given(session=SESSION)
def test_a_game_stopped_at_any_event_goes_on_as_if_it_had_not_been(new_book: Callable[[], Any], session: Any) -> None:
    book = played(new_book(), session)
    for n, state in enumerate(book.states):
        again = fold(book.events[:n])
        assert again == state
        assert state_json(again) == state_json(state)
        assert steps(again) == steps(state)


@settings(deadline=None)
@given(session=SESSION)
def test_an_undo_and_its_redo_change_nothing(new_book: Callable[[], Any], session: Any) -> None:
    book = played(new_book(), session)
    if undo_event(book.state) is not None:
        before = book.state
        book.undo()
        book.redo()
        assert without_seq(book.state) == without_seq(before)
        assert steps(book.state) == steps(before)


@settings(deadline=None)
@given(session=SESSION)
def test_undoing_everything_and_redoing_it_leads_to_the_start_and_back(
    new_book: Callable[[], Any], session: Any
) -> None:
    book = played(new_book(), session)
    before, undos = without_seq(book.state), 0
    while undo_event(book.state) is not None:
        book.undo()
        undos += 1
    assert book.state.standing == EMPTY.standing
    for _ in range(undos):
        book.redo()
    assert without_seq(book.state) == before


@settings(deadline=None)
@given(session=SESSION)
def test_the_position_is_always_that_of_the_moves_played(new_book: Callable[[], Any], session: Any) -> None:
    book = played(new_book(), session)
    assert contradictions(book.events) == []
    for state in book.states:
        if state.game is not None:
            moves = [played_move.move for played_move in state.game.moves]
            other = new_book()
            other.start(state.game.start.text())
            for text in moves:
                other.play(text)
            assert other.position == state.game.position
            assert state.game.line == other.state.game.line


TEXTS = [Position.start().text(), Position.start(Side.BLACK).text(), "7/7/3B3/3W3/7/7 w - -"]
BACK = st.integers(-1, 6)
"""How many events back: the one before this is 1."""
WELL_FORMED = st.one_of(
    st.fixed_dictionaries(
        {"kind": st.sampled_from(["start", "restored", "correct"]), "position": st.sampled_from(TEXTS)}
    ),
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from(["move", "illegal", "held", "crash"]),
            "player": st.sampled_from(["white", "black"]),
            "move": st.sampled_from(["a1-a2", "d3xd4", "nothing"]),
            "reason": st.just("too_far"),
            "step": st.just("lift"),
            "position": st.sampled_from(TEXTS),
        }
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("game_over"),
            "winner": st.just("white"),
            "termination": st.sampled_from(["crash", "capture", "forfeit"]),
            "points": st.integers(0, 200),
        }
    ),
    st.fixed_dictionaries({"kind": st.just("question"), "about": st.just("move"), "candidates": st.just([])}),
    st.fixed_dictionaries({"kind": st.just("answer"), "question": BACK, "move": st.sampled_from(["a1-a2", "nothing"])}),
    st.fixed_dictionaries({"kind": st.just("match"), "white": st.text(max_size=3), "black": st.just("Bo")}),
    st.fixed_dictionaries(
        {"kind": st.just("undo"), "undoes": st.lists(BACK, min_size=1, max_size=4), "says": st.just("")}
    ),
    st.fixed_dictionaries({"kind": st.just("redo"), "redoes": BACK, "says": st.just("")}),
)


@settings(deadline=None)
@given(events=st.lists(st.tuples(WELL_FORMED, st.sampled_from(["person", "both"])), max_size=40))
def test_no_log_that_could_be_written_is_one_that_cannot_be_folded(
    new_book: Callable[[], Any], events: list[tuple[dict[str, Any], str]]
) -> None:
    book = new_book()
    for payload, origin in events:
        values = {name: value for name, value in payload.items() if name != "kind"}
        here = len(book.events) + 1
        for name in ("question", "redoes"):
            if name in values:
                values[name] = max(0, here - values[name])
        if "undoes" in values:
            values["undoes"] = [max(0, here - back) for back in values["undoes"]]
        book.add(payload["kind"], origin, **values)
        state_json(book.state)
    contradictions(book.events)
    alone = fold(events_left(book.events))
    assert book.state.standing == alone.standing
    assert steps(book.state) == steps(alone)


@settings(deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(session=SESSION)
def test_a_game_reopened_from_its_file_is_the_same_game(
    new_book: Callable[[], Any], tmp_path_factory: Any, session: Any
) -> None:
    book = played(new_book(), session)
    path: Path = tmp_path_factory.mktemp("log") / "table.log"
    half = len(book.events) // 2
    for part in (book.events[:half], book.events[half:]):
        with EventLog.open(path) as log:
            log.append_all([(e.time, e.kind, e.origin, e.payload) for e in part])
    with EventLog.read(path) as reader:
        assert reader.events() == book.events
        assert fold(reader.events()) == book.state
