"""Measures the figures of docs/performance.md again and writes them between its markers.

    python3 bench/performance.py --throng target/release/throng           all of them: about 40 minutes on 2 cores
    python3 bench/performance.py --only growth --case mondrian             the rows of other cases stay
    python3 bench/performance.py --json figures.json --only growth         from figures that scaling.py wrote

A section of the document begins with `<!-- measured: NAME -->` and ends with `<!-- end -->`; NAME is a function below.
Text outside of these stays. Needs Python 3.9; ratios need polars and DuckDB, sections of the core need cargo, and what is
measured on adult needs THRONG_DATA: without it, these sections stay as they are, and the program says so.
"""

import argparse
import functools
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import measured
import memory as limits
import quality as plots
import scaling

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "performance.md")
SECTION = re.compile(r"(<!-- measured: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

#: The cases that are compared with polars first, at a million rows.
SPEED = [("release datafly", "few"), ("release auto", "few"), ("release mondrian", "few"), ("release mondrian", "many"),
         ("verify --original", "few"), ("risk", "few"), ("inspect", "few")]


def machine(args):
    """What it was measured on."""
    model = "unknown processor"
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), model)
    versions = [f"{name} {version}" for name in ("polars", "duckdb") if (version := version_of(name))]
    program = subprocess.run([args.throng, "--version"], capture_output=True, text=True).stdout.strip()
    return [f"{os.cpu_count()} cores of {model}, {platform.system()} {platform.release()}; "
            + ", ".join([program, f"Python {platform.python_version()}", *versions]) + "."]


def version_of(module):
    run = subprocess.run([sys.executable, "-c", f"import {module}; print({module}.__version__)"], capture_output=True, text=True)
    return run.stdout.strip()


def growth(args):
    """Every command at every size."""
    if args.json:
        with open(args.json, encoding="utf-8") as file:
            return [scaling.HEAD, *map(kept_line, json.load(file))]
    bench = scaling.Bench(args.throng, args.cache, args.limit)
    cases = scaling.chosen(args.case, args.quick)
    return scaling.measure(bench, cases, args.sizes, say=lambda text: print(text, file=sys.stderr, flush=True))


def merged(page, lines):
    """The table of a section of the page with some of its rows measured again: those of the same command and table."""
    def key(line):
        return [cell.strip(" *") for cell in line.split("|")[1:3]]
    fresh = {tuple(key(line)): line for line in "\n".join(lines).splitlines()}
    kept = [fresh.pop(tuple(key(line)), line) for line in page.splitlines()]
    return kept + list(fresh.values())


def kept_line(case):
    """The line of a case whose figures were kept."""
    return scaling.line(scaling.Case(case["group"], case["name"], case["table"], ""), case["points"])


def speed(args):
    """A million rows beside polars and DuckDB, the least of three runs."""
    bench = scaling.Bench(args.throng, args.cache, args.limit)
    cases = [case for case in scaling.CASES if (case.name, case.table) in SPEED]
    return scaling.measure(bench, cases, [max(args.sizes)], runs=3)


def large(args):
    """Ten million rows of Parquet, twice."""
    bench = scaling.Bench(args.throng, args.cache, args.limit)
    case = next(case for case in scaling.CASES if case.name == "release datafly, Parquet")
    lines = ["| run | wall s | CPU s | memory MiB |", "| --- | ---: | ---: | ---: |"]
    for number in (1, 2):
        done = bench.run(case, 10 ** 7)
        lines.append(f"| {number} | {done['wall']:.1f} | {done['cpu']:.1f} | {done['memory'] * 1e6 / 2 ** 20:,.0f} |")
    return lines


def quality(args):
    """Loss against CPU time of every method on five tables; the picture is written beside the page."""
    with tempfile.TemporaryDirectory() as folder:
        rows = list(plots.figures(os.path.abspath(args.throng), folder))
    if not any(table == "adult" for table, *_ in rows):
        return None
    scaling.write(os.path.join(os.path.dirname(PAGE), "img"), "quality.svg", plots.svg(rows))
    methods = [method for method, _ in plots.METHODS]
    lines = ["| table | " + " | ".join(methods) + " |", "| --- |" + " ---: |" * len(methods)]
    for name in dict.fromkeys(table for table, *_ in rows):
        found = {method: found for table, method, found, _ in rows if table == name}
        cell = (f"{found[m][0]:.4f} · {found[m][1]:.2f}" if found[m] else "–" for m in methods)
        lines.append(f"| {name} | " + " | ".join(cell) + " |")
    return lines


#: The releases whose estimate of memory is shown: what dominates it differs.
LIMITED = [("release datafly", "few"), ("release auto", "few"), ("release datafly, wildcard", "blank"),
           ("release mondrian", "many"), ("release k-similar", "many"), ("release auto, loss cm", "both"),
           ("j-anonymity", "both"), ("release datafly, made-up identifiers", "both")]


def memory(args):
    """The estimate of --memory beside the peak of a release that gets it as its limit."""
    bench = scaling.Bench(args.throng, args.cache, args.limit)
    lines = ["| command | table | rows | distinct rows | estimate MiB | peak MiB | ratio |",
             "| --- | --- | ---: | ---: | ---: | ---: | ---: |"]
    chosen = [case for case in limits.releases("") if (case.name, case.table) in LIMITED]
    return lines + [limits.line(bench, case, max(args.sizes)) for case in chosen]


def adult(args):
    """The search of levels on adult, by limit of suppression and by algorithm."""
    if not os.environ.get("THRONG_DATA"):
        return None
    lines = ["| search | suppressed at most | CPU s of the process | nodes checked | nodes compared on loss |",
             "| --- | ---: | ---: | ---: | ---: |"]
    tasks = [("auto", "lm", share) for share in ("0", "0.02", "0.05", "1")]
    tasks += [(name, "entropy", "0.05") for name in ("auto", "ola", "incognito", "mingen", "samarati", "datafly")]
    for algorithm, loss, share in tasks:
        cpu, checked, compared = searched(args, "adult", algorithm, loss, share)
        lines.append(f"| `{algorithm}`, {loss} | {float(share):.0%} | {cpu:.2f} | {checked} | {compared} |")
    return lines


def wide(args):
    """What `auto` proves about a lattice that it cannot finish."""
    lines = ["| suppressed at most | after | loss | no node is below | nodes checked |", "| --- | ---: | ---: | ---: | ---: |"]
    program = example("search")
    for share in ("1", "0.05", "0"):
        _, text = said([program, "wide", "auto", "lm", share, "30"], args)
        end, end_checked = re.search(r"([\d.]+) s +(\d+) checked  \d+ compared", text).groups()
        loss, gap = re.search(r"loss ([\d.]+)  gap ([\d.e-]+)", text).groups()
        bound = "proven optimal" if float(gap) == 0 else f"{float(loss) - float(gap):.3f}"
        at = re.findall(r"([\d.]+) s +(\d+) checked  loss Some\(([\d.]+)\)  bound Some\(([\d.]+)\)", text)
        steps = [(f"{float(s):.0f} s", best, f"{float(low):.3f}", n) for s, n, best, low in at if float(s) < float(end) - 1]
        for after, best, low, checked in [*steps[:1], (f"{float(end):.1f} s", loss, bound, end_checked)]:
            lines.append(f"| {float(share):.0%} | {after} | {float(best):.4f} | {low} | {int(checked):,} |")
    return lines


def posets(args):
    """Greedy and Partition on synthetic people with posets."""
    lines = ["| rows | method | CPU s | wall s | memory MB |", "| ---: | --- | ---: | ---: | ---: |"]
    source = os.path.join(os.path.dirname(PAGE), "..", "examples", "posets")
    folder = os.path.join(args.cache, "posets")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder)
    throng, rows = os.path.abspath(args.throng), 10 ** 5
    with open(os.path.join(folder, "policy.toml"), encoding="utf-8") as file:
        policy = file.read()
    measured.run([throng, "synth", "people.toml", "--rows", str(rows), "--out", "people.csv"], folder, args.limit)
    for method in ("greedy", "guided", "partition"):
        text = policy.replace("# model =", "model =") if method == "guided" else policy
        scaling.write(folder, "p.toml", text.replace('"greedy"', f'"{method.replace("guided", "greedy")}"'))
        done = measured.run([throng, "release", "p.toml", "--quiet"], folder, args.limit)
        said_so = "" if done.code == 0 else f" (failed: {scaling.last(done.error)})"
        lines.append(f"| {rows:,} | `{method}`{said_so} | {done.cpu:.1f} | {done.wall:.1f} | {done.memory:.0f} |")
    return lines


def searched(args, table, algorithm, loss, share):
    """CPU seconds, nodes checked and nodes compared of a search of the core."""
    done, text = said([example("search"), table, algorithm, loss, share], args)
    found = re.findall(r"(\d+) checked  (\d+) compared", text)
    return (done.cpu, *(found[-1] if found else ("–", "–")))


def searches(args):
    """Every search of levels on the nine columns."""
    lines = ["| algorithm | CPU s | nodes checked | nodes compared on loss |", "| --- | ---: | ---: | ---: |"]
    for algorithm in ("auto", "ola", "incognito", "mingen", "samarati", "datafly"):
        cpu, checked, compared = searched(args, "nine", algorithm, "entropy", "0.05")
        lines.append(f"| `{algorithm}` | {cpu:.1f} | {checked} | {compared} |")
    return lines


def regions(args):
    """Every method that forms regions, on a million rows."""
    lines = ["| method | table | CPU s | memory MB | regions | LM |", "| --- | --- | ---: | ---: | ---: | ---: |"]
    program = example("regions")
    for method, table in [("mondrian", "nine"), ("mondrian", "spread"), ("mondrian+", "numbers"), ("k-similar", "nine"),
                          ("boxes+", "numbers"), ("mdav+", "numbers")]:
        done, text = said([program, method, f"{table}:1000000"], args)
        cpu = re.search(r"([\d.]+) s of CPU", text)
        count, loss = re.search(r"(\d+) regions", text), re.search(r"([\d.]+)  geometric", text)
        if cpu and count and loss:
            lines.append(f"| `{method}` | `{table}` | {cpu[1]} | {done.memory:.0f} | {int(count[1]):,} | {float(loss[1]):.4f} |")
        else:
            lines.append(f"| `{method}` | `{table}` | failed | | | |")
    return lines


@functools.cache
def example(name):
    """The program of an example of the core."""
    command = ["cargo", "build", "--release", "--locked", "-p", "throng", "--example", name, "--message-format", "json"]
    built = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return next(found for line in built.splitlines() if (found := json.loads(line).get("executable")))


def said(command, args):
    """How a command ended, and its standard output."""
    path = os.path.join(args.cache, "stdout")
    quoted = " ".join(f"'{word}'" for word in command)
    done = measured.run(["sh", "-c", f"exec {quoted} > stdout"], args.cache, args.limit)
    with open(path, encoding="utf-8") as file:
        return done, file.read()


FIGURES = {function.__name__: function for function in (machine, speed, large, growth, quality, memory, adult, searches, wide, regions,
                                                           posets)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--throng", default="throng", help="the program")
    parser.add_argument("--only", default="", help="only these sections, separated by commas: " + ", ".join(FIGURES))
    parser.add_argument("--case", default="", help="only cases of `growth` whose name or table contains this text; other rows stay")
    parser.add_argument("--quick", action="store_true", help="a few cases of `growth`; other rows stay")
    parser.add_argument("--sizes", default="1e4,1e5,1e6", help="rows of `growth`; `speed` takes the largest")
    parser.add_argument("--limit", type=int, default=600, help="CPU seconds after which a run is ended [default: 600]")
    parser.add_argument("--cache", default="target/bench", help="folder of tables [default: target/bench]")
    parser.add_argument("--json", help="take the figures of `growth` from this file, which scaling.py wrote")
    args = parser.parse_args()
    args.sizes = [int(float(size)) for size in args.sizes.split(",")]
    args.cache = os.path.abspath(args.cache)
    os.makedirs(args.cache, exist_ok=True)
    wanted = args.only.split(",") if args.only else list(FIGURES)
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()

    def fresh(found):
        if found[2] not in wanted:
            return found[0]
        print(f"measuring {found[2]}", file=sys.stderr, flush=True)
        lines = FIGURES[found[2]](args)
        if lines is None:
            print(f"{found[2]} stays as it is: it needs THRONG_DATA", file=sys.stderr, flush=True)
            return found[0]
        if found[2] == "growth" and (args.case or args.quick):
            lines = merged(found[0][len(found[1]):-len(found[3])], lines)
        return found[1] + "\n".join(lines) + "\n" + found[3]

    for name in (found[2] for found in SECTION.finditer(page)):
        page = SECTION.sub(lambda found: fresh(found) if found[2] == name else found[0], page)
        # After every section, so that an interrupted run keeps what it has measured.
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page)


if __name__ == "__main__":
    main()
