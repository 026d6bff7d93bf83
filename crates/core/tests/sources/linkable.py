"""Random tables with sensitive columns that somebody can link on, and what is released of them.

Shares nothing with the program. Writes one JSON object per line: a policy, a table, and either the
levels, the released rows (in any order), the rows withheld and the figure of every model of such a
column, or the code of the error. linkable.jsonl is its output:

    python3 linkable.py > linkable.jsonl

Definitions (docs/models.md, "Sensitive columns that are linked on"):

- A quasi-identifier that a model names is judged in every set of rows that are equal in all other
  quasi-identifiers, by the labels that the release shows. It counts for k, and for the models of all
  other columns, like any quasi-identifier.
- Classes that are too small, or whose values violate a model of a sensitive column, are withheld.
  Then every set that violates a model of a quasi-identifier is withheld, all models by the same rows.
  Both are repeated until nothing changes.
- Of the nodes that withhold few enough rows, the least sum of levels is released; of these, the first
  by the levels of the columns in order.
"""

import json
import math
import random
from collections import Counter, defaultdict
from itertools import product

COLUMNS = ["q", "s", "z", "w"]
HEIGHTS = {"q": 2, "s": 2, "z": 1}
NEAR = 1e-9


def label(name, value, level):
    """Values have two digits; the second is masked first. Column z has its values or nothing."""
    if level == HEIGHTS[name]:
        return "*"
    if value is None or level == 0:
        return value
    return value[0] + "*"


def at_least(figure, bound):
    return figure >= bound - NEAR * max(abs(bound), 1)


def at_most(figure, bound):
    return figure <= bound + NEAR * max(abs(bound), 1)


def shares(rows, table):
    here, there = Counter(rows), Counter(table)
    return [(here[v] / len(rows), there[v] / len(table)) for v in there]


def diversity(rows, _, model):
    counts = sorted(Counter(v for v in rows if v is not None).values(), reverse=True)
    kind, l = model["kind"], model["l"]
    if kind == "distinct":
        return len(counts), at_least(len(counts), l)
    if kind == "entropy":
        n = sum(counts)
        figure = math.exp(-sum(c / n * math.log(c / n) for c in counts)) if counts else 0
        return figure, at_least(figure, l)
    tail = sum(counts[l - 1:])
    figure = counts[0] / tail if tail else math.inf
    return figure, figure < model["c"]


def sensitivity(rows, _, model):
    figure = len({v for v in rows if v is not None})
    return figure, figure >= model["p"]


def alpha(rows, _, model):
    counts = Counter(v for v in rows if v is not None)
    figure = max(counts.values(), default=0) / max(sum(counts.values()), 1)
    return figure, at_most(figure, model["alpha"])


def closeness(rows, table, model):
    if len(rows) >= model.get("n", math.inf):
        return 0.0, True
    figure = sum(abs(p - q) for p, q in shares(rows, table)) / 2
    return figure, at_most(figure, model["t"])


def disclosure(rows, table, model):
    figure = max(abs(math.log(p / q)) if p else math.inf for p, q in shares(rows, table))
    return figure, figure < model["delta"] - NEAR * max(model["delta"], 1)


def likeness(rows, table, model):
    figure, beta = 0.0, model["beta"]
    for p, q in shares(rows, table):
        if p > q:
            most = beta if model["kind"] == "basic" else min(beta, -math.log(q))
            figure = max(figure, (p - q) / q * beta / most)
    return figure, at_most(figure, beta)


JUDGES = {
    "l_diversity": diversity,
    "p_sensitive": sensitivity,
    "alpha_k": alpha,
    "t_closeness": closeness,
    "n_t_closeness": closeness,
    "delta_disclosure": disclosure,
    "beta_likeness": likeness,
}
CLAIMS = {
    "l_diversity": "{kind} l-diversity",
    "p_sensitive": "p-sensitivity",
    "alpha_k": "alpha-k-anonymity",
    "t_closeness": "equal t-closeness",
    "n_t_closeness": "equal n-t-closeness",
    "delta_disclosure": "delta-disclosure",
    "beta_likeness": "{kind} beta-likeness",
}


def random_model(rng):
    return rng.choice([
        lambda: ("l_diversity", {"kind": "distinct", "l": 2}),
        lambda: ("l_diversity", {"kind": "entropy", "l": rng.choice([1.5, 1.8, 2])}),
        lambda: ("l_diversity", {"kind": "recursive", "l": 2, "c": rng.choice([1.5, 3])}),
        lambda: ("p_sensitive", {"p": 2}),
        lambda: ("alpha_k", {"alpha": rng.choice([0.5, 0.6, 0.8])}),
        lambda: ("t_closeness", {"t": rng.choice([0.2, 0.35, 0.5])}),
        lambda: ("n_t_closeness", {"n": 5, "t": rng.choice([0.1, 0.3])}),
        lambda: ("delta_disclosure", {"delta": rng.choice([0.8, 1.5])}),
        lambda: ("beta_likeness", {"kind": "basic", "beta": rng.choice([0.6, 1.2])}),
        lambda: ("beta_likeness", {"kind": "enhanced", "beta": rng.choice([0.8, 1.5])}),
    ])()


def case(rng):
    def cell(values):
        return None if rng.random() < 0.06 else rng.choice(values)

    digits = ["11", "12", "13", "21", "22", "31"]
    q, s = digits[:rng.randint(2, 6)], rng.sample(digits, rng.randint(3, 6))
    rows = [[cell(q), cell(s), cell("xxy"), cell("abc")] for _ in range(rng.randint(8, 26))]
    models = [("s", random_model(rng))]
    if rng.random() < 0.3:
        models.append(("z", random_model(rng)))
    if rng.random() < 0.3:
        models.append(("w", ("l_diversity", {"kind": "distinct", "l": 2})))
    return {
        "rows": rows,
        "models": models,
        "k": rng.randint(1, 3),
        "share": rng.choice([0.0, 0.2, 0.4, 0.7]),
        "algorithm": rng.choice(["auto", "mingen"]),
        "max": {name: rng.choice([h, h, h, h - 1]) for name, h in HEIGHTS.items()},
    }


def groups(rows, columns):
    sets = defaultdict(list)
    for row in rows:
        sets[tuple(row[at] for at in columns)].append(row)
    return list(sets.values())


def judged(case, rows, table, name, model):
    """The sets that a model of a column judges, each with its figure and whether it is safe."""
    at = COLUMNS.index(name)
    kind, parameters = model
    sets = groups(rows, [c for c in range(3) if c != at])
    whole = [row[at] for row in table]
    return [(part, *JUDGES[kind]([row[at] for row in part], whole, parameters)) for part in sets]


def stay(case, table):
    """The rows that may be released, of a table of labels."""
    links = [(name, model) for name, model in case["models"] if name != "w"]
    rows = list(table)
    while True:
        left = [row for part in groups(rows, [0, 1, 2]) if len(part) >= case["k"]
                and all(judged_class(part, table, m) for n, m in case["models"] if n == "w") for row in part]
        if len(left) < len(rows):
            rows = left
            continue
        bad = {id(row) for name, model in links for part, _, safe in judged(case, rows, table, name, model)
               if not safe for row in part}
        if not bad:
            return rows
        rows = [row for row in rows if id(row) not in bad]


def judged_class(part, table, model):
    return JUDGES[model[0]]([row[3] for row in part], [row[3] for row in table], model[1])[1]


def released(case):
    most = math.floor(case["share"] * len(case["rows"]) + 1e-9)
    nodes = sorted(product(*[range(case["max"][name] + 1) for name in HEIGHTS]), key=lambda n: (sum(n), n))
    for node in nodes:
        table = [[label(name, row[at], node[at]) for at, name in enumerate(HEIGHTS)] + row[3:]
                 for row in case["rows"]]
        rows = stay(case, table)
        if len(case["rows"]) - len(rows) > most:
            continue
        figures = {}
        for name, (kind, parameters) in case["models"]:
            if name == "w" or not rows:
                continue
            found = [figure for _, figure, _ in judged(case, rows, table, name, (kind, parameters))]
            least = kind in ("l_diversity", "p_sensitive") and parameters.get("kind") != "recursive"
            claim = f'{CLAIMS[kind].format(**parameters)}: {name}'
            figures[claim] = min(found) if least else max(found)
        return {
            "levels": dict(zip(HEIGHTS, node)),
            "released": rows,
            "withheld": len(case["rows"]) - len(rows),
            "figures": figures,
        }
    return {"error": "search.no-safe-node"}


def policy(case):
    lines = ["version = 1", "[input]", 'path = "t.csv"']
    for name in HEIGHTS:
        hierarchy = "" if name == "z" else '\nhierarchy = { mask = { from = "right" } }'
        lines.append(f'[columns.{name}]\nrole = "quasi"\nmax_level = {case["max"][name]}{hierarchy}')
    lines.append('[columns.w]\nrole = "sensitive"')
    models = []
    for name, (kind, parameters) in case["models"]:
        given = "".join(f", {key} = {json.dumps(value)}" for key, value in parameters.items())
        models.append(f'{{ {kind} = {{ column = "{name}"{given} }} }}')
    lines.append(f'[privacy]\nk = {case["k"]}\nsuppression = {case["share"]}\nmodels = [{", ".join(models)}]')
    lines.append(f'[search]\nalgorithm = "{case["algorithm"]}"\nloss = "height"\n')
    return "\n".join(lines)


def reachable(case):
    """Fewer values than a model asks for is another error than no safe node."""
    def values(at):
        return len({row[at] for row in case["rows"] if row[at] is not None})

    return all(values(at) >= 2 for at in range(4))


if __name__ == "__main__":
    source = random.Random(2014)
    written = 0
    while written < 240:
        made = case(source)
        if not reachable(made):
            continue
        written += 1
        print(json.dumps({"policy": policy(made), "rows": made["rows"], **released(made)}, sort_keys=True))
