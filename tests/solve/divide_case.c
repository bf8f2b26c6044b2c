#include "divide_case.h"

#include <complex.h>

double divide_uniform(void) { return (double)harness_draw(-1000000, 1000000) / 1e6; }

struct band divide_band(int64_t n) {
  struct band b = {.n = n};
  b.d = calloc((size_t)n + 1, sizeof *b.d);
  b.e = calloc((size_t)n + 1, sizeof *b.e);
  assert_true(b.d != NULL && b.e != NULL);
  return b;
}

void divide_drop(struct band *b) {
  free(b->d);
  free(b->e);
  free(b->values);
}

/* ---------------------------------------------------------------- solving -- */

/* Rows of all nodes. */
static double *gathered(const hyla_cube *cube, const hyla_matrix *z, bool alone) {
  const int64_t n = z->row.n;
  double *all = calloc((size_t)(n * n) + 1, sizeof *all), *sum = calloc((size_t)(n * n) + 1, 8);
  for (int64_t j = 0; j < n && cube->address >= 0; j++)
    for (int64_t l = 0; l < z->local_rows; l++)
      all[hyla_matrix_row(z, l) + j * n] = creal(z->k->get(hy_at(z, l, j), 0));
  if (!alone) harness_allreduce(all, sum, (int)(n * n), MPI_DOUBLE, MPI_SUM);
  free(alone ? sum : all);
  return alone ? all : sum;
}

/* Entries before are not read. */
static hyla_matrix *spoilt(hyla_cube *cube, hyla_type type, int64_t n) {
  const hyla_layout layout = hy_divide_layout(cube, n);
  hyla_matrix *z = NULL;
  assert_int_equal(hyla_matrix_create(cube, type, n, n, &layout, &z), HYLA_OK);
  for (int64_t j = 0; j < z->local_cols; j++)
    for (int64_t l = 0; l < z->local_rows; l++) z->k->set(hy_at(z, l, j), 0, NAN);
  return z;
}

/* A solver of either problem. */
struct solver {
  struct hy_divide *divide;
  struct hy_singular *singular;
};

static struct solver open_solver(const struct divide_case *of, hyla_cube *cube, hyla_type type,
                                 int64_t n, bool vectors, const struct way *way) {
  const struct hy_kernels *k = hy_cube_kernels(cube, type);
  const struct hy_divide_problem problem = {.cube = cube,
                                            .k = k,
                                            .n = n,
                                            .vectors = vectors,
                                            .first = way->some ? way->first : 0,
                                            .end = way->some ? way->end : n};
  const struct hy_singular_problem both = {
      .cube = cube, .k = k, .n = n, .left = vectors, .right = vectors};
  struct solver s = {0};
  assert_int_equal(of->singular ? hy_singular_create(&both, NULL, &s.singular)
                                : hy_divide_create(&problem, NULL, &s.divide),
                   HYLA_OK);
  struct hy_divide_tree *tree = of->singular ? &s.singular->tree : &s.divide->tree;
  if (way->blas) tree->packed = NULL;
  assert_int_equal(of->singular ? hy_singular_allocate(s.singular) : hy_divide_allocate(s.divide),
                   HYLA_OK);
  return s;
}

static void close_solver(hyla_cube *cube, struct solver *s) {
  hy_free(&cube->base, &s->divide);
  hy_free(&cube->base, &s->singular);
}

static hyla_status run(const struct solver *s, const struct band *b, double *values, hyla_matrix *z,
                       hyla_matrix *left) {
  const double *d = b != NULL ? b->d : NULL, *e = b != NULL ? b->e : NULL;
  return s->singular != NULL ? hy_singular_run(s->singular, d, e, values, left, z)
                             : hy_divide_run(s->divide, d, e, values, z);
}

struct solved divide_solve_by(const struct divide_case *of, hyla_cube *cube, hyla_type type,
                              const struct band *b, bool vectors, struct way way) {
  struct solved r = {.values = calloc((size_t)b->n + 1, sizeof *r.values)};
  struct solver s = open_solver(of, cube, type, b->n, vectors, &way);
  hyla_matrix *z = vectors ? spoilt(cube, type, b->n) : NULL,
              *left = vectors && of->singular ? spoilt(cube, type, b->n) : NULL;
  assert_int_equal(run(&s, b, r.values, z, left), HYLA_OK);
  r.report = of->singular ? hy_singular_report(s.singular) : hy_divide_report(s.divide);
  if (z != NULL) r.z = gathered(cube, z, way.alone);
  if (left != NULL) r.left = gathered(cube, left, way.alone);
  hyla_matrix_destroy(&left);
  hyla_matrix_destroy(&z);
  close_solver(cube, &s);
  return r;
}

struct solved divide_solve(const struct divide_case *of, hyla_cube *cube, hyla_type type,
                           const struct band *b, bool vectors) {
  return divide_solve_by(of, cube, type, b, vectors, (struct way){0});
}

void divide_release(struct solved *r) {
  free(r->values);
  free(r->z);
  free(r->left);
}

hyla_status divide_status(const struct divide_case *of, hyla_cube *cube, const struct band *b,
                          int sweeps) {
  double *values = calloc((size_t)b->n + 1, sizeof *values);
  struct solver s = open_solver(of, cube, HYLA_DOUBLE, b->n, false, &(struct way){0});
  if (sweeps >= 0) s.divide->sweeps = sweeps;
  /* Guests learn it from the call that runs the solver. */
  const hyla_status status = hy_agree(cube, run(&s, b, values, NULL, NULL));
  close_solver(cube, &s);
  free(values);
  return status;
}

/* ----------------------------------------------------------------- checks -- */

static double product(int64_t n, const double *x, const double *y) {
  double sum[4] = {0};
  for (int64_t i = 0; i < n; i++) sum[i % 4] += x[i] * y[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double worse(double worst, double x) { return isnan(x) ? INFINITY : fmax(worst, x); }

/* The sum of column j of |Z^T Z - I|. */
static double angle(int64_t n, const double *z, int64_t j) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += fabs(product(n, z + i * n, z + j * n) - (i == j));
  return sum;
}

/* The largest column sums of the residual and of |Z^T Z - I|, in n ulp; columns shared among the
 * ranks. */
static void check_vectors(const struct divide_case *of, const struct band *b,
                          const struct solved *r, hyla_type type) {
  const int64_t n = b->n;
  const double scale = (double)n * (type == HYLA_DOUBLE ? 0x1p-52 : 0x1p-23), size = of->size(b);
  double worst[3] = {0}, all[3];
  for (int64_t j = harness_rank(); j < n; j += harness_ranks()) {
    worst[0] = worse(worst[0], of->residual(b, r, j) / (size > 0 ? size * scale : scale));
    worst[1] = worse(worst[1], angle(n, r->z, j) / scale);
    if (of->singular) worst[2] = worse(worst[2], angle(n, r->left, j) / scale);
  }
  harness_allreduce(worst, all, 3, MPI_DOUBLE, MPI_MAX);
  /* Roundings of a few products weigh most in small matrices. */
  const double most = n < 17 ? 2 : n < 33 ? 1.25 : 1;
  if (!(all[0] <= most && all[1] <= most && all[2] <= most))
    fail_msg("residual %g, orthogonality %g, of left vectors %g (n ulp)", all[0], all[1], all[2]);
}

/* Eigenvalues ascend, singular values descend. */
static void check_values(const struct divide_case *of, const struct band *b,
                         const struct solved *r) {
  const double size = of->size(b), reach = 2 * sqrt((double)b->n) * DBL_EPSILON * size;
  for (int64_t i = 0; i < b->n; i++) {
    const double value = r->values[i];
    const int64_t smaller = of->singular ? b->n - 1 - i : i;
    if (of->singular) assert_true(value >= 0 && !signbit(value));
    if (i > 0) assert_true(of->singular ? r->values[i - 1] >= value : r->values[i - 1] <= value);
    if (b->values != NULL && !(fabs(value - b->values[i]) <= reach))
      fail_msg("value %lld is %.17g, not %.17g", (long long)i, value, b->values[i]);
    const bool reaches_zero = of->singular && !(value > reach);
    if (size > 0 && ((!reaches_zero && of->below(b, value - reach) > smaller) ||
                     of->below(b, value + reach) <= smaller))
      fail_msg("value %lld, %.17g, is not there by %g", (long long)i, value, reach);
  }
}

/* Gathering makes 0 of -0. */
static void assert_same_numbers(const double *x, const double *y, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    if (!(x[i] == y[i])) fail_msg("entry %lld: %.17g and %.17g", (long long)i, x[i], y[i]);
}

/* The same bits as those of a solver on this rank alone: values always, vectors as far as products
 * are hyla's own. */
static void check_bits(const struct divide_case *of, const struct band *b, const struct solved *r,
                       hyla_type type, bool vectors) {
  hyla_options options;
  hyla_cube *alone = NULL;
  hyla_options_init(&options);
  options.array = "1x1";
  assert_int_equal(hyla_cube_create(MPI_COMM_SELF, &options, &alone), HYLA_OK);
  const struct hy_kernels *k = hy_cube_kernels(alone, type);
  struct solved q = divide_solve_by(of, alone, type, b, vectors, (struct way){.alone = true});
  assert_memory_equal(r->values, q.values, (size_t)b->n * sizeof *q.values);
  if (vectors && r->z != NULL && hy_packed_best(k, alone->session.team) != NULL) {
    assert_same_numbers(r->z, q.z, b->n * b->n);
    if (of->singular) assert_same_numbers(r->left, q.left, b->n * b->n);
  }
  divide_release(&q);
  assert_int_equal(hyla_cube_destroy(&alone), HYLA_OK);
}

/* ------------------------------------------------------------- properties -- */

void divide_check(const struct divide_case *of, hyla_cube *cube, int kind, int64_t n) {
  struct band b = of->make(kind, n);
  for (int type = HYLA_FLOAT; type <= HYLA_DOUBLE; type++) {
    harness_note("kind %d, n = %lld, type %d", kind, (long long)n, type);
    struct solved r = divide_solve(of, cube, (hyla_type)type, &b, true);
    check_values(of, &b, &r);
    check_vectors(of, &b, &r, (hyla_type)type);
    check_bits(of, &b, &r, (hyla_type)type, false);
    check_bits(of, &b, &r, (hyla_type)type, true);
    divide_release(&r);
  }
  struct solved r = divide_solve(of, cube, HYLA_DOUBLE, &b, false);
  check_bits(of, &b, &r, HYLA_DOUBLE, false);
  divide_release(&r);
  divide_drop(&b);
}

void divide_walk(const struct divide_case *of, const int64_t *sizes, int count, int64_t glued) {
  hyla_cube *cube = cube_open_array();
  struct harness_walk walk = harness_walk((int64_t)of->kinds * count, 22);
  for (int64_t i; harness_next(&walk, &i);)
    divide_check(of, cube, (int)(i % of->kinds), sizes[i / of->kinds]);
  divide_check(of, cube, of->glued, glued);
  divide_check(of, cube, of->random, 0);
  cube_close(&cube);
}

void divide_by_blas(const struct divide_case *of) {
  hyla_cube *cube = cube_open_array();
  const int kinds[] = {of->whole, of->close, of->glued};
  for (int i = 0; i < 3; i++) {
    struct band b = of->make(kinds[i], 105);
    struct solved r = divide_solve_by(of, cube, HYLA_DOUBLE, &b, true, (struct way){.blas = true});
    check_values(of, &b, &r);
    check_vectors(of, &b, &r, HYLA_DOUBLE);
    check_bits(of, &b, &r, HYLA_DOUBLE, false);
    divide_release(&r);
    divide_drop(&b);
  }
  cube_close(&cube);
}

void divide_threads(const struct divide_case *of) {
  hyla_options options;
  hyla_cube *cube = NULL;
  hyla_options_init(&options);
  options.threads = 2;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  struct band b = of->make(of->whole, 200);
  struct solved r = divide_solve(of, cube, HYLA_DOUBLE, &b, true);
  check_bits(of, &b, &r, HYLA_DOUBLE, true);
  divide_release(&r);
  divide_drop(&b);
  cube_close(&cube);
}

void divide_powers(const struct divide_case *of) {
  hyla_cube *cube = cube_open_array();
  struct band b = of->make(of->whole, 100);
  struct solved r = divide_solve(of, cube, HYLA_DOUBLE, &b, true);
  const size_t bytes = (size_t)(b.n * b.n) * sizeof *r.z;
  const int powers[] = {900, -900};
  for (int p = 0; p < 2; p++) {
    struct band scaled = divide_band(b.n);
    for (int64_t i = 0; i < b.n; i++) {
      scaled.d[i] = ldexp(b.d[i], powers[p]);
      scaled.e[i] = ldexp(b.e[i], powers[p]);
    }
    struct solved q = divide_solve(of, cube, HYLA_DOUBLE, &scaled, true);
    for (int64_t i = 0; i < b.n; i++) assert_true(q.values[i] == ldexp(r.values[i], powers[p]));
    assert_memory_equal(r.z, q.z, bytes);
    if (of->singular) assert_memory_equal(r.left, q.left, bytes);
    divide_release(&q);
    divide_drop(&scaled);
  }
  divide_release(&r);
  divide_drop(&b);
  cube_close(&cube);
}

void divide_not_finite(const struct divide_case *of) {
  hyla_cube *cube = cube_open_array();
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 9; i++) {
    struct band b = of->make(of->random, 70);
    (i % 2 == 0 ? b.d : b.e)[harness_draw(0, 68)] = bad[i % 3];
    assert_int_equal(divide_status(of, cube, &b, -1), HYLA_NOT_FINITE);
    divide_drop(&b);
  }
  cube_close(&cube);
}

/* ------------------------------------------------------------------ counts -- */

/* The cost of a run on this node, played without data. */
static hyla_cost played(const struct divide_case *of, hyla_cube *cube, int64_t n, bool vectors) {
  hyla_cube counting;
  hy_count_begin(cube, cube->address, &counting);
  struct solver s = open_solver(of, &counting, HYLA_DOUBLE, n, vectors, &(struct way){0});
  assert_int_equal(run(&s, NULL, NULL, NULL, NULL), HYLA_OK);
  close_solver(&counting, &s);
  return hy_count_end(cube, &counting, sizeof(double));
}

/* A solver takes the memory that is counted, and little besides for its own objects. */
static void check_memory(const struct divide_case *of, hyla_cube *cube, int64_t n, bool vectors,
                         int64_t expected) {
  enum { OBJECTS = 1 << 16 };
  const int64_t before = cube->base.bytes_now;
  struct solver s = open_solver(of, cube, HYLA_DOUBLE, n, vectors, &(struct way){0});
  assert_in_range(cube->base.bytes_now - before, expected, expected + OBJECTS);
  close_solver(cube, &s);
}

static hyla_cost counted(hyla_cube *cube) {
  hyla_cost cost = {.steps = cube->network.ledger.steps,
                    .words = cube->network.ledger.far_bytes,
                    .messages = cube->network.ledger.far_messages,
                    .flops = cube->network.operations};
  for (int dim = 0; dim < cube->network.ledger.dims; dim++) {
    cost.messages += cube->network.ledger.messages[dim];
    cost.words += cube->network.ledger.bytes[dim];
  }
  cost.words /= (int64_t)sizeof(double);
  return cost;
}

/* A run without deflation, of `most', counts as one that is played; one with deflation sends less.
 */
void divide_costs(const struct divide_case *of, struct band *most) {
  hyla_cube *cube = cube_open_array();
  struct band less = of->make(of->close, most->n);
  for (int vectors = 0; vectors < 2; vectors++) {
    hyla_cost cost = {0};
    if (cube->address >= 0) cost = played(of, cube, most->n, vectors == 1);
    check_memory(of, cube, most->n, vectors == 1, cost.memory);
    for (int i = 0; i < 2; i++) {
      const hyla_cost before = counted(cube);
      struct solved r = divide_solve(of, cube, HYLA_DOUBLE, i == 0 ? most : &less, vectors == 1);
      const hyla_cost after = counted(cube);
      assert_int_equal(after.steps - before.steps, cost.steps);
      if (i == 0) {
        assert_int_equal(r.report.deflated, 0);
        assert_int_equal(after.messages - before.messages, cost.messages);
        assert_int_equal(after.words - before.words, cost.words);
        assert_int_equal(after.flops - before.flops, cost.flops);
      } else {
        assert_true(after.words - before.words <= cost.words);
        assert_true(after.flops - before.flops <= cost.flops);
      }
      divide_release(&r);
    }
  }
  divide_drop(most);
  divide_drop(&less);
  cube_close(&cube);
}
