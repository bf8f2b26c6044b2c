/* Singular values and vectors: the operation, and its public calls.
 *
 * A is copied to the layout of the method.  If it has more columns than rows, its conjugate
 * transpose is: A^H = U S V^H gives A = V S U^H.  Either way the left vectors go back as they are,
 * and of the right ones the conjugate transpose. */
#include "solve/svd.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const struct hy_variant *const LIST[] = {&hy_svd_bidiagonal,      &hy_svd_small,
                                                &hy_svd_jacobi_balanced, &hy_svd_jacobi_br,
                                                &hy_svd_jacobi_ring,     NULL};
const struct hy_family hy_svd_family = {.name = "svd", .rows = LIST};

/* What is taken where nothing is asked for, or bidiagonal form: it is faster than rotations. */
static const struct hy_variant *const BIDIAGONAL[] = {&hy_svd_bidiagonal, &hy_svd_small, NULL};
static const struct hy_family bidiagonal = {.name = "svd", .rows = BIDIAGONAL};

/* The rows that are a method, for those who name the method or want its accuracy. */
static const struct hy_variant *const JACOBI[] = {&hy_svd_jacobi_balanced, &hy_svd_jacobi_br,
                                                  &hy_svd_jacobi_ring, NULL};
static const struct hy_family jacobi = {.name = "svd", .rows = JACOBI};

/* What the front end made of the arguments. */
struct asked {
  double *values;
  hyla_matrix *left, *right;
  bool accurate;
  bool turned; /* A^H is decomposed */
};

/* Vectors of the matrix to which a method in two steps has reduced A. */
struct inner {
  hyla_matrix *z;           /* NULL: there are none */
  hyla_matrix *real;        /* those as U or V lie; NULL: these are real */
  struct hy_kept_move move; /* from z to there */
};

/* The operation's own data. */
struct own {
  struct asked asked;
  int64_t m, n;                                          /* of the method's problem */
  int u, v;                                              /* operands; 0: not wanted */
  hyla_layout (*lies)(const hyla_cube *cube, int64_t n); /* of inner vectors; NULL: none */
  struct inner left, right;
  hyla_svd_report found;
};

/* ---------------------------------------------------------------- operands -- */

/* Adds an operand for vectors, the call's argument of that number; returns its own number.  A
 * rehearsal puts its own matrices among the arguments, so these are taken from there. */
static int add_vectors(struct hy_job *job, int number, bool turned) {
  struct hy_argument argument = job->call.argument[number];
  struct hy_binding *operand = &job->operand[job->operands];
  argument.op = turned ? HYLA_CONJUGATE : HYLA_NONE;
  *operand = hy_binding_of(&argument);
  operand->read = false;
  operand->copied = turned; /* a matrix that lies well still holds the transpose */
  return job->operands++;
}

static void begin(struct hy_job *job) {
  struct own *own = job->own;
  own->asked = *(const struct asked *)job->call.subject;
  const struct asked *asked = &own->asked;
  const char *method = job->call.variant;
  const bool rotates = method == NULL ? asked->accurate : strcmp(method, "jacobi") == 0;
  const bool reduces = method == NULL ? !rotates : strcmp(method, "bidiagonal") == 0;
  /* A rehearsal names a row, and a row has the name of its method. */
  const bool by_method = !job->cube->session.rehearsal && (rotates || reduces);
  if (by_method) job->family = rotates ? &jacobi : &bidiagonal;
  if (by_method) job->call.variant = NULL;
  struct hy_argument a = job->call.argument[0];
  a.op = asked->turned ? HYLA_CONJUGATE : HYLA_NONE;
  job->operand[0] = hy_binding_of(&a);
  job->operand[0].copied = true; /* it is used up */
  own->m = job->operand[0].given.row.n;
  own->n = job->operand[0].given.col.n;
  job->operands = 1;
  const int left = asked->left == NULL ? 0 : add_vectors(job, 1, false);
  const int right = asked->right == NULL ? 0 : add_vectors(job, left + 1, true);
  own->u = asked->turned ? right : left;
  own->v = asked->turned ? left : right;
}

static void put(struct hy_operand *wanted, const hyla_layout *layout) {
  wanted->row = hy_axis_make(&layout->row, wanted->row.n);
  wanted->col = hy_axis_make(&layout->col, wanted->col.n);
  wanted->rest = HYLA_REPLICATED;
}

static void place(struct hy_job *job, const struct hy_variant *variant) {
  const struct hy_svd_traits *traits = variant == NULL ? NULL : variant->traits;
  ((struct own *)job->own)->lies = traits == NULL ? NULL : traits->inner;
}

static void want(const struct hy_job *job, const struct hy_variant *variant,
                 struct hy_operand *wanted) {
  const struct own *own = job->own;
  hyla_layout a, u, v;
  if (variant == NULL) return; /* `applies' sees no matrices */
  const struct hy_svd_traits *traits = variant->traits;
  traits->layouts(job->cube, own->m, own->n, &a, &u, &v);
  put(&wanted[0], &a);
  if (own->u > 0) put(&wanted[own->u], &u);
  if (own->v > 0) put(&wanted[own->v], &v);
}

static void set(const struct hy_job *job, hyla_cube *cube, const struct hy_operand *wanted,
                hyla_matrix *const *matrix, void *task) {
  const struct own *own = job->own;
  (void)wanted;
  *(struct hy_svd_task *)task = (struct hy_svd_task){.cube = cube,
                                                     .k = hy_cube_kernels(cube, job->k->type),
                                                     .m = own->m,
                                                     .n = own->n,
                                                     .wants_u = own->u > 0,
                                                     .wants_v = own->v > 0,
                                                     .accurate = own->asked.accurate,
                                                     .a = matrix[0],
                                                     .u = own->u > 0 ? matrix[own->u] : NULL,
                                                     .v = own->v > 0 ? matrix[own->v] : NULL};
}

/* ------------------------------------------------------------- inner vectors -- */

/* The first n rows of U or V, or what is widened to them. */
static hyla_matrix target_of(const struct inner *inner, const hyla_matrix *vectors) {
  const hyla_matrix *to = inner->real != NULL ? inner->real : vectors;
  return hy_matrix_part(to, 0, 0, to->col.n, to->col.n);
}

static hyla_status make_inner(hyla_plan *plan, struct inner *inner, const hyla_matrix *vectors,
                              hyla_matrix **z) {
  const struct hy_job *job = hy_job_of(plan);
  const struct own *own = job->own;
  const hyla_type type = hy_real_type(job->k->type);
  const int64_t n = own->n;
  if (vectors == NULL || n == 0) return HYLA_OK;
  const hyla_layout rows = own->lies(job->cube, n);
  TRY(hy_matrix_make(job->cube, type, n, n, &rows, &inner->z));
  if (job->k->complex_type)
    TRY(hy_matrix_make(job->cube, type, n, n, &vectors->layout, &inner->real));
  *z = inner->z;
  const hyla_matrix to = target_of(inner, vectors);
  return hy_move_plan(plan, &inner->move, inner->z, &to);
}

static hyla_status more(hyla_plan *plan) {
  struct hy_job *job = hy_job_of(plan);
  struct own *own = job->own;
  struct hy_svd_task *task = job->task;
  if (own->lies == NULL) return HYLA_OK;
  own->left.move.what = "left vectors moved";
  own->right.move.what = "right vectors moved";
  TRY(make_inner(plan, &own->left, task->u, &task->x));
  return make_inner(plan, &own->right, task->v, &task->y);
}

/* The memory of inner vectors. */
static hyla_status spend(const struct hy_job *job, const struct hy_operand *wanted,
                         hyla_cost *cost) {
  const struct own *own = job->own;
  const int operands[] = {own->u, own->v};
  if (own->lies == NULL || own->n == 0) return HYLA_OK;
  const hyla_layout rows = own->lies(job->cube, own->n);
  for (int i = 0; i < 2; i++) {
    struct hy_operand z = {.row = hy_axis_make(&rows.row, own->n),
                           .col = hy_axis_make(&rows.col, own->n)};
    if (operands[i] == 0) continue;
    cost->memory += hy_binding_memory(job->cube, &z, hy_real_type(job->k->type));
    if (!job->k->complex_type) continue;
    z = wanted[operands[i]];
    z.row = hy_axis_make(&z.row.code, own->n);
    cost->memory += hy_binding_memory(job->cube, &z, hy_real_type(job->k->type));
  }
  return HYLA_OK;
}

static void close_job(struct hy_job *job) {
  struct own *own = job->own;
  struct inner *const inner[] = {&own->left, &own->right};
  for (int i = 0; i < 2; i++) {
    (void)hyla_matrix_destroy(&inner[i]->real);
    (void)hyla_matrix_destroy(&inner[i]->z);
  }
}

/* Moves inner vectors to U or V, and widens them. */
static hyla_status bring(struct hy_job *job, struct inner *inner, const hyla_matrix *vectors) {
  if (inner->z == NULL) return HYLA_OK;
  hyla_matrix to = target_of(inner, vectors);
  TRY(hy_move_run(job->plan, &inner->move, inner->z, &to));
  if (inner->real != NULL && job->cube->address >= 0 && !job->k->dry && to.local_rows > 0)
    hy_convert(HY_BOTH_PARTS, (int)to.local_rows, (int)to.local_cols, to.k, to.local, (int)to.ld,
               job->k, vectors->local, (int)vectors->ld);
  return HYLA_OK;
}

/* --------------------------------------------------------------------- run -- */

static hyla_status compute(struct hy_job *job) {
  struct own *own = job->own;
  const struct hy_svd_found *found = job->state;
  const struct hy_svd_task *task = job->task;
  const struct hy_svd_traits *traits = job->variant->traits;
  TRY((traits->values != NULL ? traits->values : job->variant->run)(job->state));
  own->found = found->report;
  if (!job->k->dry && own->n > 0)
    memcpy(own->asked.values, found->values, (size_t)own->n * sizeof *found->values);
  if (own->left.z == NULL && own->right.z == NULL) return HYLA_OK;
  TRY(bring(job, &own->left, task->u));
  TRY(bring(job, &own->right, task->v));
  return traits->vectors(job->state);
}

static void explain(const hyla_plan *plan, struct hy_text *text) {
  const struct hy_job *job = hy_job_of(plan);
  const struct own *own = job->own;
  const hyla_matrix *a = job->call.argument[0].matrix;
  hy_text_add(text, "  singular values%s of a %s matrix, %lld x %lld%s\n",
              own->u > 0 || own->v > 0 ? " and vectors" : "",
              job->k->complex_type ? "complex" : "real", (long long)a->row.n, (long long)a->col.n,
              own->asked.turned ? ", by its conjugate transpose" : "");
  job->variant->explain(job->state, text);
  hy_text_add(text, "  reference: %s\n", job->variant->reference);
}

static const struct hy_operation operation = {.family = &hy_svd_family,
                                              .together = true,
                                              .task = sizeof(struct hy_svd_task),
                                              .own = sizeof(struct own),
                                              .brought = "matrix brought",
                                              .returned = "vectors brought back",
                                              .begin = begin,
                                              .place = place,
                                              .want = want,
                                              .set = set,
                                              .more = more,
                                              .spend = spend,
                                              .compute = compute,
                                              .explain = explain,
                                              .close = close_job};

/* ------------------------------------------------------------------- calls -- */

/* Checks that there is room for min(m, n) vectors. */
static hyla_status check(hyla_cube *cube, const struct hy_call *call, const struct asked *asked) {
  TRY(hy_call_check(cube, call));
  const hyla_matrix *a = call->argument[0].matrix;
  const int64_t count = hy_min(a->row.n, a->col.n);
  CHECK(&cube->base, asked->left == NULL || asked->left->col.n == count, ARGUMENT,
        "%s: left has %lld columns for %lld values", call->name,
        asked->left == NULL ? 0 : (long long)asked->left->col.n, (long long)count);
  CHECK(&cube->base, asked->right == NULL || asked->right->row.n == count, ARGUMENT,
        "%s: right has %lld rows for %lld values", call->name,
        asked->right == NULL ? 0 : (long long)asked->right->row.n, (long long)count);
  return HYLA_OK;
}

static hyla_status plan_call(hyla_cube *cube, const char *name, const hyla_svd_options *options,
                             const hyla_matrix *a, double *values, hyla_matrix *left,
                             hyla_matrix *right, hyla_plan **plan) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  const hyla_svd_options wish = options != NULL ? *options : (hyla_svd_options){0};
  struct asked asked = {.values = values, .left = left, .right = right, .accurate = wish.accurate};
  int64_t count = 0;
  if (a != NULL) {
    asked.turned = a->row.n < a->col.n;
    count = hy_min(a->row.n, a->col.n);
  }
  struct hy_call call = {.name = name,
                         .place = {{"plan", plan, 1}, {"values", values, count}},
                         .number = {left != NULL, right != NULL, wish.accurate},
                         .argument = {{"a", a, .sizes = "mn"}},
                         .variant = wish.method,
                         .most = INT_MAX / 2,
                         .subject = &asked};
  struct hy_argument *next = &call.argument[1];
  if (left != NULL) *next++ = (struct hy_argument){"left", left, .sizes = "mk", .result = left};
  if (right != NULL) *next = (struct hy_argument){"right", right, .sizes = "kn", .result = right};
  return hy_job_plan(cube, &operation, &call, check(cube, &call, &asked), plan);
}

hyla_status hyla_svd_plan(hyla_cube *cube, const hyla_svd_options *options, const hyla_matrix *a,
                          double *values, hyla_matrix *left, hyla_matrix *right, hyla_plan **plan) {
  return plan_call(cube, "hyla_svd_plan", options, a, values, left, right, plan);
}

hyla_status hyla_svd(hyla_cube *cube, const hyla_matrix *a, double *values, hyla_matrix *left,
                     hyla_matrix *right) {
  hyla_plan *plan = NULL;
  TRY(plan_call(cube, "hyla_svd", NULL, a, values, left, right, &plan));
  hyla_status status = hy_agree(cube, hy_plan_run(plan));
  (void)hyla_plan_destroy(&plan);
  return status;
}

hyla_status hyla_svd_found(const hyla_plan *plan, hyla_svd_report *report) {
  const struct hy_job *job = hy_job_if(plan, &operation);
  if (report == NULL) return HYLA_ARGUMENT;
  *report = (hyla_svd_report){.relative = NAN};
  if (job == NULL) return HYLA_ARGUMENT;
  *report = ((const struct own *)job->own)->found;
  return HYLA_OK;
}
