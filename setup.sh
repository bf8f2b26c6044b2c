#!/bin/sh
# setup.sh [PACKAGE...]: the first step of quickstart.sh and check.sh.  Installs the packages
# that are missing, and those named (on Debian and its relatives), configures and builds
# in build/.  Optional, and not installed here: gfortran (module hyla for Fortran),
# python3-numpy (package hyla for Python), libhdf5-dev (HDF5 files), libscalapack-mpich-dev
# (the drop-in for ScaLAPACK).
set -eu
cd "$(dirname "$0")"

packages='gcc libc6-dev make autoconf automake libtool pkg-config mpich libmpich-dev
  libopenblas-dev liblapacke-dev libjansson-dev zlib1g-dev librandom123-dev libcmocka-dev'
packages="$packages $*"

missing=
if command -v dpkg-query >/dev/null 2>&1; then
  for package in $packages; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || :) in
      *'ok installed') ;;
      *) missing="$missing $package" ;;
    esac
  done
fi
if [ -n "$missing" ]; then
  root=
  [ "$(id -u)" -eq 0 ] || root=sudo
  if [ -n "$root" ] && ! command -v sudo >/dev/null 2>&1; then
    echo "setup: as root, please: apt-get install$missing" >&2
    exit 1
  fi
  echo "setup: installing$missing"
  $root apt-get update -qq
  # The names are words.
  # shellcheck disable=SC2086
  $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    $missing >/dev/null
fi

# quietly LOG COMMAND...: its output is shown when it fails.
quietly() {
  log=$1
  shift
  "$@" >"$log" 2>&1 && return 0
  tail -n 40 "$log" >&2
  echo "setup: '$*' failed; the whole of its output is in $log" >&2
  exit 1
}

mkdir -p build
if [ ! -f configure ]; then
  echo 'setup: making configure'
  quietly build/autoreconf.out autoreconf -fi
fi
cd build
if [ ! -f Makefile ]; then
  echo 'setup: configuring in build/'
  # Libtool's script runs once a file: by dash, where there is one, in half of the time of bash.
  [ -n "${CONFIG_SHELL:-}" ] || ! [ -x /bin/dash ] || export CONFIG_SHELL=/bin/dash
  quietly configure.out "${CONFIG_SHELL:-/bin/sh}" ../configure
elif [ -n "$missing" ]; then
  echo 'setup: configuring again, for what was installed'
  quietly configure.out ./config.status --recheck
  quietly configure.out ./config.status
fi
echo 'setup: building in build/'
quietly make.out make -j "$(nproc)"
