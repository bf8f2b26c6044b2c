/* hyla_qr_pivoted: A P = Q R with pivoted columns, the operation and its public calls.  Its
 * variants are in lib/solve/pivoted. */
#include "job/job.h"
#include "solve/pivoted/pivoted.h"
#include "solve/solve.h"

#include <limits.h>

static const struct hy_variant *const LIST[] = {&hy_pivoted_classic, &hy_pivoted_tournament, NULL};
const struct hy_family hy_qr_pivoted_family = {.name = "qr_pivoted", .rows = LIST};

/* Where the results go. */
struct own {
  double _Complex *tau;
  int64_t *columns;
};

static void begin(struct hy_job *job) {
  *(struct own *)job->own = *(const struct own *)job->call.subject;
  job->operands = 1;
  job->operand[0] = hy_binding_of(&job->call.argument[0]);
}

static void want(const struct hy_job *job, const struct hy_variant *variant,
                 struct hy_operand *wanted) {
  const int64_t m = wanted->row.n, n = wanted->col.n;
  (void)variant;
  wanted->row = hy_axis_whole(m);
  wanted->col = hy_axis_dealt(job->cube, hy_pivoted_block(job->cube, n), n);
  wanted->rest = HYLA_REPLICATED;
}

static void set(const struct hy_job *job, hyla_cube *cube, const struct hy_operand *wanted,
                hyla_matrix *const *matrix, void *task) {
  const struct own *own = job->own;
  const bool runs = task == job->task;
  (void)wanted;
  *(struct hy_pivoted_task *)task = (struct hy_pivoted_task){.cube = cube,
                                                             .a = matrix[0],
                                                             .tau = runs ? own->tau : NULL,
                                                             .columns = runs ? own->columns : NULL};
}

/* Nodes alone know the results, and whether there are any. */
static hyla_status compute(struct hy_job *job) {
  const struct own *own = job->own;
  const struct hy_pivoted_task *task = job->task;
  const int64_t n = task->a->col.n, order = hy_min(task->a->row.n, n);
  TRY(hy_agree(job->cube, hy_job_compute(job)));
  if (job->k->dry) return HYLA_OK;
  TRY(hy_tell_guests(job->cube, own->tau, order * (int64_t)sizeof *own->tau));
  return hy_tell_guests(job->cube, own->columns, n * (int64_t)sizeof *own->columns);
}

static void explain(const hyla_plan *plan, struct hy_text *text) {
  const struct hy_job *job = hy_job_of(plan);
  const hyla_matrix *a = job->call.argument[0].matrix;
  hy_text_add(text, "  Q R of %lld rows and %lld columns, which are pivoted\n", (long long)a->row.n,
              (long long)a->col.n);
  job->variant->explain(job->state, text);
  hy_text_add(text, "  reference: %s\n", job->variant->reference);
}

static const struct hy_operation operation = {.family = &hy_qr_pivoted_family,
                                              .together = true,
                                              .task = sizeof(struct hy_pivoted_task),
                                              .own = sizeof(struct own),
                                              .brought = "matrix brought",
                                              .returned = "factors brought back",
                                              .begin = begin,
                                              .want = want,
                                              .set = set,
                                              .compute = compute,
                                              .explain = explain};

static struct hy_call call_of(const char *name, hyla_matrix *a, const struct own *own) {
  return (struct hy_call){.name = name,
                          .place = {{0}, /* the plan's */
                {"tau", own->tau, a == NULL ? 0 : hy_min(a->row.n, a->col.n)},
                {"columns", own->columns, a == NULL ? 0 : a->col.n}},
      .argument = {{"a", a, .sizes = "mn", .result = a}},
                          .most = INT_MAX / 2,
                          .subject = own};
}

hyla_status hyla_qr_pivoted_plan(hyla_cube *cube, hyla_matrix *a, hyla_scalar *tau,
                                 int64_t *columns, const char *variant, hyla_plan **plan) {
  const struct own own = {tau, columns};
  struct hy_call call = call_of("hyla_qr_pivoted_plan", a, &own);
  call.variant = variant;
  return hy_job_plan(cube, &operation, &call, HYLA_OK, plan);
}

hyla_status hyla_qr_pivoted(hyla_cube *cube, hyla_matrix *a, hyla_scalar *tau, int64_t *columns) {
  const struct own own = {tau, columns};
  const struct hy_call call = call_of("hyla_qr_pivoted", a, &own);
  return hy_job_call(cube, &operation, &call, HYLA_OK);
}
