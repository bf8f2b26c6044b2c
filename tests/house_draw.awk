# house_draw.awk: the rooms as a drawing; called by tests/house together with house.awk.
#
# The rooms are rows, the highest at the top.  To the right of them each room has a lane that ends
# as an arrow at its box.  A room that uses others has a line to the right, which bends down into
# the lane of each of them.  A lane is drawn from its topmost user down, and the lanes of higher
# rooms are further left.  So a line or an arrow never crosses one with which it could be confused,
# and a plain crossing is no joint.

BEGIN {
  width = 1000
  top = 84         # of the highest box
  pitch = 62       # from box to box
  box_left = 12
  box_width = 396
  box_height = 52
  line_at = 14     # where lines leave a box and where arrows enter it, below its top
  arrow_at = 41
  first_lane = 448
  last_lane = 964
  bend = 10        # radius
  wrap_at = 62     # characters of a sentence on one line
  palette = "#1b5e9b #b3441c #2c7a3f #8a3a8f #8f6a00 #1f7f86 #a32653"
  colours = split(palette, colour, " ")
}

function row_top(i) { return top + (rooms - i) * pitch }
function lane(i) { return last_lane - (i - 1) * (last_lane - first_lane) / (rooms > 2 ? rooms - 2 : 1) }
function paint(i) { return colour[(i - 1) % colours + 1] }
# The width of the stroke for this number of symbols.
function stroke(count) { return 1 + 0.8 * sqrt(count) }
function symbol_count(i, j) { return (room[i], room[j]) in called ? called[room[i], room[j]] : 0 }

function escaped(text) {
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  gsub(/>/, "\\&gt;", text)
  return text
}

function write_text(x, y, size, more, text) {
  printf "<text x=\"%.0f\" y=\"%.0f\" font-size=\"%d\"%s>%s</text>\n", x, y, size, more, escaped(text)
}

function draw(    i, j) {
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\">\n", width, row_top(1) + pitch, width, row_top(1) + pitch
  print "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
  write_text(box_left, 28, 17, " font-weight=\"bold\" fill=\"#111\"", "The rooms of lib/ and what each uses of those below it")
  write_text(box_left, 48, 12, " fill=\"#444\"", "The line of a room goes to the right and bends down into the lanes of the rooms that it uses; a lane ends at its room.")
  write_text(box_left, 65, 12, " fill=\"#444\"", "At each bend: how many functions and tables of the room below the room above needs (0, dashed: types and constants only).")
  for (i = rooms; i >= 1; i--) draw_room(i)
  for (i = rooms; i >= 1; i--) draw_line(i)
  for (j = rooms - 1; j >= 1; j--) draw_lane(j)
  for (i = rooms; i >= 1; i--)
    for (j = i - 1; j >= 1; j--)
      if ((room[i], room[j]) in drawn) draw_arrow(i, j)
  print "</svg>"
}

function draw_room(i,    y, text, n, word, k) {
  y = row_top(i)
  printf "<g id=\"%s\"><title>%s</title>\n", room[i], escaped(sentence[room[i]])
  printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\" fill=\"#f4f4f0\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", box_left, y, box_width, box_height, paint(i)
  write_text(box_left + 10, y + 18, 14, " font-weight=\"bold\" fill=\"#111\"", room[i])
  write_text(box_left + box_width - 10, y + 18, 11, " text-anchor=\"end\" fill=\"#555\"", size_of(room[i]))
  n = split(sentence[room[i]], word, " ")
  text = word[1]
  y += 33
  for (k = 2; k <= n; k++) {
    if (length(text " " word[k]) > wrap_at) {
      write_text(box_left + 10, y, 12, " fill=\"#333\"", text)
      y += 13
      text = word[k]
    } else text = text " " word[k]
  }
  write_text(box_left + 10, y, 12, " fill=\"#333\"", text)
  print "</g>"
}

function size_of(name) {
  return file_count[name] + 0 " files, " line_count[name] + 0 " lines"
}

# The line of a room, as far as the lane of the lowest room that it uses.
function draw_line(i,    j) {
  for (j = 1; j < i; j++)
    if ((room[i], room[j]) in drawn) {
      printf "<path d=\"M%d %dH%.1f\" stroke=\"#777\" stroke-width=\"1.2\"/>\n", box_left + box_width, row_top(i) + line_at, lane(j) - bend
      return
    }
}

# A lane grows wider with each user on its way down.
function draw_lane(j,    i, y, count, above) {
  above = 0
  count = 0
  for (i = rooms; i > j; i--)
    if ((room[i], room[j]) in drawn) {
      y = row_top(i) + line_at + bend
      if (above) draw_piece(j, above, y, count)
      count += symbol_count(i, j)
      above = y
    }
  if (!above) return
  y = row_top(j) + arrow_at
  draw_piece(j, above, y - bend, count)
  printf "<path d=\"M%.1f %.1fq0 %d %d %dH%d\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\"/>\n", lane(j), y - bend, bend, -bend, bend, box_left + box_width + 10, paint(j), stroke(count)
  printf "<path d=\"M%d %dl13 -7v14z\" fill=\"%s\"/>\n", box_left + box_width + 1, y, paint(j)
}

function draw_piece(j, from, to, count) {
  printf "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>\n", lane(j), from, to, paint(j), stroke(count)
}

function draw_arrow(i, j,    y, count) {
  y = row_top(i) + line_at
  count = symbol_count(i, j)
  printf "<g id=\"%s-%s\"><title>%s uses %s</title>\n", room[i], room[j], room[i], room[j]
  printf "<path d=\"M%.1f %dq%d 0 %d %d\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\"%s/>\n", lane(j) - bend, y, bend, bend, bend, paint(j), stroke(count), count ? "" : " stroke-dasharray=\"3 2\""
  write_text(lane(j) + 6, y - 4, 12, " fill=\"" paint(j) "\"", count)
  print "</g>"
}
