"""Browser pages that are emptied and used again: a new window costs more than most of what is done in it."""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TIMEOUT_MS = 30_000
"""How long a page waits for what is asked of it where nothing else is said; the driver's own."""
FORGET = "() => { localStorage.clear(); sessionStorage.clear(); }"


class KeptPages:
    """Pages of one Chromium, each with a context of its own: no page ever sees what another one stored."""

    def __init__(self, browser: "Browser") -> None:
        self._browser = browser
        self._free: dict[str, list[Page]] = {}
        self._complaints: dict[Page, list[str]] = {}

    @contextlib.contextmanager
    def opened(
        self,
        complaints: list[str] | None = None,
        size: tuple[int, int] = (1280, 720),
        color_scheme: Any = "light",
        reduced_motion: Any = "no-preference",
        timeout_ms: float = TIMEOUT_MS,
        **device: Any,
    ) -> Iterator["Page"]:
        """An empty page, as good as new. What the browser complains of (refused scripts or styles, errors, failed
        requests) is added to `complaints`. `device` is what a page cannot change later, such as `has_touch`."""
        free = self._free.setdefault(repr(sorted(device.items())), [])
        page = free.pop() if free else self._new(device)
        self._complaints[page] = complaints if complaints is not None else []
        page.set_default_timeout(timeout_ms)
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(media="null", color_scheme=color_scheme, reduced_motion=reduced_motion)
        try:
            yield page
        finally:
            if self._emptied(page):
                free.append(page)
            else:
                page.context.close()
                del self._complaints[page]

    def _new(self, device: dict[str, Any]) -> "Page":
        page = self._browser.new_context(**device).new_page()
        page.on("console", lambda said: self._complain(page, said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self._complain(page, str(error)))
        return page

    def _complain(self, page: "Page", text: str) -> None:
        self._complaints[page].append(text)

    def _emptied(self, page: "Page") -> bool:
        """Leaves the table, so that its server can close, and forgets all of it; False where that cannot be done."""
        from playwright.sync_api import Error

        try:
            with contextlib.suppress(Error):  # what is no page of a table stores nothing
                page.evaluate(FORGET)
            page.goto("about:blank")
            page.unroute_all()
            page.mouse.move(0, 0)
            page.context.clear_cookies()
        except Error:
            return False
        return True
