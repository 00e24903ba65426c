"""Values of public columns in the form of the library."""

from __future__ import annotations

import ctypes
import datetime
from typing import Any, Mapping, Sequence

from . import native
from .errors import Code, Error
from .records import is_missing, is_number

#: Values of public columns by name: text, numbers, truth values, dates and times, or None for the column's default. For many
#: records also sequences, with a value for each record.
Columns = Mapping[str, Any]

#: The name of the public column with the token of a report. A collection with tokens requires it, and a token admits one report.
TOKEN_COLUMN = "ldp_token"


class Side:
    """Public columns as an array of the library, whose texts live as long as this."""

    def __init__(self, values: Sequence[tuple[bytes, bytes]]) -> None:
        self._texts = [(name, ctypes.create_string_buffer(text, len(text) + 1)) for name, text in values]
        self.count = len(values)
        self.array = (native.Column * self.count)(*(
            native.Column(name, ctypes.addressof(buffer), len(buffer) - 1) for name, buffer in self._texts))


def with_token(columns: Columns | None, token: str | None) -> Columns | None:
    """Returns the public columns with a token, if there is one."""
    return columns if token is None else {**({} if columns is None else columns), TOKEN_COLUMN: token}


def of_columns(columns: Columns | None) -> Side:
    return Side([] if columns is None else _texts(columns.items()))


def of_columns_by_record(columns: Columns | None, records: int) -> list[tuple[int, Side]]:
    """Returns the public columns of each run of records with the same ones, and the lengths of the runs."""
    if records == 0:
        return []
    if columns is None or len(columns.keys()) == 0:  # the truth value of a data frame is ambiguous
        return [(records, of_columns(None))]
    lists: list[list[bytes | None]] = []
    names = [_name(name) for name in columns]
    for name, given in columns.items():
        if _single(given):
            lists.append([_text(name, given)] * records)
            continue
        texts = [_text(name, value) for value in _listed(given)]
        if len(texts) != records:
            raise Error(Code.INVALID_VALUE, f'public column "{name}" has a value for each of {len(texts)} records',
                        f"There are {records} records.")
        lists.append(texts)
    runs: list[tuple[int, Side]] = []
    before: tuple[bytes | None, ...] | None = None
    for row in zip(*lists):
        if row == before:
            runs[-1] = (runs[-1][0] + 1, runs[-1][1])
        else:
            runs.append((1, Side([(name, text) for name, text in zip(names, row) if text is not None])))
        before = row
    return runs


def _single(value: Any) -> bool:
    return value is None or isinstance(value, (str, bool, int, float, datetime.date, datetime.time)) or not hasattr(
        value, "__iter__")


def _name(name: str) -> bytes:
    if not isinstance(name, str) or "\0" in name:
        raise Error(Code.INVALID_VALUE, f"{name!r} is not a name of a public column")
    return name.encode("utf-8", "surrogatepass")  # which the library then refuses


def _kind(value: Any) -> str:
    """The kind of a type of numpy; empty for others."""
    return str(getattr(getattr(value, "dtype", None), "kind", ""))


def _listed(given: Any) -> Any:
    """The elements as objects of Python, where numpy and pandas have them. Dates of numpy in nanoseconds would be integers."""
    kind = _kind(given)
    if kind == "m":
        return list(given)  # time spans in nanoseconds would be integers, too
    if kind == "M" and not hasattr(given, "iloc"):
        given = given.astype("datetime64[us]")
    return given.tolist() if hasattr(given, "tolist") else given


def _text(name: str, value: Any) -> bytes | None:
    if _kind(value) == "M":
        value = _listed(value)
    if is_missing(value):
        return None
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = value
    elif isinstance(value, (datetime.date, datetime.time)):
        text = value.isoformat()
    elif is_number(value) or _kind(value) == "b":
        text = str(value)
    else:
        raise Error(Code.INVALID_VALUE, f'the value of public column "{name}" is a {type(value).__name__}',
                    "A value is text, a number, a truth value, a date or a time.")
    return text.encode("utf-8", "surrogatepass")


def _texts(items: Any) -> list[tuple[bytes, bytes]]:
    found = [(_name(name), _text(name, value)) for name, value in items]
    return [(name, text) for name, text in found if text is not None]
