"""The output as one HTML page with drawings, which loads nothing from elsewhere."""

from __future__ import annotations

import math
from html import escape
from typing import Callable, Sequence

from .measure import Result
from .report import HEADINGS, by_epsilon, cells, heading, number, sections

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1b2a33; }
table { border-collapse: collapse; font-size: 13px; } th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #dde3e6; }
th:first-child, td:first-child { text-align: left; } tr.own td { background: #fff4e0; } tr.over td { background: #fde3e3; }
svg { max-width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: #1b2a33; }
.library { fill: #00796b; stroke: #00796b; } .paper { fill: #3949ab; stroke: #3949ab; } .own { fill: #c25700; stroke: #c25700; }
.over { fill: #c62828; stroke: #c62828; } .grid { stroke: #d5dcdf; } .claim { fill: none; stroke: #1b2a33; }
"""
_ROW, _LEFT, _PANEL, _GAP, _TOP = 20, 230, 250, 45, 40


def page(results: Sequence[Result], title: str, notes: Sequence[str]) -> str:
    """Returns the page. The title and the notes are plain text."""
    parts = [f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
             f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body><h1>{escape(title)}</h1>']
    parts += [f"<p>{escape(note)}</p>" for note in notes]
    for workload, population, rows in sections(results):
        parts.append(f"<h2>{escape(workload)}, population {escape(population)}</h2>"
                     f"<p>{rows[0].people:,} people, {rows[0].repetitions} repetitions.</p>")
        for group in by_epsilon(rows):
            parts += [f"<h3>{escape(heading(group))}</h3>", _drawing(group), _table(group)]
    return "\n".join(parts) + "\n</body></html>\n"


def _kind(row: Result) -> str:
    return "over" if row.overspends else row.source


def _table(rows: Sequence[Result]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in HEADINGS)
    body = "".join(f'<tr class="{_kind(row)}" title="{escape(row.kept_detail)}">' +
                   "".join(f"<td>{escape(cell)}</td>" for cell in cells(row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _drawing(rows: Sequence[Result]) -> str:
    """Three panels with a line for each entry: error with its interval, epsilon, and coverage with its interval."""
    height = _TOP + _ROW * len(rows) + 30
    width = _LEFT + 3 * (_PANEL + _GAP)
    parts = [f'<svg viewBox="0 0 {width} {height}" width="{width}" role="img" aria-label="error, epsilon kept and coverage of each entry">']
    for i, row in enumerate(rows):
        y = _line(i)
        parts.append(f'<text x="{_LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(row.entry)}</text>'
                     f'<line class="grid" x1="{_LEFT}" x2="{width - _GAP}" y1="{y}" y2="{y}"/>')
    parts += [_errors(rows, _LEFT), _epsilons(rows, _LEFT + _PANEL + _GAP), _coverages(rows, _LEFT + 2 * (_PANEL + _GAP))]
    return "".join(parts) + "</svg>"


def _line(index: int) -> float:
    return _TOP + _ROW * (index + 0.5)


def _axis(rows: Sequence[Result], left: float, title: str, ticks: Sequence[float], at: Callable[[float], float],
          label: Callable[[float], str] = number) -> str:
    bottom = _TOP + _ROW * len(rows)
    return f'<text x="{left + _PANEL / 2}" y="18" text-anchor="middle">{escape(title)}</text>' + "".join(
        f'<line class="grid" x1="{at(x):.1f}" x2="{at(x):.1f}" y1="{_TOP}" y2="{bottom}"/>'
        f'<text x="{at(x):.1f}" y="{bottom + 18}" text-anchor="middle">{escape(label(x))}</text>' for x in ticks)


def _point(row: Result, x: float, y: float, span: tuple[float, float] | None, title: str) -> str:
    bar = "" if span is None else f'<line x1="{span[0]:.1f}" x2="{span[1]:.1f}" y1="{y}" y2="{y}" stroke-width="2"/>'
    return f'<g class="{_kind(row)}"><title>{escape(title)}</title>{bar}<circle cx="{x:.1f}" cy="{y}" r="4"/></g>'


def _errors(rows: Sequence[Result], left: float) -> str:
    positive = [x for row in rows for x in (row.rmse, row.rmse_upper) if x > 0]
    if not positive:
        return ""
    low, high = math.log10(min(positive)) - 0.1, math.log10(max(positive)) + 0.1

    def at(x: float) -> float:
        share = (math.log10(x) - low) / (high - low) if x > 0 else 0.0
        return left + _PANEL * min(1.0, max(0.0, share))
    ticks = [m * 10.0 ** e for e in range(math.floor(low), math.ceil(high) + 1) for m in (1, 2, 5)]
    ticks = [x for x in ticks if low <= math.log10(x) <= high]
    ticks = ticks if len(ticks) <= 6 else [x for x in ticks if f"{x:e}"[0] == "1"]
    points = "".join(_point(row, at(row.rmse), _line(i), (at(row.rmse_lower), at(row.rmse_upper)), f"{row.entry}: {number(row.rmse)}")
                     for i, row in enumerate(rows))
    return _axis(rows, left, "RMSE, logarithmic, with 95 % interval", ticks, at) + points


def _epsilons(rows: Sequence[Result], left: float) -> str:
    most = max([1e-9, *(x for row in rows for x in (row.epsilon_kept, row.epsilon_claimed) if math.isfinite(x))]) * 1.1

    def at(x: float) -> float:
        return left + _PANEL * min(1.0, x / most)
    step = 10 ** math.floor(math.log10(most / 2))
    step *= next(factor for factor in (1, 2, 5, 10) if most / (step * factor) <= 5)
    ticks = [i * step for i in range(6) if i * step <= most]
    points = []
    for i, row in enumerate(rows):
        y = _line(i)
        points.append(_point(row, at(row.epsilon_kept), y, (at(row.epsilon_kept), at(row.epsilon_compared)),
                             f"{row.entry}: {'at least ' if row.kept_method == 'attack' else ''}{number(row.epsilon_kept)}"))
        points.append(f'<path class="claim" d="M{at(row.epsilon_claimed):.1f} {y - 7}v14"/>')
    return _axis(rows, left, "ε kept (point) and claimed (stroke)", ticks, at) + "".join(points)


def _coverages(rows: Sequence[Result], left: float) -> str:
    found = [x for row in rows for x in (row.coverage, row.coverage_lower) if x is not None]
    low = min([0.85, *found])

    def at(x: float) -> float:
        return left + _PANEL * (x - low) / (1 - low)
    points = "".join(
        _point(row, at(row.coverage), _line(i), (at(row.coverage_lower), at(row.coverage_upper)), f"{row.entry}: {row.coverage:.1%}")
        for i, row in enumerate(rows)
        if row.coverage is not None and row.coverage_lower is not None and row.coverage_upper is not None)
    mark = f'<line class="claim" x1="{at(0.95):.1f}" x2="{at(0.95):.1f}" y1="{_TOP}" y2="{_TOP + _ROW * len(rows)}" stroke-dasharray="3"/>'
    ticks = sorted({0.95, 1.0, *([round(low, 2)] if low < 0.9 else [])})
    return _axis(rows, left, "coverage of the 95 % intervals", ticks, at, lambda x: f"{x:.0%}") + mark + points
