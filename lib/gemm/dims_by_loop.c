/* Assigns cube dimensions to the three loops. */
#include "gemm/dims_by_loop.h"

/* Does the dimension split this axis? */
static bool splits(const struct hy_axis *axis, int dim) {
  return (hy_axis_mask(&axis->code) >> dim & 1u) != 0;
}

/* The number of entries that stay on their side of a dimension when it serves a loop. */
static int64_t staying(const struct hy_gemm_problem *given, int dim, enum hy_loop loop) {
  const struct hy_operand *a = &given->a, *b = &given->b, *c = &given->c;
  bool a_stays = splits(loop == HY_LOOP_I ? &a->row : &a->col, dim);
  bool b_stays = splits(loop == HY_LOOP_K ? &b->row : &b->col, dim);
  bool c_stays = splits(loop == HY_LOOP_I ? &c->row : &c->col, dim);
  int64_t m = given->m, n = given->n, k = given->k;
  return (a_stays ? m * k : 0) + (b_stays ? k * n : 0) + (c_stays ? m * n : 0);
}

void hy_dims_by_loop_place(const struct hy_gemm_problem *given, struct hy_dims_by_loop *dims) {
  /* Columns of arrays take the low dimensions, as they do in the default layout. */
  static const enum hy_loop order[] = {HY_LOOP_J, HY_LOOP_K, HY_LOOP_I};
  int left[HY_LOOPS], placed[HY_LOOPS] = {0};
  for (int loop = 0; loop < HY_LOOPS; loop++) left[loop] = dims->count[loop];
  for (int dim = 0; dim < given->cube->dims; dim++) {
    int best = -1;
    int64_t most = -1;
    for (int x = 0; x < HY_LOOPS; x++) {
      int64_t stay = staying(given, dim, order[x]);
      if (left[order[x]] == 0 || stay <= most) continue;
      most = stay;
      best = (int)order[x];
    }
    left[best]--;
    dims->dim[best][placed[best]++] = (uint8_t)dim;
  }
}

void hy_dims_by_loop_even(const struct hy_gemm_problem *given, struct hy_dims_by_loop *by_loop) {
  int dims = given->cube->dims;
  int64_t length[] = {given->m, given->n, given->k};
  for (int loop = 0; loop < HY_LOOPS; loop++) by_loop->count[loop] = dims / HY_LOOPS;
  for (int left = dims % HY_LOOPS; left > 0; left--) {
    int longest = 0;
    for (int loop = 1; loop < HY_LOOPS; loop++)
      if (length[loop] > length[longest]) longest = loop;
    by_loop->count[longest]++;
    length[longest] = -1;
  }
}

hyla_axis hy_dims_by_loop_axis(const struct hy_dims_by_loop *dims, hyla_code code,
                               enum hy_loop fine, enum hy_loop coarse) {
  hyla_axis axis = {.code = code, .storage = HYLA_CONSECUTIVE};
  const enum hy_loop parts[] = {fine, coarse};
  for (int x = 0; x < 2; x++)
    for (int t = 0; parts[x] != HY_LOOPS && t < dims->count[parts[x]]; t++)
      axis.dim[axis.dims++] = dims->dim[parts[x]][t];
  return axis;
}
