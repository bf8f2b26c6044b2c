/* The log: silent unless the cube's log level asks for it. */
#include "base/base.h"

#include <stdio.h>

void hy_log(const struct hy_base *base, int level, const char *format, ...) {
  if (base == NULL || base->log_level < level) return;
  char line[HY_MESSAGE_MAX + 64];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  fprintf(stderr, "hyla[%d] %s\n", base->rank, line);
}
