/* C := alpha op(A) op(B) + beta C: the operation, and its public calls. */
#include "gemm/gemm_check.h"

#define POINTER(row) &row,
static const struct hy_variant *const LIST[] = {HY_GEMM_VARIANTS(POINTER) NULL};
#undef POINTER

const struct hy_family hy_gemm_family = {.name = "gemm", .rows = LIST};

/* ------------------------------------------------------------- the operands -- */

enum { A, B, C };

/* The part of op() of a factor that may be nonzero. */
static enum hy_part part_of(const struct hy_argument *x) {
  const struct hy_shape *shape = &x->shape;
  if (shape->form != HY_TRIANGULAR && shape->form != HY_UNIT_TRIANGULAR) return HY_WHOLE;
  return (shape->triangle == HYLA_LOWER) == (x->op == HYLA_NONE) ? HY_LOWER_PART : HY_UPPER_PART;
}

/* A factor that is a triangle or half of a symmetric matrix is made whole in a workspace.  If alpha
 * = 0, empty factors replace the factors, so nothing of them is read or moved. */
static void begin(struct hy_job *job) {
  const bool used = job->call.alpha != 0;
  job->operands = 3;
  for (int i = A; i <= C; i++) job->operand[i] = hy_binding_of(&job->call.argument[i]);
  struct hy_operand *a = &job->operand[A].given, *b = &job->operand[B].given;
  int64_t inner = used ? a->col.n : 0;
  a->col = hy_axis_range(&a->col, 0, inner);
  b->row = hy_axis_range(&b->row, 0, inner);
  for (int i = A; i <= B; i++) {
    job->operand[i].copied |= inner == 0 || job->operand[i].shape.form != HY_GENERAL;
    job->operand[i].read = inner > 0;
  }
  struct hy_binding *c = &job->operand[C];
  if (c->shape.form != HY_GENERAL) c->shape.form = HY_TRIANGULAR;
  c->read = job->call.beta != 0;
}

static struct hy_gemm_problem problem_of(const struct hy_job *job, hyla_cube *cube,
                                         const struct hy_kernels *kernels,
                                         const struct hy_operand *operand) {
  const struct hy_argument *argument = job->call.argument;
  const struct hy_shape *half = &argument[C].shape; /* the rest of C does not change */
  const enum hy_part part = half->form == HY_GENERAL       ? HY_WHOLE
                            : half->triangle == HYLA_LOWER ? HY_LOWER_PART
                                                           : HY_UPPER_PART;
  return (struct hy_gemm_problem){.cube = cube,
                                  .kernels = kernels,
                                  .m = operand[C].row.n,
                                  .n = operand[C].col.n,
                                  .k = operand[A].col.n,
                                  .part = part,
                                  .part_a = part_of(&argument[A]),
                                  .part_b = part_of(&argument[B]),
                                  .a = operand[A],
                                  .b = operand[B],
                                  .c = operand[C]};
}

static void want(const struct hy_job *job, const struct hy_variant *variant,
                 struct hy_operand *wanted) {
  for (int i = A; i <= C; i++) hy_operand_fill_cube(job->cube, &wanted[i]);
  if (variant == NULL) return;
  const struct hy_gemm_problem seen = problem_of(job, job->cube, job->k, wanted);
  struct hy_gemm_problem problem = seen;
  hy_gemm_traits_of(variant)->layouts(&seen, &problem);
  wanted[A] = problem.a;
  wanted[B] = problem.b;
  wanted[C] = problem.c;
}

static bool copies(const struct hy_job *job, const struct hy_variant *variant, int operand) {
  return operand != C && hy_gemm_traits_of(variant)->plain && job->operand[operand].op != HYLA_NONE;
}

/* op() has already been applied to a factor in a workspace.  The run that is counted adds to C
 * unscaled. */
static void set(const struct hy_job *job, hyla_cube *cube, const struct hy_operand *wanted,
                hyla_matrix *const *matrix, void *task) {
  const bool counts = cube != job->cube;
  const struct hy_kernels *kernels = counts ? matrix[C]->k : job->k;
  hyla_operation op[2];
  for (int i = A; i <= B; i++)
    op[i] = counts || job->operand[i].view != NULL ? HYLA_NONE : job->operand[i].op;
  *(struct hy_gemm_task *)task =
      (struct hy_gemm_task){.problem = problem_of(job, cube, kernels, wanted),
                            .alpha = counts ? 1 : job->call.alpha,
                            .beta = counts ? 1 : job->call.beta,
                            .a = {matrix[A], op[A]},
                            .b = {matrix[B], op[B]},
                            .c = matrix[C]};
}

/* ------------------------------------------------------------ the operation -- */

static hyla_status open_check(struct hy_job *job) {
  struct hy_gemm_own *own = job->own;
  if (!job->cube->session.check_results) return HYLA_OK;
  TRY(hy_alloc(&job->cube->base, 1, sizeof *own->check, &own->check));
  return hy_gemm_check_make(job->cube, &job->call, own->check);
}

static hyla_status spend_check(const struct hy_job *job, const struct hy_operand *wanted,
                               hyla_cost *cost) {
  const struct hy_gemm_own *own = job->own;
  hyla_cost check;
  (void)wanted;
  if (own->check == NULL) return HYLA_OK;
  TRY(hy_gemm_check_cost(own->check, &check));
  hy_cost_add(cost, check);
  return HYLA_OK;
}

static void close_check(struct hy_job *job) {
  hy_free(&job->cube->base, &((struct hy_gemm_own *)job->own)->check);
}

static hyla_status compute(struct hy_job *job) {
  TRY(hy_job_compute(job));
  bool hermitian = job->call.argument[C].shape.form == HY_HERMITIAN && job->k->complex_type;
  if (hermitian) hy_real_diagonal(hy_binding_matrix(&job->operand[C]));
  return HYLA_OK;
}

/* A damaged result that cannot be corrected is computed once more, if its factors are intact. */
static hyla_status run(struct hy_job *job) {
  struct hy_gemm_check *check = ((struct hy_gemm_own *)job->own)->check;
  if (check == NULL) return hy_job_once(job);
  enum hy_check_result worst = HY_UNDAMAGED;
  TRY(hy_gemm_check_begin(check));
  TRY(hy_job_once(job));
  TRY(hy_gemm_check_end(check, &worst));
  bool damaged = worst != HY_UNDAMAGED;
  if (worst == HY_DAMAGED && check->again) {
    TRY(hy_job_once(job));
    TRY(hy_gemm_check_end(check, &worst));
  }
  return hy_check_result_end(job->cube, damaged, worst);
}

const struct hy_operation hy_gemm = {.family = &hy_gemm_family,
                                     .task = sizeof(struct hy_gemm_task),
                                     .own = sizeof(struct hy_gemm_own),
                                     .brought = "operands brought",
                                     .returned = "result brought back",
                                     .begin = begin,
                                     .want = want,
                                     .set = set,
                                     .copies = copies,
                                     .learn = hy_gemm_learn,
                                     .open = open_check,
                                     .spend = spend_check,
                                     .run = run,
                                     .compute = compute,
                                     .explain = hy_gemm_explain,
                                     .close = close_check};

/* ------------------------------------------------------------------- calls -- */

static struct hy_call product(const char *name, hyla_operation op_a, hyla_operation op_b,
                              double _Complex alpha, const hyla_matrix *a, const hyla_matrix *b,
                              double _Complex beta, hyla_matrix *c) {
  return (struct hy_call){
      .name = name,
      .option = {{"op_a", (int)op_a, hy_operation_names}, {"op_b", (int)op_b, hy_operation_names}},
      .alpha = alpha,
      .beta = beta,
      .argument = {{"a", a, op_a, "mk"}, {"b", b, op_b, "kn"}, {"c", c, HYLA_NONE, "mn", c}}};
}

hyla_status hyla_gemm_plan(hyla_cube *cube, hyla_operation op_a, hyla_operation op_b,
                           double _Complex alpha, const hyla_matrix *a, const hyla_matrix *b,
                           double _Complex beta, hyla_matrix *c, const char *variant,
                           hyla_plan **plan) {
  struct hy_call call = product("hyla_gemm_plan", op_a, op_b, alpha, a, b, beta, c);
  call.variant = variant;
  return hy_job_plan(cube, &hy_gemm, &call, HYLA_OK, plan);
}

hyla_status hyla_gemm_plan_by_address(hyla_cube *cube, hyla_operation op_a, hyla_operation op_b,
                                      const hyla_scalar *alpha, const hyla_matrix *a,
                                      const hyla_matrix *b, const hyla_scalar *beta, hyla_matrix *c,
                                      const char *variant, hyla_plan **plan) {
  const char *name = "hyla_gemm_plan_by_address";
  struct hy_call call =
      product(name, op_a, op_b, alpha != NULL ? *alpha : 0, a, b, beta != NULL ? *beta : 0, c);
  call.variant = variant;
  return hy_job_plan(cube, &hy_gemm, &call, hy_call_check_scalars(cube, name, alpha, beta), plan);
}

hyla_status hyla_gemm(hyla_cube *cube, hyla_operation op_a, hyla_operation op_b,
                      double _Complex alpha, const hyla_matrix *a, const hyla_matrix *b,
                      double _Complex beta, hyla_matrix *c) {
  const struct hy_call call = product("hyla_gemm", op_a, op_b, alpha, a, b, beta, c);
  return hy_job_call(cube, &hy_gemm, &call, HYLA_OK);
}
