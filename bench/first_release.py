"""Measures the first release: `throng inspect --write` and `throng release`, without edits.

For every table: the share of starred cells, columns that hold nothing but `*`, suppressed rows, LM, seconds, the AUC of a
logistic regression that is trained on the release and tested on other rows, and the error of group means. The definitions
are in docs/first-release.md. Tables come from scikit-learn, statsmodels and vega_datasets where these are installed, from
THRONG_DATA (adult/adult.csv), from `throng demo` and `throng synth`, and from the seeded generators below.

    python3 bench/first_release.py --throng target/release/throng
    python3 bench/first_release.py --search 'algorithm = "best", loss = "lm"' --search 'algorithm = "best", loss = "entropy"'

Needs Python 3.8 and nothing else.
"""

import argparse
import csv
import json
import math
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "readers"))
import throng as cells  # noqa: E402

SEED = 20
#: Rows, epochs and features of the regression: enough for a stable AUC, and seconds in plain Python.
TRAINED, EPOCHS, CATEGORIES = 4000, 12, 30


# ---------------------------------------------------------------- tables

class Table:
    """A table with a name, and the column that is predicted; "" where none is."""

    def __init__(self, name, columns, rows, target=""):
        self.name, self.columns, self.target = name, list(columns), target
        self.rows = [["" if cell is None else str(cell) for cell in row] for row in rows]

    def write(self, path, rows=None):
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(self.rows if rows is None else rows)


def read(path, delimiter=","):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter=delimiter))
    return rows[0], rows[1:]


def survey(rows=5000):
    """Answers that depend on age, education and income."""
    draw = random.Random(SEED)
    education = ["none", "primary", "secondary", "vocational", "bachelor", "master", "doctorate"]
    regions = ["north", "south", "east", "west", "centre"]
    table = []
    for _ in range(rows):
        level = min(6, max(0, int(draw.gauss(3, 1.5))))
        age = min(95, max(18, int(draw.gauss(47, 17))))
        income = round(math.exp(draw.gauss(9.6 + 0.15 * level + 0.004 * min(age, 60), 0.5)), -2)
        children = min(6, int(draw.expovariate(0.8)))
        married = "yes" if draw.random() < 0.2 + 0.008 * min(age, 70) else "no"
        voted = "yes" if draw.random() < 1 / (1 + math.exp(2.2 - 0.03 * age - 0.25 * level)) else "no"
        table.append([age, draw.choice("fm"), draw.choice(regions), education[level], married, children, int(income),
                      draw.choice(["own", "rent", "other"]), min(10, max(0, int(draw.gauss(6, 2)))), voted])
    names = ["age", "sex", "region", "education", "married", "children", "income", "housing", "trust", "voted"]
    return Table("survey (generated)", names, table, "voted")


def clinic(rows=50000):
    """Stays in hospital with dates, postal codes, codes and measurements: 50,000 rows and 20 columns."""
    draw = random.Random(SEED + 1)
    wards = ["surgery", "medicine", "cardiology", "oncology", "urology", "neurology", "paediatrics", "geriatrics"]
    table = []
    for _ in range(rows):
        age = min(99, max(0, int(draw.gauss(55, 22))))
        day = draw.randrange(365 * 3)
        ill = draw.random() < 1 / (1 + math.exp(5 - 0.06 * age))
        height, weight = draw.gauss(170, 9), draw.gauss(74 + (6 if ill else 0), 13)
        date = time.strftime("%Y-%m-%d", time.gmtime(1577836800 + 86400 * day))
        born = f"{2021 - age}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}"
        stay = 1 + int(draw.expovariate(0.25 if ill else 0.5))
        table.append([born, draw.choice("fm"), f"{draw.randrange(1000, 1100):05}", date, draw.choice(wards), stay,
                      round(height), round(weight, 1), round(draw.gauss(128 + 0.2 * age, 15)), round(draw.gauss(80, 9)),
                      round(draw.gauss(72, 11)), round(draw.gauss(36.8, 0.5), 1), draw.choice(["self", "ambulance", "referred"]),
                      draw.choice(["public", "private", "none"]), draw.choice(["single", "married", "widowed", "divorced"]),
                      draw.choice(["never", "former", "current"]), int(draw.expovariate(0.6)), int(draw.expovariate(0.3)),
                      draw.choice(["A", "B", "AB", "0"]), "yes" if ill else "no"])
    names = ["birth_date", "sex", "zip", "admitted", "ward", "days", "height", "weight", "systolic", "diastolic", "pulse",
             "temperature", "arrival", "insurance", "marital_status", "smoking", "medicines", "visits", "blood_group",
             "readmitted"]
    return Table("clinic (generated)", names, table, "readmitted")


def wide(rows=1500, columns=200):
    """Answers of few people to many questions that depend on ten traits."""
    draw = random.Random(SEED + 2)
    weights = [(draw.randrange(10), draw.randrange(3)) for _ in range(columns)]
    table = []
    for _ in range(rows):
        traits = [draw.gauss(0, 1) for _ in range(10)]
        row = []
        for trait, kind in weights:
            x = traits[trait] + draw.gauss(0, 0.7)
            row.append([min(5, max(1, round(3 + x))), "yes" if x > 0 else "no", round(50 + 12 * x)][kind])
        table.append(row)
    return Table("wide (generated)", [f"q{at:03}" for at in range(columns)], table)


def register(rows=1500, columns=200):
    """The answers of `wide` under names of what outsiders know, so that all columns are quasi-identifiers."""
    known = ["age", "height", "education", "region", "married", "children", "language", "religion", "nationality", "weight"]
    names = [f"{known[at % len(known)]}_{at:03}" for at in range(columns)]
    return Table("register (generated)", names, wide(rows, columns).rows)


def skewed(rows=8000):
    """Counts and money with long tails, codes of many values, and missing cells."""
    draw = random.Random(SEED + 3)
    jobs = [f"{code:04}" for code in draw.sample(range(10, 9900), 300)]
    table = []
    for _ in range(rows):
        job = min(299, int(draw.expovariate(0.02)))
        pay = round(math.exp(draw.gauss(10 + 0.002 * job, 0.7)))
        visits = int(draw.paretovariate(1.2)) - 1
        sick = "yes" if draw.random() < min(0.9, 0.1 + 0.05 * visits) else "no"
        table.append([draw.randrange(16, 90), draw.choice("fm"), jobs[job], pay, min(visits, 200),
                      draw.choice(["", "a", "b", "c", "d", "e"]), round(draw.uniform(42.1, 42.6), 4),
                      round(draw.uniform(-71.5, -70.9), 4), sick])
    names = ["age", "sex", "occupation", "pay", "visits", "group", "latitude", "longitude", "sick"]
    return Table("skewed (generated)", names, table, "sick")


def made_by_throng(program, folder):
    """The patients of the demonstration, and people of the county that does not exist."""
    demo = os.path.join(folder, "demo")
    run([program, "demo", demo, "--rows", "20000", "--json"])
    columns, rows = read(os.path.join(demo, "patients.csv"))
    yield Table("demo patients", columns, rows)
    path = os.path.join(folder, "county.csv")
    run([program, "synth", "county", "--rows", "20000", "--out", path, "--seed", "1"])
    columns, rows = read(path)
    yield Table("county (synth)", columns, rows)


def installed():
    """Tables that come with packages, where these are installed."""
    try:
        from sklearn import datasets
        for name in ["breast_cancer", "diabetes", "wine", "iris"]:
            found = getattr(datasets, "load_" + name)()
            rows = [list(map(float, row)) + [target] for row, target in zip(found.data, found.target)]
            rows = [[f"{cell:g}" for cell in row] for row in rows]
            names = [str(column).replace(" ", "_") for column in found.feature_names] + ["outcome"]
            yield Table(f"{name} (scikit-learn)", names, rows, "outcome")
    except ImportError:
        print("scikit-learn is not installed: its tables are left out", file=sys.stderr)
    try:
        import importlib
        for name, target in [("fair", "affairs"), ("randhie", "mdvis"), ("anes96", "vote"), ("modechoice", "choice"),
                             ("heart", "survival"), ("spector", "GRADE"), ("star98", "NABOVE"), ("ccard", "AVGEXP")]:
            data = importlib.import_module("statsmodels.datasets." + name).load_pandas().data
            rows = [["" if cell != cell else f"{cell:g}" if isinstance(cell, float) else cell for cell in row]
                    for row in data.values.tolist()]
            yield Table(f"{name} (statsmodels)", map(str, data.columns), rows, target)
    except ImportError:
        print("statsmodels is not installed: its tables are left out", file=sys.stderr)
    try:
        from vega_datasets import local_data
        for name, target in [("cars", "Miles_per_Gallon"), ("movies", "US_Gross"), ("birdstrikes", "Cost__Total_$"),
                             ("la_riots", "death_type"), ("gapminder", "life_expect"), ("penguins", "Sex")]:
            if name.replace("_", "-") not in local_data.list_datasets():
                continue
            data = getattr(local_data, name)()
            rows = [["" if cell != cell or cell is None else cell for cell in row] for row in data.values.tolist()]
            names = [str(column) for column in data.columns]
            yield Table(f"{name} (vega_datasets)", names, rows, target if target in names else "")
    except ImportError:
        print("vega_datasets is not installed: its tables are left out", file=sys.stderr)
    adult = os.path.join(os.environ.get("THRONG_DATA", ""), "adult", "adult.csv")
    if os.environ.get("THRONG_DATA") and os.path.exists(adult):
        columns, rows = read(adult, ";")
        yield Table("adult", columns, rows, "salary-class")


# ---------------------------------------------------------------- releases

def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(" ".join(command) + "\n" + done.stderr.strip())
    return done.stdout


def first_result(command):
    """Runs a release; the seconds until it reported that there is a result, None where it did not."""
    environment = {**os.environ, "THRONG_PROGRESS": "plain"}
    started, found, said = time.monotonic(), None, []
    with tempfile.TemporaryFile("w+") as out:
        with subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True, env=environment) as process:
            for line in process.stderr:
                said.append(line)
                if found is None and line.startswith("found: "):
                    found = time.monotonic() - started
    if process.returncode != 0:
        raise RuntimeError(" ".join(command) + "\n" + "".join(said).strip())
    return found


def cpu_seconds():
    """Processor seconds of all programs that were run."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Release:
    """A release of some rows of a table with a proposed policy; `search` replaces its section of that name."""

    def __init__(self, program, table, rows, folder, name, k, search=None):
        path, policy = os.path.join(folder, name + ".csv"), os.path.join(folder, name + ".toml")
        table.write(path, rows)
        started, cpu = time.monotonic(), cpu_seconds()
        run([program, "inspect", path, "--write", policy, "--k", str(k)])
        inspected = time.monotonic()
        if search:
            with open(policy, encoding="utf-8") as file:
                text = file.read()
            text = text[:text.index("\n[search]")] + "\n[search]\n" + search.replace(", ", "\n") + "\n"
            with open(policy, "w", encoding="utf-8") as file:
                file.write(text)
        self.first = first_result([program, "release", policy, "--json"])
        self.seconds = (inspected - started, time.monotonic() - inspected)
        self.cpu = cpu_seconds() - cpu
        with open(os.path.join(folder, name + "-certificate.json"), encoding="utf-8") as file:
            self.certificate = json.load(file)
        regions = self.certificate.get("regions") or {}
        self.quasi = sorted(regions.get("forms") or self.certificate.get("levels", {}))
        self.columns, self.rows = read(os.path.join(folder, name + "-release.csv"))
        self.size = len(rows)

    def stars(self):
        """The share of the quasi-identifiers' cells that are `*` or in a suppressed row, and the columns of stars."""
        places = [self.columns.index(name) for name in self.quasi]
        stars = [sum(row[place] == "*" for row in self.rows) for place in places]
        suppressed = self.size - len(self.rows)
        cells_in_all = max(1, self.size * len(places))
        empty = sum(count == len(self.rows) for count in stars) if self.rows else len(places)
        return (sum(stars) + suppressed * len(places)) / cells_in_all, empty, suppressed / max(1, self.size)

    def method(self):
        search = self.certificate["search"]
        return search.get("method") or search["algorithm"]


# ---------------------------------------------------------------- what cells may be

YEAR = re.compile(r"\b(1[89]|20)\d\d\b")
DATE = re.compile(r"((?:1[89]|20)\d\d)-(\d\d)(?:-(\d\d))?\b")


def dated(text):
    """A date, or a label of a hierarchy of dates, as a year with a fraction; None where it is neither."""
    found = [int(y) + (int(m) - 0.5) / 12 + (int(d) / 365 if d else 0) for y, m, d in DATE.findall(text)]
    found = found or [int(year.group()) + 0.5 for year in YEAR.finditer(text)]
    return sum(found) / len(found) if found else None


class Column:
    """How the cells of a column are read: as a number, or as shares of categories."""

    def __init__(self, values):
        present = [value for value in values if value not in ("", "*")]
        numbers = [cells.number(value) for value in present]
        dates = [dated(value) for value in present[:200]]
        self.numeric = bool(present) and all(x is not None for x in numbers)
        self.dates = bool(present) and not self.numeric and all(x is not None for x in dates)
        if self.numeric or self.dates:
            seen = numbers if self.numeric else [dated(value) for value in present]
            seen = [x for x in seen if x is not None]
            self.mean, self.spread = statistics.fmean(seen), statistics.pstdev(seen) or 1.0
            # If there are two values and the larger one is more common, nothing is above the median.
            self.median = statistics.median(seen)
            if self.median == max(seen):
                self.median = self.mean
        self.shares = Counter(present)
        total = sum(self.shares.values()) or 1
        self.common = {value: at for at, (value, _) in enumerate(self.shares.most_common(CATEGORIES))}
        self.prior = {value: count / total for value, count in self.shares.items()}

    def number(self, text):
        """The number that a cell stands for: the middle of an interval; the mean where nothing is known."""
        if text in ("", "*"):
            return self.mean
        if self.dates:
            found = dated(text)
            return self.mean if found is None else found
        low, high = cells.bounds(text)
        if low is None or not (math.isfinite(low) and math.isfinite(high)):
            found = [x for x in (low, high) if x is not None and math.isfinite(x)]
            return found[0] if found else self.mean
        return (low + high) / 2

    def memberships(self, text):
        """Category -> share: all of the value, alike of a set, and as in the table where a label is not known."""
        if text in self.prior:
            return {text: 1.0}
        cell = cells.parse(text)
        known = [value for value in (cell.values or []) if value in self.prior]
        if known:
            return {value: 1 / len(known) for value in known}
        return self.prior


# ---------------------------------------------------------------- utility

def features(columns, names, row, skip):
    """The features of a row as (place, value)."""
    found = [(0, 1.0)]
    start = 1
    for name, text in zip(names, row):
        column = columns[name]
        if name == skip:
            continue
        if column.numeric or column.dates:
            found.append((start, max(-4.0, min(4.0, (column.number(text) - column.mean) / column.spread))))
            start += 1
            continue
        for value, share in column.memberships(text).items():
            if value in column.common:
                found.append((start + column.common[value], share))
        start += len(column.common)
    return found


def label(column, text):
    """Whether the target is in the upper half, or is its most common value; None where the cell does not say."""
    if column.numeric or column.dates:
        return None if text in ("", "*") else column.number(text) > column.median
    share = column.memberships(text).get(column.shares.most_common(1)[0][0], 0.0)
    return None if 0.25 < share < 0.75 or text in ("", "*") else share >= 0.75


def auc(columns, names, target, trained, tested):
    """The area under the curve of a logistic regression (AdaGrad) from some rows to others, in percent."""
    draw = random.Random(SEED)
    place = names.index(target)
    known = [(features(columns, names, row, target), label(columns[target], row[place])) for row in trained]
    known = [(x, y) for x, y in known if y is not None]
    draw.shuffle(known)
    known = known[:TRAINED]
    if len({y for _, y in known}) < 2:
        return 50.0
    weights, sums = defaultdict(float), defaultdict(lambda: 1e-8)
    for _ in range(EPOCHS):
        for x, y in known:
            z = sum(weights[at] * value for at, value in x)
            error = 1 / (1 + math.exp(-max(-30.0, min(30.0, z)))) - y
            for at, value in x:
                slope = error * value + 1e-4 * weights[at]
                sums[at] += slope * slope
                weights[at] -= 0.3 * slope / math.sqrt(sums[at])
        draw.shuffle(known)
    scored = [(sum(weights[at] * value for at, value in features(columns, names, row, target)),
               label(columns[target], row[place])) for row in tested]
    scored = sorted((score, y) for score, y in scored if y is not None)
    positive = sum(y for _, y in scored)
    if positive in (0, len(scored)):
        return None
    ranks, at = 0.0, 0
    while at < len(scored):
        end = at
        while end < len(scored) and scored[end][0] == scored[at][0]:
            end += 1
        ranks += sum(y for _, y in scored[at:end]) * (at + 1 + end) / 2
        at = end
    negative = len(scored) - positive
    return 100 * (ranks - positive * (positive + 1) / 2) / (positive * negative)


def group_errors(columns, names, rows, released_names, released):
    """Mean absolute error of means by group, in percent of a standard deviation; over up to 20 pairs of columns."""
    both = [name for name in names if name in released_names]
    groups = [n for n in both if not columns[n].numeric and not columns[n].dates and 2 <= len(columns[n].shares) <= 20]
    numbers = [n for n in both if columns[n].numeric]
    pairs = [(g, x) for g in groups for x in numbers]
    random.Random(SEED).shuffle(pairs)
    errors = []
    for group, name in pairs[:20]:
        def means(header, table):
            at, of = header.index(group), header.index(name)
            sums, weights = defaultdict(float), defaultdict(float)
            for row in table:
                if row[at] == "" or row[of] == "":
                    continue
                x = columns[name].number(row[of])
                for value, share in columns[group].memberships(row[at]).items():
                    sums[value] += share * x
                    weights[value] += share
            return {value: sums[value] / weights[value] for value in sums if weights[value] > 0}
        true, found = means(names, rows), means(released_names, released)
        size = sum(columns[group].shares[value] for value in true)
        error = sum(columns[group].shares[value] * abs(found.get(value, columns[name].mean) - true[value]) for value in true)
        errors.append(100 * error / max(1, size) / columns[name].spread)
    return statistics.fmean(errors) if errors else None


# ---------------------------------------------------------------- the measurement

def measure(program, table, folder, k, search=None):
    """The figures of one table, in a folder of its own."""
    folder = tempfile.mkdtemp(dir=folder)
    columns = {name: Column([row[at] for row in table.rows]) for at, name in enumerate(table.columns)}
    whole = Release(program, table, table.rows, folder, "whole", k, search)
    share, empty, suppressed = whole.stars()
    figures = {
        "table": table.name, "rows": len(table.rows), "columns": len(table.columns), "quasi": len(whole.quasi),
        "method": whole.method(), "stars": 100 * share, "lost": empty, "suppressed": 100 * suppressed,
        "lm": whole.certificate["loss"].get("lm"), "inspect": whole.seconds[0], "release": whole.seconds[1],
        "first": whole.first, "cpu": whole.cpu,
        "groups": group_errors(columns, table.columns, table.rows, whole.columns, whole.rows),
    }
    if table.target:
        rows = list(table.rows)
        random.Random(SEED).shuffle(rows)
        cut = len(rows) * 7 // 10
        part = Release(program, table, rows[:cut], folder, "part", k, search)
        if table.target in part.columns:
            order = [part.columns.index(name) for name in table.columns if name in part.columns]
            names = [name for name in table.columns if name in part.columns]
            places = [table.columns.index(name) for name in names]
            only = lambda table_rows, at: [[row[place] for place in at] for row in table_rows]  # noqa: E731
            tested, original = only(rows[cut:], places), only(rows[:cut], places)
            figures["auc original"] = auc(columns, names, table.target, original, tested)
            figures["auc"] = auc(columns, names, table.target, only(part.rows, order), tested)
    return figures


COLUMNS = [("table", "table", "{}"), ("rows", "rows", "{:,}"), ("quasi", "quasi", "{}"), ("method", "method", "{}"),
           ("stars", "stars %", "{:.2f}"), ("lost", "columns lost", "{}"), ("suppressed", "rows suppressed %", "{:.2f}"),
           ("lm", "LM", "{:.3f}"), ("auc original", "AUC original", "{:.1f}"), ("auc", "AUC released", "{:.1f}"),
           ("groups", "group means % SD", "{:.1f}"), ("inspect", "inspect s", "{:.1f}"), ("first", "first result s", "{:.1f}"),
           ("release", "release s", "{:.1f}"),
           ("cpu", "CPU s", "{:.1f}")]


def line(figures, columns=COLUMNS):
    def text(key, form):
        value = figures.get(key)
        return "–" if value is None else form.format(value)
    return "| " + " | ".join(text(key, form) for key, _, form in columns) + " |"


def head(columns=COLUMNS):
    right = ["---" if key in ("table", "method", "search") else "---:" for key, _, _ in columns]
    return "| " + " | ".join(title for _, title, _ in columns) + " |\n| " + " | ".join(right) + " |"


def median(values):
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def summary(all_figures):
    near = [f for f in all_figures if f.get("auc") is not None and f.get("auc original") is not None]
    kept = sum(f["auc"] >= f["auc original"] - 6 for f in near)
    lost = sum(f["lost"] for f in all_figures if f["columns"] <= 30)
    slowest = max(f["inspect"] + f["release"] for f in all_figures)
    return (f"{len(all_figures)} tables: median of starred cells {median(f['stars'] for f in all_figures):.2f} %, "
            f"{lost} columns lost on tables of at most 30 columns, at most "
            f"{max(f['suppressed'] for f in all_figures):.2f} % of rows suppressed, AUC within 6 points on {kept} of "
            f"{len(near)} tables, median LM {median(f['lm'] for f in all_figures):.3f}, slowest table {slowest:.1f} s")


def compared(searches):
    """Medians by setting of the search: the choice of the guiding loss."""
    columns = [("search", "search", "`{}`"), ("stars", "stars %", "{:.2f}"), ("lost", "columns lost", "{}"),
               ("lm", "LM", "{:.3f}"), ("drop", "AUC lost", "{:.1f}"), ("groups", "group means % SD", "{:.1f}"),
               ("release", "release s", "{:.1f}"), ("cpu", "CPU s", "{:.1f}")]
    lines = [head(columns)]
    for search, all_figures in searches.items():
        drops = [f["auc original"] - f["auc"] for f in all_figures if f.get("auc") is not None]
        figures = {key: median(f.get(key) for f in all_figures) for key in ("stars", "lm", "groups", "release", "cpu")}
        figures.update(search=search, lost=sum(f["lost"] for f in all_figures), drop=median(drops))
        lines.append(line(figures, columns))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--throng", default="throng", help="the program")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--only", default="", help="only tables whose name contains this text")
    parser.add_argument("--search", action="append", default=[], help="a [search] section to compare, keys parted by ', '")
    parser.add_argument("--json", help="write all figures to this file")
    args = parser.parse_args()
    searches = {search: [] for search in args.search or [""]}
    with tempfile.TemporaryDirectory() as folder:
        generated = [survey(), clinic(), wide(), register(), skewed()]
        tables = [*generated, *made_by_throng(args.throng, folder), *installed()]
        tables = [table for table in tables if args.only in table.name]
        for search, all_figures in searches.items():
            print(f"\n## {search or 'as proposed'}\n\n{head()}")
            for table in tables:
                try:
                    all_figures.append(measure(args.throng, table, folder, args.k, search or None))
                    print(line(all_figures[-1]), flush=True)
                except RuntimeError as error:
                    print(f"| {table.name} | failed: {str(error).splitlines()[-1]} |", flush=True)
            if all_figures:
                print("\n" + summary(all_figures))
    if len(searches) > 1:
        print("\n" + compared(searches))
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(searches, file, indent=1)


if __name__ == "__main__":
    main()
