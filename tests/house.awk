# house.awk: the uses between rooms, and between files; called by tests/house with its facts as
# input and -v command=check, circles, lines or draw.

# The folder of "lib/solve/lu/lu.c" or of "solve/lu/lu.h", without "lib/".
function room_of(file) {
  sub(/^lib\//, "", file)
  sub(/\/[^\/]*$/, "", file)
  return file
}

# The room of a sub-room.
function whole(name) {
  sub(/\/.*/, "", name)
  return name
}

# Rooms in the order of the table, the lowest first.
$1 == "room" {
  room[++rooms] = $2
  rank[$2] = rooms
  sentence[$2] = substr($0, length($1 " " $2 " ") + 1)
}
$1 == "wing" { wing[++wings] = $2 "/" $3 }
$1 == "folder" {
  folder[++folders] = $2
  is_folder[$2]
}
$1 == "file" {
  file[++files] = $2
  is_file[$2]
  file_count[whole(room_of($2))]++
  line_count[whole(room_of($2))] += $3
  if (in_wing($2)) wing_lines[whole(room_of($2))] += $3
}
$1 == "include" && $3 ~ /\// { include[++includes] = $2 " " $3 }
# An old build tree has objects whose source is gone.
$1 == "define" && $2 in is_file { definer[$3] = $2 }
$1 == "need" && $2 in is_file { need[++needs] = $2 " " $3 }

END {
  for (i = 1; i <= includes; i++) {
    split(include[i], word, " ")
    use_header(word[1], word[2])
  }
  for (i = 1; i <= needs; i++) {
    split(need[i], word, " ")
    if (word[2] in definer && definer[word[2]] != word[1]) use_symbol(word[1], word[2], definer[word[2]])
  }
  if (command == "check") check()
  if (command == "circles") circles()
  if (command == "lines") lines()
  if (command == "draw") {
    keep_whole_rooms()
    draw()
  }
}

function use_header(user, header,    from, to) {
  from = room_of(user)
  to = room_of(header)
  if (from == to || !(to in is_folder)) return
  add_edge(from, to)
  if (whole(from) != whole(to)) drawn[whole(from), whole(to)]
  if (from in rank && to in rank && rank[from] < rank[to])
    violation[++violations] = user ": room " from " stands below " to " and cannot include " header
}

function use_symbol(user, symbol, used,    from, to) {
  from = room_of(user)
  to = room_of(used)
  if (from == to) {
    add_edge(user, used)
    symbols[user, used] = symbols[user, used] " " symbol
    return
  }
  add_edge(from, to)
  if (whole(from) != whole(to)) {
    drawn[whole(from), whole(to)]
    if (!((whole(from), whole(to), symbol) in counted)) called[whole(from), whole(to)]++
    counted[whole(from), whole(to), symbol]
  }
  if (from in rank && to in rank && rank[from] < rank[to])
    violation[++violations] = user ": room " from " stands below " to " and cannot use " symbol " of " used
}

# Is it a file of the papers' wing?  A name of the table that ends with * stands for all names with
# this beginning.
function in_wing(file,    i, name, found) {
  sub(/^lib\//, "", file)
  for (i = 1; i <= wings; i++) {
    name = wing[i]
    if (sub(/[*]$/, "", name) ? index(file, name) == 1 && room_of(file) == room_of(name) : file == name) {
      met_wing[i]
      found = 1
    }
  }
  return found
}

# One graph holds both rooms and files; its edges go from room to room or from file to file.
function add_edge(from, to) {
  if ((from, to) in edge) return
  edge[from, to]
  after[from] = after[from] " " to
}

function walk(start, node,    next_node, n, i) {
  n = split(after[node], next_node, " ")
  for (i = 1; i <= n; i++)
    if (!((start, next_node[i]) in reach)) {
      reach[start, next_node[i]]
      walk(start, next_node[i])
    }
}

# group(NODE, COUNT): fills circle[] with the nodes that lie on circles with node[at], which is the
# first of them, and returns their number; 0 if there is no circle or it has been seen.
function group(at, node, count,    i, n) {
  if (node[at] in seen || !((node[at], node[at]) in reach)) return 0
  n = 0
  for (i = at; i <= count; i++)
    if ((node[at], node[i]) in reach && (node[i], node[at]) in reach) {
      circle[++n] = node[i]
      seen[node[i]]
    }
  return n
}

function check(    i, j, n, text, met) {
  for (i = 1; i <= violations; i++) print violation[i]
  for (i = 1; i <= folders; i++)
    if (!(folder[i] in rank)) print "lib/" folder[i] ": not a room of doc/layers.md"
  for (i = 1; i <= rooms; i++) {
    if (!(room[i] in is_folder)) print "doc/layers.md: the room " room[i] " has no folder lib/" room[i]
    if (!(whole(room[i]) in rank) || rank[whole(room[i])] < i)
      print "doc/layers.md: " room[i] " is not below a room " whole(room[i])
    if (i > 1 && whole(room[i]) != whole(room[i - 1]) && (whole(room[i]) in met))
      print "doc/layers.md: " room[i] " does not stand beside the rest of " whole(room[i])
    met[whole(room[i])]
  }
  for (i = 1; i <= wings; i++)
    if (!(i in met_wing)) print "doc/layers.md: the papers' wing has no file lib/" wing[i]
  for (i = 1; i <= folders; i++) walk(folder[i], folder[i])
  for (i = 1; i <= folders; i++) {
    n = group(i, folder, folders)
    if (!n) continue
    text = circle[1]
    for (j = 2; j <= n; j++) text = text ", " circle[j]
    print "lib: rooms that use each other in a circle: " text
  }
}

# The drawing shows rooms without their sub-rooms.
function keep_whole_rooms(    i, n) {
  for (i = 1; i <= rooms; i++)
    if (room[i] == whole(room[i])) room[++n] = room[i]
  rooms = n
}

function lines(    i, of_core, of_papers) {
  printf "%-14s %7s %7s\n", "room", "core", "papers"
  for (i = rooms; i >= 1; i--) {
    if (room[i] != whole(room[i])) continue
    printf "%-14s %7d %7d\n", room[i], line_count[room[i]] - wing_lines[room[i]], wing_lines[room[i]]
    of_core += line_count[room[i]] - wing_lines[room[i]]
    of_papers += wing_lines[room[i]]
  }
  printf "%-14s %7d %7d\n", "all", of_core, of_papers
}

function circles(    i, j, k, n) {
  for (i = 1; i <= files; i++) walk(file[i], file[i])
  for (i = 1; i <= files; i++) {
    n = group(i, file, files)
    for (j = 1; j <= n; j++)
      for (k = 1; k <= n; k++)
        if ((circle[j], circle[k]) in edge)
          print circle[j] " -> " circle[k] ":" symbols[circle[j], circle[k]]
    if (n) print ""
  }
}
