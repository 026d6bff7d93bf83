#!/usr/bin/env python3
"""Replays OLA by its published description and compares it with what `throng explore` reports.

    throng explore policy.toml --json | python3 experiments/check_ola.py

`throng explore` judges every node of the lattice and marks those that `ola` settles by prediction
as `tagged`. This program reads the verdicts, walks through the lattice as the walkthrough of El Emam
et al. 2009 does, and checks that the same nodes are evaluated and the same nodes are k-minimal. It
shares no code with Throng. Only monotone models are tagged: a lattice without tags is refused.

It prints the numbers of nodes, evaluated nodes and k-minimal nodes. Exit code 1 means a difference.
Costs nodes x columns for the tags; 13,000 nodes take a few seconds.
"""

import json
import sys


class Walk:
    """The walkthrough on known verdicts: {levels: safe}, and the columns that rise together."""

    def __init__(self, safe, linked):
        self.safe, self.linked = safe, linked
        self.tags, self.evaluated, self.entered = {}, [], set()
        self.search(min(safe), max(safe))

    def search(self, bottom, top):
        """Settles all nodes from bottom to top."""
        if self.tags.get(bottom) is True or self.tags.get(top) is False:
            return
        if (bottom, top) in self.entered:
            return
        self.entered.add((bottom, top))
        height = sum(top[group[0]] - bottom[group[0]] for group in self.linked)
        if height <= 1:
            if not self.evaluate(bottom):
                self.evaluate(top)
            return
        for node in sorted(self.at_height(bottom, top, height // 2)):
            # Into the sub-lattice at once, before the next node of this height.
            if self.evaluate(node):
                self.search(bottom, node)
            else:
                self.search(node, top)

    def at_height(self, bottom, top, steps, groups=None):
        """The nodes this many steps above the bottom."""
        groups = self.linked if groups is None else groups
        if not groups:
            return [bottom] if steps == 0 else []
        column = groups[0][0]
        found = []
        for rise in range(min(steps, top[column] - bottom[column]) + 1):
            raised = self.moved(bottom, groups[0], rise)
            found += self.at_height(raised, top, steps - rise, groups[1:])
        return found

    def evaluate(self, node):
        """The verdict on a node; the first time, it tags all nodes above or below."""
        if node not in self.tags:
            safe = self.safe[node]
            self.evaluated.append(node)
            pending = [node]
            while pending:
                at = pending.pop()
                if at in self.safe and at not in self.tags:
                    self.tags[at] = safe
                    pending += [self.moved(at, group, 1 if safe else -1) for group in self.linked]
        return self.tags[node]

    @staticmethod
    def moved(node, group, by):
        return tuple(level + by if column in group else level for column, level in enumerate(node))


def main():
    lattice = json.load(sys.stdin)
    nodes = {tuple(node["levels"]): node for node in lattice["nodes"]}
    if any(node["tagged"] is None for node in nodes.values()):
        sys.exit("the lattice has no tags: explore all of it, with monotone models")
    walk = Walk({levels: node["safe"] for levels, node in nodes.items()}, lattice["steps"])
    wrong = [levels for levels, node in nodes.items() if walk.tags[levels] != node["safe"]]
    here = set(walk.evaluated)
    there = {levels for levels, node in nodes.items() if not node["tagged"]}
    listed = {n for n in here if walk.safe[n] and not any(below(m, n) for m in here if walk.safe[m])}
    minimal = {levels for levels, node in nodes.items() if node["minimal"]}
    print(f"nodes      {len(nodes)}")
    print(f"evaluated  {len(here)} here, {len(there)} by throng")
    print(f"k-minimal  {len(listed)} here, {len(minimal)} by throng")
    if wrong or here != there or listed != minimal:
        sys.exit("the walks differ")


def below(a, b):
    return a != b and all(x <= y for x, y in zip(a, b))


if __name__ == "__main__":
    main()
