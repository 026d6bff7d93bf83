"""MinGen with a preference, and Mondrian with a choice of columns, on random tables.

Shares nothing with the program: expressions are Python here and text in the policies. Writes one
JSON object per line: a policy, a table, and what is to be found. That is the levels that are chosen
(none where no node is safe), or the released rows. preferences.jsonl is its output:

    python3 preferences.py > preferences.jsonl

Definitions (docs/policy.md, "Preferences"; De Spoelberch, algorithms 1 and 3):

- A node is safe if few enough rows are in combinations that fewer than k rows have.
- It is minimal if it is safe and no other safe node has levels that are all at most its own.
- Of the minimal nodes, the one with the least value of the expression is chosen; "samarati" looks at
  those with the least sum of levels alone. Ties go to the lower sum of levels, which is the loss
  here, then to the first levels in the order of columns.
- Mondrian begins with all rows. It cuts the column with the greatest value of the expression; ties
  go to the first column. A column of numbers is cut in two where the sides have most equal rows, the
  first of such cuts; where a side then has fewer than k rows, the next column is tried. A region
  that cannot be cut is released: each cell has the least and the greatest number of the region.
"""

import itertools
import json
import math
import random
from collections import Counter

VALUES = "012345"


def label(value, level, height):
    """Levels of `order` with groups of two, or of a column without a hierarchy."""
    if level == height:
        return "*"
    return value if level == 0 else int(value) // 2


class Node:
    def __init__(self, case, levels):
        self.levels, self.case = levels, case
        heights = [column["height"] for column in case["columns"]]
        shown = [tuple(map(label, row, levels, heights)) for row in case["rows"]]
        sizes = Counter(shown)
        self.rows = len(shown)
        self.suppressed = sum(n for n in sizes.values() if n < case["k"])
        self.classes = sum(1 for n in sizes.values() if n >= case["k"])
        self.dm_star = sum(n * n for n in sizes.values())
        self.height = sum(levels)
        self.relative = sum(level / height for level, height in zip(levels, heights))


PREFERENCES = [
    ("suppressed", lambda n: n.suppressed),
    ("-classes", lambda n: -n.classes),
    ("level(c0)", lambda n: n.levels[0]),
    ("-2 * level(c1) + level(c0)", lambda n: -2 * n.levels[1] + n.levels[0]),
    ("height(c0) - level(c0) + 3 * suppressed",
     lambda n: n.case["columns"][0]["height"] - n.levels[0] + 3 * n.suppressed),
    ('"dm*" / rows', lambda n: n.dm_star / n.rows),
    ("if(level(c1) > 0 and not suppressed = 0, 10, height)",
     lambda n: 10 if n.levels[1] > 0 and n.suppressed != 0 else n.height),
    ("max(level(c0), level(c1)) - min(level(c0), level(c1), 1)",
     lambda n: max(n.levels[0], n.levels[1]) - min(n.levels[0], n.levels[1], 1)),
    ("relative", lambda n: n.relative),
    ("1 / suppressed", lambda n: 1 / n.suppressed if n.suppressed else math.inf),
    ("log(suppressed - 2)", lambda n: math.log(n.suppressed - 2) if n.suppressed > 2 else
     (-math.inf if n.suppressed == 2 else math.inf)),
]


def searched(rng):
    width = rng.randint(2, 4)
    columns = [{"height": rng.choice([1, 2, 2])} for _ in range(width)]
    used = [VALUES[:rng.randint(2, 6)] for _ in range(width)]
    rows = [[rng.choice(values) for values in used] for _ in range(rng.randint(4, 18))]
    case = {"columns": columns, "rows": rows, "k": rng.randint(2, 3)}
    share = rng.choice([0.0, 0.2, 0.4])
    algorithm = rng.choice(["auto", "ola", "incognito", "mingen", "samarati"])
    text, value = rng.choice(PREFERENCES)
    most = math.floor(share * len(rows) + 1e-9)
    every = itertools.product(*[range(column["height"] + 1) for column in columns])
    safe = [node for node in (Node(case, levels) for levels in every) if node.suppressed <= most]

    def below(a, b):
        return a is not b and all(x <= y for x, y in zip(a.levels, b.levels))

    minimal = [node for node in safe if not any(below(other, node) for other in safe)]
    if algorithm == "samarati":
        lowest = min((node.height for node in minimal), default=0)
        minimal = [node for node in minimal if node.height == lowest]
    best = min(minimal, key=lambda node: (value(node), node.height, node.levels), default=None)
    lines = ["version = 1", "[input]", 'path = "t.csv"']
    for at, column in enumerate(columns):
        lines.append(f'[columns.c{at}]\nrole = "quasi"')
        if column["height"] == 2:
            lines.append(f'hierarchy = {{ order = {{ values = {json.dumps(list(VALUES))}, fanout = [2] }} }}')
    lines.append(f'[privacy]\nk = {case["k"]}\nsuppression = {share}')
    lines.append(f'[search]\nalgorithm = "{algorithm}"\nloss = "height"\nprefer = \'{text}\'\n')
    levels = best and {f"c{at}": level for at, level in enumerate(best.levels)}
    return {"policy": "\n".join(lines), "rows": rows, "levels": levels}


class Cut:
    """A column of a region."""

    def __init__(self, table, rows, at, weight, depth):
        numbers, every = {row[at] for row in rows}, sorted({row[at] for row in table})
        self.at, self.weight, self.depth, self.rows = at, weight, depth, len(rows)
        self.values, self.width = len(numbers), max(numbers) - min(numbers)
        self.share = (every.index(max(numbers)) - every.index(min(numbers))) / max(len(every) - 1, 1)


CHOICES = [
    ("range", lambda c: c.weight * c.share),
    ("values", lambda c: c.values),
    ("width", lambda c: c.width),
    ("-share", lambda c: -c.share),
    ("if(is(c1), 100, 0) + width", lambda c: (100 if c.at == 1 else 0) + c.width),
    ("if(depth = 1, -values, values) * weight", lambda c: (-c.values if c.depth == 1 else c.values) * c.weight),
    ("if(rows >= 9, width / values, values / width)",
     lambda c: c.width / c.values if c.rows >= 9 else c.values / c.width),
]


def parts(case, rows, depth):
    """The regions of some rows."""
    able = [at for at in range(len(rows[0])) if len({row[at] for row in rows}) > 1]
    cuts = [Cut(case["table"], rows, at, case["weights"][at], depth) for at in able]
    for cut in sorted(cuts, key=lambda cut: (-case["value"](cut), cut.at)):
        values = sorted({row[cut.at] for row in rows})[1:]
        sides = [([row for row in rows if row[cut.at] < v], [row for row in rows if row[cut.at] >= v]) for v in values]
        low, high = min(sides, key=lambda side: abs(len(side[0]) - len(side[1])))
        if min(len(low), len(high)) >= case["k"]:
            return parts(case, low, depth + 1) + parts(case, high, depth + 1)
    return [rows]


def cell(numbers):
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"[{low}, {high}]"


def cut(rng):
    width = rng.randint(2, 3)
    spread = [rng.choice([3, 9, 40]) for _ in range(width)]
    table = [[rng.randint(0, most) for most in spread] for _ in range(rng.randint(6, 24))]
    weights = [rng.choice([1, 1, 2, 0.5]) for _ in range(width)]
    text, value = rng.choice(CHOICES)
    case = {"table": table, "weights": weights, "k": rng.randint(2, 4), "value": value}
    released = []
    for region in parts(case, table, 0):
        cells = [cell([row[at] for row in region]) for at in range(width)]
        released += [cells for _ in region]
    lines = ["version = 1", "[input]", 'path = "t.csv"']
    lines += [f'[columns.c{at}]\nrole = "quasi"\nweight = {weight}' for at, weight in enumerate(weights)]
    lines.append(f'[privacy]\nk = {case["k"]}')
    lines.append(f'[search]\nalgorithm = "mondrian"\nloss = "lm"\nchoose = \'{text}\'\n')
    return {"policy": "\n".join(lines), "rows": [[str(n) for n in row] for row in table], "released": released}


if __name__ == "__main__":
    source = random.Random(2002)
    for _ in range(150):
        print(json.dumps(searched(source)))
    for _ in range(100):
        print(json.dumps(cut(source)))
