"""Random numbers, texts and JSON, seeded and biased to the edges where implementations differ."""

import base64
import json
import random
from collections.abc import Callable
from typing import Any

from conformance.wire.numbers import spell

__all__ = ["KEYS", "ValueGenerator"]

_INTS = (0, 1, 1, 2, 3, 5, 10, 2**31, 2**32, 2**53 - 1, 2**53, 2**53 + 1, 2**62, 2**63 - 1, 2**63, 2**64)
_HUGE: tuple[int, ...] = (2**64 + 1, 10**19, 10**22, 10**30, 10**308, 10**309, 10**400, 2**1024 - 1, 2**1024)
_FLOATS: tuple[float, ...] = (
    0.0,
    -0.0,
    1.0,
    0.1,
    0.2,
    0.3,
    0.5,
    1 / 3,
    2 / 3,
    0.7,
    0.9999999999999999,
    1.0000000000000002,
)
_FLOATS += (1e-5, 1e-7, 1e16, 1e17, 1e22, 9007199254740992.0, 9007199254740994.0, 1e100, -1e100, 1e308)
_FLOATS += (1.7976931348623157e308, 5e-324, 2.2250738585072014e-308, 9.979201547673598e291)
_NON_FINITE = ("NaN", "Infinity", "-Infinity")
KEYS: tuple[str, ...] = (
    "reward",
    "reward",
    "reward",
    "accuracy",
    "mean",
    "speed",
    "",
    "Z",
    "a",
    "é",
    "e\u0301",
    "10",
    "9",
    "１",
)
KEYS += ("\uffee", "\U00010000", "__proto__", "constructor", "key with space", "a\nb", "ß", "ẞ")
_SPACES = (
    " ",
    "\n",
    "\t",
    "\r\n",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x1f",
    "\x85",
    "\xa0",
    "\u2003",
    "\u200b",
    "\ufeff",
    "\u3000",
)
_DIGITS = ("٣", "１", "𝟏", "²", "½", "\U00011f51", "\U0001e4f1", "०", "\U00010d41", "\U000116da")
_WORDS = [
    "reward",
    "missing",
    "empty",
    "parse",
    "malformed",
    "submission",
    "code",
    "runtime",
    "broker",
    "connection",
    "refused",
    "reset",
    "error",
    "errors",
    "timeout",
    "agent",
    "verifier",
    "environment",
    "start",
    "cancelled",
    "canceled",
    "harbor",
    "failed",
    "result",
    "nonzero",
    "exit",
    "lease",
    "expired",
    "terminal",
    "bench",
    "Agent",
    "Timeout",
    "Error",
    "CancelledError",
    "VerifierTimeoutError",
    "AgentTimeoutError",
    "EnvironmentStartTimeoutError",
    "connection",
    "refused",
    "harbor_reward_empty",
    "harbor_result_missing",
    "timed_out",
    "İ",
    "ı",
    "ſ",
    "ß",
    "Σ",
    "ΟΔΟΣ",
    "ͅ",
    "ﬁ",
    "K",
    "Å",
    "Ⅷ",
    "²",
    "٣",
    "𑽑",
    "𐕰",
    "𮯰",
    "𐵐",
    "\u200b",
    "é",
    "é",
]
_ALPHABET = "0123456789+-.eE_xXnNaAiIfFtTyY,:;{}[]\"'\\/ \t\n\r\x00\x1c\x85\xa0\u0663\uff11\u2212\ufeff"


class ValueGenerator:
    """Draws values from one seeded source; the same seed draws the same on every Python."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - nothing secret here

    def chance(self, share: float) -> bool:
        """True with this probability."""
        return self._random.random() < share

    def pick(self, options: Any) -> Any:
        """One of the options."""
        return self._random.choice(options)

    def below(self, limit: int) -> int:
        """An int from 0 up to, but not, the limit."""
        return self._random.randrange(limit)

    def integer(self) -> int:
        """An int: small, near a border of some width, or huge."""
        value: int = self.pick(_HUGE) if self.chance(0.1) else self.pick(_INTS)
        if self.chance(0.2):
            value += self._random.randrange(-3, 4)
        return -value if self.chance(0.3) else value

    def double(self) -> float:
        """A finite float of any magnitude."""
        kind = self._random.randrange(4)
        if kind == 0:
            return self._random.random()
        if kind == 1:
            return float(f"{self._random.randrange(-(10**17), 10**17)}e{self._random.randrange(-340, 290)}")
        if kind == 2:
            return round(self._random.uniform(-2, 2), self._random.randrange(4))
        value: float = self.pick(_FLOATS)
        return -value if self.chance(0.3) else value

    def number(self) -> Any:
        """A protocol number: an int, a float, or the spelling of a non-finite one."""
        share = self._random.random()
        if share < 0.35:
            return self.integer()
        return self.pick(_NON_FINITE) if share > 0.97 else self.double()

    def numbers(self) -> Callable[[], Any]:
        """What draws the numbers of one list: of a kind, as a benchmark's are, or of any kind.

        Numbers of every magnitude in one list would hide what sums do: the largest, or a NaN, decides alone.
        """
        kind = self._random.randrange(12)
        if kind < 3:
            return self.number
        if kind < 5:
            base = self.pick((10, 10, 5, 20, 100, 3, 7))
            return lambda: self._random.randrange(base + 1) / base
        if kind == 5:
            return self._random.random
        if kind == 6:
            return lambda: self.pick((0, 1, 0.0, 1.0, -0.0))
        if kind == 7:
            return lambda: self._random.randrange(11) / 10 if self.chance(0.7) else self._random.randrange(3)
        if kind == 8:
            return lambda: self.pick((1, -1)) * (2**53 + self._random.randrange(-2, 3))
        if kind == 9:
            large = self.pick((1e16, 1e17, 2.0**53, 1e100, 1e308))
            return lambda: self.pick((large, -large, 1.0, 0.1, 1, -1.0))
        if kind == 10:
            return self.double
        few = [self.number() for _ in range(self.pick((2, 3)))]
        return lambda: self.pick(few)

    def rewards(self, most: int = 3, number: Callable[[], Any] | None = None) -> dict[str, Any]:
        """A rewards object, its numbers drawn by ``number``."""
        count = 1 if self.chance(0.6) else self._random.randrange(most + 1)
        draw = number or self.number
        return {self.pick(KEYS): draw() for _ in range(count)}

    def mutated(self, text: str) -> str:
        """The text, sometimes with a few characters changed."""
        return self.altered(text) if self.chance(0.35) else text

    def altered(self, text: str) -> str:
        """The text with one to three characters changed, put in or left out."""
        for _ in range(self._random.randrange(1, 4)):
            place = self._random.randrange(len(text) + 1)
            cut = place + self._random.randrange(2)
            text = text[:place] + (self.pick(_ALPHABET) if self.chance(0.7) else "") + text[cut:]
        return text

    def content(self, text: str) -> dict[str, str]:
        """The text as file content, now and then with bytes that are not UTF-8."""
        content = text.encode("utf-8", "surrogatepass")
        if self.chance(0.02):
            place = self._random.randrange(len(content) + 1)
            content = content[:place] + self._random.randbytes(1) + content[place:]
        return self.content_of(content)

    def content_of(self, content: bytes) -> dict[str, str]:
        """The bytes as file content."""
        try:
            return {"text": content.decode("utf-8")}
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(content).decode("ascii")}

    def number_text(self) -> str:
        """What a verifier may write for a number."""
        share = self._random.random()
        if share < 0.15:
            word = self.pick(
                ("inf", "nan", "infinity", "Infinity", "NaN", "INF", "true", "1e400", "0x1", "1e-400")
            )
            return str(self.pick(("", "-", "+", "--")) + word)
        if share < 0.6:
            return str(spell(self.number()))
        parts = [self.pick(("", "", "-", "+")), self.digits()]
        if self.chance(0.5):
            parts += [".", self.digits()]
        if self.chance(0.4):
            parts += [self.pick("eE"), self.pick(("", "-", "+")), str(self._random.randrange(400))]
        return "".join(parts)

    def digits(self) -> str:
        """Digits, now and then with an underscore or another script's."""
        digits = "".join(
            self.pick("0123456789") for _ in range(self._random.randrange(self.pick((2, 5, 25))))
        )
        if self.chance(0.15):
            digits += self.pick(_DIGITS)
        if self.chance(0.15):
            place = self._random.randrange(len(digits) + 1)
            digits = digits[:place] + "_" + digits[place:]
        return digits

    def reward_text(self) -> str:
        """The text of a reward.txt."""
        before, after = (
            "".join(self.pick(_SPACES) for _ in range(self._random.randrange(3))) for _ in range(2)
        )
        text = self.number_text()
        return self.mutated(before + text + after if self.chance(0.4) else text + self.pick(("", "\n")))

    def json_text(self, value: Any) -> str:
        """JSON as verifiers write it, and as they should not."""
        if isinstance(value, dict):
            members = [(key, self.json_text(item)) for key, item in value.items()]
            if members and self.chance(0.08):
                members.append((self.pick(members)[0], self.json_text(self.json_value(2))))
            space = self.pick(("", " ", "\n  ")) if self.chance(0.3) else " "
            return (
                "{"
                + ",".join(
                    f"{space}{json.dumps(k, ensure_ascii=self.chance(0.5))}:{space}{v}" for k, v in members
                )
                + "}"
            )
        if isinstance(value, list):
            return "[" + ", ".join(map(self.json_text, value)) + "]"
        if isinstance(value, str) and value in _NON_FINITE and self.chance(0.7):
            return value
        return json.dumps(value)

    def json_value(self, depth: int = 0) -> Any:
        """A value that JSON can hold, or the spelling of a non-finite number."""
        share = self._random.random()
        if share < 0.55:
            return self.number()
        if share < 0.7:
            return self.reward_text()
        if share < 0.85:
            return self.pick((True, False, None, "", "pass", [], {}))
        if depth > 2:
            return 0
        return [self.json_value(depth + 1)] if self.chance(0.5) else {"k": self.json_value(depth + 1)}

    def text(self) -> str:
        """Words of the reason matcher, joined in some way."""
        joint = self.pick((" ", "_", "-", "", "\n", "\xa0", "/", ": "))
        words = [self.pick(_WORDS) for _ in range(self._random.randrange(6))]
        text = str(joint).join(word.upper() if self.chance(0.1) else word for word in words)
        return self.mutated(text)
