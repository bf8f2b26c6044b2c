#!/bin/sh
# quickstart.sh: from a fresh clone to a solved problem.  Installs what is
# missing, builds in build/, and solves on 4 ranks.
set -eu
cd "$(dirname "$0")"
./setup.sh
