#!/bin/sh
# HDF5 files between h5py, SciPy and the command, on 1 and 4 ranks (test_hdf5.py); a sample on 4
# unless HYLA_TEST_FULL is set.  If hyla is built without HDF5, the message.
# limit: 300
. "$(dirname "$0")/../harness/script.sh"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)

if grep -q '^HDF5_LIBS = *$' Makefile; then
  cd "$work" || exit 1
  for words in 'solve a.h5:/a' 'generate hilbert --size 3 -o a.h5:/a'; do
    : >a.h5
    # The arguments are words.
    # shellcheck disable=SC2086
    "$hyla" $words >out 2>&1
    status=$?
    { [ $status -eq 2 ] && [ "$(wc -l <out)" -eq 1 ]; } || {
      echo "test_hdf5: '$words' without HDF5: exit status $status: $(cat out)"
      exit 1
    }
  done
  grep -q 'was built without HDF5; install it' out || exit 1
  skip 'hyla is built without HDF5 (apt-get install libhdf5-dev, then configure)'
fi

# Where HDF5's library is gone: a library of hyla's that asks for a name of the same length.
needs=$(sed -n 's/^HDF5_FILE = //p' Makefile)
if [ -f .libs/libhyla.so.0 ]; then
  gone=$(echo "$needs" | tr a-z x)
  mkdir "$work/without"
  LC_ALL=C sed "s/$needs/$gone/g" .libs/libhyla.so.0 >"$work/without/libhyla.so.0"
  printf '\211HDF\r\n\032\n' >"$work/a.h5"
  LD_LIBRARY_PATH="$work/without" "$hyla" solve "$work/a.h5:/a" >"$work/out" 2>&1
  [ $? -eq 2 ] && [ "$(wc -l <"$work/out")" -eq 1 ] &&
    grep -q "a.h5: HDF5 cannot be loaded: $gone: .*; install it" "$work/out" || {
    echo "test_hdf5: without $needs: $(cat "$work/out")"
    exit 1
  }
fi
for python in $(sed -n 's/^PYTHON = //p' Makefile) python3 /usr/bin/python3; do
  "$python" -c 'import h5py, scipy' 2>/dev/null && break
  python=
done
[ -n "$python" ] || skip 'there is no h5py or no SciPy (apt-get install python3-h5py python3-scipy)'
cd "$work" || exit 1
OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
export OPENBLAS_NUM_THREADS PYTHONDONTWRITEBYTECODE
failed=0
"$python" "$source/tests/io/test_hdf5.py" "$hyla" || failed=1
"$python" "$source/tests/io/test_hdf5.py" "$MPIEXEC" -n 4 "$hyla" || failed=1
exit $failed
