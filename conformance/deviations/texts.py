"""Changes that implementers make to strings: rows of ``deviations.changes``."""

import html
import posixpath
import re
import unicodedata
import urllib.parse

from conformance.deviations.lens import ABSENT, Row
from conformance.deviations.numbers import number_in
from reference_impl.cpython312.unicode15 import lower

__all__ = ["ROWS"]

_CUTS = {64: 3, 80: 2, 100: 3, 128: 2, 200: 3, 255: 3, 256: 2, 500: 3, 1000: 3, 1024: 2, 4096: 1}
_CUTS |= dict.fromkeys((1, 8, 16, 32, 40, 50, 120, 512), 1)
_SEPARATORS = {"/": 3, "@": 3, ":": 3, "__": 3, ".": 1, "-": 1, "_": 1, " ": 1, "#": 2, ",": 2, "?": 2}
_SEPARATORS |= dict.fromkeys(("=", ";", "|", "&", "(", "[", "+", "~", "\\", "$"), 1)
_REPLACED = (
    ("-", "_"), ("_", "-"), (" ", "_"), (" ", "-"), ("/", "_"), ("/", "__"), ("/", "-"), ("__", "_"), (".", "_"),
    (".", "-"), (":", "_"), ("@", "_"), (",", "."), ("/", ""), (" ", ""), ("_", ""), ("__", "-"), ("_", " "),
)  # fmt: skip
_OFFSET = r"(?:Z|[+-]\d\d:\d\d)$"

ROWS: tuple[Row, ...] = (
    ("lower", 3, "text is lower-cased", lower),
    ("casefold", 2, "text is case-folded", str.casefold),
    ("strip", 3, "white space around text is stripped", str.strip),
    ("strip-right", 2, "white space after text is stripped", str.rstrip),
    ("strip-newlines", 2, "line ends around text are stripped", lambda v: v.strip("\r\n")),
    ("strip-ascii", 2, "ASCII white space around text is stripped", lambda v: v.strip(" \t\r\n\f\v")),
    ("drop-newline", 2, "one line end after text is stripped", lambda v: v.removesuffix("\n")),
    ("squeeze", 2, "white space in text is collapsed to single spaces", lambda v: " ".join(v.split())),
    ("nfc", 3, "text is normalized to NFC", lambda v: unicodedata.normalize("NFC", v)),
    ("no-bom", 2, "a byte order mark is dropped", lambda v: v.removeprefix("\ufeff")),
    ("crlf-is-lf", 2, "CR LF becomes LF", lambda v: v.replace("\r\n", "\n")),
    ("cr-is-lf", 2, "CR LF and CR become LF", lambda v: v.replace("\r\n", "\n").replace("\r", "\n")),
    ("empty-is-null", 3, "an empty string becomes null", lambda v: v or None),
    ("empty-is-absent", 2, "an empty string is left out", lambda v: v or ABSENT),
    ("blank-is-null", 2, "a blank string becomes null", lambda v: v if v.strip() else None),
    *((f"cut-{n}", usual, f"text is cut to {n} characters", lambda v, n=n: v[:n]) for n, usual in _CUTS.items()),
    ("first-line", 2, "only the first line is read", lambda v: v.split("\n")[0]),
    ("last-line", 2, "only the last line is read", lambda v: v.split("\n")[-1]),
    ("first-full-line", 2, "only the first line that is not blank is read", lambda v: v.strip().split("\n")[0]),
    ("last-full-line", 2, "only the last line that is not blank is read", lambda v: v.strip().split("\n")[-1]),
    ("braces-only", 2, "only the part from the first { to the last } is read", lambda v: v[v.index("{") : v.rindex("}") + 1]),
    ("first-word", 2, "only the first word is read", lambda v: v.split()[0]),
    *(
        (f"{side}-{which}-{mark}", usual, f"only the part {side} the {which} {mark} is kept",
         lambda v, m=mark, b=side == "before", f=which == "first": (v.split(m, 1) if f else v.rsplit(m, 1))[0 if b else -1])
        for mark, usual in _SEPARATORS.items()
        for side in ("before", "after")
        for which in ("first", "last")
    ),
    *((f"{old}-is-{new}", 1, f"{old} becomes {new or 'nothing'}", lambda v, old=old, new=new: v.replace(old, new))
      for old, new in _REPLACED),
    ("slug", 2, "text becomes a lower-case slug", lambda v: re.sub(r"[^a-z0-9]+", "-", v.lower()).strip("-")),
    ("no-slash-after", 2, "trailing slashes are dropped", lambda v: v.rstrip("/")),
    ("no-quotes", 2, "quotes around text are dropped", lambda v: v.strip("\"'")),
    ("number-of-text", 2, "a string that spells a number becomes a number", number_in),
    ("z-for-utc", 2, "+00:00 becomes Z", lambda v: re.sub(r"\+00:00$", "Z", v)),
    ("utc-for-z", 2, "Z becomes +00:00", lambda v: re.sub(r"(?<=\d)Z$", "+00:00", v)),
    ("no-offset", 2, "the UTC offset of a time is dropped", lambda v: re.sub(r"(?<=\d)" + _OFFSET, "", v)),
    ("no-fraction", 2, "fractions of a second are dropped", lambda v: re.sub(r"(:\d\d)\.\d+", r"\1", v)),
    ("milliseconds", 2, "fractions of a second are cut to three digits", lambda v: re.sub(r"(:\d\d\.\d{3})\d+", r"\1", v)),
    ("no-colours", 2, "terminal colours are dropped", lambda v: re.sub("\x1b\\[[0-9;]*[A-Za-z]", "", v)),
    ("word-is-null", 3, "strings such as null, None, unknown and n/a become null",
     lambda v: None if v.lower() in ("null", "none", "nil", "undefined", "unknown", "n/a", "-") else v),
    ("no-controls", 2, "control characters in text are dropped", lambda v: re.sub("[\0-\x1f\x7f-\x9f]", "", v)),
    ("no-zero-widths", 2, "zero-width characters are dropped", lambda v: re.sub("[\u200b-\u200d\ufeff\xad]", "", v)),
    ("nbsp-is-blank", 2, "a no-break space becomes a space", lambda v: v.replace("\xa0", " ")),
    ("html", 2, "&, < and quotes are escaped as in HTML", html.escape),
    ("percent-decoded", 2, "%20 and the like are decoded", urllib.parse.unquote),
    ("backslash-is-slash", 2, "a backslash becomes a slash", lambda v: v.replace("\\", "/")),
    ("no-date", 2, "a date at the end of a name is dropped", lambda v: re.sub(r"[-_]?\d{4}-?\d\d-?\d\d$", "", v)),
    ("no-version", 2, "a version at the end of a name is dropped",
     lambda v: v[:-80] + re.sub(r"([-@:]?v?\d+(\.\d+)+\S*|[-:]latest|\.git)$", "", v[-80:])),
    ("path-normalized", 2, "a path is normalized", posixpath.normpath),
)  # fmt: skip
