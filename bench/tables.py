"""The generated tables of the benchmarks: seeded, so that the same name and size give the same bytes.

    few     9 quasi-identifiers of 2 to 75 values, skewed and independent; a lattice of 243,000 nodes
    qN      the same with N quasi-identifiers, columns repeated
    blank   few with a tenth of its cells missing
    many    sex and age, and amount, code and time with rows / 10 values each; a lattice of 2,450 nodes
    held    sex and age, and what models look at: a value of rows / 10, what its person guards, an identifier
    both    the columns of many and of held
    set     sex, age and a code of rows / 10 values without a hierarchy
    wide    4 quasi-identifiers and 200 columns that are kept
    text    4 quasi-identifiers and a text of 2 kB that is kept

A column is a rule that draws cells, and the keys that a policy gives it. Memory: 50,000 rows at a time.
"""

import os
import random
import string
import sys

CHUNK = 50_000

#: Values and widths of the columns of `few`: levels 2 * 6 * 3 * 5 * 6 * 3 * 5 * 3 * 5 = 243,000.
FEW = [(2, None), (75, (5, 10, 20, 40)), (9, (3,)), (20, (2, 4, 8)), (60, (3, 6, 12, 24)), (5, (2,)), (36, (3, 6, 12)),
       (7, (3,)), (16, (2, 4, 8))]


class Column:
    """A column: how its cells are drawn, and its keys in a policy."""

    def __init__(self, cells, keys):
        self.cells, self.keys = cells, keys


def skewed(values):
    """Small values are common: the share of values up to x is the root of x / values."""
    return lambda draw, rows, total: [str(int(values * u * u)) for u in (draw.random() for _ in range(rows))]


def uniform(text):
    """One of rows / 10 values, which `text` writes."""
    def cells(draw, rows, total):
        distinct = max(1, total // 10)
        return [text(int(distinct * draw.random())) for _ in range(rows)]
    return cells


def every(text):
    """As `uniform`, with every value in ten rows."""
    def cells(draw, rows, total):
        distinct, start = max(1, total // 10), getattr(draw, "drawn", 0)
        draw.drawn = start + rows
        return [text(at * 7919 % distinct) for at in range(start, start + rows)]
    return cells


def time(number):
    """A minute in one of 36 years."""
    number = number * 7919 % (36 * 12 * 28 * 1440)
    minute, day = number % 1440, number // 1440
    return f"{1980 + day // 336}-{day // 28 % 12 + 1:02}-{day % 28 + 1:02} {minute // 60:02}:{minute % 60:02}:00"


def prose(draw, rows, total):
    """Texts of 2 kB that hardly repeat."""
    words = ["".join(draw.choices(string.ascii_lowercase, k=7)) for _ in range(500)]
    return [" ".join(draw.choices(words, k=250)) for _ in range(rows)]


def identifiers(draw, rows, total):
    return [f"{draw.randrange(10 ** 9):09}" for _ in range(rows)]


def quasi(hierarchy):
    return {"role": '"quasi"', "hierarchy": hierarchy}


def few_column(at):
    values, widths = FEW[at % len(FEW)]
    return Column(skewed(values), quasi(f"{{ intervals = {{ widths = {list(widths)} }} }}" if widths else '"suppress"'))


def few(columns=9):
    return {f"c{at}": few_column(at) for at in range(columns)}


def people():
    age = lambda draw, rows, total: [str(min(95, int(18 + 80 * draw.random() ** 1.5))) for _ in range(rows)]  # noqa: E731
    sex = lambda draw, rows, total: [draw.choice("fm") for _ in range(rows)]  # noqa: E731
    return {"sex": Column(sex, quasi('"suppress"')),
            "age": Column(age, quasi("{ intervals = { widths = [5, 10, 20], low = 0, high = 100 } }"))}


def many():
    return {**people(),
            "amount": Column(uniform(lambda i: str(i * 10)), quasi("{ intervals = { widths = [100, 1000, 10000] } }")),
            "code": Column(uniform(lambda i: f"{i * 7 % 1000000:06}"), quasi('{ mask = { from = "right" } }')),
            "time": Column(uniform(time), quasi("{ date = {} }"))}


def held_columns():
    value = lambda i: f"{i:06}"  # noqa: E731
    return {"value": Column(every(value), {"role": '"drop"'}), "guard": Column(uniform(value), {"role": '"drop"'}),
            "id": Column(identifiers, {"role": '"drop"'})}


def sets():
    return {**people(), "code": Column(uniform(lambda i: f"code {i:06}"), {"role": '"quasi"'})}


def kept(columns):
    number = lambda draw, rows, total: [str(draw.randrange(1000)) for _ in range(rows)]  # noqa: E731
    return {f"kept{at:03}": Column(number, {"role": '"keep"'}) for at in range(columns)}


def columns_of(name):
    """The columns of a table by its name."""
    if name[0] == "q" and name[1:].isdigit():
        return few(int(name[1:]))
    return {"few": few, "blank": few, "many": many, "held": lambda: {**people(), **held_columns()},
            "both": lambda: {**many(), **held_columns()}, "set": sets,
            "wide": lambda: {**few(4), **kept(200)},
            "text": lambda: {**few(4), "text": Column(prose, {"role": '"keep"'})}}[name]()


def quasi_identifiers(name):
    return [column for column, of in columns_of(name).items() if of.keys["role"] == '"quasi"']


def write(name, rows, path):
    """Writes a table as CSV unless it is there."""
    if os.path.exists(path):
        return
    columns = columns_of(name)
    # A column is drawn from a seed of its own: tables of the same columns share them.
    draws = {column: random.Random(f"{column} of {rows}") for column in columns}
    with open(path + ".part", "w", encoding="utf-8", newline="") as file:
        file.write(",".join(columns) + "\n")
        for start in range(0, rows, CHUNK):
            size = min(CHUNK, rows - start)
            cells = [of.cells(draws[column], size, rows) for column, of in columns.items()]
            if name == "blank":
                lost = random.Random(f"blank {start} of {rows}")
                cells = [["" if lost.random() < 0.1 else cell for cell in column] for column in cells]
            file.writelines(",".join(row) + "\n" for row in zip(*cells))
    os.replace(path + ".part", path)


def policy(name, path, search, columns=None, privacy="", given="", output="", suppression=0.05, k=5):
    """A policy for a table at `path`: `columns` replaces keys of columns, or removes those that are None."""
    lines = ["version = 1", "[input]", f'path = "{path}"', *filter(None, [given]), "[output]", 'path = "out.csv"',
             *filter(None, [output]), "[privacy]", *([f"k = {k}"] if k else []), f"suppression = {suppression}",
             *filter(None, [privacy]), "[search]", search]
    for column, of in columns_of(name).items():
        keys = {**of.keys, **(columns or {}).get(column, {})}
        lines += [f"[columns.{column}]", *(f"{key} = {value}" for key, value in keys.items() if value is not None)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]), sys.argv[3])
