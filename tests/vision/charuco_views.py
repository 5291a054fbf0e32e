"""Views of the printed calibration sheet, drawn through a lens that is known."""

from functools import lru_cache

import cv2
import numpy as np

from vision.charuco_sheet import CharucoSheet

SHEET = CharucoSheet()
SIZE = (960, 720)
MATRIX = np.array([[1010.0, 0, 470.0], [0, 1005.0, 365.0], [0, 0, 1]])
DISTORTION = np.array([-0.09, 0.04, 0.0008, -0.0006, 0.0])
MIDDLE = np.array([SHEET.columns, SHEET.rows]) * SHEET.square_mm / 2
# where the sheet's middle is (x, y, distance; mm) and how it is turned (about x, y, z; degrees)
POSES = [
    (-90, 0, 480, 8, 0, 0),
    (90, 0, 480, -8, 0, 3),
    (0, -50, 470, 0, 6, -4),
    (0, 55, 470, 0, -6, 2),
    (0, 0, 430, 0, 32, 0),
    (0, 0, 430, 0, -32, 0),
    (0, 0, 430, 32, 0, 0),
    (0, 0, 430, -32, 0, 0),
    (-60, 40, 520, 20, 20, 25),
    (60, -40, 520, -20, 20, -25),
    (40, 30, 600, 15, -25, 90),
    (-50, -30, 560, -25, -20, 10),
]


@lru_cache(maxsize=1)
def printed_sheet():
    bordered = cv2.copyMakeBorder(SHEET.draw(4.0), 60, 60, 60, 60, cv2.BORDER_CONSTANT, value=255)
    return cv2.GaussianBlur(bordered, (0, 0), 1.0)


@lru_cache(maxsize=1)
def rays_of_pixels():
    """Where each pixel looks, before the camera is turned."""
    columns, rows = np.meshgrid(np.arange(SIZE[0], dtype=np.float32), np.arange(SIZE[1], dtype=np.float32))
    pixels = np.stack([columns.ravel(), rows.ravel()], axis=1)[:, None]
    rays = cv2.undistortPoints(pixels, MATRIX, DISTORTION).reshape(-1, 2)
    return np.column_stack([rays, np.ones(len(rays))])


@lru_cache(maxsize=1)
def noise():
    return np.random.default_rng(1).normal(0, 1.5, SIZE[::-1])


@lru_cache(maxsize=len(POSES))
def render(pose, blur=0.7):
    """A picture of the sheet, through the lens; not to be written to."""
    x, y, away, *turn = pose
    rotation, _ = cv2.Rodrigues(np.deg2rad(np.array(turn, float)))
    printed = printed_sheet()
    rays = rays_of_pixels() @ rotation
    eye = -rotation.T @ np.array([x, y, away], float)
    flat = eye + rays * (-eye[2:] / rays[:, 2:])
    at = ((flat[:, :2] + MIDDLE) * 4.0 + 60 - 0.5).astype(np.float32).reshape(SIZE[1], SIZE[0], 2)
    seen = cv2.remap(printed, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=90)
    noisy = cv2.GaussianBlur(seen, (0, 0), blur) * 0.8 + 20 + noise()
    picture = np.clip(noisy, 0, 255).astype(np.uint8)
    picture.flags.writeable = False
    return picture
