"""Makes the files of docs/preparation.md: synthetic people of a hospital, their diagnoses, and the people of the year after.

    python3 make.py

Same bytes each time. No person in these files exists.
"""

import csv
import random

CODES = [f"{n:03}{end}" for n in range(8, 800, 33) for end in ("", ".1", ".6", ".89")]
draw = random.Random(2006)
people, diagnoses = [], []
for mrn in range(1, 5001):
    age = min(104, max(0, round(draw.gauss(52, 24))))
    born = f"{2003 - age}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
    race = draw.choices([1, 2, 3], [80, 15, 5])[0]
    # A few ages were never entered.
    shown = 0 if age > 5 and draw.random() < 0.004 else age
    state = draw.choices(["MA", "NH", "RI"], [87, 8, 5])[0]
    people.append([mrn, shown, born, draw.choice("fm"), race, ["WHITE", "BLACK", "OTHER"][race - 1], state])
    visits = draw.choices([0, 2, 8, 90], [1, 60, 36, 3])[0]
    diagnoses += [[mrn, draw.choice(CODES)] for _ in range(visits and draw.randint(1, visits))]
# Three numbers that nobody has.
diagnoses += [[mrn, draw.choice(CODES)] for mrn in (9001, 9002, 9003) for _ in range(4)]
stayed = [[mrn, age] for mrn, age, *_ in people if draw.random() < 0.95]

for name, header, rows in [
    ("demo_03.csv", ["mrn", "age", "born", "sex", "race", "race_full", "state"], people),
    ("dx_03.csv", ["mrn", "dx"], diagnoses),
    ("demo_04.csv", ["mrn", "age"], stayed),
    # A poset has no header: name, measure, parent.
    ("icd9.csv", ["any", "", ""], [[c, "", c.split(".")[0] if "." in c else "any"] for c in CODES]),
]:
    with open(name, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n", delimiter=";" if name == "icd9.csv" else ",")
        out.writerow(header)
        out.writerows(rows)
