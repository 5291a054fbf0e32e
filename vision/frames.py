"""One picture from a camera, with the moment at which it was taken."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """`t` seconds on the table's clock; `image` BGR, shape (height, width, 3), uint8."""

    t: float
    image: NDArray[np.uint8]
