/* Reports on systems from practice (data/README) compared with those of LAPACK's xGESVX. */
// ranks: 1 3 4
// sample: 1 3
// limit: 120
#include "report_case.h"
#include "tests/harness/peer_lapack.h"

static const char *const NAMES[] = {"arc130",   "bcsstk01", "bcsstk02", "fs_183_1",
                                    "fs_183_6", "impcol_a", "west0067", "west0156"};
enum { COUNT = sizeof NAMES / sizeof *NAMES };

/* If the type is complex, rows and columns are multiplied by powers of i, which changes no
 * magnitude.  zeros: out of ten entries of x, this many are 0.  With 0 no row of |A| |x| + |b| is
 * 0. */
static struct report_system read_system(hyla_cube *cube, const char *name, int type, int zeros) {
  static const double _Complex powers[] = {1, I, -1, -I};
  char path[512];
  hyla_matrix *a = NULL;
  assert_true(snprintf(path, sizeof path, "%s/%s.mtx", TEST_DATA, name) < (int)sizeof path);
  lu_assert_status(cube, hyla_matrix_read(cube, path, NULL, &a), HYLA_OK);
  int64_t n = hyla_matrix_rows(a);
  assert_true(n > 40 && n == hyla_matrix_cols(a));
  struct report_system s = report_draw(type, n, 1);
  double _Complex *entries = lu_get_all(a);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      double _Complex turn = type == HYLA_DOUBLE ? 1 : powers[(i * i + i / 3 + 3 * j) % 4];
      s.a[i + j * n] = turn * entries[i + j * n];
    }
  free(entries);
  hyla_matrix_destroy(&a);
  for (int64_t i = 0; i < n; i++) {
    s.x[i] = (double)(harness_draw(0, 1) ? harness_draw(1, 4) : harness_draw(-4, -1));
    if (type != HYLA_DOUBLE) s.x[i] += I * (double)harness_draw(-4, 4);
    if (harness_draw(0, 9) < zeros) s.x[i] = 0;
  }
  report_set_b(&s);
  return s;
}

static void assert_at_most(const char *what, double found, double bound) {
  if (!(found <= bound)) fail_msg("%s is %g, above %g", what, found, bound);
}

/* Within a factor 10; if both are below n u they mean the same. */
static void assert_rcond(const struct report_system *s, double found, double expected) {
  double roundoff = (double)s->n * s->unit;
  if (found < roundoff && expected < roundoff) return;
  if (!(found <= 10 * expected && expected <= 10 * found))
    fail_msg("rcond is %g, LAPACK's %g", found, expected);
}

/* For a refined solution y.  LAPACK bounds the error in the maximum norm, which is at most n times
 * that in the 1-norm; ours is never above the bound by rcond alone. */
static void assert_agrees(const struct report_system *s, const double _Complex *y,
                          const hyla_solve_report *report, const struct lapack_report *peer) {
  double n = (double)s->n;
  report_assert_errors(s, y, report);
  assert_at_most("the backward error", report->backward_error, n * s->unit);
  assert_at_most("the error", report_forward_error(s, y), 3 * report->forward_bound);
  assert_at_most("LAPACK's forward bound", peer->forward, 10 * n * report->forward_bound);
  if (peer->rcond < 1e-10) return;
  assert_at_most("LAPACK's componentwise error", peer->componentwise, 10 * s->unit);
  assert_at_most("the componentwise error", report->componentwise_error, 10 * s->unit);
  assert_at_most("the forward bound", report->forward_bound,
                 2 * (n + 12) * s->unit / report->rcond);
}

static void compare(hyla_cube *cube, const struct report_system *s, hyla_refinement refinement) {
  hyla_solve_report report;
  double _Complex *y = NULL, *other = calloc((size_t)s->n, sizeof *other);
  assert_non_null(other);
  const struct lapack_report peer = lapack_expert((hyla_type)s->type, (int)s->n, s->a, s->b, other);
  hyla_status status = report_solve(cube, s, refinement, &report, &y);
  double roundoff = (double)s->n * s->unit;
  assert_rcond(s, report.rcond, peer.rcond);
  assert_true(report.reliable == (status == HYLA_OK));
  if (peer.info != 0 || report.rcond < roundoff) lu_assert_status(cube, status, HYLA_UNRELIABLE);
  if (report.rcond >= roundoff) {
    lu_assert_status(cube, status, HYLA_OK);
    assert_at_most("LAPACK's backward error", report_of(s, other).backward_error, roundoff);
    if (refinement == HYLA_REFINE_FIXED) assert_agrees(s, y, &report, &peer);
    if (refinement == HYLA_REFINE_NONE)
      assert_at_most("the backward error", report.backward_error, roundoff);
  }
  free(other);
  free(y);
}

static void reports_agree_with_lapack(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 2 * COUNT; i++) {
    const char *name = NAMES[i / 2];
    struct report_system s = read_system(cube, name, i % 2 ? HYLA_DOUBLE_COMPLEX : HYLA_DOUBLE, 0);
    report_note(&s, name);
    compare(cube, &s, HYLA_REFINE_NONE);
    compare(cube, &s, HYLA_REFINE_FIXED);
    report_free(&s);
  }
  cube_close(&cube);
}

/* If a row of A meets only zeros of x, the rounding left there is a componentwise error of 1, also
 * LAPACK's; the solution is no worse for it. */
static void solutions_with_zeros_are_good(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 4 * COUNT; i++) {
    const char *name = NAMES[i / 4];
    int type = i % 2 ? HYLA_DOUBLE_COMPLEX : HYLA_DOUBLE;
    struct report_system s = read_system(cube, name, type, i / 2 % 2 ? 9 : 5);
    hyla_solve_report report;
    double _Complex *y = NULL;
    double roundoff = (double)s.n * s.unit;
    report_note(&s, name);
    hyla_status status = report_solve(cube, &s, HYLA_REFINE_FIXED, &report, &y);
    bool trusted = report.rcond >= roundoff;
    lu_assert_status(cube, status, trusted ? HYLA_OK : HYLA_UNRELIABLE);
    report_assert_errors(&s, y, &report);
    assert_at_most("the backward error", report.backward_error, roundoff);
    assert_at_most("the error", report_forward_error(&s, y), 3 * report.forward_bound);
    free(y);
    report_free(&s);
  }
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reports_agree_with_lapack),
                                     cmocka_unit_test(solutions_with_zeros_are_good)};
  return harness_run(tests, sizeof tests / sizeof *tests);
}
