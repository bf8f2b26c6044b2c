/* Texts for people: paragraphs within 80 columns, and what was probably meant. */
#include "tool.h"

#include <stdarg.h>
#include <string.h>

enum { LABEL = 10, WIDTH = 70 }; /* together a terminal's width */

void print_paragraph(const char *label, const char *format, ...) {
  char text[8192]; /* two paths and a message */
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *line = text;
  int length = (int)strlen(line);
  const int indent = label ? LABEL : 0, width = LABEL + WIDTH - indent;
  if (!label) label = "";
  while (length > width) {
    int cut = width;
    while (cut > 0 && line[cut] != ' ') cut--;
    if (cut == 0) cut = (int)strcspn(line, " "); /* a word longer than a line */
    if (cut == length) break;
    printf("%-*s%.*s\n", indent, label, cut, line);
    line += cut + 1;
    length -= cut + 1;
    label = "";
  }
  printf("%-*s%.*s\n", indent, label, length, line);
}

const char *meant_text(const char *word, const char *const *names, char text[MEANT_TEXT]) {
  const char *nearest = hyla_name_nearest(word, names);
  *text = '\0';
  if (nearest) snprintf(text, MEANT_TEXT, " (did you mean `%s'?)", nearest);
  return text;
}
