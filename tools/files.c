/* Reads and writes matrices by the names on the command line. */
#include "tool.h"

#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

hyla_status tool_read(struct run *run, const char *path, const hyla_layout *layout,
                      hyla_matrix **matrix) {
  ticker_phase(run->ticker, "reading");
  stage_begin(run, STAGE_READ);
  hyla_layout asked;
  hyla_status status = HYLA_OK;
  if (!layout && run->options.layout) {
    status = hyla_layout_parse(run->cube, run->options.layout, &asked);
    layout = &asked;
  }
  return status ? status : hyla_matrix_read(run->cube, path, layout, matrix);
}

hyla_status tool_afford(struct run *run, hyla_type type, int count, const struct extent *extents) {
  hyla_layout asked;
  double bytes = 0;
  const char *text = run->options.layout;
  hyla_status status = text ? hyla_layout_parse(run->cube, text, &asked) : HYLA_OK;
  for (int i = 0; i < count && !status; i++) {
    int64_t rows = 0, cols = 0;
    status = hyla_layout_local(run->cube, text ? &asked : NULL, extents[i].rows, extents[i].cols,
                               &rows, &cols);
    bytes += (double)rows * (double)cols * (double)type_size(type);
  }
  return status ? status : hyla_cube_afford(run->cube, (int64_t)fmin(bytes, 0x1p62));
}

static bool ends_in(const char *path, const char *ending) {
  size_t length = strlen(path), tail = strlen(ending);
  return length > tail && strcmp(path + length - tail, ending) == 0;
}

/* May a matrix be written under this name? */
static bool has_ending(const char *path) {
  static const char *const endings[] = {".mtx", ".npy", ".csv", ".tsv", ".txt"};
  if (strcmp(path, "-") == 0) return true;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (ends_in(path, endings[i])) return true;
  return false;
}

/* A value of output_fault beside errno: the name is an input's. */
enum { OVER_INPUT = 1 << 20 };

/* Are both the same dataset?  In an HDF5 file the dataset counts; an input without one may be
 * any. */
static bool same_dataset(const char *output, const char *input) {
  if (!output || !input) return true;
  for (;; output++, input++) {
    while (output[0] == '/' && output[1] == '/') output++;
    while (input[0] == '/' && input[1] == '/') input++;
    if (*output != *input || *output == '\0') return *output == *input;
  }
}

/* The file in a path, which the caller frees; NULL: no memory. */
static char *file_of(const char *path, const char **dataset) {
  return strndup(path, (size_t)hyla_path_file(path, dataset));
}

static bool is_input(const struct options *options, const struct stat *facts, const char *dataset) {
  for (int i = 0; i < options->path_count; i++) {
    struct stat input;
    const char *own;
    char *file = file_of(options->paths[i], &own);
    bool same = !file || (stat(file, &input) == 0 && input.st_dev == facts->st_dev &&
                          input.st_ino == facts->st_ino);
    free(file);
    if (same && same_dataset(dataset, own)) return true;
  }
  return false;
}

/* Why no file of this name can or may be made, as an errno; 0 if it seems possible. */
static int file_fault(const struct options *options, const char *path, const char *dataset) {
  struct stat facts;
  bool there = stat(path, &facts) == 0;
  if (!there && errno != ENOENT) return errno;
  if (there && S_ISDIR(facts.st_mode)) return EISDIR;
  if (there && access(path, W_OK) != 0) return errno;
  if (there && !options->force && is_input(options, &facts, dataset)) return OVER_INPUT;
  char *copy = strdup(path);
  if (!copy) return ENOMEM;
  int fault = access(dirname(copy), W_OK | X_OK) == 0 ? 0 : errno;
  free(copy);
  return fault;
}

static int output_fault(const struct options *options, const char *path) {
  const char *dataset;
  char *file = file_of(path, &dataset);
  if (!file) return ENOMEM;
  int fault = file_fault(options, file, dataset);
  free(file);
  return fault;
}

/* Does the path name a member of an archive of NumPy's?  Those are read alone. */
static bool is_member(const char *path, const char *name) {
  static const char ending[] = ".npz:";
  const size_t length = sizeof ending - 1;
  return name && (size_t)(name - path) >= length && memcmp(name - length, ending, length) == 0;
}

hyla_status tool_check_file(struct run *run, const char *option, const char *path, bool vector,
                            struct result *result) {
  if (!path) return HYLA_OK;
  const char *dataset;
  hyla_path_file(path, &dataset);
  if (is_member(path, dataset))
    return result_refuse(result,
                         "--%s is `%s', in an archive; these are read but not written; use .npy",
                         option, path);
  if (vector && (dataset || !ends_in(path, ".npy")))
    return result_refuse(result, "--%s is `%s'; the name must end in .npy", option, path);
  if (is_standard(path) && strcmp(option, "output") != 0)
    return result_refuse(result, "--%s is `%s'; only --output may be standard output", option,
                         path);
  if (!dataset && !has_ending(path))
    return result_refuse(result,
                         "--%s is `%s'; the name must end in .mtx, .npy, .csv, .tsv or .txt, or be "
                         "FILE.h5:/DATASET",
                         option, path);
  if (is_standard(path)) return HYLA_OK;
  /* Only rank 0 looks, so that all ranks get one answer. */
  int64_t fault = run->rank == 0 ? output_fault(&run->options, path) : 0;
  hyla_status status = hyla_cube_max(run->cube, &fault, 1);
  if (!status && fault == OVER_INPUT)
    return result_refuse(result, "--%s is %s, which is read; give --force to replace it", option,
                         path);
  if (!status && fault != 0)
    return result_refuse(result, "%s cannot be written: %s", path, strerror((int)fault));
  if (status || !dataset) return status;
  status = hyla_matrix_writable(run->cube, path);
  if (status != HYLA_FILE && status != HYLA_ARGUMENT) return status;
  return result_refuse(result, "%s", hyla_cube_message(run->cube));
}

hyla_status tool_check_output(struct run *run, struct result *result) {
  return tool_check_file(run, "output", run->options.output, false, result);
}

static hyla_scalar value_at(void *arg, int64_t row, int64_t col) {
  (void)col;
  return ((const double *)arg)[row];
}

hyla_status tool_write_values(struct run *run, double *values, int64_t count) {
  hyla_matrix *column = NULL;
  if (!run->options.values) return HYLA_OK;
  stage_begin(run, STAGE_WRITE);
  hyla_status status = hyla_matrix_create(run->cube, HYLA_DOUBLE, count, 1, NULL, &column);
  if (!status) status = hyla_matrix_fill(run->cube, column, value_at, values);
  if (!status) status = hyla_vector_write(run->cube, column, run->options.values);
  hyla_matrix_destroy(&column);
  return status;
}

int write_whole(const struct run *run, const char *path, hyla_text_writer *write, const void *arg) {
  if (hyla_text_write(run->cube, path, write, arg) == HYLA_OK) return EXIT_DONE;
  tell(run, "%s", hyla_cube_message(run->cube));
  return EXIT_USE;
}
