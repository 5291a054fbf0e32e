"""Try 4 in the browser: the game on the screen, and the game on the mat as the camera sees it."""

from companion.web.try4.pages import add_try4

__all__ = ["add_try4"]
