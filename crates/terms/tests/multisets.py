"""Random multisets of codes and their least upper bounds, by brute force.

Shares nothing with the program. Writes one JSON object per line: a tree of nodes, the limits, the
values of a column, and for groups of values the least cells and their measure as a fraction.
multisets.jsonl is its output:

    python3 multisets.py > multisets.jsonl

Definitions (docs/posets.md, "Codes"):

- A value is shortened to its first `most` different codes, in the order in which they are listed,
  and then to its first `most_occurrences` occurrences.
- A cell is true of a value if its occurrences can be matched with different occurrences of the
  value, each at the node or below it.
- The least cells have the smallest measure of all cells with at most `most` codes that are true of
  all shortened values of the group.
- The measure is 1 - (sum of worths) / n. An occurrence at a node of height h is worth 1 - h / H,
  where H is the root's height. n is the number of occurrences of the longest value of the column.
"""

import itertools
import json
import random
from fractions import Fraction


def tree(rng):
    """Parents by node; node 0 is the root. In half of the trees it has one child: then what meets
    high is still worth something, and bounds have more pairs than their values."""
    least = rng.choice([0, 1])
    later = [rng.randrange(max(least, node - 3), node) for node in range(2, rng.randint(6, 8))]
    return [None, 0] + later


def heights(parents):
    height = [0] * len(parents)
    for node in range(len(parents) - 1, 0, -1):
        height[parents[node]] = max(height[parents[node]], height[node] + 1)
    return height


def above(parents, node):
    while node is not None:
        yield node
        node = parents[node]


def value(rng, parents):
    """Codes as a table lists them: in any order, some more than once."""
    leaves = [node for node in range(1, len(parents)) if node not in parents]
    if rng.random() < 0.6:
        return [(rng.choice(leaves), rng.choice([1, 2, 4])) for _ in range(rng.randint(2, 3))]
    return [(rng.randrange(1, len(parents)), rng.choice([1, 1, 2])) for _ in range(rng.randint(1, 4))]


def written(listed, rng):
    parts = [f"n{code}" if often == 1 and rng.random() < 0.7 else f"n{code}:{often}" for code, often in listed]
    return rng.choice(["; ", ";"]).join(parts)


def shortened(listed, most, most_occurrences):
    """The occurrences that are left, one by one."""
    kept = []
    for code, _ in listed:
        if code not in kept:
            kept.append(code)
    kept = kept[:most]
    left = [code for code in kept for other, often in listed if other == code for _ in range(often)]
    return left if most_occurrences is None else left[:most_occurrences]


def true_of(parents, cell, had):
    """Whether all occurrences of a cell can be matched (augmenting paths, one by one)."""
    owner = {}

    def matched(place, seen):
        for other, code in enumerate(had):
            if other not in seen and cell[place] in above(parents, code):
                seen.add(other)
                if other not in owner or matched(owner[other], seen):
                    owner[other] = place
                    return True
        return False

    return all(matched(place, set()) for place in range(len(cell)))


def text(cell):
    if not cell:
        return "*"
    counts = {node: cell.count(node) for node in cell}
    return "; ".join(f"n{node}:{count}" for node, count in sorted(counts.items()))


def bound(parents, group, most, longest):
    """The least cells and what they are worth, by looking at all cells."""
    height = heights(parents)
    worth = [1 - Fraction(h, height[0]) for h in height]
    best, cells = Fraction(-1), []
    for count in range(min(map(len, group)) + 1):
        for cell in itertools.combinations_with_replacement(range(1, len(parents)), count):
            if len(set(cell)) > most or not all(true_of(parents, cell, had) for had in group):
                continue
            total = sum((worth[node] for node in cell), Fraction(0))
            if total > best:
                best, cells = total, []
            if total == best:
                cells.append(text(list(cell)))
    return sorted(cells), 1 - best / longest


def case(rng):
    parents = tree(rng)
    most = rng.choice([1, 2, 2, 3])
    most_occurrences = rng.choice([None, None, rng.randint(1, 4)])
    lists = [value(rng, parents) for _ in range(rng.randint(2, 4))]
    longest = max(sum(often for _, often in listed) for listed in lists)
    short = [shortened(listed, most, most_occurrences) for listed in lists]
    groups = [[at] for at in range(len(lists))]
    groups += [list(pair) for pair in itertools.combinations(range(len(lists)), 2)]
    groups += [[0, 0], list(range(len(lists)))]
    bounds = []
    for group in groups:
        cells, measure = bound(parents, [short[at] for at in group], most, longest)
        bounds.append({"group": group, "cells": cells, "measure": [measure.numerator, measure.denominator]})
    nodes = [f"n{node};;" + ("" if parent is None else f"n{parent}") for node, parent in enumerate(parents)]
    return {
        "nodes": "\n".join(nodes),
        "most": most,
        "most_occurrences": most_occurrences,
        "values": [written(listed, rng) for listed in lists],
        "bounds": bounds,
    }


if __name__ == "__main__":
    source = random.Random(2006)
    for _ in range(200):
        print(json.dumps(case(source)))
