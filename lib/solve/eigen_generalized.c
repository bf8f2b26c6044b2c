/* Generalised eigenvalue problems with a positive definite B: the operation, its variant, and its
 * public calls.
 *
 * Method: B = L L^H; with y = L^H x or y = L^-1 x the problem is C y = lambda y,
 *
 *     A x = lambda B x    C = L^-1 A L^-H   x = L^-H y
 *     A B x = lambda x    C = L^H A L       x = L^-H y
 *     B A x = lambda x    C = L^H A L       x = L y
 *
 * Reference: Golub and Van Loan 2013, section 8.7; theory.md, eigen-generalized:cholesky.
 * Layout: A, B and the vectors as hyla_eigen has them, so that C is used up where it is made.
 * Each step is a plan of its own, and the cost is theirs.  Memory: two matrices beside theirs. */
#include "solve/eigen.h"

#include <limits.h>
#include <string.h>

const char *const hy_pencil_names[] = {"a x = v b x", "a b x = v x", "b a x = v x", NULL};

static const struct hy_variant cholesky;
static const struct hy_variant *const LIST[] = {&cholesky, NULL};
const struct hy_family hy_eigen_generalized_family = {.name = "eigen-generalized", .rows = LIST};

/* The operands of the job, and the steps. */
enum { A, B, V };
enum { FACTOR, LEFT, RIGHT, SPECTRUM, BACK, STEPS };
static const char *const PURPOSE[STEPS] = {"B = L L^H", "C, from the left", "C, from the right",
                                           "values and vectors of C", "vectors of the problem"};

/* What the front end made of the arguments. */
struct asked {
  hyla_eigen_options options;
  hyla_eigen_pencil kind;
  double *values;
  bool vectors;
  int64_t n;
};

/* The plans of the steps; the first one is the factor's.  NULL: not made, or not needed. */
struct steps {
  struct hyla_factor *factor;
  hyla_plan *plan[STEPS];
};

/* The variant's problem; v: NULL without vectors.  steps: NULL until they are planned. */
struct task {
  hyla_cube *cube;
  hyla_matrix *c, *b, *v;
  const struct steps *steps;
};

/* The operation's own data. */
struct own {
  struct asked asked;
  struct steps steps;
};

/* ------------------------------------------------------------------- steps -- */

static hyla_status plan_factor(const struct task *t, struct steps *s) {
  struct hy_factorization wanted;
  const struct hy_call call = {.name = t->cube->session.call};
  const int64_t n = t->b->row.n;
  TRY(hy_factor_want(t->cube, call.name, HYLA_CHOLESKY, t->b->k->type, n, n, 0, &t->b->layout,
                     &wanted));
  wanted.given = t->b;
  wanted.from_a = t->b;
  TRY(hy_factor_make(t->cube, &call, &wanted, &s->factor));
  s->plan[FACTOR] = s->factor->plan;
  return HYLA_OK;
}

/* to := op(L)^-1 to or op(L) to, or from the other side. */
static hyla_status plan_times(const struct task *t, bool inverse, hyla_side side, hyla_operation op,
                              hyla_matrix *to, struct steps *s, int step) {
  const hyla_matrix *l = s->factor->factors.a;
  hyla_plan **plan = &s->plan[step];
  return inverse ? hyla_trsm_plan(t->cube, side, HYLA_LOWER, op, HYLA_ANY_DIAGONAL, 1, l, to, NULL,
                                  plan)
                 : hyla_trmm_plan(t->cube, side, HYLA_LOWER, op, HYLA_ANY_DIAGONAL, 1, l, to, NULL,
                                  plan);
}

/* On failure s has the plans that were made.  Collective over cube and guests. */
static hyla_status plan_steps(const struct task *t, const struct asked *asked, struct steps *s) {
  const bool inverse = asked->kind == HYLA_PENCIL_AX_BX, back = asked->kind != HYLA_PENCIL_BA_X;
  const hyla_operation left = inverse ? HYLA_NONE : HYLA_CONJUGATE,
                       right = inverse ? HYLA_CONJUGATE : HYLA_NONE;
  TRY(plan_factor(t, s));
  TRY(plan_times(t, inverse, HYLA_LEFT, left, t->c, s, LEFT));
  TRY(plan_times(t, inverse, HYLA_RIGHT, right, t->c, s, RIGHT));
  TRY(hy_eigen_plan_over(t->cube, &asked->options, t->c, asked->values, t->v, &s->plan[SPECTRUM]));
  if (t->v == NULL) return HYLA_OK;
  return plan_times(t, back, HYLA_LEFT, back ? HYLA_CONJUGATE : HYLA_NONE, t->v, s, BACK);
}

/* ---------------------------------------------------------------- operands -- */

static void begin(struct hy_job *job) {
  struct own *own = job->own;
  own->asked = *(const struct asked *)job->call.subject;
  job->operands = own->asked.vectors ? 3 : 2;
  for (int i = 0; i < job->operands; i++) {
    job->operand[i] = hy_binding_of(&job->call.argument[i]);
    job->operand[i].copied = i != V; /* they are used up */
    job->operand[i].read = i != V;
  }
}

static void want(const struct hy_job *job, const struct hy_variant *variant,
                 struct hy_operand *wanted) {
  const struct own *own = job->own;
  const hyla_layout layout = hy_tridiagonal_layout(job->cube, own->asked.n);
  (void)variant;
  for (int i = 0; i < job->operands; i++) {
    wanted[i].row = hy_axis_make(&layout.row, wanted[i].row.n);
    wanted[i].col = hy_axis_make(&layout.col, wanted[i].col.n);
    wanted[i].rest = HYLA_REPLICATED;
  }
}

static void set(const struct hy_job *job, hyla_cube *cube, const struct hy_operand *wanted,
                hyla_matrix *const *matrix, void *task) {
  const struct own *own = job->own;
  (void)wanted;
  *(struct task *)task = (struct task){.cube = cube,
                                       .c = matrix[A],
                                       .b = matrix[B],
                                       .v = own->asked.vectors ? matrix[V] : NULL,
                                       .steps = &own->steps};
}

/* -------------------------------------------------------------------- cost -- */

/* The sum of the steps' costs on this node, in bytes. */
static hyla_cost cost_of_steps(const struct steps *s) {
  hyla_cost cost = {0};
  for (int i = 0; i < STEPS; i++)
    if (s->plan[i] != NULL)
      hy_cost_add(&cost, hy_cost_in(hy_plan_mine(s->plan[i]), s->plan[i]->choice.entry, 1));
  return cost;
}

/* Before the steps are planned their cost is of use where it decides whether a rehearsal would take
 * too long; there they are planned on a counting cube.  Elsewhere one row is no choice. */
static hyla_status cost_of(const struct hy_job *job, const struct hy_variant *variant,
                           hyla_cost *cost) {
  const struct own *own = job->own;
  struct hy_operand wanted[HY_OPERANDS];
  hyla_matrix counted[HY_OPERANDS];
  struct steps s = {0};
  hyla_cube counting;
  *cost = (hyla_cost){0};
  if (own->steps.factor != NULL || !hy_can_rehearse(job->cube, 0)) return HYLA_OK;
  for (int i = 0; i < job->operands; i++) wanted[i] = job->operand[i].given;
  want(job, variant, wanted);
  hy_count_begin(job->cube, job->cube->address, &counting);
  for (int i = 0; i < job->operands; i++) {
    wanted[i].in_place = hy_in_place_expected(job->cube);
    counted[i] = hy_matrix_counted(&counting, job->k->type, &wanted[i]);
  }
  const struct task task = {.cube = &counting,
                            .c = &counted[A],
                            .b = &counted[B],
                            .v = own->asked.vectors ? &counted[V] : NULL};
  hyla_status status = plan_steps(&task, &own->asked, &s);
  *cost = hy_cost_in(cost_of_steps(&s), 1, job->k->size);
  for (int i = 0; i < STEPS; i++) (void)hyla_plan_destroy(&s.plan[i]);
  (void)hy_count_end(job->cube, &counting, 1);
  return status;
}

/* What was priced before is now the cost of the plan's children. */
static hyla_status more(hyla_plan *plan) {
  struct hy_job *job = hy_job_of(plan);
  struct own *own = job->own;
  struct steps *s = &own->steps;
  hy_free(&job->cube->base, &job->priced);
  const hyla_status status = plan_steps(job->task, &own->asked, s);
  own->asked.options.variant = NULL; /* the caller's text */
  for (int i = 0; i < STEPS; i++)
    if (s->plan[i] != NULL) hy_plan_adopt(plan, PURPOSE[i], s->plan[i]);
  return status;
}

static void explain(const hyla_plan *plan, struct hy_text *text) {
  static const char *const problems[] = {"A x = v B x", "A B x = v x", "B A x = v x"};
  const struct hy_job *job = hy_job_of(plan);
  const struct asked *asked = &((const struct own *)job->own)->asked;
  hy_text_add(text, "  %s, A and B %s, of order %lld\n", problems[asked->kind],
              job->k->complex_type ? "Hermitian" : "symmetric", (long long)asked->n);
  job->variant->explain(job->state, text);
  hy_text_add(text, "  reference: %s\n", job->variant->reference);
}

static const struct hy_operation operation = {.family = &hy_eigen_generalized_family,
                                              .together = true,
                                              .task = sizeof(struct task),
                                              .own = sizeof(struct own),
                                              .brought = "matrices brought",
                                              .returned = "vectors brought back",
                                              .begin = begin,
                                              .want = want,
                                              .set = set,
                                              .cost = cost_of,
                                              .more = more,
                                              .explain = explain};

/* ------------------------------------------------------------------- a row -- */

struct state {
  const struct task *task;
};

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct task *task = given;
  struct state *s = NULL;
  (void)variant;
  TRY(hy_alloc(&task->cube->base, 1, sizeof *s, &s));
  s->task = task;
  *state = s;
  return HYLA_OK;
}

/* The steps' plans have all memory. */
static hyla_status allocate(void *state) {
  const struct state *s = state;
  return hy_agree(s->task->cube, HYLA_OK);
}

static hyla_status run(void *state) {
  const struct task *t = ((const struct state *)state)->task;
  const struct steps *s = t->steps;
  TRY(hy_factor_compute(s->factor, t->b, NULL));
  for (int i = FACTOR + 1; i < STEPS; i++)
    if (s->plan[i] != NULL) TRY(hy_agree(t->cube, hy_plan_run(s->plan[i])));
  return HYLA_OK;
}

static void explain_row(const void *state, struct hy_text *text) {
  (void)state;
  hy_text_add(text, "  to C y = v y by B's triangle; the steps' costs are added up\n");
}

static const struct hy_variant cholesky = {.name = "cholesky",
                                           .reference = "golub-2013, section 8.7",
                                           .fixed = true, /* where its steps are */
                                           .arrays = true,
                                           .create = create,
                                           .allocate = allocate,
                                           .run = run,
                                           .explain = explain_row};

/* ------------------------------------------------------------------- calls -- */

static hyla_status plan_call(hyla_cube *cube, const char *name, const hyla_eigen_options *options,
                             hyla_eigen_pencil kind, hyla_triangle triangle, const hyla_matrix *a,
                             const hyla_matrix *b, double *values, hyla_matrix *vectors,
                             hyla_plan **plan) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct asked asked = {.kind = kind, .values = values, .vectors = vectors != NULL};
  if (options != NULL) asked.options = *options;
  if (a != NULL) asked.n = a->row.n;
  const char *variant = asked.options.variant;
  if (variant != NULL && hy_family_find(&hy_eigen_generalized_family, variant) != NULL)
    asked.options.variant = NULL; /* it is this problem's, not the standard one's */
  else
    variant = NULL;
  const struct hy_shape half = {HY_HERMITIAN, triangle};
  struct hy_call call = {
      .name = name,
      .option = {{"triangle", (int)triangle, hy_triangle_names},
                 {"range", (int)asked.options.range, hy_eigen_range_names},
                 {"kind", (int)kind, hy_pencil_names}},
      .place = {{"plan", plan, 1}, {"values", values, hy_eigen_room(&asked.options, asked.n)}},
      .alpha = asked.options.low,
      .beta = asked.options.high,
      .number = {asked.options.first, asked.options.last, vectors != NULL},
      .text = {asked.options.variant},
      .argument = {{"a", a, .sizes = "nn", .shape = half}, {"b", b, .sizes = "nn", .shape = half}},
      .variant = variant,
      .most = INT_MAX / 2,
      .subject = &asked};
  if (vectors != NULL)
    call.argument[2] = (struct hy_argument){
        .name = "vectors", .matrix = vectors, .sizes = "nv", .result = vectors};
  return hy_job_plan(cube, &operation, &call,
                     hy_eigen_check_range(cube, &call, &asked.options, asked.n, vectors), plan);
}

hyla_status hyla_eigen_generalized_plan(hyla_cube *cube, const hyla_eigen_options *options,
                                        hyla_eigen_pencil kind, hyla_triangle triangle,
                                        const hyla_matrix *a, const hyla_matrix *b, double *values,
                                        hyla_matrix *vectors, hyla_plan **plan) {
  return plan_call(cube, "hyla_eigen_generalized_plan", options, kind, triangle, a, b, values,
                   vectors, plan);
}

static const struct steps *steps_of(const hyla_plan *plan) {
  const struct hy_job *job = hy_job_if(plan, &operation);
  return job == NULL ? NULL : &((const struct own *)job->own)->steps;
}

const hyla_plan *hy_eigen_standard(const hyla_plan *plan) {
  const struct steps *s = steps_of(plan);
  return s == NULL ? NULL : s->plan[SPECTRUM];
}

int64_t hyla_eigen_generalized_pivot(const hyla_plan *plan) {
  const struct steps *s = steps_of(plan);
  return s == NULL ? 0 : hyla_factor_pivot(s->factor);
}

hyla_status hyla_eigen_generalized(hyla_cube *cube, hyla_eigen_pencil kind, hyla_triangle triangle,
                                   const hyla_matrix *a, const hyla_matrix *b, double *values,
                                   hyla_matrix *vectors, int64_t *pivot) {
  hyla_plan *plan = NULL;
  if (pivot != NULL) *pivot = 0;
  TRY(plan_call(cube, "hyla_eigen_generalized", NULL, kind, triangle, a, b, values, vectors,
                &plan));
  hyla_status status = hy_agree(cube, hy_plan_run(plan));
  if (pivot != NULL) *pivot = hyla_eigen_generalized_pivot(plan);
  (void)hyla_plan_destroy(&plan);
  return status;
}
