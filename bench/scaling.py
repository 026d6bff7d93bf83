"""Measures how CPU time and memory of every command grow with rows.

Generates the tables of tables.py, runs every case at every size up to its limit, and prints a Markdown table: CPU seconds
(user and system) and peak memory of the whole process, the exponent ln(CPU ratio) / ln(row ratio) to the size before, and
the ratio to polars reading, grouping and writing the same file: the least of three runs, without the start-up of Python.

    python3 bench/scaling.py --throng target/release/throng
    python3 bench/scaling.py --quick                       a few cases of every kind
    python3 bench/scaling.py --only mondrian --sizes 1e5,1e6

Tables and policies stay in the folder --cache. Needs Python 3.9; ratios need polars, and DuckDB for its own.
"""

import argparse
import json
import math
import os
import shutil
import subprocess
import sys

import measured
import tables

SIZES = [10 ** 4, 10 ** 5, 10 ** 6]


class Case:
    """A command on a table. `prepare` are commands that run before and are not measured."""

    def __init__(self, group, name, table, command, policy=None, most=10 ** 6, least=0, prepare=(), quick=False,
                 format="csv"):
        self.group, self.name, self.table, self.command, self.policy = group, name, table, command, policy or {}
        self.most, self.least, self.prepare, self.quick, self.format = most, least, prepare, quick, format

    def title(self):
        return f"{self.name}, {self.table}"


def search(algorithm, rest=""):
    """The lines of [search]: the loss is LM."""
    return f'algorithm = "{algorithm}"\nloss = "lm"' + (f"\n{rest}" if rest else "")


def release(name, table, algorithm, rest="", group="release", command="release p.toml --quiet", format="csv", prepare=(),
            most=10 ** 6, least=0, quick=False, **policy):
    policy = {"search": search(algorithm, rest), **policy}
    return Case(group, name, table, command, policy, most, least, prepare, quick, format)


def model(name, table, entry, columns, quick=False, most=10 ** 6, **policy):
    columns = {"value": {"role": '"sensitive"'}, **columns}
    return release(name, table, "auto", group="models", columns=columns, privacy=f"models = [ {{ {entry} }} ]", quick=quick,
                   most=most, **policy)


INTERVALS = {name: {"form": '"interval"'} for name in ("c1", "c4", "c6")}
NUMBERS = {name: {"form": '"interval"'} for name in ("age", "amount")}
MEANS = {name: {"form": '"mean"'} for name in ("age", "amount")}
FLAT = {name: {"hierarchy": '"suppress"'} for name in ("age", "amount", "code", "time")}
POSET = {"amount": {"hierarchy": None, "poset": "{ range = {} }"}}
MASK = {"value": {"role": '"sensitive"', "hierarchy": '{ mask = { from = "right" } }'}}
TARGET = {"value": {"role": '"target"'}}
#: The labels of `code` from a file, which `throng hierarchy build` writes before.
FILED = {"code": {"hierarchy": '{ file = "code.csv" }'}}
BUILD = 'hierarchy build {{mask={{from="right"}}}} --input {table} --column {column} --out {column}.csv --force --quiet'
KEY = {"id": {"role": '"identifier"', "transform": '{ substitute = { key_file = "key" } }'}}


def levels():
    return [
        release("release auto", "few", "auto", quick=True),
        release("release datafly", "few", "datafly", most=10 ** 7, quick=True),
        release("release datafly, Parquet", "few", "datafly", most=10 ** 7, format="parquet"),
        release("release auto, local", "few", "auto", "local = true", most=10 ** 5),
        release("release auto, cells", "few", "auto", output='suppressed = "cells"'),
        release("release auto", "many", "auto"),
        release("release datafly", "many", "datafly", quick=True),
        release('release auto, "suppress"', "many", "auto", columns=FLAT),
        release("release auto, local", "many", "auto", "local = true"),
        release("release auto, cells", "many", "auto", output='suppressed = "cells"'),
        *(release("release datafly", f"q{n}", "datafly") for n in (4, 20, 40)),
        release("release auto --seconds 5", "q20", "auto", command="release p.toml --quiet --seconds 5", most=10 ** 5),
        release("release auto --seconds 5", "q40", "auto", command="release p.toml --quiet --seconds 5", most=10 ** 4),
        release("release auto, loss value-mi", "both", "auto", columns=TARGET,
                search='algorithm = "auto"\nloss = "value-mi"'),
        release("release auto, loss column-mi", "both", "auto", columns=TARGET,
                search='algorithm = "auto"\nloss = "column-mi"'),
        release("release auto, loss cm", "both", "auto", columns=TARGET, search='algorithm = "auto"\nloss = "cm"'),
        release("release auto", "wide", "auto", most=10 ** 5),
        release("release auto", "text", "auto", most=10 ** 5, quick=True),
        release("release datafly, wildcard", "blank", "datafly", given='missing = "wildcard"', quick=True),
        release("release auto, wildcard", "blank", "auto", given='missing = "wildcard"', most=10 ** 5),
        release("release datafly, made-up identifiers", "both", "datafly", columns=KEY),
    ]


def regions():
    return [
        release("release best", "few", "best"),
        release("release best", "many", "best"),
        release("release mondrian", "few", "mondrian", quick=True),
        release("release mondrian", "many", "mondrian", quick=True),
        release("release mondrian, intervals", "many", "mondrian", columns=NUMBERS),
        release("release mondrian, means", "many", "mondrian", columns=MEANS, quick=True),
        release("release mondrian", "set", "mondrian", quick=True),
        release("release mondrian, hierarchy file", "many", "mondrian", columns=FILED,
                prepare=[BUILD.replace("{column}", "code")]),
        release("release mondrian, value-mi", "both", "mondrian", columns=TARGET,
                search='algorithm = "mondrian"\nloss = "value-mi"'),
        *(release("release mondrian", f"q{n}", "mondrian") for n in (4, 20, 40)),
        release("release k-similar", "few", "k-similar"),
        release("release k-similar", "many", "k-similar"),
        release("release mdav", "few", "mdav"),
        release("release mdav", "many", "mdav"),
        release("release mdav, medians", "many", "mdav",
                columns={name: {"form": '"median"'} for name in ("age", "amount")}),
        release("release boxes", "few", "boxes", columns=INTERVALS),
        release("release boxes", "many", "boxes", columns=NUMBERS),
        release("release greedy", "few", "greedy"),
        release("release greedy", "many", "greedy"),
        release("release partition", "few", "partition"),
        release("release partition", "many", "partition"),
        release("release partition, range poset", "many", "partition", columns=POSET, quick=True),
    ]


def models():
    diversity = 'l_diversity = { column = "value", kind = "%s", l = 2%s }'
    closeness = 't_closeness = { column = "value", distance = "%s", t = 0.9 }'
    return [
        model("entropy l-diversity", "held", diversity % ("entropy", ""), {}),
        model("recursive l-diversity", "held", diversity % ("recursive", ", c = 3"), {}),
        model("distinct l-diversity", "held", diversity % ("distinct", ""), {}),
        model("entropy l-diversity", "both", diversity % ("entropy", ""), {}),
        model("distinct l-diversity", "both", diversity % ("distinct", ""), {}),
        model("equal t-closeness", "held", closeness % "equal", {}),
        model("ordered t-closeness", "held", closeness % "ordered", {}, quick=True),
        model("ordered t-closeness", "both", closeness % "ordered", {}),
        model("hierarchical t-closeness", "held", closeness % "hierarchical", MASK),
        model("hierarchical t-closeness", "both", closeness % "hierarchical", MASK, quick=True),
        model("personalized", "held", 'personalized = { column = "value", guard = "guard", breach = 0.5 }', MASK, quick=True),
        model("j-anonymity", "both", "j_anonymity = { k = 5, people = 100_000_000 }", {}),
        model("k-map, population is the table", "both", 'k_map = { k = 5, population = "POPULATION" }', {}, k=None),
        model("beta-likeness", "both", 'beta_likeness = { column = "value", beta = 1000000.0 }', {}),
        model("delta-disclosure", "held", 'delta_disclosure = { column = "value", delta = 20.0 }',
              {"value": {"role": '"sensitive"', "hierarchy": '{ mask = { from = "right" } }', "level": "5"}}),
        model("ck-safety", "both", 'ck_safety = { column = "value", c = 0.99, knowledge = 1 }', {}),
        model("population uniqueness", "both", "population_uniqueness = { population = 100_000_000, max = 0.1 }", {}),
        model("rare values", "both", "rare_values = { k = 2 }", {}),
    ]


def verifying():
    check = "verify out.csv --policy p.toml --quiet"
    original = check + " --original {table}"
    made = ("release p.toml --quiet",)
    build = (BUILD.replace("{column}", "code"), *made)
    return [
        release("verify", "few", "datafly", group="verify", command=check, prepare=made),
        release("verify --original", "few", "datafly", group="verify", command=original, prepare=made, quick=True),
        release("verify, mondrian", "many", "mondrian", group="verify", command=check, prepare=made),
        release("verify --original, mondrian", "many", "mondrian", group="verify", command=original, prepare=made, quick=True),
        release("verify, mondrian, hierarchy file", "many", "mondrian", columns=FILED, group="verify", command=check,
                prepare=build, quick=True),
    ]


def other():
    policy = {"search": search("auto")}
    target = {"search": search("auto"), "columns": TARGET}
    county = "synth county --rows {rows} --out county.csv --force --quiet"
    network = "synth network.toml --rows {rows} --out drawn.csv --force --quiet"
    argus = "argus p.toml --do suppress --out argus.csv --force --quiet"
    build = "hierarchy build %s --input {table} --column id --out h.csv --force --quiet"
    mask, order = '{{mask={{from="right"}}}}', "{{order={{fanout=[10,10]}}}}"
    return [
        Case("other", "risk", "few", "risk {table} --qi {quasi} --json", quick=True),
        Case("other", "risk", "many", "risk {table} --qi {quasi} --json"),
        Case("other", "risk", "q20", "risk {table} --qi {quasi} --json", most=10 ** 5),
        Case("other", "risk --max-size 3", "q40", "risk {table} --qi {quasi} --max-size 3 --json", most=10 ** 5),
        Case("other", "risk --missing wildcard", "blank", "risk {table} --qi {quasi} --missing wildcard --json", most=10 ** 5),
        Case("other", "screen", "few", "screen {table} --target c2 --json", quick=True),
        Case("other", "screen", "many", "screen {table} --target age --json", quick=True),
        Case("other", "screen, target of rows / 10 values", "both", "screen {table} --target value --json"),
        Case("other", "screen", "wide", "screen {table} --target c2 --json", most=10 ** 5),
        Case("other", "screen", "text", "screen {table} --target c2 --json", most=10 ** 5),
        Case("other", "inspect", "few", "inspect {table} --json", quick=True),
        Case("other", "inspect", "many", "inspect {table} --json"),
        Case("other", "inspect", "wide", "inspect {table} --json", most=10 ** 5),
        Case("other", "inspect", "text", "inspect {table} --json", most=10 ** 5),
        Case("other", "network", "few", "network p.toml --json", policy),
        Case("other", "network", "many", "network p.toml --json", policy, quick=True),
        Case("other", "network, target of rows / 10 values", "both", "network p.toml --json", target),
        Case("other", "synth county", "held", county),
        Case("other", "synth from the network", "few", network, policy),
        Case("other", "synth from the network", "many", network, policy),
        Case("other", "augment", "few", "augment p.toml --out fields.csv --force", policy),
        Case("other", "augment", "many", "augment p.toml --out fields.csv --force", policy),
        Case("other", "explore", "q4", "explore p.toml --json", policy),
        Case("other", "explore", "many", "explore p.toml --json", policy),
        Case("other", "hierarchy build mask, all distinct", "held", build % mask),
        Case("other", "hierarchy build order, all distinct", "held", build % order),
        Case("other", "hierarchy check, all distinct", "held", "hierarchy check h.csv --input {table} --column id --quiet",
             prepare=(build % mask,)),
        Case("other", "argus suppress", "q4", argus, policy),
        Case("other", "argus suppress", "few", argus, policy, quick=True),
        Case("other", "argus suppress", "many", argus, policy),
    ]


CASES = [*levels(), *regions(), *models(), *verifying(), *other()]


class Bench:
    """Runs cases in a folder that keeps tables."""

    def __init__(self, program, cache, limit):
        self.program, self.limit = os.path.abspath(shutil.which(program) or program), limit
        # Commands run in folders of their own.
        self.cache = cache = os.path.abspath(cache)
        os.makedirs(cache, exist_ok=True)
        self.peers = measured.Peers(cache)

    def table(self, case, rows):
        """The table of a case; as Parquet it is written by polars."""
        path = os.path.join(self.cache, f"{case.table}-{rows}.csv")
        # In a process of its own: the peak memory of a child includes that of the process that forks it.
        subprocess.run([sys.executable, tables.__file__, case.table, str(rows), path], check=True)
        if case.format == "csv":
            return path
        parquet = path[:-3] + "parquet"
        if not os.path.exists(parquet):
            text = f"import polars as pl; pl.scan_csv({path!r}, infer_schema=False).sink_parquet({parquet!r})"
            subprocess.run([sys.executable, "-c", text], check=True)
        return parquet

    def arguments(self, case, text, rows, table):
        names = ",".join(tables.quasi_identifiers(case.table))
        return [self.program, *(word.format(table=table, rows=rows, quasi=names) for word in text.split())]

    def run(self, case, rows):
        """The figures of a case at a size."""
        folder = os.path.join(self.cache, "run")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        table = self.table(case, rows)
        if case.policy:
            text = tables.policy(case.table, table, **case.policy).replace("POPULATION", table)
            if case.format == "parquet":
                text = text.replace('"out.csv"', '"out.parquet"')
            write(folder, "p.toml", text)
        write(folder, "key", "0123456789abcdef0123456789abcdef")
        write(folder, "network.toml", 'version = 1\nnetwork = "p.toml"\n')
        for before in case.prepare:
            done = measured.run(self.arguments(case, before, rows, table), folder, self.limit * 2)
            if done.code:
                return {"rows": rows, "error": f"{before.split()[0]}: exit {done.code}: {last(done.error)}"}
        done = measured.run(self.arguments(case, case.command, rows, table), folder, self.limit)
        figures = {"rows": rows, "cpu": done.cpu, "wall": done.wall, "memory": done.memory, "code": done.code}
        if done.code < 0:
            figures["killed"] = True
        elif done.code not in (0, 1) or (done.code == 1 and not case.command.startswith("argus")):
            figures["error"] = f"exit {done.code}: {last(done.error)}"
        names = tables.quasi_identifiers(case.table)
        for peer in ("polars", "duckdb"):
            seconds = self.peers.cpu(peer, table, names)
            figures[peer] = done.cpu / seconds if seconds else None
        return figures

    def least(self, case, rows, runs, before=None):
        """The figures of the cheapest of several runs: what other processes add is not the case's own."""
        found = [self.run(case, rows) for _ in range(runs)] + ([before] if before else [])
        return min(found, key=lambda figures: math.inf if figures.get("error") else figures["cpu"])


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def last(text):
    """What a message says: the line of the cross, or the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if line.startswith("×")), lines[-1] if lines else "")


def with_exponents(points):
    """Adds the exponent to every point that has one before it."""
    for before, point in zip(points, points[1:]):
        if all("cpu" in p and not p.get("error") and not p.get("killed") for p in (before, point)):
            point["exponent"] = math.log(point["cpu"] / before["cpu"]) / math.log(point["rows"] / before["rows"])
    return points


def power(rows):
    exponent = round(math.log10(rows))
    return f"10^{exponent}" if 10 ** exponent == rows else f"{rows:,}"


HEAD = """| command | table | rows | CPU s | memory MB | exponent | CPU / polars | CPU / DuckDB |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"""


def line(case, points):
    """A row of the table: all sizes of a case, separated by /."""
    def join(text):
        return " / ".join(text(point) for point in points)
    def number(key, form):
        return lambda p: form.format(p[key]) if p.get(key) is not None else "–"
    def seconds(point):
        if "cpu" not in point:
            return "failed"
        return ("> " if point.get("killed") else "") + f"{point['cpu']:.2f}" + (" (failed)" if point.get("error") else "")
    exponents = join(number("exponent", "{:.2f}"))
    name = f"**{case.name}**" if steep(points) else case.name
    ratios = [number(peer, "{:.1f}")(points[-1]) for peer in ("polars", "duckdb")]
    return (f"| {name} | {case.table} | {join(lambda p: power(p['rows']))} | {join(seconds)} | "
            f"{join(number('memory', '{:.0f}'))} | {exponents} | {ratios[0]} | {ratios[1]} |")


def steep(points):
    """Whether the last exponent is above what n log n and noise explain, or the last run was ended."""
    return points[-1].get("exponent", 0) > 1.15 or bool(points[-1].get("killed"))


def measure(bench, cases, sizes, out=None, say=None, runs=1):
    """Measures cases and gives the lines of a table; `out` gets every figure as JSON. Noise can look like growth: where the
    last exponent is high, both of its sizes are measured twice more, and the least counts."""
    lines, figures = [HEAD], []
    for case in cases:
        points = []
        for rows in sizes:
            if not case.least <= rows <= case.most:
                continue
            points.append(bench.least(case, rows, runs))
            if points[-1].get("killed") or points[-1].get("error"):
                break
        if not points:
            continue
        with_exponents(points)
        if steep(points) and not points[-1].get("killed"):
            points[-2:] = [bench.least(case, point["rows"], 2, point) for point in points[-2:]]
            with_exponents(points)
        lines.append(line(case, points))
        for point in points:
            if point.get("error"):
                print(f"{case.title()}, {point['rows']} rows: {point['error']}", file=sys.stderr, flush=True)
        figures.append({"group": case.group, "name": case.name, "table": case.table, "points": points})
        if say:
            say(lines[-1])
        if out:
            write(os.path.dirname(os.path.abspath(out)), os.path.basename(out), json.dumps(figures, indent=1))
    return lines


def chosen(only="", quick=False):
    return [case for case in CASES if only in case.title() and (case.quick or not quick)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--throng", default="throng", help="the program")
    parser.add_argument("--cache", default="target/bench", help="folder of tables [default: target/bench]")
    parser.add_argument("--sizes", default="", help="rows, separated by commas [default: 1e4,1e5,1e6; quick: 1e4,1e5]")
    parser.add_argument("--only", default="", help="only cases whose name or table contains this text")
    parser.add_argument("--quick", action="store_true", help="a few cases of every kind, up to 1e5 rows")
    parser.add_argument("--limit", type=int, default=300, help="CPU seconds after which a run is ended [default: 300]")
    parser.add_argument("--out", help="write the table to this file")
    parser.add_argument("--json", help="write every figure to this file")
    parser.add_argument("--list", action="store_true", help="list the cases")
    args = parser.parse_args()
    cases = chosen(args.only, args.quick)
    if args.list:
        print("\n".join(f"{case.group:8} {case.title()}" for case in cases))
        return
    sizes = [int(float(size)) for size in args.sizes.split(",")] if args.sizes else SIZES[:2] if args.quick else SIZES
    print(HEAD)
    lines = measure(Bench(args.throng, args.cache, args.limit), cases, sizes, args.json,
                    lambda text: print(text, flush=True))
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
