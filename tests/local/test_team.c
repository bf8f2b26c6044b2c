/* Threads that share work: their factors of matrices on which all arithmetic is exact equal those
 * of one thread, entry for entry, and so do the counts; their solutions are exact. */
// ranks: 1 2
// limit: 120
#include "tests/solve/lu_case.h"

enum { MOST = 400, THREADS_MOST = 5 };

/* ---------------------------------------------------------------- works -- */

struct tally {
  _Atomic int done[MOST];
  _Atomic bool strange; /* a thread that does not belong here */
  int threads;
};

static void tick(void *arg, int64_t index, int thread) {
  struct tally *t = arg;
  atomic_fetch_add(&t->done[index], 1);
  if (thread < 0 || thread >= t->threads) atomic_store(&t->strange, true);
}

static void check_work(struct hy_team *team, int64_t first, int64_t count, int threads) {
  struct tally tally = {.threads = threads};
  struct hy_work work = {
      .piece = tick, .arg = &tally, .first = first, .count = count, .threads = threads};
  int64_t before = first - 1;
  hy_team_start(team, &work);
  for (int64_t index; (index = hy_work_take(&work)) >= 0; before = index)
    assert_true(index > before && index < count);
  hy_team_finish(team);
  assert_false(tally.strange);
  for (int64_t i = 0; i < MOST; i++) assert_int_equal(tally.done[i], i >= first && i < count);
}

static void pieces_are_done_once(void **state) {
  (void)state;
  struct hy_base base = {.fail_at = 0};
  for (int threads = 1; threads <= THREADS_MOST; threads++) {
    struct hy_team *team = NULL;
    assert_int_equal(hy_team_create(&base, threads, &team), HYLA_OK);
    assert_int_equal(hy_team_threads(team), threads);
    assert_true((team == NULL) == (threads == 1));
    for (int turn = 0; turn < 300; turn++) {
      int64_t first = harness_draw(0, 3), count = first + harness_draw(0, turn % 30);
      check_work(team, first, count, (int)harness_draw(1, threads));
    }
    hy_team_destroy(&base, &team);
    assert_null(team);
  }
  assert_int_equal(base.bytes_now, 0);
}

/* -------------------------------------------------------------- factors -- */

struct task {
  hyla_method method;
  hyla_type type;
  int64_t n;
  hyla_layout layout;
  const char *variant;      /* its pivots are those of the case */
  const double _Complex *a; /* n x n */
};

/* This rank's part of the factors, and the counted operations. */
struct made {
  double _Complex *entries;
  int64_t count, operations;
};

static hyla_cube *open_with(int threads) {
  hyla_options options;
  hyla_cube *cube = NULL;
  hyla_options_init(&options);
  options.threads = threads;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  assert_int_equal(hy_team_threads(cube->session.team), threads);
  return cube;
}

static struct made read_factors(const struct hyla_factor *factor) {
  const hyla_matrix *a = factor->factors.a;
  struct made made = {.count = a->local_rows * a->local_cols};
  made.entries = calloc((size_t)made.count + 1, sizeof *made.entries);
  assert_non_null(made.entries);
  for (int64_t i = 0; i < made.count; i++)
    made.entries[i] =
        a->k->get(hy_at(a, i % hy_max(1, a->local_rows), i / hy_max(1, a->local_rows)), 0);
  return made;
}

static struct made factor_by(int threads, const struct task *task) {
  hyla_cube *cube = open_with(threads);
  hyla_matrix *a = NULL;
  hyla_factor *factor = NULL;
  assert_int_equal(hyla_matrix_create(cube, task->type, task->n, task->n, &task->layout, &a),
                   HYLA_OK);
  lu_put(a, task->a);
  assert_int_equal(hyla_factor_create(cube, task->method, task->type, task->n, 1, &task->layout,
                                      task->variant, &factor),
                   HYLA_OK);
  int64_t before = hyla_cube_operations(cube), taken = cube->base.bytes_now;
  assert_int_equal(hyla_factor_compute(cube, factor, a), HYLA_OK);
  assert_int_equal(cube->base.bytes_now, taken);
  int64_t operations = hyla_cube_operations(cube) - before;
  struct made made = {0};
  if (hyla_cube_address(cube) >= 0) made = read_factors(factor);
  made.operations = operations;
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&a);
  assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
  return made;
}

static void compare(const struct task *task) {
  struct made alone = factor_by(1, task);
  for (int threads = 2; threads <= 4 - harness_ranks(); threads++) {
    struct made made = factor_by(threads, task);
    int64_t same = 0;
    while (same < made.count && made.entries[same] == alone.entries[same]) same++;
    if (made.count != alone.count || same < made.count || made.operations != alone.operations)
      fail_msg("%d threads: method %d, type %d, n %lld, %s: entry %lld of %lld, %lld operations, "
               "not %lld",
               threads, (int)task->method, (int)task->type, (long long)task->n,
               lu_layout_name(&task->layout), (long long)same, (long long)made.count,
               (long long)made.operations, (long long)alone.operations);
    free(made.entries);
  }
  free(alone.entries);
}

/* L L^H, with small integers, and powers of two on the diagonal. */
static double _Complex *draw_definite(int64_t n, bool complex_type) {
  double _Complex *l = calloc((size_t)(n * n), sizeof *l), *a = calloc((size_t)(n * n), sizeof *a);
  assert_true(l != NULL && a != NULL);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++)
      l[i + j * n] = i == j ? (double)(1 << harness_draw(0, 1))
                            : hy_complex((double)harness_draw(-1, 1),
                                         complex_type ? (double)harness_draw(-1, 1) : 0);
  for (int64_t j = 0; j < n; j++)
    for (int64_t k = 0; k <= j; k++)
      for (int64_t i = j; i < n; i++) a[i + j * n] += l[i + k * n] * conj(l[j + k * n]);
  free(l);
  return a;
}

static void compare_all(struct task *task) {
  bool complex_type = task->type >= HYLA_COMPLEX;
  struct lu_case system = lu_case_draw(task->n, complex_type, -1);
  double _Complex *definite = draw_definite(task->n, complex_type);
  task->method = HYLA_LU;
  task->variant = "partial";
  task->a = system.a;
  compare(task);
  task->method = HYLA_CHOLESKY;
  task->variant = NULL;
  task->a = definite;
  compare(task);
  free(definite);
  lu_case_free(&system);
}

static void factors_are_those_of_one_thread(void **state) {
  (void)state;
  static const int64_t sizes[] = {1, 31, 64, 97, 131, 203}, blocks[] = {7, 32, 48, 96};
  int dims = 0;
  while (2 << dims <= harness_ranks()) dims++;
  for (int type = 0; type < TYPES; type++)
    for (int i = 0; i < 6; i++) {
      struct task task = {.type = (hyla_type)type, .n = sizes[i]};
      task.layout = lu_array_layout(dims, (int)harness_draw(0, dims), blocks[harness_draw(0, 3)]);
      compare_all(&task);
    }
}

/* ------------------------------------------------------------ solutions -- */

struct system {
  hyla_side side;
  hyla_triangle triangle;
  hyla_diagonal diagonal;
  hyla_type type;
  int64_t n, sides;
  const hyla_layout *layout;
  double _Complex *t, *b, *x; /* n x n; the others have the sides' shapes */
};

static double _Complex draw_entry(bool complex_type) {
  const double real = (double)harness_draw(-1, 1);
  return hy_complex(real, complex_type ? (double)harness_draw(-1, 1) : 0);
}

/* A triangle and a solution of small integers, with powers of two on the diagonal. */
static void draw_system(struct system *s) {
  const bool left = s->side == HYLA_LEFT, complex_type = s->type >= HYLA_COMPLEX;
  const int64_t n = s->n, rows = left ? n : s->sides;
  s->t = calloc((size_t)(n * n), sizeof *s->t);
  s->x = calloc((size_t)(n * s->sides), sizeof *s->x);
  s->b = calloc((size_t)(n * s->sides), sizeof *s->b);
  assert_true(s->t != NULL && s->x != NULL && s->b != NULL);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++)
      if (i == j)
        s->t[i + j * n] = s->diagonal == HYLA_UNIT_DIAGONAL ? 1 : 1 << harness_draw(0, 1);
      else if ((i > j) == (s->triangle == HYLA_LOWER))
        s->t[i + j * n] = draw_entry(complex_type);
  for (int64_t i = 0; i < n * s->sides; i++) s->x[i] = draw_entry(complex_type);
  for (int64_t i = 0; i < n; i++)
    for (int64_t l = 0; l < n; l++)
      for (int64_t j = 0; j < s->sides; j++) {
        if (left)
          s->b[i + j * rows] += s->t[i + l * n] * s->x[l + j * rows];
        else
          s->b[j + i * rows] += s->x[j + l * rows] * s->t[l + i * n];
      }
}

/* All arithmetic is exact: the solution is the drawn one. */
static void solve_by(int threads, const struct system *s) {
  const bool left = s->side == HYLA_LEFT;
  const int64_t rows = left ? s->n : s->sides, cols = left ? s->sides : s->n;
  hyla_cube *cube = open_with(threads);
  hyla_matrix *t = NULL, *b = NULL, *x = NULL;
  hyla_plan *plan = NULL;
  assert_int_equal(hyla_matrix_create(cube, s->type, s->n, s->n, s->layout, &t), HYLA_OK);
  assert_int_equal(hyla_matrix_create(cube, s->type, rows, cols, s->layout, &b), HYLA_OK);
  assert_int_equal(hyla_matrix_create(cube, s->type, rows, cols, s->layout, &x), HYLA_OK);
  lu_put(t, s->t);
  lu_put(b, s->b);
  lu_put(x, s->x);
  assert_int_equal(
      hyla_trsm_plan(cube, s->side, s->triangle, HYLA_NONE, s->diagonal, 1, t, b, "panels", &plan),
      HYLA_OK);
  const int64_t before = hyla_cube_operations(cube), taken = cube->base.bytes_now;
  assert_int_equal(hyla_plan_run(cube, plan), HYLA_OK);
  assert_int_equal(cube->base.bytes_now, taken);
  if (harness_ranks() == 1)
    assert_int_equal(hyla_cube_operations(cube) - before, hyla_plan_cost(plan).flops);
  for (int64_t j = 0; j < b->local_cols; j++)
    for (int64_t i = 0; i < b->local_rows; i++)
      if (b->k->get(hy_at(b, i, j), 0) != x->k->get(hy_at(x, i, j), 0))
        fail_msg("%d threads: side %d, triangle %d, diagonal %d, type %d, n %lld, %lld sides: "
                 "entry %lld, %lld",
                 threads, (int)s->side, (int)s->triangle, (int)s->diagonal, (int)s->type,
                 (long long)s->n, (long long)s->sides, (long long)i, (long long)j);
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&t);
  assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
}

static void solutions_are_exact_with_threads(void **state) {
  (void)state;
  static const int64_t sizes[] = {1, 31, 64, 97, 131, 203}, sides[] = {63, 64, 71, 72, 73, 131};
  int dims = 0;
  while (2 << dims <= harness_ranks()) dims++;
  for (int type = 0; type < TYPES; type++)
    for (int i = 0; i < 12; i++) {
      struct system s = {.side = i % 2 ? HYLA_RIGHT : HYLA_LEFT,
                         .triangle = i / 2 % 2 ? HYLA_UPPER : HYLA_LOWER,
                         .diagonal = i / 4 % 2 ? HYLA_UNIT_DIAGONAL : HYLA_ANY_DIAGONAL,
                         .type = (hyla_type)type,
                         .n = sizes[i / 2],
                         .sides = sides[harness_draw(0, 5)]};
      const hyla_layout layout =
          lu_array_layout(dims, (int)harness_draw(0, dims), harness_draw(0, 1) ? 48 : 7);
      s.layout = harness_draw(0, 1) ? &layout : NULL;
      draw_system(&s);
      for (int threads = 1; threads <= 4 - harness_ranks(); threads++) solve_by(threads, &s);
      free(s.t);
      free(s.b);
      free(s.x);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_done_once),
      cmocka_unit_test(factors_are_those_of_one_thread),
      cmocka_unit_test(solutions_are_exact_with_threads),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
