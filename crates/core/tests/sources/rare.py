"""Random tables with rare values, and what is released of them, row by row.

Shares nothing with the program. Writes one JSON object per line: a policy, a table, and either what
is released (rows in any order) with what was deleted and withheld, or the code of the error.
rare.jsonl is its output:

    python3 rare.py > rare.jsonl

Definitions (docs/models.md, "Rare values"):

- A value is rare if fewer than k rows of the table have it. A missing cell is not a value.
- `delete = "cells"` makes the cells of rare values missing, `delete = "rows"` leaves out their rows.
  All models judge the table as it was read.
- Then classes of fewer than `privacy.k` rows are withheld. Columns have no levels here. Deleted rows
  are withheld, too.
"""

import json
import math
import random
from collections import Counter

COLUMNS = ["q1", "q2", "s", "w"]
ROLES = {"q1": "quasi", "q2": "quasi", "s": "sensitive", "w": "keep"}


def table(rng):
    def cell(rare):
        if rng.random() < 0.1:
            return None
        return rng.choice("aaaabbb" + "cdefg"[:rare])

    rare = [rng.randint(0, 5) for _ in COLUMNS]
    return [[cell(r) for r in rare] for _ in range(rng.randint(5, 22))]


def models(rng):
    """One model, or one that deletes rows and one that deletes cells."""
    def model(columns, delete):
        return {"k": rng.randint(1, 4), "columns": columns, "delete": delete}

    some = rng.sample(COLUMNS, rng.randint(1, 4))
    if rng.random() < 0.3 and len(some) > 1:
        return [model(some[:1], "rows"), model(some[1:], "cells")]
    return [model(rng.choice([None, some]), rng.choice(["cells", "rows"]))]


def rare_values(rows, model):
    """Column -> values of fewer than k rows, and whether any other value is left."""
    rare = {}
    for name in model["columns"] or COLUMNS:
        at = COLUMNS.index(name)
        counts = Counter(row[at] for row in rows if row[at] is not None)
        few = {value for value, count in counts.items() if count < model["k"]}
        rare[name] = (few, few == set(counts))
    return rare


def released(rows, asked, k, share):
    found = [(model, rare_values(rows, model)) for model in asked]
    for model, rare in found:
        if model["delete"] == "cells" and any(few and all_rare for few, all_rare in rare.values()):
            return {"error": "model.every-value-rare"}
    left, cells, deleted = [], Counter(), 0
    for row in rows:
        def hits(delete):
            return {name for model, rare in found if model["delete"] == delete
                    for name, (few, _) in rare.items() if row[COLUMNS.index(name)] in few}

        if hits("rows"):
            deleted += 1
            continue
        blank = hits("cells")
        cells.update(blank)
        left.append([None if name in blank else cell for name, cell in zip(COLUMNS, row)])
    most = math.floor(share * len(rows) + 1e-9)
    if deleted > most:
        return {"error": "model.too-many-rare-rows"}
    if not left:
        return {"error": "table.no-rows"}
    if k > len(left):
        return {"error": "model.k-above-rows"}
    classes = Counter((row[0], row[1]) for row in left)
    shown = [row for row in left if classes[(row[0], row[1])] >= k]
    withheld = len(rows) - len(shown)
    if withheld > most:
        return {"error": "search.no-safe-node"}
    return {"released": shown, "withheld": withheld, "deleted": {"rows": deleted, "cells": dict(cells)}}


def policy(asked, k, share):
    lines = ["version = 1", "[input]", 'path = "t.csv"']
    for name in COLUMNS:
        level = "\nmax_level = 0" if ROLES[name] == "quasi" else ""
        lines.append(f'[columns.{name}]\nrole = "{ROLES[name]}"{level}')
    listed = []
    for model in asked:
        columns = "" if model["columns"] is None else f'columns = {json.dumps(model["columns"])}, '
        listed.append(f'{{ rare_values = {{ k = {model["k"]}, {columns}delete = "{model["delete"]}" }} }}')
    lines.append(f'[privacy]\nk = {k}\nsuppression = {share}\nmodels = [{", ".join(listed)}]\n')
    return "\n".join(lines)


if __name__ == "__main__":
    source = random.Random(2006)
    for _ in range(200):
        rows, asked = table(source), models(source)
        k, share = source.randint(1, 4), source.choice([0.0, 0.2, 0.6, 1.0, 1.0])
        print(json.dumps({"policy": policy(asked, k, share), "rows": rows, **released(rows, asked, k, share)}, sort_keys=True))
