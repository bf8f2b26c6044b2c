/* The path of a matrix: FILE.h5:/DATASET names a dataset in an HDF5 file; FILE.h5:rows:/DATASET and
 * FILE.h5:columns:/DATASET also give the order of its indices. */
#include "io/io.h"

#include <string.h>

struct word {
  const char *text;
  enum hy_io_order order;
};

/* The text between the file's name and the dataset's. */
static const struct word words[] = {
    {":", HY_IO_AS_MARKED}, {":rows:", HY_IO_BY_ROWS}, {":columns:", HY_IO_BY_COLUMNS}};
static const char *const endings[] = {".h5", ".hdf5", ".mat"};
enum { WORDS = sizeof words / sizeof *words, ENDINGS = sizeof endings / sizeof *endings };

static bool ends_in(const char *path, int64_t length, const char *ending) {
  int64_t tail = (int64_t)strlen(ending);
  return length > tail && memcmp(path + length - tail, ending, (size_t)tail) == 0;
}

static bool is_hdf5(const char *path, int64_t length) {
  for (int i = 0; i < ENDINGS; i++)
    if (ends_in(path, length, endings[i])) return true;
  return false;
}

/* The word at a colon with a dataset's / behind it; NULL if there is none. */
static const struct word *find_word(const char *colon) {
  for (int i = 0; i < WORDS; i++) {
    size_t length = strlen(words[i].text);
    if (strncmp(colon, words[i].text, length) == 0 && colon[length] == '/') return &words[i];
  }
  return NULL;
}

struct hy_io_name hy_io_name_of(const char *path) {
  struct hy_io_name name = {.length = (int64_t)strlen(path)};
  for (const char *colon = strchr(path, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
    const struct word *word = find_word(colon);
    if (word == NULL || !is_hdf5(path, colon - path)) continue;
    name.length = colon - path;
    name.dataset = colon + strlen(word->text);
    name.order = word->order;
    break;
  }
  name.matlab = ends_in(path, name.length, ".mat");
  return name;
}

int64_t hyla_path_file(const char *path, const char **dataset) {
  if (dataset != NULL) *dataset = NULL;
  if (path == NULL) return 0;
  struct hy_io_name name = hy_io_name_of(path);
  if (dataset != NULL) *dataset = name.dataset;
  return name.length;
}
