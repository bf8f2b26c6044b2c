#!/bin/sh
# The manual: every option of every subcommand, every key of its JSON, every call of the headers and
# every environment variable stands in its page, and no page describes options, calls or variables
# that do not exist.
# limit: 60
. "$(dirname "$0")/../harness/script.sh"
source=${srcdir:-$(dirname "$0")/../..}
pages=$source/doc/man

# same NAME FILE FILE: two sorted lists, of existing and of described things, are equal.
same() {
  for word in $(comm -23 "$2" "$3"); do complain "$1 does not name $word"; done
  for word in $(comm -13 "$2" "$3"); do complain "$1 names $word, which does not exist"; done
}

# words PATTERN: its matches on standard input, sorted, each once.
words() { grep -o -E -e "$1" | sort -u; }

# plain PAGE [SECTION]: a page, or some of it, without troff's backslashes and fonts.
plain() {
  awk -v wanted="${2:-}" '/^\.SH/ { on = wanted == "" || $2 == wanted } on' "$1" |
    sed 's/\\f[BIRP]//g; s/\\-/-/g'
}

subcommands=$("$hyla" --help | sed -n 's/^  hyla \([a-z]*\)  .*/\1/p')
[ "$(echo "$subcommands" | wc -w)" -ge 10 ] || complain 'hyla --help lists no subcommands'

for name in $subcommands suite plot report; do
  page=$pages/hyla-$name.1
  [ -f "$page" ] || complain "there is no page hyla-$name(1)"
  # The command finds its scripts only where it is installed.
  case $name in suite | plot | report) help=$source/benchmarks/$name ;; *) help="$hyla $name" ;; esac
  # shellcheck disable=SC2086
  $help --help | words '--[a-z][a-z-]*' >"$work/have"
  [ -s "$work/have" ] || complain "hyla $name --help lists no options"
  plain "$page" OPTIONS | grep '^\.B' | words '--[a-z][a-z-]*' >"$work/told"
  same "hyla-$name(1)" "$work/have" "$work/told"
  plain "$pages/hyla.1" SEE | grep -q -F -e "hyla-$name " || complain "hyla(1) does not refer to $name"
  plain "$pages/hyla.1" DESCRIPTION | grep -q -F -e "hyla-$name" ||
    complain "hyla(1) does not describe $name"
done

for page in "$pages"/hyla*.1; do plain "$page" | words '[A-Za-z0-9_]+' >"$work/${page##*/}"; done

# keys PAGES ARGUMENT...: these pages have every key that this run prints.
keys() {
  told=
  for name in $1; do told="$told $work/$name.1"; done
  shift
  "$hyla" "$@" --json >"$work/json" 2>"$work/err" ||
    complain "hyla $*: exit status $?: $(cat "$work/err")"
  words '"[a-z_]+":' <"$work/json" | tr -d '":' >"$work/have"
  [ "$(wc -l <"$work/have")" -ge 7 ] || complain "hyla $*: hardly any keys"
  # The pages are words.
  # shellcheck disable=SC2086
  for key in $(sort -u $told | comm -23 "$work/have" -); do complain "the key $key of hyla $* is in no page"; done
}

keys 'hyla-simulate' simulate traffic --scheme simple --slots 32
keys 'hyla-simulate' simulate traffic --scheme broadcasts --load 0.3 --slots 32
keys 'hyla-explain' explain collective --name allgather --words 4 --load 0.3
array=$work/a.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 1 2 3 4 >"$array"
keys 'hyla-solve hyla-explain' solve "$array" -o "$work/x.mtx"
keys 'hyla-factor hyla-explain' factor "$array" --lower "$work/l.npy" --upper "$work/u.mtx" --pivots "$work/p.npy"
keys 'hyla-solve hyla-invert hyla-explain' invert "$array" -o "$work/x.mtx"
keys 'hyla-solve hyla-eig hyla-explain' eig "$array" -o "$work/v.npy" --values "$work/w.npy"
keys 'hyla-solve hyla-lowrank hyla-explain' lowrank "$array" --rank 1
keys 'hyla-solve hyla-svd hyla-explain' svd "$array" --left "$work/u.npy" --values "$work/w.npy" --right "$work/v.mtx"
keys 'hyla-solve hyla-lstsq hyla-explain' lstsq "$array" "$array" -o "$work/x.mtx" --method pivoted
keys 'hyla-solve hyla-multiply hyla-explain' multiply "$array" "$array" --as trmm
keys 'hyla-solve hyla-convert hyla-explain' convert "$array" --to gray/cyclic
keys 'hyla-solve hyla-transpose hyla-explain' transpose "$array"
keys 'hyla-solve hyla-turn hyla-explain' turn "$array"
for name in det cond norm info; do keys "hyla-$name" $name "$array"; done
for operation in 'gemm --size 9' 'trmm --size 9' 'syrk --size 9' 'trtri --size 9' 'tridiagonal --size 9x2' 'invert --size 9' 'eig --size 9' 'eig --size 9 --pencil 2' 'eig --size 9 --no-vectors' 'svd --size 9x7' 'lstsq --size 9x7 --nrhs 2' 'lu --size 9' \
  'convert --size 9 --to gray/cyclic' 'transpose --size 9' 'turn --size 9' 'collective --name exchange'; do
  # shellcheck disable=SC2086
  set -- $operation
  keys hyla-explain explain "$@"
  keys 'hyla-solve hyla-bench hyla-simulate hyla-explain' bench "$@" --repeat 1
  keys 'hyla-solve hyla-bench hyla-simulate hyla-explain' simulate "$@" --dims 2
done
keys hyla-machine machine --repeat 1
keys hyla-layout layout --size 4x4
keys hyla-layout layout --embed heap:3
keys hyla-layout layout --embed graph:"$array"
keys hyla-layout layout --embed blocks:4,2
keys hyla-layout layout --embed paths:0,3
keys 'hyla-solve hyla-bench hyla-simulate hyla-explain' simulate collective --name exchange --tags 1,3 --dims 2
keys hyla-simulate simulate collective --name active-ranks --active 1,3 --dims 2
keys hyla-simulate simulate collective --name jacobi-sweep --variant br --dims 2
keys 'hyla-solve hyla-generate' generate kms --size 4 -o "$work/g.mtx"
keys hyla-generate generate --list
keys hyla-info info

# Every page is installed and refers to pages that exist.
for page in "$pages"/*; do
  grep -q -F -e "${page##*/}" "$source/doc/Makefile.inc" || complain "${page##*/} is not installed"
  plain "$page" | sed -n 's/^\.BR \(hyla[a-z-]*\) (\([135]\)).*/\1.\2/p' | while read -r other; do
    [ -f "$pages/$other" ] || echo "$other"
  done >"$work/missing"
  [ -s "$work/missing" ] && complain "${page##*/} refers to $(sort -u "$work/missing" | tr '\n' ' ')"
done

for header in hyla hyla_types hyla_embedding hyla_lab hyla_collective hyla_lab_collective hyla_reservations hyla_simple; do
  sed -n 's/^HYLA_API .*[ *]\(hyla_[a-z_]*\)(.*/\1/p' "$source/include/$header.h" | sort -u >"$work/$header"
  [ -s "$work/$header" ] || complain "$header.h declares no calls"
done
sort -u "$work/hyla" "$work/hyla_types" "$work/hyla_embedding" "$work/hyla_lab" "$work/hyla_collective" "$work/hyla_lab_collective" "$work/hyla_reservations" "$work/hyla_simple" >"$work/have"
[ "$(wc -l <"$work/have")" -gt 50 ] || complain 'the headers declare hardly any calls'
plain "$pages/hyla.3" DESCRIPTION | words 'hyla_[a-z_]+' >"$work/told"
cat "$source/include/hyla.h" "$source/include/hyla_types.h" "$source/include/hyla_embedding.h" "$source/include/hyla_lab.h" "$source/include/hyla_lab_collective.h" "$source/include/hyla_reservations.h" "$source/include/hyla_collective.h" "$source/include/hyla_simple.h" | words 'hyla_[a-z_]+' >"$work/words"
for word in $(comm -23 "$work/have" "$work/told"); do complain "hyla(3) does not name $word"; done
for word in $(comm -13 "$work/words" "$work/told"); do complain "hyla(3) names $word, which does not exist"; done

words '"HYLA_[A-Z_]+' <"$source/lib/cube/options.c" | sed 's/.*"//' >"$work/read"
[ -s "$work/read" ] || complain 'no environment variable is read'
plain "$pages/hyla.1" ENVIRONMENT | sed -n 's/^\.B \(HYLA_[A-Z_]*\)$/\1/p' | sort -u >"$work/told"
same 'hyla(1)' "$work/read" "$work/told"

exit $((failures > 0))
