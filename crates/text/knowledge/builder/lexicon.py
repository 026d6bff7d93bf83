"""The table of words and phrases: attributes of a word, and the bytes that `src/lexicon` reads.

An attribute is 64 bits: four levels of five bits (share among first names, among last names, among
words of English text, and population as a city), then a flag per bit. A level of 0 means that the
word is not in the list. A level of l > 0 is a share of 2^(-4 - 0.8 (31 - l)), or for cities a
population from 2^(l-1) to 2^l.

Format of `words.bin`, all integers little-endian:
  "TLX1", u32 number of words, u32 number of distinct attributes, that many u64 attributes,
  per word one byte: how many bytes it shares with the word before it,
  per word one byte: how many bytes follow these,
  per word the low byte of the index of its attributes, per word the high byte,
  per word the bytes that follow.
"""

import collections
import math
import struct
import unicodedata

FIRST, LAST, COMMON, CITY = 0, 5, 10, 15
FLAGS = [
    "male", "female", "nickname", "medical", "drug", "eponym", "state", "state_code", "country",
    "street_suffix", "institution", "ward", "title", "credential", "occupation", "month", "weekday",
    "relative", "shorthand", "company", "school", "team", "nationality", "particle", "holiday",
    "starts_phrase", "heading", "function", "eponym_name", "substance",
    "eponym_noun", "thing",
]
BIT = {name: 1 << (20 + index) for index, name in enumerate(FLAGS)}

# Letters that NFKD does not decompose. `src/lexicon/fold.rs` has the same table.
LETTERS = str.maketrans({
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i",
    "ħ": "h", "ŋ": "n", "ə": "e", "’": "'", "‘": "'", "ʼ": "'", "-": " ", "‐": " ", "‑": " ",
    "–": " ",
})


def fold(text):
    """Lower case without accents; hyphens become blanks, possessives and dots are dropped."""
    text = text.lower().translate(LETTERS)
    text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    if not dotted(text):
        text = text.replace(".", " ")
    parts = [part[:-2] if part.endswith("'s") else part for part in text.split()]
    return " ".join(part for part in parts if part)


def dotted(text):
    """Whether this is an abbreviation of single letters such as `u.s.`"""
    return "." in text and all(len(part) < 2 for part in text.split("."))


def level(share):
    if share <= 0:
        return 0
    return max(1, min(31, round(31 + (math.log2(share) + 4) / 0.8)))


def share(level_):
    return 0.0 if level_ == 0 else 2.0 ** (-4 - 0.8 * (31 - level_))


class Lexicon:
    def __init__(self):
        self.flags = collections.defaultdict(int)
        self.shares = {FIRST: {}, LAST: {}, COMMON: {}}
        self.population = {}

    def flag(self, word, name):
        word = fold(word)
        if word and len(word.split()) <= 6:
            self.flags[word] |= BIT[name]

    def has(self, word, name):
        return bool(self.flags.get(word, 0) & BIT[name])

    def raise_share(self, word, kind, value):
        """Keeps the largest share that a source gives."""
        word = fold(word)
        if word:
            self.shares[kind][word] = max(value, self.shares[kind].get(word, 0.0))

    def raise_population(self, word, people):
        word = fold(word)
        if word and len(word.split()) <= 6:
            self.population[word] = max(people, self.population.get(word, 0))

    def keys(self):
        found = set(self.flags) | set(self.population)
        for shares in self.shares.values():
            found |= set(shares)
        return found

    def mark_phrases(self):
        """Marks every start of a phrase, so that a search stops where none continues."""
        for key in list(self.keys()):
            parts = key.split(" ")
            for end in range(1, len(parts)):
                self.flag(" ".join(parts[:end]), "starts_phrase")

    def attributes(self, word):
        value = self.flags.get(word, 0)
        for kind, shares in self.shares.items():
            value |= level(shares.get(word, 0.0)) << kind
        people = self.population.get(word, 0)
        return value | min(31, people.bit_length()) << CITY

    def encode(self):
        order = sorted(self.keys(), key=lambda word: word.encode())
        values = [self.attributes(word) for word in order]
        counts = collections.Counter(values)
        distinct = sorted(counts, key=lambda value: (-counts[value], value))
        if len(distinct) > 0xFFFF:
            raise SystemExit(f"{len(distinct)} distinct attributes do not fit into 16 bits")
        index = {value: number for number, value in enumerate(distinct)}
        shared, added, rest, last = bytearray(), bytearray(), bytearray(), b""
        for word in order:
            now = word.encode()
            common = 0
            while common < min(len(last), len(now), 255) and last[common] == now[common]:
                common += 1
            shared.append(common)
            added.append(len(now) - common)
            rest += now[common:]
            last = now
        head = b"TLX1" + struct.pack("<II", len(order), len(distinct))
        head += b"".join(struct.pack("<Q", value) for value in distinct)
        ids = b"".join(struct.pack("<H", index[value]) for value in values)
        return head + bytes(shared) + bytes(added) + ids[0::2] + ids[1::2] + bytes(rest)

    def summary(self):
        lines = [f"{len(self.keys())} words and phrases"]
        for name, bit in BIT.items():
            lines.append(f"  {name}: {sum(1 for value in self.flags.values() if value & bit)}")
        for kind, name in [(FIRST, "first"), (LAST, "last"), (COMMON, "common")]:
            lines.append(f"  {name}: {sum(1 for value in self.shares[kind].values() if value > 0)}")
        lines.append(f"  city: {sum(1 for value in self.population.values() if value > 0)}")
        return "\n".join(lines)
