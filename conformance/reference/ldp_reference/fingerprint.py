"""The fingerprint of a spec: doc/formats.md, section "Fingerprint"."""

from __future__ import annotations

import hashlib
from typing import Any

from .canonical import canonical_text

SPEC_KEYS_LEFT_OUT = ("derived", "chosen", "people_asked", "title", "description")
ATTRIBUTE_KEYS_LEFT_OUT = ("title", "question", "unit", "description", "scale", "display")


def fingerprint_text(spec: dict[str, Any]) -> str:
    """Returns the text whose digest is the fingerprint: the canonical spec in RFC 8785, without texts and choices."""
    covered = {key: value for key, value in spec.items() if key not in SPEC_KEYS_LEFT_OUT}
    covered["attributes"] = [
        {key: value for key, value in attribute.items() if key not in ATTRIBUTE_KEYS_LEFT_OUT}
        for attribute in spec["attributes"]
    ]
    return canonical_text(covered)


def fingerprint(spec: dict[str, Any]) -> bytes:
    """Returns the fingerprint of a canonical spec: 32 bytes."""
    return hashlib.sha256(fingerprint_text(spec).encode("utf-8")).digest()
