"""The shared library, as ldp.h declares it."""

from __future__ import annotations

import ctypes
import json
import os
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_size_t, c_uint32, c_uint64, c_uint8, c_void_p
from typing import Any

from .errors import Changed, Code, Error

API_VERSION = 1
TO_END = c_size_t(-1).value


class Value(ctypes.Structure):
    _fields_ = [("text", c_void_p), ("length", c_size_t), ("number", c_double)]


class Receipt(ctypes.Structure):
    _fields_ = [("origin", c_int), ("clamped", c_uint32), ("coefficients", c_uint64)]


class Response(ctypes.Structure):
    _fields_ = [("epsilon", c_double), ("round", c_int32)]


class Spending(ctypes.Structure):
    _fields_ = [("responses", c_uint64), ("max_responses", c_uint64), ("epsilon", c_double), ("sum", c_double),
                ("advanced", c_double)]


class Flushed(ctypes.Structure):
    _fields_ = [("batches", c_uint64), ("reports", c_uint64), ("repeated", c_uint64), ("refused", c_uint64),
                ("set_back", c_uint64)]


class Destination(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("endpoint", c_char_p), ("collection", c_char_p), ("history", c_void_p)]


class Column(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("text", c_void_p), ("length", c_size_t)]


class Entry(ctypes.Structure):
    _fields_ = [("person", c_char_p), ("round", c_int32), ("columns", POINTER(Column)), ("column_count", c_size_t)]


class Terms(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("digest", c_char_p), ("report_epsilon", c_double), ("life_epsilon", c_double),
                ("reports", c_uint64), ("group_epsilon", c_double), ("attributes", POINTER(c_char_p)),
                ("attribute_count", c_size_t), ("in_clear", POINTER(c_char_p)), ("in_clear_count", c_size_t),
                ("endpoint", c_char_p), ("collection", c_char_p), ("public_columns", c_char_p)]


_place = POINTER(c_void_p)
_values = (c_void_p, c_size_t)  # an array of Value and their number
_columns = (POINTER(Column), c_size_t)

# Functions with a status, without the place for the error at their end.
_calls: dict[str, tuple[Any, ...]] = {
    "ldp_collection_new": (c_char_p, c_size_t, c_int, _place),
    "ldp_collection_new_under": (c_char_p, c_size_t, c_int, POINTER(Terms), _place),
    "ldp_client_contract": (c_void_p, _place),
    "ldp_client_accept": (c_void_p, c_char_p),
    "ldp_fleet_contract": (c_void_p, _place),
    "ldp_fleet_accept": (c_void_p, c_char_p),
    "ldp_collection_perturb": (c_void_p, *_values, c_void_p, c_size_t, POINTER(c_size_t)),
    "ldp_summarize": (c_void_p, c_char_p, c_size_t, c_void_p, _place, POINTER(c_size_t)),
    "ldp_merge_summaries": (c_char_p, c_size_t, c_char_p, c_size_t, _place, POINTER(c_size_t)),
    "ldp_query_summary": (c_void_p, c_char_p, c_size_t, c_char_p, c_size_t, _place),
    "ldp_simulate": (c_void_p, *_values, c_uint64, c_uint64, _place),
    "ldp_plan": (c_char_p, c_size_t, c_char_p, c_size_t, c_uint64, _place),
    "ldp_client_in_file": (c_void_p, c_char_p, _place),
    "ldp_client_once_per_round": (c_void_p, c_int),
    "ldp_client_use_ledger": (c_void_p, c_void_p),
    "ldp_fleet_use_ledger": (c_void_p, c_void_p),
    "ldp_ledger_in_file": (c_char_p, _place),
    "ldp_ledger_in_memory": (c_char_p, c_size_t, _place),
    "ldp_ledger_state": (c_void_p, _place, POINTER(c_size_t)),
    "ldp_ledger_accounts": (c_void_p, _place),
    "ldp_ledger_limit": (c_void_p, c_char_p, c_double),
    "ldp_client_in_memory": (c_void_p, c_char_p, c_size_t, _place),
    "ldp_client_state": (c_void_p, _place, POINTER(c_size_t)),
    "ldp_client_report_columns": (c_void_p, *_values, *_columns, c_int32, POINTER(Receipt)),
    "ldp_client_stage_columns": (c_void_p, *_values, *_columns, POINTER(c_size_t)),
    "ldp_client_commit": (c_void_p, c_int32),
    "ldp_client_discard": (c_void_p,),
    "ldp_client_ledger": (c_void_p, POINTER(Response), c_size_t, POINTER(c_size_t)),
    "ldp_client_spent": (c_void_p, c_double, POINTER(Spending)),
    "ldp_client_refused": (c_void_p, POINTER(c_size_t)),
    "ldp_client_refusal": (c_void_p, c_size_t, _place),
    "ldp_client_requeue_refused": (c_void_p, POINTER(c_uint64)),
    "ldp_client_drop_refused": (c_void_p, POINTER(c_uint64)),
    "ldp_batch_frame": (c_void_p, _place, POINTER(c_size_t)),
    "ldp_batch_body": (c_void_p, _place, POINTER(c_size_t), POINTER(c_char_p)),
    "ldp_fleet_in_file": (c_void_p, c_char_p, _place),
    "ldp_fleet_once_per_round": (c_void_p, c_int),
    "ldp_fleet_report": (c_void_p, POINTER(Entry), c_size_t, *_values, POINTER(c_size_t)),
    "ldp_fleet_flush_start": (c_void_p, POINTER(Destination), c_size_t, _place),
    "ldp_flush_start": (c_void_p, POINTER(Destination), c_size_t, _place),
    "ldp_flush_next": (c_void_p, _place),
    "ldp_flush_settle": (c_void_p, c_int, c_char_p),
    "ldp_flush_done": (c_void_p, POINTER(Flushed)),
    "ldp_delivery_receipt": (c_char_p, c_int, c_char_p, c_char_p, c_int32, c_char_p, c_size_t, c_char_p),
}
# Functions with a status that earlier libraries of the same API version do not have: see has().
_added: dict[str, tuple[Any, ...]] = {
    "ldp_simulate_summary": (c_void_p, *_values, c_uint64, _place, POINTER(c_size_t)),
    "ldp_plan_record": (c_char_p, c_size_t, c_char_p, c_size_t, c_uint64, _place),
    "ldp_plot": (c_void_p, c_char_p, c_size_t, c_char_p, _place),
}
# Others: result, arguments.
_getters: dict[str, tuple[Any, ...]] = {
    "ldp_api_version": (c_int,),
    "ldp_version": (c_char_p,),
    "ldp_error_code": (c_int, c_void_p),
    "ldp_error_message": (c_char_p, c_void_p),
    "ldp_error_detail": (c_char_p, c_void_p),
    "ldp_error_hint": (c_char_p, c_void_p),
    "ldp_error_free": (None, c_void_p),
    "ldp_free": (None, c_void_p),
    "ldp_collection_free": (None, c_void_p),
    "ldp_collection_spec": (c_char_p, c_void_p),
    "ldp_collection_texts": (c_char_p, c_void_p),
    "ldp_collection_contract": (c_char_p, c_void_p),
    "ldp_collection_summary": (c_char_p, c_void_p),
    "ldp_collection_fingerprint": (c_char_p, c_void_p),
    "ldp_collection_values": (c_size_t, c_void_p),
    "ldp_collection_name": (c_char_p, c_void_p, c_size_t),
    "ldp_collection_report_size": (c_size_t, c_void_p),
    "ldp_client_free": (None, c_void_p),
    "ldp_ledger_free": (None, c_void_p),
    "ldp_client_pending": (c_uint64, c_void_p),
    "ldp_client_staged": (c_uint64, c_void_p),
    "ldp_client_clamped": (c_uint64, c_void_p, c_size_t),
    "ldp_client_clamped_coefficients": (c_uint64, c_void_p),
    "ldp_batch_id": (c_char_p, c_void_p),
    "ldp_batch_columns": (c_char_p, c_void_p),
    "ldp_fleet_free": (None, c_void_p),
    "ldp_fleet_pending": (c_uint64, c_void_p),
    "ldp_fleet_people": (c_uint64, c_void_p),
    "ldp_batch_fingerprint": (c_char_p, c_void_p),
    "ldp_batch_round": (c_int32, c_void_p),
    "ldp_batch_reports": (c_size_t, c_void_p),
    "ldp_batch_report": (POINTER(c_uint8), c_void_p, c_size_t, POINTER(c_size_t)),
    "ldp_flush_free": (None, c_void_p),
    "ldp_http_step": (c_int, c_int, c_int, c_int, POINTER(c_int)),
    "ldp_spec_step": (c_int, c_int, c_int),
    "ldp_sql_step": (c_int, c_int, c_char_p, c_int, POINTER(c_int)),
    "ldp_foreign_response": (c_char_p, c_int, c_int),
    "ldp_foreign_hint": (c_char_p,),
}


def _load() -> ctypes.CDLL:
    # CDLL("") is the program itself. A wheel may have the library beside this file.
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libldp.so")
    name = os.environ.get("LDP_LIBRARY") or (inside if os.path.exists(inside) else "libldp.so.1")
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(f"the shared library of ldp cannot be loaded: {error}. Install ldp, or name the library in "
                          "LDP_LIBRARY.") from error
    for function, (result, *taken) in _getters.items():
        entry = getattr(library, function)
        entry.restype, entry.argtypes = result, taken
    found = library.ldp_api_version()
    if found != API_VERSION:
        raise ImportError(f"{name} has version {found} of the C interface; this package is for {API_VERSION}.")
    present = {name: arguments for name, arguments in _added.items() if hasattr(library, name)}
    for function, arguments in {**_calls, **present}.items():
        entry = getattr(library, function)
        entry.restype, entry.argtypes = c_int, [*arguments, _place]
    return library


library = _load()


def has(function: str) -> bool:
    """Returns whether the loaded library has a function that was added to the API version."""
    return hasattr(library, function)


def need(function: str) -> None:
    """Raises Error (UNSUPPORTED) if the loaded library lacks a function that was added to the API version."""
    if not has(function):
        raise Error(Code.UNSUPPORTED, f"the library has no function {function}", f"Its version is {version()}.",
                    "Install a newer library.")


def version() -> str:
    """Returns the version of the loaded library, such as "1.0.0"."""
    return text(library.ldp_version())


def text(found: bytes) -> str:
    # The text may contain a truncated quotation or a path, so it may be invalid UTF-8.
    return found.decode("utf-8", "replace")


def call(function: str, *arguments: Any, record: Any = None) -> None:
    """Calls a function that returns a status, and raises its error. `record` counts the records before the failed one."""
    error = c_void_p()
    if getattr(library, function)(*arguments, byref(error)) == 0:
        return
    try:
        code = Code(library.ldp_error_code(error))
        kind = Changed if code is Code.CHANGED else Error
        raise kind(code, text(library.ldp_error_message(error)), text(library.ldp_error_detail(error)),
                   text(library.ldp_error_hint(error)), None if record is None else record.value)
    finally:
        library.ldp_error_free(error)


def made_bytes(function: str, *arguments: Any) -> bytes:
    """Calls a function whose last arguments are the places for a pointer and a size, and returns the bytes."""
    memory, size = c_void_p(), c_size_t()
    call(function, *arguments, byref(memory), byref(size))
    return taken(memory, size.value)


def made_text(function: str, *arguments: Any) -> str:
    """Calls a function whose last argument is the place for a pointer to text, and returns the text."""
    memory = c_void_p()
    call(function, *arguments, byref(memory))
    return text(taken(memory))


def made_json(function: str, *arguments: Any) -> Any:
    """Calls a function whose last argument is the place for a pointer to JSON, and returns the value of the JSON."""
    return json.loads(made_text(function, *arguments))


def taken(memory: c_void_p, size: int | None = None) -> bytes:
    """Returns bytes, or null-terminated text, that the library allocated, and frees them."""
    try:
        return ctypes.string_at(memory, -1 if size is None else size)
    finally:
        library.ldp_free(memory)
