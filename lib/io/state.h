/* Private to this folder: state files.
 *
 * A file: the head; the numbers; a sum of each column; the columns. */
#ifndef HY_STATE_H
#define HY_STATE_H 1

#include "io/output.h"

#define HY_STATE_MAGIC "HYLA\x1as\r\n"
#define HY_STATE_ORDER UINT64_C(0x0102030405060708)
enum { HY_STATE_VERSION = 2, HY_STATE_HEAD = 128 };

/* As it stands in the file, in HY_STATE_HEAD bytes. */
struct hy_state_head {
  char magic[8];
  uint64_t order; /* of the bytes of a number */
  int64_t version;
  int64_t type, rows, cols, lower;
  int64_t numbers;
  uint64_t origin;
  int64_t columns, block;
  uint64_t numbers_sum;
  uint64_t spare[3];
  uint64_t sum; /* of all before */
};

struct hy_state {
  hyla_cube *cube;
  const hyla_matrix *matrix;
  hyla_matrix *dealt; /* whole columns; NULL: the matrix has them */
  struct hy_direct *deal;
  bool lower;
  int64_t numbers;
  uint64_t origin; /* that was asked for */
  uint64_t *sums;  /* of the columns */
  char *column;    /* one that is read */
  struct hy_io_file file;
  struct hy_output output;
};

/* Local.  The first row of a column that is kept; where it begins in the file; where numbers and
 * sums do; how long the file is. */
int64_t hy_state_first(const struct hy_state *state, int64_t col);
int64_t hy_state_place(const struct hy_state *state, int64_t col);
int64_t hy_state_sums_at(const struct hy_state *state);
/* The sum of a column's entries, from its first row on. */
uint64_t hy_state_sum(const struct hy_state *state, int64_t col, const char *entries);

#endif
