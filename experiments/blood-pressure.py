"""Reproduces figure 2 of [Xiang 2014] on generated data: 60 systolic blood pressures, released with k = 3, 4 and 9, and the bounds
of mean and variance that follow from each release.

    python3 experiments/blood-pressure.py --throng target/release/throng --out docs/img/blood-pressure.svg

The source does not print its values. These are drawn from a normal distribution and moved so that mean and variance are those of
the source: 139.3 and 1085. Needs Python 3.8 and the program, and takes a second.
"""

import argparse
import json
import math
import os
import random
import subprocess
import tempfile

POLICY = """version = 1
[input]
path = "pressures.csv"
[output]
path = "release-{k}.csv"
[columns.pressure]
role = "quasi"
[columns.person]
role = "drop"
[privacy]
k = {k}
[search]
algorithm = "boxes"
"""


def pressures():
    """Sixty values with the mean and the variance of the source, to a tenth."""
    draw = random.Random(2014)
    values = [draw.gauss(0, 1) for _ in range(60)]
    mean = sum(values) / 60
    spread = math.sqrt(sum((x - mean) ** 2 for x in values) / 59)
    return [round(139.3 + (x - mean) / spread * math.sqrt(1085), 1) for x in values]


def released(throng, folder, values, k):
    """The statistics of a release, and its cells."""
    with open(os.path.join(folder, "pressures.csv"), "w") as file:
        file.write("person,pressure\n" + "".join("%d,%s\n" % row for row in enumerate(values)))
    with open(os.path.join(folder, "policy-%d.toml" % k), "w") as file:
        file.write(POLICY.format(k=k))
    run = lambda *line: subprocess.run([throng, *line], cwd=folder, check=True, stdout=subprocess.PIPE).stdout
    run("release", "policy-%d.toml" % k, "-q")
    with open(os.path.join(folder, "release-%d.csv" % k)) as file:
        cells = [line.strip().strip('"') for line in file.read().split("\n")[1:-1]]
    return json.loads(run("stats", "release-%d.csv" % k, "--json"))["pressure"], cells


def bounds(cell):
    if cell.startswith("["):
        low, high = cell[1:-1].split(", ")
        return float(low), float(high)
    return float(cell), float(cell)


def picture(values, releases):
    """Circles for the originals and lines for the released cells, one panel per k."""
    width, panel = 760, 190
    least, most = min(values) - 5, max(values) + 5
    x = lambda value: 20 + (value - least) / (most - least) * (width - 40)
    parts = []
    for at, (k, statistics, cells) in enumerate(releases):
        top = 24 + at * panel
        mean, variance = statistics["mean"], statistics["variance"]
        label = "k = %d   mean %.1f to %.1f   variance %.0f to %.0f" % (
            k, mean["low"], mean["high"], variance["low"], variance["high"])
        parts.append('<text x="20" y="%d">%s</text>' % (top, label))
        spans = sorted(bounds(cell) for cell in cells)
        for row, (value, (low, high)) in enumerate(zip(sorted(values), spans)):
            y = top + 10 + row * (panel - 45) / len(values)
            parts.append('<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke="#1f6fb2"/>' % (x(low), x(high), y, y))
            parts.append('<circle cx="%.1f" cy="%.1f" r="1.6" fill="none" stroke="#c2571a"/>' % (x(value), y))
        parts.append('<rect x="%.1f" y="%.1f" width="%.1f" height="5" fill="#57606a" opacity="0.5"/>' % (
            x(mean["low"]), top + panel - 34, max(1.0, x(mean["high"]) - x(mean["low"]))))
    axis = 24 + len(releases) * panel - 10
    for tick in range(int(least // 20 * 20 + 20), int(most) + 1, 20):
        parts.append('<text x="%.1f" y="%d" text-anchor="middle">%d</text>' % (x(tick), axis + 4, tick))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui,sans-serif" font-size="12">\n'
        '<rect width="100%%" height="100%%" fill="#fff"/>\n%s\n</svg>\n' % (width, axis + 12, "\n".join(parts)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--throng", default="throng")
    parser.add_argument("--out")
    args = parser.parse_args()
    values = pressures()
    mean = sum(values) / len(values)
    variance = sum((x - mean) ** 2 for x in values) / (len(values) - 1)
    print("original   mean %.1f   variance %.0f" % (mean, variance))
    releases = []
    with tempfile.TemporaryDirectory() as folder:
        for k in (3, 4, 9):
            statistics, cells = released(os.path.abspath(args.throng) if os.sep in args.throng else args.throng, folder, values, k)
            releases.append((k, statistics, cells))
            for name, truth in (("mean", mean), ("variance", variance)):
                found = statistics[name]
                assert found["low"] <= truth <= found["high"], (k, name, found, truth)
                print("k = %d %-9s %8.1f to %8.1f   %s, %s" % (
                    k, name, found["low"], found["high"], "sharp" if found["exact"] else "enclosure", found["method"]))
    if args.out:
        with open(args.out, "w") as file:
            file.write(picture(values, releases))


main()
