/* Systems whose factors, pivots and solution are known exactly. */
#include "lu_case.h"
#include "tests/harness/draw.h"

static double _Complex unit(bool complex_type) {
  static const double _Complex units[] = {1, -1, I, -I};
  return units[harness_draw(0, complex_type ? 3 : 1)];
}

static void swap_rows(double _Complex *a, int64_t n, int64_t i, int64_t j) {
  for (int64_t c = 0; c < n; c++) {
    double _Complex held = a[i + c * n];
    a[i + c * n] = a[j + c * n];
    a[j + c * n] = held;
  }
}

hyla_cube *lu_cube_open(bool private_memory) {
  hyla_options options;
  hyla_cube *cube = NULL;
  hyla_options_init(&options);
  options.private_memory = private_memory;
  options.variant = "lu:partial";
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  return cube;
}

struct lu_case lu_case_draw(int64_t n, bool complex_type, int64_t zero) {
  struct lu_case x = {.n = n, .complex_type = complex_type, .zero = zero};
  size_t entries = (size_t)(n * n + 1);
  x.l = calloc(entries, sizeof *x.l);
  x.u = calloc(entries, sizeof *x.u);
  x.a = calloc(entries, sizeof *x.a);
  x.swaps = calloc((size_t)n + 1, sizeof *x.swaps);
  assert_true(x.l != NULL && x.u != NULL && x.a != NULL && x.swaps != NULL);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      int64_t at = i + j * n;
      if (i > j) x.l[at] = unit(complex_type) * (double)harness_draw(0, 1) / 2;
      if (i < j) x.u[at] = unit(complex_type) * (double)harness_draw(0, 3);
    }
  for (int64_t i = 0; i < n; i++) {
    x.l[i + i * n] = 1;
    x.u[i + i * n] = i == zero ? 0 : unit(complex_type) * ldexp(1, (int)harness_draw(-1, 1));
    x.swaps[i] = harness_draw(i, n - 1);
  }
  lu_case_multiply(&x);
  return x;
}

void lu_case_multiply(struct lu_case *x) {
  int64_t n = x->n;
  for (int64_t i = 0; i < n * n; i++) x->a[i] = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t k = 0; k <= j; k++)
      for (int64_t i = k; i < n; i++) x->a[i + j * n] += x->l[i + k * n] * x->u[k + j * n];
  for (int64_t i = n - 1; i >= 0; i--) swap_rows(x->a, n, i, x->swaps[i]);
}

void lu_case_free(struct lu_case *x) {
  free(x->l);
  free(x->u);
  free(x->a);
  free(x->swaps);
}

hyla_layout lu_sides_layout(const struct hy_sides *sides, int dims, int64_t block) {
  hyla_layout layout = draw_sides_layout(sides, dims, true);
  layout.row.storage = layout.col.storage = HYLA_CYCLIC;
  layout.row.block = layout.col.block = block;
  return layout;
}

hyla_layout lu_draw_layout(const hyla_cube *cube, int64_t block) {
  return lu_sides_layout(&cube->sides, cube->dims, block);
}

hyla_layout lu_array_layout(int dims, int rows, int64_t block) {
  hyla_layout layout = {.row = {.dims = rows}, .col = {.dims = dims - rows}};
  for (int i = 0; i < rows; i++) layout.row.dim[i] = (uint8_t)(dims - rows + i);
  for (int i = 0; i < dims - rows; i++) layout.col.dim[i] = (uint8_t)i;
  layout.row.code = layout.col.code = harness_draw(0, 1) ? HYLA_GRAY : HYLA_BINARY;
  layout.row.storage = layout.col.storage = HYLA_CYCLIC;
  layout.row.block = layout.col.block = block;
  return layout;
}

bool lu_serves(const hyla_cube *cube, const struct hy_variant *variant) {
  return variant->arrays || cube->sides.count == 0;
}

const char *lu_layout_name(const hyla_layout *layout) {
  static char text[HYLA_LAYOUT_TEXT];
  hyla_layout_format(layout, text, sizeof text);
  return text;
}

hyla_matrix *lu_matrix(hyla_cube *cube, int type, int64_t rows, int64_t cols,
                       const hyla_layout *layout) {
  hyla_matrix *a = NULL;
  assert_int_equal(hyla_matrix_create(cube, (hyla_type)type, rows, cols, layout, &a), HYLA_OK);
  return a;
}

void lu_put(hyla_matrix *a, const double _Complex *entries) {
  for (int64_t m = 0; m < a->local_cols; m++)
    for (int64_t l = 0; l < a->local_rows; l++)
      a->k->set(hy_at(a, l, m), 0,
                entries[hyla_matrix_row(a, l) + hyla_matrix_col(a, m) * a->row.n]);
}

double _Complex *lu_get_all(const hyla_matrix *a) {
  int64_t count = a->row.n * a->col.n;
  double _Complex *all = calloc((size_t)(2 * count + 1), sizeof *all);
  assert_non_null(all);
  bool copy = hy_matrix_has_copies(a) && ((uint32_t)a->cube->address & a->unused_dims) != 0;
  for (int64_t m = 0; m < a->local_cols && !copy; m++)
    for (int64_t l = 0; l < a->local_rows; l++)
      all[hyla_matrix_row(a, l) + hyla_matrix_col(a, m) * a->row.n] = a->k->get(hy_at(a, l, m), 0);
  hyla_cube *cube = a->cube;
  const struct hy_kernels *z = hy_kernels_of(HYLA_DOUBLE_COMPLEX);
  assert_int_equal(
      hy_allreduce(cube, hy_all_dims(cube), all, count, sizeof *all, hy_solve_sum, z, all + count),
      HYLA_OK);
  assert_int_equal(hy_tell_guests(cube, all, count * (int64_t)sizeof *all), HYLA_OK);
  return all;
}

void lu_assert_status(hyla_cube *cube, hyla_status status, hyla_status expected) {
  if (status != expected)
    fail_msg("status %s, not %s: %s", hyla_status_name(status), hyla_status_name(expected),
             hyla_cube_message(cube));
}

void lu_assert_says(hyla_cube *cube, hyla_status status, hyla_status expected, const char *says) {
  lu_assert_status(cube, status, expected);
  if (strstr(hyla_cube_message(cube), says) == NULL)
    fail_msg("\"%s\" does not say \"%s\"", hyla_cube_message(cube), says);
}

void lu_assert_refused(hyla_cube *cube, hyla_status status, const char *says) {
  lu_assert_says(cube, status, HYLA_ARGUMENT, says);
}

double _Complex *lu_spoilt(hyla_cube *cube, int type, int64_t m, int64_t n, int turn,
                           int64_t *column, hyla_status *expected) {
  static const double bad[] = {NAN, -NAN, INFINITY, -INFINITY};
  int64_t row = harness_draw(0, m - 1), col = harness_draw(0, n - 1);
  hyla_matrix *a = lu_matrix(cube, type, m, n, NULL);
  lu_assert_status(cube, hyla_matrix_generate(cube, a, HYLA_RANDOM, (uint64_t)turn), HYLA_OK);
  double _Complex *entries = lu_get_all(a);
  hyla_matrix_destroy(&a);
  for (int64_t i = 0; i < m && turn % 2 == 0; i++) entries[i + col * m] = 0;
  if (turn % 2 == 1) entries[row + col * m] = bad[turn / 2 % 4];
  *column = col;
  *expected = turn % 2 == 0 ? HYLA_SINGULAR : HYLA_NOT_FINITE;
  return entries;
}

struct lu_place lu_place_draw(hyla_cube *cube, int type, int64_t rows, int64_t cols) {
  struct lu_place p = {NULL, NULL, NULL};
  hyla_layout layout = draw_on(cube);
  int kind = (int)harness_draw(0, 2);
  if (kind == 0) {
    p.m = lu_matrix(cube, type, rows, cols, &layout);
  } else if (kind == 1) {
    int64_t l = 0, m = 0;
    assert_int_equal(hyla_layout_local(cube, &layout, rows, cols, &l, &m), HYLA_OK);
    p.array = calloc((size_t)((l + 3) * m + 1), 16);
    assert_non_null(p.array);
    assert_int_equal(
        hyla_matrix_wrap(cube, (hyla_type)type, rows, cols, &layout, p.array, l + 3, &p.m),
        HYLA_OK);
  } else {
    p.owner = lu_matrix(cube, type, rows + 7, cols + 2, &layout);
    assert_int_equal(hyla_matrix_view(p.owner, 5, 1, rows, cols, &p.m), HYLA_OK);
  }
  return p;
}

void lu_place_free(struct lu_place *p) {
  hyla_matrix_destroy(&p->m);
  hyla_matrix_destroy(&p->owner);
  free(p->array);
}

hyla_status lu_counted(const hyla_cube *cube, size_t size, hyla_cost *found) {
  hyla_ledger ledger;
  TRY(hyla_cube_ledger(cube, &ledger));
  int64_t bytes = ledger.far_bytes;
  *found = (hyla_cost){.steps = ledger.steps, .messages = ledger.far_messages};
  for (int dim = 0; dim < ledger.dims; dim++) {
    found->messages += ledger.messages[dim];
    bytes += ledger.bytes[dim];
  }
  found->words = bytes / (int64_t)size;
  return HYLA_OK;
}

hyla_status lu_check_entries(const hyla_matrix *m, const double _Complex *known, const char *name) {
  for (int64_t c = 0; c < m->local_cols; c++)
    for (int64_t r = 0; r < m->local_rows; r++) {
      int64_t i = hyla_matrix_row(m, r), j = hyla_matrix_col(m, c);
      double _Complex entry = m->k->get(hy_at(m, r, c), 0);
      CHECK(&m->cube->base, entry == known[i + j * m->row.n], FORMAT, "%s(%lld, %lld) is wrong",
            name, (long long)i, (long long)j);
    }
  return HYLA_OK;
}

hyla_status lu_check_counted(hyla_cube *cube, size_t size, const hyla_cost *cost) {
  hyla_cost found;
  TRY(lu_counted(cube, size, &found));
  CHECK(&cube->base,
        found.steps == cost->steps && found.messages == cost->messages &&
            found.words == cost->words,
        FORMAT, "%lld steps, %lld messages, %lld words; predicted %lld %lld %lld",
        (long long)found.steps, (long long)found.messages, (long long)found.words,
        (long long)cost->steps, (long long)cost->messages, (long long)cost->words);
  return HYLA_OK;
}

void lu_each_not_finite(void (*check)(hyla_cube *cube, int type, double entry)) {
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 2 * TYPES; i++) check(cube, i % TYPES, i / TYPES ? NAN : INFINITY);
  cube_close(&cube);
}

hyla_status lu_check_counts(hyla_cube *cube, const hyla_factor *factor) {
  const hyla_cost cost = hy_plan_mine(factor->plan);
  return lu_check_counted(cube, factor->problem.k->size, &cost);
}
