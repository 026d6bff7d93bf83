"""Greedy as Katirai (2006, figure 11) prints it, on random tables, by its definition.

Shares nothing with the program. Writes one JSON object per line: a policy, a table, and of every
row in order the released cells, the sets of rows that were put together, the precision of the row
(equation 2), and the notions of anonymity of the whole (Gionis et al. 2008). greedy_rows.jsonl is
its output:

    python3 greedy_rows.py > greedy_rows.jsonl

Definitions:

- Values have two characters. Level 0 is the value, level 1 masks the second, level 2 is `*`.
- The least upper bound of some rows has, column by column, the least level at which they agree.
  Its measure is the sum over columns of level / 2 ("Method 1").
- items[i] starts with row i. Rows are added one after the other, each the one that makes the
  measure of the least upper bound least, until there are k. Row i is released as the bound.
- Equal rows are added together, which changes no bound. Ties go to the row that comes first in the
  order of values.
- prec_row is 1 minus the mean over columns of level / 2.
- A released row is true of an original if every cell covers the original value. (k,1): the least
  number of originals that a released row is true of; (1,k): the least number of released rows that
  are true of an original; (k,k): the lesser of both; k-anonymity: the smallest class.
- A set is written as the rows that have its cells, and then the others in the order in which they
  came, as many as complete k. Rows are numbered from 1.
"""

import json
import random


def cell(values):
    for level, label in enumerate([lambda v: v, lambda v: v[0] + "*", lambda v: "*"]):
        labels = {label(value) for value in values}
        if len(labels) == 1:
            return level, labels.pop()
    raise AssertionError


def bound(rows):
    return [cell(column) for column in zip(*rows)]


def measure(rows):
    return sum(level / 2 for level, _ in bound(rows))


def covers(label, value):
    return label == "*" or label == value or (label.endswith("*") and value.startswith(label[:-1]))


def true_of(cells, row):
    return all(covers(label, value) for label, value in zip(cells, row))


def greedy(rows, k):
    numbers = {}
    for number, row in enumerate(rows, 1):
        numbers.setdefault(row, []).append(number)
    points = sorted(numbers)
    found = {}
    for point in points:
        items = [point]
        while sum(len(numbers[item]) for item in items) < k:
            others = [other for other in points if other not in items]
            items.append(min(others, key=lambda other: (measure(items + [other]), other)))
        found[point] = items
    sets = []
    for point in points:
        own = numbers[point]
        partners = [n for item in found[point][1:] for n in numbers[item]][: max(0, k - len(own))]
        sets.append([own, partners])
    return found, sets


def main():
    rng = random.Random(2006)
    for _ in range(150):
        columns = rng.choice([1, 2, 2, 4])
        letters = "abc"[: rng.randint(2, 3)]
        rows = [
            tuple(rng.choice(letters) + rng.choice(letters) for _ in range(columns))
            for _ in range(rng.randint(4, 24))
        ]
        k = rng.randint(1, min(5, len(rows)))
        found, sets = greedy(rows, k)
        bounds = [bound(found[row]) for row in rows]
        released = [[label for _, label in row] for row in bounds]
        precision = [1 - sum(level / 2 for level, _ in row) / columns for row in bounds]
        k_one = min(sum(true_of(cells, row) for row in rows) for cells in released)
        one_k = min(sum(true_of(cells, row) for cells in released) for row in rows)
        policy = 'version = 1\n[input]\npath = "t.csv"\n'
        for column in range(columns):
            policy += f'[columns.q{column}]\nrole = "quasi"\nhierarchy = {{ mask = {{}} }}\n'
        policy += f"[privacy]\nmodels = [{{ k_one = {{ k = {k} }} }}]\n"
        policy += '[search]\nalgorithm = "greedy-rows"\nloss = "vinterbo"\n'
        notions = {"(k,1)": k_one, "(1,k)": one_k, "(k,k)": min(k_one, one_k)}
        notions["k-anonymity"] = min(released.count(cells) for cells in released)
        case = {
            "policy": policy,
            "rows": rows,
            "released": released,
            "precision": precision,
            "sets": sets,
            "notions": notions,
        }
        print(json.dumps(case, sort_keys=True))


main()
