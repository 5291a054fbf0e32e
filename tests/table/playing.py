"""A simulated session, played on for a while or until something has happened."""

import itertools
from collections.abc import Callable
from typing import Any


def play(session: Any, seconds: float) -> None:
    stop = session.simulated.world.t + seconds
    session.play(itertools.takewhile(lambda item: item.t < stop, session.items()))


def play_until(session: Any, holds: Callable[[], bool], within_s: float) -> None:
    """Plays on until it holds, and somewhat longer than that at most; whether it does is for the test to say."""
    stop = session.simulated.world.t + within_s
    while not holds() and session.simulated.world.t < stop:
        play(session, 1)
