#!/bin/sh
# The lint under test: a small tree in which each rule is broken once, and one without violations.
. "$(dirname "$0")/../harness/script.sh"
here=$(cd "$(dirname "$0")" && pwd)
output=

# plant FILE LINE...: writes the file, listed in its folder's Makefile.inc.
plant() {
  file=$work/$1
  mkdir -p "${file%/*}"
  case $1 in lib/*/*/*) list=$work/lib/$(echo "$1" | cut -d / -f 2) ;; *) list=${file%/*} ;; esac
  echo "$1" >>"$list/Makefile.inc"
  shift
  printf '%s\n' "$@" >"$file"
}

# expect PLACE TEXT: a line of the output begins with PLACE and has TEXT.
expect() {
  printf '%s\n' "$output" | grep -F -e "$1: " | grep -q -F -e "$2" ||
    complain "no '$1: ... $2' in: $output"
}

# The rooms, lowest first.
mkdir -p "$work/doc"
# shellcheck disable=SC2016
printf '| %s | `%s` | something | all else |\n' 0 base 1 cube 2 collective 3.1 gemm/fast 3.2 gemm/slow 3 gemm \
  4 solve >"$work/doc/layers.md"

# A clean tree: comments and strings contain text that looks like violations.
plant lib/base/base.h '#include "hyla_types.h"' 'extern const int hy_zero;'
plant lib/base/clean.c '#include "base/base.h"' '/* MPI_Send( in a comment, "' \
  ' * and static int x; too */' 'const int hy_zero = 0;' 'const char *hy_name(int i) {' \
  '  static const char *const names[] = {"MPI_Recv(0)", "\"printf(\""}; // MPI_Send(1)' \
  '  return names[i];' '}'
output=$("$here/../lint" "$work" "$work/none") || complain "clean tree: $output"

tab=$(printf '\t')
plant lib/base/text.c "${tab}int a(void);" 'int b(void); ' "/* TO""DO */" \
  "int $(printf '%0101d' 0 | tr 0 x)(void);"
echo 'See `lib/base/base.h` and `lib/base/gone.c`.' >"$work/doc/guide.md"
plant lib/base/up.c '#include "cube/cube.h"'
plant lib/base/mpi.c '#include "hyla.h"' '#include <mpi.h>'
plant lib/cube/cube.h '#include "base/base.h"'
plant lib/cube/private.c '#include "base/inner.h"' '#include "cube.h"' '#include <cblas.h>' '#include <hdf5.h>'

plant lib/cube/link_mpi.c 'int f(void) { return MPI_Barrier(0); }'
plant lib/cube/other.c 'int f(void) { return MPI_Barrier(0); }' 'int g = MPI_ANY_SOURCE;' \
  'void h(void) { exit(1); }' 'void p(void) { printf("x"); }' 'int z(void) { return CMPLX(1, 2); }'
plant tests/base/test_twin.c 'int twin(void) { return 0; }'
plant tests/cube/test_twin.sh 'exit 0'
plant tests/base/test_lodger.c 'static const char own[] = "test_lodger.npy", of[] = "test_", other[] = "test_twin.npy";' \
  'static const char folder[] = "folder_of_twin";'
plant lib/base/global.c 'static int counter;' 'int shown = 3;' 'int f(void) {' \
  '  static int calls = 0;' '  return calls++;' '}'
plant lib/base/function.c 'int f(void) {' "$(seq -f '  x(%g);' 98)" '}' 'int g(void) {' \
  "$(seq -f '  x(%g);' 97)" '}'
plant lib/base/long.c "$(seq -f '/* %g */' 701)"
plant lib/other/thing.c ''
plant lib/base/tags.h 'struct hy_twice {' '  int a;' '};' 'struct hy_once {' '  int a;' '};'
plant lib/cube/tags.h '' 'struct hy_twice {' '  int b;' '};'
plant lib/base/joined.c '/* Adds.  Two blanks' ' *   a  first. Memory: none. */'
plant tools/tool.c '#include "base/base.h"' 'int f(void) { return MPI_Bcast(0); }'
echo 'int unlisted(void);' >"$work/lib/base/unlisted.c"
# Files of sub-rooms are in the list of their room.
plant lib/gemm/fast/fast.h ''
plant lib/gemm/fast/inner.h ''
plant lib/gemm/slow/slow.c '#include "gemm/fast/fast.h"' '#include "gemm/fast/inner.h"' '#include "gemm/gemm.h"'
plant lib/solve/solve.h ''
plant lib/solve/outside.c '#include "gemm/fast/fast.h"'
plant lib/gemm/gemm.h ''
plant lib/gemm/gemm_lost.c 'const struct hy_variant hy_gemm_lost = {' '    .name = "lost",' \
  '    .reference = "nobody-1900, section 1",' '};'
plant lib/gemm/gemm_found.c 'const struct hy_variant hy_gemm_found = {' \
  '    .name = "found",' '    .reference = "somebody-1901, 2",' '};'
plant lib/collective/rows.c 'const struct hy_collective_variant hy_rows[] = {' \
  '    {.name = "row", .reference = "somebody-1901, 3"},' '};'
plant lib/gemm/gemm.c 'void *x = {&hy_gemm_found,};'
echo '@book{somebody-1901,' >"$work/doc/references.bib"
plant lib/gemm/loop.c 'void loop(void) {' '  while (more())' '    step();' '}'
# shellcheck disable=SC2016
printf '%s\n' '# All (`lib/gemm`, `lib/collective`)' '## Found (`gemm:found`)' \
  '```c' 'while (more())' '  step();' '```' '```c' 'while (more())' '  stop();' '```' \
  >"$work/doc/theory.md"

output=$("$here/../lint" "$work" "$work/none") && complain "the planted tree passes"
expect lib/base/text.c:1 tab
expect lib/base/text.c:2 blank
expect lib/base/text.c:3 undone
expect lib/base/text.c:4 'longer than 100'
expect lib/base/up.c:1 'cannot include cube/cube.h'
expect doc/guide.md:1 'there is no lib/base/gone.c'
expect lib/base/mpi.c:1 'include hyla_types.h'
expect lib/base/mpi.c:2 'no room below cube knows mpi.h'
expect lib/cube/private.c:1 'private to base'
expect lib/cube/private.c:2 'write "room/file.h"'
expect lib/cube/private.c:3 lib/local
expect lib/cube/private.c:4 'HDF5 is called in'
expect lib/cube/other.c:1 link_mpi.c
expect lib/cube/other.c:2 'any source'
expect lib/cube/other.c:3 'never ends'
expect lib/cube/other.c:4 'does not print'
expect lib/cube/other.c:5 hy_complex
expect lib/base/global.c:1 'mutable static'
expect lib/base/global.c:2 'mutable global'
expect lib/base/global.c:4 'mutable static'
expect lib/base/function.c:100 'function of 100 lines'
expect lib/base/long.c '701 lines'
expect lib/base/joined.c:2 'one blank after a full stop'
expect lib/cube/tags.h:2 'hy_twice is defined in lib/base/tags.h:1 too'
expect lib/other 'no door other.h'
expect tools/tool.c:1 'hyla.h, hyla_collective.h and hyla_lab.h alone'
expect tools/tool.c:2 'not by MPI'
expect lib/base/unlisted.c 'not in lib/base/Makefile.inc'
expect lib/gemm/gemm_lost.c 'in no list'
expect lib/gemm/gemm_lost.c 'nobody-1900 is not in'
expect lib/gemm/gemm_lost.c 'no heading with '
expect lib/collective/rows.c 'hy_rows is in no list'
expect lib/collective/rows.c 'no heading with '
expect lib/gemm/slow 'no door slow.h'
expect lib/gemm/slow/slow.c:2 'private to gemm/fast: include gemm/fast/fast.h'
expect lib/gemm/slow/slow.c:3 'room gemm/slow stands below gemm and cannot include gemm/gemm.h'
expect lib/solve/outside.c:1 'private to gemm: include gemm/gemm.h'
expect doc/theory.md:7 'no file of lib/ has'
expect tests/cube/test_twin.sh 'tests/base/test_twin.c has its name'
expect tests/base/test_lodger.c:1 'a name of test_twin'
expect tests/base/test_lodger.c:2 'a name of test_twin'
for innocent in lib/gemm/slow/slow.c:1 'name of test_lodger' gemm_found hy_once link_mpi.c:1 clean.c 'function of 99' theory.md:3; do
  printf '%s\n' "$output" | grep -F -e "$innocent" && complain "$innocent is innocent"
done

# Objects: the compiler's output counts, whatever the source looked like.
mkdir -p "$work/built/lib/base" "$work/built/.libs"
echo 'struct { int a; } hy_hidden = {1}; const int stray = 2;' >"$work/objects.c"
if (cd "$work" && cc -c objects.c -o built/lib/base/objects.o &&
  ar rc built/.libs/libhyla.a built/lib/base/objects.o &&
  cc -shared -fPIC objects.c -o built/.libs/libhyla.so) 2>/dev/null; then
  output=$("$here/../lint" "$work" "$work/built") && complain "the planted objects pass"
  expect lib/base/objects.o 'hy_hidden is a mutable global'
  expect libhyla.a 'stray is visible'
  expect libhyla.so 'exports hy_hidden'
fi
exit $((failures > 0))
