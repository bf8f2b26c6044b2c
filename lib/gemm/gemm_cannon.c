/* Cannon's algorithm: multiplication by rotation.
 *
 * Reference: Johnsson 1987, section 5, MMC2; Cannon 1969.
 * Layout: A, B, C in consecutive blocks, Gray-coded on both axes of a 2^r x 2^c
 *   array, so that the next block along a row or a column of the array is a
 *   neighbour's.  k is cut into K = max(2^r, 2^c) panels; a block of A holds
 *   K / 2^c of them, a block of B K / 2^r, and one of the two numbers is 1.
 * Method: node (i, j) multiplies at step t panel
 *     kappa = (j K/2^c + i K/2^r + t) mod K
 *   of its row of A with the same panel of its column of B.  A block moves one
 *   place, to the left or upwards, when kappa passes its end.  Before, row i of
 *   A is rotated to the left and column j of B upwards, so that the block with
 *   the first kappa is there.  The next block travels while the present one is
 *   multiplied.
 * Steps: 1 to set up, K - 1 rotations.
 * Messages and words: each step at most a block of A and a block of B.  The
 *   rotations go to neighbours; the set-up goes straight to its target, which
 *   is up to r or c links away.
 * Memory: two blocks of A and two of B.
 * In place: where the nodes can read one another's blocks nothing is rotated
 *   or copied.  All lend their blocks once, in one step, and the panel that
 *   would have come is read where it lies, in the same order.
 * Restriction: none.
 */
#include "gemm/gemm.h"

/* One factor on its way round the rings of one axis of the array. */
struct wheel {
  const struct hy_axis *axis; /* k as this factor is split over it */
  bool rows;                  /* k counts rows (of B), else columns (of A) */
  bool in_place;
  int64_t across; /* the node's rows of A, columns of B */
  int places;     /* of the ring, and which one is the node's */
  int own;
  int each; /* panels a block */
  int held; /* the block that is here */
  /* Of a run, by rotation: */
  struct hy_panel block;
  char *spare[2];
  int free; /* the spare that the next block may come to */
  /* Of a run, in place: */
  struct hy_loans *loans;
};

struct cannon {
  int panels; /* K */
  int first;  /* the panel of step 0 */
  struct wheel a, b;
};

static const char *applies(const struct hy_gemm_problem *given) {
  (void)given;
  return NULL;
}

static bool is_gray_consecutive(const struct hy_axis *axis) {
  hyla_axis code = axis->code;
  code.code = HYLA_GRAY;
  code.storage = HYLA_CONSECUTIVE;
  struct hy_axis gray = hy_axis_make(&code, axis->n);
  return hy_axis_equal(axis, &gray);
}

static struct hy_axis gray_consecutive(const hyla_axis *carrier, int64_t n) {
  hyla_axis code = *carrier;
  code.code = HYLA_GRAY;
  code.storage = HYLA_CONSECUTIVE;
  code.block = 0;
  return hy_axis_make(&code, n);
}

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  hyla_layout array;
  const struct hy_operand *c = &given->c;
  /* C stays on its own array if it is stored as it should be; otherwise it moves
   * anyway, and then best to the squarest array. */
  if (is_gray_consecutive(&c->row) && is_gray_consecutive(&c->col))
    array = (hyla_layout){.row = c->row.code, .col = c->col.code};
  else
    hyla_layout_default(given->cube, &array);
  wanted->c.row = gray_consecutive(&array.row, given->m);
  wanted->c.col = gray_consecutive(&array.col, given->n);
  wanted->a.row = wanted->c.row;
  wanted->b.col = wanted->c.col;
  int panels = (int)hy_max(wanted->c.row.parts, wanted->c.col.parts);
  wanted->a.col = hy_inner_axis(&wanted->c.col.code, given->k, panels);
  wanted->b.row = hy_inner_axis(&wanted->c.row.code, given->k, panels);
}

/* ------------------------------------------------------ the data flow -- */

static void wheel_set(struct wheel *w, const struct hy_axis *axis, int panels, int64_t across,
                      int node) {
  w->axis = axis;
  w->across = across;
  w->places = axis->parts;
  w->each = panels / axis->parts;
  w->own = hy_part_of(axis, node);
  w->held = w->own;
}

/* Both wheels as `node` sees them. */
static void wheels_set(struct cannon *cannon, const struct hy_gemm_problem *problem, int node) {
  const struct hy_operand *a = &problem->a, *b = &problem->b;
  cannon->panels = (int)hy_max(a->col.parts, b->row.parts);
  int64_t rows = hy_held(&a->row, hy_part_of(&a->row, node));
  int64_t cols = hy_held(&b->col, hy_part_of(&b->col, node));
  wheel_set(&cannon->a, &a->col, cannon->panels, rows, node);
  wheel_set(&cannon->b, &b->row, cannon->panels, cols, node);
  cannon->a.in_place = a->in_place || cannon->a.places == 1;
  cannon->b.in_place = b->in_place || cannon->b.places == 1;
  cannon->b.rows = true;
  cannon->first =
      (cannon->a.own * cannon->a.each + cannon->b.own * cannon->b.each) % cannon->panels;
}

/* The panel of step t. */
static int panel_at(const struct cannon *cannon, int t) {
  return (cannon->first + t) % cannon->panels;
}

/* How many places a wheel turns before step t; before step 0 it is set up. */
static int distance(const struct cannon *cannon, const struct wheel *w, int t) {
  if (w->in_place) return 0;
  int block = panel_at(cannon, t) / w->each;
  return (block - w->held + w->places) % w->places;
}

static int64_t entries(const struct wheel *w, int block) {
  return w->across * hy_held(w->axis, block);
}

/* ---------------------------------------------------------------- cost -- */

/* Counts one turn; says whether anything travels. */
static bool turn_cost(const struct cannon *cannon, struct wheel *w, int t, hyla_cost *cost) {
  int places = distance(cannon, w, t);
  if (places == 0) return false;
  int next = (w->held + places) % w->places;
  int64_t out = entries(w, w->held), in = entries(w, next);
  w->held = next;
  cost->messages += out > 0;
  cost->words += out;
  return out > 0 || in > 0;
}

static int64_t spare_entries(const struct wheel *w) {
  return w->in_place ? 0 : w->across * hy_axis_most(w->axis);
}

static hyla_cost cost(const struct hy_gemm_problem *problem, const void *state, int node) {
  (void)state;
  struct cannon cannon = {0};
  hyla_cost cost = {.flops = hy_gemm_flops(problem, node)};
  wheels_set(&cannon, problem, node);
  for (int t = 0; t < cannon.panels; t++) {
    bool a = turn_cost(&cannon, &cannon.a, t, &cost);
    bool b = turn_cost(&cannon, &cannon.b, t, &cost);
    cost.steps += a || b;
  }
  if (cannon.a.in_place) hy_loans_cost(cannon.a.axis, cannon.a.across, node, &cost);
  if (cannon.b.in_place) hy_loans_cost(cannon.b.axis, cannon.b.across, node, &cost);
  int64_t spares = 2 * (spare_entries(&cannon.a) + spare_entries(&cannon.b));
  cost.memory = spares * (int64_t)problem->kernels->size;
  return cost;
}

/* -------------------------------------------------------------- memory -- */

static hyla_status create(const struct hy_gemm_problem *problem, void **state) {
  return hy_alloc(&problem->cube->base, 1, sizeof(struct cannon), state);
}

static hyla_status wheel_take(struct hy_base *base, struct wheel *w,
                              const struct hy_gemm_factor *factor) {
  bool rows = w->rows == (factor->op == HYLA_NONE);
  if (w->in_place) return hy_loans_create(factor->matrix, rows, &w->loans);
  for (int i = 0; i < 2; i++)
    TRY(hy_alloc(base, spare_entries(w), factor->matrix->k->size, &w->spare[i]));
  return HYLA_OK;
}

static hyla_status take(const struct hy_gemm_task *task, void *state) {
  struct cannon *cannon = state;
  hyla_cube *cube = task->problem.cube;
  if (cube->address < 0) return HYLA_OK;
  wheels_set(cannon, &task->problem, cube->address);
  TRY(wheel_take(&cube->base, &cannon->a, &task->a));
  return wheel_take(&cube->base, &cannon->b, &task->b);
}

static void destroy(hyla_cube *cube, void **state) {
  struct cannon *cannon = *state;
  if (cannon == NULL) return;
  struct wheel *wheels[] = {&cannon->a, &cannon->b};
  for (int x = 0; x < 2; x++) {
    hy_loans_destroy(cube, &wheels[x]->loans);
    for (int i = 0; i < 2; i++) hy_free(&cube->base, &wheels[x]->spare[i]);
  }
  hy_free(&cube->base, state);
}

/* ----------------------------------------------------------------- run -- */

/* The node's own block, without gaps between its columns, or lent as it is. */
static hyla_status wheel_begin(struct wheel *w, const struct hy_gemm_factor *factor) {
  const hyla_matrix *x = factor->matrix;
  if (w->in_place) return hy_loans_open(w->loans);
  int64_t width = hy_held(w->axis, w->own);
  int64_t rows = w->rows ? width : w->across, cols = w->rows ? w->across : width;
  w->held = w->own;
  w->free = 0;
  w->block = (struct hy_panel){x->local, hy_max(1, rows), HYLA_NONE};
  if (rows == 0 || cols == 0 || (factor->op == HYLA_NONE && x->ld == rows)) return HYLA_OK;
  x->k->copy(factor->op, (int)rows, (int)cols, 1, x->local, (int)x->ld, w->spare[0], (int)rows);
  w->block.data = w->spare[0];
  w->free = 1;
  return HYLA_OK;
}

/* The two messages of a turn of `places`; returns how many there are. */
static int turn_messages(const struct wheel *w, const hyla_matrix *x, int places,
                         struct hy_message *messages) {
  if (places == 0) return 0;
  int node = x->cube->address;
  int from = (w->own + places) % w->places;
  int to = (w->own - places + w->places) % w->places;
  int64_t size = (int64_t)x->k->size;
  messages[0] = (struct hy_message){.verb = HY_RECV,
                                    .peer = hy_node_along(w->axis, node, from),
                                    .bytes = entries(w, (w->held + places) % w->places) * size,
                                    .data = w->spare[w->free]};
  messages[1] = (struct hy_message){.verb = HY_SEND,
                                    .peer = hy_node_along(w->axis, node, to),
                                    .bytes = entries(w, w->held) * size,
                                    .data = (void *)(uintptr_t)w->block.data};
  return 2;
}

/* The block that came is the one that is here. */
static void turned(struct wheel *w, int places) {
  if (places == 0) return;
  w->held = (w->held + places) % w->places;
  w->block.data = w->spare[w->free];
  w->block.ld = hy_max(1, w->rows ? hy_held(w->axis, w->held) : w->across);
  w->free = 1 - w->free;
}

/* Panel `kappa` of a factor. */
static hyla_status wheel_panel(struct wheel *w, const struct hy_gemm_factor *factor, int kappa,
                               int64_t start, struct hy_panel *panel) {
  int block = kappa / w->each;
  int64_t skip = hy_axis_before(w->axis, block, start);
  struct hy_panel from = w->block;
  if (w->in_place) {
    TRY(hy_loans_block(w->loans, block, &from));
    from.op = factor->op;
  }
  *panel = hy_panel_at(&from, w->rows ? skip : 0, w->rows ? 0 : skip, factor->matrix->k->size);
  return HYLA_OK;
}

/* C += A(:, kappa) B(kappa, :) */
static hyla_status product(const struct hy_gemm_task *task, struct cannon *cannon, int kappa,
                           struct hy_gemm_sum *sum) {
  int64_t k = task->problem.k;
  int64_t width = hy_ceil_div(k, cannon->panels);
  int64_t start = hy_min(k, kappa * width);
  width = hy_min(k - start, width);
  if (width == 0) return HYLA_OK;
  struct hy_panel a, b;
  TRY(wheel_panel(&cannon->a, &task->a, kappa, start, &a));
  TRY(wheel_panel(&cannon->b, &task->b, kappa, start, &b));
  hy_gemm_add(sum, &a, &b, width);
  return HYLA_OK;
}

/* Turns both wheels for step t while, unless t is 0, step t - 1 is multiplied. */
static hyla_status step(const struct hy_gemm_task *task, struct cannon *cannon, int t,
                        struct hy_gemm_sum *sum) {
  hyla_cube *cube = task->problem.cube;
  bool last = t == cannon->panels;
  int a = last ? 0 : distance(cannon, &cannon->a, t);
  int b = last ? 0 : distance(cannon, &cannon->b, t);
  struct hy_message messages[4];
  int count = turn_messages(&cannon->a, task->a.matrix, a, messages);
  count += turn_messages(&cannon->b, task->b.matrix, b, messages + count);
  TRY(hy_link_start(cube, messages, count));
  if (t > 0) TRY(product(task, cannon, panel_at(cannon, t - 1), sum));
  TRY(hy_link_wait(cube, messages, count));
  turned(&cannon->a, a);
  turned(&cannon->b, b);
  return HYLA_OK;
}

static hyla_status run(const struct hy_gemm_task *task, void *state) {
  struct cannon *cannon = state;
  struct hy_gemm_sum sum = {.task = task};
  if (task->problem.cube->address < 0) return HYLA_OK;
  TRY(wheel_begin(&cannon->a, &task->a));
  TRY(wheel_begin(&cannon->b, &task->b));
  for (int t = 0; t <= cannon->panels; t++) TRY(step(task, cannon, t, &sum));
  hy_gemm_finish(&sum);
  if (cannon->a.in_place) TRY(hy_loans_close(cannon->a.loans));
  return cannon->b.in_place ? hy_loans_close(cannon->b.loans) : HYLA_OK;
}

const struct hy_gemm_variant hy_gemm_cannon = {
    .name = "cannon",
    .reference = "johnsson-1987, section 5, MMC2",
    .applies = applies,
    .layouts = layouts,
    .create = create,
    .cost = cost,
    .take = take,
    .run = run,
    .destroy = destroy,
};
