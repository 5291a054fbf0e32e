"""The whole table process from pins to rulings: HX711 at the level of their pins, gpiozero's mock panel, pictures from
a folder, the referee, the log and the page."""

import sys
import threading
import time
import urllib.request
from pathlib import Path

import cv2
import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory

from companion.commands.record import _about_simulated
from companion.commands.run import web_settings
from companion.commands.run_session import RunSession
from companion.log import contradictions
from companion.simulator.table import SimulatedTable
from companion.table.pin_table import CELL_PINS, PANEL_PINS
from companion.table.recorder import Recorder
from companion.web.app import create_app
from companion.web.server import serve
from firmware_bridge import gpio_reader
from firmware_bridge.panel import HOLD_S, LAMP_NAMES
from firmware_bridge.samples import RawSample
from vision.frames import Frame

FPS = 5.0
SECONDS, REFEREED_S = 38.0, 16.0
"""Of the film, and how long the game goes on before a player gives up."""
PATIENCE_S = 60.0
LEAD_S = 4.0
"""The reader's process takes a second or two to start."""


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """A simulated match as pictures in a folder and counts in a file, and the truth."""
    folder = tmp_path_factory.mktemp("film")
    table = SimulatedTable(11, frames_per_second=FPS, pace=1.3, rate_hz=80)
    about = _about_simulated(table)
    counts, last = [], (0, 0)
    with Recorder(folder / "camera", about, loads=False, camera=True) as pictures:
        for item in table:
            if item.t > SECONDS:
                break
            if isinstance(item, Frame):
                pictures.take(item)
            elif isinstance(item, RawSample):
                last = tuple(
                    new if new is not None else old for new, old in zip((item.low, item.high), last, strict=True)
                )
                while len(counts) < item.t * 80:
                    counts.append(last)
    (folder / "samples.csv").write_text("\n".join(f"{low},{high}" for low, high in counts))
    (folder / "empty.jpg").write_bytes(about.files["empty.jpg"])
    panel = "\n".join(f"{name} = {pin}" for name, pin in PANEL_PINS.items())
    settings = about.settings.replace("[camera]", '[camera]\nsource = "camera/frames.csv"')
    settings = settings.replace("[load_cells]", '[load_cells]\nsource = "gpio"')
    for name, cell in CELL_PINS.items():
        pins = f"data_pin = {cell.data}\nclock_pin = {cell.clock}"
        settings = settings.replace(f"[load_cells.{name}]", f"[load_cells.{name}]\n{pins}")
    (folder / "table.toml").write_text(f"{settings}\n[panel]\n{panel}\n")
    moves = [line["move"] for line in table.truth if line["kind"] == "move" and line["t"] < REFEREED_S]
    assert len(moves) >= 3
    return folder, moves


@pytest.fixture
def pins(monkeypatch):
    factory = MockFactory()
    monkeypatch.setattr(gpiozero.Device, "pin_factory", factory)
    yield factory
    factory.reset()


def until(holds, seconds=PATIENCE_S):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return False


def test_a_game_is_refereed_from_the_pins_on(film, pins, tmp_path, monkeypatch):
    folder, moves = film
    begin = time.monotonic() + LEAD_S
    argv = []

    def reader(low, high, clock):
        script = Path(__file__).with_name("pin_level_process.py")
        argv.extend(map(str, (*low, *high)))
        command = [sys.executable, str(script), str(folder / "samples.csv"), repr(begin), *argv]
        return real(low, high, clock, command)

    real = gpio_reader.GpioReader
    monkeypatch.setattr(gpio_reader, "GpioReader", reader)

    with RunSession.open(folder / "table.toml", tmp_path / "log.db", ("Ada", "Ben")) as session:
        server = serve(create_app(session.table, web_settings(session.settings, tmp_path / "log.db")), "127.0.0.1", 0)
        kept = []
        time.sleep(max(0.0, begin - time.monotonic()))
        playing = threading.Thread(target=session.play, args=(kept.append,))
        playing.start()
        try:
            lamps = {name: pins.pin(f"GPIO{PANEL_PINS[name]}") for name in LAMP_NAMES}
            assert until(lambda: kinds(session).count("move") >= len(moves)), events_in_words(session)
            assert [e["payload"]["move"] for e in of_kind(session, "move")][: len(moves)] == moves
            assert {e["origin"] for e in of_kind(session, "move")} == {"both"}
            assert sum(lamp.state for lamp in lamps.values()) == 1, "one lamp says how near the board is to tipping"
            assert buzzed(pins), "the start of the game was heard"
            with urllib.request.urlopen(server.url, timeout=10) as page:
                assert page.status == 200

            press(pins, "referee_button", HOLD_S + 0.5)
            assert until(lambda: kept), "the last minute was not kept"
            press(pins, "black_button", HOLD_S + 0.5)
            assert until(lambda: "game_over" in kinds(session)), events_in_words(session)
        finally:
            session.stop()
            playing.join(10)
            server.close()
        (over,) = of_kind(session, "game_over")
        assert (over["payload"]["winner"], over["payload"]["termination"]) == ("white", "resignation")
        assert over["origin"] == "person"
        assert kinds(session).index("pause") < kinds(session).index("game_over")
        assert contradictions(session._log.events()) == []
    assert argv == [str(pin) for cell in ("low", "high") for pin in (CELL_PINS[cell].data, CELL_PINS[cell].clock)]
    assert not any(lamp.state for lamp in lamps.values()), "a table that has stopped has no lamp lit"
    assert kept[0].startswith("Kept the last")


def kinds(session):
    return [event["kind"] for event in session.table.events_after(0)]


def of_kind(session, kind):
    return [event for event in session.table.events_after(0) if event["kind"] == kind]


def events_in_words(session):
    return [(event["kind"], event["payload"]) for event in session.table.events_after(0)]


def press(pins, name, seconds):
    pin = pins.pin(f"GPIO{PANEL_PINS[name]}")
    pin.drive_low()
    time.sleep(seconds)
    pin.drive_high()


def buzzed(pins):
    return any(state.state for state in pins.pin(f"GPIO{PANEL_PINS['buzzer']}").states)


def test_a_panel_that_cannot_be_opened_keeps_no_table_from_going_on(film, tmp_path, monkeypatch, caplog):
    folder, _ = film

    def none():
        raise gpiozero.BadPinFactory("Unable to load any default pin factory!")

    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    monkeypatch.setattr(gpiozero.Device, "_default_pin_factory", staticmethod(none), raising=False)
    text = (folder / "table.toml").read_text().replace('source = "gpio"', 'source = "none"')
    (tmp_path / "camera").symlink_to(folder / "camera")
    (tmp_path / "table.toml").write_text(text)
    with RunSession.open(tmp_path / "table.toml", tmp_path / "log.db", ("Ada", "Ben")) as session:
        assert kinds(session) == ["match"]
    assert "goes on without its panel" in caplog.text


def test_the_pictures_are_there(film):
    assert cv2.imread(str(film[0] / "camera" / "frames" / "000001.jpg")) is not None
