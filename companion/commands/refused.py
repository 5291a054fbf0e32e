"""Why a calibration was not written."""

from companion.errors import SenryakuError


class CalibrationRefused(SenryakuError, ValueError):
    """The readings do not fit, and the person has given up; nothing was written."""
