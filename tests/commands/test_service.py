"""What a table tells systemd: that it is up, and that its loop lives."""

import os
import socket

import pytest

from companion.commands.service import Service


@pytest.fixture
def told(tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as inbox:
        inbox.bind(str(tmp_path / "notify"))
        inbox.setblocking(False)

        def read():
            lines = []
            while True:
                try:
                    lines.append(inbox.recv(1000).decode())
                except BlockingIOError:
                    return lines

        read.address = str(tmp_path / "notify")
        yield read


def test_it_says_that_it_is_up_and_when_it_ends(told):
    service = Service({"NOTIFY_SOCKET": told.address})
    service.ready("at port 8000")
    service.beat()  # nobody asked for beats
    service.stopping()
    assert told() == ["READY=1\nSTATUS=at port 8000", "STOPPING=1"]


def test_it_beats_four_times_a_deadline_however_often_it_is_called(told):
    now = [0.0]
    service = Service({"NOTIFY_SOCKET": told.address, "WATCHDOG_USEC": "20000000"}, lambda: now[0])
    for n in range(200):
        now[0] = n * 0.1
        service.beat()
    assert told() == ["WATCHDOG=1"] * 4


def test_beats_that_another_process_owes_are_not_ours(told):
    environment = {"NOTIFY_SOCKET": told.address, "WATCHDOG_USEC": "1000000", "WATCHDOG_PID": str(os.getpid() + 1)}
    Service(environment).beat()
    assert told() == []


@pytest.mark.parametrize("address", ["", "/nowhere/at/all", "@nobody"])
def test_without_systemd_nothing_happens(address):
    service = Service({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "1000000"})
    service.ready("up")
    service.beat()
    service.stopping()
