/* A matrix to bidiagonal form, A = Q B P^H, by Householder's reflections, blocked.
 *
 * Reference: Golub and Kahan 1965; Dongarra, Hammarling and Sorensen 1989, for the panel; Howell,
 * Demmel, Fulton, Hammarling and Marmol 2008, for products that read A once a step.  theory.md,
 * svd:bidiagonal.
 * Layout: columns dealt to all nodes, in blocks, each whole on one.
 * Method: a panel of w steps.  A stays as it was at the panel's begin, A0, until the panel's end;
 * with V, X, Y and U the vectors of the panel's steps so far, A = A0 - V Y^H - X U^H.
 *
 *   left:      v, tau, d_j from the column at work, on every rank
 *   multiply:  y := tau (A^H v), s := row j of A - v y^H, conjugated, and p := A0 s, this rank's
 *              columns of A0 read once, some of them at a time
 *   finish:    p, column j + 1 of A0, row j + 1 of (Y, U), (Y, U)^H s and |s|^2 are added up over
 *              all ranks, at once;
 *              u = (s - e_j e_1) / pivot, so A u follows from A s and from column j + 1
 *              x := rho A u; the next column := column j + 1 of A, less x
 *   update:    behind the panel, A := A0 - V Y^H - X U^H
 *
 * The message has the sums from which u's length follows, and A s in place of A u: so a step has
 * one collective.  Every rank keeps all rows of V and X, which it computes for itself.
 * Collectives a step: one all-reduction over all ranks, of 2 m + 4 w + 4 words at most where m rows
 * are left.  Two more in all, for the largest entry and for the first column.
 * Flops: 4 n^2 (m - n / 3) on all ranks together, half of them in products that read the matrix
 * from memory, n^2 (m - n / 3) / 2 entries; O(m n w) besides on every rank.  Workspace: 2 w columns
 * of V and X on every rank, the same of Y and U, one vector for each thread. */
#include "solve/bidiagonal/bidiagonal.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Blocks are a multiple of STEP; ROUNDS of them on each rank keep all ranks busy. */
enum { STEP = 8, ROUNDS = 8, BLOCK_MOST = 32 };

hyla_layout hy_bidiagonal_layout(const hyla_cube *cube, int64_t m, int64_t n) {
  const int64_t block = n / (ROUNDS * hy_max(1, cube->nodes)) / STEP * STEP;
  hyla_layout layout = {.row = hy_axis_dealt(NULL, 1, m).code, .across = hy_layout_across(cube)};
  layout.col = hy_axis_dealt(cube, hy_max(STEP, hy_min(block, BLOCK_MOST)), n).code;
  return layout;
}

/* ------------------------------------------------------------------- scale -- */

static void take_larger(void *into, const void *from, int64_t count, const void *arg) {
  const struct hy_kernels *k = arg;
  if (!k->dry) hy_norm_allocate_larger(into, from, count, NULL);
}

hyla_status hy_bidiagonal_scale(struct hy_bidiagonal *t, const hyla_matrix *a) {
  const struct hy_kernels *k = t->k;
  const int64_t rows = a->local_rows, columns = a->local_cols;
  if (t->cube->address < 0 || t->n == 0) return HYLA_OK;
  t->exponent = 0;
  t->largest = (struct hy_norm){0, 0};
  hy_count_read(t->cube, rows * columns);
  if (!k->dry && columns > 0) t->largest = hy_norm_largest(k, rows, columns, a->local, a->ld);
  TRY(hy_subcube_allreduce(&t->looks, &t->largest, 1, take_larger, k));
  if (k->dry) return HYLA_OK;
  CHECK(&t->cube->base, isfinite(t->largest.value), NOT_FINITE,
        "the matrix has an entry that is not finite");
  if (t->largest.value == 0) return HYLA_OK;
  t->exponent = t->largest.exponent;
  for (int64_t c = 0; c < columns && t->exponent != 0; c++)
    hy_shift(k, rows, -t->exponent, hy_at(a, 0, c));
  return HYLA_OK;
}

/* --------------------------------------------------------------------- run -- */

/* Column j is at work, and `done' steps of its panel have been taken. */
static struct hy_bidiagonal_step step_at(const struct hy_bidiagonal *t, int64_t j, int done) {
  struct hy_bidiagonal_step at = {.column = j, .done = done, .rows = (int)(t->m - j)};
  at.col = hy_axis_before(&t->col, t->part, j + 1);
  at.cols = (int)(t->own - at.col);
  return at;
}

hyla_status hy_bidiagonal_run(struct hy_bidiagonal *t) {
  int done = 0;
  if (t->cube->address < 0 || t->n == 0) return HYLA_OK;
  if (!t->k->dry) memset(t->numbers, 0, (size_t)(6 * t->n) * sizeof *t->numbers);
  TRY(hy_bidiagonal_bring(t));
  for (int64_t j = 0; j < t->n; j++) {
    t->at = step_at(t, j, done);
    hy_bidiagonal_left(t);
    if (j + 1 == t->n) break;
    hy_bidiagonal_multiply(t);
    TRY(hy_bidiagonal_finish(t));
    if (++done < t->width) continue;
    hy_bidiagonal_update(t);
    done = 0;
    TRY(hy_link_poll(t->cube));
  }
  return HYLA_OK;
}

/* ------------------------------------------------------------------ memory -- */

static int pieces_of(const hyla_cube *cube) {
  return hy_cube_counts(cube) ? (int)hy_max(1, cube->session.threads)
                              : hy_team_threads(cube->session.team);
}

static int64_t message_of(const struct hy_bidiagonal *t) { return 2 * t->m + 4 * t->width + 2; }

hyla_status hy_bidiagonal_create(const struct hy_bidiagonal_problem *problem, void *owner,
                                 struct hy_bidiagonal **state) {
  hyla_cube *cube = problem->cube;
  const hyla_matrix *a = problem->a;
  struct hy_bidiagonal *t = NULL;
  TRY(owner == NULL ? hy_alloc(&cube->base, 1, sizeof *t, &t)
                    : hy_alloc_for(&cube->base, owner, 1, sizeof *t, &t));
  *state = t;
  *t = (struct hy_bidiagonal){.problem = *problem,
                              .cube = cube,
                              .k = a->k,
                              .a = problem->a,
                              .m = a->row.n,
                              .n = a->col.n,
                              .col = a->col,
                              .part = -1};
  if (cube->address >= 0) {
    t->part = hy_part_of(&a->col, cube->address);
    t->own = hy_held(&a->col, t->part);
  }
  t->pieces = pieces_of(cube);
  t->width = (int)hy_max(1, hy_min(t->n, HY_BIDIAGONAL_PANEL));
  const struct hy_group groups[] = {
      {&t->sums, hy_all_dims(cube), HY_TASK_ALLREDUCE, message_of(t), t->k->size},
      {&t->looks, hy_all_dims(cube), HY_TASK_ALLREDUCE, 1, sizeof t->largest},
      {0}};
  TRY(hy_make_groups(t, cube, groups));
  return problem->applies ? hy_bidiagonal_apply_create(t) : HYLA_OK;
}

static hyla_status allocate_here(struct hy_bidiagonal *t) {
  const int64_t size = (int64_t)t->k->size, vectors = 2 * t->width;
  const struct hy_owned arrays[] = {{&t->numbers, 6 * t->n * (int64_t)sizeof *t->numbers},
                                    {&t->of_rows, t->m * vectors * size},
                                    {&t->of_cols, t->own * vectors * size},
                                    {&t->column, t->m * size},
                                    {&t->y, t->own * size},
                                    {&t->s, t->own * size},
                                    {&t->products, t->m * t->pieces * size},
                                    {&t->unused, t->own * size},
                                    {&t->message, message_of(t) * size},
                                    {&t->factors, 2 * vectors * size},
                                    {&t->packed.entries, hy_packed_entries(t->m, vectors) * size},
                                    {0}};
  struct hy_subcube_op *const groups[] = {&t->sums, &t->looks, NULL};
  TRY(hy_take_arrays(&t->cube->base, t, arrays));
  return hy_allocate_groups(groups);
}

hyla_status hy_bidiagonal_allocate(struct hy_bidiagonal *t) {
  TRY(hy_agree(t->cube, t->cube->address < 0 ? HYLA_OK : allocate_here(t)));
  if (t->problem.applies) TRY(hy_bidiagonal_apply_allocate(t));
  if (t->cube->address < 0) return HYLA_OK;
  t->packed.products = hy_packed_best(t->k, t->cube->session.team);
  t->packed.size = t->k->size;
  t->d = t->numbers;
  t->e = t->d + t->n;
  for (int part = 0; part < 2; part++) {
    t->tau[part] = t->numbers + (2 + part) * t->n;
    t->rho[part] = t->numbers + (4 + part) * t->n;
  }
  return HYLA_OK;
}
