"""The rule of delivery: the next step after each answer to a request about a batch. The library knows it."""

from __future__ import annotations

import ctypes
import enum

from . import native
from .client import Outcome, Undelivered


class Request(enum.IntEnum):
    """A request about a batch."""

    SUBMIT = 0
    REVOKE = 1  # so that no attempt can be counted any more


class Action(enum.IntEnum):
    """The next action of a transport."""

    SETTLE = 0  # none: the outcome is final
    REPEAT = 1  # the same request again, after a pause
    REVOKE = 2  # Request.REVOKE next, with the outcome as it is
    STOP = 3    # none now: a person has to remove the cause


def http_step(request: Request, so_far: Outcome, status: int, receipt: bool) -> tuple[Action, Outcome]:
    """The step after an answer over HTTP; `receipt` says whether it has the receipt of this request."""
    outcome = ctypes.c_int(so_far)
    action = native.library.ldp_http_step(request, status, receipt, ctypes.byref(outcome))
    return Action(action), Outcome(outcome.value)


def spec_step(status: int, receipt: bool) -> Action:
    """The step after an answer to the GET of a spec: SETTLE if it is the spec."""
    return Action(native.library.ldp_spec_step(status, receipt))


def sql_step(request: Request, so_far: Outcome, state: str, fresh: bool) -> tuple[Action, Outcome]:
    """The step after a statement with this SQLSTATE, "00000" for success; `fresh`: it counted or claimed the batch."""
    outcome = ctypes.c_int(so_far)
    action = native.library.ldp_sql_step(request, state.encode("ascii", "replace"), fresh, ctypes.byref(outcome))
    return Action(action), Outcome(outcome.value)


def receipt(method: str, status: int, collection: str, batch: str = "", round: int = 0, content: bytes = b"") -> str:
    """The receipt that the endpoint gives with an answer to this request (doc/collect.md)."""
    made = ctypes.create_string_buffer(65)
    native.call("ldp_delivery_receipt", method.encode(), status, collection.encode(), batch.encode(), round, content,
                len(content), made)
    return made.value.decode()


def foreign_answer(status: int, receipt: bool) -> tuple[str, str] | None:
    """A message and a hint for an answer that something other than the endpoint gave; None for any other."""
    message = native.library.ldp_foreign_answer(status, receipt)
    return None if message is None else (native.text(message), native.text(native.library.ldp_foreign_hint()))


def settled(outcome: Outcome, reason: str) -> bool:
    """What a transport returns after this final outcome. Raises Undelivered if the batch was not counted."""
    if outcome in (Outcome.DELIVERED, Outcome.REPEATED):
        return outcome is Outcome.DELIVERED
    raise Undelivered(outcome, reason)
