/* Statuses by name and in words, messages, texts, and the log, which is silent unless the cube's
 * log level asks for it. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *text;
} STATUSES[] = {
#define ROW(name, text) [HYLA_##name] = {"HYLA_" #name, text},
    HYLA_STATUS_LIST(ROW)
#undef ROW
};

static bool is_known(hyla_status status) { return (unsigned)status < HYLA_STATUS_COUNT; }

const char *hyla_status_name(hyla_status status) {
  return is_known(status) ? STATUSES[status].name : "unknown status";
}

const char *hyla_status_text(hyla_status status) {
  return is_known(status) ? STATUSES[status].text : "unknown status";
}

const char *hyla_version(void) { return HY_VERSION; }

void hy_log(const struct hy_base *base, int level, const char *format, ...) {
  if (base == NULL || base->log_level < level) return;
  char line[HY_MESSAGE_MAX + 64];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  fprintf(stderr, "hyla[%d] %s\n", base->rank, line);
}

/* Replaces control characters, which a terminal would obey, by '?'.  They come in with words and
 * names of files.  Those from 0x80 on take two bytes in UTF-8; other characters of UTF-8 stay. */
static void make_printable(char *text) {
  for (char *c = text; *c != '\0'; c++) {
    bool two = c[0] == '\xc2' && (unsigned char)c[1] >= 0x80 && (unsigned char)c[1] < 0xa0;
    if ((unsigned char)*c < ' ' || *c == 0x7f || two) *c = '?';
    if (two) *++c = '?';
  }
}

hyla_status hy_fail(struct hy_base *base, hyla_status status, const char *format, ...) {
  if (base == NULL) return status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(base->message, sizeof base->message, format, arguments);
  va_end(arguments);
  make_printable(base->message);
  base->status = status;
  hy_log(base, 1, "%s: %s", hyla_status_name(status), base->message);
  return status;
}

void hy_message_sign(struct hy_base *base) {
  const char *mark = strrchr(base->message, '(');
  int rank = 0, length = 0;
  if (mark != NULL && sscanf(mark, "(rank %d)%n", &rank, &length) == 1 && length > 0 &&
      mark[length] == '\0')
    return;
  char signature[24];
  int size = snprintf(signature, sizeof signature, " (rank %d)", base->rank);
  size_t end = strlen(base->message);
  size_t last = sizeof base->message - 1 - (size_t)size;
  memcpy(base->message + (end < last ? end : last), signature, (size_t)size + 1);
}

static size_t room_in(const struct hy_text *text, char **place) {
  bool full = text->length >= text->capacity;
  *place = full ? NULL : text->text + text->length;
  return full ? 0 : text->capacity - text->length;
}

void hy_text_add(struct hy_text *text, const char *format, ...) {
  char *place;
  size_t room = room_in(text, &place), length = strlen(format);
  if (!text->inside && text->indent > 0 && length > 0) {
    text->length += (size_t)snprintf(place, room, "%*s", text->indent, "");
    room = room_in(text, &place);
  }
  va_list arguments;
  va_start(arguments, format);
  int added = vsnprintf(place, room, format, arguments);
  va_end(arguments);
  if (added > 0) text->length += (size_t)added;
  if (length > 0) text->inside = format[length - 1] != '\n';
}
