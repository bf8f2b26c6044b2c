#include "turn_cases.h"

#include <stdlib.h>

struct turn_case drawn_turn(int dims, const char *variant) {
  int64_t sizes[HARNESS_SIZES];
  int choices = harness_sizes(1 << dims, sizes);
  struct turn_case x = {.type = (hyla_type)harness_draw(0, TYPES - 1),
                        .rows = sizes[harness_draw(0, choices - 1)],
                        .cols = sizes[harness_draw(0, choices - 1)],
                        .from = case_any_layout(dims),
                        .transposed = case_any_layout(dims),
                        .half = case_any_layout(dims),
                        .variant = variant,
                        .right = harness_draw(0, 1) == 1};
  for (int i = 0; i < TURN_STEPS; i++) x.step[i] = case_any_layout(dims);
  return x;
}

const char *turn_name(const struct turn_case *x) {
  static char text[300];
  snprintf(text, sizeof text, "%s, type %s, %lld x %lld, %s to %s, turned %s",
           x->variant == NULL ? "chosen" : x->variant, hy_kernels_of(x->type)->name,
           (long long)x->rows, (long long)x->cols, case_name(&x->from), case_name(&x->step[0]),
           x->right ? "right" : "left");
  return text;
}

/* Matrices of one case: the original, its transpose, its half turn, and the result of each quarter
 * turn. */
enum { FROM, TRANSPOSED, HALF, STEP, MATRICES = STEP + TURN_STEPS };

/* Is the matrix as tall as the first one is wide? */
static bool is_turned(int i) { return i == TRANSPOSED || (i >= STEP && (i - STEP) % 2 == 0); }

static const hyla_layout *layout_of(const struct turn_case *x, int i) {
  const hyla_layout *const layouts[] = {&x->from, &x->transposed, &x->half};
  return i < STEP ? layouts[i] : &x->step[i - STEP];
}

static hyla_status make(hyla_cube *cube, const struct turn_case *x, hyla_matrix *matrices[]) {
  for (int i = 0; i < MATRICES; i++)
    TRY(hyla_matrix_create(cube, x->type, is_turned(i) ? x->cols : x->rows,
                           is_turned(i) ? x->rows : x->cols, layout_of(x, i), &matrices[i]));
  return HYLA_OK;
}

/* Bytes that identify the entry's place and are sometimes a NaN with a payload. */
static void fill(const hyla_matrix *a) {
  for (int64_t m = 0; m < a->local_cols; m++)
    for (int64_t l = 0; l < a->local_rows; l++) {
      uint64_t number = (uint64_t)(hyla_matrix_row(a, l) * a->col.n + hyla_matrix_col(a, m));
      uint64_t word = number * 0x9e3779b97f4a7c15u;
      if (number % 5 == 0) word |= 0x7ff0000000000000u;
      for (size_t at = 0; at < a->k->size; at += sizeof word)
        memcpy(hy_at(a, l, m) + at, &word, a->k->size < sizeof word ? a->k->size : sizeof word);
    }
}

/* Uses the variant if it applies. */
static hyla_status move(hyla_cube *cube, const struct turn_case *x, hyla_operation op,
                        const hyla_matrix *from, hyla_matrix *to) {
  const hyla_transfer transfer = {op, 1, from, to};
  hyla_plan *plan = NULL;
  const char *variant = op <= HYLA_CONJUGATE ? NULL : x->variant;
  hyla_status status = hyla_redistribute_plan(cube, 1, &transfer, variant, &plan);
  if (status == HYLA_UNSUPPORTED && !x->strict)
    status = hyla_redistribute_plan(cube, 1, &transfer, NULL, &plan);
  if (status == HYLA_OK) status = hyla_plan_run(cube, plan);
  hyla_plan_destroy(&plan);
  return status;
}

static hyla_status move_all(hyla_cube *cube, const struct turn_case *x, hyla_matrix *matrices[]) {
  fill(matrices[FROM]);
  TRY(move(cube, x, HYLA_TRANSPOSE, matrices[FROM], matrices[TRANSPOSED]));
  TRY(move(cube, x, HYLA_TURN_HALF, matrices[FROM], matrices[HALF]));
  for (int i = 0; i < TURN_STEPS; i++)
    TRY(move(cube, x, x->right ? HYLA_TURN_RIGHT : HYLA_TURN_LEFT,
             matrices[i == 0 ? FROM : STEP + i - 1], matrices[STEP + i]));
  return HYLA_OK;
}

/* All entries of a matrix on this rank, by columns; free() it. */
static hyla_status gather(hyla_cube *cube, const hyla_matrix *a, char **all) {
  int64_t ld = hy_max(1, a->row.n);
  *all = calloc((size_t)(ld * hy_max(1, a->col.n)), a->k->size);
  return hyla_matrix_gather(cube, a, HYLA_REPLICATED, *all, ld);
}

/* Is entry (i, j) of one matrix entry (i or m - 1 - i, j or n - 1 - j) of another, bit for bit? */
static hyla_status compare(hyla_cube *cube, const hyla_matrix *one, const hyla_matrix *other,
                           bool rows_mirrored, bool cols_mirrored) {
  char *x = NULL, *y = NULL;
  int64_t m = one->row.n, n = one->col.n, wrong = 0;
  size_t size = one->k->size;
  hyla_status status = gather(cube, one, &x);
  if (status == HYLA_OK) status = gather(cube, other, &y);
  for (int64_t j = 0; j < n && status == HYLA_OK && cube->address >= 0; j++)
    for (int64_t i = 0; i < m; i++) {
      int64_t row = rows_mirrored ? m - 1 - i : i, col = cols_mirrored ? n - 1 - j : j;
      wrong +=
          memcmp(x + (size_t)(i + j * m) * size, y + (size_t)(row + col * m) * size, size) != 0;
    }
  free(x);
  free(y);
  if (wrong > 0)
    status = hy_fail(&cube->base, HYLA_FORMAT, "%lld of %lld x %lld entries are others",
                     (long long)wrong, (long long)m, (long long)n);
  return hy_agree(cube, status);
}

static hyla_status compare_all(hyla_cube *cube, const struct turn_case *x, hyla_matrix *a[]) {
  TRY(compare(cube, a[STEP], a[TRANSPOSED], !x->right, x->right));
  TRY(compare(cube, a[STEP + 1], a[HALF], false, false));
  TRY(compare(cube, a[HALF], a[FROM], true, true));
  TRY(compare(cube, a[STEP + 2], a[TRANSPOSED], x->right, !x->right));
  return compare(cube, a[STEP + 3], a[FROM], false, false);
}

hyla_status turn_check(hyla_cube *cube, const struct turn_case *x) {
  hyla_matrix *matrices[MATRICES] = {NULL};
  hyla_status status = make(cube, x, matrices);
  if (status == HYLA_OK) status = move_all(cube, x, matrices);
  if (status == HYLA_OK) status = compare_all(cube, x, matrices);
  for (int i = 0; i < MATRICES; i++) hyla_matrix_destroy(&matrices[i]);
  return status;
}
