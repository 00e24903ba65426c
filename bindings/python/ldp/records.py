"""Records in the form of the library: an array of values, one record after another."""

from __future__ import annotations

import array
import ctypes
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Sequence, Union, cast

from .errors import Code, Error
from .native import Value

if TYPE_CHECKING:
    import numpy
    import pandas

#: One person's values: by name (a dict, a row of a data frame), or in the spec's order. A set of labels is a list, a tuple or
#: a set of labels, or a text with semicolons between them. A vector is a list of its elements, a dict with their labels, or a value for each element under its own name ("hours.8h").
Record = Union[Mapping[str, Any], Sequence[Any], "pandas.Series[Any]"]
#: Many: one after another, or in columns (a data frame, or a dict of arrays).
Records = Union[Iterable[Record], "pandas.DataFrame", Mapping[str, Sequence[Any]], "Mapping[str, numpy.ndarray[Any, Any]]"]


class Values:
    """`count` values at `address`, which live as long as this."""

    def __init__(self, address: int, count: int, *owners: object) -> None:
        self.address = address
        self.count = count
        self._owners = owners


#: The names of the elements of each vector, by the name of the vector.
Vectors = Mapping[str, Sequence[str]]


def of_record(record: Record, names: Sequence[str], labelled: Sequence[bool], vectors: Vectors) -> Values:
    return _one_by_one([record], names, labelled, vectors, many=False)


def of_records(records: Records, names: Sequence[str], labelled: Sequence[bool], vectors: Vectors) -> Values:
    columns = getattr(records, "columns", None)
    if columns is not None or isinstance(records, Mapping):
        given = cast("Mapping[str, Any]", records)
        if columns is None:
            given = _expanded(given, vectors, _columns_of)
        _need_names(given.keys(), names, labelled)
        return _in_columns({name: given[name] for name in names}, labelled)
    return _one_by_one(cast("Iterable[Record]", records), names, labelled, vectors)


def _columns_of(rows: Any) -> Sequence[Any]:
    """The columns of a two-dimensional array, or of a list of rows."""
    return cast("Sequence[Any]", rows.T if hasattr(rows, "T") else list(zip(*rows)))


def _expanded(given: Mapping[str, Any], vectors: Vectors, elements: Callable[[Any], Sequence[Any]]) -> Mapping[str, Any]:
    """The same values with an entry for each element of a vector, from a mapping of labels or from elements(vector)."""
    if not any(name in given for name in vectors):
        return given
    found: dict[str, Any] = {}
    for name in given.keys():
        vector = given[name]
        if name not in vectors:
            found[name] = vector
        elif hasattr(vector, "keys"):
            found.update({f"{name}.{label}": vector[label] for label in vector.keys()})
        elif isinstance(vector, (str, bytes)) or not hasattr(vector, "__len__"):
            raise Error(Code.INVALID_VALUE, f"{vector!r} is not a vector for {name!r}", "",
                        "A vector is a list of numbers, or a dict that maps labels to numbers.")
        else:
            values = elements(vector)
            if len(values) != len(vectors[name]):
                raise Error(Code.INVALID_VALUE, f'the vector "{name}" has the wrong number of elements',
                            f"Found {len(values)}; the spec has {len(vectors[name])}.")
            found.update(zip(vectors[name], values))
    return found


def _need_names(given: Any, names: Sequence[str], labelled: Sequence[bool], record: int | None = None) -> None:
    """Requires a value for each name and no others: the spec must not choose among the values of a larger record."""
    known = set(names)
    others = [str(name) for name in given if name not in known]
    if others:
        shown = ", ".join(f'"{name}"' for name in others[:10]) + (", …" if len(others) > 10 else "")
        raise Error(Code.INVALID_VALUE, f"the spec has no attribute {shown}",
                    "Its attributes are " + ", ".join(f'"{name}"' for name in names) + ".",
                    "Pass only the attributes that you want to report, for example record[collection.names] in pandas.",
                    record)
    for name, label in zip(names, labelled):
        if name not in given:
            raise Error(Code.INVALID_VALUE, f'there is no "{name}"', "A record needs: " + ", ".join(names) + ".",
                        'Pass None for a missing label, if the spec names one in "missing_label".' if label else
                        'Pass None or NaN for a missing number, if the spec has "missing": true in the attribute.', record)


def _joined(value: Any) -> Any:
    """The text of a set of labels: the labels with semicolons between them. Any other value as it is."""
    if not isinstance(value, (list, tuple, set, frozenset)):
        return value
    for label in value:
        if not isinstance(label, str) and (not is_number(label) or label != label):
            raise Error(Code.INVALID_VALUE, f"{label!r} is not a label of a set", f"It is a {type(label).__name__}.",
                        "A set without labels is empty or None.")
    labels = [label if isinstance(label, str) else str(label) for label in value]
    if any(";" in label for label in labels):
        raise Error(Code.INVALID_VALUE, "a label of a set contains a semicolon", f"Found {value!r}.",
                    "Semicolons separate the labels of a set.")
    return ";".join(labels)


#: Types of missing values in numpy and pandas, by their names, since neither package is required.
_MISSING = frozenset(("MaskedConstant", "NAType", "NaTType", "NoneType"))
#: The kinds of numbers among the types of numpy: integers and floating-point numbers. Others, such as dates, time spans, truth
#: values and complex numbers, are converted to numbers with another meaning, or are not numbers.
_NUMERIC = "iuf"


def _value(value: Any, labelled: bool, texts: list[object]) -> tuple[int, int, float]:
    """The address and the length of a label, or of the labels of a set, and 0; or 0, 0 and a number. A missing answer is an
    empty label, or NaN among numbers. pandas has NaN for it, also among labels."""
    if labelled:
        value = _joined(value)
    if is_missing(value) and (labelled or not is_number(value)):
        value = ""
    if isinstance(value, str):
        encoded = value.encode("utf-8", "surrogatepass")  # which the library then refuses
        buffer = ctypes.create_string_buffer(encoded, len(encoded) + 1)
        texts.append(buffer)
        return ctypes.addressof(buffer), len(encoded), 0.0
    if not is_number(value):
        raise Error(Code.INVALID_VALUE, f"{value!r} is not a value", f"It is a {type(value).__name__}.",
                    "A value is a number, a string, or None for no answer.")
    return 0, 0, float(value)


def is_missing(value: Any) -> bool:
    """Whether the value means a missing answer: None, NaN, a masked element of numpy, or NA or NaT of pandas."""
    return type(value).__name__ in _MISSING or (is_number(value) and bool(value != value))


def is_number(value: Any) -> bool:
    """Whether the value is a single number: one of Python, or one of numpy with a kind of numbers."""
    if isinstance(value, (bool, bytes)) or type(value).__name__ in _MISSING or not hasattr(value, "__float__") or getattr(
            value, "ndim", 0) != 0:
        return False
    return getattr(getattr(value, "dtype", None), "kind", "f") in _NUMERIC


#: Types whose values an array of numbers takes as they are.
_NUMBERS = frozenset((float, int))
#: Names of types whose equal values are the same value.
_EXACT = (_MISSING - {"MaskedConstant"}) | {"float", "int", "str"}  # a masked element has no hash


class _Flat:
    """Values of records in a row, laid out as ldp.h has it. Numbers are kept as numbers, since an object for each value
    costs more than its randomization."""

    def __init__(self, labelled: Sequence[bool]) -> None:
        self._labelled = labelled
        self._numeric = not any(labelled)
        self._numbers = array.array("d")
        self._labels: list[tuple[int, int, int]] = []  # index, address and length
        self._texts: list[object] = []

    def add(self, row: Sequence[Any]) -> None:
        if self._numeric and _NUMBERS.issuperset(map(type, row)):
            self._numbers.extend(row)
            return
        for value, label in zip(row, self._labelled):
            address, length, number = _value(value, label, self._texts)
            if address != 0:
                self._labels.append((len(self._numbers), address, length))
            self._numbers.append(number)

    def values(self) -> Values:
        count = len(self._numbers)
        filled = (Value * count)()
        if count > 0:
            view = memoryview(filled).cast("B")
            view.cast("d")[Value.number.offset // 8::ctypes.sizeof(Value) // 8] = memoryview(self._numbers)
        for index, address, length in self._labels:
            filled[index].text, filled[index].length = address, length
        return Values(ctypes.addressof(filled), count, filled, self._texts)


def _one_by_one(records: Iterable[Record], names: Sequence[str], labelled: Sequence[bool], vectors: Vectors,
                many: bool = True) -> Values:
    flat = _Flat(labelled)
    for number, record in enumerate(records):
        if isinstance(record, (str, bytes)):
            raise Error(Code.INVALID_VALUE, f"{record!r} is no record", "", "A record is a dict, a row or a list.")
        if hasattr(record, "keys"):
            given = _expanded(cast("Mapping[str, Any]", record), vectors, lambda vector: cast("Sequence[Any]", vector))
            _need_names(given.keys(), names, labelled, number if many else None)
            row: Sequence[Any] = [given[name] for name in names]
        else:
            row = cast("Sequence[Any]", record)
            if vectors:
                row = [value for item in row for value in (item if _is_vector(item) else [item])]
            if len(row) != len(names):
                raise Error(Code.INVALID_VALUE, "the record has the wrong number of values",
                            f"Found {len(row)}; the spec has {len(names)}.", record=number)
        flat.add(row)
    return flat.values()


def _is_vector(item: Any) -> bool:
    """Whether the item has the elements of a vector: numbers. The labels of a set are strings, or in a set."""
    if not hasattr(item, "__len__") or isinstance(item, (str, bytes, set, frozenset)) or len(item) == 0:
        return False
    return not isinstance(next(iter(item)), str)


def _in_columns(columns: Mapping[str, Any], labelled: Sequence[bool]) -> Values:
    try:
        import numpy
    except ImportError:
        lists = [list(column) for column in columns.values()]
        _need_equal([len(column) for column in lists])
        return _one_by_one(list(zip(*lists)), [""] * len(columns), labelled, {})
    arrays = [_array(name, column, label) for (name, column), label in zip(columns.items(), labelled)]
    _need_equal([len(array) for array in arrays])
    # Laid out as ldp.h has it.
    layout = numpy.dtype([("text", numpy.uintp), ("length", numpy.uintp), ("number", numpy.float64)])
    values = numpy.zeros((len(arrays[0]), len(arrays)), layout)
    texts: list[object] = []
    for j, (array, label) in enumerate(zip(arrays, labelled)):
        if array.dtype.kind in _NUMERIC and not label:
            values["number"][:, j] = array
            continue
        given = array.tolist()
        if _EXACT.issuperset(type(value).__name__ for value in given):
            # Each label is encoded once, however many people have it.
            known: dict[Any, int] = {}
            places = [known.setdefault(value, len(known)) for value in given]
            given = list(known)
        else:  # Equal values of other types, such as 1 and True, are not the same value.
            places = list(range(len(given)))
        each = numpy.array([_value(value, label, texts) for value in given], layout)
        if len(places) > 0:
            values[:, j] = each[places]
    return Values(values.ctypes.data, values.size, values, texts)


def _array(name: str, column: Any, label: bool) -> numpy.ndarray[Any, Any]:
    """A column as an array of numbers, or of objects. Masked elements become missing values."""
    import numpy

    if label and _has_sets(column):
        column = [_joined(value) for value in column]
    if hasattr(column, "__array__"):
        array = numpy.asanyarray(column)
    else:
        # numpy would convert the elements of a list to a common type, and so NaN among labels to a text.
        values = list(column)
        if _NUMBERS.issuperset(map(type, values)):
            return numpy.array(values, numpy.float64)
        array = numpy.empty(len(values), object)
        for i, value in enumerate(values):
            array[i] = value
    if array.ndim != 1:
        raise Error(Code.INVALID_VALUE, f'the column "{name}" is no list of values', f"It has {array.ndim} dimensions.")
    if array.dtype.kind not in _NUMERIC + "OSU":
        raise Error(Code.INVALID_VALUE, f'the column "{name}" has neither numbers nor labels',
                    f"Its type is {array.dtype}.",
                    "Convert it explicitly to the numbers or labels that the spec declares.")
    if isinstance(array, numpy.ma.MaskedArray):
        numeric = array.dtype.kind in _NUMERIC and not label
        plain = numpy.array(array.data, numpy.float64 if numeric else object)
        plain[numpy.broadcast_to(array.mask, array.shape)] = numpy.nan if numeric else None
        return plain
    return numpy.asarray(array)


def _has_sets(column: Any) -> bool:
    return any(isinstance(value, (list, tuple, set, frozenset)) for value in column)


def _need_equal(lengths: Sequence[int]) -> None:
    if len(set(lengths)) > 1:
        raise Error(Code.INVALID_VALUE, "the columns have different lengths", f"Found {lengths}.")
