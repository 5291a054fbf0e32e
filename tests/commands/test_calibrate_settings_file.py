"""Changing values in a table.toml: what is not changed stays, and at every moment there is a whole file."""

import os
import tomllib
from pathlib import Path

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import SenryakuError
from companion.table.settings import read_settings
from companion.table.settings_file import CannotWrite, change_settings, changed_text
from companion.table.toml_sections import BadSettings
from tests.firmware_bridge.calibration_bench import TABLE, table_file

CHANGES = {("pinnacles", "half_spacing_mm"): 5.5, ("load_cells", "low", "offset_counts"): -12.5}
STYLES = {
    "nothing there": "",
    "no newline at the end": "name = 'x'",
    "a section alone": "[load_cells.low]",
    "usual": "[pinnacles]\nhalf_spacing_mm = 6 # set by hand\n\n[load_cells.low]\noffset_counts = 3\n",
    "indented": "[pinnacles]\n  half_spacing_mm=6\n[load_cells]\n  [load_cells.low]\n  offset_counts = 1_000\n",
    "inline": "load_cells = { low = { offset_counts = 3, data_pin = 5 } }\n",
    "dotted": "load_cells.low.offset_counts = 3\npinnacles.half_spacing_mm = 6.0\n",
    "quoted": "['load_cells'.low]\noffset_counts = 3\n",
    "named in a text": "name = '''\n[pinnacles]\nhalf_spacing_mm = 1\n'''\n",
    "named in a comment": "# [load_cells.low]\n[load_cells.low]\n# offset_counts = 2\noffset_counts = 3\n",
}


def wanted(text):
    values = tomllib.loads(text)
    values.setdefault("pinnacles", {})["half_spacing_mm"] = 5.5
    values.setdefault("load_cells", {}).setdefault("low", {})["offset_counts"] = -12.5
    return values


@pytest.mark.parametrize("style", STYLES)
def test_only_the_new_values_change_however_it_is_written(style):
    text = STYLES[style]
    assert tomllib.loads(changed_text(text, CHANGES)) == wanted(text)


def test_comments_and_order_stay():
    text = STYLES["usual"]
    assert changed_text(text, CHANGES) == (
        "[pinnacles]\nhalf_spacing_mm = 5.5 # set by hand\n\n[load_cells.low]\noffset_counts = -12.5\n"
    )


KEYS = st.sampled_from(["pinnacles", "load_cells", "low", "offset_counts", "half_spacing_mm", "x y", ""])
VALUES = st.recursive(
    st.one_of(st.integers(-9, 9), st.booleans(), st.text("a#\n[]=\"' ", max_size=6)),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS.filter(lambda k: k != "low"), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(KEYS.filter(lambda k: k not in ("pinnacles", "load_cells")), VALUES, max_size=4))
def test_any_other_settings_stay_what_they_were(values):
    text = tomli_w.dumps(values)
    assert tomllib.loads(changed_text(text, CHANGES)) == wanted(text)


def test_a_value_that_the_settings_refuse_is_not_written(tmp_path):
    file = table_file(tmp_path)
    with pytest.raises(BadSettings, match="half_spacing_mm"):
        change_settings(file, {("pinnacles", "half_spacing_mm"): -1.0})
    assert file.read_text() == TABLE
    assert [p.name for p in tmp_path.iterdir()] == ["table.toml"]


@pytest.mark.parametrize("stops_at", range(3))
def test_a_disk_that_fails_at_any_moment_leaves_the_old_file_whole(tmp_path, monkeypatch, stops_at):
    calls = []

    def fails(real):
        def call(*args):
            calls.append(args)
            if len(calls) > stops_at:
                raise OSError(28, "No space left on device")
            return real(*args)

        return call

    file = table_file(tmp_path)
    monkeypatch.setattr(os, "fsync", fails(os.fsync))
    monkeypatch.setattr(Path, "replace", fails(Path.replace))
    with pytest.raises(CannotWrite, match="No space left") as error:
        change_settings(file, CHANGES)
    assert isinstance(error.value, SenryakuError)
    assert isinstance(error.value, OSError)
    assert file.read_text() == TABLE
    assert not (tmp_path / ".table.toml.new").exists()


def test_a_link_to_the_file_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    real = table_file(tmp_path / "real")
    link = tmp_path / "table.toml"
    link.symlink_to(real)
    kept = change_settings(link, CHANGES)
    assert link.is_symlink()
    assert kept == real.with_name("table.toml.bak")
    assert read_settings(link).cells.half_spacing_mm == 5.5


def test_what_was_kept_once_is_not_written_over(tmp_path):
    file = table_file(tmp_path)
    assert change_settings(file, CHANGES).read_text() == TABLE
    again = change_settings(file, {("pinnacles", "half_spacing_mm"): 6.5})
    assert again == tmp_path / "table.toml.bak2"
    assert (tmp_path / "table.toml.bak").read_text() == TABLE
