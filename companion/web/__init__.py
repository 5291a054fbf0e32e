"""The scoring board in the browser: pages and JSON of one table, read from its log and live values."""

from companion.web.app import create_app
from companion.web.server import CannotServe, Server, serve
from companion.web.view import JsonObject, TableView, WebSettings

__all__ = ["CannotServe", "JsonObject", "Server", "TableView", "WebSettings", "create_app", "serve"]
