/* Singular values and vectors by one-sided Jacobi rotations of blocks of columns.
 *
 * Reference: Hestenes 1958; de Rijk 1989, for the order of columns by their length; Mantharam and
 * Eberlein 1993, for blocks on a cube; Drmac and Veselic 2008, for when to stop.  theory.md,
 * svd:jacobi-*.
 * Layout: whole columns, two blocks of b = n / (2 P) on each of P nodes; with each column of X
 *   travels its column of V.
 * Method: in each of the 2 P - 1 steps of a sweep
 *
 *   meet:  all columns of the node's two blocks become orthogonal to each other (jacobi_pair.c)
 *   move:  a block goes to a neighbour, and another one comes, as the ordering says (order.c)
 *
 *   After a sweep all nodes learn the largest cosine c of two columns that met in it, and the
 *   largest change t of a column by a rotation.  Each of the later rotations changes the cosine of
 *   an angle that was made right by at most c t: when that is below u, all are right, unless
 *   columns went from one block to another, by their lengths, and so did not meet some others.
 * Messages a sweep: 2 P - 1 of b (m + n) words, or of b m without V (on a ring nearly twice as
 * many), one all-reduction of three numbers.  Flops a sweep: 5 m n^2 + 4 n^3, about, on all nodes
 * together.  Workspace: three blocks, or four, and two more for columns on their way to their
 * places.
 * Accuracy: every value to about n u K, with K the condition of X with all columns scaled to length
 *   1 (Demmel and Veselic 1992).
 * Restriction: paths on cubes; the ring takes any number of nodes. */
#include "solve/jacobi/jacobi.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------- layout -- */

static int64_t width_of(const hyla_cube *cube, int64_t n) {
  return hy_max(1, hy_ceil_div(n, 2 * (int64_t)cube->nodes));
}

hyla_layout hy_jacobi_layout(const hyla_cube *cube, int64_t n) {
  hyla_layout layout = {
      .row = {.code = HYLA_BINARY, .storage = HYLA_CONSECUTIVE},
      .col = hy_layout_axis(HYLA_BINARY, HYLA_CYCLIC, 2 * width_of(cube, n), 0, cube->dims)};
  hy_axis_on_sides(&cube->sides, &layout.col);
  return layout;
}

/* Columns of a block. */
static int columns_of(const struct hy_jacobi *j, int64_t id) {
  return (int)hy_max(0, hy_min(j->width, j->problem.live - id * j->width));
}

/* -------------------------------------------------------------------- memory -- */

static int free_blocks(const struct hy_jacobi *j) { return j->order.link == NULL ? 4 : 3; }

static hyla_status make_groups(struct hy_jacobi *j) {
  const uint32_t all = hy_all_dims(j->cube);
  const struct hy_group groups[] = {
      {&j->looks, all, HY_TASK_ALLREDUCE, 1, sizeof j->at},
      {&j->results, all, HY_TASK_ALLREDUCE, hy_max(1, j->n), sizeof(double)},
      {0}};
  return hy_make_groups(j, j->cube, groups);
}

hyla_status hy_jacobi_create(const struct hy_jacobi_problem *problem, void *owner,
                             struct hy_jacobi **state) {
  hyla_cube *cube = problem->cube;
  struct hy_jacobi *j = NULL;
  TRY(owner == NULL ? hy_alloc(&cube->base, 1, sizeof *j, &j)
                    : hy_alloc_for(&cube->base, owner, 1, sizeof *j, &j));
  *state = j;
  *j = (struct hy_jacobi){.problem = *problem,
                          .cube = cube,
                          .k = problem->k,
                          .m = problem->m,
                          .n = problem->n,
                          .rows = problem->m + (problem->v_wanted ? problem->n : 0),
                          .width = (int)width_of(cube, problem->n)};
  j->problem.live = j->n;
  j->tolerance = fmax(4, sqrt((double)j->m)) * j->k->epsilon;
  TRY(hy_jacobi_order_make(&cube->base, j, problem->ordering, (uint32_t)cube->nodes, &j->order));
  return make_groups(j);
}

static hyla_status allocate_arrays(struct hy_jacobi *j) {
  struct hy_base *base = &j->cube->base;
  const int64_t size = (int64_t)j->k->size, pair = 2 * hy_min(HY_JACOBI_PIECE, j->width);
  const int64_t nodes = j->cube->nodes, longest = hy_max(j->m, j->problem.v_wanted ? j->n : 0);
  const int64_t gram = (pair + 8) * pair * (int64_t)sizeof(double);
  const struct hy_owned arrays[] = {{&j->columns, pair * longest * size},
                                    {&j->gram, pair * pair * size},
                                    {&j->factor, pair * pair * size},
                                    {&j->double_factor, 2 * pair * pair * (int64_t)sizeof(double)},
                                    {&j->double_work, 4 * pair * pair * (int64_t)sizeof(double)},
                                    {&j->double_gram[0], gram},
                                    {&j->double_gram[1], gram},
                                    {&j->double_gram[2], gram},
                                    {&j->double_gram[3], gram},
                                    {&j->out, 2 * j->width * longest * size},
                                    {&j->in, 2 * j->width * longest * size},
                                    {0}};
  const int64_t n = hy_max(1, j->n);
  TRY(hy_take_arrays(base, j, arrays));
  TRY(hy_alloc_control_for(base, j, 2 * nodes, sizeof *j->ids, &j->ids));
  TRY(hy_alloc_control_for(base, j, 2 * nodes, sizeof *j->next_ids, &j->next_ids));
  TRY(hy_alloc_control_for(base, j, n, sizeof *j->order_of, &j->order_of));
  TRY(hy_alloc_control_for(base, j, n, sizeof *j->values, &j->values));
  TRY(hy_alloc_control_for(base, j, n, sizeof *j->found, &j->found));
  for (int i = 0; i < free_blocks(j); i++) {
    TRY(hy_alloc_data_for(base, j, j->rows * j->width, j->k->size, &j->block[i].data));
    TRY(hy_alloc_for(base, j, j->width, sizeof *j->block[i].exponent, &j->block[i].exponent));
  }
  struct hy_subcube_op *const groups[] = {&j->looks, &j->results, NULL};
  return hy_allocate_groups(groups);
}

hyla_status hy_jacobi_allocate(struct hy_jacobi *j) {
  if (j->cube->address < 0) /* a guest learns the values */
    return hy_agree(
        j->cube, hy_alloc_for(&j->cube->base, j, hy_max(1, j->n), sizeof *j->values, &j->values));
  return hy_agree(j->cube, allocate_arrays(j));
}

/* ----------------------------------------------------------------- beginning -- */

/* Numbers that leave room above for sums of squares' roots, and below for small columns. */
int hy_jacobi_top(const struct hy_kernels *k) { return k->epsilon > 1e-10 ? 80 : 900; }

/* A column of Y becomes one of X. */
static void scale(const struct hy_jacobi *j, int64_t column, char *x) {
  const struct hy_jacobi_problem *p = &j->problem;
  if (p->by_rows)
    hy_scale_powers(j->k, (int)j->m, p->exponent, p->shift, x);
  else
    hy_shift(j->k, j->m, p->exponent[column] + p->shift, x);
}

/* The column of V that column `column' begins with, here column c. */
static void load_vector(const struct hy_jacobi *j, int64_t c, int64_t column, char *to) {
  if (j->problem.begun) {
    hy_copy_entries(j->k, to, hy_at(j->problem.v, 0, c), j->n);
    return;
  }
  memset(to, 0, (size_t)j->n * j->k->size);
  j->k->set(to, column, 1);
}

/* This node's columns of X to its two blocks, with those of V. */
static void load(struct hy_jacobi *j) {
  const hyla_matrix *y = j->problem.y;
  const struct hy_kernels *k = j->k;
  const int64_t size = (int64_t)k->size;
  for (int64_t c = 0; c < y->local_cols && !k->dry; c++) {
    const struct hy_jacobi_block *block = &j->block[c / j->width];
    const int64_t column = hyla_matrix_col(y, c);
    char *to = block->data + c % j->width * j->rows * size;
    if (column >= j->problem.live) break;
    hy_copy_entries(k, to, hy_at(y, 0, c), j->m);
    if (!j->problem.begun) scale(j, column, to);
    if (j->problem.v_wanted) load_vector(j, c, column, to + j->m * size);
  }
  hy_count_copied(j->cube, j->rows * y->local_cols);
}

/* There is one of them. */
static void take_larger(void *into, const void *from, int64_t count, const void *arg) {
  const struct hy_kernels *k = arg;
  struct hy_jacobi_found *to = into;
  const struct hy_jacobi_found *other = from;
  (void)count;
  if (k->dry) return;
  to->cosine = fmax(to->cosine, other->cosine);
  to->tangent = fmax(to->tangent, other->tangent);
  to->moved = fmax(to->moved, other->moved);
}

/* ------------------------------------------------------------------- a sweep -- */

static uint32_t number_of(const struct hy_jacobi *j) {
  return hy_member(j->cube, hy_all_dims(j->cube), j->cube->address);
}

static int peer_of(const struct hy_jacobi *j, uint32_t node) {
  return (int)hy_member_address(j->cube, hy_all_dims(j->cube), node);
}

/* The number of the block that is in a slot in step t. */
static int64_t id_at(const struct hy_jacobi *j, int64_t t, struct hy_jacobi_slot at) {
  const struct hy_jacobi_slot began = hy_jacobi_began(&j->order, j->sweeps, t, at);
  return j->ids[2 * (int64_t)began.node + began.slot];
}

static void settle(struct hy_jacobi *j, int64_t t) {
  const uint32_t me = number_of(j);
  for (int s = 0; s < 2; s++) {
    j->block[s].id = id_at(j, t, (struct hy_jacobi_slot){me, s});
    j->block[s].columns = columns_of(j, j->block[s].id);
  }
}

/* Transition t: blocks leave and come.  One that comes lies in a free place meanwhile. */
static hyla_status move(struct hy_jacobi *j, int64_t t) {
  const uint32_t me = number_of(j);
  const int64_t column = j->rows * (int64_t)j->k->size;
  struct hy_message messages[4];
  struct hy_jacobi_block next[2], left[2];
  int count = 0, free = 2, gone = 0;
  bool came[2];
  for (int s = 0; s < 2; s++) {
    const struct hy_jacobi_slot here = {me, s};
    const struct hy_jacobi_slot to = hy_jacobi_to(&j->order, j->sweeps, t, here);
    const struct hy_jacobi_slot from = hy_jacobi_from(&j->order, j->sweeps, t, here);
    came[s] = from.node != me;
    if (!came[s]) {
      next[s] = j->block[from.slot];
    } else {
      next[s] = j->block[free++];
      messages[count++] = (struct hy_message){.verb = HY_RECV,
                                              .peer = peer_of(j, from.node),
                                              .data = next[s].data,
                                              .bytes = columns_of(j, id_at(j, t, from)) * column};
    }
    if (to.node == me) continue;
    left[gone++] = j->block[s];
    messages[count++] = (struct hy_message){.verb = HY_SEND,
                                            .peer = peer_of(j, to.node),
                                            .data = j->block[s].data,
                                            .bytes = j->block[s].columns * column};
  }
  TRY(hy_link_step(j->cube, messages, count));
  for (int i = 0; i < gone; i++) j->block[2 + i] = left[i];
  j->block[0] = next[0];
  j->block[1] = next[1];
  settle(j, t + 1);
  for (int s = 0; s < 2; s++)
    if (came[s]) hy_jacobi_look(j, &j->block[s]);
  return HYLA_OK;
}

static void end_sweep(struct hy_jacobi *j) {
  for (int64_t i = 0; i < 2 * (int64_t)j->cube->nodes; i++)
    j->next_ids[i] =
        id_at(j, j->order.steps, (struct hy_jacobi_slot){(uint32_t)(i / 2), (int)(i % 2)});
  int64_t *const held = j->ids;
  j->ids = j->next_ids;
  j->next_ids = held;
  j->sweeps++;
}

hyla_status hy_jacobi_sweep(struct hy_jacobi *j) {
  j->at = (struct hy_jacobi_found){0};
  for (int64_t t = 0; t < j->order.steps; t++) {
    hy_jacobi_meet(j, t == 0);
    if (j->cube->nodes > 1) TRY(move(j, t));
    TRY(hy_link_poll(j->cube));
  }
  end_sweep(j);
  return hy_subcube_allreduce(&j->looks, &j->at, 1, take_larger, j->k);
}

static bool is_done(const struct hy_jacobi *j) {
  if (j->k->dry) return j->sweeps == j->problem.expected;
  const bool small = j->at.cosine <= j->tolerance || j->at.cosine * j->at.tangent <= j->k->epsilon;
  return small && j->at.moved == 0;
}

void hy_jacobi_begin(struct hy_jacobi *j) {
  j->sweeps = 0;
  for (int64_t i = 0; i < 2 * (int64_t)j->cube->nodes; i++) j->ids[i] = i;
  settle(j, 0);
  load(j);
  for (int s = 0; s < 2; s++) hy_jacobi_look(j, &j->block[s]);
}

static hyla_status rotate(struct hy_jacobi *j) {
  hy_jacobi_begin(j);
  do {
    CHECK(&j->cube->base, j->sweeps < HY_JACOBI_SWEEPS, UNRELIABLE,
          "after %d sweeps two columns still have an angle with the cosine %.3g", j->sweeps,
          j->at.cosine);
    TRY(hy_jacobi_sweep(j));
    hy_part(j->cube, "sweep");
  } while (!is_done(j));
  return hy_jacobi_collect(j);
}

hyla_status hy_jacobi_run(struct hy_jacobi *j) {
  return j->cube->address < 0 || j->n == 0 ? HYLA_OK : rotate(j);
}
