"""The quick medians against numpy's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from vision.medians import median, quantile

NUMBERS = arrays.arrays(
    np.float32,
    st.tuples(st.integers(1, 6), st.integers(1, 9), st.integers(1, 3)),
    elements=st.floats(-1000, 1000, width=32),
)


@given(NUMBERS, st.integers(-1, 2))
def test_medians_are_numpys(values, axis):
    before = values.copy()
    assert np.array_equal(median(values, axis), np.median(values, axis=axis))
    assert np.array_equal(values, before)


@given(NUMBERS, st.floats(0, 1))
def test_quantiles_are_numpys(values, share):
    assert np.allclose(quantile(values, share), np.quantile(values, share, axis=0), rtol=1e-4, atol=1e-2)
