"""Datafly II with random profiles on random tables: every node that it may end at.

Shares nothing with the program. Writes one JSON object per line: a policy, a table, the columns that
are released unchanged, and the levels that Datafly may choose, one list per way to break ties; none
where it finds no release. profiles.jsonl is its output:

    python3 profiles.py > profiles.jsonl

Definitions (docs/policy.md, "Profiles and anonymity level"):

- A column with linking 0 is released unchanged, and k does not count it.
- While more rows than allowed are in combinations that fewer than k rows have, one column goes up
  one level: of the columns below their highest level those with the largest tolerance * linking; of
  these, those with most distinct values; of these, those with the largest tolerance; then any.
- The linking of a column is the largest of the quasi-identifiers that it is part of: all columns,
  and each group. A group may have a value of its own.
"""

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


def table(rng, width):
    def column():
        values = VALUES[:rng.randint(2, 6)]
        return lambda: rng.choice(values)

    columns = [column() for _ in range(width)]
    return [[cell() for cell in columns] for _ in range(rng.randint(4, 16))]


def column(rng):
    height = rng.choice([1, 2, 2])
    return {
        "height": height,
        "max": rng.choice([height, height, height, height - 1]),
        "tolerance": rng.choice([None, None, 0, 0.25, 0.5, 0.9, 1]),
        "linking": rng.choice([None, None, None, 0, 0.5, 1]),
    }


def case(rng):
    width = rng.randint(2, 4)
    columns = [column(rng) for _ in range(width)]
    if all(c["linking"] == 0 for c in columns):
        columns[0]["linking"] = 0.5
    linked = [at for at, c in enumerate(columns) if c["linking"] != 0]
    groups = []
    if rng.random() < 0.4 and len(linked) > 1:
        group = sorted(rng.sample(linked, 2))
        groups = [{"columns": group, "k": rng.randint(2, 4), "linking": {}}]
        if rng.random() < 0.7:
            groups[0]["linking"] = {group[0]: rng.choice([0.1, 0.5, 0.75, 1])}
    return {
        "columns": columns,
        "linked": linked,
        "groups": groups,
        "k": rng.randint(2, 3),
        "share": rng.choice([0.0, 0.1, 0.25]),
        "rows": table(rng, width),
    }


def held(case, node):
    """Rows that are in no set that is safe by itself."""
    def cells(row, columns):
        return tuple(label(row[at], node[at], case["columns"][at]["height"]) for at in columns)

    asked = [(case["linked"], case["k"])] + [(g["columns"], g["k"]) for g in case["groups"]]
    alive = list(case["rows"])
    while True:
        counts = [Counter(cells(row, columns) for row in alive) for columns, _ in asked]
        left = [row for row in alive
                if all(count[cells(row, columns)] >= k for count, (columns, k) in zip(counts, asked))]
        if len(left) == len(alive):
            return len(case["rows"]) - len(alive)
        alive = left


def call(case, node, at):
    column = case["columns"][at]
    own = 1 if column["linking"] is None else column["linking"]
    linking = max([own] + [g["linking"].get(at, own) for g in case["groups"] if at in g["columns"]])
    tolerance = 1 if column["tolerance"] is None else column["tolerance"]
    distinct = len({label(row[at], node[at], column["height"]) for row in case["rows"]})
    return (tolerance * linking, distinct, tolerance)


def ends(case):
    most = math.floor(case["share"] * len(case["rows"]) + 1e-9)
    open_nodes, seen, found = [tuple(0 for _ in case["columns"])], set(), []
    while open_nodes:
        node = open_nodes.pop()
        if node in seen:
            continue
        seen.add(node)
        if held(case, node) <= most:
            found.append(node)
            continue
        able = [at for at in case["linked"] if node[at] < case["columns"][at]["max"]]
        best = max((call(case, node, at) for at in able), default=None)
        for at in able:
            if call(case, node, at) == best:
                open_nodes.append(node[:at] + (node[at] + 1,) + node[at + 1:])
    return sorted(found)


def policy(case):
    lines = ["version = 1", "[input]", 'path = "t.csv"']
    for at, column in enumerate(case["columns"]):
        lines.append(f'[columns.c{at}]\nrole = "quasi"')
        if column["height"] == 2:
            lines.append(f'hierarchy = {{ order = {{ values = {json.dumps(list(VALUES))}, fanout = [2] }} }}')
        if column["max"] < column["height"]:
            lines.append(f'max_level = {column["max"]}')
        for key in ["tolerance", "linking"]:
            if column[key] is not None:
                lines.append(f"{key} = {column[key]}")
    lines.append(f'[privacy]\nk = {case["k"]}\nsuppression = {case["share"]}')
    for group in case["groups"]:
        names = json.dumps([f"c{at}" for at in group["columns"]])
        linking = ", ".join(f"c{at} = {value}" for at, value in group["linking"].items())
        lines.append(f'[privacy.quasi.g]\ncolumns = {names}\nk = {group["k"]}\nlinking = {{ {linking} }}')
    lines.append('[search]\nalgorithm = "datafly"\nseed = 5\n')
    return "\n".join(lines)


if __name__ == "__main__":
    source = random.Random(2001)
    for _ in range(200):
        made = case(source)
        nodes = [{f"c{at}": node[at] for at in made["linked"]} for node in ends(made)]
        unchanged = [f"c{at}" for at in range(len(made["columns"])) if at not in made["linked"]]
        line = {"policy": policy(made), "rows": made["rows"], "unchanged": unchanged, "nodes": nodes}
        print(json.dumps(line))
