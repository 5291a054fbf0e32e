"""One conversion of one HX711."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """`t` seconds on the clock in use, `counts` signed 24 bits."""

    t: float
    counts: int
