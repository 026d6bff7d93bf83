"""The memory that `--memory` asks for beside the memory that a release takes, for every case of the growth table.

    python3 bench/memory.py --throng target/release/throng --cache target/bench --sizes 1e5,1e6

A first run with a limit that is too low is refused with the estimate; a second one gets the estimate as its limit.
"""

import argparse
import os
import re
import shutil
import sys

import measured
import scaling
import tables

#: Below what the program alone takes, and high enough that reading is not refused before its end.
REFUSED = "64M"


def releases(only):
    cases = (case for case in scaling.chosen(only) if case.group in ("release", "models"))
    return [case for case in cases if case.command.startswith("release") and not case.prepare]


def run(bench, case, rows, limit):
    folder = os.path.join(bench.cache, "run-memory")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    table = bench.table(case, rows)
    text = tables.policy(case.table, table, **case.policy).replace("POPULATION", table)
    scaling.write(folder, "p.toml", text.replace('"out.csv"', '"out.parquet"') if case.format == "parquet" else text)
    scaling.write(folder, "key", "0123456789abcdef0123456789abcdef")
    command = f"{case.command} --memory {limit}"
    return measured.run(bench.arguments(case, command, rows, table), folder, bench.limit)


def line(bench, case, rows):
    """A row of the table: estimate, peak within it, and their ratio."""
    refused = run(bench, case, rows, REFUSED)
    need = re.search(r"has (\d+) distinct rows and needs about\s+(\d+) MiB", " ".join(refused.error.split()))
    if not need:
        return f"| {case.name} | {case.table} | {scaling.power(rows)} | {scaling.last(refused.error)} |"
    distinct, mebibytes = int(need[1]), int(need[2])
    done = run(bench, case, rows, f"{mebibytes}M")
    if done.code:
        return f"| {case.name} | {case.table} | {scaling.power(rows)} | exit {done.code}: {scaling.last(done.error)} |"
    peak = done.memory * 1e6 / 2 ** 20
    mark = "**" if peak > mebibytes else ""
    return (f"| {case.name} | {case.table} | {scaling.power(rows)} | {distinct:,} | {mebibytes:,} | "
            f"{mark}{peak:,.0f}{mark} | {peak / mebibytes:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--throng", default="throng", help="the program")
    parser.add_argument("--cache", default="target/bench", help="folder of tables [default: target/bench]")
    parser.add_argument("--sizes", default="1e5,1e6", help="rows, separated by commas [default: 1e5,1e6]")
    parser.add_argument("--only", default="", help="only cases whose name or table contains this text")
    parser.add_argument("--limit", type=int, default=300, help="CPU seconds after which a run is ended [default: 300]")
    given = parser.parse_args()
    bench = scaling.Bench(given.throng, given.cache, given.limit)
    print("| release | table | rows | distinct rows | estimate MiB | peak MiB | peak / estimate |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |", flush=True)
    for case in releases(given.only):
        for rows in (int(float(size)) for size in given.sizes.split(",")):
            if case.least <= rows <= case.most:
                print(line(bench, case, rows), flush=True)


if __name__ == "__main__":
    sys.exit(main())
