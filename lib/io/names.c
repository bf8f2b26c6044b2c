/* The names of the matrices in a file that holds several, as messages tell them. */
#include "io/names.h"

#include <stdio.h>
#include <string.h>

void hy_io_names_add(struct hy_io_names *names, const char *name, int64_t length) {
  if (names->count == HY_IO_NAMES || length >= HY_IO_NAME) {
    names->more = true;
    return;
  }
  char *text = names->text[names->count];
  memcpy(text, name, (size_t)length);
  text[length] = '\0';
  names->name[names->count++] = text;
}

/* Writes "/a, /b, ...": all names that have room. */
static void join(const struct hy_io_names *names, char *text, size_t capacity) {
  size_t length = 0;
  for (int i = 0; i < names->count; i++) {
    size_t more = strlen(names->name[i]);
    if (length + more + sizeof ", ..." > capacity) break;
    length += (size_t)sprintf(text + length, "%s%s", length > 0 ? ", " : "", names->name[i]);
    if (i == names->count - 1 && !names->more) return;
  }
  strcpy(text + length, length > 0 ? ", ..." : "...");
}

enum { ROOM = 200 };

hyla_status hy_io_names_missing(const struct hy_io_file *file, const struct hy_io_names *names,
                                const struct hy_io_holder *holder, const char *name) {
  char text[ROOM];
  const char *path = hy_path_shown(file->path), *what = holder->what, *shown = hy_path_shown(name);
  struct hy_base *base = file->base;
  CHECK(base, names->count > 0, FORMAT, "%s: there is no %s %s, nor any other", path, what, shown);
  const char *nearest = hyla_name_nearest(name, names->name);
  CHECK(base, nearest == NULL, FORMAT, "%s: there is no %s %s; did you mean %s?", path, what, shown,
        nearest);
  join(names, text, sizeof text);
  return hy_fail(base, HYLA_FORMAT, "%s: there is no %s %s; there are %s", path, what, shown, text);
}

hyla_status hy_io_names_only(const struct hy_io_file *file, const struct hy_io_names *names,
                             const struct hy_io_holder *holder, char own[HY_IO_NAME]) {
  char text[ROOM];
  const char *path = hy_path_shown(file->path);
  struct hy_base *base = file->base;
  CHECK(base, names->count > 0, FORMAT, "%s: %s without a %s", path, holder->file, holder->what);
  join(names, text, sizeof text);
  CHECK(base, names->count == 1 && !names->more, FORMAT,
        "%s: say which of its %ss, as in FILE:%s; there are %s", path, holder->what, names->name[0],
        text);
  strcpy(own, names->name[0]);
  return HYLA_OK;
}
