"""Mistakes in what the steps of a task may be called."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.variant import Variant
from reference_impl import errors
from reference_impl.harbor_0_25_0 import step_names

__all__: list[str] = []

Names = Iterable[str]
Validate = Callable[[Names], None]
Test = Callable[[str], bool]
_PORTABLE, _UNIQUE = "003-4.5-step-names-portable", "003-4.5-step-names-unique"
in_names = family("multi_step_reward", of=step_names.validate_step_names, clause=_UNIQUE)
in_portable = family("multi_step_reward", of=step_names._is_portable, clause=_PORTABLE)


@in_names.wrapped(clause=_PORTABLE, invited_by="harbor before 0.23.0")
def any_step_name_is_taken(validate: Validate, names: Names) -> None:
    """Steps may have any names. So it was before harbor 0.23.0."""


@in_names.wrapped(invited_by="checking each name by itself")
def step_names_may_repeat(validate: Validate, names: Names) -> None:
    """Two steps may have one name. Each name is looked at by itself."""
    for name in names:
        validate([name])


@way("multi_step_reward", clause=_UNIQUE)
def compared_by(reference: Variant, key: Callable[[str], Any]) -> None:
    """Names are one where ``key`` gives the same."""
    validate = reference.get(step_names.validate_step_names)

    def compare(names: Names) -> None:
        seen = set()
        for name in names:
            validate([name])
            if key(name) in seen:
                validate([name, name])
            seen.add(key(name))

    reference.replace(step_names.validate_step_names, compare)


@compared_by.made(invited_by="a set of the names")
def step_names_are_compared_as_written(name: str) -> str:
    """Step names are compared as they are written. Two texts are one or they are not."""
    return name


@compared_by.made(invited_by="str.lower")
def step_names_are_compared_in_lower_case(name: str) -> str:
    """Step names are compared in lower case, which keeps ß and ligatures. Lower case is taken for folding."""
    return unicodedata.normalize("NFC", name).lower()


@compared_by.made(invited_by="unicodedata alone")
def step_names_are_compared_with_their_case(name: str) -> str:
    """Step names are compared in normal form and with their case. Most file systems keep it."""
    return unicodedata.normalize("NFC", name)


@compared_by.made(invited_by="str.casefold alone")
def step_names_are_not_normalised(name: str) -> str:
    """Step names are compared without normal form. Folding is taken for all there is."""
    return name.casefold()


@compared_by.made(invited_by="NFKC, identifiers")
def step_names_are_compared_in_compatible_form(name: str) -> str:
    """Step names are compared in compatible form, where full-width digits are digits. Forms are forms."""
    return unicodedata.normalize("NFKC", name).casefold()


@compared_by.made(invited_by="strip()")
def step_names_are_trimmed_to_be_compared(name: str) -> str:
    """Step names are compared without the space around them. It is not seen."""
    return unicodedata.normalize("NFC", name.strip()).casefold()


@compared_by.made(invited_by="ECMAScript, simple case folding")
def step_names_are_folded_letter_by_letter(name: str) -> str:
    """Step names are folded letter by letter, one for one. The dotted capital I becomes an i."""
    return "".join(letter.casefold()[0] for letter in unicodedata.normalize("NFC", name))


@in_names.wrapped(invited_by="itertools.pairwise, uniq")
def neighbouring_step_names_are_compared(validate: Validate, names: Names) -> None:
    """Only neighbouring steps are compared. A list is gone through in pairs."""
    listed = [*names]
    for index, name in enumerate(listed):
        validate([*listed[max(index - 1, 0) : index], name])


@in_names.wrapped(clause=_PORTABLE, invited_by="raise ValueError")
def bad_step_names_are_a_value_error(reference: Variant, validate: Validate, names: Names) -> None:
    """A bad step name is a ValueError. It is what Python raises for a value."""
    try:
        validate(names)
    except reference.its(errors.ValidationError) as error:
        raise ValueError("a step's name") from error


@in_names.wrapped(clause=_PORTABLE, invited_by="names that are looked at as folders are made")
def first_step_name_alone_is_looked_at(validate: Validate, names: Names) -> None:
    """Only the first step's name is looked at. The others are, as their folders are made."""
    validate([*names][:1])


@in_names.wrapped(clause=_PORTABLE, invited_by="strip()")
def step_names_are_trimmed(validate: Validate, names: Names) -> None:
    """Step names are trimmed before they are looked at. Space around a name is a slip."""
    validate([name.strip(" ") or name for name in names])


@in_portable.wrapped(invited_by=r"\w+, slugs")
def step_names_are_identifiers(test: Test, name: str) -> bool:
    """A step's name is made of letters, digits, points, hyphens and underscores. That is always safe."""
    return test(name) and re.fullmatch(r"[\w.-]+", name) is not None


@in_portable.wrapped(invited_by="ASCII patterns")
def step_names_are_ascii(test: Test, name: str) -> bool:
    """A step's name is ASCII. That is always safe."""
    return test(name) and name.isascii()


@in_portable.wrapped(invited_by="hidden files, slugs")
def step_names_have_no_leading_point(test: Test, name: str) -> bool:
    """A step's name has no point in front. It would be a hidden folder."""
    return test(name) and not name.startswith(".")


@in_portable.wrapped(invited_by="name != name.strip()")
def step_names_have_no_leading_space(test: Test, name: str) -> bool:
    """A step's name has no space in front. Space at either end is refused alike."""
    return test(name) and not name.startswith(" ")


@in_portable.wrapped(invited_by="str.isprintable")
def step_names_are_printable(test: Test, name: str) -> bool:
    """A step's name is printable throughout. Control characters beyond U+007F are some, too."""
    return test(name) and name.isprintable()


@in_portable.wrapped(invited_by="startswith(('CON', 'NUL'))")
def step_names_have_no_device_in_front(test: Test, name: str) -> bool:
    """A step's name begins with no device's. A prefix is compared, not what is in front of the point."""
    return test(name) and not name.upper().startswith(("CON", "PRN", "AUX", "NUL"))


@in_portable.wrapped(invited_by="COM0 to COM9")
def com0_is_a_device(test: Test, name: str) -> bool:
    """COM0 and LPT0 are devices. The ports are counted from zero."""
    return test(name) and name.partition(".")[0].upper() not in ("COM0", "LPT0")


@in_portable.wrapped(invited_by="len(name) < 255")
def step_names_are_shorter_than_255_bytes(test: Test, name: str) -> bool:
    """A step's name of 255 bytes is too long. The limit is taken for the first that is refused."""
    return test(name) and len(name.encode("utf-8")) < 255


@in_portable.wrapped(invited_by="four bytes to the character")
def step_names_are_at_most_63_characters(test: Test, name: str) -> bool:
    """A step's name beyond ASCII has at most 63 characters. Four bytes are counted for each."""
    return test(name) and (name.isascii() or len(name) <= 63)


@way("multi_step_reward", clause=_PORTABLE)
def allowed(reference: Variant, mended: Callable[[str], str]) -> None:
    """Names are looked at as ``mended`` makes them: what it takes away is never refused."""
    test = reference.get(step_names._is_portable)
    reference.replace(step_names._is_portable, lambda name: test(mended(name)))


@allowed.made(invited_by="len()")
def step_names_are_measured_in_characters(name: str) -> str:
    """A step's name may have 255 characters, of any number of bytes. Text is measured in characters."""
    return "x" * len(name) if len(name) > 80 else name


@allowed.made(invited_by="no limit")
def step_names_are_of_any_length(name: str) -> str:
    """A step's name may be of any length. Nobody writes long ones."""
    return name[:80]


@allowed.made(invited_by="len(name) <= 256")
def step_names_may_have_256_bytes(name: str) -> str:
    """A step's name may have 256 bytes. The limit is taken for a power of two."""
    return name[:-1] if len(name.encode("utf-8", "replace")) == 256 else name


@allowed.made(invited_by="POSIX")
def step_names_may_be_devices(name: str) -> str:
    """A step may be called as a device of Windows. There are none on other systems."""
    first, point, rest = name.partition(".")
    return f"{first}_{point}{rest}" if step_names._DEVICE.fullmatch(first.rstrip(" ")) else name


@allowed.made(invited_by="a set of names in capitals")
def devices_are_in_capitals(name: str) -> str:
    """Only a device in capitals is one. A list has them so."""
    return name if name == name.upper() else f"_{name}" if not name.startswith((".", " ")) else name


@allowed.made(invited_by="name in DEVICES")
def devices_have_no_extension(name: str) -> str:
    """A device with an extension is a good name. The whole name is compared."""
    first, point, rest = name.partition(".")
    return f"_{name}" if point and rest and first.strip() else name


@allowed.made(invited_by="os.path.splitext")
def devices_are_in_front_of_the_last_point(name: str) -> str:
    """A device is looked for in front of the last point. The extension is taken off there."""
    first, _, rest = name.rpartition(".")
    return f"_{name}" if "." in first and rest and first.strip(".") else name


@allowed.made(invited_by="[1-9]")
def devices_end_in_ascii_digits(name: str) -> str:
    """Ports with a superscript digit are no devices. Digits are ASCII."""
    return re.sub("[¹²³]", "_", name)


@allowed.made(invited_by="the short list of devices")
def console_buffers_are_no_devices(name: str) -> str:
    """CONIN$ and CONOUT$ are good names. The usual list of devices is shorter."""
    return name.replace("$", "_")


@allowed.made(invited_by="str.upper, ASCII")
def devices_are_compared_in_ascii(name: str) -> str:
    """A dotless i is no i in a device's name. Case is ignored in ASCII alone."""
    return name.replace("\u0131", "_").replace("\u0130", "_")


@allowed.made(invited_by="partition without rstrip")
def devices_have_no_space_behind(name: str) -> str:
    """A device with a space in front of its extension is a good name. It is compared as it stands."""
    return name.replace(" .", "_.")


@allowed.made(invited_by="name.strip() with ASCII space")
def other_white_space_is_no_blank(name: str) -> str:
    """A name of an ideographic space is not blank. Only ASCII space is."""
    return name.replace("\u3000", "_")


@allowed.made(invited_by="if not name")
def blank_is_not_empty(name: str) -> str:
    """A blank name is refused only where it is empty or ends in a space. It is not empty."""
    return name if name.strip() or not name or name.endswith(" ") else "_"


def _put(reference: Variant, characters: str) -> None:
    table = str.maketrans(dict.fromkeys(characters, "_"))
    allowed(reference, lambda name: name.translate(table))


@in_portable.each(
    Case("step-names-may-have-slashes", "a slash in a step's name is good", "Folders nest.", "paths", "/"),
    Case(
        "step-names-may-have-backslashes",
        "a backslash in a step's name is good",
        "It separates nothing on POSIX.",
        "POSIX",
        "\\",
    ),
    Case("step-names-may-have-colons", "a colon in a step's name is good", "POSIX has it.", "POSIX", ":"),
    Case("step-names-may-have-stars", "a star in a step's name is good", "POSIX has it.", "POSIX", "*"),
    Case(
        "step-names-may-have-question-marks",
        "a question mark in a step's name is good",
        "POSIX has it.",
        "POSIX",
        "?",
    ),
    Case("step-names-may-have-quotes", "quotes in a step's name are good", "POSIX has them.", "POSIX", '"'),
    Case(
        "step-names-may-have-angle-brackets",
        "angle brackets in a step's name are good",
        "POSIX has them.",
        "POSIX",
        "<>",
    ),
    Case("step-names-may-have-bars", "a bar in a step's name is good", "POSIX has it.", "POSIX", "|"),
    Case(
        "step-names-may-have-control-characters",
        "control characters in a step's name are good",
        "Nobody sees them.",
        "POSIX",
        "".join(map(chr, range(1, 32))),
    ),
    Case(
        "step-names-may-have-del", "U+007F in a step's name is good", "It is not below 32.", "< 0x20", "\x7f"
    ),
)
def characters_allowed(reference: Variant, characters: str) -> None:
    """These characters are good in a step's name."""
    _put(reference, characters)


@in_portable.each(
    Case(
        "step-names-may-end-in-a-point",
        "a point at the end of a step's name is good",
        "Only `.` and `..` lead elsewhere.",
        "POSIX",
        ".",
    ),
    Case(
        "step-names-may-end-in-a-space",
        "a space at the end of a step's name is good",
        "Only a blank name is empty.",
        "POSIX",
        " ",
    ),
)
def end_allowed(reference: Variant, character: str) -> None:
    """This character is good at the end of a step's name."""
    allowed(reference, lambda name: f"{name}_" if name.endswith(character) and name.strip(". ") else name)
