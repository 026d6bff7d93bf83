"""Links two generated tables with `throng attack link` and, where it is installed, with Splink.

    python3 bench/link.py --throng target/release/throng --rows 1000000
    python3 bench/link.py --throng target/release/throng --rows 100000 --splink

The external table has ROWS people with first and last name, date of birth, ZIP code and sex. The release has as many
rows, half of them of the same people; one in ten names and one in twenty dates has a typing error. With --splink, Splink
gets the same levels of agreement and the same blocking rules, and weights are compared level by level.
"""

import argparse
import csv
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

SYLLABLES = ["an", "ber", "co", "da", "el", "fen", "gar", "hol", "in", "jo", "kel", "lin", "mar", "nor", "os", "per", "ro", "son", "ter", "wil"]


def name(draw, parts, pool):
    """A name of some syllables; a few names are frequent."""
    index = int(pool * draw.random() ** 2)
    made = random.Random(index)
    return "".join(made.choice(SYLLABLES) for _ in range(parts))


def misspelt(draw, text):
    at = draw.randrange(len(text))
    return text[:at] + draw.choice("aeiorst") + text[at + draw.randrange(2):]


def person(draw, cache):
    first = cache[0][int(len(cache[0]) * draw.random() ** 2)]
    last = cache[1][int(len(cache[1]) * draw.random() ** 2)]
    born = f"{draw.randrange(1930, 2005)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}"
    zip_code = f"0{draw.randrange(1000, 3000)}"
    return [first, last, born, zip_code, draw.choice("FM")]


def write(folder, rows, seed):
    draw = random.Random(seed)
    cache = [[name(draw, 2, 10**9) for _ in range(800)], [name(draw, 3, 10**9) for _ in range(20_000)]]
    people = [person(draw, cache) for _ in range(rows)]
    others = [person(draw, cache) for _ in range(rows - rows // 2)]
    header = ["first", "last", "born", "zip", "sex", "id"]
    with open(os.path.join(folder, "external.csv"), "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(header)
        out.writerows([*row, number] for number, row in enumerate(people))
    released = [[*row, number] for number, row in enumerate(people[: rows // 2])]
    released += [[*row, rows + number] for number, row in enumerate(others)]
    draw.shuffle(released)
    with open(os.path.join(folder, "release.csv"), "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(header)
        for row in released:
            row = list(row)
            for column in (0, 1):
                if draw.random() < 0.1:
                    row[column] = misspelt(draw, row[column])
            if draw.random() < 0.05:
                row[2] = row[2][:8] + f"{draw.randrange(1, 29):02}"
            out.writerow(row)


def throng(program, folder):
    command = [program, "attack", "link", "release.csv", "--external", "external.csv", "--on", "first,last,born,zip,sex",
               "--truth", "id", "--json", "--quiet"]
    began = time.time()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    seconds = time.time() - began
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return json.loads(done.stdout), seconds, memory


TEXT = [("same", "{c}_l = {c}_r"), ("close", "jaro_winkler_similarity({c}_l, {c}_r) >= 0.92"), ("similar", "jaro_winkler_similarity({c}_l, {c}_r) >= 0.8")]
DAYS = "abs(date_diff('day', cast({c}_l as date), cast({c}_r as date)))"
DATE = [("same", "{c}_l = {c}_r"), ("close", DAYS + " <= 31 or hamming({c}_l, {c}_r) = 1"), ("similar", DAYS + " <= 366")]


def splink(folder, blocking, rows):
    import pandas
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on

    def comparison(column, levels):
        made = [{"sql_condition": f"{column}_l IS NULL OR {column}_r IS NULL", "label_for_charts": "unknown", "is_null_level": True}]
        made += [{"sql_condition": sql.format(c=column), "label_for_charts": label} for label, sql in levels]
        made.append({"sql_condition": "ELSE", "label_for_charts": "different"})
        return {"output_column_name": column, "comparison_levels": made, "comparison_description": column}

    tables = [pandas.read_csv(os.path.join(folder, name), dtype=str) for name in ("release.csv", "external.csv")]
    for number, table in enumerate(tables):
        table["unique_id"] = [f"{number}-{row}" for row in range(len(table))]
    began = time.time()
    settings = SettingsCreator(
        link_type="link_only",
        comparisons=[comparison(c, DATE if c == "born" else TEXT) for c in ("first", "last", "born", "zip", "sex")],
        blocking_rules_to_generate_predictions=[block_on(*rule) for rule in blocking],
        probability_two_random_records_match=0.5 / rows,
        max_iterations=200,
        em_convergence=1e-7,
    )
    api = DuckDBAPI()
    frames = [api.register(table) for table in tables] if hasattr(api, "register") else tables
    linker = Linker(frames, settings) if hasattr(api, "register") else Linker(frames, settings, api)
    linker.training.estimate_u_using_random_sampling(max_pairs=5e6, seed=1)
    for rule in (("first", "last"), ("born", "zip"), ("born", "sex")):
        linker.training.estimate_parameters_using_expectation_maximisation(block_on(*rule))
    predicted = linker.inference.predict(threshold_match_probability=0.9)
    frame = predicted.as_pandas_dataframe()
    seconds = time.time() - began
    model = linker.misc.save_model_to_json()
    weights = {}
    for found in model["comparisons"]:
        for level in found["comparison_levels"]:
            if not level.get("is_null_level"):
                weights[found["output_column_name"], level["label_for_charts"]] = (level.get("m_probability"), level.get("u_probability"))
    ids = [dict(zip(table["unique_id"], table["id"])) for table in tables]
    both = {**ids[0], **ids[1]}
    right = sum(both[a] == both[b] for a, b in zip(frame["unique_id_l"], frame["unique_id_r"]))
    return weights, seconds, len(frame), right


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--throng", required=True)
    arguments.add_argument("--rows", type=int, default=100_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--splink", action="store_true")
    arguments.add_argument("--folder", help="keep the tables here")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or temporary
        if not os.path.exists(os.path.join(folder, "external.csv")):
            write(folder, given.rows, given.seed)
        found, seconds, memory = throng(os.path.abspath(given.throng), folder)
        print(f"throng: {seconds:.1f} s, {memory:.0f} MB, {found['links']} links, {found['correct']} correct, {found['wrong']} wrong, "
              f"expected {found['expected']['value']:.0f}, {found['model']['pairs']} pairs, blocking {found['model']['blocking']}")
        if not given.splink:
            return
        weights, seconds, links, right = splink(folder, found["model"]["blocking"], given.rows)
        print(f"splink: {seconds:.1f} s, {links} pairs above 0.9, {right} correct")
        print(f"{'column':<8}{'level':<12}{'m throng':>12}{'m splink':>12}{'u throng':>12}{'u splink':>12}{'bits':>8}{'bits':>8}")
        from math import log2
        for column in found["model"]["columns"]:
            for level in column["levels"]:
                m, u = weights.get((column["released"], level["level"]), (None, None))
                bits = f"{log2(m / u):8.2f}" if m and u else f"{'–':>8}"
                shown = [f"{x:12.6f}" if x is not None else f"{'–':>12}" for x in (m, u)]
                print(f"{column['released']:<8}{level['level']:<12}{level['m']:12.6f}{shown[0]}{level['u']:12.6f}{shown[1]}{level['bits']:8.2f}{bits}")


if __name__ == "__main__":
    sys.exit(main())
