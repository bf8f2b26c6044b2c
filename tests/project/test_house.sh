#!/bin/sh
# The rooms of lib/: this tree keeps their order, and doc/house.svg shows them; in a planted
# tree each rule is broken and found.
. "$(dirname "$0")/../harness/script.sh"
here=$(cd "$(dirname "$0")" && pwd)
output=

# plant FILE LINE...: writes the file into the planted tree.
plant() {
  file=$work/$1
  mkdir -p "${file%/*}"
  shift
  printf '%s\n' "$@" >"$file"
}

# compile NAME LINE...: plants lib/NAME.c and its object.
compile() {
  name=$1
  shift
  plant "lib/$name.c" "$@"
  mkdir -p "$work/build/lib/${name%/*}"
  cc -I "$work/lib" -c "$work/lib/$name.c" -o "$work/build/lib/$name.o" || complain "$name does not compile"
}

# rooms NAME...: the table of doc/layers.md, the highest room first.
rooms() {
  plant doc/layers.md '# Rooms' '' '| | room | what it holds | what it does not know |' '|---|---|---|---|'
  n=$#
  for room; do
    n=$((n - 1))
    echo "| $n | \`$room\` | the <$room> & more | all else |" >>"$work/doc/layers.md"
  done
}

# house COMMAND: its output and its exit status.
house() { output=$("$here/../house" "$1" "$work" "$work/build" 2>&1); }

# expect LINE...: the output is these lines, in any order.
expect() {
  [ "$(printf '%s\n' "$output" | sort)" = "$(printf '%s\n' "$@" | sort)" ] ||
    complain "not '$*' but '$output'"
}

# This tree.
found=$("$here/../house" check) || complain "this tree: $found"
# shellcheck disable=SC2016
listed=$(sed -n 's/^| *[0-9]* | `\([a-z]*\)` | .*/\1/p' "$here/../../doc/layers.md")
shown=$(sed -n 's/^<g id="\([a-z]*\)"><title>.*/\1/p' "$here/../../doc/house.svg")
[ -n "$listed" ] || complain 'doc/layers.md has no table of rooms'
[ "$listed" = "$shown" ] || complain "doc/house.svg shows '$shown', not '$listed'"

# A tree without a fault.  Ten rooms and more are ordered as numbers.
set --
for n in 1 2 3 4 5 6 7 8; do
  set -- "between$n" "$@"
  mkdir -p "$work/lib/between$n"
done
rooms top "$@" middle base
plant lib/base/base.h 'int hy_base(void);' 'extern const int hy_row;'
compile base/base '#include "base/base.h"' 'int hy_base(void) { return hy_row; }'
compile base/row 'extern const int hy_row;' 'const int hy_row = 1;'
plant lib/middle/middle.h 'int hy_middle(void);'
compile middle/middle '#include "middle/middle.h"' '#include "base/base.h"' \
  'int hy_middle(void) { return hy_base() + hy_row; }'
compile top/top '#include "middle/middle.h"' 'int hy_top(void) { return hy_middle(); }'
house check || complain "a clean tree: $output"
house circles
expect ''
house rooms
[ "$(echo "$output" | tr '\n' ' ')" = "base middle $(seq -f 'between%g' 8 | tr '\n' ' ')top " ] ||
  complain "rooms: $output"

# The drawing: rooms from the top, then arrows with their numbers; twice the same.
house draw || complain "draw: $output"
plant doc/house.svg "$output"
house draw
[ "$output" = "$(cat "$work/doc/house.svg")" ] || complain 'two drawings differ'
drawn=$(sed -n 's/^<g id="\([^"]*\)"><title>\(.*\)<\/title>$/\1: \2/p' "$work/doc/house.svg" | grep -v between)
[ "$drawn" = 'top: the &lt;top&gt; &amp; more
middle: the &lt;middle&gt; &amp; more
base: the &lt;base&gt; &amp; more
top-middle: top uses middle
middle-base: middle uses base' ] || complain "drawn: $drawn"
sed -n '/id="middle-base"/,/<\/g>/p' "$work/doc/house.svg" | grep -q '>2</text>' ||
  complain 'middle needs two symbols of base, and the drawing says otherwise'
house check || complain "a clean tree with its drawing: $output"

# Rooms and arrows that the drawing lacks, and those that it shows and that no longer exist.
compile top/low '#include "base/base.h"' 'int hy_low(void) { return hy_base(); }'
house check && complain 'an arrow that is not drawn passes'
expect 'doc/house.svg: top-base is not drawn as it is: tests/house draw >doc/house.svg'
rm "$work/lib/top/low.c"
house check || complain "an object without its source counts: $output"
compile top/top 'int hy_top(void) { return 0; }'
house check && complain 'an arrow that is drawn and gone passes'
expect 'doc/house.svg: top-middle is not drawn as it is: tests/house draw >doc/house.svg'
rm "$work/doc/house.svg"

# Files of a room that use each other in a circle; a circle is no violation.
compile top/one 'extern const int hy_table;' 'int hy_one(void) { return hy_table; }'
compile top/two 'int hy_three(void);' 'int hy_two(void) { return hy_three(); }' 'const int hy_table = 1;'
compile top/three 'int hy_one(void);' 'int hy_two(void);' 'int hy_three(void) { return hy_one() + hy_two(); }'
compile top/four 'int hy_one(void);' 'int hy_four(void) { return hy_one(); }'
house check || complain "a circle of files: $output"
house circles
expect 'lib/top/one.c -> lib/top/two.c: hy_table' 'lib/top/three.c -> lib/top/one.c: hy_one' \
  'lib/top/three.c -> lib/top/two.c: hy_two' 'lib/top/two.c -> lib/top/three.c: hy_three'

# Arrows up, by a header and by a symbol that no header shows; circles between rooms.
compile base/up '#include "middle/middle.h"' 'int hy_up(void) { return 0; }'
compile middle/up 'int hy_top(void);' 'int hy_higher(void) { return hy_top(); }'
house check && complain 'arrows up pass'
expect 'lib/base/up.c: room base stands below middle and cannot include middle/middle.h' \
  'lib/middle/up.c: room middle stands below top and cannot use hy_top of lib/top/top.c' \
  'lib: rooms that use each other in a circle: base, middle'
house draw && complain 'a house with arrows up is drawn'
compile top/top '#include "middle/middle.h"' 'int hy_top(void) { return hy_middle(); }'
house check
expect 'lib/base/up.c: room base stands below middle and cannot include middle/middle.h' \
  'lib/middle/up.c: room middle stands below top and cannot use hy_top of lib/top/top.c' \
  'lib: rooms that use each other in a circle: base, middle, top'
rm "$work/lib/base/up.c" "$work/lib/middle/up.c"

# Folders and table; circles between rooms that the table does not know.
rooms top "$@" base absent
mkdir -p "$work/lib/stray"
house check && complain 'a table without the folders passes'
expect 'lib/middle: not a room of doc/layers.md' 'lib/stray: not a room of doc/layers.md' \
  'doc/layers.md: the room absent has no folder lib/absent'

# Sub-rooms: below the files of their room, in the order of their rows, and not in the drawing.
rm -r "${work:?}/lib" "$work/build" "$work/doc"
mkdir -p "$work/lib"
# shellcheck disable=SC2016
plant doc/layers.md '| | room | what it holds |' '|---|---|---|' '| 2 | `top` | methods |' \
  '| 2.10 | `top/late` | a method |' '| 2.9 | `top/early` | what methods share |' '| 1 | `base` | all else |'
compile base/base 'int hy_base(void) { return 1; }'
compile top/early/early 'int hy_base(void);' 'int hy_early(void) { return hy_base(); }'
compile top/late/late 'int hy_early(void);' 'int hy_late(void) { return hy_early(); }'
compile top/top 'int hy_late(void);' 'int hy_top(void) { return hy_late(); }'
plant lib/top/late/late.h 'int hy_late(void);'
house check || complain "sub-rooms: $output"
house rooms
[ "$(echo "$output" | tr '\n' ' ')" = 'base top/early top/late top ' ] || complain "sub-rooms: $output"
house draw || complain "sub-rooms: $output"
drawn=$(printf '%s\n' "$output" | sed -n 's/^<g id="\([^"]*\)"><title>\(.*\)<\/title>$/\1: \2/p')
[ "$drawn" = 'top: methods
base: all else
top-base: top uses base' ] || complain "drawn of sub-rooms: $drawn"
printf '%s\n' "$output" | grep -q '>4 files, 7 lines<' || complain 'a room counts without its sub-rooms'
# Lines of the core and of the papers' wing, and a wing without a file.
cp "$work/doc/layers.md" "$work/layers"
# shellcheck disable=SC2016
printf '%s\n' '| room | files |' '|---|---|' '| `top/late` | `*` |' '| `top` | `to*` |' >>"$work/doc/layers.md"
house lines || complain "lines: $output"
expect 'room              core  papers' 'top                  2       5' 'base                 1       0' \
  'all                  3       5'
# shellcheck disable=SC2016
echo '| `base` | `bas.*` `gone.c` |' >>"$work/doc/layers.md"
house check && complain 'a wing without files passes'
expect "doc/layers.md: the papers' wing has no file lib/base/bas.*" \
  "doc/layers.md: the papers' wing has no file lib/base/gone.c"
cp "$work/layers" "$work/doc/layers.md"
compile top/early/up '#include "top/late/late.h"' 'int hy_top(void);' 'int hy_up(void) { return hy_top(); }'
house check && complain 'arrows up between sub-rooms pass'
expect 'lib/top/early/up.c: room top/early stands below top/late and cannot include top/late/late.h' \
  'lib/top/early/up.c: room top/early stands below top and cannot use hy_top of lib/top/top.c' \
  'lib: rooms that use each other in a circle: top, top/early, top/late'
rm "$work/lib/top/early/up.c"
# shellcheck disable=SC2016
plant doc/layers.md '| 2 | `top` | methods |' '| 2.2 | `top/late` | a method |' '| 1 | `base` | all else |' \
  '| 0.5 | `top/early` | far from its room |'
house check && complain 'a sub-room that stands apart passes'
expect 'doc/layers.md: top/late does not stand beside the rest of top' \
  'lib/top/early/early.c: room top/early stands below base and cannot use hy_base of lib/base/base.c'

# Requests that cannot be fulfilled are reported.
rm -r "$work/build"
house draw && complain 'a drawing without objects'
expect "house: draw needs objects, and there are none in $work/build/lib: run make"
house paint && complain 'a command that is none'
expect "house: 'paint' is none of check, circles, draw, lines, rooms"
exit $((failures > 0))
