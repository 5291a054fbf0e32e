"""The scripts behind `make pi`, as far as they can be tried without a Pi; the rest is shown in a bare Debian."""

import configparser
import http.server
import itertools
import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from companion.table.settings import read_settings

PI = Path(__file__).resolve().parents[2] / "hardware" / "pi"
SCRIPTS = [*sorted(PI.glob("*.sh")), PI / "senryaku-table"]
PARTS = ("camera", "cells", "panel", "screen")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: s.name)
def test_each_script_can_be_read_by_its_shell_and_may_be_run(script):
    shell = "bash" if "bash" in script.read_text().splitlines()[0] else "sh"
    subprocess.run([shell, "-n", str(script)], check=True)
    assert os.access(script, os.X_OK)


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
@pytest.mark.parametrize("script", sorted(PI.glob("*.sh")), ids=lambda s: s.name)
def test_shellcheck_has_nothing_to_warn_of(script):
    subprocess.run(["shellcheck", "-S", "warning", str(script)], check=True)


def settings_made(tmp_path, without):
    """What `make pi` writes as table.toml when it is not there yet."""
    script = f"""
        WITHOUT="{" ".join(without)}" PORT=8123 SETTINGS={tmp_path}
        source {PI / "install.sh"}
        install() {{ cp "${{@: -2:1}}" "${{@: -1}}"; }}
        settings
    """
    subprocess.run(["bash", "-c", script], check=True, capture_output=True)
    return read_settings(tmp_path / "table.toml")


@pytest.mark.parametrize("without", [c for n in range(5) for c in itertools.combinations(PARTS, n)], ids="-".join)
def test_the_settings_that_it_makes_can_be_run_whatever_is_absent(tmp_path, without):
    settings = settings_made(tmp_path, without)
    assert settings.load_source == ("none" if "cells" in without else "pico")
    only = {"camera", "cells"} <= set(without)
    assert settings.camera_source == ("simulated" if only else "none" if "camera" in without else "picamera2")
    assert bool(settings.panel) == ("panel" not in without)
    assert settings.web.port == 8123
    assert settings.web.trusted_hosts == (f"{os.uname().nodename}.local",)


def test_settings_that_are_there_are_left_alone(tmp_path):
    (tmp_path / "table.toml").write_text((PI / "table.toml").read_text().replace("Table 1", "The club's own"))
    assert settings_made(tmp_path, ("camera",)).name == "The club's own"


def test_a_link_is_made_anew_only_where_it_points_elsewhere(tmp_path):
    link = tmp_path / "senryaku"
    link.symlink_to("old")

    def point(target):
        script = f'source {PI / "install.sh"}; point "$1" "$2"'
        subprocess.run(["bash", "-c", script, "bash", str(link), target], check=True)
        return str(link.readlink()), link.lstat().st_mtime_ns

    new, made = point("new")
    assert new == "new"
    assert point("new") == ("new", made)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root comes so far")
def test_a_part_that_it_does_not_know_is_named_before_anything_is_done(tmp_path):
    environment = {**os.environ, "WITHOUT": "camera legs"}
    run = subprocess.run([str(PI / "install.sh")], capture_output=True, text=True, env=environment)
    assert run.returncode == 1
    assert "legs is not one of" in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_the_service_is_watched_started_anew_and_hardened():
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str
    unit.read(PI / "senryaku.service")
    service = unit["Service"]
    assert service["Type"] == "notify"
    assert int(service["WatchdogSec"]) >= 10
    assert service["Restart"] == "always"
    assert service["RestartPreventExitStatus"] == "2", "a bad table.toml is not tried again and again"
    assert service["User"] == "senryaku"
    for directive in ("NoNewPrivileges", "ProtectSystem", "ProtectHome", "PrivateTmp", "RestrictNamespaces"):
        assert service[directive] in ("yes", "strict")
    assert "RestrictRealtime" not in service, "the load-cell reader needs it"
    assert "PrivateDevices" not in service, "cameras, pins and serial ports are devices"


@pytest.fixture
def page():
    """A page that answers."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/?kiosk"
        server.shutdown()


@pytest.mark.parametrize(("screen", "platform"), [("DISPLAY", "x11"), ("WAYLAND_DISPLAY", "wayland")])
def test_the_kiosk_shows_the_page_on_the_screen_there_is_and_starts_its_browser_anew(tmp_path, page, screen, platform):
    told = tmp_path / "told"
    browser = tmp_path / "chromium"
    browser.write_text(f'#!/bin/sh\necho "$@" >> {told}\n')
    browser.chmod(0o755)
    clean = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment = {**clean, "PATH": f"{tmp_path}:{os.environ['PATH']}", screen: ":0"}
    with subprocess.Popen([str(PI / "kiosk.sh"), page], env=environment, start_new_session=True) as kiosk:
        end = time.monotonic() + 30
        while time.monotonic() < end and (not told.exists() or len(told.read_text().splitlines()) < 2):
            time.sleep(0.1)
        os.killpg(kiosk.pid, signal.SIGTERM)
    first, second = told.read_text().splitlines()[:2]
    assert first == second
    assert first.endswith(page)
    assert f"--ozone-platform={platform}" in first
    assert "--kiosk" in first


def test_the_kiosk_says_what_is_missing_where_there_is_no_screen(tmp_path):
    (tmp_path / "bash").symlink_to(shutil.which("bash"))
    for name in ("sed", "head", "env"):
        (tmp_path / name).symlink_to(shutil.which(name))
    run = subprocess.run([str(PI / "kiosk.sh")], capture_output=True, text=True, env={"PATH": str(tmp_path)})
    assert run.returncode == 1
    assert "apt install cage" in run.stderr
