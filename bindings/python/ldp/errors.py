"""Every failure of the library is an Error."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Code(enum.IntEnum):
    """The kind of a failure, with the numbers of ldp.h."""

    INVALID_SPEC = 1   # The spec is invalid.
    INVALID_VALUE = 2  # A value of a record violates the spec, or an argument is out of range.
    MALFORMED = 3      # Bytes or text have an invalid format.
    INCOMPATIBLE = 4   # The store belongs to another spec, or the server reports that another copy is in use.
    UNSUPPORTED = 5    # The mechanism does not support the operation.
    FULL = 6           # A summary or batch has reached its maximum count.
    SPENT = 7          # The budget of a group does not pay for the report.
    ENVIRONMENT = 8    # A file, the operating system or the server failed; often temporary.
    NO_MEMORY = 9      # Memory allocation failed.
    CHANGED = 10       # The collection has changed since its contract was accepted: see Client.accept.


class Error(Exception):
    """A failure of the library: `message`, `detail` (facts, such as the value found) and `hint` (what to do).

    `record` is the index of the failed record, from 0, in calls that take many records; else None. `said` has the words of
    the server, at most 400 bytes with control characters escaped; else it is empty. The other texts are the library's.
    """

    def __init__(self, code: Code, message: str, detail: str = "", hint: str = "", record: int | None = None,
                 said: str = "") -> None:
        where = "" if record is None else f"record {record}: "
        super().__init__("\n".join(part for part in (where + message, detail, says(said), hint) if part))
        self.code = code
        self.message = message
        self.detail = detail
        self.hint = hint
        self.record = record
        self.said = said


@dataclass(frozen=True)
class Change:
    """A difference between the accepted contract and the offer of a server."""

    kind: str    # "shown": the client continues and says so; "ask": it waits for accept(); "refuse"
    field: str   # what differs, such as "epsilon" or "attributes.mood.question"
    before: str  # the values as JSON; empty for an absent value
    now: str


class Changed(Error):
    """The collection has changed since its contract was accepted. `changes` contains the differences. Nothing was drawn or
    sent."""

    changes: tuple[Change, ...] = ()


def says(said: str) -> str:
    """Returns the words of the server as a quotation; empty without words."""
    return f'the server says: "{said}"' if said else ""


#: The maximum length of the words of a server in bytes.
_MOST_WORDS = 400


def escaped(words: str) -> str:
    """Returns words of a server for `Error.said`: of bounded length, without control characters and quotation marks."""
    found: list[str] = []
    size = 0
    for character in words:
        safe = character.isprintable() and character not in '"\\'
        shown = character if safe else f"\\u{{{ord(character):x}}}"
        size += len(shown.encode())
        if size > _MOST_WORDS - len("…".encode()):
            return "".join(found) + "…"
        found.append(shown)
    return "".join(found)
