/* Cholesky: factors and solutions of systems where they are known exactly, on real ranks and on
 * virtual cubes; matrices that stop it; counts. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 4
// limit: 120
#include "hyla_lab.h"
#include "lu_case.h"
#include "tests/harness/draw.h"

enum { SIZE_COUNT = 10, BLOCK_COUNT = 5, SIDES_MOST = 70 };
static const int64_t BLOCKS[] = {1, 3, 8, 48, 64};

/* A = L L^H of small integers, with powers of two on L's diagonal, so that all arithmetic is exact.
 * Above the diagonal A is NaN, which nobody may read.  B = A X. */
struct known {
  int64_t n;
  double _Complex *l, *a, *x, *b; /* n x n; n x SIDES_MOST */
};

static double _Complex draw_entry(bool complex_type) {
  return hy_complex((double)harness_draw(-1, 1), complex_type ? (double)harness_draw(-1, 1) : 0);
}

static void set_products(struct known *s) {
  int64_t n = s->n;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      double _Complex sum = 0;
      for (int64_t k = 0; k <= hy_min(i, j); k++) sum += s->l[i + k * n] * conj(s->l[j + k * n]);
      s->a[i + j * n] = i < j ? hy_complex(NAN, 0) : sum;
      for (int64_t c = 0; c < SIDES_MOST; c++) s->b[i + c * n] += sum * s->x[j + c * n];
    }
}

static struct known draw_known(int64_t n, bool complex_type) {
  size_t square = (size_t)(n * n + 1), sides = (size_t)(n * SIDES_MOST + 1);
  struct known s = {n, calloc(square, sizeof *s.l), calloc(square, sizeof *s.a),
                    calloc(sides, sizeof *s.x), calloc(sides, sizeof *s.b)};
  assert_true(s.l && s.a && s.x && s.b);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++)
      s.l[i + j * n] = i == j ? (double)(1 << harness_draw(0, 1)) : draw_entry(complex_type);
  for (int64_t i = 0; i < n * SIDES_MOST; i++) s.x[i] = draw_entry(complex_type);
  set_products(&s);
  return s;
}

static void free_known(struct known *s) {
  free(s->l);
  free(s->a);
  free(s->x);
  free(s->b);
}

/* Does a matrix have these entries, after op? */
static hyla_status check_entries(const hyla_matrix *m, hyla_operation op,
                                 const double _Complex *known, const char *name) {
  for (int64_t c = 0; c < m->local_cols; c++)
    for (int64_t r = 0; r < m->local_rows; r++) {
      int64_t i = hyla_matrix_row(m, r), j = hyla_matrix_col(m, c), n = m->row.n;
      double _Complex expected = op == HYLA_NONE ? known[i + j * n] : conj(known[j + i * n]);
      double _Complex found = m->k->get(hy_at(m, r, c), 0);
      CHECK(&m->cube->base, found == expected, FORMAT, "%s(%lld, %lld) is %g%+gi, not %g%+gi", name,
            (long long)i, (long long)j, creal(found), cimag(found), creal(expected),
            cimag(expected));
    }
  return HYLA_OK;
}

/* ------------------------------------------------------------- one case -- */

struct program {
  const struct known *system;
  hyla_type type;
  int64_t nrhs;
  hyla_layout layout, given; /* of the factors; of the matrix */
};

static hyla_status check_factors(const struct program *p, hyla_factor *factor) {
  hyla_cube *cube = factor->problem.cube;
  int64_t n = p->system->n;
  hyla_matrix *m = NULL;
  TRY(hyla_matrix_create(cube, p->type, n, n, &p->given, &m));
  hyla_status status = hyla_factor_lower(cube, factor, m);
  if (status == HYLA_OK) status = hy_agree(cube, check_entries(m, HYLA_NONE, p->system->l, "L"));
  if (status == HYLA_OK) status = hyla_factor_upper(cube, factor, m);
  if (status == HYLA_OK)
    status = hy_agree(cube, check_entries(m, HYLA_CONJUGATE, p->system->l, "U"));
  hyla_matrix_destroy(&m);
  return status;
}

static double _Complex mark(void *arg, int64_t row, int64_t col) {
  (void)arg, (void)row, (void)col;
  return 77;
}

/* One triangle is in its place, the other one unchanged. */
static hyla_status check_packed(const struct program *p, hyla_factor *factor,
                                hyla_triangle triangle) {
  hyla_cube *cube = factor->problem.cube;
  const int64_t n = p->system->n;
  hyla_matrix *m = NULL;
  TRY(hyla_matrix_create(cube, p->type, n, n, &p->given, &m));
  hyla_status status = hyla_matrix_fill(cube, m, mark, NULL);
  if (status == HYLA_OK) status = hyla_factor_packed(cube, factor, triangle, m);
  for (int64_t c = 0; c < m->local_cols && status == HYLA_OK; c++)
    for (int64_t r = 0; r < m->local_rows; r++) {
      int64_t i = hyla_matrix_row(m, r), j = hyla_matrix_col(m, c);
      double _Complex expected = 77;
      if (triangle == HYLA_LOWER && i >= j) expected = p->system->l[i + j * n];
      if (triangle == HYLA_UPPER && i <= j) expected = conj(p->system->l[j + i * n]);
      if (m->k->get(hy_at(m, r, c), 0) != expected)
        status = hy_fail(&cube->base, HYLA_FORMAT, "packed (%lld, %lld) is wrong", (long long)i,
                         (long long)j);
    }
  status = hy_agree(cube, status);
  hyla_matrix_destroy(&m);
  return status;
}

static hyla_status check_rows(const struct program *p, hyla_factor *factor) {
  int64_t rows[256];
  TRY(hyla_factor_permutation(factor->problem.cube, factor, rows));
  for (int64_t i = 0; i < p->system->n; i++)
    CHECK(&factor->problem.cube->base, rows[i] == i, FORMAT, "row %lld moved", (long long)i);
  return HYLA_OK;
}

static hyla_status check_solution(const struct program *p, hyla_factor *factor, int64_t nrhs) {
  hyla_cube *cube = factor->problem.cube;
  hyla_matrix *x = NULL;
  TRY(hyla_matrix_create(cube, p->type, p->system->n, nrhs, NULL, &x));
  lu_put(x, p->system->b);
  hyla_status status = hyla_factor_solve(cube, factor, HYLA_NONE, x, x);
  if (status == HYLA_OK) status = hy_agree(cube, check_entries(x, HYLA_NONE, p->system->x, "x"));
  hyla_matrix_destroy(&x);
  return status;
}

static hyla_status compute(hyla_cube *cube, const struct program *p, hyla_factor *factor) {
  hyla_matrix *a = NULL;
  TRY(hyla_matrix_create(cube, p->type, p->system->n, p->system->n, &p->given, &a));
  lu_put(a, p->system->a);
  hyla_status status = hyla_factor_compute(cube, factor, a);
  hyla_matrix_destroy(&a);
  return status;
}

static hyla_status factor_and_solve(hyla_cube *cube, const struct program *p, hyla_factor *factor) {
  TRY(compute(cube, p, factor));
  TRY(check_factors(p, factor));
  TRY(check_packed(p, factor, HYLA_LOWER));
  TRY(check_packed(p, factor, HYLA_UPPER));
  TRY(hy_agree(cube, check_rows(p, factor)));
  TRY(check_solution(p, factor, p->nrhs));
  return check_solution(p, factor, p->nrhs / 2); /* fewer columns than it was made for */
}

static hyla_status run(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  hyla_factor *factor = NULL;
  hyla_status status = hyla_factor_create(cube, HYLA_CHOLESKY, p->type, p->system->n, p->nrhs,
                                          &p->layout, NULL, &factor);
  if (status == HYLA_OK) status = factor_and_solve(cube, p, factor);
  hyla_factor_destroy(&factor);
  return status;
}

/* ------------------------------------------------------------ real ranks -- */

static void exact_systems_have_the_known_factors(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t p = cube->nodes;
    const int64_t sizes[SIZE_COUNT] = {0, 1, 2, p - 1, p, p + 1, 13, 37, 64, 101};
    for (int i = 0; i < SIZE_COUNT * BLOCK_COUNT; i++) {
      struct program x = {.type = (hyla_type)harness_draw(0, TYPES - 1),
                          .nrhs = i % 2 == 0 ? harness_draw(0, 5) : SIDES_MOST,
                          .layout = lu_draw_layout(cube, BLOCKS[i % BLOCK_COUNT])};
      x.given = harness_draw(0, 2) > 0 ? x.layout : draw_layout(cube->dims);
      struct known known = draw_known(sizes[i / BLOCK_COUNT], x.type >= HYLA_COMPLEX);
      x.system = &known;
      harness_note("n = %lld, nrhs %lld, type %d, %s", (long long)known.n, (long long)x.nrhs,
                   (int)x.type, lu_layout_name(&x.layout));
      lu_assert_status(cube, run(cube, &x), HYLA_OK);
      free_known(&known);
    }
    cube_close(&cube);
  }
}

/* It fails at this column, from 1, on all ranks alike. */
static void fail_at(hyla_cube *cube, struct program *x, hyla_status expected, int64_t column) {
  hyla_factor *factor = NULL;
  x->layout = x->given = lu_draw_layout(cube, BLOCKS[harness_draw(0, BLOCK_COUNT - 1)]);
  harness_note("n = %lld, type %d, %s, column %lld", (long long)x->system->n, (int)x->type,
               lu_layout_name(&x->layout), (long long)column);
  lu_assert_status(
      cube,
      hyla_factor_create(cube, HYLA_CHOLESKY, x->type, x->system->n, 1, &x->layout, NULL, &factor),
      HYLA_OK);
  lu_assert_status(cube, compute(cube, x, factor), expected);
  assert_int_equal(hyla_factor_pivot(factor), column);
  hyla_factor_destroy(&factor);
}

static void the_first_indefinite_block_is_named(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 24; i++) {
    struct program x = {.type = (hyla_type)(i % TYPES)};
    int64_t n = harness_draw(1, 70), at = i < 4 ? 0 : i < 8 ? n - 1 : harness_draw(0, n - 1);
    struct known known = draw_known(n, x.type >= HYLA_COMPLEX);
    /* A pivot that is exactly zero, or negative. */
    known.a[at + at * n] -= known.l[at + at * n] * known.l[at + at * n] + (double)(i % 2);
    x.system = &known;
    fail_at(cube, &x, HYLA_INDEFINITE, at + 1);
    free_known(&known);
  }
  cube_close(&cube);
}

static void a_nan_or_infinity_is_found_in_its_row(void **state) {
  (void)state;
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 36; i++) {
    struct program x = {.type = (hyla_type)(i % TYPES)};
    int64_t n = harness_draw(1, 70), row = i < 4 ? n - 1 : harness_draw(0, n - 1);
    int64_t col = harness_draw(0, row);
    struct known known = draw_known(n, x.type >= HYLA_COMPLEX);
    known.a[row + col * n] = hy_complex(bad[i % 3], 0);
    x.system = &known;
    fail_at(cube, &x, HYLA_NOT_FINITE, row + 1);
    free_known(&known);
  }
  cube_close(&cube);
}

/* ---------------------------------------------------------- virtual cubes -- */

/* The ledger's counts are exactly as predicted. */
static hyla_status count(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  hyla_factor *factor = NULL;
  hyla_ledger ledger;
  int64_t messages = 0, bytes = 0;
  TRY(hyla_factor_create(cube, HYLA_CHOLESKY, p->type, p->system->n, 0, &p->layout, NULL, &factor));
  hyla_status status = hyla_cube_ledger_clear(cube);
  if (status == HYLA_OK) status = compute(cube, p, factor);
  if (status == HYLA_OK) status = hyla_cube_ledger(cube, &ledger);
  const hyla_cost cost = hy_plan_mine(factor->plan);
  hyla_factor_destroy(&factor);
  TRY(status);
  for (int dim = 0; dim < ledger.dims; dim++) {
    messages += ledger.messages[dim];
    bytes += ledger.bytes[dim];
  }
  bool exact = ledger.steps == cost.steps && messages == cost.messages &&
               ledger.far_messages == 0 &&
               bytes == cost.words * (int64_t)hy_kernels_of(p->type)->size;
  return hy_agree(cube, exact ? HYLA_OK
                              : hy_fail(&cube->base, HYLA_FORMAT,
                                        "%lld steps, %lld messages, %lld bytes; "
                                        "predicted %lld, %lld, %lld words",
                                        (long long)ledger.steps, (long long)messages,
                                        (long long)bytes, (long long)cost.steps,
                                        (long long)cost.messages, (long long)cost.words));
}

static void exact_and_counted_on_every_array(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int dims = 0; dims <= 6; dims++)
    for (int rows = 0; rows <= dims; rows++) {
      struct program x = {.type = (hyla_type)harness_draw(0, TYPES - 1),
                          .nrhs = rows % 2 == 0 ? harness_draw(0, 5) : 66};
      struct known known = draw_known(harness_draw(0, 75), x.type >= HYLA_COMPLEX);
      hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 0.001};
      hyla_report report;
      x.system = &known;
      x.layout = x.given = lu_array_layout(dims, rows, harness_draw(1, 9));
      hyla_status status = hyla_simulate(&model, run, &x, &report);
      if (status == HYLA_OK) status = hyla_simulate(&model, count, &x, &report);
      if (status != HYLA_OK)
        fail_msg("%s: %s [dims %d, rows %d, n %lld, nrhs %lld, type %d, block %lld]",
                 hyla_status_name(status), report.message, dims, rows, (long long)known.n,
                 (long long)x.nrhs, (int)x.type, (long long)x.layout.row.block);
      free_known(&known);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_systems_have_the_known_factors),
      cmocka_unit_test(the_first_indefinite_block_is_named),
      cmocka_unit_test(a_nan_or_infinity_is_found_in_its_row),
      cmocka_unit_test(exact_and_counted_on_every_array),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
