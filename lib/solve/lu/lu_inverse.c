/* LU: the inverse of the factors, A^-1 = U^-1 L^-1 P, in their place.
 *
 * Reference: Du Croz and Higham 1992, section 4.  Our additions are the choice of the columns that
 *   each step works on, and that no column changes its rank.
 * Layout: the factors'.
 * Method: L is settled, so that all swaps are one permutation P, which every rank knows.  Column j
 *   of P I has its one entry in row i(j), and L^-1 fills the column only from this row down.  A
 *   rank orders its columns by i(j), and step k of the forward substitution works only on columns
 *   with i(j) up to block row k.  Back substitution takes all columns, which then return to their
 *   places.
 * Example: n = 4, and P moves row 2 to the top: P I has columns e_1, e_2, e_0, e_3.  The order of
 *   work is column 2 (i = 0), 0 (i = 1), 1 (i = 2), 3 (i = 3).
 * Operations: n^3 / 3 and n^3 besides the 2 n^3 / 3 of the factors, so 2 n^3 in all; a rank's part
 *   of the n^3 / 3 depends on the pivots.
 * Steps, words: those of two substitutions with n right-hand sides (substitution_travelling.c), and
 *   of the swaps of L if there are several rank rows.  Memory: a matrix, a block row. */
#include "solve/lu/lu.h"

#include <string.h>

/* ---------------------------------------------------- apply later swaps -- */

/* Reorders the columns of a panel below its diagonal block: row i becomes row order[i]. */
static void reorder(struct hy_lu *lu, const struct hy_diagonal_block *at) {
  int64_t first = at->first + at->width, count = lu->a->local_rows - first;
  size_t size = lu->k->size;
  hy_count_copied(lu->cube, 2 * count * at->width);
  for (int64_t j = 0; j < at->width && !lu->k->dry; j++) {
    hy_lu_move_entries(size, count, hy_at(lu->a, 0, at->column + j), lu->inverse.order + first,
                       lu->inverse.solved, NULL);
    memcpy(hy_at(lu->a, first, at->column + j), lu->inverse.solved, (size_t)count * size);
  }
}

/* Settles L on a rank that holds all rows: from the last panel on, it keeps the order of rows that
 * the swaps of the later panels make. */
static void settle_here(struct hy_lu *lu) {
  int64_t *order = lu->inverse.order, *place = lu->inverse.place;
  for (int64_t i = 0; i < lu->problem->n; i++) order[i] = place[i] = i;
  for (int64_t index = lu->array.count - 1; index >= 0; index--) {
    struct hy_diagonal_block at = hy_diagonal_block(&lu->array, index);
    if (at.mine) reorder(lu, &at);
    if (lu->k->dry) continue;
    for (int64_t i = at.first + at.width - 1; i >= at.first; i--) {
      int64_t other = lu->swaps[i], here = place[i], there = place[other];
      order[here] = other;
      order[there] = i;
      place[i] = there;
      place[other] = here;
    }
  }
}

/* ------------------------------------------------------------------ run -- */

/* Makes the rank's columns of P I, ordered by their first rows. */
static void permute(struct hy_lu *lu) {
  struct hy_lu_inverse *inverse = &lu->inverse;
  const hyla_matrix *a = lu->a, *x = inverse->x;
  int64_t *order = inverse->order, n = lu->problem->n, count = 0;
  /* Without swaps each column begins at the diagonal. */
  for (int64_t j = 0; j < x->local_cols && lu->k->dry; j++)
    inverse->begins[j] = hy_axis_index(&a->col, a->col_part, j);
  if (lu->k->dry) return;
  for (int64_t i = 0; i < n; i++) order[i] = i;
  for (int64_t i = 0; i < n; i++) hy_swap_numbers(&order[i], &order[lu->swaps[i]]);
  lu->k->combine(HYLA_NONE, (int)x->local_rows, (int)x->local_cols, 0, x->local, (int)x->ld, 0,
                 x->local, (int)x->ld);
  for (int64_t i = 0; i < n; i++) {
    if (hy_axis_owner(&a->col, order[i]) != a->col_part) continue;
    inverse->begins[count] = i;
    inverse->column[count] = hy_axis_before(&a->col, a->col_part, order[i]);
    if (hy_axis_owner(&a->row, i) == a->row_part)
      lu->k->set(hy_at(x, hy_axis_before(&a->row, a->row_part, i), count), 0, 1);
    count++;
  }
}

static void put_back(struct hy_lu *lu) {
  const hyla_matrix *x = lu->inverse.x;
  for (int64_t j = 0; j < x->local_cols && !lu->k->dry; j++)
    hy_copy_entries(lu->k, hy_at(lu->a, 0, lu->inverse.column[j]), hy_at(x, 0, j), x->local_rows);
  hy_count_copied(lu->cube, x->local_rows * x->local_cols);
}

static hyla_status substitute(struct hy_lu *lu, hyla_triangle triangle) {
  const struct hy_triangular system = {.t = lu->a,
                                       .block = lu->array.block,
                                       .triangle = triangle,
                                       .diagonal = triangle == HYLA_LOWER ? HYLA_UNIT_DIAGONAL
                                                                          : HYLA_ANY_DIAGONAL};
  struct hy_substitution s = hy_substitution_of(&system);
  s.spreads = &lu->blocks;
  s.panels = &lu->panels;
  s.solved = lu->inverse.solved;
  if (triangle == HYLA_LOWER) s.begins = lu->inverse.begins;
  return hy_substitute_travelling(&s, lu->inverse.x);
}

hyla_status hy_lu_inverse_run(struct hy_lu *lu) {
  if (lu->cube->address < 0) return HYLA_OK;
  if (lu->array.row.parts == 1)
    settle_here(lu);
  else
    TRY(hy_lu_apply_later_swaps(lu, lu->problem->factors->a));
  permute(lu);
  TRY(substitute(lu, HYLA_LOWER));
  TRY(substitute(lu, HYLA_UPPER));
  put_back(lu);
  return HYLA_OK;
}

/* ---------------------------------------------------------- workspace -- */

static hyla_status allocate_arrays(struct hy_lu *lu) {
  struct hy_base *base = &lu->cube->base;
  struct hy_lu_inverse *inverse = &lu->inverse;
  const int64_t n = lu->problem->n, cols = lu->a->local_cols, number = sizeof(int64_t);
  const int64_t solved = hy_max(lu->array.block * cols, n) * (int64_t)lu->k->size;
  TRY(hy_alloc_data_for(base, lu, solved, 1, &inverse->solved));
  TRY(hy_alloc_control_for(base, lu, cols * number, 1, &inverse->begins));
  TRY(hy_alloc_control_for(base, lu, cols * number, 1, &inverse->column));
  TRY(hy_alloc_control_for(base, lu, n * number, 1, &inverse->order));
  return hy_alloc_control_for(base, lu, n * number, 1, &inverse->place);
}

hyla_status hy_lu_inverse_allocate(struct hy_lu *lu) {
  const struct hy_factorization *problem = lu->problem;
  bool guest = lu->cube->address < 0;
  TRY(hy_agree(lu->cube, guest ? HYLA_OK : allocate_arrays(lu)));
  return hy_matrix_make_private(lu->cube, problem->k->type, problem->n, problem->n,
                                &problem->layout, &lu->inverse.x);
}
