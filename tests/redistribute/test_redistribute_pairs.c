/* Every pair of layouts, there and back, on virtual cubes of up to 64 nodes.
 *
 * The layouts: {binary, gray} x {consecutive, cyclic, cyclic:3} on every array 2^r x 2^c of the
 * cube's 2^d nodes, the same kind on both axes, d = 0 ... 6.  The sizes: 0 ... 17 and the primes to
 * 37, of rows and of columns.  The variants: direct, moves, multiphase.
 *
 * Every run walks every pair of layouts in both directions: a matrix goes from the first layout to
 * the second by one variant and back by the next.  In the second layout every entry must lie in its
 * place; back in the first one the matrix must be the same bit for bit; and the counts must be the
 * predicted ones.  Up to 16 nodes all variants do this; on more nodes the variants take turns.
 * Sizes and types take turns everywhere.
 *
 * HYLA_TEST_FULL=1 (make check-walks) walks every pair with every size; the variants take turns, so
 * that each moves every pair.  Then it walks pairs of layouts with different kinds on the two axes,
 * 36 on an array, with sizes and variants in turn: any kinds on any three of the four axes of two
 * layouts occur on any two arrays.  HYLA_TEST_FULL=3/8 walks the third eighth of these pairs.
 *
 * Matrices that go together share a plan and its messages; test_redistribute_sim tests matrices
 * alone. */
// limit: 120
#include "hyla_lab.h"
#include "redistribute_case.h"

#include <stdlib.h>

static const int64_t sizes[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                12, 13, 14, 15, 16, 17, 19, 23, 29, 31, 37};
enum { SIZES = sizeof sizes / sizeof *sizes };

static const char *const variants[] = {"direct", "moves", "multiphase"};
enum { VARIANTS = 3, KINDS = 6, TRIPS = 24 };

/* A matrix that goes from one layout to another and back. */
struct trip {
  hyla_layout from, to;
  int64_t rows, cols;
};

/* Matrices that go together, by some variants one after the other. */
struct batch {
  int dims;
  int count;
  int first, variants; /* of the list */
  int step;            /* from the first variant of a batch to that of the next one */
  hyla_type type;
  struct trip trip[TRIPS];
  int64_t trips; /* so far, in all batches */
};

struct matrices {
  hyla_matrix *from, *to, *back;
};

static hyla_status make(hyla_cube *cube, const struct batch *batch, struct matrices *made) {
  for (int i = 0; i < batch->count; i++) {
    const struct trip *trip = &batch->trip[i];
    int64_t rows = trip->rows, cols = trip->cols;
    TRY(hyla_matrix_create(cube, batch->type, rows, cols, &trip->from, &made[i].from));
    TRY(hyla_matrix_create(cube, batch->type, rows, cols, &trip->to, &made[i].to));
    TRY(hyla_matrix_create(cube, batch->type, rows, cols, &trip->from, &made[i].back));
    case_fill_local(made[i].from, case_entry, &cols);
  }
  return HYLA_OK;
}

static void blot(const hyla_matrix *a) {
  for (int64_t m = 0; m < a->local_cols; m++)
    memset(hy_at(a, 0, m), 0x5a, (size_t)a->local_rows * a->k->size);
}

static bool same_bits(const hyla_matrix *a, const hyla_matrix *b) {
  for (int64_t m = 0; m < a->local_cols; m++)
    if (memcmp(hy_at(a, 0, m), hy_at(b, 0, m), (size_t)a->local_rows * a->k->size) != 0)
      return false;
  return true;
}

/* Is every entry in its place in the layout? */
static bool in_place(const hyla_matrix *a) {
  int64_t cols = a->col.n;
  for (int64_t m = 0; m < a->local_cols; m++)
    for (int64_t l = 0; l < a->local_rows; l++) {
      char wanted[16];
      a->k->set(wanted, 0, case_entry(&cols, hyla_matrix_row(a, l), hyla_matrix_col(a, m)));
      if (memcmp(wanted, hy_at(a, l, m), a->k->size) != 0) return false;
    }
  return true;
}

/* One way, by one variant; checks the counts. */
static hyla_status go(hyla_cube *cube, const struct batch *batch, const struct matrices *made,
                      bool there, const char *variant) {
  hyla_transfer transfers[TRIPS];
  hyla_plan *plan = NULL;
  for (int i = 0; i < batch->count; i++)
    transfers[i] = (hyla_transfer){.alpha = 1,
                                   .from = there ? made[i].from : made[i].to,
                                   .to = there ? made[i].to : made[i].back};
  int64_t before = cube->base.bytes_now;
  TRY(hyla_redistribute_plan(cube, batch->count, transfers, variant, &plan));
  int64_t memory = cube->base.bytes_now - before;
  hyla_status status = hyla_cube_ledger_clear(cube);
  if (status == HYLA_OK) status = hyla_plan_run(cube, plan);
  if (status == HYLA_OK)
    status = redistribute_counted(cube, plan, hy_kernels_of(batch->type)->size, memory);
  hyla_plan_destroy(&plan);
  return hy_agree(cube, status);
}

static hyla_status check(hyla_cube *cube, const struct batch *batch, const struct matrices *made) {
  hyla_status status = HYLA_OK;
  for (int i = 0; i < batch->count && status == HYLA_OK; i++) {
    const struct trip *trip = &batch->trip[i];
    bool arrived = in_place(made[i].to), equal = same_bits(made[i].from, made[i].back);
    if (!arrived || !equal)
      status = hy_fail(&cube->base, HYLA_FORMAT, "node %d: %lld x %lld, %s to %s: %s",
                       cube->address, (long long)trip->rows, (long long)trip->cols,
                       case_name(&trip->from), case_name(&trip->to),
                       arrived ? "what came back is not the same" : "an entry is out of place");
  }
  return hy_agree(cube, status);
}

static const char *variant_of(const struct batch *batch, int i) {
  return batch->dims < 2 ? variants[0] : variants[(batch->first + i) % VARIANTS];
}

static hyla_status round_trips(hyla_cube *cube, const struct batch *batch,
                               const struct matrices *made) {
  for (int v = 0; v < batch->variants; v++) {
    for (int i = 0; i < batch->count; i++) {
      blot(made[i].to);
      blot(made[i].back);
    }
    TRY(go(cube, batch, made, true, variant_of(batch, v)));
    TRY(go(cube, batch, made, false, variant_of(batch, v + 1)));
    TRY(check(cube, batch, made));
  }
  return HYLA_OK;
}

static hyla_status body(hyla_cube *cube, void *arg) {
  const struct batch *batch = arg;
  struct matrices made[TRIPS] = {{NULL, NULL, NULL}};
  hyla_status status = make(cube, batch, made);
  if (status == HYLA_OK) status = round_trips(cube, batch, made);
  for (int i = 0; i < batch->count; i++) {
    hyla_matrix_destroy(&made[i].from);
    hyla_matrix_destroy(&made[i].to);
    hyla_matrix_destroy(&made[i].back);
  }
  return status;
}

static void simulate(struct batch *batch) {
  /* Without times; rehearsals have their own test. */
  hyla_simulation machine = {.dims = batch->dims};
  hyla_report report;
  if (batch->count == 0) return;
  harness_note("d = %d, type %s, first variant %s", batch->dims, hy_kernels_of(batch->type)->name,
               variant_of(batch, 0));
  if (hyla_simulate(&machine, body, batch, &report) != HYLA_OK) fail_msg("%s", report.message);
  batch->trips += batch->count;
  batch->count = 0;
  batch->type = (hyla_type)((batch->type + 1) % TYPES);
  batch->first = (batch->first + batch->step) % VARIANTS;
}

/* The request of HYLA_TEST_FULL: no full walk, or the pairs whose number is `share' mod `of'. */
struct task {
  bool full;
  int64_t share, of;
};

static struct task task_of_environment(void) {
  struct task task = {.of = 1};
  int64_t part;
  task.full = harness_part(&part, &task.of);
  if (task.full) task.share = part - 1;
  return task;
}

/* The share of this number of pairs. */
static int64_t share_of(const struct task *task, int64_t pairs) {
  return (pairs - task->share + task->of - 1) / task->of;
}

/* The turn decides which number of columns goes with which number of rows. */
static void add(struct batch *batch, const hyla_layout *from, const hyla_layout *to, int64_t rows,
                int64_t turn) {
  batch->trip[batch->count++] =
      (struct trip){*from, *to, sizes[rows % SIZES], sizes[(7 * rows + turn) % SIZES]};
  if (batch->count == TRIPS) simulate(batch);
}

/* Number `number` of the layouts with one kind for the rows, one for the columns. */
static hyla_layout layout_of(int dims, int row_kind, int col_kind, int rows) {
  return (hyla_layout){.row = case_axis(row_kind, dims - rows, rows),
                       .col = case_axis(col_kind, 0, dims - rows)};
}

static hyla_layout plain_layout(int dims, int number) {
  return layout_of(dims, number % KINDS, number % KINDS, number / KINDS);
}

static hyla_layout mixed_layout(int dims, int number) {
  return layout_of(dims, number % KINDS, number / KINDS % KINDS, number / (KINDS * KINDS));
}

/* Every pair of layouts of one kind, with all sizes or with the next one.  With all sizes one
 * variant moves each of them, and the next variant does so for the next pair: so all variants move
 * every pair, and every size. */
static void walk_plain(struct batch batch[VARIANTS], const struct task *task) {
  int dims = batch->dims, layouts = KINDS * (dims + 1);
  int64_t turn = harness_draw(0, SIZES - 1), pair = 0;
  for (int a = 0; a < layouts; a++)
    for (int b = a; b < layouts; b++) {
      hyla_layout from = plain_layout(dims, a), to = plain_layout(dims, b);
      turn++;
      if (pair++ % task->of != task->share) continue;
      for (int64_t size = 0; size < SIZES && task->full; size++)
        add(&batch[(size + turn) % VARIANTS], &from, &to, size, turn / SIZES);
      if (!task->full) add(batch, &from, &to, turn, turn / SIZES);
    }
  int64_t trips = 0;
  for (int v = 0; v < VARIANTS; v++) {
    simulate(&batch[v]);
    trips += batch[v].trips;
  }
  assert_int_equal(trips, share_of(task, pair) * (task->full ? SIZES : 1));
  assert_int_equal(pair, layouts * (layouts + 1) / 2);
}

/* Does the pair belong to the design?  It has four kinds: of the rows and the columns, before and
 * after.  Any three of these, on any two arrays, occur with one value of the fourth. */
static bool is_walked(int a, int b) {
  int kinds = a % KINDS + a / KINDS % KINDS + b % KINDS + b / KINDS % KINDS;
  return (kinds - a / (KINDS * KINDS) - b / (KINDS * KINDS)) % KINDS == 0;
}

/* Pairs whose kinds may differ on the two axes; variants and sizes take turns. */
static void walk_mixed(struct batch *batch, const struct task *task) {
  int layouts = KINDS * KINDS * (batch->dims + 1);
  int64_t turn = harness_draw(0, SIZES - 1), pair = 0;
  batch->trips = 0;
  for (int a = 0; a < layouts; a++)
    for (int b = a; b < layouts; b++) {
      if (!is_walked(a, b)) continue;
      hyla_layout from = mixed_layout(batch->dims, a), to = mixed_layout(batch->dims, b);
      turn++;
      if (pair++ % task->of == task->share) add(batch, &from, &to, turn, turn / SIZES);
    }
  simulate(batch);
  assert_int_equal(batch->trips, share_of(task, pair));
  /* A sixth of all ordered pairs is walked, and a third of the pairs of a layout with itself. */
  assert_int_equal(pair, (layouts * layouts / KINDS + layouts / 3) / 2);
}

static void walk(int dims) {
  struct task task = task_of_environment();
  struct batch batch[VARIANTS];
  for (int v = 0; v < VARIANTS; v++)
    batch[v] = (struct batch){
        .dims = dims, .first = v, .variants = task.full || dims >= 5 ? 1 : VARIANTS, .step = 1};
  for (int v = 0; v < VARIANTS && task.full; v++) batch[v].step = 0;
  walk_plain(batch, &task);
  batch->step = 1;
  if (task.full) walk_mixed(batch, &task);
}

static void up_to_16_nodes(void **state) {
  (void)state;
  for (int dims = 0; dims <= 4; dims++) walk(dims);
}

static void on_32_nodes(void **state) {
  (void)state;
  walk(5);
}

static void on_64_nodes(void **state) {
  (void)state;
  walk(6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(up_to_16_nodes),
      cmocka_unit_test(on_32_nodes),
      cmocka_unit_test(on_64_nodes),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
