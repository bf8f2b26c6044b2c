/* Matrices in and out by the names on the command line. */
#include "tool.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

hyla_status tool_read(struct run *run, const char *path, const hyla_layout *layout,
                      hyla_matrix **matrix) {
  ticker_phase(run->ticker, "reading");
  hyla_layout asked;
  hyla_status status = HYLA_OK;
  if (!layout && run->options.layout) {
    status = hyla_layout_parse(run->cube, run->options.layout, &asked);
    layout = &asked;
  }
  return status ? status : hyla_matrix_read(run->cube, path, layout, matrix);
}

static bool ends_in(const char *path, const char *ending) {
  size_t length = strlen(path), tail = strlen(ending);
  return length > tail && strcmp(path + length - tail, ending) == 0;
}

/* Why no file of this name can be made, as an errno; 0 when it seems that one can. */
static int output_fault(const char *path) {
  struct stat facts;
  if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)) return EISDIR;
  char *copy = strdup(path);
  if (!copy) return ENOMEM;
  int fault = access(dirname(copy), W_OK | X_OK) == 0 ? 0 : errno;
  free(copy);
  return fault;
}

hyla_status tool_check_output(struct run *run, struct result *result) {
  const char *path = run->options.output;
  if (!path) return HYLA_OK;
  if (!ends_in(path, ".mtx") && !ends_in(path, ".npy"))
    return result_refuse(result, "--output is `%s'; the name must end in .mtx or .npy", path);
  /* Only rank 0 looks, so that the answer is one. */
  int64_t fault = run->rank == 0 ? output_fault(path) : 0;
  hyla_status status = hyla_cube_max(run->cube, &fault, 1);
  if (!status && fault != 0)
    return result_refuse(result, "%s cannot be written: %s", path, strerror((int)fault));
  return status;
}
