"""Plots the loss (LM) of every method that forms regions against the CPU time of the whole process.

Five tables: adult where THRONG_DATA is set (adult/adult.csv with its hierarchies), the patients of `throng demo`, people of
`throng synth`, and two seeded tables of bench/first_release.py. Every policy names its quasi-identifiers here, so that the
figures do not depend on what `inspect` proposes. k = 5 and nothing is suppressed. LM is aggregated over columns geometrically, as
ARX does by default, so that the figures compare with its.

    python3 bench/quality.py --throng target/release/throng --out quality
    THRONG_DATA=folder make bench-quality

Writes quality.md, a table, and quality.svg, one panel for each table. Needs Python 3.8 and nothing else.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import first_release as tables  # noqa: E402

METHODS = [
    ("mondrian", ""),
    ("mondrian by range", 'mondrian = { by = "range" }'),
    ("k-similar", ""),
    ("greedy", ""),
    ("partition", ""),
    ("mdav", ""),
    ("best", ""),
    ("auto", ""),
]
COLOURS = ["#1b6ca8", "#8fb8de", "#c0392b", "#27803b", "#b8860b", "#7d3c98", "#000000", "#777777"]
ADULT = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class"]


def columns_of(names, quasi):
    """The sections of all columns: quasi-identifiers with their hierarchies, others kept."""
    text = ""
    for name in names:
        role = f'role = "quasi"\n{quasi[name]}' if name in quasi else 'role = "keep"\n'
        text += f'[columns."{name}"]\n{role}\n'
    return text


def cases(program, folder):
    """Name, input section and column sections of every table."""
    data = os.environ.get("THRONG_DATA")
    if data:
        adult = os.path.abspath(os.path.join(data, "adult"))
        quasi = {name: f'hierarchy = {{ file = "{adult}/adult_hierarchy_{name}.csv" }}\n' for name in ADULT}
        yield "adult", f'path = "{adult}/adult.csv"\ndelimiter = ";"\n', columns_of(ADULT, quasi)
    generated = {
        "survey": (tables.survey(), ["age", "sex", "region", "education", "married", "children"]),
        "skewed": (tables.skewed(), ["age", "sex", "occupation", "visits", "group"]),
    }
    made = {table.name: table for table in tables.made_by_throng(program, folder)}
    for name, table in made.items():
        few = [c for c in table.columns if 2 <= len({row[table.columns.index(c)] for row in table.rows}) <= 400]
        generated[name] = (table, few[:7])
    for name, (table, quasi) in generated.items():
        path = os.path.join(folder, "".join(c if c.isalnum() else "_" for c in name) + ".csv")
        table.write(path)
        yield name, f'path = "{path}"\n', columns_of(table.columns, {column: "" for column in quasi})


def run(program, policy):
    """LM and CPU seconds of a release, or the message that it fails with."""
    process = subprocess.Popen([program, "release", policy, "--json", "--quiet"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, error = process.stdout.read(), process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    if status:
        return None, error.decode().strip().splitlines()[0][:100]
    return (json.loads(out)["loss"]["lm"], used.ru_utime + used.ru_stime), ""


def figures(program, folder):
    for table, source, columns in cases(program, folder):
        for method, options in METHODS:
            algorithm = method.split(" ")[0]
            policy = os.path.join(folder, "policy.toml")
            with open(policy, "w", encoding="utf-8") as file:
                file.write(f'version = 1\n[input]\n{source}[output]\npath = "{folder}/out.csv"\n{columns}'
                           f'[privacy]\nk = 5\nsuppression = 0\n[search]\nalgorithm = "{algorithm}"\nloss = {{ name = "lm", aggregate = "geometric" }}\n{options}\n')
            found, fault = run(program, policy)
            print(table, method, found or fault, file=sys.stderr)
            yield table, method, found, fault


def markdown(rows):
    lines = ["| table | method | LM | CPU s |", "| --- | --- | ---: | ---: |"]
    for table, method, found, fault in rows:
        cells = f"{found[0]:.4f} | {found[1]:.2f}" if found else f"{fault} | "
        lines.append(f"| {table} | {method} | {cells} |")
    return "\n".join(lines) + "\n"


class Axis:
    """A logarithmic scale between two places, with ticks at 1, 2 and 5 times powers of ten."""

    def __init__(self, values, start, end):
        positive = [value for value in values if value > 0]
        self.low = math.log10(min(positive)) - 0.12
        self.high = math.log10(max(positive)) + 0.12
        self.start, self.end = start, end

    def place(self, value):
        share = (math.log10(max(value, 10 ** self.low)) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self):
        powers = range(math.floor(self.low), math.ceil(self.high) + 1)
        ticks = [digit * 10.0 ** power for power in powers for digit in (1, 2, 5)]
        inside = [tick for tick in ticks if self.low <= math.log10(tick) <= self.high]
        return inside if len(inside) <= 5 else [tick for tick in inside if f"{tick:e}"[0] == "1"]


def panel(name, points, left, top):
    """A table: CPU seconds to the right, LM upwards."""
    x0, x1, y0, y1 = left + 60, left + 400, top + 210, top + 26
    across, up = Axis([cpu for *_, cpu in points], x0, x1), Axis([loss for _, loss, _ in points], y0, y1)
    parts = [f'<text x="{x0}" y="{top + 18}" font-weight="bold">{name}</text>'
             f'<rect x="{x0}" y="{y1}" width="{x1 - x0}" height="{y0 - y1}" fill="none" stroke="#999"/>'
             f'<text x="{x1}" y="{y0 + 32}" text-anchor="end" fill="#555">CPU seconds</text>'
             f'<text x="{x0 - 6}" y="{y1 - 8}" text-anchor="end" fill="#555">LM</text>']
    for tick in across.ticks():
        x = across.place(tick)
        parts.append(f'<path d="M{x:.1f} {y0}V{y1}" stroke="#eee"/><text x="{x:.1f}" y="{y0 + 16}" '
                     f'text-anchor="middle">{tick:g}</text>')
    for tick in up.ticks():
        y = up.place(tick)
        parts.append(f'<path d="M{x0} {y:.1f}H{x1}" stroke="#eee"/><text x="{x0 - 6}" y="{y + 4:.1f}" '
                     f'text-anchor="end">{tick:g}</text>')
    for method, loss, cpu in points:
        colour = COLOURS[[known for known, _ in METHODS].index(method)]
        parts.append(f'<circle cx="{across.place(cpu):.1f}" cy="{up.place(loss):.1f}" r="5" fill="{colour}">'
                     f'<title>{method}: LM {loss:.4f}, {cpu:.2f} s</title></circle>')
    return "".join(parts)


def svg(rows):
    """One panel for each table, on logarithmic scales."""
    names = list(dict.fromkeys(row[0] for row in rows))
    width, height = 420, 260
    parts = []
    for at, name in enumerate(names):
        points = [(method, *found) for table, method, found, _ in rows if table == name and found]
        if points:
            parts.append(panel(name, points, at % 2 * width, at // 2 * height))
    # The sixth place, or a row of its own, explains the colours.
    left, top = len(names) % 2 * width + 60, len(names) // 2 * height + 40
    for at, (method, _) in enumerate(METHODS):
        y = top + at * 20
        parts.append(f'<circle cx="{left}" cy="{y}" r="5" fill="{COLOURS[at]}"/>'
                     f'<text x="{left + 12}" y="{y + 4}">{method}</text>')
    bottom = max(top + 180, (len(names) + 1) // 2 * height)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * width}" height="{bottom}" font-family="sans-serif" '
            f'font-size="11"><rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--throng", default="target/release/throng")
    parser.add_argument("--out", default="quality", help="path of the results, without ending")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = list(figures(os.path.abspath(arguments.throng), folder))
    for ending, text in [("md", markdown(rows)), ("svg", svg(rows))]:
        with open(f"{arguments.out}.{ending}", "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
