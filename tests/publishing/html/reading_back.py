"""A page read as a browser reads it: elements, ids, links; strict about nesting."""

from html.parser import HTMLParser

VOID = {"meta", "link", "input", "img", "br", "hr"}
# Elements whose end the kit leaves out, as HTML allows, and what ends them instead.
OPEN_ENDED = {
    "td": {"td", "th", "tr"},
    "th": {"td", "th", "tr"},
    "tr": {"tr"},
    "dt": {"dd", "dt"},
    "dd": {"dt", "dd"},
}
RAW = {"script", "style"}


class ReadBack(HTMLParser):
    """Ids, links, attributes and text of a page; ``faults`` says where it is not well formed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.faults: list[str] = []
        self.ids: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.shown: list[str] = []
        self.labelled: list[str] = []
        self.feed(text)
        self.close()
        while self.open and self.open[-1] in OPEN_ENDED:
            self.open.pop()
        if self.open:
            self.faults.append(f"never ended: {self.open}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        while self.open and tag in OPEN_ENDED.get(self.open[-1], ()):
            self.open.pop()
        given = dict(attrs)
        if len(given) != len(attrs):
            self.faults.append(f"an attribute twice: {self.get_starttag_text()}")
        self.tags.append((tag, given))
        if given.get("id") is not None:
            self.ids.append(str(given["id"]))
        self.labelled += (given.get("aria-labelledby") or "").split()
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open[-1] != tag and self.open[-1] in OPEN_ENDED:
            self.open.pop()
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> at {self.getpos()} within {self.open[-3:]}")
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in RAW:
            self.raw[self.open[-1]].append(data)
        else:
            self.shown.append(data)

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"a comment: {data[:40]}")

    def unknown_decl(self, data: str) -> None:
        self.faults.append(f"a declaration: {data[:40]}")

    @property
    def text(self) -> str:
        return "".join(self.shown)

    def links(self) -> list[str]:
        return [str(given["href"]) for tag, given in self.tags if tag == "a" and "href" in given]
