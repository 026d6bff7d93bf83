"""Plots the loss (LM) of every method that forms regions against the CPU time of the whole process.

Five tables: adult where THRONG_DATA is set (adult/adult.csv with its hierarchies), the patients of `throng demo`, people of
`throng synth`, and two seeded tables of bench/first_release.py. Every policy names its quasi-identifiers here, so that the
figures do not depend on what `inspect` proposes. k = 5 and nothing is suppressed.

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
                           f'[privacy]\nk = 5\nsuppression = 0\n[search]\nalgorithm = "{algorithm}"\nloss = "lm"\n{options}\n')
            found, fault = run(program, policy)
            print(table, method, found or fault, file=sys.stderr)
            yield table, method, found, fault


def markdown(rows):
    lines = ["| table | method | LM | CPU s |", "| --- | --- | ---: | ---: |"]
    for table, method, found, fault in rows:
        cells = f"{found[0]:.4f} | {found[1]:.2f}" if found else f"{fault} | "
        lines.append(f"| {table} | {method} | {cells} |")
    return "\n".join(lines) + "\n"


def svg(rows):
    """One panel for each table: CPU seconds to the right, on a logarithmic scale, LM upwards from 0."""
    names = list(dict.fromkeys(row[0] for row in rows))
    width, height, margin = 420, 260, 50
    parts = []
    for at, name in enumerate(names):
        points = [(method, *found) for table, method, found, _ in rows if table == name and found]
        if not points:
            continue
        left, top = at % 2 * width, at // 2 * height
        most = max(loss for _, loss, _ in points) * 1.1 or 1.0
        low = math.log10(min(cpu for *_, cpu in points)) - 0.1
        high = math.log10(max(cpu for *_, cpu in points)) + 0.1
        parts.append(f'<text x="{left + margin}" y="{top + 18}" font-weight="bold">{name}</text>'
                     f'<rect x="{left + margin}" y="{top + 26}" width="{width - 2 * margin}" height="{height - 76}" '
                     f'fill="none" stroke="#999"/><text x="{left + margin}" y="{top + height - 32}">{10 ** low:.2f} s</text>'
                     f'<text x="{left + width - margin - 40}" y="{top + height - 32}">{10 ** high:.1f} s</text>'
                     f'<text x="{left + 6}" y="{top + 38}">{most:.3f}</text>')
        for method, loss, cpu in points:
            x = left + margin + (math.log10(cpu) - low) / (high - low) * (width - 2 * margin)
            y = top + 26 + (1 - loss / most) * (height - 76)
            colour = COLOURS[[known for known, _ in METHODS].index(method)]
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"><title>{method}: LM {loss:.4f}, '
                         f'{cpu:.2f} s</title></circle>')
    bottom = (len(names) + 1) // 2 * height
    for at, (method, _) in enumerate(METHODS):
        x, y = 20 + at % 4 * 200, bottom + 14 + at // 4 * 20
        parts.append(f'<circle cx="{x}" cy="{y}" r="5" fill="{COLOURS[at]}"/><text x="{x + 10}" y="{y + 4}">{method}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * width}" height="{bottom + 50}" font-family="sans-serif" '
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
