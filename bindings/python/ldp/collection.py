"""The client's view of a collection: the validation and randomization of records."""

from __future__ import annotations

import ctypes
import html
import json
import weakref
from typing import TYPE_CHECKING, Any, Mapping

from . import native
from .contract import Terms, native_terms
from .errors import Code, Error
from .records import Record, Records, Values, of_records

if TYPE_CHECKING:
    import numpy


class Collection:
    """A spec and its mechanism. Immutable, and safe to share between threads.

    `spec` is a dict or JSON, such as the result of `fetch_spec`. `outside` selects the treatment of numbers outside their
    declared range: "clamp" moves them to the nearer end, "refuse" rejects the record. `terms` are the limits of the caller: a
    spec that exceeds them is refused before any draw. `endpoint` and `name` are the server's address and the collection's
    name, which a client's contract keeps; Endpoint.collection fills them. Raises Error (MALFORMED, INVALID_SPEC) with the key,
    and Error (INCOMPATIBLE) if the terms do not allow the collection.
    """

    def __init__(self, spec: str | Mapping[str, Any], outside: str = "clamp", *, terms: Terms | None = None,
                 endpoint: str = "", name: str = "") -> None:
        ways = ("clamp", "refuse")
        if outside not in ways:
            raise Error(Code.INVALID_VALUE, f'outside must be "clamp" or "refuse", not {outside!r}')
        text = (spec if isinstance(spec, str) else json.dumps(dict(spec))).encode("utf-8", "surrogatepass")
        handle = ctypes.c_void_p()
        allowed = native_terms(terms, endpoint, name)
        native.call("ldp_collection_new_under", text, len(text), ways.index(outside), ctypes.byref(allowed), ctypes.byref(handle))
        self._handle = handle
        weakref.finalize(self, native.library.ldp_collection_free, handle)
        self._names = [native.text(native.library.ldp_collection_name(handle, i))
                       for i in range(native.library.ldp_collection_values(handle))]
        attributes = self.spec["attributes"]
        #: The names of the elements of each vector.
        self._vectors: dict[str, list[str]] = {
            attribute["name"]: [f"{attribute['name']}.{label}" for label in attribute["vector"]]
            for attribute in attributes if "vector" in attribute}
        #: The names of all attributes, products included.
        self._all_names = [name for attribute in attributes
                           for name in self._vectors.get(attribute["name"], [attribute["name"]])]
        self._labelled = [isinstance(attribute.get("domain"), list) or "strings" in attribute or "several" in attribute
                          for attribute in attributes if "product" not in attribute
                          for _ in self._vectors.get(attribute["name"], [""])]

    @property
    def json(self) -> str:
        """The canonical form of the spec."""
        return native.text(native.library.ldp_collection_spec(self._handle))

    @property
    def spec(self) -> dict[str, Any]:
        """The spec as a dict."""
        return self._json("ldp_collection_spec")

    @property
    def texts(self) -> dict[str, Any]:
        """The texts of the spec for people, such as those of a form.

        The keys are "title", "description" and "people_asked", and "attributes" with the keys "title", "question", "unit",
        "description", "scale" and "display" by the name of an attribute or a vector. Keys without a text are missing. The
        owner of the collection wrote the texts: escape them in a page.
        """
        return self._json("ldp_collection_texts")

    @property
    def contract(self) -> dict[str, Any]:
        """The contract that the collection offers: the digest, the spec with its texts, epsilon of a report and of a life, the
        attributes, the columns that are sent unchanged, the endpoint and the name. Client.contract is the accepted contract."""
        return self._json("ldp_collection_contract")

    @property
    def summary(self) -> str:
        """The contract as four readable lines: collection and epsilon; attributes; columns that are sent unchanged; digest."""
        return native.text(native.library.ldp_collection_summary(self._handle))

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary)}</pre>"

    @property
    def fingerprint(self) -> str:
        """The spec's fingerprint, 64 hexadecimal digits. Every report contains the first 8 of its 32 bytes."""
        return native.text(native.library.ldp_collection_fingerprint(self._handle))

    @property
    def names(self) -> list[str]:
        """The names of a record's values, in their order: the attributes except products."""
        return list(self._names)

    @property
    def report_size(self) -> int:
        """The size of every report in bytes."""
        return int(native.library.ldp_collection_report_size(self._handle))

    def perturb(self, record: Record) -> bytes:
        """Returns a new report of the record, which costs epsilon in every call. Nothing is memoized, and no ledger is charged.

        Raises Error (INVALID_VALUE), also under a mechanism for series.
        """
        return bytes(self._perturb([record]))

    def perturb_many(self, records: Records) -> numpy.ndarray[Any, numpy.dtype[numpy.uint8]]:
        """Returns new reports of many records, as an array of bytes with one row for each record. Needs numpy.

        `records` is an iterable of records, or has them in columns: a data frame, or a dict of arrays. Raises Error
        (INVALID_VALUE), whose `record` is the index of the failed record.
        """
        import numpy

        return numpy.frombuffer(memoryview(self._perturb(records)), numpy.uint8).reshape(-1, self.report_size)

    def _json(self, getter: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(native.text(getattr(native.library, getter)(self._handle)))
        return found

    def _values(self, records: Records) -> Values:
        """Returns records in the form of the library."""
        return of_records(records, self._names, self._labelled, self._vectors)

    def _perturb(self, records: Records) -> ctypes.Array[ctypes.c_char]:
        values = self._values(records)
        count, size = values.count // len(self._labelled), self.report_size
        reports = (ctypes.c_char * (count * size))()
        done = ctypes.c_size_t()
        native.call("ldp_collection_perturb", self._handle, values.address, values.count, reports, count * size,
                    ctypes.byref(done), record=done)
        return reports

    def __repr__(self) -> str:
        return f"<ldp.Collection {self.spec['mechanism']} of {', '.join(self._names)}, spec {self.fingerprint}>"
