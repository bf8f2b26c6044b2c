#!/bin/sh
# The suite of benchmarks: runs a list of problems, keeps its results, plots them and makes a page
# of them; and reports faulty requests.
# limit: 200
. "$(dirname "$0")/../harness/script.sh"
export MPIEXEC
HYLA=${HYLA:-$PWD/hyla}
export HYLA
source=$(cd "${srcdir:-.}" && pwd)
suite=$source/benchmarks/suite
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
need jq python3
cd "$work" || exit 1

# is_page PAGE RECORDS...: the page is whole and shows the records' contents.
is_page() { python3 "$source/tests/tools/page.py" "$@" >faults || complain "$1: $(head -n 5 faults)"; }

cat >problems <<'END'
# small ones
size       2  bench gemm --variant all --repeat 2 --size 5
size       2  bench gemm --variant all --repeat 2 --size 10
type       2  bench gemm --repeat 2 --size 7 --type s
letters    1  bench gemm --repeat 2 --size 3 --type z
letters    1  bench gemm --repeat 2 --size 3 --type c
cube       0  simulate gemm --variant cannon --size 16 --dims 0
cube       0  simulate gemm --variant cannon --size 16 --dims 2
cube       0  simulate gemm --variant cannon --size 16 --dims 4
other      2  bench lu --repeat 3 --size 8,9
other      2  bench transpose --repeat 2 --size 8,16 --variant all
other      1  bench collective --name allreduce --words 10
broken     1  bench gemm --size none
END

for script in suite plot report; do
  "${suite%suite}$script" --help >out 2>err || complain "$script --help: $(cat err)"
  awk 'length > 80 { exit 1 } END { exit NR == 0 }' out || complain "$script --help: not in 80 columns"
done
"$suite" -p problems -o results size cube >out 2>err || complain "exit status $?: $(cat err)"
# As many curves as variants, on several pages.
for picture in gemm-speed-1-of- gemm-fraction-1-of- gemm-predicted-2-of- gemm-crossover-2-of- \
  gemm-cube-nodes-time; do
  file=$(find results -name "$picture*.svg")
  grep -q '</svg>' "$file" || complain "no picture $picture"
  xmllint --noout "$file" 2>err || [ $? -eq 127 ] || complain "$picture: $(cat err)"
done
curves=$(jq -rs 'map(.variant) | unique | length' results/size.json)
lines=$(jq -rs 'length' results/size.json)
[ "$curves" -gt 2 ] && [ "$lines" -eq $((2 * curves)) ] ||
  complain "$lines results of $curves variants, two sizes"
for variant in $(jq -rs 'map(select(.status == "HYLA_OK").variant) | unique[]' results/size.json); do
  grep -q ">$variant<" results/gemm-crossover-*.svg || complain "no curve of $variant"
done
[ ! -e results/type.json ] || complain 'a group ran that was not asked for'
is_page results/report.html results/size.json results/cube.json
# The page opens with a line for each operation; two of its pictures are in sight, the rest is folded.
grep -A 3 'class="overview"' results/report.html | grep -q '<th scope="col">planner.s hits</th>' ||
  complain 'the page does not open with the table of operations'
grep -q '<th scope="row"><a href="#g0">gemm</a></th><td>n = 10</td>' results/report.html ||
  complain "the line of gemm: $(grep 'href="#g0"' results/report.html)"
awk '/<section id="g0"/ { on = 1 } /<details>/ { on = 0 } on' results/report.html | grep -c '<svg' | grep -qx 2 ||
  complain 'not two pictures of gemm are in sight'
HYLA_SCRIPTS=$source/benchmarks "$HYLA" report -o built.html results/size.json >out 2>err ||
  complain "hyla report from the build tree: $(cat err)"
jq -es 'all(.[]; .machine != "default")' results/size.json >/dev/null || complain 'the machine was not measured'

"$suite" -p problems -o results letters >out 2>err || complain "exit status $?: $(cat err)"
grep -q '>double complex<' results/gemm-bars-speed.svg || complain 'a type of two words is not named'

head -c 300 results/size.json >results/cut.json
for group in cut missing; do
  for command in plot report; do
    "${suite%suite}$command" -o "$work/cut" "results/$group.json" >out 2>err && complain "$command of $group results: exit 0"
    [ "$(wc -l <err)" -eq 1 ] && grep -q "^$command: .*results/$group.json" err ||
      complain "message of $command, $group results: $(cat err)"
    rm -rf cut
  done
done

# As subcommands of a tree that was moved.
mkdir -p tree/bin tree/share/hyla
cp "$HYLA" tree/bin/hyla
ln -s "$source/benchmarks" tree/share/hyla/benchmarks
tree/bin/hyla plot -o moved results/size.json >out 2>err && [ -n "$(find moved -name 'gemm-speed-1-of-*.svg')" ] ||
  complain "hyla plot: $(cat err)"
tree/bin/hyla report -o moved/page.html results/size.json >out 2>err && [ -s moved/page.html ] ||
  complain "hyla report: $(cat err)"
(unset HYLA && tree/bin/hyla suite -p problems -o moved cube) >out 2>err && [ -s moved/cube.json ] ||
  complain "hyla suite: $(cat err)"
for name in suite plot report; do
  tree/bin/hyla help $name >out 2>err && grep -q -e "^usage: .*$name" out || complain "hyla help $name: $(cat err)"
  "$HYLA" --help | grep -q " hyla $name [[F]" || complain "hyla --help does not name $name"
done

# The phases of an exchange: each curve is the best at some lengths, and the ring is around it there.
"$HYLA" explain collective --name exchange --phases --ranks 64 --machine ipsc860 --json >phases.json
"${suite%suite}plot" -o phased phases.json >out 2>err || complain "plot of phases: $(cat err)"
cat phased/phases-6-ipsc860.svg >phases.svg
[ "$(grep -c 'class="curve' phases.svg)" -eq 6 ] || complain 'not three curves of phases and their keys'
[ "$(grep -c 'class="behind" data-curve' phases.svg)" -eq 8 ] || complain 'not eight other partitions'
grep -q '>8 other partitions<' phases.svg || complain 'the others are not counted'
grep -q '>the planner&#x27;s choice<' phases.svg || complain 'the ring is not explained'
for phases in '(2,2,2)' '(3,3)' '(6)'; do
  grep -A 1 'class="choice"' phases.svg | grep -q "data-curve=\"$phases\"" || complain "$phases is nowhere the best"
done
grep -q 'data-curve="(3,3)" data-x="6\.28[0-9]*" data-value="0\.00586' phases.svg || complain 'the time of (3,3)'
"${suite%suite}report" -o phases.html phases.json >out 2>err || complain "a page of phases: $(cat err)"
# The phases that were run: a curve each.
for phases in 2,1 1,2 1,1,1; do
  "$HYLA" simulate collective --name exchange --variant multiphase --partition $phases --dims 3 --words 1:9:4,20 \
    --json || complain "exit status $?"
done >swept.json
"${suite%suite}plot" -o swept swept.json >out 2>err || complain "plot of a sweep: $(cat err)"
for phases in 2,1 1,2 1,1,1; do
  [ "$(grep -c "data-curve=\"partition $phases\"" swept/exchange-cube-time.svg)" -eq 4 ] || complain "not four points of $phases"
done
# Traffic: throughput against the access with its formula, and the best of each scheme by dimensions.
for dims in 3 5; do
  for access in 1 .3 .1; do
    "$HYLA" simulate traffic --scheme simple --dims $dims --access $access --slots 64 --json
  done
  "$HYLA" simulate traffic --scheme priority --buffers 1 --dims $dims --slots 0 --json
done >traffic.json || complain "traffic: exit status $?"
"${suite%suite}plot" -o traffic traffic.json >out 2>err || complain "plot of traffic: $(cat err)"
[ "$(ls traffic)" = "traffic-access-3.svg
traffic-access-5.svg
traffic-saturation.svg" ] || complain "pictures of traffic: $(ls traffic)"
[ "$(grep -c 'data-curve="simple" data-x' traffic/traffic-access-5.svg)" -eq 3 ] || complain 'not three points of simple'
grep -q 'class="behind" data-curve="simple"' traffic/traffic-access-5.svg || complain 'no formula of simple'
grep -q 'data-curve="priority, 1 buffer" data-x="3" data-value="0\.97069' traffic/traffic-saturation.svg ||
  complain 'the saturation of priority with a buffer, 1.9414 / 2'
# The formulas' points of the book's picture are those of today.
grep -o 'data-curve="priority, 1 buffer" data-x="[35]" data-value="0\.[0-9]\{6\}' traffic/traffic-saturation.svg >points
[ "$(wc -l <points)" -eq 2 ] || complain "points of priority with a buffer: $(cat points)"
while read -r point; do
  grep -q -F "$point" "$source/doc/saturation.svg" || complain "doc/saturation.svg has not $point"
done <points
best=$(jq -s 'map(select(.dims == 5 and .scheme == "simple").throughput) | max / 2' traffic.json)
grep -q "data-curve=\"simple\" data-x=\"5\" data-value=\"$(echo "$best" | cut -c 1-10)" traffic/traffic-saturation.svg ||
  complain "the saturation of simple is not $best"
# A control interval of half a packet's time leaves two thirds of the capacity (figure 6.5).
for dims in 3 5; do
  "$HYLA" simulate traffic --scheme csr --dims $dims --beta 0.5 --slots 0 --json
  "$HYLA" simulate traffic --scheme shortest --network torus:5x5 --load 0.$dims --slots 64 --json
done >>traffic.json || complain "traffic on networks: exit status $?"
"${suite%suite}plot" -o traffic traffic.json >out 2>err || complain "plot of networks: $(cat err)"
grep -q 'data-curve="csr, beta 0.5" data-x="3" data-value="0\.57631' traffic/traffic-saturation.svg ||
  complain "csr with control: $(grep -o 'data-curve="csr[^>]*' traffic/traffic-saturation.svg)"
[ "$(grep -c 'data-curve="shortest" data-x' traffic/traffic-load-torus-5x5.svg)" -eq 2 ] ||
  complain "the torus is not drawn: $(ls traffic)"
"${suite%suite}report" -o traffic.html traffic.json >out 2>err || complain "a page of traffic: $(cat err)"
echo '{"op": "phases", "status": "HYLA_OK", "envelope": [7, {"phases": 3}, {"phases": [1], "from": "x"}]}' >odd-phases.json
"${suite%suite}plot" odd-phases.json >out 2>err && complain 'a plot of odd phases: exit 0'
grep -q 'Not drawn: the record has no phases' err || complain "odd phases: $(cat err)"

# Failed runs are on the page, with their messages, beside the others.
"$suite" -p problems -o all >out 2>err && complain 'a failing problem: exit 0'
grep -q 'failed' err || complain "message: $(cat err)"
grep -q "gemm --size none</code>.*FAILED.*--size is \`none" all/report.html || complain 'the page hides a failure'
for file in all/*.json; do
  [ "$file" = all/broken.json ] || set -- "$file" "$@"
done
is_page all/report.html "$@"
jq -c 'if .variant == "cannon" then .exit = 1 | .passed = false | .residual = 99 else . end' results/size.json >wrong.json
"${suite%suite}report" -o wrong.html wrong.json >out 2>err || complain "a wrong result: $(cat err)"
grep -q 'FAILED</span> the residual 99 is above 16' wrong.html || complain 'a wrong result is not told'
grep '<svg' -A 100 wrong.html | grep -q 'data-curve="cannon"' && complain 'a wrong result is drawn'

# Records in which any field is wrong or missing do not make it fail.
jq -cs 'map(del(.plan)) | map(select(.chosen))[0] as $r | ($r | keys[]) as $k
  | (null, "<b>&\"\u0001", -1, 0, [], {}, 1e300) as $v | ($r | .[$k] = $v), ($r | .context[$k] = $v), ($r | del(.[$k]))' \
  results/size.json results/cube.json >odd.json
"${suite%suite}report" -o odd.html odd.json >out 2>err || complain "odd records: $(tail -n 3 err)"
python3 -c 'import sys, xml.etree.ElementTree as t; t.fromstring(open(sys.argv[1]).read().split("\n", 1)[1])' odd.html ||
  complain 'the page of odd records is not well-formed'
: >empty.json
"${suite%suite}report" -o empty.html empty.json >out 2>err && grep -q '<p>0 runs.</p>' empty.html || complain "no records: $(cat err)"
"${suite%suite}plot" empty.json >out 2>err && complain 'a plot of nothing: exit 0'

# A page and pictures are killed when all is written but not yet renamed, or there is no room for
# them: existing files stay, and no others are left.
cat >killed.py <<'PYTHON'
import os, runpy, signal, sys

os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
sys.path.insert(0, os.path.dirname(sys.argv[1]))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
PYTHON
mkdir old
for command in report plot; do
  output=old
  [ $command = report ] && output=old/report.html
  "${suite%suite}$command" -o $output results/size.json >out 2>err || complain "$command: $(cat err)"
done
ls -A old >names
for name in $(cat names); do echo old >"old/$name"; done
for command in report plot; do
  output=old
  [ $command = report ] && output=old/report.html
  python3 killed.py "${suite%suite}$command" -o $output results/size.json >out 2>err
  [ $? -eq 137 ] || complain "$command: it was not killed: $(cat err)"
  (ulimit -f 0 && exec "${suite%suite}$command" -o $output results/size.json) 2>&1 >/dev/null | cat >err
  grep -q "^$command: .*old/.*: File too large" err || complain "$command, a full disk: $(cat err)"
done
ls -A old | cmp -s - names || complain "killed and full: $(ls -A old)"
for name in $(cat names); do
  [ "$(cat "old/$name")" = old ] || complain "killed and full: old/$name is another"
done

# A suite that is ended keeps only whole records.
cat >slow <<'END'
#!/bin/sh
case $* in *'--size 1 '*) echo '{"op":"gemm"}' && exit ;; esac
printf '{"op":'
kill -TERM $PPID
END
chmod +x slow
printf 'slow 0 simulate --size 1 \nslow 0 simulate --size 2 \n' >slow.txt
HYLA=./slow "$suite" -p slow.txt -o slowly >out 2>err
[ $? -eq 143 ] || complain "an ended suite: $(cat err)"
[ "$(cat slowly/slow.json)" = '{"op":"gemm"}' ] || complain "an ended suite: $(cat slowly/slow.json)"
[ "$(ls -A slowly)" = slow.json ] || complain "an ended suite leaves $(ls -A slowly)"

# Records that differ in anything but their size belong to different curves: tried with two records
# that differ in one thing.
for change in '.ranks = 4' '.type = "float"' '.threads = 2' '.context.host_name = "other"' \
  '.context.library_commit = "another"' '.layout = "gray/cyclic@2x1"' '.context.date = "2020-01-01T00:00:00+00:00"' \
  '.nrhs = 7' '.n = 9'; do
  jq -cs "map(select(.chosen and .n == 10))[0] | (., ($change) | .gflops = 7.5)" results/size.json >two.json
  "${suite%suite}report" -o two.html two.json >out 2>err || complain "$change: $(cat err)"
  count=$(grep -o 'data-curve="[^"]*" data-x="[^"]*" data-value="[^"]*"' two.html |
    python3 -c '
import re, sys
found = re.findall(r"data-curve=\"(.*?)\" data-x=\"(.*?)\" data-value=\"(.*?)\"", sys.stdin.read())
print(len(set(found)), "7.5" in [one[2] for one in found], len({one[:2] for one in found}) > 1)')
  case $count in [2-9]*' True True' | 1?*' True True') ;; *) complain "$change: points $count" ;; esac
done

"$suite" -p problems -o results none >out 2>err && complain 'a group that is not there: exit 0'
grep -q 'no group none; there are broken cube letters other size type' err || complain "message: $(cat err)"
"$suite" -p problems -o results broken >out 2>err && complain 'a failing group: exit 0'
grep -q 'failed' err || complain "message: $(cat err)"
"$suite" -p nothing >out 2>err && complain 'no list of problems: exit 0'

# Lightness alone distinguishes the eight colours from each other, and each from the paper.
python3 - "$source/benchmarks" <<'PYTHON' || complain 'colours that look alike in grey'
import sys

sys.path.insert(0, sys.argv[1])
from picture import COLOURS, DASHES

def luminance(colour):
    linear = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in linear]
    return sum(weight * x for weight, x in zip((0.2126, 0.7152, 0.0722), linear))

def lightness(y):
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y

for mode, paper in (("light", 1.0), ("dark", luminance("#161616"))):
    of = [luminance(colour) for colour in COLOURS[mode]]
    light = sorted(map(lightness, of))
    assert len(of) == len(DASHES) == 8
    assert all(b - a > 6.5 for a, b in zip(light, light[1:])), (mode, light)
    assert all((max(y, paper) + 0.05) / (min(y, paper) + 0.05) > 3 for y in of), mode
PYTHON

# In a browser: the page makes no requests, the browser reports no errors, and no two labels of a
# picture overlap.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
  echo 'test_suite: there is no chromium; the page was not opened'
  exit $((failures > 0))
}
cat >look.html <<'END'
<script>
window.onload = () => {
  const faults = performance.getEntriesByType('resource').map((e) => 'asks for ' + e.name)
  const pictures = document.querySelectorAll('svg')
  for (const picture of pictures) {
    const own = picture.getBoundingClientRect(), name = picture.dataset.name
    if (own.width < 100 || own.height < 50) faults.push(name + ' is small')
    const boxes = [...picture.querySelectorAll('text')].map((t) => [t.textContent, t.getBoundingClientRect()])
    boxes.forEach(([text, box], i) => {
      if (box.left < own.left || box.right > own.right + 1 || box.top < own.top || box.bottom > own.bottom + 1)
        faults.push(name + ': ' + text + ' is cut off')
      for (const [other, second] of boxes.slice(i + 1))
        if (box.left + 1 < second.right && second.left + 1 < box.right &&
            box.top + 3 < second.bottom && second.top + 3 < box.bottom)
          faults.push(name + ': ' + text + ' runs into ' + other)
    })
  }
  document.body.setAttribute('data-seen', pictures.length + ' pictures; ' + faults.join('; ') + '.')
}
</script>
END
# seen PAGE: the browser's findings.
seen() {
  cat "$1" look.html >opened.html
  timeout -k 5 $((60 * patience)) "$browser" --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
    --user-data-dir="$work/browser" --enable-logging=stderr --dump-dom "file://$work/opened.html" 2>browser.err |
    grep -o 'data-seen="[^"]*"'
  grep CONSOLE browser.err
}
count=$(grep -c '<svg' all/report.html)
[ "$(seen all/report.html)" = "data-seen=\"$count pictures; .\"" ] ||
  complain "in $browser: $(seen all/report.html | cut -c 1-600)"
sed 's,<h1>,<img src="http://127.0.0.1:9/x.png"/><h1>,' all/report.html >asking.html
seen asking.html | grep -q 'asks for http' || complain "$browser does not tell what a page asks for"
exit $((failures > 0))
