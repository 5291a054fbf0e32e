"""Reading load logs, and the shape of what is printed about them."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.errors import BadInput
from firmware_bridge.events import LoadEvent, LoadEventKind
from firmware_bridge.readers import LoadSource, RecordingReader
from firmware_bridge.recording import load_events_of, read_samples
from firmware_bridge.samples import COUNTS_MAX, COUNTS_MIN, LoadCells, RawSample
from tests.firmware_bridge.load_traces import RANKS_MM, Trace

HEADER = "t_s,low_counts,high_counts\n"


def log(folder: Path, text: str) -> Path:
    path = folder / "load.csv"
    path.write_text(text)
    return path


def row(sample: RawSample) -> str:
    return ",".join("" if v is None else str(v) for v in (sample.t, sample.low, sample.high))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.integers(0, 10**6),
            st.integers(COUNTS_MIN, COUNTS_MAX) | st.none(),
            st.integers(COUNTS_MIN, COUNTS_MAX) | st.none(),
        ),
        unique_by=lambda x: x[0],
    )
)
def test_samples_written_are_the_samples_read(tmp_path: Path, rows: list[tuple[int, int | None, int | None]]) -> None:
    samples = [RawSample(t / 1e4, low, high) for t, low, high in sorted(rows, key=lambda r: r[0])]
    path = log(tmp_path, HEADER + "".join(row(s) + "\n" for s in samples))
    assert list(read_samples(path)) == samples


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        ("", ":1:", "t_s,low_counts,high_counts"),
        ("t,low,high\n0,1,2\n", ":1:", "t_s,low_counts,high_counts"),
        (HEADER + "0.1,1\n", ":2:", "2 fields"),
        (HEADER + "0.1,1,2,3\n", ":2:", "4 fields"),
        (HEADER + "0.1,1,2\nsoon,1,2\n", ":3:", "number of seconds"),
        (HEADER + "nan,1,2\n", ":2:", "number of seconds"),
        (HEADER + "inf,1,2\n", ":2:", "number of seconds"),
        (HEADER + ",1,2\n", ":2:", "number of seconds"),
        (HEADER + "0.1,1.5,2\n", ":2:", "whole number or empty"),
        (HEADER + "0.1,1,x\n", ":2:", "high_counts"),
        (HEADER + "0.1,8388608,2\n", ":2:", "24 bits"),
        (HEADER + "0.1,1,2\n\n0.1,1,2\n", ":4:", "not after"),
        (HEADER + "0.2,1,2\n0.1,1,2\n", ":3:", "not after"),
    ],
)
def test_a_bad_log_is_refused_with_its_place_and_the_remedy(tmp_path: Path, text: str, where: str, says: str) -> None:
    path = log(tmp_path, text)
    with pytest.raises(BadInput) as refused:
        list(read_samples(path))
    message = str(refused.value)
    assert message.startswith(str(path) + where)
    assert says in message
    assert "\n" not in message


def test_a_missing_log_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nothing_here"):
        list(read_samples(tmp_path / "nothing_here.csv"))


def test_a_log_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "load.csv"
    path.write_bytes(b"\xff\xfe\x00\x80" * 20)
    with pytest.raises(BadInput, match="CSV"):
        list(read_samples(path))


def test_the_events_of_a_log_are_those_of_its_samples(tmp_path: Path) -> None:
    trace = Trace().wait(1.5)
    trace.lift(90.0)
    trace.wait(1.5)
    path = log(tmp_path, HEADER + "".join(row(s) + "\n" for s in trace.samples()))
    (event,) = load_events_of(path, trace.cells(), RANKS_MM)
    assert event.kind is LoadEventKind.LIFT
    assert set(event.to_json()) == {"t", "kind", "mass_g", "p_mm", "to_p_mm", "confidence"}
    assert event.to_json()["kind"] == "lift"


def test_a_log_that_ends_at_its_header_has_no_events(tmp_path: Path) -> None:
    assert not list(load_events_of(log(tmp_path, HEADER), LoadCells()))


@pytest.mark.parametrize("end", ["0.2,81", "0.2,8100,8200", "0.", "0.2,81,x"])
def test_a_last_line_without_its_end_is_not_taken_for_whole(
    tmp_path: Path, end: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Its last number may have lost digits, even where it still reads well."""
    path = log(tmp_path, HEADER + "0.1,8100,8200\n" + end)
    assert [s.t for s in read_samples(path)] == [0.1]
    assert f"{path}:3: the last line is cut short" in caplog.text


def test_what_is_not_known_of_an_event_is_null() -> None:
    assert LoadEvent(1.23456, LoadEventKind.TIP, 1.0).to_json() == {
        "t": 1.235,
        "kind": "tip",
        "mass_g": None,
        "p_mm": None,
        "to_p_mm": None,
        "confidence": 1.0,
    }


def test_a_closed_reader_gives_nothing_more(tmp_path: Path) -> None:
    source: LoadSource = RecordingReader(log(tmp_path, HEADER + "0.1,1,2\n0.2,1,2\n0.3,1,2\n"))
    samples = iter(source)
    assert next(samples).t == 0.1
    source.close()
    source.close()
    assert not list(samples)
