"""Names and device texts as they may be shown: nothing that cannot be seen, or that turns the text around it."""


def plain(text: str) -> str:
    """One line without control characters, marks of writing direction and the like (Unicode's Other and Separators)."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
