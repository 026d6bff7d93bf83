"""Tests throng.py with the cases that all readers share."""

import io
import math
import os
import sys

folder = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, folder)
sys.dont_write_bytecode = True
import throng  # noqa: E402


def expected(kind, low, high, has_low, has_high, parts):
    if kind == "anything":
        return throng.Cell(kind)
    if kind == "value":
        return throng.Cell(kind, value=parts)
    if kind == "interval":
        return throng.Cell(kind, None, float(low), float(high), has_low == "true", has_high == "true")
    if kind == "set":
        return throng.Cell(kind, values=parts.split("|"))
    if kind == "range":
        first, last = parts.split("|")
        return throng.Cell(kind, first=first, last=last)
    shown, hidden, begins = parts.split("|")
    return throng.Cell(kind, shown=shown, hidden=int(hidden), begins=begins == "true")


def main():
    with io.open(os.path.join(folder, "cases.csv"), encoding="utf-8") as file:
        lines = file.read().split("\n")[1:-1]
    assert len(lines) > 30, len(lines)
    for line in lines:
        text, rest = line.split(";", 1)
        found, wanted = throng.parse(text), expected(*rest.split(";"))
        assert found == wanted, (text, found, wanted)
    rows = [{"age": t} for t in ["[20, 35)", "7", "*", "", "{3, 1}", "< 5", "old", "2*", "3 - 5"]]
    throng.add_bounds(rows, "age")
    found = [(row["age_low"], row["age_high"]) for row in rows]
    none, inf = (None, None), math.inf
    assert found == [(20, 35), (7, 7), (-inf, inf), none, (1, 3), (-inf, 5), none, none, none], found
    print("readers/throng.py: %d cases, %d of statistics" % (len(lines), statistics()))


def near(a, b):
    return a == b or abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))


def statistics():
    with io.open(os.path.join(folder, "statistics.csv"), encoding="utf-8") as file:
        lines = file.read().split("\n")[1:-1]
    for line in lines:
        cells, *wanted, exact = line.split(";")
        spans = throng.spans(cells.split("|"), (-10, 20))
        found = [throng.mean(spans), throng.median(spans), throng.quantile(spans, 0.25), throng.variance(spans)]
        found_ends = [end for bounds in found for end in bounds[:2]]
        assert all(near(a, float(b)) for a, b in zip(found_ends, wanted)), (line, found)
        assert found[3].exact == (exact == "true"), line
    brute_force()
    assert throng.spans(["*", "< 5", ""], (0, 120)) == [(0, 120), (0, 5)]
    try:
        throng.spans(["old"])
    except ValueError:
        return len(lines)
    raise AssertionError("text is not a number")


def brute_force():
    """Bounds of the variance of few cells are those of all corners, and of points of a fine grid."""
    import itertools
    import random

    random.seed(1)
    for _ in range(200):
        spans = []
        for _ in range(random.randint(2, 7)):
            low = random.randint(0, 20)
            spans.append((low, low + random.choice([0, random.randint(0, 12)])))

        def of(values):
            middle = sum(values) / len(values)
            return sum((x - middle) ** 2 for x in values) / len(values)

        found = throng.variance(spans, sample=False)
        most = max(of(values) for values in itertools.product(*spans))
        grid = [x / 16 for x in range(0, 16 * 33)]
        least = min(of([min(max(point, low), high) for low, high in spans]) for point in grid)
        assert near(found.high, most), (spans, found, most)
        assert found.low <= least + 1e-9 and least - found.low < 0.02, (spans, found, least)


main()
