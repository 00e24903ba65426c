"""Canonical JSON text: doc/formats.md, section "Fingerprint"; RFC 8785 (JSON Canonicalization Scheme)."""

from __future__ import annotations

import json
import math
from typing import Any

from .errors import Refused

ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def number_text(number: int | float) -> str:
    """Returns a number as ECMAScript writes it (RFC 8785, section 3.2.2.3).

    `repr` of Python has the same shortest digits that ECMAScript requires. Only the layout of the digits differs.
    """
    value = float(number)
    if not math.isfinite(value):
        raise Refused("a number is not finite")
    if value == 0:
        return "0"
    mantissa, _, power = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(power or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    return ("-" if value < 0 else "") + _layout(digits, point)


def _layout(digits: str, point: int) -> str:
    """Returns the value 0.DIGITS * 10^point in the layout of ECMAScript's Number::toString."""
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    exponent = f"e{point - 1:+d}"
    return digits[0] + ("." + digits[1:] if count > 1 else "") + exponent


def string_text(text: str) -> str:
    """Returns a string with the escapes of RFC 8785, section 3.2.2.2. A lone surrogate is an error."""
    if any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        raise Refused("a string contains a lone surrogate")
    return '"' + "".join(ESCAPES.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in text) + '"'


def canonical_text(value: Any) -> str:
    """Returns a JSON value as text in the form of RFC 8785: no spaces, keys in the order of UTF-16 code units."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical_text(item) for item in value) + "]"
    keys = sorted(value, key=_code_units)
    return "{" + ",".join(string_text(key) + ":" + canonical_text(value[key]) for key in keys) + "}"


def _code_units(key: str) -> bytes:
    """Returns a key as UTF-16 code units, whose order is the order of keys."""
    return key.encode("utf-16-be", "surrogatepass")


def parse_json(text: str) -> Any:
    """Returns the value of a JSON text. Repeated keys are an error (doc/spec.md, section "Keys")."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            raise Refused("an object has a repeated key")
        return result

    def constant(name: str) -> Any:
        raise Refused(f"{name} is no JSON number")

    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=constant)
    except (json.JSONDecodeError, RecursionError) as error:
        raise Refused(f"the text is not JSON: {error}") from None
