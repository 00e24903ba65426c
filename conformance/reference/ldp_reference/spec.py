"""Specs and records: doc/spec.md, sections "Keys", "Strings, and labels outside the domain" and "Several answers"."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from .binary import Reader
from .block import NUMBERS, REPORT, Block, read_block
from .errors import Refused, Unsupported
from .fingerprint import fingerprint
from .mechanisms import mechanism_of
from .mechanisms.base import Input, Mechanism
from .mechanisms.label_sets import set_code
from .mechanisms.strings import GOLDEN, mix
from .responses import grid_point
from .words import MASK, Words

SHORT_MARK = "\u0003"  # ends the label of a string that is shorter than the prefix
ATTRIBUTE_KEYS = (
    "domain min max circular several most missing strings bins edges other prefix missing_label question unit scale display"
).split()
NO_NUMBER = math.nan


@dataclass(frozen=True)
class LabelSet:
    """The labels of a person, as numbers in ascending order."""

    labels: tuple[int, ...]


Encoded = int | float | LabelSet  # a code; a position on a grid (NaN for no number); a set of labels


def expand(spec: dict[str, Any]) -> dict[str, Any]:
    """Returns a spec without the short form ("Short form"), and with its version. Other defaults are not filled in."""
    result = {"version": 1} | spec
    if "attributes" not in result:
        own = {key: result.pop(key) for key in ATTRIBUTE_KEYS if key in result}
        result["attributes"] = [{"name": "value"} | own]
    return result


@dataclass(frozen=True)
class Attribute:
    """One input of a mechanism: an attribute of the spec, or an element of a vector."""

    name: str
    keys: dict[str, Any] = field(repr=False)

    @property
    def labels(self) -> list[str] | None:
        """Returns the labels of a category; None for numbers and strings."""
        domain = self.keys.get("domain")
        if isinstance(domain, list):
            return domain
        if domain is not None:
            return [str(value) for value in range(domain)]
        edges = self.keys.get("edges")
        if edges is None:
            return None
        bounds = [bound_text(bound) for bound in (self.keys["min"], *edges, self.keys["max"])]
        return [f"[{a}, {b})" for a, b in zip(bounds[:-2], bounds[1:])] + [f"[{bounds[-2]}, {bounds[-1]}]"]

    def encode(self, value: Any, own: Input) -> Encoded:
        """Returns the code of a value, or the position of a number on the grid of `own`."""
        if "strings" in self.keys:
            return string_code("" if value is None else value, self.keys["strings"])
        if "domain" in self.keys:
            return self._set(value) if self.keys.get("several") else self.category(value)
        number = self.number(value)
        if "edges" in self.keys:
            if math.isnan(number):
                raise Refused(f"{self.name} has no number")
            return bisect.bisect_right(self.keys["edges"], number)
        if math.isnan(number) and not own.missing:
            raise Refused(f"{self.name} has no number")
        if own.range is None:  # the points of an ordered category
            raise Refused(f"{self.name} is no number in the block")
        low, high = own.range
        return (min(max(number, low), high) - low) / (high - low) * own.steps

    def number(self, value: Any) -> float:
        """Returns a finite number, or NaN for a missing one."""
        if value is None or value == "":
            return NO_NUMBER
        if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isinf(value):
            raise Refused(f"{self.name} is no finite number")
        return float(value)

    def category(self, value: Any) -> int:
        """Returns the number of the value of a category."""
        domain = self.keys["domain"]
        if not isinstance(domain, list):
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < domain:
                raise Refused(f"{self.name} has no value {value!r}")
            return value
        if value is None or value == "":
            value = self.keys.get("missing_label", "")
        elif "prefix" in self.keys and isinstance(value, str):
            value = value[: self.keys["prefix"]] if len(value) >= self.keys["prefix"] else value + SHORT_MARK
        if value not in domain:
            value = self.keys.get("other")
        if value not in domain:
            raise Refused(f"{self.name} has no such label")
        return domain.index(value)

    def _set(self, value: Any) -> LabelSet:
        if value is None:
            value = []
        elif isinstance(value, str):
            value = [label for label in value.removesuffix(";").split(";")] if value else []
        if not isinstance(self.keys["domain"], list):
            value = [int(label) if isinstance(label, str) and label.isdigit() else label for label in value]
        return LabelSet(tuple(sorted({self.category(label) for label in value})))


def bound_text(bound: float) -> str:
    """Returns the boundary of a bin in its label: the shortest digits, in the shorter of fixed and scientific form."""
    digits, exponent = f"{Decimal(repr(float(bound))).normalize():e}".split("e")
    scientific = f"{digits}e{int(exponent):+03d}"
    fixed = f"{Decimal(repr(float(bound))):f}".removesuffix(".0")
    return scientific if len(scientific) < len(fixed) else fixed


def string_code(text: Any, keys: dict[str, Any]) -> int:
    """Returns the code of a text (doc/formats.md, "`strings`")."""
    if not isinstance(text, str):
        raise Refused("a string is no text")
    alphabet = {character: index + 1 for index, character in enumerate(sorted(alphabet_of(keys["alphabet"])))}
    if keys.get("lowercase"):
        text = "".join(character.lower() if "A" <= character <= "Z" else character for character in text)
    code = 0
    for character in text[: keys["max_length"]].ljust(keys["max_length"], "\0"):
        if character != "\0" and character not in alphabet:
            character = keys.get("other", "")
            if not character:
                raise Refused("a string has a character outside the alphabet")
        code = code * (len(alphabet) + 1) + (0 if character == "\0" else alphabet[character])
    return code


def alphabet_of(text: str) -> set[str]:
    """Returns the characters of an alphabet: single ones, and ascending ranges. A hyphen at an end is a character."""
    characters: set[str] = set()
    index = 0
    while index < len(text):
        if index + 2 < len(text) and text[index + 1] == "-":
            if ord(text[index]) >= ord(text[index + 2]):
                raise Refused("a range of the alphabet does not ascend")
            characters |= {chr(code) for code in range(ord(text[index]), ord(text[index + 2]) + 1)}
            index += 3
        else:
            characters.add(text[index])
            index += 1
    return characters


def attributes_of(spec: dict[str, Any]) -> list[Attribute]:
    """Returns the inputs of the mechanism in order. A vector gives one for each element."""
    result = []
    for keys in spec["attributes"]:
        if "bins" in keys and "edges" not in keys:
            raise Refused("the spec is not canonical: it has bins instead of edges")
        vector = keys.get("vector")
        if vector is None:
            result.append(Attribute(keys["name"], keys))
            continue
        elements = vector if isinstance(vector, list) else [str(index) for index in range(vector)]
        result += [Attribute(f"{keys['name']}.{element}", keys) for element in elements]
    return result


@dataclass(frozen=True)
class Collection:
    """A canonical spec with its fingerprint, block and mechanism."""

    spec: dict[str, Any] = field(repr=False)
    fingerprint: bytes
    block: Block
    mechanism: Mechanism
    attributes: list[Attribute]

    def codes(self, record: dict[str, Any], words: Words) -> list[int]:
        """Returns the input codes of a record (doc/draws.md, "From values to input codes").

        Numbers are rounded at random, in the order of the attributes. Then sets that are too large are cut.
        """
        inputs = self.mechanism.inputs()
        known = {attribute.name for attribute in self.attributes if "product" not in attribute.keys}
        if unknown := sorted(set(record) - known):
            raise Refused(f"the record has the unknown attribute {unknown[0]}")
        pairs = list(zip(self.attributes, inputs))
        values = [attribute.encode(self._value(attribute, record), own) for attribute, own in pairs]
        order = sorted(range(len(values)), key=lambda index: isinstance(values[index], LabelSet))
        codes = {index: code_of(values[index], *pairs[index], words) for index in order}
        return [codes[index] for index in range(len(values))]

    def _value(self, attribute: Attribute, record: dict[str, Any]) -> Any:
        """Returns the value of an attribute in a record. Products are computed ("`product`")."""
        if "product" not in attribute.keys:
            return record.get(attribute.name)
        first, second = attribute.keys["product"]
        return self._factor(first, record) * self._factor(second, record)

    def _factor(self, factor: str | dict[str, str], record: dict[str, Any]) -> float:
        """Returns a factor: a number minus the middle of its range, or the indicator of a value."""
        by_name = {attribute.name: attribute for attribute in self.attributes}
        if isinstance(factor, dict):
            ((name, label),) = factor.items()
            keys = by_name[name]
            return float((keys.labels or [])[keys.category(record.get(name))] == label)
        low, high = by_name[factor].keys["min"], by_name[factor].keys["max"]
        number = min(max(by_name[factor].number(record.get(factor)), float(low)), float(high))
        return number - float(low + high) / 2


def code_of(value: Encoded, attribute: Attribute, own: Input, words: Words) -> int:
    """Returns the input code of an encoded value, with its random draws."""
    if isinstance(value, LabelSet):
        values = len(attribute.labels or [])
        return set_code(some_of(value.labels, attribute.keys.get("most", values), words.word()), values)
    if isinstance(value, int):
        return value
    if math.isnan(value):
        words.chance64(0)
        return own.codes - 1
    return grid_point(value, own.steps, words)


def some_of(labels: tuple[int, ...], most: int, word: int) -> list[int]:
    """Returns at most `most` of the labels, those with the smallest digest of word and label, in ascending order."""
    ordered = sorted(labels, key=lambda label: mix(word + (label + 1) * GOLDEN & MASK))
    return sorted(ordered[:most])


def open_collection(spec: dict[str, Any], block: bytes | None = None) -> Collection:
    """Returns the collection of a canonical spec. The block is that of `derived`, unless it is given."""
    spec = expand(spec)
    if spec.get("mechanism") == "auto" or spec.get("evolving") == "auto":
        raise Refused("the spec has open choices")
    if spec.get("mechanism") not in NUMBERS:
        raise Unsupported(str(spec.get("mechanism")))
    digest = fingerprint(spec)
    own = read_own_block(spec, digest, block)
    if own.memoized:
        raise Unsupported("memoized responses")
    mechanism = mechanism_of(own)
    attributes = attributes_of(spec)
    check_inputs(attributes, mechanism.inputs())
    return Collection(spec, digest, own, mechanism, attributes)


def read_own_block(spec: dict[str, Any], digest: bytes, block: bytes | None) -> Block:
    """Returns the block of a spec: read from `derived`, or made for a spec whose parameters are k alone."""
    if block is None and "block" in spec.get("derived", {}):
        block = bytes.fromhex(spec["derived"]["block"])
    if block is None:
        return make_block(spec, digest)
    reader = Reader(block)
    own = read_block(reader, REPORT)
    reader.end()
    wanted = (NUMBERS[spec["mechanism"]], digest[:8], float(spec["epsilon"]), spec.get("min_group", 20))
    if (own.mechanism, own.fingerprint, own.epsilon, own.smallest_group) != wanted:
        raise Refused("the block does not belong to the spec")
    if own.memoized != ("evolving" in spec):
        raise Refused("the block and the spec differ in evolving")
    return own


def make_block(spec: dict[str, Any], digest: bytes) -> Block:
    """Returns the block of `grr`, whose only parameter is in the spec. Other blocks are the result of a search."""
    if spec["mechanism"] != "grr" or "evolving" in spec:
        raise Refused("the spec has no derived block")
    values = len(attributes_of(spec)[0].labels or [])
    group = spec.get("min_group", 20)
    parameters = values.to_bytes(4, "little")
    return Block(NUMBERS["grr"], 0, 0 if group == 20 else group, digest[:8], float(spec["epsilon"]), parameters)


def check_inputs(attributes: list[Attribute], inputs: list[Input]) -> None:
    """Refuses a block whose inputs are not those of the attributes."""
    if len(attributes) != len(inputs):
        raise Refused("the block has another number of attributes than the spec")
    for attribute, own in zip(attributes, inputs):
        labels = attribute.labels
        if labels is not None and not attribute.keys.get("several") and own.codes != len(labels):
            raise Refused(f"the block has another number of values of {attribute.name}")


__all__ = ["Attribute", "Collection", "attributes_of", "expand", "open_collection"]
