/* The memory of redistributions besides source and target is one packing buffer.  It has room for
 * the entries that a node holds before a phase and after it, and for those that it passes on and
 * its target has no room for.  Large parts: entries that stay on a node change places piece by
 * piece.  Run on virtual cubes, so that layouts and sizes may be any. */
// limit: 60
#include "hyla_lab.h"
#include "redistribute_case.h"

static const char *const variants[] = {"direct", "moves", "multiphase"};
enum { VARIANTS = 3, ROUNDS = 60, NODES_MAX = 16 };

/* The part of a matrix on each node when some dimensions are settled: rows and columns, in all
 * combinations. */
struct stage {
  int64_t held[NODES_MAX];
  int64_t rows[NODES_MAX];
};

/* Counts the entries whose target agrees with the node in the dimensions `done' and whose source
 * agrees with it in the others. */
static void count_stage(const hyla_matrix *from, const hyla_matrix *to, uint32_t done,
                        struct stage *stage) {
  int64_t rows = from->row.n, cols = from->col.n;
  *stage = (struct stage){0};
  for (int64_t i = 0; i < rows; i++) {
    bool met[NODES_MAX] = {false};
    for (int64_t j = 0; j < cols; j++) {
      uint32_t source = (uint32_t)hyla_layout_owner(&from->layout, rows, cols, i, j);
      uint32_t target = (uint32_t)hyla_layout_owner(&to->layout, rows, cols, i, j);
      uint32_t node = (source & ~done) | (target & done);
      stage->held[node]++;
      stage->rows[node] += !met[node];
      met[node] = true;
    }
  }
}

/* The bound, in entries, on a packing buffer on the fullest node: the entries that the node holds
 * before a phase and after it; and, if it passes on more than its target has room for, the rest, in
 * whole columns.  even: all nodes hold equally much all the way. */
static int64_t count_bound(const hyla_matrix *from, const hyla_matrix *to, int dims, bool *even) {
  static struct stage stages[NODES_MAX];
  int count = 1 << dims, last = count - 1;
  int64_t bound = 0;
  *even = true;
  for (int done = 0; done < count; done++) count_stage(from, to, (uint32_t)done, &stages[done]);
  for (int node = 0; node < count; node++) {
    int64_t messages = 0, surplus = 0, room = stages[last].held[node];
    for (int done = 0; done < count; done++) {
      const struct stage *before = &stages[done];
      int64_t held = before->held[node];
      *even = *even && held == stages[last].held[0];
      if (done > 0 && held > room) surplus = hy_max(surplus, held - room + before->rows[node] - 1);
      for (int then = done + 1; then < count; then++)
        if ((then & done) == done) messages = hy_max(messages, held + stages[then].held[node]);
    }
    bound = hy_max(bound, surplus + messages);
  }
  return bound;
}

struct rounds {
  int dims;
  double beta;     /* of the machine that plans are chosen for: it decides about the phases */
  int64_t checked; /* plans that were compared with a bound */
  int64_t even;    /* those for which all nodes hold equally much all the way */
  int64_t tight;   /* those that take all of their bound */
  struct redistribute_case cases[ROUNDS];
};

static hyla_status check_memory(hyla_cube *cube, struct rounds *rounds, const hyla_plan *plan,
                                const hyla_matrix *from, const hyla_matrix *to) {
  bool even;
  int64_t size = (int64_t)from->k->size, memory = hyla_plan_cost(plan).memory;
  int64_t bound = count_bound(from, to, cube->dims, &even) * size;
  CHECK(&cube->base, memory <= bound, FORMAT, "%s takes %lld bytes; its buffer needs %lld at most",
        hyla_plan_variant(plan), (long long)memory, (long long)bound);
  if (cube->address == 0) {
    rounds->checked++;
    rounds->even += even;
    rounds->tight += memory == bound && memory > 0;
  }
  return HYLA_OK;
}

static hyla_status plan_case(hyla_cube *cube, struct rounds *rounds,
                             const struct redistribute_case *x) {
  const struct redistribute_side *side = &x->side[0];
  hyla_transfer transfer = {.alpha = 1};
  hyla_matrix *from = NULL, *to = NULL;
  hyla_plan *plan = NULL;
  TRY(hyla_matrix_create(cube, x->type, side->rows, side->cols, &side->from, &from));
  TRY(hyla_matrix_create(cube, x->type, side->rows, side->cols, &side->to, &to));
  transfer.from = from;
  transfer.to = to;
  hyla_status status = hyla_redistribute_plan(cube, 1, &transfer, x->variant, &plan);
  if (status == HYLA_OK) status = check_memory(cube, rounds, plan, from, to);
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&from);
  hyla_matrix_destroy(&to);
  return hy_agree(cube, status);
}

static hyla_status run_rounds(hyla_cube *cube, void *arg) {
  struct rounds *rounds = arg;
  cube->session.machine.beta = rounds->beta;
  for (int i = 0; i < ROUNDS; i++) TRY(plan_case(cube, rounds, &rounds->cases[i]));
  return HYLA_OK;
}

/* Every other time powers of two: then all nodes hold equally much. */
static struct redistribute_case any_case(int dims, int round) {
  int64_t sizes[HARNESS_SIZES];
  int choices = harness_sizes(1 << dims, sizes), last = case_layouts(dims) - 1;
  struct redistribute_case x = {.type = (hyla_type)harness_draw(0, TYPES - 1),
                                .count = 1,
                                .variant = variants[round % VARIANTS]};
  bool even = round / VARIANTS % 2 == 0;
  x.side[0] = (struct redistribute_side){
      .rows = even ? INT64_C(1) << 2 * dims : sizes[harness_draw(0, choices - 1)],
      .cols = even ? INT64_C(1) << 2 * dims : sizes[harness_draw(0, choices - 1)],
      .from = case_layout(dims, (int)harness_draw(0, last)),
      .to = case_layout(dims, (int)harness_draw(0, last))};
  return x;
}

static void no_more_than_one_packing_buffer(void **state) {
  (void)state;
  static const double betas[] = {1e-10, 3e-8, 1e-5};
  int64_t tight = 0;
  for (int dims = 2; dims <= 3; dims++)
    for (int i = 0; i < 3; i++) {
      struct rounds rounds = {.dims = dims, .beta = betas[i]};
      hyla_simulation machine = {.dims = dims, .alpha = 1e-6, .beta = 1e-10};
      hyla_report report;
      for (int round = 0; round < ROUNDS; round++) rounds.cases[round] = any_case(dims, round);
      harness_note("d = %d, beta %g", dims, betas[i]);
      if (hyla_simulate(&machine, run_rounds, &rounds, &report) != HYLA_OK)
        fail_msg("%s", report.message);
      assert_int_equal(rounds.checked, ROUNDS);
      assert_true(rounds.even > 0 && rounds.even < ROUNDS);
      tight += rounds.tight;
    }
  assert_true(tight > 0);
}

/* A large redistribution: entries, counts, and memory up to lists and tiles. */
struct large {
  struct redistribute_case x;
  double most; /* memory, in units of a node's share of the entries */
  int64_t memory;
};

static hyla_status run_large(hyla_cube *cube, void *arg) {
  struct large *large = arg;
  const struct redistribute_side *side = &large->x.side[0];
  TRY(redistribute_check(cube, &large->x));
  hyla_matrix *from = NULL, *to = NULL;
  hyla_plan *plan = NULL;
  bool transposed = hy_transposes(side->op);
  int64_t rows = transposed ? side->cols : side->rows, cols = transposed ? side->rows : side->cols;
  TRY(hyla_matrix_create(cube, large->x.type, side->rows, side->cols, &side->from, &from));
  TRY(hyla_matrix_create(cube, large->x.type, rows, cols, &side->to, &to));
  const hyla_transfer transfer = {side->op, side->alpha, from, to};
  hyla_status status = hyla_redistribute_plan(cube, 1, &transfer, large->x.variant, &plan);
  if (cube->address == 0) large->memory = hyla_plan_cost(plan).memory;
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&from);
  hyla_matrix_destroy(&to);
  return hy_agree(cube, status);
}

static void try_large(int dims, struct large *large) {
  hyla_simulation machine = {.dims = dims, .alpha = 1e-6, .beta = 1e-10};
  hyla_report report;
  const struct redistribute_side *side = &large->x.side[0];
  harness_note("d = %d, %s", dims, redistribute_name(&large->x));
  if (hyla_simulate(&machine, run_large, large, &report) != HYLA_OK) fail_msg("%s", report.message);
  double share =
      (double)(side->rows * side->cols) / (1 << dims) * (double)hy_kernels_of(large->x.type)->size;
  if ((double)large->memory > large->most * share)
    fail_msg("%lld bytes, a node's share is %.0f", (long long)large->memory, share);
}

/* Ragged sizes: the targets lack room for at most a column or a row. */
static void large_parts(void **state) {
  (void)state;
  static const int64_t sizes[][2] = {{601, 307}, {257, 769}, {12007, 1}, {1, 11003}, {613, 613}};
  for (int v = 0; v < VARIANTS; v++)
    for (int i = 0; i < 5; i++) {
      int dims = 2 + (v + i) % 2, last = case_layouts(dims) - 1;
      bool thin = sizes[i][0] == 1 || sizes[i][1] == 1;
      struct large large = {.most = thin ? 3 << dims : 2.2};
      large.x = (struct redistribute_case){.type = (hyla_type)harness_draw(0, TYPES - 1),
                                           .count = 1,
                                           .variant = variants[v],
                                           .whole = true};
      large.x.side[0] =
          (struct redistribute_side){.op = (hyla_operation)harness_draw(0, 5),
                                     .alpha = harness_draw(0, 1) ? 1 : -2,
                                     .rows = sizes[i][0],
                                     .cols = sizes[i][1],
                                     .from = case_layout(dims, (int)harness_draw(0, last)),
                                     .to = case_layout(dims, (int)harness_draw(0, last))};
      try_large(dims, &large);
      large.x.whole = false; /* a view has other room */
      large.most = 3 << dims;
      try_large(dims, &large);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_more_than_one_packing_buffer),
      cmocka_unit_test(large_parts),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
