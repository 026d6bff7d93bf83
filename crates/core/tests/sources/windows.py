"""MinGen and Datafly with levels that do not nest, on random tables: every node that each may end at.

Shares nothing with the program. Writes one JSON object per line: a policy, a table, and the nodes
that the algorithm may choose, each with its levels, its loss and the rows that it releases, in any
order. windows.jsonl is its output:

    python3 windows.py > windows.jsonl

Definitions (El Emam et al. 2009, "2-year interval, and then ... 5-year interval"; Sweeney 2001,
figure 27; docs/policy.md, "Hierarchies"; docs/numbers.md):

- Each level is a map of its own from value to label. Widths count from `low`; values below it are
  `< low`, values from `high` on `>= high`, and the last interval ends at `high`. Windows of months
  count from January of the year 0, weeks are those of ISO 8601.
- A node is safe if at most the allowed rows are in combinations that fewer than k rows have. Those
  rows are left out.
- MinGen checks all nodes and takes a safe one of least loss. "prec" is the mean of level / height;
  "lm" is the mean over columns of (mean share - 1/D) / (1 - 1/D), where the share of a cell is the
  values under its label out of the D that occur, and 1 for rows that are left out.
- Datafly begins at level 0. While the node is unsafe, the column with most distinct labels goes up
  one level; of several any.
"""

import datetime
import itertools
import json
import math
import random
from collections import Counter


def interval(width, low, high):
    def label(value):
        x = int(value)
        if x < low:
            return f"< {low}"
        if high is not None and x >= high:
            return f">= {high}"
        first = low + (x - low) // width * width
        last = first + width if high is None else min(first + width, high)
        return f"[{first}, {last})"

    return label


def window(months):
    def label(value):
        year, month, _ = map(int, value.split("-"))
        at = 12 * year + month - 1
        first = at - at % months
        if months == 1:
            return f"{year}-{month:02}"
        written = [f"{m // 12}-{m % 12 + 1:02}" for m in (first, first + months)]
        return f"[{written[0]}, {written[1]})"

    return label


def week(value):
    year, number, _ = datetime.date.fromisoformat(value).isocalendar()
    return f"{year}-W{number:02}"


def column(rng, count):
    """Labels per level, the hierarchy of the policy, and the cells."""
    kind = rng.choice(["age", "age", "date", "city"])
    top = [lambda value: "*"]
    own = [lambda value: value]
    if kind == "city":
        return own + top, '"suppress"', [rng.choice("abc") for _ in range(count)]
    if kind == "age":
        widths = rng.choice([[2, 5], [3, 4, 10], [2, 3], [4, 6, 9]])
        low, high = rng.choice([0, 0, 4]), rng.choice([None, 23])
        levels = own + [interval(width, low, high) for width in widths] + top
        end = "" if high is None else f", high = {high}"
        spec = f"{{ intervals = {{ widths = {widths}, low = {low}{end}, nested = false }} }}"
        return levels, spec, [str(rng.randrange(0, 30)) for _ in range(count)]
    months = rng.choice([[2, 3], [2, 4, 6, 12, 24], ["week", 1]])
    levels = own + [week if m == "week" else window(m) for m in months] + top
    names = ["week" if m == "week" else f"{m}-month" for m in months]
    spec = f"{{ date = {{ levels = {json.dumps(names)}, nested = false }} }}"
    day = datetime.date(2020, 1, 1)
    days = [day + datetime.timedelta(rng.randrange(0, rng.choice([40, 700]))) for _ in range(count)]
    return levels, spec, [d.isoformat() for d in days]


def cells(case, node):
    columns = zip(case["labels"], node, case["cells"])
    return list(zip(*([labels[level](value) for value in values] for labels, level, values in columns)))


def released(case, node):
    made = cells(case, node)
    counts = Counter(made)
    return [row for row in made if counts[row] >= case["k"]]


def loss(case, node):
    if case["loss"] == "prec":
        return sum(level / (len(labels) - 1) for level, labels in zip(node, case["labels"])) / len(node)
    made = cells(case, node)
    counts = Counter(made)
    sums = 0.0
    for at, (labels, level, values) in enumerate(zip(case["labels"], node, case["cells"])):
        domain = set(values)
        if len(domain) < 2:
            continue
        under = Counter(labels[level](value) for value in domain)
        shares = [under[row[at]] / len(domain) if counts[row] >= case["k"] else 1.0 for row in made]
        mean, least = sum(shares) / len(shares), 1 / len(domain)
        sums += (mean - least) / (1 - least)
    return sums / len(node)


def ends(case):
    rows = len(case["cells"][0])
    most = math.floor(case["share"] * rows + 1e-9)
    safe = lambda node: rows - len(released(case, node)) <= most
    heights = [len(labels) - 1 for labels in case["labels"]]
    if case["algorithm"] == "mingen":
        nodes = [node for node in itertools.product(*(range(h + 1) for h in heights)) if safe(node)]
        least = min(loss(case, node) for node in nodes)
        return [node for node in nodes if loss(case, node) <= least + 1e-9]
    found, open_nodes, seen = [], [tuple(0 for _ in heights)], set()
    while open_nodes:
        node = open_nodes.pop()
        if node in seen:
            continue
        seen.add(node)
        if safe(node):
            found.append(node)
            continue
        able = [at for at, height in enumerate(heights) if node[at] < height]
        distinct = {at: len({case["labels"][at][node[at]](v) for v in case["cells"][at]}) for at in able}
        for at in able:
            if distinct[at] == max(distinct.values()):
                open_nodes.append(node[:at] + (node[at] + 1,) + node[at + 1:])
    return sorted(found)


def case(rng):
    count = rng.randint(4, 24)
    made = [column(rng, count) for _ in range(rng.randint(1, 3))]
    case = {
        "labels": [m[0] for m in made],
        "cells": [m[2] for m in made],
        "k": rng.randint(2, 3),
        "share": rng.choice([0.0, 0.1, 0.25]),
        "loss": rng.choice(["lm", "prec"]),
        "algorithm": rng.choice(["mingen", "mingen", "datafly"]),
    }
    lines = ["version = 1", "[input]", 'path = "t.csv"']
    for at, (_, spec, _) in enumerate(made):
        lines.append(f'[columns.c{at}]\nrole = "quasi"\nhierarchy = {spec}')
    lines.append(f'[privacy]\nk = {case["k"]}\nsuppression = {case["share"]}')
    lines.append(f'[search]\nalgorithm = "{case["algorithm"]}"\nloss = "{case["loss"]}"\n')
    nodes = [{"levels": list(node), "loss": round(loss(case, node), 12),
              "rows": [list(row) for row in released(case, node)]} for node in ends(case)]
    return {"policy": "\n".join(lines), "rows": [list(row) for row in zip(*case["cells"])], "nodes": nodes}


def main():
    rng = random.Random(20010507)
    for _ in range(150):
        print(json.dumps(case(rng)))


main()
