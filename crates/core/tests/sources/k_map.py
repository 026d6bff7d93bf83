"""Random tables in given regions, and how many people of a population match the cells of each class.

Shares nothing with the program. Writes one JSON object per line: a policy, a population, a table that
was drawn from it, the region of every distinct row, and the classes of the release: cells, rows, and
people who match them. k_map.jsonl is its output:

    python3 k_map.py > k_map.jsonl

Definitions (docs/models.md, "k-map with regions"):

- A region has, in every column, the least cell that is true of all its rows: the value, else of a
  column with a hierarchy the lowest label in common, of numbers the interval from the least to the
  greatest, of others the set of values. A missing cell beside others makes it `*`, and so does a set
  of all values of table and population, if these are three or more.
- Regions with equal cells are one class.
- A person matches a class if every cell is true of their value; `*` is true of all, a missing cell of
  a missing value alone. k-map holds if every class has k people.
"""

import json
import random
from collections import defaultdict

COLUMNS = ["zip", "age", "job"]


def person(rng, rare):
    def cell(values):
        return None if rng.random() < rare else rng.choice(values)

    return (cell(["11", "12", "13", "21", "22", "31"]), cell(["20", "25", "31", "38", "40"]), cell("abcd"))


def cell(column, values, known):
    if len(values) == 1:
        return next(iter(values))
    if None in values:
        return "*"
    if column == 0:
        first = {value[0] for value in values}
        return f"{first.pop()}*" if len(first) == 1 else "*"
    if column == 1:
        numbers = sorted(int(value) for value in values)
        return f"[{numbers[0]}, {numbers[-1]}]"
    if values == known and len(values) > 2:
        return "*"
    return "{" + ", ".join(sorted(values)) + "}"


def matches(column, text, value):
    if text == "*" or text == value:
        return True
    if text is None or value is None:
        return False
    if column == 0:
        return text == f"{value[0]}*"
    if column == 1 and text.startswith("["):
        low, high = text[1:-1].split(", ")
        return int(low) <= int(value) <= int(high)
    return column == 2 and text.startswith("{") and value in text[1:-1].split(", ")


def case(rng):
    rare = rng.choice([0, 0, 0.1])
    people = [person(rng, rare) for _ in range(rng.randint(6, 40))]
    table = rng.sample(people, rng.randint(3, len(people)))
    distinct = sorted(set(table), key=repr)
    count = rng.randint(1, max(1, len(distinct) // 2))
    regions = {row: rng.randrange(count) for row in distinct}
    numbers = {region: at for at, region in enumerate(sorted(set(regions.values())))}
    regions = {row: numbers[region] for row, region in regions.items()}
    known = {value for row in people for value in [row[2]] if value is not None}
    cells = {}
    for region in set(regions.values()):
        rows = [row for row, at in regions.items() if at == region]
        cells[region] = tuple(cell(c, {row[c] for row in rows}, known) for c in range(3))
    classes = defaultdict(int)
    for row in table:
        classes[cells[regions[row]]] += 1

    def crowd(texts):
        return sum(all(matches(c, texts[c], value[c]) for c in range(3)) for value in people)

    return {
        "k": rng.randint(1, 6),
        "people": people,
        "rows": table,
        "regions": [[list(row), region] for row, region in sorted(regions.items(), key=repr)],
        "classes": [[list(texts), rows, crowd(texts)] for texts, rows in sorted(classes.items(), key=repr)],
    }


def policy(k):
    return (
        'version = 1\n[input]\npath = "t.csv"\n'
        '[columns.zip]\nrole = "quasi"\nhierarchy = { mask = { from = "right" } }\n'
        '[columns.age]\nrole = "quasi"\nform = "interval"\n[columns.job]\nrole = "quasi"\nform = "set"\n'
        f'[privacy]\nmodels = [{{ k_map = {{ k = {k}, population = "p.csv" }} }}]\n'
        '[search]\nalgorithm = "mondrian"\nloss = "lm"\n'
    )


if __name__ == "__main__":
    source = random.Random(1998)
    for _ in range(200):
        made = case(source)
        print(json.dumps({"policy": policy(min(made["k"], len(made["people"]))), **made}, sort_keys=True))
