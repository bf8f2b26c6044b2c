/* A Hermitian matrix to tridiagonal form, A = Q T Q^H, by Householder's reflections, blocked.
 *
 * Reference: Householder 1958; Dongarra, Hammarling and Sorensen 1989, for the panel; Hendrickson,
 * Jessup and Smith 1999, for what to send.  theory.md, eigen:tridiagonal.
 * Layout: block-cyclic on any array, square blocks.  One triangle is read.
 * Method: a panel of w columns is reduced one by one.  A stays as it was at the panel's begin, A0,
 * until the panel's end; with V and W the vectors of the panel's columns so far,
 *
 *   reflect:   v, tau, beta from the column at work
 *   multiply:  y := A0 v, each rank's part of the triangle read once, for A0 v and for its mirror
 *              image; G := W^H v, H := V^H v
 *   finish:    y, G, H, v^H y, v^H v and column j + 1 of A0 are added up over all ranks, at once
 *              w := tau (y - V G - W H) - tau conj(tau) / 2 (v^H (y - V G - W H)) v
 *              the next column := A0's, less V W^H + W V^H
 *   update:    behind the panel, A := A0 - V W^H - W V^H in the lower triangle
 *
 * Every rank keeps the rows of V and W for its own rows and, again, for its own columns; these it
 * computes for itself, so that w and the next column do not travel.
 * Collectives a column: one all-reduction over all ranks, of 2 m + 4 w words at most where m rows
 * are left; on an array with two sides one more of a norm, over the rank column.  Two more in all,
 * for the largest entry and for the results, and one for the first column.
 * Flops: 4 n^3 / 3 on all ranks together, half of them in products that read the triangle from
 * memory, n^3 / 6 entries.  Workspace: 2 w columns of V and W, one vector for each thread. */
#include "solve/tridiagonal/tridiagonal.h"

#include <string.h>

/* Blocks are a multiple of STEP; ROUNDS of them on each rank row and column keep all ranks busy. */
enum { STEP = 16, ROUNDS = 8, BLOCK_MOST = 64 };

static int64_t block_of(int64_t n, int64_t parts) {
  return hy_max(STEP, hy_min(n / (ROUNDS * parts) / STEP * STEP, BLOCK_MOST));
}

hyla_layout hy_tridiagonal_layout(const hyla_cube *cube, int64_t n) {
  hyla_layout layout = hy_factor_layout(cube, n, n);
  const int64_t parts = hy_max(hy_axis_parts(&layout.row), hy_axis_parts(&layout.col));
  layout.row.block = layout.col.block = block_of(n, parts);
  return layout;
}

hyla_layout hy_tridiagonal_whole(int64_t n) {
  hyla_layout layout = {.row = hy_axis_dealt(NULL, block_of(n, 1), n).code,
                        .rest = HYLA_REPLICATED};
  layout.col = layout.row;
  return layout;
}

/* --------------------------------------------------------------------- run -- */

/* Column j is at work, and `done' columns of its panel have been reduced. */
static struct hy_tridiagonal_step step_at(const struct hy_tridiagonal *t, int64_t j, int done) {
  const struct hy_block_cyclic *array = &t->array;
  struct hy_tridiagonal_step at = {.column = j, .done = done, .order = (int)(t->n - j - 1)};
  at.row = hy_axis_before(&array->row, array->row_part, j + 1);
  at.col = hy_axis_before(&array->col, array->col_part, j + 1);
  at.rows = (int)(array->rows - at.row);
  at.cols = (int)(array->cols - at.col);
  return at;
}

/* The panel of column j ends with its block, or after `width' columns. */
static bool ends_panel(const struct hy_tridiagonal *t, int64_t j, int done) {
  return done + 1 == t->width || (j + 1) % t->array.block == 0 || j + 2 >= t->n;
}

/* Every number is known to the rank that has the diagonal entry; the others have zeros. */
static void add_numbers(void *into, const void *from, int64_t count, const void *arg) {
  double *to = into;
  const double *add = from;
  const struct hy_kernels *k = arg;
  for (int64_t i = 0; i < count && !k->dry; i++) to[i] += add[i];
}

static hyla_status reduce(struct hy_tridiagonal *t) {
  int done = 0;
  TRY(hy_tridiagonal_bring(t));
  for (int64_t j = 0; j < t->n; j++) {
    t->at = step_at(t, j, done);
    TRY(hy_tridiagonal_reflect(t));
    if (j + 1 == t->n) break;
    hy_tridiagonal_multiply(t);
    TRY(hy_tridiagonal_finish(t));
    done++;
    if (!ends_panel(t, j, done - 1)) continue;
    hy_tridiagonal_update(t);
    done = 0;
    TRY(hy_link_poll(t->cube));
  }
  return HYLA_OK;
}

hyla_status hy_tridiagonal_run(struct hy_tridiagonal *t) {
  if (t->cube->address < 0 || t->n == 0) return HYLA_OK;
  if (!t->k->dry) memset(t->numbers, 0, (size_t)(4 * t->n) * sizeof *t->numbers);
  const struct hy_tridiagonal_triangle triangle = {t->cube, t->a, &t->array, &t->looks};
  TRY(hy_tridiagonal_prepare(&triangle, &t->exponent, &t->mean));
  TRY(reduce(t));
  return hy_subcube_allreduce(&t->results, t->numbers, 4 * t->n, add_numbers, t->k);
}

/* ------------------------------------------------------------------ memory -- */

int hy_tridiagonal_pieces(const hyla_cube *cube) {
  return hy_cube_counts(cube) ? (int)hy_max(1, cube->session.threads)
                              : hy_team_threads(cube->session.team);
}

hyla_status hy_tridiagonal_create(const struct hy_tridiagonal_problem *problem, void *owner,
                                  struct hy_tridiagonal **state) {
  hyla_cube *cube = problem->cube;
  const hyla_matrix *a = problem->a;
  struct hy_tridiagonal *t = NULL;
  TRY(owner == NULL ? hy_alloc(&cube->base, 1, sizeof *t, &t)
                    : hy_alloc_for(&cube->base, owner, 1, sizeof *t, &t));
  *state = t;
  const int64_t block = hy_square_block(cube, &a->row, &a->col);
  *t = (struct hy_tridiagonal){.problem = *problem, .cube = cube, .k = a->k, .n = a->row.n};
  t->array = hy_block_cyclic_at(&a->row, &a->col, block, cube->address);
  t->a = problem->a;
  t->pieces = hy_tridiagonal_pieces(cube);
  t->width = (int)hy_max(1, hy_min(block, hy_min(t->n, HY_TRIDIAGONAL_PANEL)));
  const size_t size = t->k->size;
  const uint32_t all = t->array.row_dims | t->array.col_dims;
  const bool two_sides = a->row.parts > 1 && a->col.parts > 1;
  const struct hy_group groups[] = {
      {&t->sums, all, HY_TASK_ALLREDUCE, 2 * t->n + 4 * t->width + 2, size},
      {&t->looks, all, HY_TASK_ALLREDUCE, 1, sizeof(struct hy_tridiagonal_look)},
      {&t->results, all, HY_TASK_ALLREDUCE, 4 * t->n, sizeof *t->numbers},
      {&t->norms, two_sides ? t->array.row_dims : 0, HY_TASK_ALLREDUCE, 1, sizeof t->norm},
      {0}};
  TRY(hy_make_groups(t, cube, groups));
  t->sums.silent = t->norms.silent = true; /* their operations are those of finish */
  return problem->applies ? hy_tridiagonal_apply_create(t) : HYLA_OK;
}

static hyla_status allocate_here(struct hy_tridiagonal *t) {
  const int64_t size = (int64_t)t->k->size, rows = t->array.rows, cols = t->array.cols;
  const int64_t vectors = 2 * t->width;
  const struct hy_owned arrays[] = {{&t->numbers, 4 * t->n * (int64_t)sizeof *t->numbers},
                                    {&t->of_rows, rows * vectors * size},
                                    {&t->of_cols, cols * vectors * size},
                                    {&t->swapped, cols * vectors * size},
                                    {&t->x_rows, rows * size},
                                    {&t->x_cols, cols * size},
                                    {&t->y_rows, rows * t->pieces * size},
                                    {&t->y_cols, cols * size},
                                    {&t->message, (2 * t->n + 2 * vectors + 2) * size},
                                    {&t->factors, (2 * vectors + 3) * size},
                                    {&t->packed.entries, hy_packed_entries(rows, vectors) * size},
                                    {0}};
  struct hy_subcube_op *const groups[] = {&t->sums, &t->looks, &t->results, &t->norms, NULL};
  TRY(hy_take_arrays(&t->cube->base, t, arrays));
  return hy_allocate_groups(groups);
}

hyla_status hy_tridiagonal_allocate(struct hy_tridiagonal *t) {
  TRY(hy_agree(t->cube, t->cube->address < 0 ? HYLA_OK : allocate_here(t)));
  if (t->problem.applies) TRY(hy_tridiagonal_apply_allocate(t));
  if (t->cube->address < 0) return HYLA_OK;
  t->packed.products = hy_packed_best(t->k, t->cube->session.team);
  t->packed.size = t->k->size;
  t->d = t->numbers;
  t->e = t->numbers + t->n;
  t->tau[0] = t->numbers + 2 * t->n;
  t->tau[1] = t->numbers + 3 * t->n;
  return HYLA_OK;
}
