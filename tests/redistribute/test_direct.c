/* Redistribution: from any layout to any layout, with any operation. */
// ranks: 1 3 4 5 6 7 8 9 12
// sample: 1 4 6
#include "tests/matrix/matrix_cases.h"

/* The operands of a move: two matrices, which are views of larger ones. */
struct pair {
  hyla_operation op;
  int64_t rows, cols; /* of from */
  hyla_matrix *from_parent, *to_parent;
  hyla_matrix *from, *to;
};

/* A matrix with a margin, in the library's memory or in ours, and the view of its middle. */
static void pair_side(hyla_cube *cube, int type, int64_t rows, int64_t cols,
                      const hyla_layout *layout, void *memory, hyla_matrix **parent,
                      hyla_matrix **view) {
  int64_t row = harness_draw(0, 5), col = harness_draw(0, 5);
  int64_t height = rows + row + harness_draw(0, 2), width = cols + col + harness_draw(0, 2);
  *parent = NULL;
  if (memory == NULL)
    *parent = case_matrix(cube, type, height, width, layout);
  else
    assert_int_equal(hyla_matrix_wrap(cube, (hyla_type)type, height, width, layout, memory,
                                      hy_max(1, height), parent),
                     HYLA_OK);
  assert_int_equal(hyla_matrix_view(*parent, row, col, rows, cols, view), HYLA_OK);
}

enum { SIDE = 40 };

/* memory: one of four sides is made by the library, the others lie here. */
static struct pair pair_make(hyla_cube *cube, hyla_operation op, int type, int64_t rows,
                             int64_t cols, const hyla_layout *from, const hyla_layout *to) {
  static double _Complex memory[2][SIDE * SIDE];
  assert_true(hy_max(rows, cols) <= SIDE - 7);
  struct pair pair = {.op = op, .rows = rows, .cols = cols};
  bool made[2] = {harness_draw(0, 3) == 0, harness_draw(0, 3) == 0};
  bool transposed = op != HYLA_NONE;
  harness_note("op %d, type %d, %d x %d, %s (%s) to %s (%s)", (int)op, type, (int)rows, (int)cols,
               case_name(from), made[0] ? "created" : "wrapped", case_name(to),
               made[1] ? "created" : "wrapped");
  pair_side(cube, type, rows, cols, from, made[0] ? NULL : memory[0], &pair.from_parent,
            &pair.from);
  pair_side(cube, type, transposed ? cols : rows, transposed ? rows : cols, to,
            made[1] ? NULL : memory[1], &pair.to_parent, &pair.to);
  return pair;
}

static void pair_destroy(struct pair *pair) {
  hyla_matrix_destroy(&pair->from);
  hyla_matrix_destroy(&pair->to);
  hyla_matrix_destroy(&pair->from_parent);
  hyla_matrix_destroy(&pair->to_parent);
}

static double _Complex mark(void *arg, int64_t row, int64_t col) {
  (void)arg, (void)row, (void)col;
  return hy_complex(-77, -78);
}

static double _Complex expected_entry(void *arg, int64_t row, int64_t col) {
  struct pair *pair = arg;
  if (pair->op == HYLA_NONE) return case_entry(&pair->cols, row, col);
  double _Complex entry = case_entry(&pair->cols, col, row);
  return pair->op == HYLA_CONJUGATE ? conj(entry) : entry;
}

/* The target's margin still holds the mark. */
static double _Complex parent_entry(void *arg, int64_t row, int64_t col) {
  struct pair *pair = arg;
  int64_t i = row - pair->to->row.first, j = col - pair->to->col.first;
  bool inside = i >= 0 && i < pair->to->row.n && j >= 0 && j < pair->to->col.n;
  return inside ? expected_entry(arg, i, j) : mark(NULL, row, col);
}

static void move_there(hyla_operation op, const hyla_matrix *from, hyla_matrix *to) {
  struct hy_direct *move = NULL;
  const hyla_transfer transfer = {op, 1, from, to};
  assert_int_equal(hy_direct_create(to->cube, &transfer, 1, &move), HYLA_OK);
  int64_t allocations = from->cube->base.allocations;
  assert_int_equal(hy_direct_run(move), HYLA_OK);
  assert_int_equal(from->cube->base.allocations, allocations);
  hy_direct_destroy(&move);
  assert_null(move);
}

static void check_pair(hyla_cube *cube, const hyla_layout *from, const hyla_layout *to,
                       int64_t rows, int64_t cols) {
  hyla_operation op = (hyla_operation)harness_draw(0, 2);
  struct pair pair = pair_make(cube, op, (int)harness_draw(0, 3), rows, cols, from, to);
  case_fill_local(pair.from_parent, mark, NULL);
  case_fill_local(pair.to_parent, mark, NULL);
  case_fill_local(pair.from, case_entry, &cols);
  move_there(op, pair.from, pair.to);
  case_assert_entries(pair.to_parent, parent_entry, &pair);
  pair_destroy(&pair);
}

static void every_layout_becomes_every_other(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int64_t before = cube->base.bytes_now, sizes[HARNESS_SIZES];
  int count = harness_sizes(cube->nodes, sizes), plain = case_layouts(cube->dims) / 2;
  for (int pair = 0; pair < plain * plain; pair++) {
    hyla_layout from = case_layout_of(cube, pair / plain);
    hyla_layout to = case_layout_of(cube, pair % plain);
    check_pair(cube, &from, &to, sizes[harness_draw(0, count - 1)],
               sizes[harness_draw(0, count - 1)]);
  }
  case_cube_end(&cube, before);
}

/* If no rank can read another's memory, created matrices travel packed. */
static void private_memory_makes_no_difference(void **state) {
  (void)state;
  hyla_options options;
  hyla_options_init(&options);
  char array[CUBE_ARRAY];
  cube_draw_array(&options, array);
  options.private_memory = true;
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  int64_t before = cube->base.bytes_now;
  int all = case_layouts(cube->dims) - 1;
  for (int round = 0; round < 40; round++) {
    hyla_layout from = case_layout_of(cube, (int)harness_draw(0, all));
    hyla_layout to = case_layout_of(cube, (int)harness_draw(0, all));
    check_pair(cube, &from, &to, harness_draw(0, 33), harness_draw(0, 33));
  }
  case_cube_end(&cube, before);
}

static void any_order_of_dimensions_will_do(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int64_t before = cube->base.bytes_now;
  int all = case_layouts(cube->dims) - 1;
  for (int round = 0; round < 150; round++) {
    hyla_layout from = case_layout_of(cube, (int)harness_draw(0, all));
    hyla_layout to = case_layout_of(cube, (int)harness_draw(0, all));
    from.row.block = harness_draw(0, 7);
    to.col.block = harness_draw(0, 20);
    check_pair(cube, &from, &to, harness_draw(0, 33), harness_draw(0, 33));
  }
  case_cube_end(&cube, before);
}

/* Long runs, tiles with a remainder, blocks that straddle them. */
static void large_blocks_move_too(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  static const char *const layouts[] = {"binary/cyclic:64", "gray/consecutive", "gray/cyclic",
                                        "binary/cyclic:37,gray/cyclic:20"};
  for (int pair = 0; pair < 16; pair++) {
    const hyla_layout from = case_parsed(cube, layouts[pair / 4]);
    const hyla_layout to = case_parsed(cube, layouts[pair % 4]);
    struct pair p = {.op = (hyla_operation)(pair * 7 % 3)};
    p.rows = harness_draw(150, 350);
    p.cols = harness_draw(150, 350);
    harness_note("op %d, %s to %s", (int)p.op, layouts[pair / 4], layouts[pair % 4]);
    bool transposed = p.op != HYLA_NONE;
    p.from = case_matrix(cube, pair % 4, p.rows, p.cols, &from);
    p.to = case_matrix(cube, pair % 4, transposed ? p.cols : p.rows, transposed ? p.rows : p.cols,
                       &to);
    case_fill_local(p.from, case_entry, &p.cols);
    move_there(p.op, p.from, p.to);
    case_assert_entries(p.to, expected_entry, &p);
    hyla_matrix_destroy(&p.from);
    hyla_matrix_destroy(&p.to);
  }
  hyla_cube_destroy(&cube);
}

/* Targets larger than the caches: rows in short and in long runs, a ragged end. */
static void parts_larger_than_the_caches(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  static const char *const rows[] = {"binary/cyclic", "gray/consecutive", "gray/cyclic:3",
                                     "binary/cyclic:32"};
  for (int pair = 0; pair < 16; pair++) {
    int type = (pair + pair / 4) % TYPES;
    struct pair p = {.rows = 1009};
    p.cols =
        (1 << 20) * (int64_t)cube->nodes / 1009 / (int64_t)hy_kernels_of((hyla_type)type)->size +
        64;
    const hyla_layout from = case_parsed(cube, rows[pair / 4]);
    const hyla_layout to = case_parsed(cube, rows[pair % 4]);
    harness_note("type %d, %s to %s", type, rows[pair / 4], rows[pair % 4]);
    p.from = case_matrix(cube, type, p.rows, p.cols, &from);
    pair_side(cube, type, p.rows, p.cols, &to, NULL, &p.to_parent, &p.to);
    case_fill_local(p.to_parent, mark, NULL);
    case_fill_local(p.from, case_entry, &p.cols);
    move_there(HYLA_NONE, p.from, p.to);
    case_assert_entries(p.to_parent, parent_entry, &p);
    hyla_matrix_destroy(&p.to);
    hyla_matrix_destroy(&p.to_parent);
    hyla_matrix_destroy(&p.from);
  }
  hyla_cube_destroy(&cube);
}

static void there_and_back_keeps_every_bit(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int all = case_layouts(cube->dims) - 1;
  for (int round = 0; round < 24; round++) {
    int type = round % TYPES;
    hyla_operation op = (hyla_operation)(round % 3);
    hyla_layout here = case_layout_of(cube, (int)harness_draw(0, all));
    hyla_layout there = case_layout_of(cube, (int)harness_draw(0, all));
    harness_note("op %d, type %d, %s to %s", (int)op, type, case_name(&here), case_name(&there));
    hyla_matrix *a = case_matrix(cube, type, 19, 23, &here);
    hyla_matrix *b =
        case_matrix(cube, type, op == HYLA_NONE ? 19 : 23, op == HYLA_NONE ? 23 : 19, &there);
    hyla_matrix *c = case_matrix(cube, type, 19, 23, &here);
    assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, (uint64_t)round), HYLA_OK);
    assert_int_equal(hyla_matrix_set(cube, a, 3, 3, NAN), HYLA_OK);
    assert_int_equal(hyla_matrix_set(cube, a, 5, 1, -0.0), HYLA_OK);
    move_there(op, a, b);
    move_there(op, b, c);
    for (int64_t m = 0; m < a->local_cols; m++)
      assert_memory_equal(hy_at(a, 0, m), hy_at(c, 0, m), (size_t)a->local_rows * a->k->size);
    hyla_matrix_destroy(&a);
    hyla_matrix_destroy(&b);
    hyla_matrix_destroy(&c);
  }
  hyla_cube_destroy(&cube);
}

static int node_of(const hyla_matrix *a, int64_t row, int64_t col) {
  return hy_matrix_node(a, hy_axis_owner(&a->row, row), hy_axis_owner(&a->col, col));
}

/* Sent: each entry that changes its node, once; one message for a pair of nodes. */
static void nothing_travels_in_vain(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int all = case_layouts(cube->dims) - 1;
  for (int round = 0; round < 30; round++) {
    hyla_layout here = case_layout_of(cube, (int)harness_draw(0, all));
    hyla_layout there = round < 3 ? here : case_layout_of(cube, (int)harness_draw(0, all));
    struct pair pair = pair_make(cube, HYLA_NONE, HYLA_FLOAT, 9, 14, &here, &there);
    int64_t entries = 0, messages = 0, sent[16] = {0};
    for (int64_t at = 0; at < 9 * 14; at++) {
      int from = node_of(pair.from, at / 14, at % 14), to = node_of(pair.to, at / 14, at % 14);
      if (from != cube->address || from == to) continue;
      entries++;
      messages += sent[to]++ == 0;
    }
    hyla_cube_ledger_clear(cube);
    move_there(HYLA_NONE, pair.from, pair.to);
    hyla_ledger ledger;
    hyla_cube_ledger(cube, &ledger);
    int64_t counted = ledger.far_messages, bytes = ledger.far_bytes;
    for (int dim = 0; dim < cube->dims; dim++) {
      counted += ledger.messages[dim];
      bytes += ledger.bytes[dim];
    }
    assert_int_equal(bytes, 4 * entries);
    assert_int_equal(counted, messages);
    pair_destroy(&pair);
  }
  hyla_cube_destroy(&cube);
}

static void a_plan_runs_again(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  hyla_layout here = case_layout_of(cube, 1), there = case_layout_of(cube, 3);
  hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 10, 11, &here);
  hyla_matrix *b = case_matrix(cube, HYLA_DOUBLE, 11, 10, &there);
  struct hy_direct *move = NULL;
  const hyla_transfer transfer = {HYLA_TRANSPOSE, 1, a, b};
  assert_int_equal(hy_direct_create(cube, &transfer, 1, &move), HYLA_OK);
  assert_int_equal(hy_direct_run(move), HYLA_OK);
  case_fill(cube, a, 11);
  assert_int_equal(hy_direct_run(move), HYLA_OK);
  struct pair pair = {.op = HYLA_TRANSPOSE, .rows = 10, .cols = 11};
  case_assert_entries(b, expected_entry, &pair);
  hy_direct_destroy(&move);
  const hyla_transfer oblique = {HYLA_NONE, 1, a, b};
  assert_int_equal(hy_direct_create(cube, &oblique, 1, &move), HYLA_ARGUMENT);
  assert_null(move);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&b);
  hyla_cube_destroy(&cube);
}

static void copies_of_views_of_one_matrix(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 12, 9, NULL);
  case_fill(cube, a, 9);
  hyla_matrix *top = NULL, *bottom = NULL, *middle = NULL;
  assert_int_equal(hyla_matrix_view(a, 0, 0, 6, 9, &top), HYLA_OK);
  assert_int_equal(hyla_matrix_view(a, 6, 0, 6, 9, &bottom), HYLA_OK);
  assert_int_equal(hyla_matrix_view(a, 3, 0, 6, 9, &middle), HYLA_OK);
  assert_int_equal(hyla_matrix_copy(cube, top, bottom), HYLA_OK);
  case_assert_entries(top, case_entry, &(int64_t){9});
  case_assert_entries(bottom, case_entry, &(int64_t){9});
  assert_int_equal(hyla_matrix_copy(cube, top, middle), HYLA_ARGUMENT);
  assert_int_equal(hyla_matrix_copy(cube, a, a), HYLA_OK);
  case_assert_entries(top, case_entry, &(int64_t){9});
  hyla_matrix_destroy(&top);
  hyla_matrix_destroy(&bottom);
  hyla_matrix_destroy(&middle);
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
}

static void bad_copies_are_refused_everywhere(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  hyla_matrix *a = case_matrix(cube, HYLA_DOUBLE, 4, 5, NULL);
  hyla_matrix *b = case_matrix(cube, HYLA_DOUBLE, 4, 5, NULL);
  hyla_matrix *wide = case_matrix(cube, HYLA_DOUBLE, 4, 6, NULL);
  hyla_matrix *tall = case_matrix(cube, HYLA_DOUBLE, 5, 5, NULL);
  hyla_matrix *single = case_matrix(cube, HYLA_FLOAT, 4, 5, NULL);
  int64_t before = cube->base.bytes_now;
  const hyla_matrix *bad_from[] = {NULL, a, wide, tall, single};
  hyla_matrix *bad_to[] = {b, NULL, b, b, b};
  for (int fault = 0; fault < 5; fault++)
    for (int where = -1; where < harness_ranks(); where++) {
      harness_note("fault %d on rank %d", fault, where);
      bool here = where < 0 || where == harness_rank();
      assert_int_equal(hyla_matrix_copy(cube, here ? bad_from[fault] : a, here ? bad_to[fault] : b),
                       HYLA_ARGUMENT);
      assert_int_equal(cube->base.bytes_now, before);
    }
  assert_int_equal(hyla_matrix_copy(NULL, a, b), HYLA_ARGUMENT);
  assert_int_equal(hyla_matrix_copy(cube, a, b), HYLA_OK);
  hyla_matrix *all[] = {a, b, wide, tall, single};
  for (int i = 0; i < 5; i++) hyla_matrix_destroy(&all[i]);
  hyla_cube_destroy(&cube);
}

static void every_failing_allocation_is_agreed_upon(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  hyla_layout here = case_layout_of(cube, 1), there = case_layout_of(cube, 3);
  static double memory[10 * 11];
  hyla_matrix *a = NULL, *b = case_matrix(cube, HYLA_DOUBLE, 10, 11, &there);
  assert_int_equal(hyla_matrix_wrap(cube, HYLA_DOUBLE, 10, 11, &here, memory, 10, &a), HYLA_OK);
  int64_t before = cube->base.bytes_now, most = 0;
  for (int where = 0; where < harness_ranks(); where++)
    for (int64_t nth = 1, failed = 1; failed; nth++) {
      harness_note("allocation %lld on rank %d", (long long)nth, where);
      if (where == harness_rank()) cube->base.fail_at = cube->base.allocations + nth;
      hyla_status status = hyla_matrix_copy(cube, a, b);
      failed = where == harness_rank() && cube->base.allocations >= cube->base.fail_at;
      cube->base.fail_at = 0;
      harness_broadcast(&failed, 1, MPI_INT64_T, where);
      assert_int_equal(status, failed ? HYLA_MEMORY : HYLA_OK);
      assert_int_equal(cube->base.bytes_now, before);
      most = hy_max(most, nth);
    }
  assert_in_range(most, 6, 40);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&b);
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_layout_becomes_every_other),
      cmocka_unit_test(private_memory_makes_no_difference),
      cmocka_unit_test(any_order_of_dimensions_will_do),
      cmocka_unit_test(large_blocks_move_too),
      cmocka_unit_test(parts_larger_than_the_caches),
      cmocka_unit_test(there_and_back_keeps_every_bit),
      cmocka_unit_test(nothing_travels_in_vain),
      cmocka_unit_test(a_plan_runs_again),
      cmocka_unit_test(copies_of_views_of_one_matrix),
      cmocka_unit_test(bad_copies_are_refused_everywhere),
      cmocka_unit_test(every_failing_allocation_is_agreed_upon),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
