"""The one family of errors of this project.

Every error of ours is a `SenryakuError` and also the builtin that a caller would expect
(`ValueError` for a bad value, `OSError` for a part that fails, ...), so that it can be caught
either way. It imports nothing, and everything may import it.
"""


class SenryakuError(Exception):
    """Base of all errors raised on purpose. The message is one line fit to be shown to a user."""


class BadInput(SenryakuError, ValueError):
    """Something given by a user or a file is wrong; the message names it, the place and the remedy."""
