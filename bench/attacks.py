#!/usr/bin/env python3
"""What attacks cost on a million rows: wall and CPU seconds and memory of every attack.

Three tables: the patients of `throng demo`, a table of two people per tuple in classes of 400 rows, which
is the most work for `minimality`, and a register of visits with a subject, with an earlier release of 98 %
of its rows.

    python3 bench/attacks.py --throng target/release/throng
"""

import argparse
import os
import pathlib
import random
import subprocess
import tempfile
import time

ATTACKS = ["singling-out", "rare", "linkability", "unsorted", "complementary", "temporal", "membership", "homogeneity",
           "skewness", "background", "minimality", "differencing", "inference", "composition", "all"]
PAIRS = """version = 1
[input]
path = "pairs.csv"
[output]
path = "none.csv"
[columns.age]
role = "quasi"
[columns.sex]
role = "quasi"
[columns.region]
role = "quasi"
[columns.diagnosis]
role = "sensitive"
[privacy]
k = 2
models = [{ l_diversity = { column = "diagnosis", l = 3 } }]
"""
REGISTER = """version = 1
[input]
path = "{name}.csv"
[output]
path = "{name}-{algorithm}.csv"
[columns.patient]
role = "subject"
[columns.born]
role = "quasi"
hierarchy = {{ intervals = {{ widths = [5, 10, 20, 40] }} }}
[columns.sex]
role = "quasi"
[columns.zip]
role = "quasi"
hierarchy = {{ mask = {{}} }}
[columns.ward]
role = "quasi"
[columns.diagnosis]
role = "sensitive"
[privacy]
k = 5
suppression = 0.05
[search]
algorithm = "{algorithm}"
loss = "lm"
"""


def measured(label, command):
    """Runs a command and prints what it took."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall, cpu = time.monotonic() - start, used.ru_utime + used.ru_stime
    ended = "" if status == 0 else f" (ended with {os.waitstatus_to_exitcode(status)})"
    print(f"| {label} | {wall:.1f} | {cpu:.1f} | {used.ru_maxrss // 1024} |{ended}", flush=True)


def patients(program, rows):
    """Attacks two releases of the patients of the demonstration."""
    subprocess.run([program, "demo", "demo", "--rows", str(rows), "--quiet"], check=True, stdout=subprocess.DEVNULL)
    policy = pathlib.Path("demo/policy.toml").read_text()
    policy = policy.replace('role = "text"', 'role = "drop"').replace('report = "report.html"', "")
    policy = policy.replace("[privacy]", '[privacy]\nmodels = [{ l_diversity = { column = "diagnosis", l = 3 } }]')
    for algorithm in ["auto", "mondrian"]:
        made = policy.replace('path = "release.csv"', f'path = "{algorithm}.csv"')
        made = made.replace("certificate.json", f"{algorithm}.json").replace('algorithm = "auto"', f'algorithm = "{algorithm}"')
        pathlib.Path(f"demo/{algorithm}.toml").write_text(made)
        subprocess.run([program, "release", f"demo/{algorithm}.toml", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    for attack in ATTACKS:
        measured(f"patients, {attack}", [program, "attack", attack, "demo/auto.csv", "--policy", "demo/auto.toml",
                                         "--original", "demo/patients.csv", "--other", "demo/mondrian.csv", "--quiet"])


def pairs(program, rows):
    """Attacks classes of 200 tuples of two people each."""
    r = random.Random(4)
    people = [(age, sex, region, f"D{r.randrange(3)}")
              for region in range(rows // 400) for age in range(100) for sex in "FM" for _ in range(2)]
    with open("pairs.csv", "w") as original:
        original.write("age,sex,region,diagnosis\n")
        original.writelines(f"{a},{s},R{z},{d}\n" for a, s, z, d in people)
    r.shuffle(people)
    with open("pairs-release.csv", "w") as release:
        release.write("age,sex,region,diagnosis\n")
        release.writelines(f'"[0, 100)",*,R{z},{d}\n' for _, _, z, d in people)
    pathlib.Path("pairs.toml").write_text(PAIRS)
    measured("pairs, minimality", [program, "attack", "minimality", "pairs-release.csv", "--policy", "pairs.toml",
                                   "--original", "pairs.csv", "--quiet"])


def register(program, rows):
    """Attacks a register of visits beside an earlier release of it."""
    r = random.Random(3)
    header = "patient,born,sex,zip,ward,diagnosis\n"
    with open("later.csv", "w") as later, open("earlier.csv", "w") as earlier:
        later.write(header)
        earlier.write(header)
        written = patient = 0
        while written < rows:
            patient += 1
            person = f"P{patient},{r.randint(1930, 2005)},{r.choice('FM')},{r.randrange(400):03d}{r.randrange(10)}0"
            for _ in range(min(1 + int(r.expovariate(1 / 3)), 20, rows - written)):
                line = f"{person},W{r.randrange(8)},D{int(200 * r.random() ** 3):03d}\n"
                later.write(line)
                written += 1
                if r.random() < 0.98:
                    earlier.write(line)
    for algorithm in ["auto", "mondrian"]:
        for name in ["later", "earlier"]:
            pathlib.Path(f"{name}.toml").write_text(REGISTER.format(name=name, algorithm=algorithm))
            subprocess.run([program, "release", f"{name}.toml", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        measured(f"register, {algorithm}, all", [
            program, "attack", "all", f"later-{algorithm}.csv", "--policy", "later.toml", "--original", "later.csv",
            "--other", f"earlier-{algorithm}.csv", "--other-original", "earlier.csv", "--quiet"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--throng", default="target/release/throng")
    parser.add_argument("--rows", type=int, default=1_000_000)
    given = parser.parse_args()
    program = str(pathlib.Path(given.throng).resolve())
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        print("| attack | wall, s | CPU, s | MB |\n| --- | ---: | ---: | ---: |")
        for table in [patients, pairs, register]:
            table(program, given.rows)


if __name__ == "__main__":
    main()
