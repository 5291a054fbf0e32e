"""Medians and quantiles as numpy's, without what it checks and allows for: a reading takes many of small arrays."""

import numpy as np
from numpy.typing import NDArray


def median(values: NDArray[np.float32], axis: int = -1) -> NDArray[np.float32]:
    """The median along an axis of an array of numbers without NaN; the same as `np.median`."""
    count = values.shape[axis]
    middle = count // 2
    ordered = np.moveaxis(values, axis, -1).copy()  # contiguous: rows are sorted where they lie
    if count % 2:
        ordered.partition(middle, axis=-1)
        return np.asarray(ordered[..., middle])
    ordered.partition((middle - 1, middle), axis=-1)
    return np.asarray((ordered[..., middle - 1] + ordered[..., middle]) / np.float32(2))


def quantile(values: NDArray[np.float32], share: float) -> NDArray[np.float32]:
    """The quantile along the first axis of an array of numbers without NaN; the same as `np.quantile`."""
    at = share * (len(values) - 1)
    low = int(at)
    ordered = np.partition(values, (low, min(low + 1, len(values) - 1)), axis=0)
    below, above = ordered[low], ordered[min(low + 1, len(values) - 1)]
    return np.asarray(below + (above - below) * np.float32(at - low))
