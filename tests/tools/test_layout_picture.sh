#!/bin/sh
# Pictures of layouts on cubes of 0 to 8 dimensions, and of meshes on cubes: no label overlaps
# another one or leaves its node, and all nodes and links are there.
# limit: 200
. "$(dirname "$0")/../harness/script.sh"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
need python3
cd "$work" || exit 1

# draw DIMS SIZE LAYOUT: a picture of that name.  The pictures are checked together at the end,
# because starting Python takes longer than checking.
pictures=
draw() {
  picture=$(echo "$*" | tr -c 'a-z0-9\n' _).svg
  "$hyla" layout --dims "$1" --size "$2" --layout "$3" --svg "$picture" >out 2>err ||
    complain "$*: exit status $?: $(cat err)"
  pictures="$pictures $((1 << $1)) $picture"
}

# links DIMS COUNT LINES: the last picture has COUNT links, and LINES lines between its boxes.
links() {
  [ "$(grep -c '<path.*[0-9]L[-0-9]' "$picture")" -eq "$2" ] || complain "$1 dimensions: not $2 links"
  [ "$(sed -n '/<g stroke-width="4">/,/<\/g>/p' "$picture" | grep -c '<path')" -eq "$3" ] ||
    complain "$1 dimensions: not $3 links between boxes"
}

# keys WORDS: the meanings of the last picture's colours, a line each.
keys() {
  found=$(sed -n 's,.*>\([^<]*\)</text>,\1,p' "$picture" | tail -n "$(echo "$1" | wc -l)")
  [ "$found" = "$1" ] || complain "$picture: explains '$found'"
}

for dims in 0 1 2 3 4 5 6 7 8; do
  nodes=$((1 << dims))
  for code in binary gray; do
    for storage in consecutive cyclic cyclic:3; do
      draw $dims 37x53 $code/$storage
    done
  done
  draw $dims 8x8 gray/cyclic
  draw $dims 100x30 "binary/consecutive,gray/cyclic:2"
  draw $dims 3x5 "gray/cyclic@${nodes}x1"
  draw $dims 5x200 "gray/consecutive@1x$nodes"
  draw $dims 1x1 "binary/cyclic"
  [ $dims -lt 2 ] || draw $dims 12x20 'binary/cyclic@[1]x[]:face'
  [ $dims -ne 4 ] || keys 'rows, binary code: dimension 1
columns, binary code: not split
only the 0 side holds entries: dimensions 3, 2, 0'
  [ $dims -lt 2 ] || draw $dims 12x20 'gray/cyclic@2x1'
  [ $dims -ne 4 ] || keys 'rows, Gray code: dimension 0
columns, Gray code: not split
copies: dimensions 3, 2, 1'
done
for dims in 5 8; do draw $dims 256x256 gray/cyclic:2; done
for case in '4 32 0' '5 80 0' '6 128 4' '7 256 12' '8 512 32'; do
  # shellcheck disable=SC2086
  set -- $case
  draw "$1" 16x16 gray/cyclic:2
  [ "$1" -ne 7 ] || keys 'rows, Gray code: dimensions 6, 5, 4
columns, Gray code: dimensions 3, 2, 1, 0
between boxes: each node to the one in its place'
  links "$@"
done
# Arrays of nodes: a line between neighbours in a row and in a column.
for array in 1x3 2x3 5x4 7x1 24x40; do
  picture=array-$array.svg
  "$hyla" layout --array $array --size 37x53 --svg "$picture" >out 2>err || complain "$array: exit status $?: $(cat err)"
  down=${array%x*} along=${array#*x}
  pictures="$pictures $((down * along)) $picture"
  [ "$(grep -c '<path.*[vh][0-9.]*" stroke="#[0-9a-f]*"/>' "$picture")" -ge $((down * (along - 1) + along * (down - 1))) ] ||
    complain "$array: neighbours are not joined"
done
# Embedded meshes with a point for each node.
for guest in '16 mesh:2x8' '32 mesh:8x1x4' '64 torus:16x4' '128 torus:8x8x2' '128 torus:4x8x4' '1024 mesh:16x64'; do
  drawn=guest-$(echo "${guest#* }" | tr : -).svg
  "$hyla" layout --embed "${guest#* }" --svg "$drawn" >out 2>err || complain "$guest: exit status $?: $(cat err)"
  pictures="$pictures ${guest%% *} $drawn"
done
# Networks: planes of a mesh, cubes as drawn, cubes round a circle.
for network in '24 torus:4x6' '30 array:3x5x2' '7 ring:7' '32 folded:5' '16 enhanced:4' '64 symmetric:6' \
  '128 pseudo:7'; do
  drawn=network-$(echo "${network#* }" | tr : -).svg
  "$hyla" layout --network "${network#* }" --svg "$drawn" >out 2>err ||
    complain "$network: exit status $?: $(cat err)"
  pictures="$pictures ${network%% *} $drawn"
done
# The names are words.
# shellcheck disable=SC2086
python3 "$source/tests/tools/labels.py" $pictures >faults || complain "$(head -n 20 faults)"
# The check really finds labels that overlap.
sed 's/<text x="[0-9.]*"/<text x="50"/' "$picture" >crowded.svg
python3 "$source/tests/tools/labels.py" 256 crowded.svg >/dev/null && complain 'labels on each other were not seen'
[ "$failures" -eq 0 ]
