"""Text of a runner's making, turned into text that a terminal only shows."""

__all__ = ["printable", "shortened"]


def printable(text: str) -> str:
    """The text with everything escaped that a terminal would act on or could not show."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )


def shortened(text: str, most: int) -> str:
    """The printable text, cut where it is longer than ``most`` characters."""
    cut = printable(text[:most])
    return cut if len(text) <= most else f"{cut}… (cut, {len(text)} characters in all)"
