"""The hand-written lists: one entry per line, sorted; the file's name is the flag it sets.
"""

from .lexicon import COMMON, FLAGS, LAST


def read(path):
    lines = [line.strip() for line in path.read_text("utf-8").splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def add(table, folder):
    for path in sorted(folder.glob("*.txt")):
        if path.stem not in FLAGS:
            raise SystemExit(f"{path.name}: not a flag; valid are {', '.join(FLAGS)}")
        for entry in read(path):
            table.flag(entry, path.stem)
    mark_eponym_names(table)


def mark_eponym_names(table):
    """Marks names within eponyms: words that people have as last name and that are not medical."""
    for key in list(table.flags):
        parts = key.split()
        if len(parts) > 1 and table.has(key, "eponym"):
            for part in parts:
                if table.shares[LAST].get(part, 0.0) > 0 and not table.has(part, "medical"):
                    if table.shares[COMMON].get(part, 0.0) < 1e-6:
                        table.flag(part, "eponym_name")
