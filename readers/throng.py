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


# Statistics of cells: bounds between which the statistic of every original lies, as
# docs/statistics.md explains. The program itself rounds outward and has more statistics; here
# bounds are floats, and their last digits are rounded.


class Bounds(NamedTuple):
    """A statistic of the original lies from low to high; sharp bounds are exact, others a guaranteed enclosure."""

    low: float
    high: float
    exact: bool


def spans(cells, domain: Optional[Tuple[float, float]] = None) -> List[Tuple[float, float]]:
    """The bounds of cells that are not missing. `domain` is what `*` and open intervals can be.

    Raises ValueError for a cell that is not a number.
    """
    least, most = domain if domain else (-math.inf, math.inf)
    found = []
    for text in cells:
        if text is None or text == "":
            continue
        low, high = bounds(text)
        if low is None:
            low, high = _digits(parse(text))
        if low is None:
            raise ValueError("%r is not a number" % text)
        found.append((low if math.isfinite(low) else min(least, high), high if math.isfinite(high) else max(most, low)))
    return found


def _digits(cell: Cell) -> Tuple[Optional[float], Optional[float]]:
    """The bounds of a mask whose hidden characters are digits."""
    if cell.kind != "masked":
        return None, None
    ends = []
    for digit in "09":
        hidden = digit * cell.hidden
        ends.append(number(cell.shown + hidden if cell.begins else hidden + cell.shown))
    if any(x is None for x in ends):
        return None, None
    return min(ends), max(ends)


def mean(spans) -> Bounds:
    """Bounds of the mean; sharp."""
    n = len(spans)
    return Bounds(math.fsum(low for low, _ in spans) / n, math.fsum(high for _, high in spans) / n, True)


def quantile(spans, share: float) -> Bounds:
    """Bounds of a quantile, by interpolation between rows (type 7); sharp."""

    def of(values):
        values = sorted(values)
        place = (len(values) - 1) * share
        row = int(math.floor(place))
        rest = place - row
        below, above = values[row], values[min(row + 1, len(values) - 1)]
        return below if rest == 0 or below == above else below + rest * (above - below)

    return Bounds(of(low for low, _ in spans), of(high for _, high in spans), True)


def median(spans) -> Bounds:
    """Bounds of the median; sharp."""
    return quantile(spans, 0.5)


def variance(spans, sample: bool = True) -> Bounds:
    """Bounds of the variance. The lower one is sharp for cells without gaps; the upper one is sharp if no cell near the mean lies
    within another, or if few do, and an enclosure otherwise."""
    n = len(spans)
    low = _least(spans)
    high, exact = _greatest(spans)
    factor = n / (n - 1) if sample else 1.0
    return Bounds(max(0.0, low) * factor, high * factor, exact)


def _least(spans) -> float:
    """The variance of values that are moved as close to one point as they can be: the least over all points."""
    most_low, least_high = max(low for low, _ in spans), min(high for _, high in spans)
    if most_low <= least_high:
        return 0.0
    highs, lows = sorted(high for _, high in spans), sorted(low for low, _ in spans)
    below, above = [0.0], [0.0]
    for high in highs:
        below.append(below[-1] + high)
    for low in reversed(lows):
        above.append(above[-1] + low)
    ends = sorted(set(highs + lows))
    from bisect import bisect_left, bisect_right

    def outside(first, last):
        """How many cells lie below and above a range between neighbouring ends, and the sum of their nearest bounds."""
        under = bisect_right(highs, first)
        over = len(lows) - bisect_left(lows, last)
        return under + over, below[under] + above[over]

    points = [x for x in ends if math.isfinite(x)]
    for first, last in zip(points, points[1:]):
        count, total = outside(first, last)
        if count and first <= total / count <= last:
            points = [total / count]
            break

    def at(point):
        return math.fsum(max(low - point, point - high, 0.0) ** 2 for low, high in spans) / len(spans)

    return min(at(point) for point in points)


def _greatest(spans) -> Tuple[float, bool]:
    """The greatest variance, over bounds of cells: the dual bound leaves few cells undecided, which are tried in order or all."""
    n = len(spans)
    if any(not (math.isfinite(low) and math.isfinite(high)) for low, high in spans):
        return math.inf, True

    def farther(cell, point):
        return cell[0] if point - cell[0] > cell[1] - point else cell[1]

    def of(values):
        middle = math.fsum(values) / n
        return math.fsum((x - middle) ** 2 for x in values) / n

    # Where the mean of the farther bounds is the point itself, or jumps over it.
    first, last = min(low for low, _ in spans), max(high for _, high in spans)
    for _ in range(200):
        point = (first + last) / 2
        if not first < point < last:
            break
        if math.fsum(farther(cell, point) for cell in spans) / n > point:
            first = point
        else:
            last = point
    middles = sorted((low + high) / 2 for low, high in spans)
    point = min(middles, key=lambda x: abs(x - first)) if any(abs(x - first) <= 1e-9 * (1 + abs(x)) for x in middles) else first
    dual = math.fsum((farther(cell, point) - point) ** 2 for cell in spans) / n
    found = of([farther(cell, point) for cell in spans])
    reach = math.sqrt(max(0.0, dual - found)) * (1 + 1e-9) + 1e-9 * (1 + abs(point))
    rest, open_cells = [], []
    for low, high in spans:
        near = abs((low + high) / 2 - point) <= reach + (high - low) / 2 / n
        (open_cells if near and low < high else rest).append((low, high))
    fixed = [farther(cell, point) for cell in rest]
    open_cells.sort()
    if all(a[1] <= b[1] for a, b in zip(open_cells, open_cells[1:])):
        ways = ([low for low, _ in open_cells[:k]] + [high for _, high in open_cells[k:]] for k in range(len(open_cells) + 1))
    elif len(open_cells) <= 16:
        ways = ([cell[choice >> i & 1] for i, cell in enumerate(open_cells)] for choice in range(1 << len(open_cells)))
    else:
        return dual, False
    return max(of(fixed + values) for values in ways), True
