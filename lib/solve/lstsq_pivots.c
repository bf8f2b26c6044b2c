/* Least squares: R is factored again with pivoted columns, and solutions of least norm.
 *
 * R P = Q2 U, and the rank r is the number of leading diagonal entries of U above the tolerance
 * times the first, made certain in lstsq_reveal.c.  If r < k, U's first r rows are factored from
 * the other side, U_r^H = Q3 S (the complete orthogonal factorization R = Q2 [S^H 0; 0 0] Q3^H
 * P^H), and
 *
 *   R y = c:    y = P Q3 [S^-H (Q2^H c)_r; 0]
 *   R^H y = b:  y = Q2 [S^-1 (Q3^H P^T b)_r; 0]
 *
 * The plans know no rank: U_r^H has zeros in its last k - r columns, where S gets a diagonal of
 * ones, and right-hand sides have zeros in its last rows.
 *
 * Reference: Golub 1965; Hanson and Lawson 1969.  theory.md, lstsq. */
#include "solve/lstsq.h"

#include <string.h>

/* -------------------------------------------------------------------- plan -- */

hyla_status hy_lstsq_plan_pivots(struct hy_lstsq *s) {
  struct hy_lstsq_step *step = s->step;
  if (s->u != NULL) return HYLA_OK;
  TRY(hy_lstsq_take(s, s->k, sizeof *s->tau, &s->tau));
  TRY(hy_lstsq_take(s, s->k, sizeof *s->columns, &s->columns));
  TRY(hy_lstsq_take(s, 2 * (s->k + 1), sizeof *s->numbers, &s->numbers));
  TRY(hy_matrix_make(s->cube, s->type, s->k, s->k, &s->r.layout, &s->u));
  TRY(hy_lstsq_plan_move(s, &step[HY_LSTSQ_UPPER], HYLA_NONE, &s->r, s->u, HY_UPPER_PART));
  TRY(hyla_qr_pivoted_plan(s->cube, s->u, s->tau, s->columns, s->options.pivoting,
                           &step[HY_LSTSQ_PIVOTS].plan));
  TRY(hy_lstsq_plan_reveal(s));
  TRY(hy_matrix_make(s->cube, s->type, s->k, s->k, &s->r.layout, &s->turned));
  TRY(hy_lstsq_plan_move(s, &step[HY_LSTSQ_TURN], HYLA_CONJUGATE, s->u, s->turned, HY_LOWER_PART));
  return hy_lstsq_factor_in(s, s->turned, &s->second);
}

hyla_status hy_lstsq_plan_solve_pivoted(struct hy_lstsq *s) {
  const hyla_operation op = s->wide ? HYLA_CONJUGATE : HYLA_NONE,
                       other = s->wide ? HYLA_NONE : HYLA_CONJUGATE;
  const int64_t sides = s->c->col.n;
  const struct hy_axis rows = hy_axis_whole(s->k), cols = hy_axis_dealt(s->cube, 1, sides);
  const hyla_layout whole = {.row = rows.code, .col = cols.code, .rest = HYLA_FACE};
  const hyla_matrix y = hy_matrix_part(s->c, 0, 0, s->k, sides);
  struct hy_lstsq_step *step = s->step, *q2 = &step[HY_LSTSQ_TIMES_Q2];
  if (s->order[0] != NULL) return HYLA_OK;
  for (int i = 0; i < 2; i++)
    TRY(hy_matrix_make(s->cube, s->type, s->k, sides, &whole, &s->order[i]));
  TRY(hy_lstsq_plan_move(s, &step[HY_LSTSQ_TO_PERMUTE], HYLA_NONE, &y, s->order[0], HY_WHOLE));
  TRY(hy_lstsq_plan_move(s, &step[HY_LSTSQ_PERMUTED], HYLA_NONE, s->order[1], &y, HY_WHOLE));
  TRY(hy_lstsq_plan_by(s, &step[HY_LSTSQ_BY_U], s->u, op, s->k, &y));
  TRY(hy_lstsq_plan_by(s, &step[HY_LSTSQ_BY_S], s->second->factors.a, other, s->k, &y));
  TRY(hy_lstsq_plan_times(s, &step[HY_LSTSQ_TIMES_Q3], s->second, op, &y));
  q2->to = y;
  return hy_q_of_packed(s->u, s->tau, HYLA_LEFT, other, &q2->to, &q2->product);
}

/* --------------------------------------------------------------------- run -- */

/* Clears a matrix' columns from one on. */
static void clear_columns(const hyla_matrix *m, int64_t first) {
  const int64_t begin = hy_axis_before(&m->col, m->col_part, first);
  for (int64_t l = begin; l < m->local_cols && m->local_rows > 0 && !m->k->dry; l++)
    memset(hy_at(m, 0, l), 0, (size_t)m->local_rows * m->k->size);
}

/* Diagonal entries from one on become 1. */
static void set_ones(const hyla_matrix *m, int64_t first) {
  for (int64_t l = 0; l < m->local_cols && m->local_rows > 0 && !m->k->dry; l++) {
    const int64_t j = hyla_matrix_col(m, l);
    if (j >= first && hy_axis_owner(&m->row, j) == m->row_part)
      m->k->set(hy_at(m, hy_axis_before(&m->row, m->row_part, j), l), 0, 1);
  }
}

/* Q3's reflections do not use the diagonal. */
static hyla_status complete(struct hy_lstsq *s) {
  const bool node = s->cube->address >= 0;
  if (node) clear_columns(s->turned, 0);
  TRY(hy_lstsq_run(s, &s->step[HY_LSTSQ_TURN]));
  if (node) clear_columns(s->turned, s->report.rank);
  TRY(hy_factor_compute(s->second, s->turned, NULL));
  if (node) set_ones(s->second->factors.a, s->report.rank);
  return HYLA_OK;
}

/* R P = Q2 U, in a matrix of its own, and the rank. */
hyla_status hy_lstsq_pivot(struct hy_lstsq *s) {
  struct hy_lstsq_step *step = s->step;
  TRY(hy_lstsq_plan_pivots(s));
  s->pivoted = true;
  TRY(hy_lstsq_run(s, &step[HY_LSTSQ_UPPER]));
  hy_factor_set_rest(s->u, HYLA_UPPER, false);
  TRY(hy_lstsq_run(s, &step[HY_LSTSQ_PIVOTS]));
  s->report.pivoting = hy_choice_variant(&step[HY_LSTSQ_PIVOTS].plan->choice)->name;
  TRY(hy_lstsq_find_rank(s));
  TRY(hy_lstsq_reveal(s));
  return s->report.rank == s->k || s->report.rank == 0 ? HYLA_OK : complete(s);
}

/* Row i of y goes to row columns[i], or back. */
static hyla_status permute(struct hy_lstsq *s, bool back) {
  const hyla_matrix *from = s->order[0], *to = s->order[1];
  TRY(hy_lstsq_run(s, &s->step[HY_LSTSQ_TO_PERMUTE]));
  for (int64_t i = 0; i < s->k && from->local_cols > 0 && !from->k->dry; i++) {
    const int64_t here = back ? s->columns[i] : i, there = back ? i : s->columns[i];
    from->k->copy(HYLA_NONE, 1, (int)from->local_cols, 1, hy_at(from, here, 0), (int)from->ld,
                  hy_at(to, there, 0), (int)to->ld);
  }
  return hy_lstsq_run(s, &s->step[HY_LSTSQ_PERMUTED]);
}

/* y := S^-H y, or S^-1 y; of U the other way round. */
static hyla_status substitute_rank(struct hy_lstsq *s, hyla_matrix *y) {
  const bool full = s->report.rank == s->k;
  hy_lstsq_clear_rows(y, s->report.rank);
  return hy_lstsq_run(s, &s->step[full ? HY_LSTSQ_BY_U : HY_LSTSQ_BY_S]);
}

hyla_status hy_lstsq_solve_pivoted(struct hy_lstsq *s, hyla_matrix *y) {
  struct hy_lstsq_step *q2 = &s->step[HY_LSTSQ_TIMES_Q2], *q3 = &s->step[HY_LSTSQ_TIMES_Q3];
  const bool full = s->report.rank == s->k;
  TRY(hy_lstsq_plan_solve_pivoted(s));
  if (!s->wide) {
    TRY(hy_lstsq_run(s, q2));
    TRY(substitute_rank(s, y));
    if (!full) TRY(hy_lstsq_run(s, q3));
    return permute(s, false);
  }
  TRY(permute(s, true));
  if (!full) TRY(hy_lstsq_run(s, q3));
  TRY(substitute_rank(s, y));
  return hy_lstsq_run(s, q2);
}

hyla_status hy_lstsq_rotate_pivoted(struct hy_lstsq *s) {
  if (!s->wide) return hy_lstsq_run(s, &s->step[HY_LSTSQ_TIMES_Q2]);
  TRY(permute(s, true));
  return s->report.rank == s->k ? HYLA_OK : hy_lstsq_run(s, &s->step[HY_LSTSQ_TIMES_Q3]);
}
