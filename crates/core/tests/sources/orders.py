"""Mondrian on values in a stated order, on random tables: every cell of the release, and its loss.

Shares nothing with the program. Writes one JSON object per line: a policy, a table, the released
rows in any order, and the loss "lm". orders.jsonl is its output:

    python3 orders.py > orders.jsonl

Definitions (LeFevre et al. 2006; De Spoelberch, 2.4.3; docs/policy.md, "Local recoding"):

- A region is cut in two between two neighbouring values of one column, so that the sides have as
  many rows as possible each: of the cuts that leave sides most alike the first. A cut is allowed if
  both sides have k rows.
- Of the columns with an allowed cut, the one is cut whose values spread over the largest part of
  the column: (values covered - 1) / (values - 1), of the listed values for an order, of those that
  occur for numbers. Of equals the first column. A region without an allowed cut is final.
- Missing comes last. It is cut off first if that is allowed. Beside others it covers everything.
- A cell is the value, `*` where missing meets others, and otherwise `first - last` in the order, or
  `[low, high]` for numbers. An end of a range that could be misread is in quotes.
- "lm" is the mean over columns of the mean over rows of (values covered - 1) / (values - 1).
"""

import json
import random

NAMES = ["H.S. Dropout", "Masters", "PhD", "a - b", "c, d", "7", "-", "x", "*y", "say \"x\"", "B", "{z"]


class Column:
    """Values in order; None is missing and last."""

    def __init__(self, values, cells, listed):
        self.listed = listed
        self.values = values + ([None] if None in cells else [])
        self.place = {value: at for at, value in enumerate(self.values)}

    def covered(self, cells):
        places = [self.place[cell] for cell in cells]
        low, high = min(places), max(places)
        if low < high and self.values[high] is None:
            low = 0
        return low, high

    def width(self, cells):
        low, high = self.covered(cells)
        return (high - low) / (len(self.values) - 1) if len(self.values) > 1 else 0.0

    def text(self, cells):
        low, high = self.covered(cells)
        first, last = self.values[low], self.values[high]
        if low == high:
            return first
        if last is None:
            return "*"
        return f"{end(first)} - {end(last)}" if self.listed else f"[{first}, {last}]"


def end(value):
    marks = any(mark in value for mark in [",", "{", "}", '"', "*", " - "])
    edges = value.startswith("- ") or value.endswith(" -") or value.strip() != value or not value
    return '"' + value.replace('"', '""') + '"' if marks or edges else value


def cut(column, at, region, k):
    """The two sides, or None where the cut is not allowed."""
    places = sorted({column.place[row[at]] for row in region})
    sides = []
    for place in places[1:]:
        low = [row for row in region if column.place[row[at]] < place]
        high = [row for row in region if column.place[row[at]] >= place]
        sides.append((low, high))
    if not sides:
        return None
    if column.values[places[-1]] is None and min(map(len, sides[-1])) >= k:
        return sides[-1]
    best = min(sides, key=lambda side: abs(len(side[0]) - len(side[1])))
    return best if min(map(len, best)) >= k else None


def regions(columns, region, k):
    order = sorted(range(len(columns)), key=lambda at: -columns[at].width([row[at] for row in region]))
    for at in order:
        sides = cut(columns[at], at, region, k)
        if sides:
            return regions(columns, sides[0], k) + regions(columns, sides[1], k)
    return [region]


def case(rng):
    width, count = rng.randint(1, 3), rng.randint(2, 30)
    columns, cells, lines = [], [], ["version = 1", "[input]", 'path = "t.csv"']
    for at in range(width):
        missing = rng.choice([0.0, 0.0, 0.15])
        listed = at == 0 or rng.random() < 0.5
        values = rng.sample(NAMES, rng.randint(2, 9)) if listed else [str(n * n) for n in range(9)]
        some = values if listed else rng.sample(values, rng.randint(2, 9))
        column = [None if rng.random() < missing else rng.choice(some) for _ in range(count)]
        # A column that is missing throughout is not one of numbers.
        column[0] = column[0] or some[0]
        occurring = [value for value in values if listed or value in column]
        columns.append(Column(occurring, column, listed))
        cells.append(column)
        lines.append(f'[columns.c{at}]\nrole = "quasi"')
        if listed:
            groups = rng.choice(["", ", fanout = [2]"])
            lines.append(f"hierarchy = {{ order = {{ values = {json.dumps(values)}{groups} }} }}")
            if groups or rng.random() < 0.5:
                lines.append('form = "range"')
    k = rng.randint(1, min(4, count))
    lines.append(f'[privacy]\nk = {k}\n[search]\nalgorithm = "mondrian"\nloss = "lm"\nmondrian = {{ by = "range" }}\n')
    rows = [list(row) for row in zip(*cells)]
    released, sums = [], [0.0] * width
    for region in regions(columns, rows, k):
        made = [column.text([row[at] for row in region]) for at, column in enumerate(columns)]
        released.extend([made] * len(region))
        for at, column in enumerate(columns):
            sums[at] += len(region) * column.width([row[at] for row in region])
    loss = sum(sums) / count / width
    return {"policy": "\n".join(lines), "rows": rows, "released": released, "lm": round(loss, 12)}


def main():
    rng = random.Random(20060403)
    for _ in range(200):
        print(json.dumps(case(rng)))


main()
