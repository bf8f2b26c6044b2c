/* Sums and multiples of matrices: the sum entry by entry, any layouts, views; entries that must not
 * be read; the contract. */
// ranks: 1 3 4 6 7 8
// sample: 1 4 6
#include "tests/matrix/matrix_cases.h"

static double _Complex x_entry(void *arg, int64_t row, int64_t col) {
  (void)arg;
  return hy_complex((double)(row * 37 + col * 11 % 5) / 8 + 1, (double)(col - 2 * row) / 4);
}

static double _Complex y_entry(void *arg, int64_t row, int64_t col) {
  (void)arg;
  return hy_complex((double)(5 * row - col), (double)(row * col % 7) / 2 + 1);
}

static double _Complex nan_entry(void *arg, int64_t row, int64_t col) {
  (void)arg, (void)row, (void)col;
  return hy_complex(NAN, NAN);
}

struct problem {
  int type;
  hyla_operation op;
  double _Complex alpha, beta;
};

/* The factor in the type's precision. */
static double _Complex factor(const struct problem *p, double _Complex value) {
  return p->type == HYLA_COMPLEX || p->type == HYLA_DOUBLE_COMPLEX ? value : creal(value);
}

/* The numbers have few bits, so every sum is exact in every type. */
static double _Complex expected(const struct problem *p, const hyla_matrix *x, const hyla_matrix *y,
                                int64_t row, int64_t col) {
  double _Complex sum = 0;
  if (p->alpha != 0) {
    bool transposed = p->op != HYLA_NONE;
    double _Complex value =
        case_rounded(x, x_entry(NULL, transposed ? col : row, transposed ? row : col));
    if (p->op == HYLA_CONJUGATE) value = conj(value);
    sum = factor(p, p->alpha) * value;
  }
  if (p->beta != 0) sum += factor(p, p->beta) * case_rounded(y, y_entry(NULL, row, col));
  return sum;
}

static void assert_sum(const struct problem *p, const hyla_matrix *x, const hyla_matrix *y) {
  for (int64_t m = 0; m < y->local_cols; m++)
    for (int64_t l = 0; l < y->local_rows; l++) {
      int64_t row = hyla_matrix_row(y, l), col = hyla_matrix_col(y, m);
      double _Complex wanted = expected(p, x, y, row, col), found = y->k->get(hy_at(y, l, m), 0);
      if (found != wanted)
        fail_msg("entry (%lld, %lld) is %g%+gi, not %g%+gi", (long long)row, (long long)col,
                 creal(found), cimag(found), creal(wanted), cimag(wanted));
    }
}

/* rows x cols; `viewed': as a view into a larger matrix. */
static hyla_matrix *make(hyla_cube *cube, int type, int64_t rows, int64_t cols,
                         const hyla_layout *layout, int viewed, hyla_matrix **owner) {
  hyla_matrix *view = NULL;
  *owner = case_matrix(cube, type, rows + 3 * viewed, cols + 5 * viewed, layout);
  case_fill_local(*owner, nan_entry, NULL);
  assert_int_equal(hyla_matrix_view(*owner, 2 * viewed, viewed, rows, cols, &view), HYLA_OK);
  return view;
}

/* The layout in which a matrix' transpose lies where the matrix does. */
static hyla_layout turned_layout(const hyla_layout *layout) {
  return (hyla_layout){.row = layout->col, .col = layout->row, .rest = layout->rest};
}

/* alike: op(x) lies as y does. */
static void check_sum(hyla_cube *cube, const struct problem *p, int64_t rows, int64_t cols,
                      bool alike) {
  bool transposed = p->op != HYLA_NONE;
  hyla_layout there = case_layout_on(cube), here = case_layout_on(cube);
  if (alike) here = transposed ? turned_layout(&there) : there;
  hyla_matrix *owners[2];
  int viewed = alike ? 0 : (int)harness_draw(0, 1);
  hyla_matrix *x = make(cube, p->type, transposed ? cols : rows, transposed ? rows : cols, &here,
                        viewed, &owners[0]);
  hyla_matrix *y =
      make(cube, p->type, rows, cols, &there, alike ? 0 : (int)harness_draw(0, 1), &owners[1]);
  harness_note("type %d, op %d, alpha %g%+gi, beta %g%+gi, %lld x %lld, %s to %s", p->type,
               (int)p->op, creal(p->alpha), cimag(p->alpha), creal(p->beta), cimag(p->beta),
               (long long)rows, (long long)cols, case_name(&here), case_name(&there));
  if (p->alpha != 0) case_fill_local(x, x_entry, NULL); /* otherwise it holds NaN */
  if (p->beta != 0) case_fill_local(y, y_entry, NULL);
  assert_int_equal(hyla_cube_ledger_clear(cube), HYLA_OK);
  if (hyla_add(cube, p->op, p->alpha, x, p->beta, y) != HYLA_OK)
    fail_msg("%s", hyla_cube_message(cube));
  assert_sum(p, x, y);
  hyla_ledger ledger;
  assert_int_equal(hyla_cube_ledger(cube, &ledger), HYLA_OK);
  if (alike || p->alpha == 0) assert_int_equal(ledger.steps, 0);
  hyla_matrix_destroy(&y);
  hyla_matrix_destroy(&x);
  for (int i = 0; i < 2; i++) hyla_matrix_destroy(&owners[i]);
}

static void every_type_operation_and_factor(void **state) {
  (void)state;
  const double _Complex factors[] = {0, 1, -2, 0.5, hy_complex(2, -1), hy_complex(0, 1)};
  enum { FACTORS = sizeof factors / sizeof *factors };
  hyla_cube *cube = cube_open_array();
  int64_t before = cube->base.bytes_now, sizes[HARNESS_SIZES];
  int choices = harness_sizes(cube->nodes, sizes);
  for (int type = 0; type < TYPES; type++)
    for (int op = 0; op < 3; op++)
      for (int at = 0; at < FACTORS * FACTORS; at += (int)harness_draw(1, 3)) {
        struct problem p = {type, (hyla_operation)op, factors[at % FACTORS], factors[at / FACTORS]};
        /* A purely imaginary factor is 0 for a real type. */
        p.alpha = factor(&p, p.alpha);
        p.beta = factor(&p, p.beta);
        int64_t rows = sizes[harness_draw(0, choices - 1)];
        int64_t cols = sizes[harness_draw(0, choices - 1)];
        check_sum(cube, &p, rows, cols, harness_draw(0, 1));
      }
  case_cube_end(&cube, before);
}

/* Blocks of several tiles of a transposition. */
static void large_blocks(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int type = 0; type < TYPES; type++)
    for (int op = 0; op < 3; op++) {
      struct problem p = {type, (hyla_operation)op, -2, 0.5};
      check_sum(cube, &p, 131, 97, op != HYLA_CONJUGATE);
    }
  hyla_cube_destroy(&cube);
}

static void scaling_in_place(void **state) {
  (void)state;
  const double _Complex factors[] = {0, 1, -0.5, hy_complex(2, -1)};
  hyla_cube *cube = cube_open_array();
  for (int type = 0; type < TYPES; type++)
    for (int i = 0; i < 4; i++) {
      struct problem p = {type, HYLA_NONE, 0, factors[i]};
      hyla_layout layout = case_layout_on(cube);
      hyla_matrix *owner = NULL;
      hyla_matrix *a = make(cube, type, 7, 9, &layout, i % 2, &owner);
      harness_note("type %d, factor %d, %s", type, i, case_name(&layout));
      if (factors[i] != 0) case_fill_local(a, y_entry, NULL);
      assert_int_equal(hyla_scale(cube, factors[i], a), HYLA_OK);
      assert_sum(&p, a, a);
      hyla_matrix_destroy(&a);
      hyla_matrix_destroy(&owner);
    }
  hyla_cube_destroy(&cube);
}

/* The n-th allocation fails on one rank, for every n. */
static void memory_runs_out(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct hy_base *base = &cube->base;
  const struct problem p = {HYLA_DOUBLE, HYLA_TRANSPOSE, 2, -1};
  int victim = (int)harness_draw(0, harness_ranks() - 1);
  char text[2][40];
  snprintf(text[0], sizeof text[0], "binary/cyclic:2@1x%d", cube->nodes);
  snprintf(text[1], sizeof text[1], "binary/consecutive@1x%d", cube->nodes);
  hyla_layout here = case_parsed(cube, text[0]), there = case_parsed(cube, text[1]);
  hyla_matrix *x = case_matrix(cube, p.type, 9, 6, &here);
  hyla_matrix *y = case_matrix(cube, p.type, 6, 9, &there);
  case_fill_local(x, x_entry, NULL);
  case_fill_local(y, y_entry, NULL);
  int64_t before = base->bytes_now, n = 0;
  hyla_status status = HYLA_MEMORY;
  while (status == HYLA_MEMORY) {
    harness_note("allocation %lld on rank %d", (long long)++n, victim);
    if (harness_rank() == victim) base->fail_at = base->allocations + n;
    status = hyla_add(cube, p.op, p.alpha, x, p.beta, y);
    base->fail_at = 0;
    assert_int_equal(base->bytes_now, before);
  }
  assert_int_equal(status, HYLA_OK);
  assert_true(n > 3 || cube->nodes == 1);
  assert_sum(&p, x, y);
  hyla_matrix_destroy(&y);
  hyla_matrix_destroy(&x);
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type_operation_and_factor),
      cmocka_unit_test(large_blocks),
      cmocka_unit_test(scaling_in_place),
      cmocka_unit_test(memory_runs_out),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
