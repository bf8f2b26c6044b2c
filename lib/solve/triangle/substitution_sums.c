/* Sums over the rank columns, one for each right-hand side: hy_sums_begin starts them with this
 * rank's entries of X, hy_sums_end adds them up. */
#include "solve/triangle/triangle.h"

#include <math.h>
#include <string.h>

hyla_status hy_sum_sides(const struct hy_subcube_op *adds, const struct hy_kernels *k, int root,
                         char *data, int64_t words) {
  hyla_cube *cube = adds->cube;
  if (words == 0) return HYLA_OK;
  if (hy_cube_counts(cube))
    hy_count_flops(
        cube, hy_subcube_cost(adds, hy_subcube_number(adds, cube->address, root), words).flops);
  return hy_subcube_reduce(adds, root, data, words, hy_solve_sum, k);
}

int64_t hy_nrhs_of(const struct hy_substitution *s, const hyla_matrix *x) {
  return s->turn == HYLA_NONE ? x->col.n : x->row.n;
}

/* The column of the sums where those of rank column `part' begin; they are in the order of the
 * parts. */
static int64_t first_of(const struct hyla_matrix *seen, int part) {
  int64_t first = 0;
  for (int i = 0; i < part; i++) first += hy_held(&seen->col, i);
  return first;
}

struct hyla_matrix hy_sums_begin(const struct hy_substitution *s, const hyla_matrix *x) {
  struct hyla_matrix seen = hy_substitution_x(s, x), sums = seen;
  int64_t rows = seen.local_rows;
  sums.local = s->sums;
  sums.ld = hy_max(1, rows);
  sums.local_cols = seen.col.n;
  if (!s->k->dry) memset(s->sums, 0, (size_t)(rows * sums.local_cols) * s->k->size);
  hy_copy_block(s->cube, s->k, s->turn, rows, seen.local_cols, x->local, x->ld,
                hy_at(&sums, 0, first_of(&seen, seen.col_part)), sums.ld);
  return sums;
}

hyla_status hy_sums_end(const struct hy_substitution *s, const struct hyla_matrix *sums,
                        const hyla_matrix *x) {
  const struct hyla_matrix seen = hy_substitution_x(s, x);
  for (int part = 0; part < seen.col.parts; part++)
    TRY(hy_sum_sides(s->adds, s->k, hy_matrix_node(&seen, seen.row_part, part),
                     hy_at(sums, 0, first_of(&seen, part)),
                     seen.local_rows * hy_held(&seen.col, part)));
  hy_copy_block(s->cube, s->k, s->turn, x->local_rows, x->local_cols,
                hy_at(sums, 0, first_of(&seen, seen.col_part)), sums->ld, x->local, x->ld);
  return HYLA_OK;
}

int64_t hy_groups_of_sides(const struct hy_substitution *s, int64_t hops, int64_t nrhs) {
  const hyla_machine *machine = &s->cube->session.machine;
  double bytes = (double)(s->array.block * nrhs) * (double)s->k->size;
  double best = machine->alpha > 0 ? sqrt((double)hops * bytes * machine->beta / machine->alpha)
                                   : (double)HY_GROUPS_MOST;
  int64_t groups = hy_max(1, (int64_t)fmin(best, fmin((double)nrhs, HY_GROUPS_MOST)));
  return hy_max(1, hy_ceil_div(nrhs, hy_ceil_div(hy_max(1, nrhs), groups)));
}
