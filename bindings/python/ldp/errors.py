"""Every failure of the library is an Error."""

from __future__ import annotations

import enum


class Code(enum.IntEnum):
    """What kind of failure it is; the numbers are those of ldp.h."""

    INVALID_SPEC = 1   # a spec that cannot be honoured
    INVALID_VALUE = 2  # a person's value outside what the spec declares, or an argument out of range
    MALFORMED = 3      # bytes or text that are not what they should be
    INCOMPATIBLE = 4   # a store of another spec, or older than what the server counted
    UNSUPPORTED = 5    # a question that the mechanism cannot answer
    FULL = 6           # a summary that cannot count further
    SPENT = 7          # a new answer that the person's budget does not pay for
    ENVIRONMENT = 8    # a file, the operating system or the server failed; most can be repeated
    NO_MEMORY = 9


class Error(Exception):
    """What happened (`message`), what was found and what is allowed (`detail`), what to do (`hint`).

    `record` is the number, from 0, of the record that it is about, where many were given.
    """

    def __init__(self, code: Code, message: str, detail: str = "", hint: str = "", record: int | None = None) -> None:
        where = "" if record is None else f"record {record}: "
        super().__init__("\n".join(part for part in (where + message, detail, hint) if part))
        self.code = code
        self.message = message
        self.detail = detail
        self.hint = hint
        self.record = record
