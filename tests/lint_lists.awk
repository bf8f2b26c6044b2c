# Files and variants stand in the lists of their rooms; see tests/lint.
#
#   awk -f lint_lists.awk doc/references.bib doc/theory.md pass=1 FILE... pass=2 FILE...
#
# The first two may be missing.  FILE...: the sources of lib and tools.

# A file's room, not its sub-room.
function room_of(file) {
  if (file ~ /^tools\//) return "tools"
  match(file, /^lib\/[^\/]*/)
  return substr(file, 1, RLENGTH)
}

# Is the file in its room's Makefile.inc?
function is_listed(file, room,   line, n, word, i) {
  if (!(room in read_list)) {
    read_list[room] = 1
    while ((getline line < (room "/Makefile.inc")) > 0) {
      n = split(line, word, /[ \t\\]+/)
      for (i = 1; i <= n; i++) listed[word[i]] = 1
    }
    close(room "/Makefile.inc")
  }
  return file in listed
}

# The string that the line gives to the field; "": none.
function value_of(field) {
  if (!match($0, "\\." field " = \"[^\"]*\"")) return ""
  return substr($0, RSTART + length(field) + 5, RLENGTH - length(field) - 6)
}

FILENAME == "doc/references.bib" { references = references $0 "\n"; has_references = 1; next }
FILENAME == "doc/theory.md" { if (/^#/) headings = headings $0 "\n"; next }
FILENAME !~ /^(lib|tools)\// { next }

FNR == 1 {
  room = room_of(FILENAME)
  if (pass == 1 && !is_listed(FILENAME, room)) print FILENAME ": not in " room "/Makefile.inc"
}

pass == 1 && /^const struct hy_[a-z_]*variant hy_[a-z0-9_]*(\[\])? = \{/ {
  symbol = $4
  sub(/\[\]/, "", symbol)
  place[++variants] = FILENAME
  defined[variants] = symbol
  home[symbol] = room
}
pass == 1 && value_of("reference") != "" { reference[FILENAME] = reference[FILENAME] value_of("reference") "\n" }
pass == 1 && value_of("name") != "" { name[FILENAME] = name[FILENAME] value_of("name") "\n" }

# Lines of its room that name a variant.
pass == 2 && /variant|hy_/ && !/^extern/ {
  n = split($0, word, /[^A-Za-z0-9_]+/)
  split("", seen)
  for (i = 1; i <= n; i++)
    if ((word[i] in home) && home[word[i]] == room && !(word[i] in seen)) {
      seen[word[i]] = 1
      uses[word[i]]++
    }
}

END {
  for (v = 1; v <= variants; v++) {
    file = place[v]
    room = room_of(file)
    # It is named where it is defined, and at least once more.
    if (uses[defined[v]] <= 1) print file ": " defined[v] " is in no list of " room
    if (reference[file] == "") print file ": " defined[v] " has no .reference = \"key, section\""
    if (name[file] == "") print file ": " defined[v] " has no .name = \"...\""
    n = split(reference[file], each, "\n")
    for (i = 1; i < n; i++) {
      sub(/,.*/, "", each[i])
      if (has_references && !index(references, "{" each[i] ","))
        print file ": reference " each[i] " is not in doc/references.bib"
    }
    if (!index(headings, "`" room "`")) continue
    n = split(name[file], each, "\n")
    for (i = 1; i < n; i++)
      if (!index(headings, "`" each[i] "`") && !index(headings, ":" each[i] "`"))
        print file ": doc/theory.md has no heading with `" each[i] "`"
  }
}
