/* Systems for the tests of reports. */
#include "report_case.h"
#include "tests/harness/draw.h"

double _Complex report_rounded(int type, double _Complex value) {
  char entry[16];
  const struct hy_kernels *k = hy_kernels_of((hyla_type)type);
  k->set(entry, 0, value);
  return k->get(entry, 0);
}

double _Complex report_uniform(int type) {
  double re = (double)harness_draw(-500000, 500000) / 0x80000;
  return type >= HYLA_COMPLEX ? hy_complex(re, (double)harness_draw(-500000, 500000) / 0x80000)
                              : re;
}

void report_set_b(struct report_system *s) {
  for (int64_t c = 0; c < s->nrhs; c++)
    for (int64_t i = 0; i < s->n; i++) {
      long double _Complex sum = 0;
      for (int64_t j = 0; j < s->n; j++)
        sum += (long double _Complex)s->a[i + j * s->n] * s->x[j + c * s->n];
      s->b[i + c * s->n] = report_rounded(s->type, (double _Complex)sum);
    }
}

struct report_system report_draw(int type, int64_t n, int64_t nrhs) {
  struct report_system s = {.n = n, .nrhs = nrhs, .type = type};
  s.unit = hy_kernels_of((hyla_type)type)->epsilon;
  s.a = calloc((size_t)(n * n + 1), sizeof *s.a);
  s.x = calloc((size_t)(n * nrhs + 1), sizeof *s.x);
  s.b = calloc((size_t)(n * nrhs + 1), sizeof *s.b);
  assert_true(s.a != NULL && s.x != NULL && s.b != NULL);
  for (int64_t i = 0; i < n * n; i++) s.a[i] = report_uniform(type);
  for (int64_t i = 0; i < n * nrhs; i++) s.x[i] = (double)harness_draw(-4, 4);
  report_set_b(&s);
  return s;
}

void report_free(struct report_system *s) {
  free(s->a);
  free(s->x);
  free(s->b);
}

void report_make_hermitian(struct report_system *s, bool definite) {
  int64_t n = s->n;
  double _Complex *given = calloc((size_t)(n * n + 1), sizeof *given);
  assert_non_null(given);
  memcpy(given, s->a, (size_t)(n * n) * sizeof *given);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i <= j; i++) {
      double _Complex sum = (given[i + j * n] + conj(given[j + i * n])) / 2;
      if (definite) sum = i == j;
      for (int64_t k = 0; definite && k < n; k++)
        sum += given[i + k * n] * conj(given[j + k * n]) / (double)n;
      s->a[i + j * n] = i == j ? creal(sum) : sum;
      s->a[j + i * n] = conj(s->a[i + j * n]);
    }
  free(given);
  report_set_b(s);
}

struct report_placed report_place(hyla_cube *cube, const struct report_system *s) {
  struct report_placed p = {.cube = cube};
  hyla_layout layouts[3];
  for (int i = 0; i < 3; i++) layouts[i] = lu_draw_layout(cube, harness_draw(1, 7));
  p.a = lu_matrix(cube, s->type, s->n, s->n, &layouts[0]);
  p.b = lu_matrix(cube, s->type, s->n, s->nrhs, &layouts[1]);
  p.x = lu_matrix(cube, s->type, s->n, s->nrhs, &layouts[2]);
  lu_put(p.a, s->a);
  lu_put(p.b, s->b);
  return p;
}

void report_leave(struct report_placed *p) {
  hyla_matrix_destroy(&p->x);
  hyla_matrix_destroy(&p->b);
  hyla_matrix_destroy(&p->a);
}

void report_note(const struct report_system *s, const char *what) {
  harness_note("%s, n = %lld, nrhs = %lld, type %d", what, (long long)s->n, (long long)s->nrhs,
               s->type);
}

hyla_status report_solve(hyla_cube *cube, const struct report_system *s, hyla_refinement refinement,
                         hyla_solve_report *report, double _Complex **y) {
  hyla_layout layouts[3];
  for (int i = 0; i < 3; i++) layouts[i] = draw_whole_on(cube);
  hyla_matrix *a = lu_matrix(cube, s->type, s->n, s->n, &layouts[0]);
  hyla_matrix *b = lu_matrix(cube, s->type, s->n, s->nrhs, &layouts[1]);
  hyla_matrix *x = lu_matrix(cube, s->type, s->n, s->nrhs, &layouts[2]);
  const hyla_solve_options options = {.refinement = refinement};
  lu_put(a, s->a);
  lu_put(b, s->b);
  int64_t before = cube->base.bytes_now;
  hyla_status status = hyla_solve_expert(cube, &options, a, b, x, report);
  assert_int_equal(cube->base.bytes_now, before);
  *y = lu_get_all(x);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return status;
}

void report_memory_runs_out(const struct report_placed *p, const hyla_solve_options *options,
                            int step, int most) {
  struct hy_base *base = &p->cube->base;
  int victim = (int)harness_draw(0, harness_ranks() - 1), failed = 0;
  int64_t before = base->bytes_now;
  for (int nth = 1; nth <= most; nth += step) {
    hyla_solve_report report;
    harness_note("allocation %d on rank %d", nth, victim);
    if (harness_rank() == victim) base->fail_at = base->allocations + nth;
    hyla_status status = hyla_solve_expert(p->cube, options, p->a, p->b, p->x, &report);
    base->fail_at = 0;
    assert_int_equal(base->bytes_now, before);
    lu_assert_status(p->cube, status, status == HYLA_OK ? HYLA_OK : HYLA_MEMORY);
    failed += status == HYLA_MEMORY;
    if (status != HYLA_OK) assert_true(!report.reliable);
  }
  assert_true(failed > 5);
}

/* ----------------------------------------------------------- definitions -- */

hyla_solve_report report_of(const struct report_system *s, const double _Complex *y) {
  hyla_solve_report found = {.backward_error = 0};
  long double norm = 0, worst = 0, componentwise = 0;
  int64_t n = s->n;
  for (int64_t i = 0; i < n; i++) {
    long double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += cabsl(s->a[i + j * n]);
    norm = fmaxl(norm, sum);
  }
  for (int64_t c = 0; c < s->nrhs; c++) {
    long double residual = 0, of_y = 0, of_b = 0;
    for (int64_t i = 0; i < n; i++) {
      long double _Complex r = -s->b[i + c * n];
      long double size = cabsl(r);
      for (int64_t j = 0; j < n; j++) {
        r += (long double _Complex)s->a[i + j * n] * y[j + c * n];
        size += cabsl(s->a[i + j * n]) * cabsl(y[j + c * n]);
      }
      residual = fmaxl(residual, cabsl(r));
      of_y = fmaxl(of_y, cabsl(y[i + c * n]));
      of_b = fmaxl(of_b, cabsl(s->b[i + c * n]));
      if (cabsl(r) > 0) componentwise = fmaxl(componentwise, cabsl(r) / size);
    }
    if (residual > 0) worst = fmaxl(worst, residual / (norm * of_y + of_b));
  }
  found.backward_error = (double)worst;
  found.componentwise_error = (double)componentwise;
  return found;
}

static void assert_close(const char *what, double found, double expected, double bound) {
  if (!(fabs(found - expected) <= bound))
    fail_msg("%s is %g, not %g within %g", what, found, expected, bound);
}

void report_assert_errors(const struct report_system *s, const double _Complex *y,
                          const hyla_solve_report *report) {
  hyla_solve_report exact = report_of(s, y);
  double bound = 2 * (double)(s->n + 2) * s->unit;
  assert_close("the backward error", report->backward_error, exact.backward_error, bound);
  assert_close("the componentwise error", report->componentwise_error, exact.componentwise_error,
               2 * bound);
  double scaled = s->n > 0 ? report->backward_error / ((double)s->n * s->unit) : 0;
  assert_close("the residual", report->residual, scaled, 1e-12 * scaled);
}

double report_forward_error(const struct report_system *s, const double _Complex *y) {
  double worst = 0;
  for (int64_t c = 0; c < s->nrhs; c++) {
    double error = 0, size = 0;
    for (int64_t i = 0; i < s->n; i++) {
      error += cabs(y[i + c * s->n] - s->x[i + c * s->n]);
      size += cabs(y[i + c * s->n]);
    }
    if (error > 0) worst = fmax(worst, error / size);
  }
  return worst;
}

void report_assert_common(hyla_cube *cube, const hyla_solve_report *report) {
  const double numbers[] = {
      report->rcond,          report->growth,        report->residual,
      report->backward_error, report->forward_bound, report->componentwise_error,
      report->refinements,    report->reliable,      report->fallback != NULL};
  enum { COUNT = sizeof numbers / sizeof *numbers };
  int64_t bits[COUNT], most[2 * COUNT];
  memcpy(bits, numbers, sizeof numbers);
  for (int i = 0; i < COUNT; i++) {
    most[i] = bits[i];
    most[COUNT + i] = -bits[i];
  }
  assert_int_equal(hyla_cube_max(cube, most, 2 * COUNT), HYLA_OK);
  for (int i = 0; i < COUNT; i++) assert_true(most[i] == bits[i] && most[COUNT + i] == -bits[i]);
}
