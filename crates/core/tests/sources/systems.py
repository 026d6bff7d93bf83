"""Random releases beside populations, and whether they are anonymous data systems.

Shares nothing with the program. Writes one JSON object per line: a policy, the tables, and what is
found. systems.jsonl is its output:

    python3 systems.py > systems.jsonl

Definitions (Sweeney 2001, section 5; docs/measure.md, "Anonymous data systems"):

- E states for every person what the external tables state together: all combinations of the rows of a
  person that do not contradict each other, or the rows one by one if all do. Without external tables,
  E is the population.
- A released tuple maps to a person if every cell of the quasi-identifiers is true of what a row of E
  states about the person. A missing cell and `*` are true of everything. An unknown value is one that
  E does not state; every cell that is true of some value of the column can be true of it.
- A tuple discloses if it maps to one person alone, the person is a subject, no other released tuple
  maps to the person, it shows something outside the quasi-identifiers, and all of that is what the
  private table states about the person.
- ADS0: subjects are in the population (2); one private row per subject (3); released columns outside
  the quasi-identifiers share no value with external tables, and no name with the people (4); external
  tables are about the population (7); no tuple discloses (9).
- null-map: an ADS0, and no tuple maps to a subject.
- wrong-map: an ADS0, more than two tuples, and every tuple maps to exactly one subject, not its own.
- k-map: an ADS0, and every tuple maps to its own subject and at least k - 1 others.
- What depends on subjects, or on the subject of a tuple, is null where they are not known.
"""

import json
import random

QUASI = ["zip", "age", "job"]
INFORMATION = ["ill", "cost"]


def covers(column, cell, value):
    """Whether a released cell is true of a value that is known."""
    if cell is None or cell == "*":
        return True
    if value is None:
        return False
    if cell == value:
        return True
    if column == "zip":
        return len(value) == 2 and cell == value[0] + "*"
    if column == "age" and cell.startswith("["):
        low, high = cell[1:-1].split(", ")
        return int(low) <= int(value) and (int(value) <= int(high) if cell[-1] == "]" else int(value) < int(high))
    return column == "job" and cell.startswith("{") and value in cell[1:-1].split(", ")


class System:
    def __init__(self, case):
        self.case = case
        self.truth = case["truth"]
        self.wildcard = bool(case["external"]) or case["missing"] == "wildcard"
        known = case["external"] or [case["population"]]
        self.linked = [q for q in QUASI if any(q in table["columns"] for table in known)]
        original = records(case["original"])
        self.values = {
            q: {row[q] for row in original} | {row[q] for t in known for row in records(t) if q in row}
            for q in self.linked
        }
        self.rows = self.joined([self.stated(table) for table in known])
        self.release = records(case["release"])
        self.private = original
        self.subjects = {r["name"] for r in original if r["name"] is not None} if self.truth else None
        names = [row["name"] for row in records(case["population"])]
        self.population = set(names) if self.truth else set(range(len(names)))
        self.people = self.population | {p for p, _ in self.rows} | (self.subjects or set())
        self.maps = [self.g(row) for row in self.release]

    def stated(self, table):
        rows = []
        for at, row in enumerate(records(table)):
            values = {q: ("unknown",) if q not in row or row[q] is None and self.wildcard else ("is", row[q])
                      for q in self.linked}
            rows.append((row["name"] if self.truth else at, values))
        return rows

    def joined(self, tables):
        rows = tables[0]
        for table in tables[1:]:
            result = []
            for person in sorted({p for p, _ in rows} | {p for p, _ in table}):
                ours = [v for p, v in rows if p == person]
                theirs = [v for p, v in table if p == person]
                both = []
                for a in ours:
                    for b in theirs:
                        if all("unknown" in (a[q][0], b[q][0]) or a[q] == b[q] for q in a):
                            both.append({q: b[q] if a[q] == ("unknown",) else a[q] for q in a})
                result += [(person, values) for values in both or ours + theirs]
            rows = result
        return rows

    def true_of(self, row, values):
        for q in self.linked:
            if not any(covers(q, row[q], v) for v in self.values[q]):
                return False
            if values[q][0] == "is" and not covers(q, row[q], values[q][1]):
                return False
        return True

    def g(self, row):
        return {person for person, values in self.rows if self.true_of(row, values)}

    def own(self, at):
        """The subject of a released tuple."""
        mode = self.case["rows"]
        if not self.truth or mode == "none":
            return None
        if mode == "order":
            return self.private[at]["name"]
        return next(row["name"] for row in self.private if row["id"] == self.release[at]["id"])

    def discloses(self, at):
        if len(self.maps[at]) != 1:
            return False
        (person,) = self.maps[at]
        if person not in self.subjects or sum(person in found for found in self.maps) > 1:
            return False
        shown = {c: self.release[at][c] for c in INFORMATION if self.release[at].get(c) not in (None, "*")}
        own = [row for row in self.private if row["name"] == person]
        return bool(shown) and any(all(row[c] == v for c, v in shown.items()) for row in own)

    def unprotected(self):
        found = []
        for column in self.case["release"]["columns"]:
            if column in QUASI or column == "id":
                continue
            shown = {row[column] for row in self.release} - {None, "*"}
            if column == "name" and self.truth:
                known = self.people
            else:
                known = {row.get(column) for t in self.case["external"] for row in records(t)}
            if shown & known:
                found.append(column)
        return found

    def properties(self):
        found = {"4": len(self.unprotected()), "7": len({p for p, _ in self.rows} - self.population)}
        if self.truth:
            found["2"] = len(self.subjects - self.population)
            found["3"] = len(self.private) - len(self.subjects)
            found["9"] = sum(self.discloses(at) for at in range(len(self.release)))
        return found

    def verdicts(self):
        k, maps, tuples = self.case["k"], self.maps, range(len(self.maps))
        properties = self.properties()
        ads0 = None if not self.truth else True
        if any(properties.values()):
            ads0 = False
        known = self.truth and self.case["rows"] != "none"
        enough = all(len(found) >= k for found in maps)
        if self.truth:
            null = not any(found & self.subjects for found in maps)
            one = len(maps) > 2 and all(len(found & self.subjects) == 1 for found in maps)
            wrong = None if one and not known else one
            if one and known:
                wrong = all(self.own(at) not in maps[at] & self.subjects for at in tuples)
            enough = enough and (not known or all(self.own(at) in maps[at] for at in tuples))
        else:
            null = True if not any(maps) else None
            wrong = None if len(maps) > 2 else False
        if ads0 is False:
            null = wrong = enough = False
        counts = {
            "released": len(maps),
            "nobody": sum(not found for found in maps),
            "unique": sum(len(found) == 1 for found in maps),
            "unique_and_correct": None,
            "wrong_only": None,
            "no_subject": None,
            "fewer_than_k": sum(len(found) < k for found in maps),
            "least": min(len(found) for found in maps),
        }
        if self.truth:
            counts["no_subject"] = sum(not found & self.subjects for found in maps)
        if known:
            own = [self.own(at) for at in tuples]
            counts["unique_and_correct"] = sum(maps[at] == {own[at]} for at in tuples)
            counts["wrong_only"] = sum(
                bool(maps[at]) and own[at] is not None and own[at] not in maps[at] for at in tuples)
        return {
            "tuples": counts,
            "properties": properties,
            "unprotected": self.unprotected(),
            "holds": [ads0, null, wrong, enough],
        }


def records(table):
    return [dict(zip(table["columns"], row)) for row in table["rows"]]


def table(columns, rows):
    return {"columns": columns, "rows": [[row.get(c) for c in columns] for row in rows]}


def person(rng, name, rare):
    def cell(values):
        return None if rng.random() < rare else rng.choice(values)

    return {"name": name, "zip": cell(["11", "12", "13", "21", "22"]), "age": cell(["20", "25", "31", "38"]),
            "job": cell("abc")}


def generalized(rng, q, value):
    if value is None:
        return None
    if q == "zip":
        return rng.choice([value[0] + "*", "*"])
    if q == "age":
        return rng.choice(["[20, 31)", "[25, 38]", "[20, 38]"]) if int(value) in (25, 31) else "[20, 38]"
    return "{a, b, c}" if value == "c" else "{a, b}"


def released(rng, technique, private):
    rows = [dict(row) for row in private]
    if technique == "swap":
        # The quasi-identifiers as a unit, from the next row.
        for row, other in zip(rows, private[1:] + private[:1]):
            row.update({q: other[q] for q in QUASI})
    for row in rows:
        for q in QUASI:
            if technique == "suppress" or technique == "mixed" and rng.random() < 0.2:
                row[q] = rng.choice(["*", None])
            elif technique == "encrypt" or technique == "noise" and rng.random() < 0.4:
                row[q] = {"zip": "Q7", "age": "99", "job": "xx"}[q]
            elif technique == "general" or technique == "mixed" and rng.random() < 0.5:
                row[q] = generalized(rng, q, row[q])
        if technique == "general" and rng.random() < 0.3:
            row["ill"] = rng.choice(["*", None, "flu"])
        if rng.random() < 0.05:
            row["cost"] = "0"
    return rows


def case(rng):
    rare = rng.choice([0, 0, 0, 0.1])
    size = rng.randint(3, 14)
    people = [person(rng, f"p{at}", rare) for at in range(size)]
    if rng.random() < 0.15:
        people.append(person(rng, "p0", rare))
    names = rng.sample(range(size), rng.randint(1, size))
    private = [dict(people[at]) for at in names]
    if rng.random() < 0.04:
        private.append(person(rng, "stranger", rare))
    if rng.random() < 0.03:
        private[0]["name"] = None
    if rng.random() < 0.03:
        private.append(dict(private[-1]))
    for at, row in enumerate(private):
        row.update({"id": str(at + 1), "ill": rng.choice(["flu", "gout", "asthma"]), "cost": str(rng.randint(1, 3))})
    technique = rng.choice(["identity", "suppress", "encrypt", "noise", "general", "mixed", "swap", "swap", "swap"])
    rows = released(rng, technique, private)
    mode = rng.choice(["order", "key", "none"])
    columns = QUASI + INFORMATION
    if mode != "order" and len(rows) > 2 and rng.random() < 0.4:
        rows = rng.sample(rows, len(rows) - 1)
    if mode == "key":
        columns = ["id"] + columns
    if rng.random() < 0.1:
        columns = columns + ["name"]
        for row in rows:
            row["name"] = rng.choice([row["name"], "made up"])
    truth = rng.random() < 0.85
    external = []
    if truth and rng.random() < 0.4:
        for _ in range(rng.randint(1, 2)):
            some = rng.sample(QUASI, rng.randint(1, 3))
            known = [dict(rng.choice(people)) for _ in range(rng.randint(1, 12))]
            for row in known:
                if rng.random() < 0.03:
                    row["name"] = "outsider"
                if rng.random() < 0.2:
                    # They moved.
                    row["zip"] = rng.choice(["11", "12", "13", "21", "22"])
                if rng.random() < 0.05:
                    row[some[0]] = None
                row["ill"] = rng.choice(["flu", "cold"])
            external.append(table(["name"] + some + (["ill"] if rng.random() < 0.05 else []), known))
    k = rng.randint(1, 3)
    missing = rng.choice(["value", "value", "wildcard"])
    return {
        "policy": policy(k, missing),
        "original": table(["id", "name"] + QUASI + INFORMATION, private),
        "release": table(columns, rows),
        "population": table(["name"] + (QUASI if not external else []), people),
        "external": external,
        "rows": mode,
        "truth": truth,
        "missing": missing,
        "k": k,
    }


def policy(k, missing):
    return (
        f'version = 1\n[input]\npath = "t.csv"\nmissing = "{missing}"\n[columns]\nid = {{ role = "keep" }}\n'
        'name = { role = "identifier" }\nzip = { role = "quasi", hierarchy = { mask = { from = "right" } } }\n'
        'age = { role = "quasi" }\njob = { role = "quasi" }\nill = { role = "sensitive" }\n'
        f'cost = {{ role = "keep" }}\n[privacy]\nk = {k}\n'
    )


def main():
    rng = random.Random(20260116)
    for _ in range(300):
        one = case(rng)
        one["expected"] = System(one).verdicts()
        print(json.dumps(one, sort_keys=True))


main()
