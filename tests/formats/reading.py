"""Pages read back as their readers do: each format's own rules, held to by whatever the kit writes."""

import base64
import hashlib
import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import cmarkgfm
import comrak
import pytest
from cmarkgfm.cmark import Options
from jsonschema import Draft202012Validator

from conformance.wire.text import harmless

VOID = {"meta", "link", "input", "img", "br", "hr"}
_CELLS = {"td", "th", "tr"}
OPEN_ENDED = {"td": _CELLS, "th": _CELLS, "tr": {"tr"}, "dt": {"dd", "dt"}, "dd": {"dt", "dd"}}
"""Elements whose end the kit leaves out, as HTML allows, and what ends them instead."""
RAW = {"script", "style"}
MOST_HTML, MOST_MARKDOWN = 2_000_000, 60_000


class ReadBack(HTMLParser):
    """Ids, links, attributes and text of an HTML page; ``faults`` says where it is not well formed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.faults: list[str] = []
        self.ids: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.shown: list[str] = []
        self.outside = [""]  # of code, a text between two tags
        self.declared: list[str] = []
        self.feed(text)
        self.close()
        while self.open and self.open[-1] in OPEN_ENDED:
            self.open.pop()
        if self.open:
            self.faults.append(f"never ended: {self.open}")
        self.text = "".join(self.shown)
        self.elements = {tag for tag, _ in self.tags}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        while self.open and tag in OPEN_ENDED.get(self.open[-1], ()):
            self.open.pop()
        given = dict(attrs)
        if len(given) != len(attrs):
            self.faults.append(f"an attribute twice: {self.get_starttag_text()}")
        self.tags.append((tag, given))
        self.outside.append("")
        if given.get("id") is not None:
            self.ids.append(str(given["id"]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.outside.append("")
        while self.open and self.open[-1] != tag and self.open[-1] in OPEN_ENDED:
            self.open.pop()
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> at {self.getpos()} within {self.open[-3:]}")
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in RAW:
            self.raw[self.open[-1]].append(data)
            return
        self.shown.append(data)
        if not {"code", "pre"} & set(self.open):
            self.outside[-1] += data

    def handle_decl(self, decl: str) -> None:
        self.declared.append(decl)

    def handle_comment(self, data: str) -> None:
        self.declared.append(data)
        self.faults.append(f"a comment or declaration: {data[:40]}")

    unknown_decl = handle_pi = handle_comment


_ATTRIBUTES = """
id class href name content value title d x y width height fill x1 x2 y1 y2 cx cy r lang translate charset
http-equiv property rel type role tabindex scope colspan open hidden checked autocomplete spellcheck
placeholder data-whole viewbox patternunits patterntransform focusable preserveaspectratio fill-opacity
"""
ATTRIBUTES = frozenset(_ATTRIBUTES.split())
NO_TAGS = {"iframe", "object", "embed", "img", "form", "base", "audio", "video", "use", "image"}


def read_html(text: str) -> ReadBack:
    """Well formed, alone, harmless, bounded: nothing is loaded, and nothing runs but the kit's own."""
    back = ReadBack(text)
    assert back.faults == []
    assert len(back.ids) == len(set(back.ids))
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9._-]*", each) for each in back.ids)
    links = [str(given["href"]) for tag, given in back.tags if tag == "a" and "href" in given]
    named = [name for _, given in back.tags for name in (given.get("aria-labelledby") or "").split()]
    assert all(link.startswith("#") for link in links)
    patterns = re.findall(r'fill="url\(#([^)]+)\)"', text)
    assert {*(link[1:] for link in links), *named, *patterns} <= set(back.ids)
    policy = next(given["content"] for tag, given in back.tags if tag == "meta" and "http-equiv" in given)
    style, script = (
        base64.b64encode(hashlib.sha256("".join(back.raw[kind]).encode()).digest()).decode()
        for kind in ("style", "script")
    )
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert [tag for tag, _ in back.tags if tag in RAW] in (["style", "script"], ["script", "style"])
    for tag, given in back.tags:
        assert tag not in NO_TAGS
        for name, value in given.items():
            assert name in ATTRIBUTES or name.startswith("aria-"), (tag, given)
            assert name != "href" or str(value).startswith(("#", "data:image/svg+xml,"))
    assert not re.search(r"@import|url\(", back.raw["style"][0])
    assert all(char.isprintable() or char in "\n\t" for char in text)
    assert len(text.encode("utf-8")) <= MOST_HTML
    said = {g.get("name") or g.get("property"): g.get("content") for t, g in back.tags if t == "meta"}
    assert said["description"] == said["og:description"] != ""
    assert said["referrer"] == "no-referrer"
    return back


_OURS = "h2 h3 p strong ul ol li hr code pre details summary table thead tbody tr th td"
OURS = frozenset(_OURS.split())
_EXTENSIONS = """
alerts autolink block_directive description_lists footnotes highlight insert math_code math_dollars
math_latex multiline_block_quotes shortcodes spoiler strikethrough table tasklist wikilinks_title_before_pipe
"""
FORGES = re.compile(
    r"(?:^|[^a-z0-9_])@[a-z0-9]|://|(?:^|[^a-z0-9])www\.|[\w.+-]+@[\w-]+\.\w|mailto:"
    r"|(?:^|\W)#\d|\w/\w+#\d|\bgh-\d|(?:^|\s)[!&~%]\w|\$"
    r"|:[+-]1:|:[a-z_]+:|\[\[|(?:^|[\s(.\[{:])[0-9a-f]{7,40}\b",
    re.IGNORECASE | re.ASCII | re.MULTILINE,
)
"""What GitHub and GitLab act on in text that is no code, as they document it."""


def on_github(text: str) -> ReadBack:
    """As GitHub's parser renders it, with all that its extensions add, and no HTML left out."""
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES
    names = ["table", "autolink", "strikethrough", "tasklist"]
    return ReadBack(cmarkgfm.markdown_to_html_with_extensions(text, options=options, extensions=names))


def on_gitlab(text: str) -> ReadBack:
    """As GitLab's parser renders it, with all the extensions that GitLab uses or might."""
    extensions, parsing, rendering = comrak.ExtensionOptions(), comrak.ParseOptions(), comrak.RenderOptions()
    for name in _EXTENSIONS.split():
        setattr(extensions, name, True)
    parsing.relaxed_autolinks = True
    rendering.unsafe_ = True
    return ReadBack(comrak.render_markdown(text, extensions, parsing, rendering))


def inert_on_forges(text: str) -> None:
    for read in (on_github(text), on_gitlab(text)):
        assert read.elements <= OURS
        ours = r"class=language-sh|lang=sh|align=right|style=text-align:right|start=\d+"
        attributes = [f"{name}={value}" for _, given in read.tags for name, value in given.items()]
        assert all(re.fullmatch(ours, one) for one in attributes), attributes
        assert read.declared == []
        for part in read.outside:
            assert FORGES.search(part) is None, part


def read_markdown(text: str) -> str:
    """The only elements are ours, no text acts, and it has room in a comment."""
    inert_on_forges(text)
    assert re.search(r"^/\w", text, re.MULTILINE) is None
    assert len(text.encode()) <= MOST_MARKDOWN
    inert(text)
    return on_github(text).text


def inert(text: str) -> None:
    """Nothing that a terminal or a CI system would act on."""
    assert harmless(text) == text
    assert all(char.isprintable() or char == "\n" for char in text)
    text.encode("utf-8")


def read_text(text: str) -> str:
    inert(text)
    assert text[0] != "\n"
    assert text.endswith("\n")
    return text


def laid_out(text: str) -> None:
    """The verdict is at both ends, and no line is wider than asked but for commands."""
    lines = text.splitlines()
    verdict = lines[1].split(": ")[0]
    assert any(line.startswith(verdict[:60]) for line in lines[-4:])
    assert max(len(one) for one in lines if "repeat:" not in one) <= 100


SUITES = {"name", "tests", "failures", "errors", "time"}
RESULTS = {"failure": {"message", "type"}, "error": {"message", "type"}, "skipped": {"message"}}


def read_junit(text: str) -> ET.Element:
    """The document, held to what Jenkins' schema and GitLab's reader ask for, and its own counts."""
    root = ET.fromstring(text.encode())
    inert(text)
    assert root.tag == "testsuites"
    assert set(root.attrib) == SUITES
    for suite in root:
        assert suite.tag == "testsuite"
        assert set(suite.attrib) == SUITES | {"skipped"}
        assert suite.attrib["name"]
        cases = [one for one in suite if one.tag != "properties"]
        for case in cases:
            assert case.tag == "testcase"
            assert set(case.attrib) == {"name", "classname", "time"}
            assert re.fullmatch(r"\d+\.\d{6}", case.attrib["time"])
            assert len(case) <= 1
            assert all(set(one.attrib) == RESULTS[one.tag] and len(one) == 0 for one in case)
    for each in [*root, root]:
        cases = list(each.iter("testcase"))
        assert int(each.attrib["tests"]) == len(cases)
        for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(each.attrib.get(count, -1)) in (-1, sum(len(case.findall(tag)) for case in cases))
        seconds = sum(float(case.attrib["time"]) for case in cases)
        assert float(each.attrib["time"]) == pytest.approx(seconds, abs=1e-3)  # each is rounded
    return root


def failing(root: ET.Element) -> list[str]:
    bad = {"failure", "error"}
    return [str(case.get("name")) for case in root.iter("testcase") if bad & {one.tag for one in case}]


COLOUR = {"type": "string", "pattern": "^#[0-9a-f]{6}$"}
MEMBERS = {
    "schemaVersion": {"const": 1},
    "label": {"type": "string"},
    "message": {"type": "string", "minLength": 1},
    "color": COLOUR,
    "labelColor": COLOUR,
    "isError": {"type": "boolean"},
    "cacheSeconds": {"type": "integer", "minimum": 300},
}
REQUIRED = ["schemaVersion", "label", "message"]
ENDPOINT = Draft202012Validator({"required": REQUIRED, "additionalProperties": False, "properties": MEMBERS})
"""What shields.io says that its endpoint badge reads."""
SVG = "{http://www.w3.org/2000/svg}"
DRAWN = {"svg", "title", "linearGradient", "stop", "clipPath", "rect", "g", "text"}


def contrast_to_white(colour: str) -> float:
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in shares)
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def green(colour: str) -> bool:
    red, middle, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return middle > 30 + max(red, blue)


def read_badges(as_json: str, as_svg: str) -> dict[str, str]:
    """The badge as shields.io takes it, and the picture of the kit's own, which say the same."""
    told: dict[str, str] = json.loads(as_json)
    ENDPOINT.validate(told)
    inert(as_json)
    inert(as_svg)
    root = ET.fromstring(as_svg.encode())
    assert {one.tag.removeprefix(SVG) for one in root.iter()} <= DRAWN
    assert not any(name.startswith("on") or "href" in name for one in root.iter() for name in one.attrib)
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == root.findtext(f"{SVG}title") == f"{told['label']}: {told['message']}"
    fills = {one.attrib["fill"] for one in root.iter(f"{SVG}rect")}
    assert told["color"] in fills
    assert all(contrast_to_white(one) >= 4.5 for one in fills if one.startswith("#") and one != "#fff")
    assert bool(told["isError"]) is not green(told["color"])
    return told


def unescaped(text: str, *pairs: tuple[str, str]) -> str:
    for code, char in pairs:
        text = text.replace(code, char)
    return text


Command = tuple[str, dict[str, str], str]


def github(line: str) -> Command | None:
    """The command of a line, as the runner of GitHub Actions reads it (ActionCommand.TryParseV2, then V1)."""
    started = line.lstrip()
    lines = (("%0D", "\r"), ("%0A", "\n"))
    if started.startswith("::") and (end := started.find("::", 2)) >= 0:
        name, _, given = started[2:end].strip().partition(" ")
        pairs = [part.split("=", 1) for part in given.strip().split(",") if "=" in part]
        last = (("%3A", ":"), ("%2C", ","), ("%25", "%"))
        options = {key: unescaped(value, *lines, *last) for key, value in pairs}
        return name, options, unescaped(started[end + 2 :], *lines, ("%25", "%"))
    if (start := line.find("##[")) >= 0 and (end := line.find("]", start)) >= 0:
        return line[start + 3 : end].partition(" ")[0], {}, line[end + 1 :]
    return None


def azure(line: str) -> Command | None:
    """The command of a line, as the agent of Azure Pipelines reads it: anywhere in it."""
    if (start := line.find("##vso[")) < 0 or (end := line.find("]", start)) < 0:
        return None
    name, _, given = line[start + 6 : end].partition(" ")
    codes = (("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%5D", "]"), ("%AZP25", "%"))
    pairs = [part.split("=", 1) for part in given.split(";") if "=" in part]
    data = unescaped(line[end + 1 :], ("%0D", "\r"), ("%0A", "\n"), ("%AZP25", "%"))
    return name, {key: unescaped(value, *codes) for key, value in pairs}, data


def read_annotations(text: str) -> list[Command]:
    """What a CI system shows beside a change: annotations alone, ten at most."""
    found = []
    for line in text.splitlines():
        assert line.isprintable()
        read = github(line) if line.startswith("::") else azure(line)
        assert read is not None
        name, options, data = read
        assert name in ("error", "warning", "notice", "task.logissue")
        assert set(options) <= {"file", "line", "title", "type", "sourcepath", "linenumber"}
        assert data
        for later in (line[2:], *data.split("\n")):
            assert "##[" not in later
            assert azure(later) is None
            assert not re.match(r"\s*::\w", later)
        found.append(read)
    assert len(found) <= 10
    return found


CTRF = Draft202012Validator(json.loads(Path(__file__).with_name("ctrf.schema.json").read_text("utf-8")))
"""What the format's own schema asks for, of the members that the kit writes."""


def read_ctrf(text: str) -> None:
    """As its schema has it, and its own counts."""
    inert(text)
    told = json.loads(text)
    CTRF.validate(told)
    statuses = Counter(one["status"] for one in told["results"]["tests"])
    summary = told["results"]["summary"]
    for name in ("passed", "failed", "skipped", "pending", "other"):
        assert summary[name] == statuses[name]
    assert summary["tests"] == statuses.total()


def read_log(text: str) -> str:
    assert len(text.splitlines()) <= 60
    return read_text(text)


READERS: dict[str, Callable[[str], object]] = {
    "text": read_text, "log": read_log, "markdown": read_markdown, "html": read_html, "junit": read_junit,
    "ctrf": read_ctrf,
}  # fmt: skip


def read_all(pages: dict[str, str]) -> None:
    for name, read in READERS.items():
        read(pages[name])
    if "badge-json" in pages:
        read_badges(pages["badge-json"], pages["badge-svg"])
