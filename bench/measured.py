"""CPU seconds, memory and wall time of a process, and of polars and DuckDB at the same work."""

import os
import resource
import subprocess
import sys
import time

#: What polars does: read as text, group by the quasi-identifiers, keep groups of 5 rows and more, write.
POLARS = """
import sys
import polars as pl
source, out, names = sys.argv[1], sys.argv[2], sys.argv[3].split(",")
table = pl.read_parquet(source) if source.endswith("parquet") else pl.read_csv(source, infer_schema=False)
sizes = table.group_by(names).len()
kept = table.join(sizes, on=names, nulls_equal=True).filter(pl.col("len") >= 5).drop("len")
kept.write_parquet(out) if out.endswith("parquet") else kept.write_csv(out)
"""

DUCKDB = """
import sys
import duckdb
source, out, names = sys.argv[1], sys.argv[2], sys.argv[3]
read = f"'{source}'" if source.endswith("parquet") else f"read_csv('{source}', all_varchar = true, header = true)"
duckdb.sql(f"copy (select * from {read} qualify count(*) over (partition by {names}) >= 5) to '{out}'")
"""


class Run:
    """How a process ended, and what it took."""

    def __init__(self, code, cpu, wall, memory, error):
        self.code, self.cpu, self.wall, self.memory, self.error = code, cpu, wall, memory, error


def run(command, folder, limit):
    """Runs a command in a folder; the system ends it after `limit` CPU seconds."""
    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    errors = os.path.join(folder, "stderr")
    started = time.monotonic()
    with open(errors, "wb") as stderr:
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr,
                                 preexec_fn=limited)
        _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    with open(errors, encoding="utf-8", errors="replace") as file:
        error = file.read()
    scale = 1 if sys.platform == "darwin" else 1024
    return Run(child.returncode, used.ru_utime + used.ru_stime, time.monotonic() - started,
               used.ru_maxrss * scale / 1e6, error)


def has(module):
    return subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode == 0


class Peers:
    """CPU seconds of polars and DuckDB by table, without what Python and the import take."""

    def __init__(self, folder):
        self.folder, self.seconds = folder, {}
        self.programs = {name: text for name, text in (("polars", POLARS), ("duckdb", DUCKDB)) if has(name)}
        self.start_up = {name: min(run([sys.executable, "-c", f"import {name}"], folder, 60).cpu for _ in range(3))
                         for name in self.programs}

    def cpu(self, peer, table, names):
        """Seconds of a peer, or None where it is not installed or fails."""
        if peer not in self.programs:
            return None
        if (peer, table) not in self.seconds:
            out = os.path.join(self.folder, "peer" + os.path.splitext(table)[1])
            command = [sys.executable, "-c", self.programs[peer], table, out, ",".join(names)]
            done = min((run(command, self.folder, 600) for _ in range(3)), key=lambda done: (done.code != 0, done.cpu))
            self.seconds[peer, table] = None if done.code else max(0.001, done.cpu - self.start_up[peer])
        return self.seconds[peer, table]
