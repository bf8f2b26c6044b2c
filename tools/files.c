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

/* What output_fault says beside an errno: the name is that of an input. */
enum { OVER_INPUT = 1 << 20 };

static bool is_input(const struct options *options, const struct stat *facts) {
  struct stat input;
  for (int i = 0; i < options->path_count; i++)
    if (stat(options->paths[i], &input) == 0 && input.st_dev == facts->st_dev &&
        input.st_ino == facts->st_ino)
      return true;
  return false;
}

/* Why no file of this name can be made, or may be, as an errno; 0 when it seems that one can. */
static int output_fault(const struct options *options, const char *path) {
  struct stat facts;
  bool there = stat(path, &facts) == 0;
  if (!there && errno != ENOENT) return errno;
  if (there && S_ISDIR(facts.st_mode)) return EISDIR;
  if (there && access(path, W_OK) != 0) return errno;
  if (there && !options->force && is_input(options, &facts)) return OVER_INPUT;
  char *copy = strdup(path);
  if (!copy) return ENOMEM;
  int fault = access(dirname(copy), W_OK | X_OK) == 0 ? 0 : errno;
  free(copy);
  return fault;
}

hyla_status tool_check_file(struct run *run, const char *option, const char *path, bool vector,
                            struct result *result) {
  if (!path) return HYLA_OK;
  if (!ends_in(path, ".npy") && (vector || !ends_in(path, ".mtx")))
    return result_refuse(result, "--%s is `%s'; the name must end in %s.npy", option, path,
                         vector ? "" : ".mtx or ");
  /* Only rank 0 looks, so that the answer is one. */
  int64_t fault = run->rank == 0 ? output_fault(&run->options, path) : 0;
  hyla_status status = hyla_cube_max(run->cube, &fault, 1);
  if (!status && fault == OVER_INPUT)
    return result_refuse(result, "--%s is %s, which is read; give --force to replace it", option,
                         path);
  if (!status && fault != 0)
    return result_refuse(result, "%s cannot be written: %s", path, strerror((int)fault));
  return status;
}

hyla_status tool_check_output(struct run *run, struct result *result) {
  return tool_check_file(run, "output", run->options.output, false, result);
}

/* Into a file that is not there yet; an errno, 0 when it is complete. */
static int fill(const char *path, write_text *write, const void *arg) {
  FILE *file = fopen(path, "wx");
  if (!file) return errno;
  int fault = write(arg, file) ? 0 : ENOMEM;
  if (ferror(file)) fault = EIO;
  if (fclose(file) != 0 && fault == 0) fault = errno;
  return fault;
}

int write_whole(const struct run *run, const char *path, write_text *write, const void *arg) {
  size_t size = strlen(path) + 32;
  char *name = malloc(size);
  int fault = name ? 0 : ENOMEM;
  if (name) {
    snprintf(name, size, "%s.%ld.tmp", path, (long)getpid());
    fault = fill(name, write, arg);
    if (fault == 0 && rename(name, path) != 0) fault = errno;
    if (fault != 0 && fault != EEXIST) unlink(name);
  }
  free(name);
  if (fault == 0) return EXIT_DONE;
  tell(run, "cannot write %s: %s", path, strerror(fault));
  return EXIT_USE;
}
