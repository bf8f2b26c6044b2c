/* Entries of a matrix: fill all by a function, set one, get one. */
#include "collective/collective.h"
#include "matrix/matrix.h"

#include <string.h>

hyla_status hyla_matrix_fill(hyla_cube *cube, hyla_matrix *matrix, hyla_entry *entry, void *arg) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = hy_matrix_check(cube, matrix, "hyla_matrix_fill", "matrix");
  if (mine == HYLA_OK && entry == NULL)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT, "hyla_matrix_fill: entry is NULL");
  TRY(hy_enter(cube, mine, hy_matrix_fingerprint(0, matrix), "hyla_matrix_fill"));
  for (int64_t m = 0; m < matrix->local_cols; m++) {
    int64_t col = hyla_matrix_col(matrix, m);
    for (int64_t l = 0; l < matrix->local_rows; l++)
      matrix->k->set(hy_at(matrix, 0, m), l, entry(arg, hyla_matrix_row(matrix, l), col));
  }
  return hy_agree(cube, HYLA_OK);
}

/* Checks a matrix and the indices of an entry. */
static hyla_status check_place(hyla_cube *cube, const hyla_matrix *matrix, int64_t row, int64_t col,
                               const char *call) {
  TRY(hy_matrix_check(cube, matrix, call, "matrix"));
  CHECK(&cube->base, row >= 0 && row < matrix->row.n && col >= 0 && col < matrix->col.n, ARGUMENT,
        "%s: entry (%lld, %lld) of a matrix of %lld x %lld; indices count from 0", call,
        (long long)row, (long long)col, (long long)matrix->row.n, (long long)matrix->col.n);
  return HYLA_OK;
}

static uint64_t place_fingerprint(const hyla_matrix *matrix, int64_t row, int64_t col) {
  const int64_t place[] = {row, col};
  return hy_fingerprint(hy_matrix_fingerprint(0, matrix), place, sizeof place);
}

/* The address of the node that holds an entry, and the entry's local place there.  Among copies it
 * is the node whose other address bits are those of `near`. */
static int find(const hyla_matrix *matrix, int64_t row, int64_t col, int near, int64_t *l,
                int64_t *m) {
  int row_part = hy_axis_owner(&matrix->row, row);
  int col_part = hy_axis_owner(&matrix->col, col);
  *l = hy_axis_before(&matrix->row, row_part, row);
  *m = hy_axis_before(&matrix->col, col_part, col);
  return hy_matrix_node_near(matrix, row_part, col_part, near);
}

hyla_status hyla_matrix_set(hyla_cube *cube, hyla_matrix *matrix, int64_t row, int64_t col,
                            double _Complex value) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = check_place(cube, matrix, row, col, "hyla_matrix_set");
  uint64_t fingerprint = place_fingerprint(matrix, row, col);
  fingerprint = hy_fingerprint(fingerprint, &value, sizeof value);
  TRY(hy_enter(cube, mine, fingerprint, "hyla_matrix_set"));
  int64_t l = 0, m = 0;
  if (cube->address >= 0 && find(matrix, row, col, cube->address, &l, &m) == cube->address)
    matrix->k->set(hy_at(matrix, l, m), 0, value);
  return hy_agree(cube, HYLA_OK);
}

hyla_status hyla_matrix_get(hyla_cube *cube, const hyla_matrix *matrix, int64_t row, int64_t col,
                            double _Complex *value) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = check_place(cube, matrix, row, col, "hyla_matrix_get");
  if (mine == HYLA_OK && value == NULL)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT, "hyla_matrix_get: value is NULL");
  if (mine == HYLA_OK) mine = hy_need_data(cube, "hyla_matrix_get");
  TRY(hy_enter(cube, mine, place_fingerprint(matrix, row, col), "hyla_matrix_get"));
  /* The node that holds the entry sends it to everyone. */
  int64_t l = 0, m = 0;
  int node = find(matrix, row, col, 0, &l, &m);
  double _Complex entry = 0;
  if (node == cube->address) entry = matrix->k->get(hy_at(matrix, l, m), 0);
  hyla_status told = hy_broadcast(cube, hy_all_dims(cube), node, &entry, sizeof entry);
  if (told == HYLA_OK) told = hy_tell_guests(cube, &entry, sizeof entry);
  if (told == HYLA_OK) memcpy(value, &entry, sizeof entry);
  return hy_agree(cube, told);
}
