"""The contract of a client with the owner of a collection. The library compares contracts; this module passes them on."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Sequence

from . import native
from .errors import Change, Code, Error


@dataclass(frozen=True)
class Terms:
    """The limits of the caller. A missing limit sets no bound."""

    epsilon: float | None = None        # largest epsilon of one report
    life_epsilon: float | None = None   # largest epsilon of all reports of a client
    reports: int | None = None          # largest number of reports of a client, if each one is a fresh draw
    group_epsilon: float | None = None  # epsilon of the spec's group in the person's ledger
    attributes: Sequence[str] | None = None  # the only attributes that may be asked for
    in_clear: Sequence[str] | None = None    # the only public columns that the caller fills
    digest: str | None = None           # of the contract, from another source than the server: 16 to 64 hexadecimal digits


def native_terms(terms: Terms | None, endpoint: str, name: str) -> native.Terms:
    """The terms and the source of a spec in the form of the library."""
    given = terms if terms is not None else Terms()
    for limit in ("epsilon", "life_epsilon", "reports", "group_epsilon"):
        found = getattr(given, limit)
        if found is not None and not found > 0:
            raise Error(Code.INVALID_VALUE, f"{limit} of the terms must be positive", f"Found {found!r}.")
    attributes, in_clear = _names(given.attributes), _names(given.in_clear)
    return native.Terms(
        ctypes.sizeof(native.Terms), _text(given.digest), given.epsilon or 0, given.life_epsilon or 0, given.reports or 0,
        given.group_epsilon or 0, attributes, len(given.attributes or ()), in_clear, len(given.in_clear or ()),
        _text(endpoint), _text(name), None)


def _text(text: str | None) -> bytes | None:
    if text and "\0" in text:
        raise Error(Code.INVALID_VALUE, "a text of the terms contains a null character", repr(text))
    return text.encode("utf-8", "surrogatepass") if text else None


def _names(names: Sequence[str] | None) -> Any:
    """An array of names. An empty one is not null: it restricts."""
    if names is None:
        return None
    if isinstance(names, str):
        raise Error(Code.INVALID_VALUE, f"{names!r} is no list of names", "", "Pass a list, such as [\"mood\"].")
    return (ctypes.c_char_p * (len(names) or 1))(*map(_text, names))


def changes_of(contract: dict[str, Any]) -> tuple[Change, ...]:
    """The changes in the contract of a client."""
    return tuple(Change(**change) for change in contract["changes"])


def contract_of(function: str, handle: ctypes.c_void_p) -> dict[str, Any]:
    """Calls a function that returns a contract."""
    found: dict[str, Any] = native.made_json(function, handle)
    return found
