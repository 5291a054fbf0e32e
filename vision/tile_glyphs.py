"""The digits of number tiles, drawn by ourselves: strokes on a box one unit high, with the freedom that fonts take.

Each digit is a few strokes; a `Hand` says how they are drawn (how wide, how bold, with or without serifs). The printed
tiles use `PLAIN`; the templates that digits are read by come from many hands drawn at random.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Mask = NDArray[np.float32]

ARC_STEP_DEG = 12.0


@dataclass(frozen=True, slots=True)
class Hand:
    """How digits are drawn. Lengths in heights of a digit, shares from 0 to 1.

    `width` of a digit; `stroke` of the pen, and of it `thin` the share that strokes running across have; `slant` to the
    right for each unit of height; `serif` half its length, 0 for none; `foot` of the 1 the same; `flag` of the 1, and
    how far it `droops`; `neck` how curved the 2 is; `curl` how far open ends curl in; `waist`, where its head ends;
    `angular`: a 3 with a flat top, else its `head` is so wide against its lower bowl and its `notch` so deep; `wave`: a
    2 whose foot is no straight line, so high; `open_four`: its strokes do not meet at the top; `crossing` where the
    stem of the 4 stands; `bar` how high its bar is.
    """

    width: float = 0.56
    stroke: float = 0.15
    thin: float = 1.0
    slant: float = 0.0
    serif: float = 0.0
    foot: float = 0.0
    flag: float = 0.24
    droop: float = 0.2
    neck: float = 0.35
    curl: float = 0.6
    waist: float = 0.53
    angular: bool = False
    wave: float = 0.0
    head: float = 0.98
    notch: float = 0.35
    open_four: bool = False
    crossing: float = 0.72
    bar: float = 0.28


PLAIN = Hand()


def _arc(cx: float, cy: float, rx: float, ry: float, start_deg: float, stop_deg: float) -> Points:
    """Points on an ellipse, anticlockwise where the angle grows, (n, 2)."""
    steps = max(2, int(abs(stop_deg - start_deg) / ARC_STEP_DEG) + 1)
    angle = np.deg2rad(np.linspace(start_deg, stop_deg, steps))
    return np.stack([cx + rx * np.cos(angle), cy + ry * np.sin(angle)], axis=1)


def _line(*points: tuple[float, float]) -> Points:
    return np.array(points, np.float64)


def _curve(start: Points, guide: tuple[float, float], end: tuple[float, float]) -> Points:
    """A quadratic curve from a point (2,) toward a guide to an end, (n, 2)."""
    t = np.linspace(0, 1, 9)[:, None]
    return np.asarray((1 - t) ** 2 * start + 2 * t * (1 - t) * np.array(guide) + t**2 * np.array(end))


def _zero(hand: Hand) -> list[Points]:
    half = hand.width / 2
    return [_arc(half, 0.5, half, 0.5, 0, 360)]


def _one(hand: Hand) -> list[Points]:
    stem = hand.width * 0.55
    strokes = [_line((stem, 0), (stem, 1))]
    if hand.flag > 0:
        strokes.append(_line((stem, 1 - 0.02), (stem - hand.flag, 1 - hand.droop)))
    if hand.foot > 0:
        strokes.append(_line((stem - hand.foot, 0), (stem + hand.foot, 0)))
    return strokes


def _two(hand: Hand) -> list[Points]:
    half, top = hand.width / 2, 0.28
    bowl = _arc(half, 1 - top, half * 0.94, top, 180 - 60 * hand.curl, -25)
    neck = _curve(bowl[-1], (half * (0.9 + hand.neck), 0.5 - 0.35 * hand.neck), (0.02, 0))
    if hand.wave > 0:
        crest, hollow = (hand.width * 0.3, hand.wave * 1.3), (hand.width * 0.8, -hand.wave * 0.9)
        foot = _curve(np.array([0.02, 0.0]), crest, (hand.width * 0.55, hand.wave * 0.35))
        foot = np.concatenate([foot, _curve(foot[-1], hollow, (hand.width, 0.16))])
    else:
        foot = _line((0.02, 0), (hand.width, 0))
    strokes = [np.concatenate([bowl, neck]), foot]
    if hand.serif > 0:
        strokes.append(_line((hand.width, 0), (hand.width + 0.02, hand.serif)))
        if hand.curl > 0.5:
            strokes.append(_line((0.03, 0.70), (0.06, 0.74)))
    return strokes


def _three(hand: Hand) -> list[Points]:
    half, waist = hand.width / 2, hand.waist
    low, end = waist / 2, -115 - 75 * hand.curl
    lower = _arc(half * 0.9, low, half * 1.1, low, 90, end)
    if hand.angular:
        top = _line((0.04, 1), (hand.width * 0.92, 1), (half * 0.85, waist))
        return [top, np.concatenate([_line((half * 0.55, waist)), lower])]
    high = (1 - waist) / 2
    upper = _arc(half * 0.9, 1 - high, half * hand.head, high, 165 + 20 * hand.curl, -90)
    bar = _line((half * (0.9 - hand.notch), waist), (half * 0.9, waist))
    return [np.concatenate([upper, _line((half * 0.9, waist))]), bar, lower]


def _four(hand: Hand) -> list[Points]:
    stem, bar = hand.width * hand.crossing, hand.bar
    foot = _line((stem, 0), (stem, 0.62 if hand.open_four else 1))
    shoulder = (stem * 0.62, 1.0) if hand.open_four else (stem, 1.0)
    strokes = [foot, _line(shoulder, (0, bar), (hand.width, bar))]
    if hand.serif > 0:
        strokes.append(_line((stem - hand.serif * 0.9, 0), (stem + hand.serif * 0.9, 0)))
    return strokes


def _five(hand: Hand) -> list[Points]:
    half, low = hand.width / 2, 0.31
    bowl = _arc(half * 0.9, low, half * 1.1, low, 125, -160 - 25 * hand.curl)
    return [_line((hand.width * 0.92, 1), (hand.width * 0.14, 1), (hand.width * 0.08, 0.52)), _joined(bowl, hand)]


def _joined(bowl: Points, hand: Hand) -> Points:
    return np.concatenate([_line((hand.width * 0.08, 0.52)), bowl])


def _six(hand: Hand) -> list[Points]:
    half, low = hand.width / 2, 0.3
    back = _curve(np.array([hand.width * 0.86, 0.93 + 0.05 * hand.curl]), (0.0, 1.05), (0.02, low))
    return [back, _arc(half, low, half, low, 0, 360)]


def _seven(hand: Hand) -> list[Points]:
    top = _line((0, 1), (hand.width, 1))
    return [top, _curve(top[-1], (hand.width * (0.75 - 0.4 * hand.neck), 0.6), (hand.width * 0.3, 0))]


def _eight(hand: Hand) -> list[Points]:
    half, waist = hand.width / 2, hand.waist
    high = (1 - waist) / 2
    upper = _arc(half, 1 - high, half * 0.88, high, 0, 360)
    return [upper, _arc(half, waist / 2, half, waist / 2, 0, 360)]


def _nine(hand: Hand) -> list[Points]:
    turn = np.array([hand.width, 1.0])
    return [turn - stroke for stroke in _six(hand)]


_STROKES: tuple[Callable[[Hand], list[Points]], ...] = (
    _zero,
    _one,
    _two,
    _three,
    _four,
    _five,
    _six,
    _seven,
    _eight,
    _nine,
)


def strokes(digit: int, hand: Hand = PLAIN) -> list[Points]:
    """The digit's strokes as lines of points (n, 2): x to the right, y up from the foot line, its height 1."""
    lean = np.array([[1.0, 0.0], [hand.slant, 1.0]])
    return [np.asarray(stroke @ lean, np.float64) for stroke in _STROKES[digit](hand)]


def random_hand(rng: np.random.Generator) -> Hand:
    """Some font's way to draw digits: of all widths and weights, half of them with serifs."""
    seriffed = bool(rng.random() < 0.5)
    stroke = rng.uniform(0.07, 0.36)
    return Hand(
        width=rng.uniform(0.42, 0.72) + max(0.0, stroke - 0.2),
        stroke=stroke,
        thin=rng.uniform(0.45, 1.0),
        slant=rng.normal(0, 0.07),
        serif=rng.uniform(0.12, 0.26) if seriffed else 0.0,
        foot=rng.uniform(0.14, 0.38) if seriffed or rng.random() < 0.5 else 0.0,
        flag=max(0.08, rng.normal(0.25, 0.07)),
        droop=rng.uniform(0.04, 0.32),
        neck=rng.uniform(0.0, 0.6),
        curl=rng.uniform(0, 1),
        waist=rng.uniform(0.48, 0.58),
        angular=bool(rng.random() < 0.15),
        head=rng.uniform(0.72, 1.0),
        notch=rng.uniform(0.0, 0.5),
        wave=rng.uniform(0.05, 0.16) if seriffed and rng.random() < 0.5 else 0.0,
        open_four=bool(rng.random() < 0.1),
        crossing=rng.uniform(0.62, 0.85),
        bar=rng.uniform(0.2, 0.36),
    )


def draw(digit: int, hand: Hand, size: int, height: float, blur: float = 1.0) -> Mask:
    """A digit as a mask (size, size), 1 where ink is, top row first; `height` of it and `blur` of its edge in pixels.

    The middle of its box is the middle of the mask.
    """
    steps = (np.arange(size) + 0.5 - size / 2) / height
    places = np.stack(np.meshgrid(steps + hand.width / 2, 0.5 - steps), axis=-1).reshape(-1, 2)
    # a pen that is thinner up and down than across is a round one on a stretched sheet
    stretch = np.array([1.0, 1.0 / hand.thin])
    nearest = np.full(len(places), np.inf)
    for stroke in strokes(digit, hand):
        nearest = np.minimum(nearest, _distance(places * stretch, stroke * stretch))
    inside = (hand.stroke / 2 - nearest) * height / blur
    return np.clip(inside + 0.5, 0, 1).astype(np.float32).reshape(size, size)


def _distance(places: Points, stroke: Points) -> Points:
    """How far places (n, 2) are from a line through points (m, 2): (n,)."""
    nearest = np.full(len(places), np.inf)
    x, y = np.ascontiguousarray(places.T)
    pieces = zip(stroke[:-1].tolist(), np.diff(stroke, axis=0).tolist(), strict=True)
    for (start_x, start_y), (along_x, along_y) in pieces:
        off_x, off_y = x - start_x, y - start_y
        share = off_x * along_x + off_y * along_y
        share /= max(along_x**2 + along_y**2, 1e-12)
        np.clip(share, 0, 1, out=share)
        off_x -= share * along_x
        off_y -= share * along_y
        np.minimum(nearest, off_x**2 + off_y**2, out=nearest)
    return np.asarray(np.sqrt(nearest))
