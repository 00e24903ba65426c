"""Answers in notebooks: drawings of estimates and tables of rows."""

from __future__ import annotations

import base64
import html
import json
import math
import os
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence

from . import native
from .errors import Code, Error

if TYPE_CHECKING:
    from .collection import Collection


class Drawing:
    """A drawing as an SVG document, which notebooks show. `svg` is its text. It loads no other file and runs no script."""

    def __init__(self, svg: str, title: str = "") -> None:
        self.svg = svg
        self.title = title

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the document to a file."""
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self.svg)

    def _repr_html_(self) -> str:
        # As an image, the drawing and the notebook do not share styles.
        data = base64.b64encode(self.svg.encode()).decode()
        return f'<img src="data:image/svg+xml;base64,{data}" alt="{html.escape(self.title or "estimates")}">'

    def __repr__(self) -> str:
        return f"<Drawing of {self.title or 'estimates'}: {len(self.svg)} characters of SVG>"


def plot(rows: Any, collection: Collection | None = None, title: str = "") -> Drawing:
    """Draws estimates with their intervals, as `ldp estimate` does.

    `rows` are the rows of a query, as a data frame or a list of dicts: of a `Summary`, of `Groups`, of `ldp.estimate` or of
    `ldp.frame`. They need the column `estimate`; the columns attribute, label, statistic, lower, upper, group_key, round, low, high,
    cell and note choose the figures. Shares become bars or a histogram, rows of several rounds become lines, and rows of groups are
    compared. `collection` has the titles, units and ranges of the attributes. Raises Error (INVALID_VALUE), also for more than
    10,000 rows, and Error (UNSUPPORTED) if the library cannot draw.
    """
    native.need("ldp_plot")
    text = json.dumps([_plain_row(row) for row in _as_rows(rows)]).encode()
    drawn = native.made_text("ldp_plot", None if collection is None else collection._handle, text, len(text),
                             title.encode("utf-8", "surrogatepass") or None)
    return Drawing(drawn, title)


class Rows(list[dict[str, Any]]):
    """Rows of a result: a list of dicts, which notebooks show as a table."""

    def _repr_html_(self) -> str:
        return table(self)


def table(rows: Sequence[Mapping[str, Any]], columns: Iterable[str] | None = None, most: int = 60) -> str:
    """Returns rows as an HTML table. Texts are escaped, since labels may have any characters. Further rows than `most` are counted."""
    names = list(columns) if columns is not None else list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f"<th>{html.escape(str(name))}</th>" for name in names)
    lines = ["<tr>" + "".join(_cell(row.get(name)) for name in names) + "</tr>" for row in rows[:most]]
    rest = f"<p>{len(rows)} rows</p>" if len(rows) > most else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>{rest}"


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:.6g}</td>'
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<td style="text-align: right">{value}</td>'
    shown = json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else str(value)
    return f"<td>{html.escape(shown if len(shown) <= 200 else shown[:199] + chr(0x2026))}</td>"


def _as_rows(rows: Any) -> Iterable[Mapping[str, Any]]:
    if hasattr(rows, "to_dict"):  # a data frame
        found: Iterable[Mapping[str, Any]] = rows.to_dict("records")
        return found
    if isinstance(rows, (str, bytes, Mapping)):
        raise Error(Code.INVALID_VALUE, "a drawing is made from a list of rows", f"Found a {type(rows).__name__}.")
    return list(rows)


def _plain_row(row: Any) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        raise Error(Code.INVALID_VALUE, "a row is not a dict", f"Found a {type(row).__name__}.")
    return {str(name): _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    """A cell as JSON: missing values become null, and infinite numbers and other objects become texts."""
    if hasattr(value, "tolist"):  # numpy
        value = value.tolist()
    if isinstance(value, float):
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return None if math.isnan(value) else value
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if type(value).__name__ == "Decimal":
        return _plain(float(value))
    return str(value)  # dates, and JSON of the server
