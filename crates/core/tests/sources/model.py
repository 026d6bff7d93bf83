"""Errors of a linear model on releases at fixed levels of random tables.

Shares nothing with the program. Writes one JSON object per line: a policy, a table, and the errors of
the model on the released rows, on the same rows before, of the one against the other, and the loss
`model`. model.jsonl is its output:

    python3 model.py > model.jsonl

Definitions (Katirai 2006, "Proposed Measure 2", "Method 4" and what is done to released rows before
the model reads them; docs/numbers.md, "The loss of a model"):

- The model is least squares of the cost on the age and on whether the sex is m, over all rows.
- An age interval is read as its middle, an age of * as the mean of all ages; a sex of * is one woman
  and one man, whose predictions are averaged.
- Classes of fewer than k rows are withheld. Errors are absolute, over the rows that are not withheld:
  total, mean and standard deviation.
- The loss is the mean of |predicted from the released row - predicted from the original row| over all
  rows; a withheld row has * in every column.
"""

import json
import math
import random
from collections import Counter

WIDTHS = [10, 30]


def age_cell(age, level):
    """The middle of what is known of an age; none is everything."""
    if level == 0:
        return age
    if level > len(WIDTHS):
        return None
    width = WIDTHS[level - 1]
    low = age // width * width
    return (low + min(low + width, 90)) / 2


def solve(matrix, right):
    """Gaussian elimination with the largest pivot."""
    rows = [line + [value] for line, value in zip(matrix, right)]
    for at in range(len(rows)):
        pivot = max(range(at, len(rows)), key=lambda line: abs(rows[line][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for line in range(len(rows)):
            if line != at:
                factor = rows[line][at] / rows[at][at]
                rows[line] = [x - factor * y for x, y in zip(rows[line], rows[at])]
    return [line[-1] / line[at] for at, line in enumerate(rows)]


def fitted(people):
    points = [[1.0, float(age), float(sex == "m")] for age, sex, _ in people]
    costs = [cost for _, _, cost in people]
    matrix = [[sum(p[i] * p[j] for p in points) for j in range(3)] for i in range(3)]
    weights = solve(matrix, [sum(p[i] * cost for p, cost in zip(points, costs)) for i in range(3)])
    mean = sum(age for age, _, _ in people) / len(people)

    def predicted(age, sex):
        man = {"f": 0.0, "m": 1.0, None: 0.5}[sex]
        return weights[0] + weights[1] * (mean if age is None else age) + weights[2] * man

    return predicted


def errors(pairs):
    off = [abs(a - b) for a, b in pairs]
    mean = math.fsum(off) / max(len(off), 1)
    deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in off) / max(len(off), 1))
    return {"total": round(math.fsum(off), 3), "mean": round(mean, 3), "deviation": round(deviation, 3)}


def measured(people, levels, k):
    predicted = fitted(people)
    cells = [(age_cell(age, levels[0]), sex if levels[1] == 0 else None) for age, sex, _ in people]
    classes = Counter(cells)
    kept = [classes[cell] >= k for cell in cells]
    shown = [cell if keep else (None, None) for cell, keep in zip(cells, kept)]
    released = [predicted(*cell) for cell in shown]
    original = [predicted(age, sex) for age, sex, _ in people]
    costs = [cost for _, _, cost in people]

    def over(a, b):
        return errors([pair for pair, keep in zip(zip(a, b), kept) if keep])

    return {
        "rows_released": sum(kept),
        "released": over(released, costs),
        "original": over(original, costs),
        "moved": over(released, original),
        "loss": errors(list(zip(released, original)))["mean"],
    }


def policy(levels, k):
    def fixed(level):
        return f"min_level = {level}\nmax_level = {level}"

    return f"""version = 1
[input]
path = "t.csv"
[columns.age]
role = "quasi"
hierarchy = {{ intervals = {{ widths = {WIDTHS}, low = 0, high = 90 }} }}
{fixed(levels[0])}
[columns.sex]
role = "quasi"
{fixed(levels[1])}
[columns.cost]
role = "target"
[privacy]
k = {k}
suppression = 1.0
[search]
model = {{ builtin = "linear", target = "cost", guides = false }}
"""


def table(rng):
    """At least two ages and two sexes, none of which follows from the other."""
    people = []
    for at in range(rng.randint(8, 40)):
        age, sex = rng.randint(18, 89), "fm"[at % 2]
        people.append((age, sex, 50 * age + 400 * (sex == "m") + rng.randint(0, 900)))
    return people


if __name__ == "__main__":
    source = random.Random(2006)
    for _ in range(60):
        people = table(source)
        levels, k = (source.randint(0, 3), source.randint(0, 1)), source.randint(1, 4)
        rows = [[str(cell) for cell in person] for person in people]
        print(json.dumps({"policy": policy(levels, k), "rows": rows, **measured(people, levels, k)}, sort_keys=True))
