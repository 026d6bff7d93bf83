"""Reads the cells of a release: values, intervals, sets, ranges, masks and `*`.

The forms are those that docs/cells.md explains; cases.csv lists examples that this file, throng.R and the program itself
are tested with. Needs Python 3.8 and nothing else. Costs one pass over a text.

    import csv, throng
    rows = list(csv.DictReader(open("release.csv", newline="")))
    throng.add_bounds(rows, "age")          # adds age_low and age_high

Whether a text is meant as a form or is a value that happens to look like one, only the column's hierarchy can say.
"""

import math
import re
from typing import List, NamedTuple, Optional, Tuple

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")


class Cell(NamedTuple):
    """A cell as it is read; what a kind does not have is None."""

    #: "anything", "value", "interval", "set", "range" or "masked"
    kind: str
    #: The value, for "value".
    value: Optional[str] = None
    #: The bounds, for "interval"; an infinite one is none.
    low: Optional[float] = None
    high: Optional[float] = None
    #: Whether the bounds themselves belong to it.
    has_low: Optional[bool] = None
    has_high: Optional[bool] = None
    #: The values, for "set".
    values: Optional[List[str]] = None
    #: What is shown, how many characters are hidden, and whether the beginning is shown, for "masked".
    shown: Optional[str] = None
    hidden: Optional[int] = None
    begins: Optional[bool] = None
    #: The first and the last value in the order of the column, for "range".
    first: Optional[str] = None
    last: Optional[str] = None


def number(text: str) -> Optional[float]:
    """The finite number that a text is, spaces around it aside."""
    text = text.strip()
    if not _NUMBER.match(text):
        return None
    x = float(text) + 0.0
    return x if math.isfinite(x) else None


def parse(text: str) -> Cell:
    """Reads a cell."""
    if text == "*":
        return Cell("anything")
    return _interval(text) or _set(text) or _range(text) or _masked(text) or Cell("value", value=text)


def bounds(text: Optional[str]) -> Tuple[Optional[float], Optional[float]]:
    """The least and the greatest number that can be behind a cell; (None, None) where it is no number or missing."""
    if text is None or text == "":
        return None, None
    cell = parse(text)
    if cell.kind == "anything":
        return -math.inf, math.inf
    if cell.kind == "interval":
        return cell.low, cell.high
    numbers = [number(value) for value in (cell.values or [cell.value or ""])]
    if cell.kind in ("masked", "range") or any(x is None for x in numbers):
        return None, None
    return min(numbers), max(numbers)


def add_bounds(rows, column: str):
    """Adds COLUMN_low and COLUMN_high to every row, a dict; gives the rows back."""
    for row in rows:
        row[column + "_low"], row[column + "_high"] = bounds(row[column])
    return rows


def _interval(text: str) -> Optional[Cell]:
    if text.startswith(">= "):
        low = number(text[3:])
        return None if low is None else Cell("interval", None, low, math.inf, True, False)
    if text.startswith("< "):
        high = number(text[2:])
        return None if high is None else Cell("interval", None, -math.inf, high, False, False)
    if len(text) < 2 or text[0] not in "[(" or text[-1] not in "])":
        return None
    low_text, comma, high_text = text[1:-1].partition(", ")
    low, high = number(low_text), number(high_text)
    if not comma or low is None or high is None or low > high:
        return None
    return Cell("interval", None, low, high, text[0] == "[", text[-1] == "]")


def _plain(value: str) -> bool:
    """Whether a value of a set is written without quotes."""
    return value != "" and value.strip() == value and not any(c in value for c in ',{}"')


def _plain_end(value: str) -> bool:
    """Whether an end of a range is written without quotes."""
    dashed = " - " in value or value.startswith("- ") or value.endswith(" -")
    return _plain(value) and "*" not in value and not dashed


_QUOTED = re.compile(r'"((?:[^"]|"")*)"(?!")')


def _range(text: str) -> Optional[Cell]:
    ends, rest = [], text
    for separator in (" - ", ""):
        found = _QUOTED.match(rest)
        if found:
            value, rest = found.group(1).replace('""', '"'), rest[found.end():]
        else:
            size = rest.find(separator) if separator else len(rest)
            value, rest = rest[:max(size, 0)], rest[max(size, 0):]
            if not _plain_end(value):
                return None
        if not rest.startswith(separator) or (not separator and rest):
            return None
        ends.append(value)
        rest = rest[len(separator):]
    return None if ends[0] == ends[1] else Cell("range", first=ends[0], last=ends[1])


def _set(text: str) -> Optional[Cell]:
    if len(text) < 2 or text[0] != "{" or text[-1] != "}":
        return None
    rest, values = text[1:-1], []
    while True:
        if rest.startswith('"'):
            found = _QUOTED.match(rest)
            if not found:
                return None
            value, rest = found.group(1).replace('""', '"'), rest[found.end():]
        else:
            value, comma, after = rest.partition(", ")
            if not _plain(value):
                return None
            rest = comma + after
        values.append(value)
        if rest == "":
            return Cell("set", values=values)
        if not rest.startswith(", "):
            return None
        rest = rest[2:]


def _masked(text: str) -> Optional[Cell]:
    for shown, begins in ((text.rstrip("*"), True), (text.lstrip("*"), False)):
        if shown and shown != text and "*" not in shown:
            return Cell("masked", shown=shown, hidden=len(text) - len(shown), begins=begins)
    return None
