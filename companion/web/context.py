"""What every page's code needs: the table, the settings, and the command that a request carries."""

from typing import Any

from flask import abort, current_app, request

from companion.errors import BadInput
from companion.web.view import JsonObject, TableView, WebSettings


def table() -> TableView:
    """The table that the current app shows."""
    found: TableView = current_app.extensions["senryaku"]["table"]
    return found


def settings() -> WebSettings:
    """The settings that the current app was made with."""
    found: WebSettings = current_app.extensions["senryaku"]["settings"]
    return found


def json_object(such_as: str) -> JsonObject:
    """The JSON object in the request's body; `such_as` shows what one looks like. Raises BadInput."""
    if not request.is_json:
        abort(415, "a command is JSON: send Content-Type application/json")
    try:
        found: Any = request.get_json(silent=True)
    except RecursionError:  # brackets nested without end are no command either
        found = None
    if not isinstance(found, dict):
        raise BadInput(f"a command is a JSON object, such as {such_as}")
    return found


def command() -> JsonObject:
    """The command in the request's body. Raises BadInput."""
    such_as = '{"do": "lean"}'
    found = json_object(such_as)
    if not isinstance(found.get("do"), str):
        raise BadInput(f"a command is a JSON object that says what to do, such as {such_as}")
    return found
