#!/bin/sh
# hyla explain collective --network: the figures of Varvarigos 1992, chapter 3 and section 7.4, as a
# user gets them, bounds, blocks of their own lengths, schedules, pictures and refusals.
. "$(dirname "$0")/../harness/script.sh"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
cd "$work" || exit 1

# explain NETWORK NAME ARGUMENT...: starts take no time, a word takes 1.
explain() {
  network=$1
  name=$2
  shift 2
  what="$name on $network $*"
  "$hyla" explain collective --network "$network" --name "$name" --alpha 0 --beta 1 "$@" >out 2>err ||
    complain "$what: $(cat err)"
}

# row VARIANT: its lines.
row() { awk -v row="$1" '/^[^ ]/ { mine = $1 == row } mine' out; }

# takes VARIANT TIME: as counted.  reserves VARIANT TIME: with steps in which nothing moves.  forms
# VARIANT TIME: by its closed form.
takes() { row "$1" | grep -q " steps, time $2, " || complain "$what: $1 does not take $2"; }
reserves() {
  row "$1" | grep -q -e "^  reserved .* time $2:" -e " steps, time $2, " || complain "$what: $1 does not reserve $2"
}
forms() { row "$1" | grep -q "^  value    $2\$" || complain "$what: the form of $1 is not $2"; }
fastest() { row "$1" | grep -q '; the fastest$' || complain "$what: $1 is not the fastest"; }

explain line:7 allgather --words 1 --bound
takes line 6
forms line 6
grep -q '^bound: 6 at least' out || complain "$what: the bound is not 6"
explain array:7x7 allgather --words 1 --bound
takes translated 24
forms translated 24
fastest translated
grep -q '^bound: 24 at least' out || complain "$what: the bound is not 24"
explain torus:6x6 allgather --words 1
takes translated 9
forms translated 9
explain torus:3x3x3 allgather --words 1
takes translated 5
forms translated 5
explain ring:9 allgather --words 2
takes line 8
takes translated 8

# Whole messages of 4 words, any 13 of the nodes: 8, 14, 12 and 20 of them.
for active in 13 0,2,3,5,7,8,11,12,14,17,19,22,24; do
  explain torus:5x5 partial --words 4 --active $active
  for check in reserves forms; do
    $check v92-split 32
    $check v92-whole 56
  done
  forms v92-full 24
  explain array:5x5 partial --words 4 --active $active
  for check in reserves forms; do
    $check v92-split 48
    $check v92-whole 80
  done
done

explain folded:6 allgather --words 7
takes v92-folded 63
forms v92-folded 63
explain folded:6 exchange --words 1 --bound
takes v92-folded 22
forms v92-folded 22
grep -q '^bound: 22 at least' out || complain "$what: the bound is not 22"
explain folded:9 exchange --words 1
takes v92-folded 193
forms v92-folded 193

# Rings of 4 take bundles of 5 messages, 2 in the first step and 1 in the second; rings of 5 as many of
# 4 messages; arrays twice that.
explain torus:4x5 exchange --words 2
takes axes 54
forms axes 54
explain array:4x5 exchange --words 2
takes axes 108
forms axes 108

# Single messages would cross links 85 million times: bundles are taken in their place.
"$hyla" simulate collective --network ring:700 --name exchange --words 1 >out 2>err ||
  complain "exchange on ring:700: $(cat err)"
grep -q '^exchange  variant ring:700/axes, ' out || complain "exchange on ring:700: $(cat out)"
"$hyla" simulate collective --network ring:700 --name partial-exchange --words 1 >out 2>err &&
  complain 'partial-exchange on ring:700 ran'
grep -q 'take exchange, variant axes, or fewer active nodes' err ||
  complain "partial-exchange on ring:700: $(cat err)"

# The nodes of a 5 x 5 corner but its last one: within the claim, above the bound.
explain array:7x7 partial-exchange --words 1 --bound --active \
  0,1,2,3,4,7,8,9,10,11,14,15,16,17,18,21,22,23,24,25,28,29,30,31
takes queued 135
row queued | grep -q '^  published  348: ' || complain "$what: the claim is not 348"
grep -q '^bound: \(6[6-9]\|[7-9][0-9]\|1[0-2][0-9]\)[ .]' out || complain "$what: $(tail -n 1 out)"

# S_j + p - 2 - j: 3 + 5, 3 + 4, 7 + 3, 8 + 2, 10 + 1, 10 + 0 upwards; 5 + 5, 5 + 4, 7 + 3, 8 + 2,
# 12 + 1, 12 + 0 downwards.
explain line:7 allgather --counts 3,0,4,1,2,0,5
takes line 13
forms line 13

# Every task has a variant on arrays and tori.
for name in broadcast reduce allreduce scatter gather allgather reduce-scatter partial exchange \
  permute partial-exchange partial-gather; do
  for network in line:5 ring:5 array:3x4 torus:3x4; do
    explain $network $name --words 12
    grep -q '; the fastest$' out || complain "$what: no variant serves"
  done
done

# The picture: a node each, a packet to each but the root; 7 links wrap round or more.
explain torus:6x6 allgather --words 1 --variant translated --svg torus.svg
[ "$(grep -c '<circle' torus.svg)" -eq 36 ] || complain 'the picture has not 36 nodes'
[ "$(grep -c 'marker-end' torus.svg)" -eq 35 ] || complain 'the picture has not 35 packets'
cmp -s torus.svg "$source/doc/torus.svg" || complain 'doc/torus.svg is another picture'
tail -n 1 torus.svg | grep -q '^</svg>$' || complain 'the picture is not complete'

# refused MESSAGE ARGUMENT...
refused() {
  text=$1
  shift
  "$hyla" explain collective "$@" >out 2>err
  code=$?
  [ $code -eq 2 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q -F -e "$text" err ||
    complain "hyla explain collective $*: exit status $code, $(cat err)"
}
# Among other packets: in the empty network the schedule's own time, under load in the order of the
# times; the same seed has the same bits.
for network in 'torus:4x4' 'cube:4'; do
  case $network in cube*) where='--ranks 16' ;; *) where="--network $network" ;; esac
  # shellcheck disable=SC2086
  "$hyla" explain collective --name allgather $where --words 60 --alpha 3 --beta 1 --load 0.4 --json >out 2>err ||
    complain "load on $network: $(cat err)"
  # shellcheck disable=SC2086
  "$hyla" explain collective --name allgather $where --words 60 --alpha 3 --beta 1 --load 0.4 --json >again
  cmp -s out again || complain "load on $network: another run has other bits"
  jq -e '[.variants[] | select(.seconds)] | length >= 4 and map(.seconds) == (map(.seconds) | sort)' out >/dev/null ||
    complain "load on $network: $(cat out)"
  jq -e '.variant == .variants[0].variant and all(.variants[] | select(.seconds); .seconds > .seconds_alone)' out >/dev/null ||
    complain "load on $network: $(cat out)"
done
# (2^d-1)/d tau m + d beta, ceil((2^d-1)/d)(tau m + beta).
jq -e '[.variants[] | select(.variant == "sw90" or .variant == "b91").seconds_alone] | sort == [237, 252]' out >/dev/null ||
  complain "alone on a cube: $(cat out)"
"$hyla" explain collective --name allgather --network torus:4x4 --words 60 --alpha 3 --beta 1 --json >out
"$hyla" explain collective --name allgather --network torus:4x4 --words 60 --alpha 3 --beta 1 --load 0.4 --json >again
[ "$(jq -S -c '[.variants[] | select(.seconds) | {(.variant): .seconds}] | add' out)" = \
  "$(jq -S -c '[.variants[] | select(.seconds) | {(.variant): .seconds_alone}] | add' again)" ] ||
  complain "alone on a torus: $(cat again)"
refused 'there is no collective' --name gossip --load 0.4
refused 'there is no such variant' --name allgather --variant sw91 --load 0.4
refused 'window is not played by steps' --name window --load 0.4
refused '--load serves up to 256' --name allgather --ranks 512 --load 0.4
refused 'the load is 1.5' --name allgather --load 1.5
refused 'give a load below' --name allgather --network line:7 --load 0.9
refused 'give a beta above 0' --name allgather --alpha 1 --beta 0 --load 0.4
refused '--seed needs --load' --name allgather --seed 3
refused 'give a node from 0 to 8' --network torus:3x3 --name broadcast --root 9
refused 'window is planned on cubes alone' --network torus:3x3 --name window
refused '2 counts are given; torus:3x3 has 9 nodes' --network torus:3x3 --name allgather --counts 1,2
refused 'need --network' --name allgather --counts 1,2
refused 'only scatter, gather, allgather' --network line:2 --name exchange --counts 1,2
refused 'for a cube give its number of nodes' --network cube:3 --name allgather
refused 'network torus:0x3' --network torus:0x3 --name allgather
refused 'there is no collective' --network torus:3x3 --name gossip
refused 'has no variant sw90' --network torus:3x3 --name allgather --variant sw90
refused '--svg draws' --network folded:3 --name allgather --svg out.svg
refused '3 is given twice' --network torus:3x3 --name partial --active 3,3
[ ! -e out.svg ] || complain 'a picture was written'

[ $failures -eq 0 ] || exit 1
