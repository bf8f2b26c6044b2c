/* LU: resumes an elimination from factors that another run has left, with panels of this run's
 * width.
 *
 * L's rows stand as panels of this width would have left them (checkpoint.c).  If the finished
 * columns end inside a panel, its other columns are eliminated as a panel of their own; afterwards
 * the finished columns get the swaps of these.
 *
 * Example: panels of 4 columns, 6 columns are done.  Panel 1 would be columns 4 ... 7; columns 6
 * and 7 are eliminated as a panel, whose swaps columns 4 and 5 get afterwards (hy_lu_mend). */
#include "solve/lu/lu.h"

/* On q_k: gives all ranks of q_k the diagonal block of a panel, which they keep. */
static hyla_status share_diagonal(struct hy_lu *lu, const struct hy_diagonal_block *at) {
  char *diagonal = hy_lu_diagonal(lu, at);
  int64_t block = lu->array.block;
  if (at->top)
    lu->k->copy(HYLA_NONE, at->width, at->width, 1, hy_at(lu->a, at->row, at->column),
                (int)lu->a->ld, diagonal, (int)block);
  return hy_subcube_broadcast(&lu->blocks, hy_column_root(&lu->array, at->index), diagonal,
                              block * at->width);
}

hyla_status hy_lu_resume(void *state, int64_t from) {
  struct hy_lu *lu = state;
  int64_t whole = hy_min(from / lu->array.block, lu->array.count);
  for (int64_t index = 0; index < whole; index++) {
    struct hy_diagonal_block at = hy_diagonal_block(&lu->array, index);
    if (at.mine) TRY(share_diagonal(lu, &at));
  }
  return HYLA_OK;
}

hyla_status hy_lu_mend(struct hy_lu *lu, int64_t from) {
  int64_t index = from / lu->array.block;
  if (index >= lu->array.count) return HYLA_OK; /* a spare rank */
  struct hy_diagonal_block whole = hy_diagonal_block(&lu->array, index);
  lu->array.start = from;
  struct hy_diagonal_block rest = hy_diagonal_block(&lu->array, index);
  lu->array.start = 0;
  if (!whole.mine) return HYLA_OK;
  TRY(hy_lu_swap_rows(lu, &rest, false, lu->a, whole.column, from - whole.first));
  return share_diagonal(lu, &whole);
}
