/* Multiplication as a word over i, j, k: each cube dimension serves one loop.
 *
 * Reference: Agarwal, Balle, Gustavson, Joshi and Palkar 1995 for three loops;
 *   all-gather and its reverse, Stout and Wagar 1990, section 1.5.
 * Layout: a 2^a x 2^b x 2^c array, the 2^a parts of i, 2^b of j, 2^c of k:
 *   A is split over i by rows, over k by columns, and is wanted by all along j;
 *   B over k by rows, over j by columns, wanted by all along i;
 *   C over i by rows, over j by columns, and is added along k.
 *   To begin with all are split evenly: A's columns over k and, finer, j; B's over
 *   j and i; C's over j and k.
 * Method: all-gather A along j and B along i, multiply, reduce-scatter C along k.
 *   Where k is long this is done in rounds of at most 512 of the node's indices of
 *   k, fewer where memory is limited: the panels of the next round are gathered while
 *   this one is multiplied, one step of it for each slice of C's columns.
 * Steps: max(a, b) a round, c to add.
 * Words: (1 - 2^-b) of a block of A, (1 - 2^-a) of a block of B, (1 - 2^-c) of a
 *   block of C.
 * Memory: two panels of A and of B (one, if there is one round; none along a loop
 *   without dimensions); with c > 0 one block and a half of C.
 * The word: of the (d+1)(d+2)/2 triples a + b + c = d the fastest by the machine
 *   model, the moves of the operands included, of those that fit the memory limit;
 *   among equals the one with least memory.
 * Restriction: none.
 */
#include "gemm/gemm_plan.h"
#include "gemm/loops.h"
#include "gemm/result.h"

/* Products of that inner size run at full speed; how far it may go down for memory. */
enum { PANEL = 512, PANEL_LEAST = 32 };

/* A factor: its group, and the panels that are gathered. */
struct side {
  struct hy_fiber fiber;
  bool gathers;
  char *panel[2];
};

struct word {
  const struct hy_gemm_task *task;
  int64_t rounds;
  struct hy_fiber inner; /* B's rows: what of k is this node's */
  struct side a, b;
  struct hy_result c;
};

/* --------------------------------------------------------------- layout -- */

static struct hy_axis blocks_of(hyla_axis code, int64_t n, int64_t block) {
  bool once = block << code.dims >= n;
  code.storage = once && hy_ceil_div(n, 1 << code.dims) == block ? HYLA_CONSECUTIVE : HYLA_CYCLIC;
  code.block = code.storage == HYLA_CYCLIC ? block : 0;
  return hy_axis_make(&code, n);
}

static void lay_out(const struct hy_gemm_problem *given, const struct hy_loops *loops, int panel,
                    struct hy_gemm_problem *wanted) {
  int a = loops->count[HY_LOOP_I], b = loops->count[HY_LOOP_J], c = loops->count[HY_LOOP_K];
  hyla_axis i = hy_loops_axis(loops, HYLA_BINARY, HY_LOOP_I, HY_LOOPS);
  hyla_axis k = hy_loops_axis(loops, HYLA_BINARY, HY_LOOP_K, HY_LOOPS);
  hyla_axis jk = hy_loops_axis(loops, HYLA_BINARY, HY_LOOP_J, HY_LOOP_K);
  hyla_axis ij = hy_loops_axis(loops, HYLA_BINARY, HY_LOOP_I, HY_LOOP_J);
  hyla_axis kj = hy_loops_axis(loops, HYLA_BINARY, HY_LOOP_K, HY_LOOP_J);
  /* Without anything to gather there are no panels. */
  int64_t rounds = a + b == 0 ? 1 : hy_max(1, hy_ceil_div(given->k, (int64_t)panel << c));
  int64_t share = hy_max(1, hy_ceil_div(given->k, rounds << (b + c)));
  wanted->a.row = wanted->c.row = hy_axis_make(&i, given->m);
  wanted->a.col = blocks_of(jk, given->k, share);
  wanted->b.row = blocks_of(k, given->k, share << b);
  /* Where i and k are split differently, B's and C's parts of j must still agree. */
  int finest = 1 << (b + (int)hy_max(a, c));
  wanted->b.col = hy_inner_axis(&ij, given->n, finest);
  wanted->c.col = hy_inner_axis(&kj, given->n, finest);
}

static hyla_status take(void *state);
static hyla_status run(void *state);

/* A word with its layouts, as node 0 sees it, which has most to do. */
struct trial {
  struct hy_gemm_problem wanted;
  double seconds;
  int64_t memory; /* bytes, at most: packing included */
  bool fits;
};

/* What moving the operands into its layouts adds. */
static hyla_cost cost_of_moves(const struct hy_gemm_problem *given,
                               const struct hy_gemm_problem *wanted) {
  const struct hy_operand *from[] = {&given->a, &given->b, &given->c};
  const struct hy_operand *to[] = {&wanted->a, &wanted->b, &wanted->c};
  hyla_cost sum = {0};
  for (int x = 0; x < 3; x++) {
    if (hy_axis_equal(&from[x]->row, &to[x]->row) && hy_axis_equal(&from[x]->col, &to[x]->col))
      continue;
    /* C goes there and back; a message each way has at most all that is moved. */
    int64_t share = hy_held(&to[x]->row, 0) * hy_held(&to[x]->col, 0);
    int64_t moved = x < 2 ? share : 2 * share;
    sum.words += moved;
    sum.copied += moved;
    if (hy_in_place_expected(given->cube)) sum.lent += moved;
    sum.memory += 3 * share * (int64_t)given->kernels->size;
  }
  return sum;
}

/* Replays the word, only if it fits the memory: else its seconds are not asked for.  That takes
 * no memory itself, so it does not fail on some ranks alone. */
static void estimate(const struct hy_gemm_problem *given, struct trial *trial) {
  const struct hy_kernels *k = given->kernels;
  int64_t limit = given->cube->base.memory_limit;
  hyla_cost sum = cost_of_moves(given, &trial->wanted);
  struct hy_gemm_replay replay;
  struct word word = {.task = &replay.task};
  hy_gemm_replay_begin(&trial->wanted, 0, &replay);
  bool possible = take(&word) == HYLA_OK;
  trial->memory = sum.memory + hy_gemm_replay_end(&trial->wanted, &replay).memory;
  trial->fits = possible && (limit == 0 || trial->memory <= limit);
  if (!trial->fits || run(&word) != HYLA_OK) return;
  hy_cost_add(&sum, hy_gemm_replay_end(&trial->wanted, &replay));
  trial->seconds = hy_machine_seconds(&given->cube->machine, &sum, k->size, k->complex_type);
}

static bool better(const struct trial *x, const struct trial *y) {
  if (x->fits != y->fits) return x->fits;
  if (x->fits && x->seconds != y->seconds) return x->seconds < y->seconds;
  return x->memory < y->memory;
}

/* The widest panels with which a word fits the memory; the narrowest if none do. */
static void try_word(const struct hy_gemm_problem *given, struct hy_loops *loops,
                     struct trial *trial) {
  hy_loops_place(given, loops);
  for (int panel = PANEL; panel >= PANEL_LEAST && !trial->fits; panel /= 2) {
    lay_out(given, loops, panel, &trial->wanted);
    estimate(given, trial);
  }
}

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  int dims = given->cube->dims;
  struct trial best = {.wanted = *wanted};
  for (int c = 0; c <= dims; c++)
    for (int b = dims - c; b >= 0; b--) {
      struct hy_loops loops = {.count = {dims - b - c, b, c}};
      struct trial trial = {.wanted = *wanted};
      try_word(given, &loops, &trial);
      if ((b == dims && c == 0) || better(&trial, &best)) best = trial;
    }
  *wanted = best.wanted;
}

/* ------------------------------------------------------ the data flow -- */

static struct side side_make(const struct hy_axis *axis, int bits, int node) {
  return (struct side){.fiber = hy_fiber_make(axis, bits, node), .gathers = bits > 0};
}

/* Everything as a node sees it, but for memory. */
static struct word word_make(const struct hy_gemm_task *task) {
  const struct hy_gemm_problem *problem = &task->problem;
  int node = problem->cube->address;
  const struct hy_operand *a = &problem->a, *b = &problem->b, *c = &problem->c;
  int of_k = b->row.code.dims;
  int64_t round = b->row.block << of_k;
  return (struct word){
      .task = task,
      .rounds = hy_max(1, hy_ceil_div(problem->k, round)),
      .inner = hy_fiber_make(&b->row, 0, node),
      .a = side_make(&a->col, a->col.code.dims - of_k, node),
      .b = side_make(&b->col, a->row.code.dims, node),
      .c = hy_result_make(problem, c->col.code.dims - (a->col.code.dims - of_k), node)};
}

static int64_t width_of(const struct word *w, int64_t round) {
  return hy_fiber_length(&w->inner, round);
}

/* What the panels of a round have entries with: the node's rows of A, B's gathered columns. */
static struct hy_reach reach_of(const struct word *w, const struct side *side, int64_t round) {
  const struct hy_gemm_problem *problem = &w->task->problem;
  const struct hy_indices k = hy_interval(hy_fiber_from(&w->inner, round), width_of(w, round));
  const struct hy_triangle_block a = {problem->part_a, hy_indices_of(&problem->a.row, w->c.node),
                                      k};
  const struct hy_triangle_block b = {problem->part_b, k,
                                      hy_interval(hy_fiber_from(&w->b.fiber, 0), w->c.cols.count)};
  return side == &w->a ? hy_triangle_block_rows(&a) : hy_triangle_block_cols(&b);
}

/* A panel as it is gathered: without gaps, and without the rows of A, the columns of B, that
 * are not in its reach. */
struct gathering {
  struct hy_fiber fiber;
  int64_t across, length; /* rows and columns */
  int64_t first;          /* entry, from entry (0, 0) on */
};

static struct gathering gathering_of(const struct word *w, const struct side *side, int64_t round) {
  struct hy_reach reach = reach_of(w, side, round);
  int64_t width = width_of(w, round);
  struct gathering g = {side->fiber, reach.count, width, reach.from};
  if (side == &w->a) return g;
  g = (struct gathering){side->fiber, width, w->c.cols.count, 0};
  g.fiber.limited = true;
  g.fiber.limits = reach;
  return g;
}

static int steps_of(const struct word *w) { return (int)hy_max(w->a.fiber.bits, w->b.fiber.bits); }

/* Entries of the widest panel, the first one. */
static int64_t panel_entries(const struct word *w, const struct side *side) {
  int64_t across = side == &w->a ? w->c.rows.count : w->c.cols.count;
  return side->gathers ? across * width_of(w, 0) : 0;
}

static int panels_of(const struct word *w) { return w->rounds > 1 ? 2 : 1; }

/* -------------------------------------------------------------- memory -- */

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_gemm_task *task = given;
  struct word *w = NULL;
  (void)variant;
  TRY(hy_alloc(&task->problem.cube->base, 1, sizeof *w, &w));
  w->task = task;
  *state = w;
  return HYLA_OK;
}

static hyla_status side_take(const struct hy_gemm_task *task, const struct word *w,
                             struct side *side) {
  for (int x = 0; side->gathers && x < panels_of(w); x++)
    TRY(hy_alloc_data(&task->problem.cube->base, panel_entries(w, side),
                      task->problem.kernels->size, &side->panel[x]));
  return HYLA_OK;
}

static hyla_status take(void *state) {
  struct word *w = state;
  const struct hy_gemm_task *task = w->task;
  if (task->problem.cube->address < 0) return HYLA_OK;
  *w = word_make(task);
  TRY(side_take(task, w, &w->a));
  TRY(side_take(task, w, &w->b));
  return hy_result_take(&w->c, task);
}

static void destroy(void **state) {
  struct word *w = *state;
  if (w == NULL) return;
  hyla_cube *cube = w->task->problem.cube;
  for (int x = 0; x < 2; x++) {
    hy_free(&cube->base, &w->a.panel[x]);
    hy_free(&cube->base, &w->b.panel[x]);
  }
  hy_result_free(cube, &w->c);
  hy_free(&cube->base, state);
}

/* ----------------------------------------------------------------- run -- */

/* The panels of a round: where they lie or, gathered, will lie. */
struct panels {
  int64_t start; /* of k */
  int64_t width;
  struct hy_panel a, b;
};

/* Of this node's block of a factor, entry (row, col) and what follows. */
static struct hy_panel block_at(const struct hy_gemm_factor *factor, int64_t row, int64_t col) {
  const hyla_matrix *x = factor->matrix;
  const struct hy_panel block = {x->local, x->ld, factor->op};
  return hy_panel_at(&block, row, col, x->k->size);
}

/* The panel of which this node's share is `share`: that itself or, to be gathered, room
 * with the share in its place. */
static struct hy_panel begin(const struct hy_gemm_factor *factor, const struct word *w,
                             const struct side *side, int64_t round, const struct hy_panel *share) {
  if (!side->gathers) return *share;
  const struct hy_kernels *k = factor->matrix->k;
  struct gathering g = gathering_of(w, side, round);
  struct hy_panel panel = {side->panel[round % 2], hy_max(1, g.across), HYLA_NONE};
  int64_t from = hy_fiber_before(&g.fiber, g.length, g.fiber.own);
  int64_t own = hy_fiber_before(&g.fiber, g.length, g.fiber.own + 1) - from;
  int64_t skip = from - hy_fiber_before(&side->fiber, g.length, g.fiber.own);
  if (own == 0 || g.across == 0) return panel;
  hy_count_copied(factor->matrix->cube, own * g.across);
  struct hy_panel part = hy_panel_at(share, g.first, skip, k->size);
  char *place = side->panel[round % 2] + (g.first + from * g.across) * (int64_t)k->size;
  k->copy(part.op, (int)g.across, (int)own, 1, part.data, (int)part.ld, place, (int)panel.ld);
  return panel;
}

static struct panels begin_round(const struct hy_gemm_task *task, const struct word *w,
                                 int64_t round) {
  int64_t width = width_of(w, round);
  hy_count_touched(task->problem.cube, hy_gemm_touched(w->c.rows.count, w->c.cols.count, width, 1));
  struct hy_panel a = block_at(&task->a, 0, round * w->a.fiber.axis->block);
  struct hy_panel b = block_at(&task->b, round * w->inner.axis->block, 0);
  return (struct panels){hy_fiber_from(&w->inner, round), width,
                         begin(&task->a, w, &w->a, round, &a),
                         begin(&task->b, w, &w->b, round, &b)};
}

/* Slice `slice` of `slices` of C's columns. */
static void multiply(struct word *w, const struct panels *panels, int slice, int slices) {
  int64_t from = w->c.cols.count * slice / slices, to = w->c.cols.count * (slice + 1) / slices;
  const struct hy_indices inner = hy_interval(panels->start, panels->width);
  hy_result_add_columns(&w->c, from, to, &panels->a, &panels->b, &inner);
}

/* Gathers the panels of a round while those of the one before are multiplied. */
static hyla_status gather(const struct hy_gemm_task *task, struct word *w, int64_t round,
                          const struct panels *before) {
  size_t size = task->problem.kernels->size;
  int steps = steps_of(w);
  struct gathering a = gathering_of(w, &w->a, round), b = gathering_of(w, &w->b, round);
  char *to_a = w->a.panel[round % 2], *to_b = w->b.panel[round % 2];
  struct hy_step step;
  hy_step_make(task->problem.cube, &step);
  if (to_a != NULL) to_a += a.first * (int64_t)size;
  for (int bit = 0; bit < steps; bit++) {
    hy_fiber_gather(&a.fiber, bit, a.across, a.length, size, to_a, &step);
    hy_fiber_gather(&b.fiber, bit, b.across, b.length, size, to_b, &step);
    TRY(hy_step_start(&step));
    if (round > 0) multiply(w, before, bit, steps);
    TRY(hy_step_wait(&step));
  }
  return HYLA_OK;
}

static hyla_status run(void *state) {
  struct word *w = state;
  const struct hy_gemm_task *task = w->task;
  struct panels before = {0};
  if (task->problem.cube->address < 0) return HYLA_OK;
  hy_result_begin(&w->c);
  for (int64_t round = 0; round < w->rounds; round++) {
    struct panels next = begin_round(task, w, round);
    TRY(gather(task, w, round, &before));
    before = next;
  }
  multiply(w, &before, 0, 1);
  return hy_result_finish(&w->c);
}

static const struct hy_gemm_traits TRAITS = {.layouts = layouts};

const struct hy_variant hy_gemm_word = {
    .name = "word",
    .reference = "agarwal-1995, the 3-D algorithm",
    .traits = &TRAITS,
    .applies = hy_gemm_whole,
    .create = create,
    .take = take,
    .run = run,
    .destroy = destroy,
};
