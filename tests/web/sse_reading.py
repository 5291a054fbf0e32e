"""Reads Server-Sent Events as a browser does."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Message:
    kind: str
    id: int | None
    data: Any


def messages(chunks: Iterable[bytes]) -> Iterator[Message]:
    """The messages in a stream of bytes, however it is cut into chunks."""
    rest = ""
    for chunk in chunks:
        rest += chunk.decode()
        while "\n\n" in rest:
            block, rest = rest.split("\n\n", 1)
            fields = dict(line.split(": ", 1) for line in block.split("\n"))
            if "data" in fields:
                number = int(fields["id"]) if "id" in fields else None
                yield Message(fields.get("event", "message"), number, json.loads(fields["data"]))
