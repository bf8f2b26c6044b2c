#!/bin/sh
# libhyla.so exports exactly the symbols of lib/hyla.symbols: a name that disappears breaks programs
# that are already linked (then the first number of -version-info goes up).
. "$(dirname "$0")/../harness/script.sh"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
library=.libs/libhyla.so
[ -f $library ] || skip 'there is no shared library'
LC_ALL=C
export LC_ALL

nm -D --defined-only $library | awk '{ print $3 }' | sort >"$work/exported" || exit 1
[ -s "$work/exported" ] || {
  echo "test_symbols: nm finds nothing in $library"
  exit 1
}
sort -c "$source/lib/hyla.symbols" || exit 1
status=0
for name in $(comm -13 "$source/lib/hyla.symbols" "$work/exported"); do
  echo "test_symbols: $name is exported and not in lib/hyla.symbols: add it, or make it static or hidden"
  status=1
done
for name in $(comm -23 "$source/lib/hyla.symbols" "$work/exported"); do
  echo "test_symbols: $name is in lib/hyla.symbols and no longer exported: programs that use it break"
  status=1
done
exit $status
