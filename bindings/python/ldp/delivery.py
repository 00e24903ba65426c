"""The delivery protocol: the next step after each response to a request about a batch."""

from __future__ import annotations

import ctypes
import enum

from . import native
from .client import Outcome, Undelivered


class Request(enum.IntEnum):
    """A request about a batch."""

    SUBMIT = 0
    REVOKE = 1  # revokes the id, so that no attempt can be counted later


class Action(enum.IntEnum):
    """The next action of a transport."""

    SETTLE = 0  # Stop: the outcome is final.
    REPEAT = 1  # Repeat the request after a pause.
    REVOKE = 2  # Send Request.REVOKE with this outcome.
    STOP = 3    # Stop: the cause must be removed first.


def http_step(request: Request, so_far: Outcome, status: int, receipt: bool) -> tuple[Action, Outcome]:
    """Returns the step after an HTTP response. `receipt` is whether the response has the receipt of this request."""
    outcome = ctypes.c_int(so_far)
    action = native.library.ldp_http_step(request, status, receipt, ctypes.byref(outcome))
    return Action(action), Outcome(outcome.value)


def spec_step(status: int, receipt: bool) -> Action:
    """Returns the step after the response to a GET of a spec: SETTLE if the response is the spec."""
    return Action(native.library.ldp_spec_step(status, receipt))


def sql_step(request: Request, so_far: Outcome, state: str, fresh: bool) -> tuple[Action, Outcome]:
    """Returns the step after an SQL statement.

    `state` is its SQLSTATE, "00000" for success. `fresh` is whether the statement counted or claimed the batch.
    """
    outcome = ctypes.c_int(so_far)
    action = native.library.ldp_sql_step(request, state.encode("ascii", "replace"), fresh, ctypes.byref(outcome))
    return Action(action), Outcome(outcome.value)


def receipt(method: str, status: int, collection: str, batch: str = "", round: int = 0, content: bytes = b"") -> str:
    """Returns the receipt that the endpoint sends with a response to this request (doc/protocol.md)."""
    made = ctypes.create_string_buffer(65)
    native.call("ldp_delivery_receipt", method.encode(), status, collection.encode(), batch.encode(), round, content,
                len(content), made)
    return made.value.decode()


def foreign_response(status: int, receipt: bool) -> tuple[str, str] | None:
    """Returns a message and a hint for a response that did not come from the endpoint; None for other responses."""
    message = native.library.ldp_foreign_response(status, receipt)
    return None if message is None else (native.text(message), native.text(native.library.ldp_foreign_hint()))


def settled(outcome: Outcome, reason: str) -> bool:
    """Returns the result of a transport for a final outcome. Raises Undelivered if the batch was not counted."""
    if outcome in (Outcome.DELIVERED, Outcome.REPEATED):
        return outcome is Outcome.DELIVERED
    raise Undelivered(outcome, reason)
