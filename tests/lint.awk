# lint.awk: the rules for C sources; called by tests/lint with -v layers="base plan ...".  Prints
# "file:line: violation".

BEGIN {
  split(layers, order, " ")
  for (i in order) rank[order[i]] = i + 0
  # For networks, and for users who play schedules on paper: see doc/layers.md.
  second_door["cube/link.h"]
  second_door["schedule/contract.h"]
  max_columns = 100
  max_file = 700
  max_function = 100
}

# The folder of lib/solve/lu/lu.c or of solve/lu/lu.h as a room: solve/lu.  Its whole room: solve.
function path_of(name) {
  sub(/^lib\//, "", name)
  return sub(/\/[^\/]*$/, "", name) ? name : ""
}
function whole(room) {
  sub(/\/.*/, "", room)
  return room
}
function door_of(room,    name) {
  name = room
  sub(/.*\//, "", name)
  return room "/" name ".h"
}

function complain(what) { print FILENAME ":" FNR ": " what }

# Per file: its place, and the doors that it may not include.
FNR == 1 {
  if (NR > 1) close_file()
  file = FILENAME
  split(FILENAME, part, "/")
  top = part[1]
  folder = path_of(FILENAME)
  in_comment = 0
  start = 0
}
{ lines = FNR }

function close_file() {
  if (lines > max_file && file != "include/hyla.h")
    print file ": " lines " lines, more than " max_file ": split it"
}
END { if (NR > 0) close_file() }

/\t/ { complain("tab") }
/[ \t]$/ { complain("blank at the end of the line") }
# One blank is what the formatter leaves where it has joined two lines of a list.
/^ *(\/\*|\* ).*[a-z0-9)]\. [A-Z]/ { complain("one blank after a full stop: write two, or a new line") }
length($0) > max_columns { complain("longer than " max_columns " columns") }

# Includes, before strings are removed.
/^ *# *include *"/ {
  split($0, quoted, "\"")
  included(quoted[2])
}
/^ *# *include *</ {
  if ($0 ~ /<(cblas|lapacke|lapack|openblas[a-z_]*|f77blas)\.h>/ && !calls_lapack())
    complain("BLAS and LAPACK are called in lib/local alone")
  if ($0 ~ /<mpi\.h>/ && top == "lib" && rank[folder] < rank["cube"])
    complain("no room below cube knows mpi.h")
  if ($0 ~ /<hdf5\.h>/ && top != "tests" && FILENAME !~ /^lib\/io\/hdf5_[a-z]*\.[ch]$/)
    complain("HDF5 is called in lib/io/hdf5_* alone")
}

# tests/harness/peer_lapack.c: the results that tests compare with.
function calls_lapack() { return top == "lib" && whole(folder) == "local" || FILENAME == "tests/harness/peer_lapack.c" }

# A room is entered by its door; a sub-room by its own door, and only from within its room.
function included(name,    owner) {
  if (top == "lib" && name ~ /^(hyla|hyla_lab|hyla_collective)\.h$/ && rank[folder] < rank["cube"])
    complain("\"" name "\" brings mpi.h, which no room below cube knows: include hyla_types.h")
  if (name == "hyla.h" || name == "hyla_types.h" || name == "hyla_embedding.h" || name == "hyla_lab.h" || name == "hyla_reservations.h" || name == "hyla_collective.h" || name == "config.h") return
  if (name ~ /^(cblas|lapacke)/ && !calls_lapack())
    complain("BLAS and LAPACK are called in lib/local alone")
  owner = path_of(name)
  if (top == "lib") {
    if (!(owner in rank)) complain("\"" name "\": write \"room/file.h\"")
    else if (owner == folder) return
    else if (rank[owner] > rank[folder])
      complain("room " folder " stands below " owner " and cannot include " name)
    else if (owner != whole(owner) && whole(owner) != whole(folder))
      complain("\"" name "\" is private to " whole(owner) ": include " door_of(whole(owner)))
    else if (name != door_of(owner) && !(name in second_door))
      complain("\"" name "\" is private to " owner ": include " door_of(owner))
  } else if ((top == "tools" || top == "examples") && owner in rank)
    complain(top " use hyla.h, hyla_collective.h and hyla_lab.h alone, not " name)
}

# The line without comments, strings and characters.
function code(line,    out, rest, at, mark) {
  out = ""
  rest = line
  for (;;) {
    if (in_comment) {
      at = index(rest, "*/")
      if (!at) return out
      rest = substr(rest, at + 2)
      in_comment = 0
    }
    if (!match(rest, /\/\*|\/\/|"|'/)) return out rest
    mark = substr(rest, RSTART, RLENGTH)
    out = out substr(rest, 1, RSTART - 1)
    rest = substr(rest, RSTART + RLENGTH)
    if (mark == "//") return out
    if (mark == "/*") in_comment = 1
    else {
      gsub(/\\\\/, "", rest)
      gsub(/\\["']/, "", rest)
      at = index(rest, mark)
      if (!at) return out
      out = out "0"
      rest = substr(rest, at + 1)
    }
  }
}

{
  text = code($0)

  if (text ~ /MPI_ANY_SOURCE/)
    complain("messages from any source: the order of arrival must not matter")
  if (top == "lib" && FILENAME !~ /^lib\/cube\/link_mpi[a-z_]*\.c$/ && text ~ /P?MPIX?_[A-Z][A-Za-z_]* *\(/)
    complain("MPI is called in lib/cube/link_mpi.c alone")
  if (top == "tools" && text ~ /MPI_I?([SR]end|[SR]?[sr]end|[Rr]ecv|Bcast|bcast|All|all|Gather|gather|Scatter|scatter|Reduce|reduce|Put|Get_acc|Win_)/)
    complain("tools move data through hyla.h, not by MPI")
  if (text ~ /(^|[^A-Z_])CMPLXF? *\(/)
    complain("clang has no CMPLX: hy_complex")
  if (top == "lib" && text ~ /[^a-z_](exit|_exit|abort|quick_exit) *\(/)
    complain("the library never ends the program")
  if (top == "lib" && text ~ /[^a-z_](puts|putchar|printf) *\(/)
    complain("the library does not print")

  # A function: from the line at the margin that opens it to the "}" at the margin.
  if (text ~ /^[A-Za-z_].*[(,]/ && text !~ /;[ ]*$/) {
    start = FNR
    opened = 0
  }
  if (text ~ /^}/) {
    if (start && opened && FNR - start + 1 >= max_function)
      complain("function of " (FNR - start + 1) " lines (from line " start "): keep it under " max_function)
    start = 0
    opened = 0
  }
  if (start && text ~ /\{[ ]*$/) opened = 1
  if (start && !opened && text ~ /[;}][ ]*$/) start = 0 # a declaration, or all on one line

  # Mutable objects that no build has shown: static ones, and those at the margin.
  if ((top == "lib" || top == "tools") && text ~ /(^|[ \t])static / && text !~ /\(/ && text !~ /const/ && text ~ /[;={]/)
    complain("mutable static: hang it on the cube, or make it const")
  if ((top == "lib" || top == "tools") && text ~ /^[a-z_][A-Za-z_0-9 *]* \**[a-z_0-9]+(\[[^]]*\])?( =.*|;)$/ && text !~ /const|^(typedef|extern|static|return|struct [a-z_]+;|enum [a-z_]+;|union [a-z_]+;)/)
    complain("mutable global: hang it on the cube, or make it const")
}
