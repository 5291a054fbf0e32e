"""Penalised regressions by Newton's method, for tables of a few thousand rows.

Columns are standardised first, so that one penalty suits all; coefficients come back for the columns as given.
In `ridge`, `logit` and `softmax` the first column is constant and not penalised.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

Objective = Callable[[Array], tuple[float, Array, Array]]
"""Of coefficients: loss, its gradient, its curvature."""

_ROUNDS = 100
_SETTLED = 1e-9
"""Newton's method ends once a step changes the objective by less than this part of it."""
_HALVINGS = 30
_LEAST_CHANCE = 1e-12


def probit(columns: Array, ends: NDArray[np.bool_], penalty: float) -> tuple[float, Array]:
    """Constant and coefficients of z with P(end) = P(Z < z), Z standard normal: Fisher scoring."""
    middle, scale = _scales(columns)
    x = np.column_stack([np.ones(len(columns)), (columns - middle) / scale])
    y = np.where(ends, 1.0, 0.0)

    def at(beta: Array) -> tuple[float, Array, Array]:
        z = x @ beta
        p = np.clip(np.array([math.erfc(-v / math.sqrt(2)) / 2 for v in z]), _LEAST_CHANCE, 1 - _LEAST_CHANCE)
        density = np.exp(-np.minimum(z * z, 70.0) / 2) / math.sqrt(2 * math.pi)
        weight = density / (p * (1 - p))
        loss = -float(np.sum(np.where(ends, np.log(p), np.log1p(-p))))
        return loss, -x.T @ (weight * (y - p)), x.T @ (x * (weight * density)[:, None])

    # The constant is penalised as well, barely: with all ends alike it would run away.
    beta = _newton(at, np.zeros(x.shape[1]), np.full(x.shape[1], penalty))
    weights = beta[1:] / scale
    return float(beta[0] - weights @ middle), weights


def logit(columns: Array, ends: NDArray[np.bool_], penalty: float) -> tuple[float, ...]:
    """Coefficients of the log odds of an end."""
    first, second = softmax(columns, ends.astype(np.int64), 2, penalty)
    return tuple(b - a for a, b in zip(first, second, strict=True))


def softmax(columns: Array, classes: NDArray[np.int64], count: int, penalty: float) -> tuple[tuple[float, ...], ...]:
    """Coefficients by class; the first class's are 0."""
    middle, scale = _scales(columns[:, 1:])
    x = np.column_stack([np.ones(len(columns)), (columns[:, 1:] - middle) / scale])
    width = x.shape[1]
    is_class = (classes[:, None] == np.arange(1, count)).astype(np.float64)

    def at(beta: Array) -> tuple[float, Array, Array]:
        scores = np.column_stack([np.zeros(len(x)), x @ beta.reshape(count - 1, width).T])
        scores -= scores.max(axis=1, keepdims=True)
        p = np.exp(scores)
        p /= p.sum(axis=1, keepdims=True)
        loss = -float(np.sum(np.log(np.maximum(p[np.arange(len(x)), classes], _LEAST_CHANCE))))
        slope = -((is_class - p[:, 1:]).T @ x).ravel()
        curve = np.zeros((len(beta), len(beta)))
        for a in range(count - 1):
            for b in range(count - 1):
                weight = p[:, a + 1] * ((a == b) - p[:, b + 1])
                block = x.T @ (x * weight[:, None])
                curve[a * width : (a + 1) * width, b * width : (b + 1) * width] = block
        return loss, slope, curve

    penalties = np.tile(np.r_[0.01 * penalty, np.full(width - 1, penalty)], count - 1)
    beta = _newton(at, np.zeros((count - 1) * width), penalties).reshape(count - 1, width)
    return (0.0,) * width, *(_as_given(row, middle, scale) for row in beta)


def ridge(columns: Array, values: Array, penalty: float) -> tuple[float, ...]:
    """Coefficients of least squares."""
    middle, scale = _scales(columns[:, 1:])
    x = np.column_stack([np.ones(len(columns)), (columns[:, 1:] - middle) / scale])
    penalties = np.r_[0.0, np.full(x.shape[1] - 1, penalty)]
    return _as_given(np.linalg.solve(x.T @ x + np.diag(penalties), x.T @ values), middle, scale)


def _scales(columns: Array) -> tuple[Array, Array]:
    spread = columns.std(axis=0)
    return columns.mean(axis=0), np.where(spread > 1e-12, spread, 1.0)


def _as_given(beta: Array, middle: Array, scale: Array) -> tuple[float, ...]:
    weights = beta[1:] / scale
    return float(beta[0] - weights @ middle), *(float(weight) for weight in weights)


def _newton(at: Objective, beta: Array, penalties: Array) -> Array:
    """Minimises loss + sum of penalty * beta^2 / 2, halving steps that do not lower it."""
    loss, slope, curve = at(beta)
    value = loss + float(penalties @ (beta * beta)) / 2
    for _ in range(_ROUNDS):
        step = np.linalg.solve(curve + np.diag(penalties + 1e-9), slope + penalties * beta)
        for _ in range(_HALVINGS):
            tried = beta - step
            loss, new_slope, new_curve = at(tried)
            new_value = loss + float(penalties @ (tried * tried)) / 2
            if new_value <= value:
                break
            step = step / 2
        else:
            return beta
        settled = value - new_value <= _SETTLED * abs(value)
        beta, value, slope, curve = tried, new_value, new_slope, new_curve
        if settled:
            return beta
    return beta
