# kinds.awk: reads hyla.f90 and writes its include files.  Each function sized_NAME gets a generic
# name hyla_NAME, in which each size, an integer(c_int64_t), may also be a default integer.
# part=names: the interfaces; part=bodies: the functions that convert.

function clear() {
  header = declarations = name = ""
  sizes = 0
  in_header = in_body = 0
}

# Takes the names of one declaration as sizes.
function take(line, out,    list, count, i) {
  sub(/^.*:: */, "", line)
  count = split(line, list, /, */)
  for (i = 1; i <= count; i++) {
    size[++sizes] = list[i]
    goes_out[sizes] = out
  }
}

# Which of the sizes are default integers, one letter each.
function letters(which,    text, i, bit) {
  text = ""
  for (i = 1; i <= sizes; i++) {
    bit = int(which / 2 ^ (i - 1)) % 2
    text = text (bit ? "i" : "l")
  }
  return text
}

function write_function(which,    text, own, i, arguments, before, after) {
  own = letters(which)
  text = header
  sub("function sized_" name, "function " own "_" name, text)
  arguments = text
  gsub(/&\n */, "", arguments)
  sub(/^[^(]*\([^)]*\)[^(]*\(/, "", arguments)
  sub(/\).*$/, "", arguments)
  arguments = ", " arguments ","
  printf "%s%s", text, declarations
  before = after = ""
  for (i = 1; i <= sizes; i++) {
    if (substr(own, i, 1) == "l") {
      printf "    integer(c_int64_t), intent(%s) :: %s\n", goes_out[i] ? "out" : "in", size[i]
      continue
    }
    printf "    integer(c_int), intent(%s) :: %s\n", goes_out[i] ? "out" : "in", size[i]
    if (goes_out[i]) {
      before = before "    integer(c_int64_t) :: " size[i] "_long\n"
      after = after "    " size[i] " = int(" size[i] "_long, c_int)\n"
      sub(", " size[i] ",", ", " size[i] "_long,", arguments)
    } else
      sub(", " size[i] ",", ", int(" size[i] ", c_int64_t),", arguments)
  }
  gsub(/^, |,$/, "", arguments)
  printf "%s    %s = sized_%s( &\n      %s)\n%s  end function\n\n", before, result, name, arguments, after
}

function write_all(    which) {
  if (part == "names") {
    printf "  public :: hyla_%s\n  interface hyla_%s\n    module procedure sized_%s", name, name, name
    for (which = 1; which < 2 ^ sizes; which++) printf ", &\n      %s_%s", letters(which), name
    printf "\n  end interface\n"
  } else
    for (which = 1; which < 2 ^ sizes; which++) write_function(which)
}

BEGIN { clear() }

/^  [a-z].* function sized_/ {
  clear()
  name = $0
  sub(/^.*function sized_/, "", name)
  sub(/\(.*/, "", name)
  in_header = 1
}
in_header {
  header = header $0 "\n"
  if ($0 !~ /&$/) {
    result = header
    sub(/^.*result\(/, "", result)
    sub(/\).*$/, "", result)
    in_header = 0
    in_body = 1
  }
  next
}
in_body && /integer\(c_int64_t\), intent\((in|out)\) ::/ { take($0, $0 ~ /intent\(out\)/); next }
in_body && /intent\(/ { declarations = declarations $0 "\n"; next }
in_body && /^  end function/ { write_all(); clear() }
