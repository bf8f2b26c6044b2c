/* LU: the ledger's counts are those of cost(), and a run allocates nothing.  Cholesky on one rank:
 * operations and copies by formula.  Blocks by layouts. */
// ranks: 1 3 4 8
// sample: 1 4
// arrays: 5x1
// limit: 120
#include "lu_case.h"
#include "tests/matrix/matrix_cases.h"

/* This node's counts since the ledger was cleared, as a cost. */
static hyla_cost counted(const hyla_cube *cube, const hyla_factor *factor) {
  hyla_ledger ledger;
  assert_int_equal(hyla_cube_ledger(cube, &ledger), HYLA_OK);
  hyla_cost cost = {.steps = ledger.steps, .messages = ledger.far_messages};
  int64_t bytes = ledger.far_bytes;
  for (int dim = 0; dim < ledger.dims; dim++) {
    cost.messages += ledger.messages[dim];
    bytes += ledger.bytes[dim];
  }
  if (cube->sides.count == 0) assert_int_equal(ledger.far_messages, 0);
  assert_int_equal(bytes % (int64_t)factor->problem.k->size, 0);
  cost.words = bytes / (int64_t)factor->problem.k->size;
  return cost;
}

/* The least and the most that this node spends. */
static void predict(const hyla_factor *factor, hyla_cost *least, hyla_cost *most) {
  const struct hy_variant *variant = hy_choice_variant(&factor->plan->choice);
  const int node = factor->problem.cube->address;
  assert_int_equal(hy_factor_cost(&factor->problem, variant, node, true, least), HYLA_OK);
  assert_int_equal(hy_factor_cost(&factor->problem, variant, node, false, most), HYLA_OK);
}

static void assert_between(const char *what, int64_t least, int64_t value, int64_t most) {
  if (value < least || value > most)
    fail_msg("%lld %s counted, predicted %lld to %lld", (long long)value, what, (long long)least,
             (long long)most);
}

/* Factors and solves with matrices in the factors' own layout, and checks the ledger. */
static void count_one(hyla_cube *cube, int type, int64_t n, int64_t nrhs, int64_t block,
                      hyla_generator generator) {
  hyla_layout layout = lu_draw_layout(cube, block);
  harness_note("n = %lld, nrhs %lld, type %d, %s, generator %d", (long long)n, (long long)nrhs,
               type, lu_layout_name(&layout), (int)generator);
  hyla_factor *factor = NULL;
  hyla_status status =
      hyla_factor_create(cube, HYLA_LU, (hyla_type)type, n, nrhs, &layout, NULL, &factor);
  lu_assert_status(cube, status, HYLA_OK);
  hyla_matrix *a = lu_matrix(cube, type, n, n, &layout);
  hyla_matrix *b = lu_matrix(cube, type, n, nrhs, &factor->problem.x_layout);
  assert_int_equal(hyla_matrix_generate(cube, a, generator, 3), HYLA_OK);
  assert_int_equal(hyla_matrix_generate(cube, b, HYLA_RANDOM, 4), HYLA_OK);
  int64_t before = cube->base.allocations;
  assert_int_equal(hyla_cube_ledger_clear(cube), HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_NONE, b, b), HYLA_OK);
  hyla_cost found = counted(cube, factor), least, most;
  assert_int_equal(cube->base.allocations, before);
  predict(factor, &least, &most);
  if (generator == HYLA_DOMINANT || layout.row.dims == 0) most = least;
  assert_between("steps", least.steps, found.steps, most.steps);
  assert_between("messages", least.messages, found.messages, most.messages);
  assert_between("words", least.words, found.words, most.words);
  bool panels_alone = layout.row.dims == 0 && nrhs == 0;
  assert_between("words in place", 0, least.lent, least.words);
  if (!hy_in_place_expected(cube)) assert_int_equal(least.lent, 0);
  if (hy_in_place_expected(cube) && panels_alone) assert_int_equal(least.lent, found.words);
  hyla_cost whole = hyla_plan_cost(hyla_factor_plan(factor));
  assert_true(whole.words >= found.words && whole.messages >= found.messages);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
}

static void the_ledger_counts_what_cost_says(void **state) {
  (void)state;
  /* to 64 the matrix stays where it is */
  static const int64_t nrhs[] = {0, 1, 3, 64, 65};
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    for (int i = 0; i < 32; i++)
      count_one(cube, (int)harness_draw(0, TYPES - 1), harness_draw(0, 80), nrhs[i % 5],
                harness_draw(1, 20), i % 3 == 0 ? HYLA_RANDOM : HYLA_DOMINANT);
    cube_close(&cube);
  }
}

/* All rows that a panel moves to its top come from one rank: the largest possible number of rows
 * travels, also if fewer columns than rows are left. */
static void the_most_is_enough(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(true);
  for (int64_t n = 9; n <= 24; n++)
    for (int64_t m = n; m <= 10 * n; m *= 3) {
      const hyla_layout layout = {.row = hy_axis_dealt(cube, 8, m).code,
                                  .col = {.storage = HYLA_CYCLIC, .block = 8}};
      hyla_cost least, most;
      hyla_factor *factor = NULL;
      harness_note("%lld x %lld, %s", (long long)m, (long long)n, lu_layout_name(&layout));
      lu_assert_status(cube,
                       hyla_factor_create_rectangular(cube, HYLA_LU, HYLA_DOUBLE, m, n, 0, &layout,
                                                      "partial", &factor),
                       HYLA_OK);
      hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, m, n, &layout);
      assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, 1), HYLA_OK);
      for (int64_t j = 0; j < n && a->row_part == 1; j++)
        a->k->scale((int)a->local_rows, 0x1p20, hy_at(a, 0, j), 1);
      assert_int_equal(hyla_cube_ledger_clear(cube), HYLA_OK);
      lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
      hyla_cost found = counted(cube, factor);
      predict(factor, &least, &most);
      assert_between("steps", least.steps, found.steps, most.steps);
      assert_between("messages", least.messages, found.messages, most.messages);
      assert_between("words", least.words, found.words, most.words);
      hyla_matrix_destroy(&a);
      hyla_factor_destroy(&factor);
    }
  cube_close(&cube);
}

/* Without swaps between ranks everything is known beforehand, and the busiest rank's counts are the
 * cost. */
static void the_busiest_rank_is_the_cost(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 8; i++) {
    hyla_layout layout = lu_draw_layout(cube, harness_draw(1, 12));
    hyla_factor *factor = NULL;
    int64_t n = harness_draw(1, 60);
    harness_note("n = %lld, %s", (long long)n, lu_layout_name(&layout));
    lu_assert_status(cube,
                     hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, n, 2, &layout, NULL, &factor),
                     HYLA_OK);
    hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, n, n, &layout);
    hyla_matrix *b = lu_matrix(cube, HYLA_DOUBLE, n, 2, &factor->problem.x_layout);
    assert_int_equal(hyla_matrix_generate(cube, a, HYLA_DOMINANT, 3), HYLA_OK);
    assert_int_equal(hyla_cube_ledger_clear(cube), HYLA_OK);
    lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
    lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_NONE, b, b), HYLA_OK);
    hyla_cost found = counted(cube, factor), least;
    int64_t largest[] = {found.steps, found.messages, found.words};
    assert_int_equal(hyla_cube_max(cube, largest, 3), HYLA_OK);
    const struct hy_variant *variant = hy_choice_variant(&factor->plan->choice);
    assert_int_equal(hy_factor_least(&factor->problem, variant, &least), HYLA_OK);
    assert_int_equal(largest[0], least.steps);
    assert_int_equal(largest[1], least.messages);
    assert_int_equal(largest[2], least.words);
    hyla_matrix_destroy(&b);
    hyla_matrix_destroy(&a);
    hyla_factor_destroy(&factor);
  }
  cube_close(&cube);
}

/* One rank: the operations of elimination and substitution, and those of computing with inverted
 * tiles of order 16, fewer than 16 for each entry. */
static void flops_are_those_of_elimination(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int64_t n = 0; n <= 90; n += 6) {
    hyla_factor *factor = NULL;
    hyla_layout layout = lu_draw_layout(cube, harness_draw(1, 64));
    lu_assert_status(
        cube, hyla_factor_create(cube, HYLA_LU, HYLA_FLOAT, n, 1, &layout, NULL, &factor), HYLA_OK);
    hyla_cost cost = hyla_plan_cost(hyla_factor_plan(factor));
    int64_t needed = n * (n - 1) / 2 + n * (n - 1) * (2 * n - 1) / 3; /* elimination */
    needed += n * (n - 1) + n * n;                                    /* substitution */
    harness_note("n = %lld, %s: %lld flops", (long long)n, lu_layout_name(&layout),
                 (long long)cost.flops);
    assert_true(cost.flops * cube->nodes >= needed);
    if (cube->nodes == 1) assert_int_equal(cost.flops, needed);
    /* A is copied; the panel is copied out and back, and leaves its diagonal block; x becomes sums,
     * twice, and its rows are swapped; U's part of x is where the sums are. */
    if (cube->nodes == 1 && n <= hy_factor_block(&factor->problem))
      assert_int_equal(cost.copied, 4 * n * n + 6 * n);
    if (n > 0) assert_true(cost.memory > 0);
    hyla_factor_destroy(&factor);
  }
  cube_close(&cube);
}

/* The same for a matrix with fewer, or more, rows than columns. */
static void flops_of_rectangles_are_those_of_elimination(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 24; i++) {
    int64_t m = harness_draw(0, 90), n = harness_draw(0, 90), needed = 0;
    hyla_factor *factor = NULL;
    hyla_layout layout = lu_draw_layout(cube, harness_draw(1, 64));
    lu_assert_status(
        cube,
        hyla_factor_create_rectangular(cube, HYLA_LU, HYLA_FLOAT, m, n, 0, &layout, NULL, &factor),
        HYLA_OK);
    hyla_cost cost = hyla_plan_cost(hyla_factor_plan(factor));
    for (int64_t k = 0; k < hy_min(m, n); k++) needed += (m - k - 1) * (1 + 2 * (n - k - 1));
    harness_note("%lld x %lld, %s: %lld flops, %lld needed", (long long)m, (long long)n,
                 lu_layout_name(&layout), (long long)cost.flops, (long long)needed);
    assert_true(cost.flops * cube->nodes >= needed);
    if (cube->nodes == 1) assert_int_equal(cost.flops, needed);
    hyla_factor_destroy(&factor);
  }
  cube_close(&cube);
}

static void explain_says_what_depends_on_the_pivots(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  hyla_factor *factor = NULL;
  lu_assert_status(cube, hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, 50, 1, NULL, NULL, &factor),
                   HYLA_OK);
  char text[2000], part[10];
  size_t length = hyla_plan_explain(hyla_factor_plan(factor), text, sizeof text);
  assert_int_equal(length, strlen(text));
  assert_non_null(strstr(text, "lu"));
  assert_non_null(strstr(text, "the least"));
  assert_int_equal(hyla_plan_explain(hyla_factor_plan(factor), part, sizeof part), length);
  assert_memory_equal(part, text, sizeof part - 1);
  assert_int_equal(hyla_plan_explain(hyla_factor_plan(factor), NULL, 0), length);
  assert_non_null(strstr(text, hyla_plan_variant(hyla_factor_plan(factor))));
  hyla_factor_destroy(&factor);
  assert_null(factor);
  assert_null(hyla_factor_plan(NULL));
  assert_null(hyla_factor_layout(NULL));
  assert_int_equal(hyla_factor_pivot(NULL), 0);
  assert_int_equal(hyla_factor_destroy(NULL), HYLA_OK);
  cube_close(&cube);
}

/* The work of Cholesky on one rank, panel by panel.  Copies: A into the factors; the diagonal block
 * out and back, the panel into its slot and packed; the products copy the rows that stand for
 * columns, and both factors of diagonal blocks. */
static hyla_cost cholesky_counts(int64_t n, int64_t block) {
  hyla_cost cost = {.copied = n * n};
  for (int64_t first = 0; first < n; first += block) {
    const int64_t width = hy_min(block, n - first), behind = n - first - width;
    cost.flops += width * width * width / 3 + behind * width * width;
    cost.copied += 2 * width * width + behind * width * (1 + 1 + 1 + 2);
    for (int64_t column = first + width; column < n; column += block) {
      const int64_t order = hy_min(block, n - column), below = n - column - order;
      cost.flops += (order * (order + 1) + 2 * below * order) * width;
    }
  }
  return cost;
}

static void cholesky_on_one_rank_does_what_elimination_does(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 24; i++) {
    const int64_t n = i < 4 ? i : harness_draw(2, 200);
    hyla_factor *factor = NULL;
    hyla_layout layout = lu_draw_layout(cube, harness_draw(1, 64));
    lu_assert_status(
        cube, hyla_factor_create(cube, HYLA_CHOLESKY, HYLA_FLOAT, n, 0, &layout, NULL, &factor),
        HYLA_OK);
    const hyla_cost cost = hy_plan_mine(factor->plan);
    const hyla_cost wanted = cholesky_counts(n, hy_factor_block(&factor->problem));
    harness_note("n = %lld, block %lld", (long long)n,
                 (long long)hy_factor_block(&factor->problem));
    assert_int_equal(cost.flops, wanted.flops);
    assert_int_equal(cost.copied, wanted.copied);
    hyla_factor_destroy(&factor);
  }
  cube_close(&cube);
}

/* An axis on 2^dims nodes from the first of its dimensions on; block 0: consecutive. */
static struct hy_axis axis_of(int first, int dims, int64_t block, int64_t n) {
  hyla_axis code = {
      .dims = dims, .storage = block > 0 ? HYLA_CYCLIC : HYLA_CONSECUTIVE, .block = block};
  for (int i = 0; i < dims; i++) code.dim[i] = (uint8_t)(first + i);
  return hy_axis_make(&code, n);
}

/* The block of square blocks: that of an axis that is split; of the columns if none is; of the
 * default layout if nothing is cyclic on one node.  Never above the order; 0: blocks differ. */
static void blocks_are_those_of_the_layout(void **state) {
  (void)state;
  static const struct {
    int row_dims, col_dims;
    int64_t of_rows, of_cols, m, n, block;
  } cases[] = {{0, 0, 0, 0, 10, 10, 10},   {0, 0, 0, 0, 100, 100, 32}, {0, 0, 3, 0, 3000, 3000, 96},
               {0, 0, 0, 0, 3000, 50, 32}, {0, 0, 3, 7, 100, 100, 7},  {0, 0, 3, 7, 5, 5, 5},
               {0, 1, 3, 7, 100, 100, 7},  {1, 0, 3, 7, 100, 100, 3},  {1, 1, 3, 7, 100, 100, 0},
               {1, 1, 7, 7, 100, 100, 7},  {1, 1, 3, 7, 2, 100, 2},    {1, 1, 0, 0, 100, 100, 50}};
  if (harness_ranks() > 1) skip();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const hyla_cube cube = case_paper_cube(cases[i].row_dims + cases[i].col_dims, 0);
    const struct hy_axis row = axis_of(0, cases[i].row_dims, cases[i].of_rows, cases[i].m),
                         col = axis_of(cases[i].row_dims, cases[i].col_dims, cases[i].of_cols,
                                       cases[i].n);
    harness_note("case %zu", i);
    assert_int_equal(hy_square_block(&cube, &row, &col), cases[i].block);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_ledger_counts_what_cost_says),
      cmocka_unit_test(the_most_is_enough),
      cmocka_unit_test(the_busiest_rank_is_the_cost),
      cmocka_unit_test(flops_are_those_of_elimination),
      cmocka_unit_test(flops_of_rectangles_are_those_of_elimination),
      cmocka_unit_test(cholesky_on_one_rank_does_what_elimination_does),
      cmocka_unit_test(explain_says_what_depends_on_the_pivots),
      cmocka_unit_test(blocks_are_those_of_the_layout),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
