"""Measures the figures of docs/performance.md again and writes them between its markers.

    python3 bench/performance.py --throng target/release/throng           all of them: about an hour on 2 cores
    python3 bench/performance.py --only growth --sizes 1e5,1e6
    python3 bench/performance.py --json figures.json --only growth         from figures that scaling.py wrote

A section of the document begins with `<!-- measured: NAME -->` and ends with `<!-- end -->`; NAME is a function below.
Text outside of these stays. Needs Python 3.9; ratios need polars and DuckDB, and `searches` and `regions` need cargo.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys

import measured
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


def kept_line(case):
    """The line of a case whose figures were kept."""
    return scaling.line(scaling.Case(case["group"], case["name"], case["table"], ""), case["points"])


def speed(args):
    """A million rows beside polars and DuckDB."""
    bench = scaling.Bench(args.throng, args.cache, args.limit)
    cases = [case for case in scaling.CASES if (case.name, case.table) in SPEED]
    return scaling.measure(bench, cases, [max(args.sizes)])


def searches(args):
    """Every search of levels on the nine columns."""
    lines = ["| algorithm | CPU s | memory MB | nodes checked | nodes compared on loss |", "| --- | ---: | ---: | ---: | ---: |"]
    program = example("search")
    for algorithm in ("auto", "ola", "incognito", "mingen", "samarati", "datafly"):
        done, text = said([program, "nine", algorithm, "entropy", "0.05"], args)
        found = re.findall(r"(\d+) checked  (\d+) compared", text)
        checked, compared = found[-1] if found else ("–", "–")
        lines.append(f"| `{algorithm}` | {done.cpu:.1f} | {done.memory:.0f} | {checked} | {compared} |")
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


FIGURES = {function.__name__: function for function in (machine, speed, growth, searches, regions)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--throng", default="throng", help="the program")
    parser.add_argument("--only", default="", help="only these sections, separated by commas: " + ", ".join(FIGURES))
    parser.add_argument("--case", default="", help="only cases of `growth` whose name or table contains this text")
    parser.add_argument("--quick", action="store_true", help="a few cases of `growth`")
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
        return found[1] + "\n".join(FIGURES[found[2]](args)) + "\n" + found[3]

    page = SECTION.sub(fresh, page)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page)


if __name__ == "__main__":
    main()
