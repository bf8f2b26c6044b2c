/* Eigenvalues and vectors of a Hermitian matrix: the operation, and its public calls.
 *
 * A is copied to the layout of the reduction; of an upper triangle the conjugate transpose is, so
 * that the variants see lower triangles alone.  The vectors of T, which are real, are moved to
 * where those of A are to lie, and widened there if A is complex. */
#include "solve/eigen.h"
#include "solve/orthogonal.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static const struct hy_variant *const LIST[] = {&hy_eigen_tridiagonal, &hy_eigen_small,
                                                &hy_eigen_band, &hy_eigen_fixed, NULL};
const struct hy_family hy_eigen_family = {.name = "eigen", .rows = LIST};

/* The operands of the job. */
enum { A, V };

/* What the front end made of the arguments. */
struct asked {
  hyla_eigen_options options;
  double *values;
  bool vectors;
  int64_t n;
};

/* The operation's own data. */
struct own {
  struct asked asked;
  hyla_matrix *z;    /* vectors of T */
  hyla_matrix *real; /* those that are wanted, as V lies; NULL: V is real, or there is none */
  struct hy_kept_move move; /* from z to there */
  hyla_spectrum found;
};

/* ---------------------------------------------------------------- operands -- */

static void begin(struct hy_job *job) {
  struct own *own = job->own;
  own->asked = *(const struct asked *)job->call.subject;
  own->asked.options.variant = NULL; /* the caller's text */
  own->move.what = "vectors of T moved";
  job->operands = own->asked.vectors ? 2 : 1;
  job->operand[A] = hy_binding_of(&job->call.argument[0]);
  job->operand[A].copied = job->operand[A].result == NULL; /* it is used up */
  job->operand[A].result = NULL;                           /* and does not go back */
  job->operand[A].shape = (struct hy_shape){HY_GENERAL, HYLA_LOWER};
  if (!own->asked.vectors) return;
  job->operand[V] = hy_binding_of(&job->call.argument[1]);
  job->operand[V].read = false;
}

static void want(const struct hy_job *job, const struct hy_variant *variant,
                 struct hy_operand *wanted) {
  const struct own *own = job->own;
  const struct hy_eigen_traits *traits = variant == NULL ? NULL : variant->traits;
  const hyla_layout layout = traits != NULL && traits->whole
                                 ? hy_tridiagonal_whole(own->asked.n)
                                 : hy_tridiagonal_layout(job->cube, own->asked.n);
  for (int i = 0; i < job->operands; i++) {
    wanted[i].row = hy_axis_make(&layout.row, wanted[i].row.n);
    wanted[i].col = hy_axis_make(&layout.col, wanted[i].col.n);
    wanted[i].rest = HYLA_REPLICATED;
  }
}

/* Values first ... end-1 get vectors; which an interval holds is known later. */
static void set_range(const hyla_eigen_options *options, int64_t n, int64_t *first, int64_t *end) {
  const bool by_index = options->range == HYLA_EIGEN_INDEX;
  *first = by_index ? options->first : 0;
  *end = by_index ? options->last + 1 : n;
}

static void set(const struct hy_job *job, hyla_cube *cube, const struct hy_operand *wanted,
                hyla_matrix *const *matrix, void *task) {
  const struct own *own = job->own;
  struct hy_eigen_task *t = task;
  *t = (struct hy_eigen_task){
      .cube = cube, .k = hy_cube_kernels(cube, job->k->type), .n = own->asked.n, .a = matrix[A]};
  set_range(&own->asked.options, own->asked.n, &t->first, &t->end);
  t->vectors = own->asked.vectors;
  if (!t->vectors) return;
  t->v = matrix[V];
  t->v_col = wanted[V].col;
}

/* -------------------------------------------------------------- workspaces -- */

static hyla_type real_type(const struct hy_job *job) { return hy_real_type(job->k->type); }

/* Are T's vectors computed, apart from A's? */
static bool has_z(const struct hy_job *job) {
  const struct asked *asked = &((const struct own *)job->own)->asked;
  return asked->vectors && asked->n > HY_SMALL;
}

/* The matrix to which T's vectors go, its first `count' columns. */
static hyla_matrix target_of(const struct hy_job *job, int64_t count) {
  const struct own *own = job->own;
  const struct hy_eigen_task *task = job->task;
  const hyla_matrix *whole = own->real != NULL ? own->real : task->v;
  return hy_matrix_part(whole, 0, 0, own->asked.n, count);
}

static hyla_status more(hyla_plan *plan) {
  struct hy_job *job = hy_job_of(plan);
  struct own *own = job->own;
  struct hy_eigen_task *task = job->task;
  const int64_t n = own->asked.n;
  if (!has_z(job)) return HYLA_OK;
  const hyla_layout rows = hy_divide_layout(job->cube, n);
  TRY(hy_matrix_make(job->cube, real_type(job), n, n, &rows, &own->z));
  task->z = own->z;
  const int64_t count = task->v->col.n;
  if (job->k->complex_type)
    TRY(hy_matrix_make(job->cube, real_type(job), n, count, &task->v->layout, &own->real));
  const hyla_matrix from = hy_matrix_part(own->z, 0, task->first, n, count);
  const hyla_matrix to = target_of(job, count);
  return hy_move_plan(plan, &own->move, &from, &to);
}

/* The memory of z and of the real vectors. */
static hyla_status spend(const struct hy_job *job, const struct hy_operand *wanted,
                         hyla_cost *cost) {
  const struct own *own = job->own;
  const int64_t n = own->asked.n;
  if (!has_z(job)) return HYLA_OK;
  const hyla_layout rows = hy_divide_layout(job->cube, n);
  const struct hy_operand z = {.row = hy_axis_make(&rows.row, n),
                               .col = hy_axis_make(&rows.col, n)};
  cost->memory += hy_binding_memory(job->cube, &z, real_type(job));
  if (job->k->complex_type)
    cost->memory += hy_binding_memory(job->cube, &wanted[V], real_type(job));
  return HYLA_OK;
}

static void close_job(struct hy_job *job) {
  struct own *own = job->own;
  (void)hyla_matrix_destroy(&own->real);
  (void)hyla_matrix_destroy(&own->z);
}

/* --------------------------------------------------------------------- run -- */

/* Notes which values are wanted, and how far apart neighbours are. */
static void select_values(const struct asked *asked, const struct hy_eigen_found *found,
                          hyla_spectrum *spectrum) {
  const double *values = found->values;
  int64_t first, end;
  set_range(&asked->options, asked->n, &first, &end);
  if (asked->options.range == HYLA_EIGEN_INTERVAL) {
    while (first < end && !(values[first] > asked->options.low)) first++;
    while (end > first && values[end - 1] > asked->options.high) end--;
  }
  double gap = INFINITY;
  for (int64_t i = 0; i + 1 < asked->n; i++) gap = fmin(gap, values[i + 1] - values[i]);
  const struct hy_divide_report *merges = &found->merges;
  *spectrum = (hyla_spectrum){
      .first = first,
      .count = end - first,
      .smallest_gap = gap,
      .deflated = merges->merged == 0 ? 0 : (double)merges->deflated / (double)merges->merged};
}

/* Clears the columns of V behind the vectors. */
static void clear_behind(const hyla_matrix *v, int64_t held) {
  for (int64_t c = held; c < v->local_cols && v->local_rows > 0 && !v->k->dry; c++)
    memset(hy_at(v, 0, c), 0, (size_t)v->local_rows * v->k->size);
}

/* T's wanted vectors to v, in v's type. */
static hyla_status bring_vectors(struct hy_job *job, const hyla_matrix *v) {
  struct own *own = job->own;
  const hyla_matrix from = hy_matrix_part(own->z, 0, own->found.first, own->asked.n, v->col.n);
  hyla_matrix to = target_of(job, v->col.n);
  TRY(hy_move_run(job->plan, &own->move, &from, &to));
  if (job->cube->address >= 0 && own->real != NULL && v->local_rows > 0 && !job->k->dry)
    hy_convert(HY_BOTH_PARTS, (int)to.local_rows, (int)to.local_cols, to.k, to.local, (int)to.ld,
               v->k, v->local, (int)v->ld);
  return HYLA_OK;
}

static hyla_status make_vectors(struct hy_job *job) {
  const struct own *own = job->own;
  const struct hy_eigen_task *task = job->task;
  const struct hy_eigen_traits *traits = job->variant->traits;
  const int64_t count = own->found.count;
  const hyla_matrix v = hy_matrix_part(task->v, 0, 0, own->asked.n, count);
  if (job->cube->address >= 0) clear_behind(task->v, v.local_cols);
  if (count == 0) return HYLA_OK;
  if (has_z(job)) TRY(bring_vectors(job, &v));
  return traits->vectors(job->state, own->found.first, &v);
}

hyla_status hy_eigen_scale_back(hyla_cube *cube, const struct hy_kernels *k, int64_t n,
                                int exponent, double mean, double *values) {
  for (int64_t i = 0; i < n && !k->dry; i++) values[i] = ldexp(values[i] + mean, exponent);
  if (hy_cube_counts(cube)) return HYLA_OK; /* without guests */
  return hy_tell_guests(cube, values, n * (int64_t)sizeof *values);
}

static hyla_status compute(struct hy_job *job) {
  struct own *own = job->own;
  const struct hy_eigen_traits *traits = job->variant->traits;
  const struct hy_eigen_found *found = job->state;
  TRY(traits->values(job->state));
  if (job->k->dry) {
    own->found = (hyla_spectrum){0};
    set_range(&own->asked.options, own->asked.n, &own->found.first, &own->found.count);
    own->found.count -= own->found.first;
  } else {
    select_values(&own->asked, found, &own->found);
    memcpy(own->asked.values, found->values + own->found.first,
           (size_t)own->found.count * sizeof *found->values);
  }
  if (!own->asked.vectors) return HYLA_OK;
  TRY(make_vectors(job));
  own->found.orthogonalized = found->orthogonalized && own->found.count > 0;
  return HYLA_OK;
}

static void explain(const hyla_plan *plan, struct hy_text *text) {
  const struct hy_job *job = hy_job_of(plan);
  const struct asked *asked = &((const struct own *)job->own)->asked;
  const hyla_eigen_options *options = &asked->options;
  hy_text_add(text, "  eigenvalues ");
  if (options->range == HYLA_EIGEN_INDEX)
    hy_text_add(text, "%lld to %lld ", (long long)options->first, (long long)options->last);
  if (options->range == HYLA_EIGEN_INTERVAL)
    hy_text_add(text, "above %g up to %g ", options->low, options->high);
  hy_text_add(text, "%sof a %s matrix of order %lld\n", asked->vectors ? "and vectors " : "",
              job->k->complex_type ? "Hermitian" : "symmetric", (long long)asked->n);
  job->variant->explain(job->state, text);
  hy_text_add(text, "  reference: %s\n", job->variant->reference);
}

static const struct hy_operation operation = {.family = &hy_eigen_family,
                                              .together = true,
                                              .task = sizeof(struct hy_eigen_task),
                                              .own = sizeof(struct own),
                                              .brought = "matrix brought",
                                              .returned = "vectors brought back",
                                              .begin = begin,
                                              .want = want,
                                              .set = set,
                                              .more = more,
                                              .spend = spend,
                                              .compute = compute,
                                              .explain = explain,
                                              .close = close_job};

/* ------------------------------------------------------------------- calls -- */

const char *const hy_eigen_range_names[] = {"all", "index", "interval", NULL};

int64_t hy_eigen_room(const hyla_eigen_options *options, int64_t n) {
  return hy_max(0, options->range == HYLA_EIGEN_INDEX ? options->last + 1 - options->first : n);
}

hyla_status hy_eigen_check_range(hyla_cube *cube, const struct hy_call *call,
                                 const hyla_eigen_options *options, int64_t n,
                                 const hyla_matrix *vectors) {
  int64_t first, end;
  TRY(hy_call_check(cube, call));
  set_range(options, n, &first, &end);
  CHECK(&cube->base, first >= 0 && first <= end && end <= n, ARGUMENT,
        "%s: values %lld to %lld of %lld", call->name, (long long)first, (long long)end - 1,
        (long long)n);
  CHECK(&cube->base, options->range != HYLA_EIGEN_INTERVAL || options->low < options->high,
        ARGUMENT, "%s: the interval from %g to %g is empty", call->name, options->low,
        options->high);
  CHECK(&cube->base, vectors == NULL || vectors->col.n == end - first, ARGUMENT,
        "%s: vectors has %lld columns for %lld values", call->name,
        vectors == NULL ? 0 : (long long)vectors->col.n, (long long)(end - first));
  return HYLA_OK;
}

/* used: a once more if it may be used up where it lies, else NULL. */
static hyla_status plan_call(hyla_cube *cube, const char *name, const hyla_eigen_options *options,
                             hyla_triangle triangle, const hyla_matrix *a, hyla_matrix *used,
                             double *values, hyla_matrix *vectors, hyla_plan **plan) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct asked asked = {.values = values, .vectors = vectors != NULL};
  if (options != NULL) asked.options = *options;
  if (a != NULL) asked.n = a->row.n;
  struct hy_call call = {
      .name = name,
      .option = {{"triangle", (int)triangle, hy_triangle_names},
                 {"range", (int)asked.options.range, hy_eigen_range_names}},
      .place = {{"plan", plan, 1}, {"values", values, hy_eigen_room(&asked.options, asked.n)}},
      .alpha = asked.options.low,
      .beta = asked.options.high,
      .number = {asked.options.first, asked.options.last, vectors != NULL},
      .argument = {{"a", a, triangle == HYLA_UPPER ? HYLA_CONJUGATE : HYLA_NONE, "nn", used}},
      .variant = asked.options.variant,
      .most = INT_MAX / 2,
      .subject = &asked};
  if (vectors != NULL)
    call.argument[1] = (struct hy_argument){
        .name = "vectors", .matrix = vectors, .sizes = "nv", .result = vectors};
  return hy_job_plan(cube, &operation, &call,
                     hy_eigen_check_range(cube, &call, &asked.options, asked.n, vectors), plan);
}

hyla_status hyla_eigen_plan(hyla_cube *cube, const hyla_eigen_options *options,
                            hyla_triangle triangle, const hyla_matrix *a, double *values,
                            hyla_matrix *vectors, hyla_plan **plan) {
  return plan_call(cube, "hyla_eigen_plan", options, triangle, a, NULL, values, vectors, plan);
}

hyla_status hy_eigen_plan_over(hyla_cube *cube, const hyla_eigen_options *options, hyla_matrix *a,
                               double *values, hyla_matrix *vectors, hyla_plan **plan) {
  return plan_call(cube, cube->session.call, options, HYLA_LOWER, a, a, values, vectors, plan);
}

hyla_status hyla_eigen(hyla_cube *cube, hyla_triangle triangle, const hyla_matrix *a,
                       double *values, hyla_matrix *vectors) {
  hyla_plan *plan = NULL;
  TRY(plan_call(cube, "hyla_eigen", NULL, triangle, a, NULL, values, vectors, &plan));
  hyla_status status = hy_agree(cube, hy_plan_run(plan));
  (void)hyla_plan_destroy(&plan);
  return status;
}

static const struct hy_job *job_of(const hyla_plan *plan) {
  const hyla_plan *standard = hy_eigen_standard(plan);
  return hy_job_if(standard != NULL ? standard : plan, &operation);
}

hyla_status hy_eigen_step_cost(const hyla_plan *plan, hyla_cost *cost) {
  const struct hy_job *job = job_of(plan);
  *cost = (hyla_cost){0};
  if (job == NULL || !has_z(job)) return HYLA_OK;
  const struct hy_eigen_task *task = job->task;
  if (hy_orthogonal_certain(task->v)) return HYLA_OK;
  return hy_orthogonal_step_cost(task->v, job->cube->address, cost);
}

hyla_status hyla_eigen_found(const hyla_plan *plan, hyla_spectrum *spectrum) {
  const struct hy_job *job = job_of(plan);
  if (spectrum == NULL) return HYLA_ARGUMENT;
  *spectrum = (hyla_spectrum){0};
  if (job == NULL) return HYLA_ARGUMENT;
  *spectrum = ((const struct own *)job->own)->found;
  return HYLA_OK;
}
