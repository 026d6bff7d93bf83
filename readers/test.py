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
    print("readers/throng.py: %d cases" % len(lines))


main()
