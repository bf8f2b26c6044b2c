"""The backend of pyproject.toml: wheels and source archives of the package hyla, by PEP 517.

The package loads the shared library libhyla, which configure and make build; this finds the one
that is installed and writes its place into the wheel (_config.py).  The library is

    the one that HYLA_LIBRARY names, or
    the one of `pkg-config hyla`, or
    one that the loader finds by its name.

Its version must be that of this tree."""

import base64
import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "bindings" / "python"
TAG = "py3-none-any"
# A fixed date, so that equal trees give equal archives.
DATE = (2026, 1, 1, 0, 0, 0)


class Missing(Exception):
    """Something outside of the tree is missing; the message says in one sentence what to do."""


def _version():
    found = re.search(r"^AC_INIT\(\[hyla\], \[([^]]+)\]", (ROOT / "configure.ac").read_text(), re.M)
    return found.group(1)


def _project():
    """The few entries of [project] that become metadata: plain texts, and lists of texts."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("[project]")[1].split("\n[")[0]
    pairs = re.findall(r'^([a-z-]+) = ("[^"]*"|\[[^]]*\])', text, re.M)
    return {name: re.findall(r'"([^"]*)"', value) for name, value in pairs}


def _metadata():
    project = _project()
    lines = ["Metadata-Version: 2.1", "Name: hyla", f"Version: {_version()}"]
    lines += [f"Summary: {project['description'][0]}", "License: BSD-3-Clause"]
    lines += [f"Keywords: {','.join(project['keywords'])}"]
    lines += [f"Classifier: {one}" for one in project["classifiers"]]
    lines += [f"Requires-Python: {project['requires-python'][0]}"]
    lines += [f"Requires-Dist: {one}" for one in project["dependencies"]]
    lines += ["Provides-Extra: mpi", 'Requires-Dist: mpi4py; extra == "mpi"']
    lines += ["Description-Content-Type: text/markdown", ""]
    return "\n".join(lines) + "\n" + (ROOT / "README.md").read_text(encoding="utf-8")


def _by_pkg_config():
    """The library of `pkg-config hyla`, or None."""
    command = shutil.which(os.environ.get("PKG_CONFIG", "pkg-config"))
    if command is None:
        return None
    done = subprocess.run(
        [command, "--variable=libdir", "hyla"], capture_output=True, text=True, check=False
    )
    folder = done.stdout.strip()
    if done.returncode != 0 or not folder:
        return None
    return next((str(path) for path in sorted(Path(folder).glob("libhyla*.so.0"))), None)


def _library():
    """The place of the library, and the name of its MPI."""
    named = os.environ.get("HYLA_LIBRARY")
    path = named or _by_pkg_config() or "libhyla.so.0"
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise Missing(
            "the shared library libhyla is missing: build and install it first "
            f"(./configure && make install), or name it by HYLA_LIBRARY ({error})"
        ) from None
    library.hyla_version.restype = ctypes.c_char_p
    version = library.hyla_version().decode()
    if version != _version():
        raise Missing(
            f"the library {path} is of hyla {version}, this tree of {_version()}: install this "
            "tree's, or name it by HYLA_LIBRARY"
        )
    room, length = ctypes.create_string_buffer(8192), ctypes.c_int()
    library.MPI_Get_library_version(room, ctypes.byref(length))
    return path, room.value.decode().strip().split("\n")[0].replace("\t", " ")


def _config():
    """_config.py, as make writes it."""
    path, mpi = _library()
    path = os.path.abspath(path) if os.sep in path else path
    command = Path(path).parent.parent / "bin" / "hyla"
    values = {
        "@VERSION@": _version(),
        "@libdir@/libhyla@flavour@.so.0": path,
        "@bindir@/hyla": str(command) if command.exists() else "hyla",
        "@MPI@": mpi,
    }
    text = (PACKAGE / "hyla" / "_config.py.in").read_text(encoding="utf-8")
    for mark, value in values.items():
        text = text.replace(mark, value)
    return text


def _sources():
    """The package's files, by their names in an archive."""
    found = {}
    for path in sorted((PACKAGE / "hyla").rglob("*")):
        if path.suffix in (".py", ".pyi", ".typed") and path.name != "_config.py" or path.name == "py.typed":
            found[str(path.relative_to(PACKAGE))] = path.read_bytes()
    return found


def _record(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517."""
    info = f"hyla-{_version()}.dist-info"
    files = _sources()
    files["hyla/_config.py"] = _config().encode()
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: hyla_build\nRoot-Is-Purelib: true\nTag: {TAG}\n".encode()
    )
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = "".join(_record(name, data) for name, data in files.items()) + f"{info}/RECORD,,\n"
    files[f"{info}/RECORD"] = record.encode()
    name = f"hyla-{_version()}-{TAG}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, DATE)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            wheel.writestr(entry, data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """PEP 517.  The package alone, for a library that is installed; `make dist` packs all of
    hyla."""
    base = f"hyla-{_version()}"
    names = ["pyproject.toml", "packaging/python/hyla_build.py", "configure.ac", "README.md", "LICENSE"]
    names += [str(PACKAGE.relative_to(ROOT) / name) for name in _sources()]
    names += ["bindings/python/hyla/_config.py.in"]
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for name in names:
            archive.add(ROOT / name, f"{base}/{name}")
        information = Path(sdist_directory) / "PKG-INFO"
        information.write_text(_metadata(), encoding="utf-8")
        archive.add(information, f"{base}/PKG-INFO")
        information.unlink()
    return f"{base}.tar.gz"
