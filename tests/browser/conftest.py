"""Pages of a table in the browser, watched for complaints."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from companion.web import Server, WebSettings, create_app, serve
from tests.web.fake_table_view import FakeTable, tick

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.kept_pages import KeptPages


@pytest.fixture
def table() -> Iterator[FakeTable]:
    """Its live values stay fresh, however long the browser takes."""
    made, stop = FakeTable(), threading.Event()
    ticking = threading.Thread(target=tick, args=(made, stop), daemon=True)
    ticking.start()
    yield made
    stop.set()
    ticking.join()


@pytest.fixture
def start(table: FakeTable) -> Iterator[Callable[..., Server]]:
    servers: list[Server] = []

    def run(port: int = 0, **settings: Any) -> Server:
        app = create_app(table, WebSettings(**{"title": "Table 1", "console": True, **settings}))
        servers.append(serve(app, port=port))
        return servers[-1]

    yield run
    for server in servers:
        server.close()


@pytest.fixture
def complaints() -> list[str]:
    """What the browser complains of: refused scripts or styles, errors, failed requests."""
    return []


@pytest.fixture
def open_page(
    pages: "KeptPages", start: Callable[..., Server], complaints: list[str]
) -> Iterator[Callable[..., "Page"]]:
    """Opens a page of a table; `paired` first pairs the browser at the table's own screen."""
    opened = ExitStack()

    def run(path: str = "/", paired: bool = False, size: tuple[int, int] = (1024, 768), **options: Any) -> "Page":
        server = options.pop("server", None) or start(**options.pop("settings", {}))
        page = opened.enter_context(pages.opened(complaints, size, **{"reduced_motion": "reduce", **options}))
        if paired:
            asking = page.context.request
            code = asking.get(server.url + "api/v1/session").json()["code"]
            answer = asking.post(server.url + "api/v1/pair", data={"code": code}, headers={"X-Senryaku": "1"})
            assert answer.ok
        page.goto(server.url.rstrip("/") + path)
        return page

    with opened:
        yield run
