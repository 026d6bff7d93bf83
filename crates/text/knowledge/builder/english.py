"""English words with their share in text: SCOWL for the words, Google Books counts for the shares.

The counts ignore case, so "will" counts the man as well. `separate_names` subtracts what the share
of a name predicts: among words that are names and nothing else, it learns how often a name of a
given share occurs in text. Well-known bearers are mentioned more often than others, so three times
the median is subtracted.
"""

import re
import statistics

from . import lexicon
from .lexicon import COMMON, FIRST, LAST

WORD = re.compile(r"[a-z][a-z']+")
# SCOWL's sizes with the share that a word of this size has at least.
SIZES = {10: 1e-5, 20: 1e-6, 35: 2e-7, 40: 1e-7, 50: 5e-8, 55: 4e-8, 60: 3e-8, 70: 1e-8, 80: 4e-9}
SPELLINGS = ["english", "american", "british", "british_z", "canadian", "australian"]
LARGEST = 70
# Rare words up to this size are taken unless they are names or places.
RARE = 80


def add(table, source):
    sizes = word_sizes(source)
    counts = text_counts(source)
    total = sum(counts.values())
    table.text_share = {word: count / total for word, count in counts.items()}
    table.rare = {word for word, size in sizes.items() if size > LARGEST}
    for word in table.rare:
        del sizes[word]
    for word, size in sizes.items():
        table.raise_share(word, COMMON, max(SIZES[size], table.text_share.get(word, 0.0)))
    table.word_size = sizes


def word_sizes(source):
    """The smallest size in which SCOWL has the word in lower case."""
    sizes = {}
    for size in sorted(SIZES):
        for spelling in SPELLINGS:
            for kind in ["words", "contractions"]:
                for path in source.all("scowl", f"{spelling}-{kind}.{size}"):
                    for word in path.read_text(encoding="latin-1").split():
                        word = lexicon.fold(word)
                        if WORD.fullmatch(word):
                            sizes.setdefault(word, size)
    for word in ["a", "i", "o"]:
        sizes[word] = 10
    return sizes


def text_counts(source):
    counts = {}
    for line in source.find("symspellpy", "frequency_dictionary_en_82_765.txt").read_text("utf-8-sig").splitlines():
        word, count = line.rsplit(" ", 1)
        word = lexicon.fold(word)
        counts[word] = counts.get(word, 0) + int(count)
    return counts


def add_rare(table):
    """Adds rare words that are not the name of anything."""
    for word in table.rare - table.keys():
        table.word_size[word] = RARE
        table.raise_share(word, COMMON, SIZES[RARE])


def separate_names(table):
    """Lowers the share of words that are mostly names."""
    rate = mentions_per_share(table)
    for word, common in table.shares[COMMON].items():
        people = table.shares[FIRST].get(word, 0.0) + table.shares[LAST].get(word, 0.0)
        floor = SIZES[table.word_size[word]] / 10
        table.shares[COMMON][word] = max(common - 3 * rate * people, min(floor, common))


def mentions_per_share(table):
    """The share in text of a name, relative to its share among people: the median of pure names."""
    ratios = []
    for word, people in table.shares[FIRST].items():
        people += table.shares[LAST].get(word, 0.0)
        if people > 1e-4 and word not in table.shares[COMMON] and word in table.text_share:
            ratios.append(table.text_share[word] / people)
    return statistics.median(ratios)
