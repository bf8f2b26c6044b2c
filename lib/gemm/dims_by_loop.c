/* Assigns cube dimensions to the three loops, and prices layouts. */
#include "gemm/dims_by_loop.h"

/* Does the dimension split this axis? */
static bool splits(const struct hy_axis *axis, int dim) {
  return (hy_axis_mask(&axis->code) >> dim & 1u) != 0;
}

void hy_dims_by_loop_place(const struct hy_gemm_problem *given, struct hy_dims_by_loop *dims) {
  /* Columns of arrays take the low dimensions, as they do in the default layout. */
  static const enum hy_loop order[] = {HY_LOOP_J, HY_LOOP_K, HY_LOOP_I};
  const struct hy_operand *a = &given->a, *b = &given->b, *c = &given->c;
  int left[HY_LOOPS], placed[HY_LOOPS] = {0};
  for (int loop = 0; loop < HY_LOOPS; loop++) left[loop] = dims->count[loop];
  for (int dim = 0; dim < given->cube->dims; dim++) {
    int best = -1;
    int64_t most = -1;
    for (int x = 0; x < HY_LOOPS; x++) {
      /* The number of entries that stay on their side of the dimension if it serves this loop. */
      enum hy_loop loop = order[x];
      int64_t stay = 0;
      if (splits(loop == HY_LOOP_I ? &a->row : &a->col, dim)) stay += given->m * given->k;
      if (splits(loop == HY_LOOP_K ? &b->row : &b->col, dim)) stay += given->k * given->n;
      if (splits(loop == HY_LOOP_I ? &c->row : &c->col, dim)) stay += given->m * given->n;
      if (left[loop] == 0 || stay <= most) continue;
      most = stay;
      best = (int)loop;
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

/* The scalars are 1: a sum is added to C, and nothing is scaled. */
void hy_gemm_replay_begin(const struct hy_gemm_problem *problem, int node,
                          struct hy_gemm_replay *replay) {
  hyla_cube *cube = &replay->cube;
  hyla_type type = problem->kernels->type;
  hy_count_begin(problem->cube, node, cube);
  replay->a = hy_matrix_counted(cube, type, &problem->a);
  replay->b = hy_matrix_counted(cube, type, &problem->b);
  replay->c = hy_matrix_counted(cube, type, &problem->c);
  struct hy_gemm_task *task = &replay->task;
  *task = (struct hy_gemm_task){.problem = *problem,
                                .alpha = 1,
                                .beta = 1,
                                .a = {&replay->a, HYLA_NONE},
                                .b = {&replay->b, HYLA_NONE},
                                .c = &replay->c};
  task->problem.cube = cube;
  task->problem.kernels = replay->c.k;
}

hyla_cost hy_gemm_replay_end(const struct hy_gemm_problem *problem,
                             const struct hy_gemm_replay *replay) {
  return hy_count_end(problem->cube, &replay->cube, problem->kernels->size);
}

/* The cost of moving the operands to the wanted layouts. */
static hyla_cost cost_of_moves(const struct hy_gemm_problem *given,
                               const struct hy_gemm_problem *wanted) {
  const struct hy_operand *from[] = {&given->a, &given->b, &given->c};
  const struct hy_operand *to[] = {&wanted->a, &wanted->b, &wanted->c};
  hyla_cost sum = {0};
  for (int x = 0; x < 3; x++) {
    if (hy_axis_equal(&from[x]->row, &to[x]->row) && hy_axis_equal(&from[x]->col, &to[x]->col))
      continue;
    /* C goes there and back.  Each way, a message has at most everything that is moved. */
    int64_t share = hy_held(&to[x]->row, 0) * hy_held(&to[x]->col, 0);
    int64_t moved = x < 2 ? share : 2 * share;
    sum.words += moved;
    sum.copied += moved;
    if (hy_in_place_expected(given->cube)) sum.lent += moved;
    sum.memory += 3 * share * (int64_t)given->kernels->size;
  }
  return sum;
}

void hy_layout_trial_price(const struct hy_gemm_problem *given, hyla_cost run,
                           struct hy_layout_trial *trial) {
  const struct hy_kernels *k = given->kernels;
  int64_t limit = given->cube->base.memory_limit;
  hyla_cost sum = cost_of_moves(given, &trial->wanted);
  hy_cost_add(&sum, run);
  trial->memory = sum.memory;
  trial->fits = limit == 0 || trial->memory <= limit;
  trial->seconds =
      hy_machine_seconds(&given->cube->session.machine, &sum, k->size, k->complex_type);
}

bool hy_layout_trial_better(const struct hy_layout_trial *x, const struct hy_layout_trial *y) {
  if (x->fits != y->fits) return x->fits;
  if (x->fits && x->seconds != y->seconds) return x->seconds < y->seconds;
  return x->memory < y->memory;
}
