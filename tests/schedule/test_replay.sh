#!/bin/sh
# hyla simulate --schedule: replay.py, which knows the papers' machine and nothing of the library,
# plays the schedules and finds the simulated times, exactly.
# limit: 120
set -u
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
command -v python3 >/dev/null 2>&1 || {
  echo 'test_replay: skipped: there is no python3 (apt-get install python3)'
  exit 77
}
python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || {
  echo 'test_replay: skipped: python3 is older than 3.9'
  exit 77
}
PYTHONDONTWRITEBYTECODE=1 exec python3 "$source/tests/schedule/test_replay.py" "${HYLA:-$PWD/hyla}"
