"""A collection as a device knows it."""

from __future__ import annotations

import ctypes
import json
import weakref
from typing import TYPE_CHECKING, Any, Mapping

from . import native
from .errors import Code, Error
from .records import Record, Records, of_records

if TYPE_CHECKING:
    import numpy


class Collection:
    """A spec and its mechanism. Immutable, and safe to share between threads.

    `spec` is the spec, as a dict or in JSON, as `fetch_spec` gives it. `outside` says what becomes of a number outside its
    declared range: "clamp" moves it to the nearer end, "refuse" refuses the record. Raises Error (MALFORMED,
    INVALID_SPEC), which names the key.
    """

    def __init__(self, spec: str | Mapping[str, Any], outside: str = "clamp") -> None:
        ways = ("clamp", "refuse")
        if outside not in ways:
            raise Error(Code.INVALID_VALUE, f"there is no way {outside!r} with numbers outside their range", "",
                        'Use "clamp" or "refuse".')
        text = (spec if isinstance(spec, str) else json.dumps(dict(spec))).encode("utf-8", "surrogatepass")
        handle = ctypes.c_void_p()
        native.call("ldp_collection_new", text, len(text), ways.index(outside), ctypes.byref(handle))
        self._handle = handle
        weakref.finalize(self, native.library.ldp_collection_free, handle)
        self._names = [native.text(native.library.ldp_collection_name(handle, i))
                       for i in range(native.library.ldp_collection_values(handle))]
        self._labelled = [isinstance(attribute.get("domain"), list)
                          for attribute in self.spec["attributes"] if "product" not in attribute]

    @property
    def json(self) -> str:
        """The canonical form of the spec."""
        return native.text(native.library.ldp_collection_spec(self._handle))

    @property
    def spec(self) -> dict[str, Any]:
        """The same, read."""
        found: dict[str, Any] = json.loads(self.json)
        return found

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits, which every report carries."""
        return native.text(native.library.ldp_collection_fingerprint(self._handle))

    @property
    def names(self) -> list[str]:
        """What a record has values of, in their order: the attributes but products."""
        return list(self._names)

    @property
    def report_size(self) -> int:
        """Bytes of every report."""
        return int(native.library.ldp_collection_report_size(self._handle))

    def perturb(self, record: Record) -> bytes:
        """A report of the record, drawn anew each time, at the cost of epsilon each time; nothing is remembered.

        Raises Error (INVALID_VALUE), also for mechanisms of series.
        """
        return bytes(self._perturb([record]))

    def perturb_many(self, records: Records) -> numpy.ndarray[Any, numpy.dtype[numpy.uint8]]:
        """A report of each record, as an array of bytes with a row for each: for simulations. Needs numpy.

        Takes records one after another, or in columns: a data frame, or a dict of arrays. Raises Error (INVALID_VALUE)
        that tells which record it is about.
        """
        import numpy

        return numpy.frombuffer(memoryview(self._perturb(records)), numpy.uint8).reshape(-1, self.report_size)

    def _perturb(self, records: Records) -> ctypes.Array[ctypes.c_char]:
        values = of_records(records, self._names, self._labelled)
        count, size = values.count // len(self._labelled), self.report_size
        reports = (ctypes.c_char * (count * size))()
        done = ctypes.c_size_t()
        native.call("ldp_collection_perturb", self._handle, values.address, values.count, reports, count * size,
                    ctypes.byref(done), record=done)
        return reports

    def __repr__(self) -> str:
        return f"<ldp.Collection {self.spec['mechanism']} of {', '.join(self._names)}, spec {self.fingerprint}>"
