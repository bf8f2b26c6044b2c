/* Status names, texts and messages. */
#include "base/base.h"

#include <stdio.h>

const char *hyla_status_name(hyla_status status) {
  switch (status) {
#define NAME(name, text)                                                                           \
  case HYLA_##name: return "HYLA_" #name;
    HYLA_STATUS_LIST(NAME)
#undef NAME
  case HYLA_STATUS_COUNT: break;
  }
  return "unknown status";
}

const char *hyla_status_text(hyla_status status) {
  switch (status) {
#define TEXT(name, text)                                                                           \
  case HYLA_##name: return text;
    HYLA_STATUS_LIST(TEXT)
#undef TEXT
  case HYLA_STATUS_COUNT: break;
  }
  return "unknown status";
}

const char *hyla_version(void) { return HY_VERSION; }

hyla_status hy_fail(struct hy_base *base, hyla_status status, const char *format, ...) {
  if (base == NULL) return status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(base->message, sizeof base->message, format, arguments);
  va_end(arguments);
  base->status = status;
  hy_log(base, 1, "%s: %s", hyla_status_name(status), base->message);
  return status;
}

void hy_text_add(struct hy_text *text, const char *format, ...) {
  size_t room = text->length < text->capacity ? text->capacity - text->length : 0;
  va_list arguments;
  va_start(arguments, format);
  int added = vsnprintf(room > 0 ? text->text + text->length : NULL, room, format, arguments);
  va_end(arguments);
  if (added > 0) text->length += (size_t)added;
}
