/* Shared by the tests of matrix files: a cube, layouts, files, and statuses that must be the same
 * on all ranks. */
#ifndef IO_CHECK_H
#define IO_CHECK_H 1

#include "tests/harness/cube.h"

#include "io/io.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static inline hyla_cube *make_cube(void) { return cube_open_array(); }

/* Some layouts of different kinds; "" is the default one.  Gray code lies along sides that are
 * powers of two. */
enum { LAYOUTS = 4 };
static const char *const layout_texts[2][LAYOUTS] = {
    {"", "gray/consecutive", "binary/cyclic", "gray/cyclic:3,binary/consecutive"},
    {"", "binary/consecutive", "binary/cyclic", "binary/cyclic:3,binary/consecutive"}};

static inline const hyla_layout *make_layout(hyla_cube *cube, int i, hyla_layout *layout) {
  const char *text = layout_texts[cube->sides.count > 0][i];
  if (text[0] == 0) return NULL;
  assert_int_equal(hyla_layout_parse(cube, text, layout), HYLA_OK);
  return layout;
}

/* The program's own file for this number of ranks. */
static inline const char *file_name(const char *program, const char *ending, char name[64]) {
  snprintf(name, 64, "%s_%d%s", program, harness_ranks(), ending);
  return name;
}

/* Rank 0 writes bytes to a file that all ranks then see. */
static inline void put_file(const char *path, const void *bytes, size_t length) {
  if (harness_rank() == 0) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
  }
  harness_barrier();
}

static inline void drop_file(const char *path) {
  harness_barrier();
  if (harness_rank() == 0) unlink(path);
}

/* The number of files in a folder. */
static inline int count_files(const char *folder) {
  int count = 0;
  DIR *all = opendir(folder);
  assert_non_null(all);
  while (readdir(all) != NULL) count++;
  closedir(all);
  return count - 2;
}

/* Asserts that all ranks have rank 0's status and, unless that is OK, its message. */
static inline void assert_common(const hyla_cube *cube, hyla_status status) {
  char common[HY_MESSAGE_MAX + 16] = {0}, mine[sizeof common] = {0};
  snprintf(mine, sizeof mine, "%s %s", hyla_status_name(status),
           status == HYLA_OK ? "" : hyla_cube_message(cube));
  memcpy(common, mine, sizeof common);
  harness_broadcast(common, sizeof common, MPI_CHAR, 0);
  assert_string_equal(mine, common);
}

static inline void assert_message(const hyla_cube *cube, hyla_status status, hyla_status wanted,
                                  const char *message) {
  assert_string_equal(hyla_cube_message(cube), message);
  assert_int_equal(status, wanted);
}

/* This rank's entry (l, m) as real and imaginary part in double. */
static inline void local_entry(const hyla_matrix *a, int64_t l, int64_t m, double parts[2]) {
  const void *at = hy_at(a, l, m);
  parts[1] = 0;
  if (a->k->epsilon > 1e-10) {
    float single[2] = {0, 0};
    memcpy(single, at, a->k->size);
    parts[0] = (double)single[0];
    if (a->k->complex_type) parts[1] = (double)single[1];
  } else {
    memcpy(parts, at, a->k->size);
  }
}

/* Asserts that every local entry equals, bit for bit, that of a table by columns of real and
 * imaginary parts. */
static inline void assert_entries(const hyla_matrix *a, const double *table) {
  for (int64_t m = 0; m < a->local_cols; m++) {
    for (int64_t l = 0; l < a->local_rows; l++) {
      double parts[2];
      int64_t i = hyla_matrix_row(a, l), j = hyla_matrix_col(a, m);
      local_entry(a, l, m, parts);
      assert_memory_equal(parts, table + 2 * (i + j * a->row.n), sizeof parts);
    }
  }
}

/* A folder of the program's own, with a file that must survive. */
static inline void folder_make(const char *program, char folder[64], char path[96],
                               const char *ending) {
  file_name(program, "", folder);
  snprintf(path, 96, "%s/a%s", folder, ending);
  if (harness_rank() == 0) assert_int_equal(mkdir(folder, 0777), 0);
  harness_barrier();
  put_file(path, "old", 3);
}

static inline void folder_drop(const char *folder, const char *path) {
  drop_file(path);
  if (harness_rank() == 0) assert_int_equal(rmdir(folder), 0);
  harness_barrier();
}

#endif
