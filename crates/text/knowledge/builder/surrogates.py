"""Made-up names, streets and places that nobody in the sources has: letters follow the letters that
follow each other in real names, and everything that is a word of the table is left out.

Draws come from SHA-256 of a counter, so the lists are the same everywhere.
"""

import collections
import hashlib

from .lexicon import FIRST, LAST

ORDER = 3
ENDS = "\n"


class Draws:
    def __init__(self, label):
        self.label, self.counter = label, 0

    def below(self, limit):
        self.counter += 1
        digest = hashlib.sha256(f"{self.label} {self.counter}".encode()).digest()
        return int.from_bytes(digest[:8], "little") % limit


class Letters:
    """Which letters follow three others, counted over the names of a list."""

    def __init__(self, names):
        self.after = collections.defaultdict(collections.Counter)
        for name in names:
            padded = "^" * ORDER + name + ENDS
            for position in range(ORDER, len(padded)):
                self.after[padded[position - ORDER:position]][padded[position]] += 1
        self.after = {key: sorted(counts.items()) for key, counts in self.after.items()}

    def name(self, draws, initial):
        text = "^" * (ORDER - 1) + "^" + initial
        while True:
            followers = self.after.get(text[-ORDER:])
            if not followers or len(text) > 14:
                return ""
            choice = draws.below(sum(count for _, count in followers))
            for letter, count in followers:
                choice -= count
                if choice < 0:
                    break
            if letter == ENDS:
                return text[ORDER:]
            text += letter


def made_up(table, label, names, wanted, shortest, longest):
    """`wanted` names per letter of the alphabet, not in the table."""
    letters, draws, found = Letters(names), Draws(label), set()
    for initial in "abcdefghijklmnopqrstuvwxyz":
        mine, tries = set(), 0
        while len(mine) < wanted and tries < 400 * wanted:
            tries += 1
            name = letters.name(draws, initial)
            if shortest <= len(name) <= longest and plausible(name) and name not in table.known:
                mine.add(name)
        found |= mine
    return found


def plausible(name):
    vowels = sum(letter in "aeiouy" for letter in name)
    return name.isascii() and name.isalpha() and 3 * vowels >= len(name) and len(set(name)) > 2


def of_sex(table, sex):
    other = "female" if sex == "male" else "male"
    names = [name for name, share in table.shares[FIRST].items()
             if share > 2e-6 and table.has(name, sex) and not table.has(name, other) and name.isalpha()]
    return sorted(names)


def make(table):
    table.known = table.keys()
    last = sorted(name for name, share in table.shares[LAST].items() if share > 1e-5 and name.isalpha())
    towns = sorted(name for name, people in table.population.items() if people > 20000 and name.isalpha())
    female, male = of_sex(table, "female"), of_sex(table, "male")
    lists = {
        "first-female": made_up(table, "first-female", female, 40, 4, 8),
        "first-male": made_up(table, "first-male", male, 40, 4, 8),
        "last": made_up(table, "last", last, 160, 4, 10),
        "stems": made_up(table, "stems", last, 16, 5, 9),
        "cities": made_up(table, "cities", towns, 20, 5, 10),
    }
    return {f"surrogates/{name}.txt": "".join(f"{word.capitalize()}\n" for word in sorted(words)).encode()
            for name, words in lists.items()}
