/* Standard output for a matrix (-o -): the report goes to standard error then, because the matrix
 * and nothing else must come out. */
#include "tool.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool is_standard(const char *path) {
  return path && path[0] == '-' && (path[1] == '\0' || path[1] == '.');
}

bool standard_begin(struct run *run) {
  if (!is_standard(run->options.output)) return true;
  run->matrix_out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  return run->matrix_out >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
}

void standard_swap(struct run *run) {
  if (run->matrix_out <= 0) return;
  fflush(stdout);
  const int report = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  dup2(run->matrix_out, STDOUT_FILENO);
  close(run->matrix_out);
  run->matrix_out = report;
}
