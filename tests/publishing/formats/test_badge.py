"""A page's badge: as shields.io takes it, and as a picture of the kit's own."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from conformance.publishing.blocks import Tone
from conformance.publishing.formats import FORMATS, rendered
from conformance.publishing.formats.badge import COLOURS, as_json, as_svg
from conformance.publishing.model import Badge, Page
from conformance.publishing.reading import PublishingError
from conformance.wire.text import harmless, printable

from .making import ATTACKS, briefs, full_page

ENDPOINT = Draft202012Validator(
    {
        "type": "object",
        "required": ["schemaVersion", "label", "message"],
        "additionalProperties": False,
        "properties": {
            "schemaVersion": {"const": 1},
            "label": {"type": "string"},
            "message": {"type": "string", "minLength": 1},
            "color": {"type": "string", "pattern": "^#[0-9a-f]{6}$"},
            "labelColor": {"type": "string", "pattern": "^#[0-9a-f]{6}$"},
            "isError": {"type": "boolean"},
            "cacheSeconds": {"type": "integer", "minimum": 300},
        },
    }
)
"""What shields.io says that its endpoint badge reads."""
SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = {"svg", "title", "linearGradient", "stop", "clipPath", "rect", "g", "text"}


def with_badge(label: str, message: str, tone: Tone) -> Page:
    return replace(full_page("x"), badge=Badge(label, message, tone))


def read(page: Page) -> ET.Element:
    text = as_svg(page)
    assert harmless(text) == text
    root = ET.fromstring(text.encode())
    assert {one.tag.removeprefix(SVG) for one in root.iter()} <= ELEMENTS
    names = {name for one in root.iter() for name in one.attrib}
    assert not any(name.startswith("on") or "href" in name for name in names)
    assert root.attrib["role"] == "img"
    title = root.find(f"{SVG}title")
    assert title is not None
    assert (title.text or "") == root.attrib["aria-label"]
    return root


@given(briefs)
def test_any_badge_is_a_document_of_its_kind(page: Page) -> None:
    ENDPOINT.validate(json.loads(as_json(page)))
    assert harmless(as_json(page)) == as_json(page)
    read(page)


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_attack_is_more_than_text(attack: str) -> None:
    page = with_badge(attack, attack, Tone.WARN)
    root = read(page)
    assert root.attrib["aria-label"] == f"{printable(attack)}: {printable(attack) or 'unknown'}"
    written = json.loads(as_json(page))
    assert written["label"] == printable(attack)


def channel(hexadecimal: str) -> float:
    share = int(hexadecimal, 16) / 255
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def contrast_to_white(colour: str) -> float:
    red, green, blue = (channel(colour[at : at + 2]) for at in (1, 3, 5))
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


@pytest.mark.parametrize("tone", list(Tone))
def test_white_letters_can_be_read_on_every_colour(tone: Tone) -> None:
    page = with_badge("harbor-0.13.1", "bytes", tone)
    fills = {one.attrib["fill"] for one in read(page).iter(f"{SVG}rect")}
    for colour in {one for one in fills if one.startswith("#") and one != "#fff"}:
        assert contrast_to_white(colour) >= 4.5
    assert COLOURS[tone] in fills


def test_only_what_is_good_is_green_and_no_address_paints_over_the_rest() -> None:
    greens = {
        tone
        for tone, colour in COLOURS.items()
        if int(colour[3:5], 16) > 30 + max(int(colour[1:3], 16), int(colour[5:], 16))
    }
    assert greens == {Tone.GOOD}
    for tone in Tone:
        written = json.loads(as_json(with_badge("a", "b", tone)))
        assert written["isError"] is (tone is not Tone.GOOD)


def test_it_is_as_wide_as_its_letters() -> None:
    narrow, wide = (int(read(with_badge("a", text, Tone.GOOD)).attrib["width"]) for text in ("iiii", "WWWW"))
    assert narrow < wide
    (middle,) = {
        one.attrib["textLength"] for one in read(with_badge("", "level bytes", Tone.GOOD)).iter(f"{SVG}text")
    }
    assert 55 <= int(middle) <= 70  # Verdana at 11 px


def test_a_page_without_a_badge_has_none_in_a_sentence() -> None:
    page = replace(full_page("x"), badge=None, kind="metric")
    for name in ("badge-json", "badge-svg"):
        assert name in FORMATS
        with pytest.raises(PublishingError, match="a report of kind metric has no badge"):
            rendered(page, name)
