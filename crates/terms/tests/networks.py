"""Random small tables and their Bayesian networks, by enumeration.

Shares nothing with the program. Writes one JSON object per line: columns with the labels of their
leaves, rows, some families with their BIC, the best BIC of all structures, and questions about the
network of these families with their answers. networks.jsonl is its output:

    python3 networks.py > networks.jsonl

Definitions (docs/information.md, "A network of the columns"):

- A field is a level of a column that has more labels in the table than the level above it. It
  depends on the level above it and on its parents: fields of other columns, at most one per column.
- The BIC of a family is sum n(a,q) ln(n(a,q) / n(a,u)) - ln(n)/2 * (labels - labels above) *
  product of the parents' labels, over labels that occur.
- The best structure has at most PARENTS parents per field and no cycle of columns.
- p(q | u, a) = (n(a,q) + p(q | u)) / (n(a,u) + 1), where p(q | u) = (n(q) + 1/c) / (n(u) + 1) and c
  is the number of labels under u in the hierarchy.
"""

import itertools
import json
import math
import random

PARENTS = 2


class Table:
    def __init__(self, rng):
        self.columns = [self.column(rng) for _ in range(rng.choice([3, 3, 4]))]
        self.rows = self.draw(rng)

    @staticmethod
    def column(rng):
        """Leaf → its labels from level 0 to the top."""
        leaves = rng.randint(2, 5)
        groups = rng.choice([[], [2], [2], [3]])
        paths = [[f"v{leaf}"] + [f"g{leaf // size}" for size in groups] for leaf in range(leaves)]
        if len({path[-1] for path in paths}) > 1 or len(paths[0]) == 1:
            paths = [path + ["*"] for path in paths]
        return paths

    def draw(self, rng):
        """Columns follow from earlier ones, more or less."""
        noise = rng.choice([0.1, 0.4, 0.7, 1.0])
        sources = [rng.sample(range(at), min(at, rng.randint(0, 2))) for at in range(len(self.columns))]
        rows = []
        for _ in range(rng.randint(15, 150)):
            row = []
            for at, paths in enumerate(self.columns):
                told = sum(row[source] for source in sources[at]) % len(paths)
                free = not sources[at] or rng.random() < noise
                row.append(min(rng.randrange(len(paths)), rng.randrange(len(paths))) if free else told)
            rows.append(row)
        return rows

    def label(self, row, field):
        column, level = field
        return self.columns[column][row[column]][level]

    def count(self, labels):
        """Rows that have all labels, given by their fields."""
        return sum(all(self.label(row, field) == label for field, label in labels.items()) for row in self.rows)

    def occurring(self, field):
        return {self.label(row, field) for row in self.rows}

    def above(self, field):
        return field[0], field[1] + 1

    def fields(self):
        """Fields that distinguish more rows than the level above."""
        every = [(at, level) for at, paths in enumerate(self.columns) for level in range(len(paths[0]) - 1)]
        return [field for field in every if len(self.occurring(field)) > len(self.occurring(self.above(field)))]

    def bic(self, field, parents):
        up = self.above(field)
        both, over = {}, {}
        for row in self.rows:
            config = tuple(self.label(row, parent) for parent in parents)
            key = config + (self.label(row, field),)
            both[key] = both.get(key, 0) + 1
            key = config + (self.label(row, up),)
            over[key] = over.get(key, 0) + 1
        likelihood = sum(n * math.log(n) for n in both.values()) - sum(n * math.log(n) for n in over.values())
        free = len(self.occurring(field)) - len(self.occurring(up))
        free *= math.prod(len(self.occurring(parent)) for parent in parents)
        return likelihood - math.log(len(self.rows)) / 2 * free

    def families(self, field, columns):
        """All sets of parents of a field from some columns."""
        choices = [[None] + [other for other in self.fields() if other[0] == column] for column in columns]
        for chosen in itertools.product(*choices):
            parents = [parent for parent in chosen if parent is not None]
            if len(parents) <= PARENTS:
                yield parents

    def best(self):
        """The best BIC: a structure without cycles has an order in which parents come first."""
        known = {}

        def top(field, columns):
            key = field, frozenset(columns)
            if key not in known:
                known[key] = max(self.bic(field, parents) for parents in self.families(field, sorted(columns)))
            return known[key]

        orders = itertools.permutations(range(len(self.columns)))
        return max(
            sum(top(field, order[: order.index(field[0])]) for field in self.fields()) for order in orders
        )

    def structure(self, rng):
        """Random families along a random order."""
        order = rng.sample(range(len(self.columns)), len(self.columns))
        chosen = {}
        for field in self.fields():
            earlier = order[: order.index(field[0])]
            parents = rng.choice(list(self.families(field, sorted(earlier))))
            if parents:
                chosen[field] = parents
        return chosen

    def prior(self, field, leaf):
        """p(q | u) of a leaf's labels."""
        column, level = field
        path = self.columns[column][leaf]
        siblings = {other[level] for other in self.columns[column] if other[level + 1] == path[level + 1]}
        below = self.count({field: path[level]}) + 1 / len(siblings)
        return below / (self.count({self.above(field): path[level + 1]}) + 1)

    def probability(self, structure, row):
        p = 1.0
        for column, paths in enumerate(self.columns):
            for level in range(len(paths[0]) - 1):
                field = column, level
                share = self.prior(field, row[column])
                if field in structure:
                    known = {parent: self.label(row, parent) for parent in structure[field]}
                    over = self.count(known | {self.above(field): self.label(row, self.above(field))})
                    both = self.count(known | {field: self.label(row, field)})
                    share = (both + share) / (over + 1)
                p *= share
        return p

    def questions(self, structure, rng):
        possible = list(itertools.product(*(range(len(paths)) for paths in self.columns)))
        share = {row: self.probability(structure, row) for row in possible}
        assert abs(sum(share.values()) - 1) < 1e-9
        for _ in range(3):
            asked = rng.randrange(len(self.columns))
            known = []
            for column, paths in enumerate(self.columns):
                level = rng.randrange(len(paths[0]))
                if column == asked and rng.random() < 0.7:
                    level = len(paths[0]) - 1
                known.append([level, paths[rng.randrange(len(paths))][level]])
            inside = [
                row
                for row in possible
                if all(self.label(row, (column, level)) == label for column, (level, label) in enumerate(known))
            ]
            p = sum(share[row] for row in inside)
            leaves = range(len(self.columns[asked]))
            posterior = [sum(share[row] for row in inside if row[asked] == leaf) / p for leaf in leaves]
            yield {"known": known, "probability": p, "ask": asked, "posterior": posterior}


def main():
    rng = random.Random(2006)
    for _ in range(60):
        table = Table(rng)
        structure = table.structure(rng)
        families = [
            {"field": field, "parents": parents, "bic": table.bic(field, parents)}
            for field, parents in structure.items()
        ]
        print(
            json.dumps(
                {
                    "columns": table.columns,
                    "rows": table.rows,
                    "families": families,
                    "alone": sum(table.bic(field, []) for field in table.fields()),
                    "best": table.best(),
                    "questions": list(table.questions(structure, rng)),
                }
            )
        )


main()
