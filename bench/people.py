#!/usr/bin/env python3
"""What counting people costs: CPU seconds of releases of a register, by rows and by people.

200,000 rows of 50,000 patients, six quasi-identifiers. Each algorithm releases the same table twice:
with the patient as an identifier, so that k counts rows, and as the subject, so that k counts people.

    python3 bench/people.py --throng target/release/throng
"""

import argparse
import os
import pathlib
import random
import subprocess
import tempfile

ROWS, PEOPLE = 200_000, 50_000
ALGORITHMS = ["auto", "datafly", "mondrian", "best"]
POLICY = """version = 1
[input]
path = "register.csv"
[output]
path = "out-{algorithm}-{role}.csv"
[columns.patient]
role = "{role}"
[columns.born]
role = "quasi"
hierarchy = {{ intervals = {{ widths = [5, 10, 20, 40] }} }}
[columns.sex]
role = "quasi"
[columns.zip]
role = "quasi"
hierarchy = {{ mask = {{}} }}
[columns.nation]
role = "quasi"
[columns.admitted]
role = "quasi"
hierarchy = {{ date = {{ levels = ["month", "quarter", "year"] }} }}
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


def register(path):
    """Writes the table: birth year, sex, postal code and nation are constant per person."""
    r = random.Random(7)
    people = [
        (r.randint(1930, 2005), r.choice("fm"), f"{r.randint(0, 399):03d}{r.randint(0, 9)}0",
         r.choice(["AT", "DE", "CH", "IT"]))
        for _ in range(PEOPLE)
    ]
    with open(path, "w") as out:
        print("patient,born,sex,zip,nation,admitted,ward,diagnosis", file=out)
        for row in range(ROWS):
            person = row if row < PEOPLE else r.randrange(PEOPLE)
            day = f"202{r.randint(0, 3)}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}"
            ill = r.choice(["flu", "asthma", "gout", "angina", "fracture"])
            print(f"P{person}", *people[person], day, r.choice("ABCDEFGH"), ill, sep=",", file=out)


def seconds(throng, folder, algorithm, role, runs):
    """The least CPU seconds of some runs."""
    policy = folder / f"{algorithm}-{role}.toml"
    policy.write_text(POLICY.format(algorithm=algorithm, role=role))
    found = []
    for _ in range(runs):
        process = subprocess.Popen([throng, "release", str(policy)], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{algorithm}, {role}: the release failed")
        found.append(used.ru_utime + used.ru_stime)
    return min(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--throng", default="throng", help="the program")
    parser.add_argument("--runs", type=int, default=2, help="runs of each release; the least counts")
    given = parser.parse_args()
    print("| algorithm | rows, CPU s | people, CPU s | ratio |\n| --- | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        register(folder / "register.csv")
        for algorithm in ALGORITHMS:
            rows, people = (seconds(given.throng, folder, algorithm, role, given.runs)
                            for role in ["identifier", "subject"])
            print(f"| `{algorithm}` | {rows:.2f} | {people:.2f} | {people / rows:.2f} |", flush=True)


if __name__ == "__main__":
    main()
