"""The document of the web API (OpenAPI 3.1): what the pages use, and what others may build on."""

from typing import Any

from companion.log.kinds import Kind
from companion.referee.policy import RULING_KINDS, Handling
from companion.table.requests import request_names
from companion.table.setting_up import STEPS as SET_UP_STEPS
from companion.web.view import JsonObject

VERSION = "1.0"
"""Of the API: the first number is in its addresses; the second grows with what is added."""

STREAM = """Server-Sent Events, read only. Each message has an `event` name and JSON `data`:

- `log`: one event of the log, `id` is its number: every one after `Last-Event-ID` or `?after=`, without a gap.
- `state`: the whole state, as in /api/v1/state; the first message of a new stream, and after every change.
- `live`: values that are not in the log, as in /api/v1/live; at most five a second.
- `alive`: nothing else was to be said for 2 s; `quiet_s` is how long the table has been silent.

Where all streams are taken (503), poll /api/v1/state and /api/v1/live every 2 s."""


def document() -> JsonObject:
    """The OpenAPI document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Senryaku Companion: a table",
            "version": VERSION,
            "summary": "One table's state, its stream of events, its games, and its referee's console.",
            "description": "Reading needs nothing, where the table is open to spectators. Writing needs the header "
            "`X-Senryaku: 1` and the cookie of a paired device. Every refusal is JSON, `error` in one line.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": {**_watching(), **_games(), **_pairing(), **_console()},
        "components": {
            "schemas": {
                "Error": _object({"error": {"type": "string"}}, ["error"]),
                "State": _object(
                    {
                        "seq": {"type": "integer", "minimum": 0, "description": "Number of the log's last event."},
                        "match": _maybe("object"),
                        "game": _maybe("object"),
                        "last_ruling": _maybe("object"),
                        "recent": {"type": "array", "items": {"type": "object"}},
                        "faults": {"type": "array", "items": {"type": "object"}},
                        "can_undo": _maybe("object"),
                        "can_redo": _maybe("object"),
                        "paused_since": _maybe("number"),
                        "paused_by": {**_maybe("string"), "description": "The player who calls the referee."},
                    },
                    ["seq", "match", "game", "last_ruling", "recent", "faults"],
                ),
                "Game": _object(
                    {
                        "id": {"type": "integer", "description": "Number of the event that began it."},
                        "number": {"type": "integer", "description": "In its match."},
                        "white": {"type": "string"},
                        "black": {"type": "string"},
                        "started": {"type": "number", "description": "Seconds since 1970."},
                        "ended": _maybe("number"),
                        "result": _maybe("object"),
                        "says": {"type": "string"},
                    },
                    ["id", "number", "white", "black", "started", "ended", "result", "says"],
                ),
                "Command": _object(
                    {
                        "do": {"type": "string", "enum": request_names()},
                        "move": {"type": "string", "examples": ["d1-d2"]},
                        "position": {"type": "string", "examples": ["bbbBbbb/7/7/7/7/wwwWwww w - -"]},
                        "question": {"type": "integer"},
                        "seq": _maybe("integer"),
                        "winner": {"enum": ["white", "black"]},
                        "player": {"enum": ["white", "black"]},
                        "white": {"type": "string"},
                        "black": {"type": "string"},
                        "anyway": {"type": "boolean"},
                        "rules": {"type": "object"},
                        "policy": {
                            "type": "object",
                            "properties": {kind: {"enum": [str(h.value) for h in Handling]} for kind in RULING_KINDS},
                        },
                    },
                    ["do"],
                ),
                "Step": _object(
                    {
                        "do": {"type": "string", "enum": SET_UP_STEPS},
                        "corners": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
                        "mass_g": _maybe("number"),
                        "white_coloured": {"type": "string"},
                        "black_coloured": {"type": "string"},
                    },
                    ["do"],
                ),
                "Event": _object(
                    {
                        "seq": {"type": "integer"},
                        "time": {"type": "number"},
                        "kind": {"type": "string", "enum": [str(kind) for kind in Kind]},
                        "origin": {"type": "string"},
                        "payload": {"type": "object"},
                    },
                    ["seq", "time", "kind", "origin", "payload"],
                ),
            },
            "securitySchemes": {
                "paired": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "senryaku_PORT",
                    "description": "Set by /api/v1/pair; PORT is the port of the table's pages.",
                }
            },
        },
    }


def _watching() -> JsonObject:
    after = _query("after", {"type": "string"}, "Number of the last event already seen.")
    since = _query("since", {"type": "string"}, "A time on the table's clock, s.")
    return {
        "/api/v1/state": {"get": _read("The whole state, folded from the log.", _ref("State"))},
        "/api/v1/live": {"get": _read("Loads, margin, sphere in hand, witnesses: what is not in the log.")},
        "/api/v1/loads": {"get": _read("Loads of the last minute, `[t, low, high]`.", None, [since], ["400"])},
        "/api/v1/events": {
            "get": {
                "summary": "The stream of events.",
                "description": STREAM,
                "parameters": [after],
                "responses": {
                    "200": {"description": "The stream.", "content": {"text/event-stream": {"schema": _ref("Event")}}},
                    **_refusals(["400", "401", "503"]),
                },
            }
        },
        "/picture.jpg": {
            "get": {
                "summary": "The newest camera picture; `?drawn` with what was read in it.",
                "parameters": [_query("drawn", {"type": "string"}, "Anything.")],
                "responses": {
                    "200": {"description": "A picture.", "content": {"image/jpeg": {}}},
                    **_refusals(["404"]),
                },
            }
        },
    }


def _games() -> JsonObject:
    game = {"name": "game", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 1}}
    form = _query("format", {"type": "string", "enum": ["text", "json", "csv"]}, "text where it is left out.")
    many = {"type": "array", "items": _ref("Game")}
    exported = {"text/plain": {}, "application/json": {"schema": _ref("Game")}, "text/csv": {}}
    return {
        "/api/v1/games": {"get": _read("The games, newest first.", many)},
        "/api/v1/games/{game}": {"get": _read("All of a game.", _ref("Game"), [game], ["404"])},
        "/api/v1/games/{game}/export": {
            "get": {
                "summary": "A game as a file.",
                "parameters": [game, form],
                "responses": {
                    "200": {"description": "The file.", "content": exported},
                    **_refusals(["400", "401", "404"]),
                },
            }
        },
        "/api/v1/players": {"get": _read("What the finished games say of the players.", {"type": "array"})},
    }


def _pairing() -> JsonObject:
    code = _object({"code": {"type": "string"}, "name": {"type": "string"}}, ["code"])
    device = {"name": "device", "in": "path", "required": True, "schema": {"type": "string", "pattern": "^[0-9a-f]+$"}}
    return {
        "/api/v1/session": {"get": _read("Is this device paired? The table's own screen is told the code too.")},
        "/api/v1/pair": {"post": _write("Pair this device.", code, ["400", "401", "403", "413", "415", "429"], False)},
        "/api/v1/sessions": {"get": _read("The paired devices.", {"type": "array"}, refused=["401"], paired=True)},
        "/api/v1/sessions/{device}": {
            "delete": {**_write("Send a device away.", None, ["401", "403", "404"]), "parameters": [_HEADER, device]}
        },
    }


def _console() -> JsonObject:
    seq = {"name": "seq", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 1}}
    when = {"name": "when", "in": "path", "required": True, "schema": {"enum": ["before", "after"]}}
    bad = ["400", "401", "403", "409", "413", "415"]
    return {
        "/api/v1/console": {"post": _write("What a person asks of the referee.", _ref("Command"), bad)},
        "/api/v1/setup": {
            "get": _read("What camera and cells make of the table now.", refused=["409"], paired=True),
            "post": _write("A step of the set-up.", _ref("Step"), bad),
        },
        "/api/v1/desk": {"get": _read("Settings in force, start position, evidence.", refused=["401"], paired=True)},
        "/api/v1/evidence/{seq}": {
            "get": _read("What a ruling was based on.", None, [seq], ["400", "401", "404"], paired=True)
        },
        "/api/v1/evidence/{seq}/{when}.jpg": {
            "get": {
                "summary": "The picture before or after it.",
                "parameters": [seq, when],
                "security": [{"paired": []}],
                "responses": {
                    "200": {"description": "A picture.", "content": {"image/jpeg": {}}},
                    **_refusals(["400", "401", "404"]),
                },
            }
        },
        "/api/v1/evidence/{seq}.zip": {
            "get": {
                "summary": "All of it as one file.",
                "parameters": [seq],
                "security": [{"paired": []}],
                "responses": {
                    "200": {"description": "A zip file.", "content": {"application/zip": {}}},
                    **_refusals(["400", "401", "404"]),
                },
            }
        },
    }


_HEADER = {
    "name": "X-Senryaku",
    "in": "header",
    "required": True,
    "schema": {"type": "string", "enum": ["1"]},
    "description": "Shows that no other site's page sends it.",
}


def _object(properties: JsonObject, required: list[str]) -> JsonObject:
    return {"type": "object", "properties": properties, "required": required}


def _maybe(kind: str) -> JsonObject:
    return {"type": [kind, "null"]}


def _ref(name: str) -> JsonObject:
    return {"$ref": f"#/components/schemas/{name}"}


def _query(name: str, schema: JsonObject, description: str) -> JsonObject:
    return {"name": name, "in": "query", "schema": schema, "description": description}


def _read(
    summary: str,
    schema: JsonObject | None = None,
    parameters: list[JsonObject] | None = None,
    refused: list[str] | None = None,
    paired: bool = False,
) -> JsonObject:
    answer = {"description": "As asked.", "content": {"application/json": {"schema": schema or {"type": "object"}}}}
    return {
        "summary": summary,
        **({"parameters": parameters} if parameters else {}),
        **({"security": [{"paired": []}]} if paired else {}),
        "responses": {"200": answer, **_refusals(sorted({"401", *(refused or [])}))},
    }


def _write(summary: str, schema: JsonObject | None, refused: list[str], paired: bool = True) -> JsonObject:
    body: Any = {"required": True, "content": {"application/json": {"schema": schema}}}
    return {
        "summary": summary,
        "parameters": [_HEADER],
        **({"requestBody": body} if schema else {}),
        **({"security": [{"paired": []}]} if paired else {}),
        "responses": {
            "200": {"description": "Done.", "content": {"application/json": {"schema": {"type": "object"}}}},
            **_refusals(refused),
        },
    }


_WHY = {
    "400": "What was asked makes no sense; the line says why.",
    "401": "This device is not paired.",
    "403": "Another site's page, a wrong code, or not at this table.",
    "404": "There is nothing of that name.",
    "409": "It cannot be done now; the line says why.",
    "413": "The body is too long.",
    "415": "The body is no JSON.",
    "429": "Too many wrong codes; `Retry-After` says how long to wait.",
    "503": "All streams are taken: poll.",
}


def _refusals(statuses: list[str]) -> JsonObject:
    content = {"application/json": {"schema": _ref("Error")}}
    return {status: {"description": _WHY[status], "content": content} for status in statuses}
