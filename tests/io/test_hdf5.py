"""HDF5 files that h5py and SciPy make and read, solved by the command: test_hdf5.sh calls it in its
own folder.  usage: test_hdf5.py WORD...: the command that starts hyla on some ranks.  With a
launcher only one type of four and every third refusal are tried, unless HYLA_TEST_FULL is set.
"""

import os
import subprocess
import sys

import h5py
import numpy as np
import scipy.linalg
import scipy.sparse

LAUNCH = sys.argv[1:]
FEW = len(LAUNCH) > 1 and not os.environ.get("HYLA_TEST_FULL")
failures = 0
refusals = 0


def expect(condition, what):
    global failures
    if not condition:
        print("test_hdf5:", what)
        failures += 1


def hyla(*words, fails=None):
    """Runs hyla; returns its standard output.  fails: the text of its one line of complaint."""
    global refusals
    refusals += fails is not None
    if FEW and fails is not None and refusals % 3 != 1:
        return ""
    run = subprocess.run([*LAUNCH, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if fails is None:
        expect(run.returncode == 0, f"{' '.join(words)}: exit status {run.returncode}: {run.stderr}")
    else:
        lines = run.stderr.splitlines()
        expect(run.returncode == 2, f"{' '.join(words)}: exit status {run.returncode}, not 2")
        expect(len(lines) == 1 and fails in lines[0], f"{' '.join(words)}: says {run.stderr}")
    return run.stdout


def make():
    """The system, as matrices of four types, and the ways in which h5py stores them."""
    draw = np.random.default_rng(5)
    n = 37
    a = {
        "d": draw.standard_normal((n, n)) + n * np.eye(n),
        "z": draw.standard_normal((n, n)) + 1j * draw.standard_normal((n, n)) + n * np.eye(n),
    }
    a["s"], a["c"] = a["d"].astype("f4"), a["z"].astype("c8")
    b = {kind: a[kind] @ np.arange(1, n + 1).astype(a[kind].dtype) for kind in a}
    with h5py.File("in.h5", "w") as file:
        for kind in a:
            file[f"{kind}/plain"] = a[kind]
            file.create_dataset(f"{kind}/chunks", data=a[kind], chunks=(5, 9))
            file.create_dataset(f"{kind}/packed", data=a[kind], chunks=(8, 8), compression="gzip",
                                shuffle=True, fletcher32=True)
            file.create_dataset(f"{kind}/resizable", data=a[kind], maxshape=(None, None))
            file[f"{kind}/big"] = a[kind].astype(a[kind].dtype.newbyteorder(">"))
            file[f"{kind}/turned"] = np.ascontiguousarray(a[kind].T)
            file[f"{kind}/b"] = b[kind]
            file[f"{kind}/B"] = np.stack([b[kind], 2 * b[kind]], axis=1)
        file["text"] = "no numbers"
        file["three"] = np.zeros((2, 2, 2))
        file["half"] = np.array([[1, 0.5], [-65504, 6e-8]], "<f2")
        file.create_dataset("halves", data=np.array([[1, 0.5], [-65504, 6e-8]], ">f2"), chunks=(1, 2))
        file["long"] = np.zeros((2, 2), np.longdouble)
        file.create_dataset("lzf", data=np.eye(40), chunks=(8, 8), compression="lzf")
        file["away"] = h5py.ExternalLink("other.h5", "/a")
        file["z/view"] = h5py.SoftLink("/z/plain")
    return a, b


def read(path, name):
    with h5py.File(path, "r") as file:
        return file[name][()]


a, b = make()
tolerance = {"s": 1e-5, "c": 1e-5, "d": 1e-13, "z": 1e-13}
for kind in ["z"] if FEW else a:
    x = scipy.linalg.solve(a[kind], b[kind])
    first = None
    for way in ["plain", "chunks", "packed", "resizable", "big"]:
        hyla("solve", f"in.h5:/{kind}/{way}", f"in.h5:/{kind}/b", "-o", "x.h5:/x")
        got = read("x.h5", "x")
        expect(got.dtype == a[kind].dtype and got.shape == b[kind].shape, f"{kind}: {got.dtype} {got.shape}")
        expect(abs(got - x).max() <= tolerance[kind] * abs(x).max(), f"{kind}/{way}: x is wrong")
        first = got if first is None else first
        expect(got.tobytes() == first.tobytes(), f"{kind}/{way}: other bits than from {kind}/plain")
    hyla("solve", f"in.h5:columns:/{kind}/turned", f"in.h5:/{kind}/B", "-o", f"in.h5:/{kind}/X")
    got = read("in.h5", f"{kind}/X")
    expect(got.shape == (37, 2) and abs(got[:, 1] - 2 * x).max() <= 2 * tolerance[kind] * abs(x).max(),
           f"{kind}: X is wrong")
    # Without computing: the same bytes.
    for way, turned in [("packed", False), ("turned", True)]:
        word = "columns:" if turned else ""
        hyla("convert", f"in.h5:{word}/{kind}/{way}", "--to", "gray/cyclic", "-o", "y.h5:/deep/y")
        expect(read("y.h5", "deep/y").tobytes() == a[kind].tobytes(), f"{kind}/{way}: other bytes")
    hyla("convert", f"in.h5:/{kind}/plain", "--to", "gray/cyclic", "-o", "y.h5:columns:/yt")
    expect(read("y.h5", "yt").tobytes() == a[kind].T.tobytes(), f"{kind}: other bytes by columns")

with h5py.File("in.h5", "r") as file:
    expect(all(np.array_equal(file[f"{kind}/plain"], a[kind]) for kind in a), "in.h5 has lost entries")
    expect(file.get("away", getlink=True).path == "/a", "in.h5 has lost a link")
    expect(file["d/packed"].compression == "gzip", "in.h5 has lost how a dataset is kept")

for name in ["half", "halves"]:
    hyla("convert", f"in.h5:/{name}", "-o", "half.h5:/a")
    got = read("half.h5", "a")
    expect(got.dtype == np.float32 and np.array_equal(got, read("in.h5", name)), f"{name}: other entries")

# Datasets that cannot be read, or written.
hyla("solve", "in.h5:/d/plian", fails="there is no dataset /d/plian; did you mean /d/plain?")
hyla("solve", "in.h5", fails="say which of its datasets")
hyla("solve", "in.h5:/d", fails="a group of datasets")
hyla("solve", "in.h5:/text", fails="found text")
hyla("solve", "in.h5:/three", fails="at most two dimensions, found 3")
hyla("solve", "in.h5:/long", fails="real numbers of another precision")
hyla("solve", "in.h5:/lzf", fails="in.h5:/lzf: its chunks are packed by lzf (filter 32000), which this HDF5 library lacks")
hyla("solve", "in.h5:/away", fails="a link to another file")
hyla("solve", "in.h5:/d/plain", "in.h5:/d/b", "-o", "in.h5:/d//b", fails="give --force")
hyla("solve", "in.h5:/d/plain", "-o", "in.h5:/d", fails="a group of that name is there")
hyla("solve", "in.h5:/d/plain", "-o", "x.h5", fails="FILE.h5:/DATASET")
hyla("solve", "no.h5:/a", fails="cannot read no.h5: No such file")
with open("text.h5", "w") as file:
    file.write("1 2\n3 4\n")
hyla("solve", "text.h5:/a", fails="text.h5:1: expected an HDF5 or MAT file, found '1 2?3")
hyla("solve", "in.h5:/d/plain", "-o", "text.h5:/x", fails="the existing file is no HDF5 file")
scipy.io.savemat("old.mat", {"a": a["d"]})
hyla("solve", "old.mat:/a")  # a MAT file before 7.3 is no HDF5 file
with open("in.h5", "rb") as file, open("cut.h5", "wb") as cut:
    cut.write(file.read()[:-100])
hyla("solve", "cut.h5:/d/plain", fails="cannot read cut.h5: HDF5: truncated file")
hyla("solve", "x.h5", fails="x.h5 is 37 x 1")  # it has one dataset, so it need not be named
with h5py.File("locked.h5", "w") as file:
    file["a"] = a["d"]
    file.flush()
    hyla("solve", "locked.h5:/a", fails="another program is writing to it")

# MATLAB's files, as far as h5py can make them; hdf5storage, if it is installed, makes and reads
# them.
with h5py.File("m.mat", "w", userblock_size=512) as file:
    file["a"] = a["d"].T
    file["a"].attrs["MATLAB_class"] = np.bytes_("double")
    file["s/data"] = np.ones(3)
    file["s"].attrs["MATLAB_sparse"] = np.uint64(3)
hyla("solve", "m.mat:/a", "in.h5:/d/b", "-o", "m.mat:/x")
x = scipy.linalg.solve(a["d"], b["d"])
expect(abs(read("m.mat", "x")[0] - x).max() < 1e-12, "MATLAB's x is wrong")
hyla("solve", "m.mat:/s", fails="save full(...) of it")
hyla("transpose", "in.h5:/z/plain", "-o", "new.mat:/zt")
with open("new.mat", "rb") as file:
    head = file.read(128)
expect(head.startswith(b"MATLAB 7.3 MAT-file") and head[124:] == b"\x00\x02IM", "MATLAB's head is wrong")
expect(read("new.mat", "zt").view("c16").tobytes() == a["z"].tobytes(), "MATLAB's entries are wrong")
try:
    import hdf5storage
except ImportError:
    print("test_hdf5: left out: hdf5storage (apt-get install python3-hdf5storage)")
else:
    expect(np.array_equal(hdf5storage.loadmat("new.mat")["zt"], a["z"].T), "hdf5storage reads other entries")
    hdf5storage.savemat("theirs.mat", {"c": a["c"], "w": a["d"][:, :5]}, format="7.3")
    for name, wanted in [("c", a["c"]), ("w", a["d"][:, :5])]:
        hyla("convert", f"theirs.mat:/{name}", "--to", "gray/cyclic", "-o", "ours.h5:/y")
        expect(np.array_equal(read("ours.h5", "y"), wanted), f"{name} of hdf5storage is read as another")
sys.exit(failures > 0)
