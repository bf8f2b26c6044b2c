/* An operation whose result is no factor: numbers that all ranks have, vectors as a matrix, and a
 * report of its own.  Its file has the algorithm and a table; the plan, the moves of the operands,
 * the cost, the rehearsal, the run and the explanation are those of lib/job. */
// ranks: 1 2 3 4 8
// sample: 1 3 4
#include "hyla_lab.h"
#include "job/job.h"
#include "tests/harness/cube.h"
#include "tests/harness/harness.h"
#include "tests/solve/lu_case.h"

/* U := A with every column divided by its length; the lengths are for all ranks. */
enum { A, U };
struct lengths_task {
  hyla_cube *cube;
  const hyla_matrix *a;
  hyla_matrix *u;
};
struct lengths {
  const struct lengths_task *task;
  double *length, *work; /* one a column */
};

/* ------------------------------------------------------------ the variant -- */

static hyla_status create(const struct hy_variant *variant, const void *problem, void **state) {
  const struct lengths_task *task = problem;
  struct lengths *l;
  (void)variant;
  TRY(hy_alloc(&task->cube->base, 1, sizeof *l, state));
  l = *state;
  l->task = task;
  return HYLA_OK;
}

static hyla_status allocate(void *state) {
  struct lengths *l = state;
  const int64_t n = l->task->u->col.n;
  TRY(hy_alloc_for(&l->task->cube->base, l, n, sizeof *l->length, &l->length));
  return hy_alloc_for(&l->task->cube->base, l, n, sizeof *l->work, &l->work);
}

static void add(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  for (int64_t i = 0; i < count; i++) ((double *)into)[i] += ((const double *)from)[i];
}

/* Every column lies whole on one node. */
static hyla_status run(void *state) {
  struct lengths *l = state;
  const hyla_matrix *a = l->task->a;
  hyla_matrix *u = l->task->u;
  hyla_cube *cube = l->task->cube;
  if (cube->address < 0) return HYLA_OK;
  memset(l->length, 0, (size_t)u->col.n * sizeof *l->length);
  for (int64_t col = 0; col < a->local_cols && !a->k->dry; col++) {
    double *length = &l->length[hyla_matrix_col(a, col)];
    for (int64_t row = 0; row < a->local_rows; row++)
      *length = hypot(*length, cabs(a->k->get(hy_at(a, row, col), 0)));
    for (int64_t row = 0; row < a->local_rows; row++)
      u->k->set(hy_at(u, row, col), 0, a->k->get(hy_at(a, row, col), 0) / *length);
  }
  hy_compute(cube, 3 * a->local_rows * a->local_cols, a->k->size, a->k->complex_type);
  return hy_allreduce(cube, (uint32_t)cube->nodes - 1, l->length, u->col.n, sizeof *l->length, add,
                      NULL, l->work);
}

static const struct hy_variant by_columns = {
    .name = "columns", .reference = "none", .create = create, .allocate = allocate, .run = run};
static const struct hy_variant *const rows[] = {&by_columns, NULL};
static const struct hy_family family = {.name = "lengths", .rows = rows};

/* ---------------------------------------------------------- the operation -- */

static void begin(struct hy_job *job) {
  job->operands = 2;
  for (int i = A; i <= U; i++) job->operand[i] = hy_binding_of(&job->call.argument[i]);
  job->operand[U].read = false;
}

static void want(const struct hy_job *job, const struct hy_variant *variant,
                 struct hy_operand *wanted) {
  (void)variant;
  for (int i = A; i <= U; i++) {
    wanted[i].row = hy_axis_whole(wanted[i].row.n);
    wanted[i].col = hy_axis_dealt(job->cube, 1, wanted[i].col.n);
    wanted[i].rest = HYLA_REPLICATED;
  }
}

static void set(const struct hy_job *job, hyla_cube *cube, const struct hy_operand *wanted,
                hyla_matrix *const *matrix, void *task) {
  (void)job, (void)wanted;
  *(struct lengths_task *)task = (struct lengths_task){cube, matrix[A], matrix[U]};
}

/* The caller's array, on spare ranks too. */
static hyla_status tell(struct hy_job *job) {
  const struct lengths *l = job->state;
  const int64_t bytes = job->call.argument[U].matrix->col.n * (int64_t)sizeof(double);
  double *lengths = (double *)(uintptr_t)job->call.place[1].address;
  TRY(hy_job_once(job));
  if (job->cube->address >= 0) memcpy(lengths, l->length, (size_t)bytes);
  return hy_tell_guests(job->cube, lengths, bytes);
}

static void explain(const hyla_plan *plan, struct hy_text *text) {
  hy_text_add(text, "  the lengths of %lld columns\n",
              (long long)hy_job_of(plan)->call.argument[U].matrix->col.n);
}

static const struct hy_operation operation = {.family = &family,
                                              .task = sizeof(struct lengths_task),
                                              .brought = "matrix brought",
                                              .returned = "vectors brought back",
                                              .begin = begin,
                                              .want = want,
                                              .set = set,
                                              .run = tell,
                                              .explain = explain};

static hyla_status lengths_plan(hyla_cube *cube, const hyla_matrix *a, hyla_matrix *u,
                                double *lengths, hyla_plan **plan) {
  const struct hy_call call = {
      .name = "lengths_plan",
      .place = {{"plan", plan, 1}, {"lengths", lengths, 2}},
      .argument = {{"a", a, .sizes = "mn"}, {"u", u, .sizes = "mn", .result = u}}};
  return hy_job_plan(cube, &operation, &call, HYLA_OK, plan);
}

/* ------------------------------------------------------------------ tests -- */

enum { M = 37, N = 23 };

struct program {
  hyla_type type;
  hyla_layout layout;
  double lengths[N];
};

/* Every column of U has length 1, and U's columns times the lengths are A's. */
static hyla_status check_result(const struct program *p, const hyla_matrix *a,
                                const hyla_matrix *u) {
  double norm = 0;
  const double epsilon = a->k->epsilon;
  TRY(hyla_matrix_norm(u->cube, u, HYLA_NORM_FRO, &norm));
  CHECK(&u->cube->base, fabs(norm - sqrt(N)) <= M * N * epsilon, FORMAT, "a norm of %g", norm);
  for (int64_t col = 0; col < u->local_cols; col++)
    for (int64_t row = 0; row < u->local_rows; row++) {
      const double length = p->lengths[hyla_matrix_col(u, col)];
      const double _Complex due = a->k->get(hy_at(a, row, col), 0);
      const double error = cabs(length * u->k->get(hy_at(u, row, col), 0) - due);
      CHECK(&u->cube->base, error <= 4 * epsilon * cabs(due), FORMAT, "an error of %g", error);
    }
  return HYLA_OK;
}

static hyla_status check_plan(hyla_plan *plan, bool simulated) {
  hyla_cube *cube = plan->cube;
  hyla_candidate shown;
  char text[8000];
  int64_t allocations = cube->base.allocations;
  const hyla_cost cost = hy_plan_mine(plan);
  TRY(hyla_cube_ledger_clear(cube));
  TRY(hyla_plan_run(cube, plan));
  TRY(lu_check_counted(cube, hy_job_of(plan)->k->size, &cost));
  CHECK(&cube->base, cube->base.allocations == allocations, FORMAT, "running allocated memory");
  hyla_plan_explain(plan, text, sizeof text);
  CHECK(&cube->base, strstr(text, "  the lengths of 23 columns\n") != NULL, FORMAT, "%s", text);
  CHECK(&cube->base, hyla_plan_candidate(plan, 0, &shown) && shown.rehearsed == simulated, FORMAT,
        "rehearsed: %d", shown.rehearsed);
  return HYLA_OK;
}

static hyla_status body(hyla_cube *cube, void *arg) {
  struct program *p = arg;
  hyla_matrix *a = NULL, *u = NULL;
  hyla_plan *plan = NULL;
  TRY(hyla_matrix_create(cube, p->type, M, N, &p->layout, &a));
  hyla_status status = hyla_matrix_create(cube, p->type, M, N, &p->layout, &u);
  if (status == HYLA_OK) status = hyla_matrix_generate(cube, a, HYLA_RANDOM, 1);
  if (status == HYLA_OK) status = lengths_plan(cube, a, u, p->lengths, &plan);
  if (status == HYLA_OK)
    status = hy_agree(cube, check_plan(plan, harness_ranks() == 1 && cube->dims > 0));
  if (status == HYLA_OK) status = hy_agree(cube, check_result(p, a, u));
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&u);
  hyla_matrix_destroy(&a);
  return status;
}

static struct program draw(int dims) {
  return (struct program){
      .type = (hyla_type)harness_draw(0, TYPES - 1),
      .layout = lu_array_layout(dims, (int)harness_draw(0, dims), harness_draw(1, 20))};
}

static void results_that_are_no_factors_are_planned_and_run(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 8; i++) {
    struct program p = draw(cube->dims);
    harness_note("type %d, %s", (int)p.type, lu_layout_name(&p.layout));
    if (body(cube, &p) != HYLA_OK) fail_msg("%s", hyla_cube_message(cube));
  }
  cube_close(&cube);
}

static void they_are_rehearsed_on_virtual_cubes(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int dims = 1; dims <= 4; dims++) {
    struct program p = draw(dims);
    hyla_report report = {.message = ""};
    const hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 0.001};
    if (hyla_simulate(&model, body, &p, &report) != HYLA_OK) fail_msg("%s", report.message);
  }
}

static void a_place_that_is_missing_is_refused(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  struct program p = draw(cube->dims);
  hyla_matrix *a = NULL;
  hyla_plan *plan = NULL;
  assert_int_equal(hyla_matrix_create(cube, p.type, M, N, &p.layout, &a), HYLA_OK);
  assert_int_equal(lengths_plan(cube, a, a, NULL, &plan), HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "lengths is NULL"));
  assert_null(plan);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_that_are_no_factors_are_planned_and_run),
      cmocka_unit_test(they_are_rehearsed_on_virtual_cubes),
      cmocka_unit_test(a_place_that_is_missing_is_refused),
  };
  harness_on_a_cube();
  return harness_run(tests, sizeof tests / sizeof *tests);
}
