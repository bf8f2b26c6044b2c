#!/bin/sh
# quickstart.sh: from a fresh clone to a solved problem.  Installs what is
# missing, builds in build/, and solves on 4 ranks.
set -eu
cd "$(dirname "$0")"
./setup.sh
cd build
. ./env.sh
MPIEXEC_TIMEOUT=300
export MPIEXEC_TIMEOUT

# show COMMAND...: says it, runs it, says how long it took.
show() {
  echo
  echo "build\$ $*"
  begin=$(date +%s)
  "$@" </dev/null
  echo "($(($(date +%s) - begin)) s with start and end)"
}

echo
echo 'The capacitance of a square plate: its surface cut into 32 x 32 panels, a dense'
echo 'system for their charges, solved on 4 ranks.  The system is written to files.'
show "$MPIEXEC" -n 4 examples/capacitance plate 32 plate
echo
echo 'The same system from its files, by the command:'
show "$MPIEXEC" -n 4 ./hyla solve plate-A.mtx plate-b.mtx -o plate-x.mtx
echo
echo 'Next: ./check.sh runs all tests; README.md.  For hyla and its mpiexec by name, in a shell:'
echo '  . build/env.sh'
