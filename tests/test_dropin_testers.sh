#!/bin/sh
# Debian's testers of ScaLAPACK with the drop-in before it: one of each kind and type, small
# (scalapack_testers, which has all).
# limit: 300
set -u
"${srcdir:-$(dirname "$0")/..}"/tests/scalapack_testers -l 100 -d small xsls xdinv xslu xzllt xcqr
