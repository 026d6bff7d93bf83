#!/usr/bin/env python3
"""Builds the tables of `throng-text` from public sources and the lists of this folder.

    python3 build.py            download the sources and write the tables
    python3 build.py --check    the same, but compare with the tables that are there
    python3 build.py --cache D  keep downloads in the folder D (default: a temporary folder)

Sources with versions and licences are in `sources.md`; `builder/sources.py` pins them. Nothing is
installed outside the cache folder. The same inputs give the same bytes: everything is sorted, and
the compressor is one of the pinned packages. Takes two minutes and 2 GB of memory.
"""

import argparse
import hashlib
import pathlib
import sys
import tempfile

from builder import english, lexicon, lists, medical, names, places, sources, surrogates

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--cache", type=pathlib.Path, help="folder for downloads")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        files = build(sources.fetch(arguments.cache or pathlib.Path(temporary)))
    files["digests.txt"] = digests(files)
    differ = [name for name, data in files.items() if read(name) != data]
    for name, data in files.items():
        print(f"{name}: {len(data)} bytes{', differs' if name in differ else ''}")
    if arguments.check:
        return 1 if differ else 0
    for name in differ:
        (HERE / name).write_bytes(files[name])
    return 0


def build(source):
    """Returns the files by name."""
    table = lexicon.Lexicon()
    english.add(table, source)
    names.add(table, source)
    places.add(table, source)
    medical.add(table, source)
    lists.add(table, HERE / "lists")
    english.add_rare(table)
    english.separate_names(table)
    places.prune(table)
    table.mark_phrases()
    files = {
        "words.bin.zst": source.compress(table.encode()),
        "zips.bin.zst": source.compress(places.zips(source)),
    }
    files.update(surrogates.make(table))
    print(table.summary())
    return files


def digests(files):
    """SHA-256 of every file, for the tests."""
    lines = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items())]
    return "".join(lines).encode()


def read(name):
    path = HERE / name
    return path.read_bytes() if path.exists() else None


if __name__ == "__main__":
    sys.exit(main())
