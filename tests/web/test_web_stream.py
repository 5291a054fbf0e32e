"""Server-Sent Events: what a browser hears, and that a reconnect misses nothing."""

import threading
from collections.abc import Iterator

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from companion.web import feed
from companion.web.app import feed_of
from companion.web.feed import Feed, Seats, message
from tests.web.fake_table_view import MIDDLE, FakeTable, state
from tests.web.sse_reading import Message, messages


def stream(client: FlaskClient, path: str = "/api/v1/events", **headers: str) -> Iterator[Message]:
    answer = client.get(path, headers=headers)
    assert (answer.status_code, answer.mimetype) == (200, "text/event-stream")
    return messages(answer.iter_encoded())


def numbered(heard: Iterator[Message], until: int) -> list[tuple[str, int]]:
    """The numbered messages up to the state with the number `until`."""
    found = []
    for said in heard:
        if said.id is not None:
            found.append((said.kind, said.id))
        if said.kind == "state" and said.id == until:
            return found
    raise AssertionError("the stream ended")


def test_a_new_stream_begins_with_the_whole_state_and_the_live_values(client: FlaskClient, table: FakeTable) -> None:
    heard = stream(client)
    assert next(heard) == Message("state", 20, table.state())
    assert next(heard) == Message("live", None, table.live())


def test_each_ruling_is_sent_with_its_number_and_then_the_state(client: FlaskClient, table: FakeTable) -> None:
    heard = stream(client)
    numbered(heard, 20)
    table.move("white", "d1-d2", MIDDLE)
    assert numbered(heard, 21) == [("log", 21), ("state", 21)]
    table.rule("held", player="black")
    assert numbered(heard, 22) == [("log", 22), ("state", 22)]


def test_a_burst_of_rulings_loses_none(client: FlaskClient, table: FakeTable) -> None:
    heard = stream(client)
    numbered(heard, 20)
    for _ in range(50):
        table.rule("held", player="white")
    assert [seq for kind, seq in numbered(heard, 70) if kind == "log"] == list(range(21, 71))


@pytest.mark.parametrize(
    ("path", "headers"), [("/api/v1/events", {"Last-Event-ID": "22"}), ("/api/v1/events?after=22", {})]
)
def test_a_reconnect_is_told_what_it_missed_and_then_the_state(
    client: FlaskClient, table: FakeTable, path: str, headers: dict[str, str]
) -> None:
    for _ in range(5):
        table.rule("held", player="white")
    assert numbered(stream(client, path, **headers), 25) == [("log", 23), ("log", 24), ("log", 25), ("state", 25)]


def test_the_browsers_own_header_counts_more_than_the_address(client: FlaskClient, table: FakeTable) -> None:
    for _ in range(5):
        table.rule("held", player="white")
    heard = stream(client, "/api/v1/events?after=21", **{"Last-Event-ID": "24"})
    assert numbered(heard, 25) == [("log", 25), ("state", 25)]


@pytest.mark.parametrize("header", ["", "x", "-3", "1e3", "٣", "9" * 30, "21; drop"])
def test_a_bad_last_event_counts_as_none(client: FlaskClient, table: FakeTable, header: str) -> None:
    table.rule("held", player="white")
    assert next(stream(client, **{"Last-Event-ID": header})).kind == "state"


def test_a_last_event_from_another_log_gives_the_state_only(client: FlaskClient) -> None:
    assert next(stream(client, **{"Last-Event-ID": "5000"})).id == 20


@pytest.mark.parametrize("after", ["", "x", "-1", "9" * 30])
def test_a_bad_after_is_refused_in_one_line(client: FlaskClient, after: str) -> None:
    answer = client.get(f"/api/v1/events?after={after}")
    assert answer.status_code == 400
    assert answer.json == {"error": "after: a sequence number of the log is wanted, such as 12"}


def test_a_log_that_starts_anew_is_followed(client: FlaskClient, table: FakeTable) -> None:
    heard = stream(client)
    numbered(heard, 20)
    with table._changed:
        table.log.clear()
        table.shown = {**state(), "seq": 3}
        table._changed.notify_all()
    assert numbered(heard, 3) == [("state", 3)]


def test_live_values_come_without_a_number_and_no_more_often_than_can_be_seen(
    client: FlaskClient, table: FakeTable
) -> None:
    heard = stream(client)
    numbered(heard, 20)
    for margin in range(100):
        table.set_live(margin_mm=margin)
    live = []
    for said in heard:
        if said.kind == "live":
            live.append(said)
            if said.data["margin_mm"] == 99:
                break
    assert all(said.id is None for said in live)
    assert len(live) <= 4  # a hundred changes at once are a few messages


def test_a_quiet_table_is_said_to_be_quiet(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "ALIVE_INTERVAL_S", 0.02)
    heard = stream(client)
    said = next(said for said in heard if said.kind == "alive")
    assert said.id is None
    assert said.data["quiet_s"] >= 0


def test_a_state_that_cannot_be_read_once_does_not_end_the_stream(
    client: FlaskClient, table: FakeTable, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    heard = stream(client)
    numbered(heard, 20)
    right = table.state
    failed = threading.Event()

    def fail_once() -> dict[str, object]:
        if failed.is_set():
            return right()
        failed.set()
        raise RuntimeError("the log is locked")

    monkeypatch.setattr(table, "state", fail_once)
    table.rule("held", player="white")
    assert ("log", 21) in numbered(heard, 21)
    assert "the log is locked" in caplog.text


def test_closing_ends_every_stream(client: FlaskClient) -> None:
    streams = [stream(client) for _ in range(3)]
    for heard in streams:
        next(heard)
    feed_of(client.application).close()
    for heard in streams:
        assert [said.kind for said in heard if said.id is not None] == []


def test_above_the_limit_a_browser_is_told_to_poll_and_when_to_ask_again(make_app) -> None:
    client = make_app(max_streams=2).test_client()
    first, second = client.get("/api/v1/events"), client.get("/api/v1/events")
    full = client.get("/api/v1/events")
    assert (full.status_code, full.headers["Retry-After"]) == (503, "30")
    assert "poll /api/v1/state" in full.json["error"]
    first.close()
    with client.get("/api/v1/events") as again:
        assert again.status_code == 200
    second.close()


def test_a_seat_given_back_twice_frees_one_seat() -> None:
    seats = Seats(1)
    seat = seats.take()
    assert seat is not None
    seat.give_back()
    seat.give_back()
    assert seats.take() is not None
    assert seats.take() is None


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none()))
def test_whatever_people_call_themselves_a_message_stays_one_message(data: dict[str, object]) -> None:
    assert list(messages([message("state", data, 7)])) == [Message("state", 7, data)]


def test_a_stream_of_a_closed_feed_ends_after_the_state(table: FakeTable) -> None:
    closed = Feed(table)
    closed.close()
    assert [said.kind for said in messages(closed.stream(None))] == ["state", "live"]
