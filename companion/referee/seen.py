"""A board reading as the referee uses it: log-likelihoods, well by well."""

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from companion.referee import odds
from companion.referee.hypotheses import Placement
from vision.reading import BoardReading, Content

WELLS = np.arange(42)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """One board reading, prepared: `loglik[well, content]` counts 0 for the best content and less for the others.

    A hidden well counts nothing. `visible[well]` is the probability that the well is not hidden.
    """

    t: float
    board_found: bool
    loglik: NDArray[np.float64]
    visible: NDArray[np.float64]
    likeliest: NDArray[np.int64]

    @classmethod
    def of(cls, reading: BoardReading) -> "Seen":
        visible = 1.0 - reading.p[:, Content.HIDDEN]
        given_visible = reading.p[:, : Content.HIDDEN] / np.maximum(visible, 1e-9)[:, None]
        loglik = np.maximum(np.log(np.maximum(given_visible, 1e-9)), odds.CLEAREST_WELL)
        loglik = (loglik - loglik.max(axis=1, keepdims=True)) * visible[:, None]
        likeliest = np.where(visible > 0.5, given_visible.argmax(axis=1), int(Content.HIDDEN))
        return cls(reading.t, reading.board_found, loglik, visible, likeliest)

    def under(self, placement: Placement) -> float:
        """Log-likelihood of the picture if this stood on the board."""
        return float(self.loglik[WELLS, placement].sum())

    def contradicted(self, placement: Placement) -> NDArray[np.bool_]:
        """For each well whether something else than expected is likelier there."""
        return np.asarray(self.loglik[WELLS, placement] < log(0.5))

    def shows(self, placement: Placement) -> bool:
        """Every well that can be seen agrees, and the board was found."""
        return self.board_found and self.under(placement) > log(odds.READ_WELL) * 2

    def agrees_with(self, other: "Seen") -> bool:
        """Wells that both pictures show look the same in both."""
        both = (self.visible > 0.5) & (other.visible > 0.5)
        return bool((self.likeliest[both] == other.likeliest[both]).all())

    def all_of_it(self) -> Placement | None:
        """What stands in every well, None unless all of them are seen and read with certainty."""
        if not self.sees_all():
            return None
        second = np.partition(self.loglik, -2, axis=1)[:, -2]
        return tuple(int(c) for c in self.likeliest) if bool((second < log(1 - odds.READ_WELL)).all()) else None

    def sees_all(self) -> bool:
        return self.board_found and float(self.visible.min()) > 0.5
