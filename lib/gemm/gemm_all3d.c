/* Gupta and Sadayappan's 3-D All: exchange, two all-gathers, a reduce-scatter.
 *
 * Reference: Gupta and Sadayappan 1996, the algorithm 3D All.
 * Layout: node (x, y, z) of a 2^b x 2^c x 2^a array.  A, B and C lie alike: rows over
 *   z, columns over x and, finer, y.  The indices of k go round: l = (g 2^c + y) u + o
 *   with 0 <= o < u is in part (g mod 2^b, y) of A's columns and in part g mod 2^a of
 *   B's rows, so that g runs through the same panels whatever the sides are.
 * Method, with k_y the indices of k that have y:
 *   exchange    along y: node (x, y, z) gets the rows of k_y, instead of all rows in
 *               some columns, of those rows of B that are at z: as many entries
 *   all-gather  B along z, A along x: B(k_y, columns of x), A(rows of z, k_y).  The
 *               products of what has come of A are made while the rest travels
 *   add         A(z, k_y) B(k_y, x) along y by recursive halving, each node keeping
 *               its own columns: C(z, columns of x and y)
 * Steps: c + a + b + c.
 * Words, with equal parts: c/2 k n / P + (2^a - 1) k n / P + (2^b - 1) m k / P +
 *   (2^c - 1) m n / P.
 * Memory: B's part in slots and twice half of it; the gathered A and B; one block and
 *   a half of the product.
 * Sides: a, b and c differ by one at most, the longer loops first.
 * Restriction: none.
 */
#include "gemm/loops.h"
#include "gemm/result.h"

#include <string.h>

/* B's exchange.  Slot s holds what goes to the node with y = s; then, once the bits
 * `done` of y have been crossed, what has these bits of s in its source and the
 * others in its target. */
struct exchange {
  struct hy_fiber rows; /* of B after it: the targets' */
  struct hy_fiber cols; /* of B: the sources' */
  int64_t stride;       /* entries of a slot */
  char *slots;
  char *out, *in;
};

struct all3d {
  const struct hy_gemm_task *task;
  struct hy_axis rows; /* of B after the exchange: over y and z */
  struct exchange exchange;
  struct hy_fiber a, b;
  struct hy_result c;
  char *a_panel; /* gathered; NULL where there is nothing to gather */
  char *b_panel;
};

/* --------------------------------------------------------------- layout -- */

static struct hy_axis cyclic(hyla_axis code, int64_t n, int64_t block) {
  code.storage = HYLA_CYCLIC;
  code.block = block;
  return hy_axis_make(&code, n);
}

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  struct hy_loops loops;
  hy_loops_even(given, &loops);
  hy_loops_place(given, &loops);
  int a = loops.count[HY_LOOP_I], b = loops.count[HY_LOOP_J], c = loops.count[HY_LOOP_K];
  hyla_axis z = hy_loops_axis(&loops, HYLA_BINARY, HY_LOOP_I, HY_LOOPS);
  hyla_axis yx = hy_loops_axis(&loops, HYLA_BINARY, HY_LOOP_K, HY_LOOP_J);
  int64_t u = hy_max(1, hy_ceil_div(given->k, (int64_t)1 << (c + (int)hy_max(a, b))));
  wanted->a.row = wanted->c.row = hy_axis_make(&z, given->m);
  wanted->a.col = cyclic(yx, given->k, u);
  wanted->b.row = cyclic(z, given->k, u << c);
  wanted->b.col = wanted->c.col = hy_axis_make(&yx, given->n);
}

/* ------------------------------------------------------ the data flow -- */

static int64_t most(const struct hy_fiber *group) {
  int64_t most = 0;
  for (int x = 0; x >> group->bits == 0; x++)
    most = hy_max(most, hy_held(group->axis, hy_fiber_part(group, x)));
  return most;
}

/* Everything as a node sees it, but for memory; *all and *task stay where they are. */
static void set(struct all3d *all, const struct hy_gemm_task *task) {
  const struct hy_gemm_problem *problem = &task->problem;
  int node = problem->cube->address;
  const hyla_axis *yx = &problem->b.col.code, *z = &problem->b.row.code;
  int c = hy_log2_floor((uint32_t)(z->block / problem->a.col.code.block));
  hyla_axis yz = {.dims = c + z->dims};
  memcpy(yz.dim, yx->dim, (size_t)c);
  memcpy(yz.dim + c, z->dim, (size_t)z->dims);
  *all = (struct all3d){.task = task, .rows = cyclic(yz, problem->k, problem->a.col.code.block)};
  all->exchange.rows = hy_fiber_stack(&all->rows, 0, c, node);
  all->exchange.cols = hy_fiber_stack(&problem->b.col, 0, c, node);
  all->exchange.stride = most(&all->exchange.rows) * most(&all->exchange.cols);
  all->a = hy_fiber_stack(&problem->a.col, c, yx->dims - c, node);
  all->b = hy_fiber_stack(&all->rows, c, z->dims, node);
  all->c = hy_result_make(problem, c, node);
}

/* Entries in a slot. */
static int64_t entries(const struct exchange *e, int done, int slot) {
  int source = (e->cols.own & ~done) | (slot & done);
  int target = (slot & ~done) | (e->rows.own & done);
  return hy_held(e->rows.axis, hy_fiber_part(&e->rows, target)) *
         hy_held(e->cols.axis, hy_fiber_part(&e->cols, source));
}

/* Of the slots that change sides over bit t: what they hold with `done` crossed. */
static int64_t crossing(const struct exchange *e, int t, int done) {
  int64_t sum = 0;
  for (int slot = 0; slot >> e->cols.bits == 0; slot++)
    if (((slot ^ e->cols.own) >> t & 1) != 0) sum += entries(e, done, slot);
  return sum;
}

static int64_t a_entries(const struct all3d *all) {
  return all->a.bits == 0 ? 0 : hy_fiber_total(&all->a) * all->c.rows.count;
}

static int64_t b_entries(const struct all3d *all) {
  return hy_fiber_total(&all->b) * all->c.cols.count;
}

/* -------------------------------------------------------------- memory -- */

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_gemm_task *task = given;
  struct all3d *all = NULL;
  (void)variant;
  TRY(hy_alloc(&task->problem.cube->base, 1, sizeof *all, &all));
  all->task = task;
  *state = all;
  return HYLA_OK;
}

static hyla_status exchange_take(struct hy_base *base, struct exchange *e, size_t size) {
  int64_t half = e->stride << e->cols.bits >> 1;
  if (e->cols.bits == 0) return HYLA_OK;
  TRY(hy_alloc_data(base, 2 * half, size, &e->slots));
  TRY(hy_alloc_data(base, half, size, &e->out));
  return hy_alloc_data(base, half, size, &e->in);
}

static hyla_status take(void *state) {
  struct all3d *all = state;
  const struct hy_gemm_task *task = all->task;
  hyla_cube *cube = task->problem.cube;
  size_t size = task->problem.kernels->size;
  if (cube->address < 0) return HYLA_OK;
  set(all, task);
  TRY(exchange_take(&cube->base, &all->exchange, size));
  if (all->a.bits > 0) TRY(hy_alloc_data(&cube->base, a_entries(all), size, &all->a_panel));
  TRY(hy_alloc_data(&cube->base, b_entries(all), size, &all->b_panel));
  return hy_result_take(&all->c, task);
}

static void destroy(void **state) {
  struct all3d *all = *state;
  if (all == NULL) return;
  hyla_cube *cube = all->task->problem.cube;
  hy_free(&cube->base, &all->exchange.slots);
  hy_free(&cube->base, &all->exchange.out);
  hy_free(&cube->base, &all->exchange.in);
  hy_free(&cube->base, &all->a_panel);
  hy_free(&cube->base, &all->b_panel);
  hy_result_free(cube, &all->c);
  hy_free(&cube->base, state);
}

/* ------------------------------------------------------------ exchange -- */

/* Those of this node's rows of B that have y = target, side by side, to `to`. */
static void pick_rows(const struct hy_gemm_task *task, const struct exchange *e, int target,
                      char *to) {
  const hyla_matrix *x = task->b.matrix;
  const struct hy_panel block = {x->local, x->ld, task->b.op};
  int64_t u = e->rows.axis->code.block, round = u << e->rows.bits;
  int64_t rows = hy_held(&task->problem.b.row, hy_part_of(&task->problem.b.row, e->rows.node));
  int64_t cols = hy_held(e->cols.axis, hy_fiber_part(&e->cols, e->cols.own));
  int64_t ld = hy_max(1, hy_held(e->rows.axis, hy_fiber_part(&e->rows, target)));
  for (int64_t from = target * u, done = 0; from < rows; from += round, done += u) {
    struct hy_panel part = hy_panel_at(&block, from, 0, x->k->size);
    x->k->copy(part.op, (int)hy_min(u, rows - from), (int)cols, 1, part.data, (int)part.ld,
               to + done * (int64_t)x->k->size, (int)ld);
  }
}

/* The slots that cross over bit t, to a message or from one. */
static void carry(const struct exchange *e, int t, int done, const struct hy_kernels *k,
                  char *message, bool in) {
  for (int slot = 0; slot >> e->cols.bits == 0; slot++) {
    if (((slot ^ e->cols.own) >> t & 1) == 0) continue;
    char *place = e->slots + slot * e->stride * (int64_t)k->size;
    int64_t count = entries(e, done, slot);
    hy_copy_entries(k, in ? place : message, in ? message : place, count);
    message += count * (int64_t)k->size;
  }
}

static hyla_status cross(hyla_cube *cube, const struct exchange *e, int t,
                         const struct hy_kernels *k) {
  int before = (1 << t) - 1, after = (2 << t) - 1;
  int peer = cube->address ^ 1 << e->cols.axis->code.dim[t];
  int64_t size = (int64_t)k->size;
  carry(e, t, before, k, e->out, false);
  TRY(hy_exchange(cube, peer, e->out, crossing(e, t, before) * size, e->in,
                  crossing(e, t, after) * size));
  carry(e, t, after, k, e->in, true);
  return HYLA_OK;
}

/* B's rows of k_y to their place in the panel that is gathered along z. */
static hyla_status exchange_rows(const struct hy_gemm_task *task, const struct all3d *all) {
  const struct exchange *e = &all->exchange;
  const struct hy_kernels *k = task->problem.kernels;
  int64_t size = (int64_t)k->size;
  int all_bits = (1 << e->cols.bits) - 1;
  char *place = all->b_panel + hy_fiber_before(&all->b, 0, all->b.own) * all->c.cols.count * size;
  if (e->cols.bits == 0) {
    pick_rows(task, e, 0, place);
    return HYLA_OK;
  }
  for (int slot = 0; slot <= all_bits; slot++)
    pick_rows(task, e, slot, e->slots + slot * e->stride * size);
  for (int t = 0; t < e->cols.bits; t++) TRY(cross(task->problem.cube, e, t, k));
  for (int slot = 0; slot <= all_bits; slot++) {
    int64_t count = entries(e, all_bits, slot);
    hy_copy_entries(k, place, e->slots + slot * e->stride * size, count);
    place += count * size;
  }
  return HYLA_OK;
}

/* ----------------------------------------------------------------- run -- */

/* This node's columns of A: in place or in the panel that is gathered along x. */
static struct hy_panel begin_a(const struct hy_gemm_task *task, const struct all3d *all) {
  const hyla_matrix *x = task->a.matrix;
  struct hy_panel block = {x->local, x->ld, task->a.op};
  if (all->a_panel == NULL) return block;
  int64_t rows = all->c.rows.count, size = (int64_t)x->k->size;
  struct hy_panel panel = {all->a_panel, hy_max(1, rows), HYLA_NONE};
  int64_t cols = hy_held(all->a.axis, hy_fiber_part(&all->a, all->a.own));
  x->k->copy(block.op, (int)rows, (int)cols, 1, block.data, (int)block.ld,
             all->a_panel + hy_fiber_before(&all->a, 0, all->a.own) * rows * size, (int)panel.ld);
  return panel;
}

/* Adds the products with what member x of A's group has given. */
static void multiply(const struct hy_gemm_task *task, struct all3d *all, const struct hy_panel *a,
                     int x) {
  int64_t k = task->problem.k, u = all->rows.code.block, n = all->c.cols.count;
  size_t size = task->problem.kernels->size;
  int64_t a_at = hy_fiber_before(&all->a, 0, x);
  for (int64_t g = x;; g += (int64_t)1 << all->a.bits) {
    int64_t start = (g << all->exchange.cols.bits | all->exchange.cols.own) * u;
    if (start >= k) return;
    int z = (int)(g & ((1 << all->b.bits) - 1));
    int b_part = hy_fiber_part(&all->b, z);
    int64_t skip = hy_axis_before(all->a.axis, hy_fiber_part(&all->a, x), start);
    struct hy_panel a_part = hy_panel_at(a, 0, a_at + skip, size);
    struct hy_panel b_part_of = {all->b_panel + hy_fiber_before(&all->b, 0, z) * n * (int64_t)size,
                                 hy_max(1, hy_held(&all->rows, b_part)), HYLA_NONE};
    b_part_of = hy_panel_at(&b_part_of, hy_axis_before(&all->rows, b_part, start), 0, size);
    const struct hy_indices inner = hy_interval(start, hy_min(u, k - start));
    hy_count_touched(task->problem.cube, hy_gemm_touched(all->c.rows.count, n, inner.count, 1));
    hy_result_add(&all->c, &a_part, &b_part_of, &inner);
  }
}

/* Gathers A; what has come is multiplied while the rest travels. */
static hyla_status gather_and_multiply(const struct hy_gemm_task *task, struct all3d *all) {
  struct hy_panel a = begin_a(task, all);
  struct hy_step step;
  hy_step_make(task->problem.cube, &step);
  for (int bit = 0, first = all->a.own, run = 1; bit <= all->a.bits; bit++) {
    hy_fiber_gather(&all->a, bit, all->c.rows.count, 0, task->problem.kernels->size, all->a_panel,
                    &step);
    TRY(hy_step_start(&step));
    for (int x = first; x < first + run; x++) multiply(task, all, &a, x);
    TRY(hy_step_wait(&step));
    run = 1 << bit;
    first = (all->a.own & -run) ^ run;
  }
  return HYLA_OK;
}

static hyla_status run(void *state) {
  struct all3d *all = state;
  const struct hy_gemm_task *task = all->task;
  hyla_cube *cube = task->problem.cube;
  struct hy_step step;
  if (cube->address < 0) return HYLA_OK;
  hy_step_make(cube, &step);
  hy_result_begin(&all->c);
  TRY(exchange_rows(task, all));
  for (int bit = 0; bit < all->b.bits; bit++) {
    hy_fiber_gather(&all->b, bit, all->c.cols.count, 0, task->problem.kernels->size, all->b_panel,
                    &step);
    TRY(hy_step_run(&step));
  }
  TRY(gather_and_multiply(task, all));
  return hy_result_finish(&all->c);
}

static const struct hy_gemm_traits TRAITS = {.layouts = layouts, .sends_zeros = true};

const struct hy_variant hy_gemm_all3d = {
    .name = "all3d",
    .reference = "gupta-1996, 3D All",
    .traits = &TRAITS,
    .applies = hy_gemm_whole,
    .create = create,
    .take = take,
    .run = run,
    .destroy = destroy,
};
