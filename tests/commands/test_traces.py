"""`traces`: what happens on the board is told, and the curves show the loads."""

import pytest

from companion.cli import run
from companion.commands import traces
from companion.commands.trace_plot import BLANK, braille, span_of
from companion.simulator.bench import Bench
from firmware_bridge.readers import SimulatedReader
from firmware_bridge.samples import RawSample
from tests.firmware_bridge.calibration_bench import TABLE, table_file


def test_a_simulated_game_is_told_and_drawn(capsys):
    assert run(["traces", "--simulated", "--seconds", "8", "--speed", "10000"]) == 0
    out = capsys.readouterr().out
    assert "lift" in out
    assert "margin" in out
    assert sum(any(ord(c) > BLANK for c in line) for line in out.splitlines()) >= 2


def test_a_load_log_is_told_with_its_faults(tmp_path, capsys):
    bench = Bench(0)
    lines = ["t_s,low_counts,high_counts"]
    for s, _ in zip(bench, range(400), strict=False):
        high = s.high if s.t < 2 and s.high is not None else ""
        lines.append(f"{s.t},{'' if s.low is None else s.low},{high}")
    log = tmp_path / "load.csv"
    log.write_text("\n".join(lines))
    assert run(["traces", str(log), "--table", str(table_file(tmp_path)), "--speed", "10000"]) == 0
    out = capsys.readouterr().out
    assert "high no data: Plug the cell's amplifier in again" in out
    assert "margin not known" in out


@pytest.mark.parametrize(
    ("line", "names"),
    [("", "TABLE.toml"), ("load.csv", "--table"), ("missing.toml", "missing.toml"), ("table.toml", "source")],
)
def test_bad_input_gets_one_line(tmp_path, monkeypatch, capsys, line, names):
    monkeypatch.chdir(tmp_path)
    table_file(tmp_path, TABLE)
    assert run(["traces", *line.split()]) == 2
    err = capsys.readouterr().err
    assert names in err
    assert len(err.strip().splitlines()) == 1


def test_a_curve_goes_from_its_least_to_its_largest_value():
    assert braille([0, 0, 3, 3], 2, 1) == [chr(BLANK + 0x40 + 0x80) + chr(BLANK + 0x47 + 0x08)]
    assert braille([5.0], 2, 1)[0][0] == chr(BLANK)
    assert braille([None] * 8, 2, 2) == [chr(BLANK) * 2] * 2
    assert span_of([10.0, 10.2], 4.0) == pytest.approx((8.1, 12.1))


def test_a_reader_that_gives_nothing_is_no_success_and_has_no_rate(monkeypatch, tmp_path, capsys):
    silence = SimulatedReader(RawSample(t / 10, None, None) for t in range(60))
    monkeypatch.setattr(traces, "load_source", lambda _: silence)
    assert run(["traces", str(table_file(tmp_path, TABLE + "[load_cells]\nsource = 'pico'\n"))]) == 1
    said = capsys.readouterr()
    assert "low no data" in said.out
    assert "sample rate" not in said.out
    assert "Not one sample came" in said.err


@pytest.mark.parametrize(
    "line", ["table.toml --simulated", "table.toml --table table.toml", "--simulated --seconds nan"]
)
def test_what_contradicts_itself_is_refused(tmp_path, monkeypatch, capsys, line):
    monkeypatch.chdir(tmp_path)
    table_file(tmp_path, TABLE)
    assert run(["traces", *line.split()]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
