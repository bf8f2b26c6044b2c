#!/bin/sh
# Package hyla: test_python.py by pytest, without mpiexec and on several ranks; structures and
# constants are those of hyla.h and hyla_lab.h; doc/python.md and from-numpy.md print what they show;
# benchmarks/whole compares; an mpi4py for another MPI, if there is one, gets its message.
# limit: 120
# alone: 1
. "$(dirname "$0")/../harness/script.sh"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
build=$PWD

variable() { sed -n "s/^$1 = //p" "$build/Makefile"; }

[ -f bindings/python/hyla/_config.py ] ||
  skip 'configure found no Python with NumPy (apt-get install python3-numpy), or no shared library'
python=$(variable PYTHON)
"$python" -c 'import pytest' 2>/dev/null || skip 'there is no pytest (apt-get install python3-pytest)'

cp -r "$source/bindings/python/hyla" "$work"
cp bindings/python/hyla/_config.py "$work/hyla"
PYTHONPATH=$work PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
HYLA_LIBRARY=$build/.libs/libhyla.so HYLA_COMMAND=${HYLA:-$build/hyla}
export PYTHONPATH PYTHONDONTWRITEBYTECODE OPENBLAS_NUM_THREADS HYLA_LIBRARY HYLA_COMMAND
cd "$work" || exit 1

# tests COMMAND...: pytest, started by this command.
tests() {
  timeout -k 5 $((60 * patience)) "$@" "$python" -m pytest -q -p no:cacheprovider "$source/tests/bindings/test_python.py" \
    </dev/null >"$work/out" 2>&1 && return 0
  complain "'$* pytest' ends with exit status $?"
  tail -n 60 "$work/out"
}
tests env
# Beside other programs a rank would wait for a turn of each of them at every one of its thousands of
# yields, which took over two minutes.  Open MPI's own waits keep the core from other ranks: there
# they nap (yield.c says when).  The compiler may be two words.
naps=
if grep -q 'MPI = "Open MPI' hyla/_config.py; then
  # shellcheck disable=SC2046
  $(variable CC) -O2 -shared -fPIC -o yield.so "$source/tests/bindings/yield.c" || complain 'no yield.so'
  naps=LD_PRELOAD=$work/yield.so
fi
# Collectives want a cube, which leaves a rank idle.  Without naps there is no word.
# shellcheck disable=SC2086
tests "$MPIEXEC" -n 3 env HYLA_ARRAY=cube $naps
# shellcheck disable=SC2086
tests "$MPIEXEC" -n 4 env $naps

timeout -k 5 $((30 * patience)) "$MPIEXEC" -n 4 "$python" "$source/examples/first_solve.py" </dev/null >out 2>&1
{ grep -q '^reliable, solved by [a-z]' out && grep -q '^error below 1e-9$' out &&
  grep -q '^SINGULAR pivot 2$' out; } || complain "the example: $(cat out)"

for kind in '' rows; do
  # The words are separate ones.
  # shellcheck disable=SC2086
  timeout -k 5 $((30 * patience)) "$MPIEXEC" -n 2 "$python" "$source/examples/rows_per_rank.py" 40 $kind </dev/null >out 2>&1
  grep -q '^n = 40 on 2 ranks: largest error [0-9.]*e-1[0-9]$' out || complain "rows per rank: $(cat out)"
done

# The benchmark against NumPy: both tables, for a system that both solve.
PATH=$build:$PATH MPIEXEC=$MPIEXEC timeout -k 5 $((30 * patience)) "$python" "$source/benchmarks/whole" -n 20 -t z -r 1 \
  </dev/null >out 2>&1
[ "$(grep -c -E '^\| z \| 20 \| [0-9.e+]*( \| [0-9.e+]* \| [0-9.]*){2,3} \|$' out)" -eq 2 ] ||
  complain "benchmarks/whole: $(cat out)"

# These pages are sessions, without their fences.
for page in python from-numpy; do
  sed 's/^```.*//' "$source/doc/$page.md" >session.txt
  timeout -k 5 $((60 * patience)) "$python" -m doctest session.txt </dev/null >out 2>&1 || complain "doc/$page.md: $(cat out)"
done

"$python" - >constants.c <<'END'
import ctypes
from hyla import _library

print("#include <hyla_collective.h>\n#include <hyla_lab.h>")
for name, value in vars(_library).items():
    if name.startswith("HYLA_"):
        print(f'_Static_assert((int){name} == {value}, "{name}");')
structures = {
    "hyla_options": _library.Options,
    "hyla_cost": _library.CostC,
    "hyla_solve_options": _library.SolveOptions,
    "hyla_transfer": _library.Transfer,
    "hyla_solve_report": _library.SolveReport,
    "hyla_method_traits": _library.MethodTraits,
    "hyla_embedding": _library.Embedding,
    "hyla_message": _library.Message,
    "hyla_axis": _library.Axis,
    "hyla_layout": _library.LayoutC,
    "hyla_structure": _library.Structure,
    "hyla_scalar": _library.Number,
}
for name, structure in structures.items():
    print(f'_Static_assert(sizeof({name}) == {ctypes.sizeof(structure)}, "{name}");')
    for field, _ in () if name == "hyla_scalar" else structure._fields_:
        at = getattr(structure, field).offset
        print(f'_Static_assert(offsetof({name}, {field}) == {at}, "{name}.{field}");')
END
[ "$(wc -l <constants.c)" -gt 40 ] || complain 'hardly any constants'
# The compiler may be two words.
# shellcheck disable=SC2046
$(variable CC) -I"$source/include" -fsyntax-only constants.c ||
  complain 'a structure or a constant of the package is not that of hyla.h'

# Debian's mpi4py is built for Open MPI: with hyla for the same MPI its communicators work, with
# hyla for another one they are refused.
cat >communicator.py <<'END'
from mpi4py import MPI
import hyla
from hyla import _config

same = MPI.Get_library_version()[:5] == _config.MPI[:5]
try:
    x = hyla.solve([[2.0, 1.0], [1.0, 3.0]], [3.0, 4.0], cube=hyla.Cube(MPI.COMM_WORLD)).x
    assert same and MPI.COMM_WORLD.Get_size() == 2
    assert x is None or abs(x - 1).max() < 1e-12
    ring = hyla.embed_comm("torus", 2)
    assert isinstance(ring, MPI.Cartcomm) and ring.dims == [2] and ring.periods == [1]
    assert ring.Shift(0, 1) == (1 - ring.rank, 1 - ring.rank)
    ring.Free()
    tree = hyla.embed_comm("inorder", [1])
    assert (tree is None) == (MPI.COMM_WORLD.rank == 1)
    if tree is not None:
        assert isinstance(tree, MPI.Distgraphcomm) and tree.Get_dist_neighbors_count()[0] == 0
        tree.Free()
    for wrong, why in (((2, 2), "dimensions"), ([1] * 21, "axes"), ([], "axes")):
        try:
            hyla.embed_comm("torus", wrong)
            raise AssertionError(wrong)
        except hyla.Error as error:
            assert error.status == "ARGUMENT" and why in str(error), error
except hyla.Error as error:
    assert not same and "mpi4py is built for another MPI" in str(error), error
END
if "$python" -c 'import mpi4py' 2>/dev/null; then
  launcher="$MPIEXEC -n 2"
  # With another MPI's launcher the ranks would be two separate worlds.
  grep -q 'MPI = "Open MPI' hyla/_config.py || launcher=
  # shellcheck disable=SC2086
  timeout -k 5 $((30 * patience)) $launcher "$python" communicator.py </dev/null >"$work/out" 2>&1 ||
    complain "a communicator of mpi4py: $(cat "$work/out")"
else
  echo 'test_python: left out: communicators of mpi4py (apt-get install python3-mpi4py)'
fi
exit $((failures > 0))
