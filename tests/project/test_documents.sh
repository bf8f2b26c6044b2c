#!/bin/sh
# README.md, the tutorial, the guide and the gallery: every command in them runs, and prints the
# output that they show, except for numbers of another machine and day.  Links lead to files.
# limit: 300
. "$(dirname "$0")/../harness/script.sh"
# The full path, because a script of that name comes before it below.
MPIEXEC=$(command -v "${MPIEXEC:-mpiexec}") || exit 1
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
build=$PWD
cd "$work" || exit 1

# Programs and files that the commands expect.
mkdir bin
printf '#!/bin/sh\nexec timeout -k 5 %d "%s" "$@"\n' $((60 * patience)) "$MPIEXEC" >bin/mpiexec
chmod +x bin/mpiexec
ln -s "${HYLA:-$build/hyla}" bin/hyla
ln -s "$build/examples" examples
ln -s "$source/tests" tests
PATH=$work/bin:$PATH

# Each command of a document into a file command-N, and the output below it into shown-N.
split_commands() {
  rm -f command-* shown-*
  awk '
    /^```/ { inside = !inside; file = ""; next }
    inside && /^\$ / { n++; file = "shown-" n; print substr($0, 3) >("command-" n); printf "" >file; next }
    inside && file { print >file }
  ' "$1"
}

# Each block of sh of a document, without prompt and output, into a file script-N.
split_scripts() {
  rm -f script-*
  awk '
    /^```sh$/ { file = "script-" ++n; next }
    /^```/ { file = ""; next }
    file { print >file }
  ' "$1"
}

# Without numbers and with single blanks.  Left out: version, libraries and cores; and lists that
# grow with each new variant, for which ... may stand.
shape() {
  sed -E -e '/^  (mpi|blas|cores|threads|memory) /d' -e '/^ *better /d' -e '/^ *not [a-z]/d' -e '/^ *\.\.\.$/d' \
    -e '/^  [a-z0-9-]+ +[a-z]+(-[a-z]+)?-[12][0-9]{3}[a-z]?, /d' -e 's/(there are:).*/\1/' \
    -e 's/-?[0-9][0-9.]*(e[-+]?[0-9]+)?/#/g' -e 's/  */ /g' -e 's/ $//' "$1"
}

# The same with the numbers, for output that depends on no machine.
blanks() { sed -e 's/  */ /g' -e 's/ $//' "$1"; }

joined() { tr '\n' ' ' <"$1" | sed 's/  */ /g'; }

# place COMMAND: its line in `seen', 0 if it is not there.
place() { grep -n -x -F -e "$1" seen | cut -d : -f 1 | grep . || echo 0; }

# check DOCUMENT N: the n-th command of a document.  A command that has been run is not run again.
check() {
  command=$(cat "command-$2")
  case $command in
    *jq*) command -v jq >/dev/null 2>&1 || return 0 ;;
    # Built only if configure finds ScaLAPACK.
    *unchanged_scalapack*) [ -x examples/unchanged_scalapack ] || return 0 ;;
  esac
  known=$(place "$command")
  if [ "$known" -eq 0 ]; then
    echo "$command" >>seen
    known=$(place "$command")
    sh -c "$command" >"printed-$known" 2>&1 </dev/null ||
      complain "$1: '$command' ends with exit status $?"
  fi
  compared=shape
  case $command in
    'hyla simulate '* | 'hyla layout '* | 'hyla generate --list') compared=blanks ;;
  esac
  $compared "shown-$2" >expected
  $compared "printed-$known" >found
  # Families that the document leaves out.
  grep '^variants of ' found | grep -v -x -F -f expected >new
  grep -v -x -F -f new found >kept && mv kept found
  cmp -s expected found && return 0
  # The line breaks depend on the length of the numbers.
  [ "$(joined expected)" = "$(joined found)" ] && return 0
  complain "$1: '$command' prints something else (<: shown, >: printed, # a number)"
  diff expected found | head -n 20
}

: >seen
for document in doc/tutorial.md README.md doc/gallery.md doc/guide.md doc/collectives.md; do
  split_commands "$source/$document"
  n=1
  while [ -f command-$n ]; do
    check $document $n
    n=$((n + 1))
  done
done
# Blocks of sh: they run, on 2 ranks whatever they say, with this launcher in place of the one of
# Slurm, and with the files that they name.  Blocks that set up are left out: check.sh runs them.
cat >bin/srun <<'END'
#!/bin/sh
ranks=$SLURM_NTASKS
while :; do
  case $1 in
    --mpi=pmi2 | --cpu-bind=cores) shift ;;
    -n | -c) shift 2 ;;
    -*) echo "srun: $1?" && exit 2 ;;
    *) break ;;
  esac
done
exec mpiexec -n "$ranks" "$@"
END
chmod +x bin/srun
{
  hyla generate random --size 64 -o A.npy && hyla generate random --size 64 -o A.mtx &&
    hyla generate random --size 64x1 -o b.npy
} >printed-files 2>&1 || complain "files for the scripts: $(cat printed-files)"
scripts=0
for document in README.md doc/tutorial.md doc/guide.md; do
  split_scripts "$source/$document"
  for script in script-*; do
    [ -f "$script" ] || continue
    grep -q -e quickstart -e autoreconf "$script" && continue
    scripts=$((scripts + 1))
    rm -f x.npy here.machine
    sed -i 's/-n [0-9]*/-n 2/' "$script"
    SLURM_NTASKS=2 SLURM_CPUS_PER_TASK=1 sh -e "$script" >printed-script 2>&1 </dev/null ||
      complain "$document: '$(cat "$script")' ends with exit status $?: $(cat printed-script)"
    ! grep -q 'x\.npy' "$script" || [ -s x.npy ] || complain "$document: $script writes no x.npy"
  done
done
[ $scripts -ge 4 ] || complain "found only $scripts scripts"
# The commands of the index of formulas.md: they run, and closed forms that they show hold.
grep -o '| `hyla [^`]*` |' "$source/doc/formulas.md" | tr -d '`|' | sort -u >index
while read -r command; do
  sh -c "$command" >printed-index 2>&1 </dev/null ||
    complain "formulas.md: '$command' ends with exit status $?: $(tail -n 1 printed-index)"
  ! grep -q '^formula .*not exact' printed-index || complain "formulas.md: '$command' shows no value"
done <index
[ "$(wc -l <index)" -ge 50 ] || complain "formulas.md: found only $(wc -l <index) commands"
# README.md and performance.md are read whole; links of all documents lead to files.
[ "$(wc -l <"$source/README.md")" -le 120 ] || complain 'README.md has more than 120 lines'
[ "$(wc -l <"$source/doc/performance.md")" -le 150 ] || complain 'doc/performance.md has more than 150 lines'
awk '{ gsub(/[^ -~]+/, "x") } length > 100 { print FNR }' "$source/README.md" >wide
[ ! -s wide ] || complain "README.md: wider than 100 columns: lines $(tr '\n' ' ' <wide)"
for page in "$source/README.md" "$source/SECURITY.md" "$source"/doc/*.md "$source/tests/campaign/README.md"; do
  grep -o -E '[^[]\]\([^)#: ]+' "$page" | sed 's/^.*](//' | sort -u >links
  while read -r link; do
    [ -e "$(dirname "$page")/$link" ] || complain "${page#"$source"/}: $link leads nowhere"
  done <links
done
# The places that name this version: NEWS, the packages' recipes, the macros.
version=$(sed -n 's/^AC_INIT(\[hyla\], \[\([0-9.]*\)\].*/\1/p' "$source/configure.ac")
named() { grep -q -x -e "$2" "$source/$1" || complain "$1 does not name version $version"; }
named NEWS "$version: .*"
named debian/changelog "hyla ($version-[0-9]*) .*"
named packaging/spack/package.py ".*version(\"$version\".*"
for part in MAJOR MINOR PATCH; do
  named include/hyla_types.h "#define HYLA_VERSION_$part ${version%%.*}"
  version=${version#*.}
done
ran=$(wc -l <seen)
[ "$ran" -ge 15 ] || complain "found only $ran commands"
exit $((failures > 0))
