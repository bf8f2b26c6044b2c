/* Matrix-vector operations: their common part as operations, and their public calls.  A never
 * moves. */
#include "gemm/gemv.h"

static const struct hy_variant *const LIST[] = {&hy_gemv_rows, &hy_gemv_columns, &hy_gemv_blocks,
                                                &hy_gemv_tree, &hy_gemv_copies,  &hy_gemv_sweep,
                                                NULL};
const struct hy_family hy_gemv_family = {.name = "gemv", .rows = LIST};

/* ------------------------------------------------------------- the operands -- */

static struct hy_gemv_own *own_of(const struct hy_job *job) { return job->own; }
static bool is_mirrored(const struct hy_job *job) {
  return job->call.argument[0].shape.form != HY_GENERAL;
}

/* The operation applied to A; in an update, to y. */
static hyla_operation op_of(const struct hy_job *job) {
  return job->call.argument[own_of(job)->update ? 2 : 0].op;
}

static void begin(struct hy_job *job) {
  const struct hy_argument *argument = job->call.argument;
  const hyla_matrix *a = argument[0].matrix;
  struct hy_gemv_own *own = own_of(job);
  struct hy_binding *end = &job->operand[HY_GEMV_FIRST_END];
  own->update = argument[0].result != NULL;
  own->idle = job->call.alpha == 0 || a->row.n == 0 || a->col.n == 0;
  job->operands = HY_GEMV_FIRST_END + (is_mirrored(job) ? HY_GEMV_ENDS : 2);
  job->operand[HY_GEMV_A] = (struct hy_binding){
      .matrix = a, .result = argument[0].result, .given = hy_operand_of(a, HYLA_NONE)};
  for (int i = 0; HY_GEMV_FIRST_END + i < job->operands; i++) {
    const struct hy_argument *vector = &argument[i == HY_GEMV_X || i == HY_GEMV_X_TURNED ? 1 : 2];
    end[i] = (struct hy_binding){.matrix = vector->matrix,
                                 .result = vector->result,
                                 .given = hy_operand_of(vector->matrix, HYLA_NONE),
                                 .scale = 1,
                                 .read = true};
  }
  if (!own->update) end[HY_GEMV_Y].read = job->call.beta != 0;
  if (!is_mirrored(job)) return;
  /* y's second summand never lies in y itself. */
  end[HY_GEMV_Y_TURNED].copied = !own->idle;
  end[HY_GEMV_Y_TURNED].read = false;
  end[HY_GEMV_Y_TURNED].result = NULL;
  if (own->idle) return;
  job->operand[job->operands++] = (struct hy_binding){
      .matrix = argument[2].matrix, .given = end[HY_GEMV_Y].given, .copied = true};
}

static void set_problem(const struct hy_job *job, hyla_cube *cube, const struct hy_operand *operand,
                        struct hy_gemv_problem *p) {
  const struct hy_gemv_own *own = own_of(job);
  const bool transposed = op_of(job) != HYLA_NONE; /* also in an update */
  const struct hy_operand *vector = &operand[HY_GEMV_FIRST_END];
  *p = (struct hy_gemv_problem){.cube = cube,
                                .kernels = job->k,
                                .update = own->update,
                                .idle = own->idle,
                                .shape = job->call.argument[0].shape,
                                .op = op_of(job),
                                .a = operand[HY_GEMV_A],
                                .ends = is_mirrored(job) ? HY_GEMV_ENDS : 2};
  p->end[HY_GEMV_X] = (struct hy_gemv_end){transposed, false, vector[HY_GEMV_X]};
  p->end[HY_GEMV_Y] = (struct hy_gemv_end){!transposed, !own->update, vector[HY_GEMV_Y]};
  if (!is_mirrored(job)) return;
  p->end[HY_GEMV_X_TURNED] = (struct hy_gemv_end){true, false, vector[HY_GEMV_X_TURNED]};
  p->end[HY_GEMV_Y_TURNED] = (struct hy_gemv_end){false, true, vector[HY_GEMV_Y_TURNED]};
}

static void want(const struct hy_job *job, const struct hy_variant *variant,
                 struct hy_operand *wanted) {
  struct hy_gemv_problem given;
  if (variant == NULL || own_of(job)->idle) return;
  set_problem(job, job->cube, wanted, &given);
  for (int i = 0; i < given.ends; i++)
    hy_gemv_traits_of(variant)->lay_out(&given, &given.end[i], &wanted[HY_GEMV_FIRST_END + i]);
  if (is_mirrored(job)) wanted[HY_GEMV_CARRIED] = wanted[HY_GEMV_FIRST_END + HY_GEMV_Y];
}

static void set(const struct hy_job *job, hyla_cube *cube, const struct hy_operand *wanted,
                hyla_matrix *const *matrix, void *task) {
  struct hy_gemv_task *t = task;
  *t = (struct hy_gemv_task){
      .alpha = job->call.alpha, .beta = job->call.beta, .a = matrix[HY_GEMV_A]};
  set_problem(job, cube, wanted, &t->problem);
  if (t->a != NULL) t->problem.kernels = t->a->k;
  for (int i = 0; i < t->problem.ends; i++) t->vector[i] = matrix[HY_GEMV_FIRST_END + i];
}

/* --------------------------------------------------- the other summand of y -- */

static bool carries(const struct hy_job *job) { return job->operands > HY_GEMV_CARRIED; }

static hyla_status plan_carried(hyla_plan *plan) {
  const struct hy_job *job = hy_job_of(plan);
  struct hy_gemv_own *own = own_of(job);
  if (!carries(job)) return HYLA_OK;
  const hyla_matrix *from = job->operand[HY_GEMV_FIRST_END + HY_GEMV_Y_TURNED].view;
  const hyla_transfer transfer = {HYLA_NONE, 1, from, job->operand[HY_GEMV_CARRIED].view};
  TRY(hy_redistribute_make(job->cube, 1, &transfer, NULL, NULL, &own->carried));
  hy_plan_adopt(plan, "other sums brought to y", own->carried);
  return HYLA_OK;
}

/* As long as there is no plan, the move is priced as a direct exchange. */
static hyla_status spend(const struct hy_job *job, const struct hy_operand *wanted,
                         hyla_cost *cost) {
  hyla_cube *cube = job->cube;
  const struct hy_operand *y = &wanted[HY_GEMV_FIRST_END + HY_GEMV_Y];
  if (!carries(job)) return HYLA_OK;
  const bool held = hy_operand_holds(cube->dims, y, cube->address);
  const int64_t entries =
      held ? hy_held_at(&y->row, cube->address) * hy_held_at(&y->col, cube->address) : 0;
  const struct hy_direct_ends ends = {&wanted[HY_GEMV_FIRST_END + HY_GEMV_Y_TURNED], y,
                                      job->k->size, HY_WHOLE};
  cost->flops += entries;
  cost->copied += entries;
  if (own_of(job)->carried != NULL) return HYLA_OK;
  return hy_direct_cost(cube, &ends, 1, cost);
}

/* y += its second summand */
static hyla_status compute(struct hy_job *job) {
  const struct hy_gemv_task *task = job->task;
  const hyla_matrix *y = task->vector[HY_GEMV_Y], *more = job->operand[HY_GEMV_CARRIED].view;
  int64_t count = y->local_rows * y->local_cols;
  TRY(hy_job_compute(job));
  if (!carries(job)) return HYLA_OK;
  TRY(hy_plan_run(own_of(job)->carried));
  if (count == 0) return HYLA_OK;
  hy_count_copied(job->cube, count);
  y->k->add((int)count, 1, more->local, (int)count, y->local, (int)count);
  hy_compute(job->cube, count, y->k->size, y->k->complex_type);
  return HYLA_OK;
}

static void explain_vector(struct hy_text *text, const char *name, const struct hy_binding *binding,
                           const struct hy_gemv_end *end) {
  char given[HYLA_LAYOUT_TEXT], wanted[HYLA_LAYOUT_TEXT];
  const struct hy_operand *x = &end->vector;
  const hyla_layout layout = hy_operand_layout(x);
  hyla_layout_format(&binding->matrix->layout, given, sizeof given);
  hyla_layout_format(&layout, wanted, sizeof wanted);
  hy_text_add(text, "  %s, of %lld, with a's %s: lies as %s", name, (long long)x->row.n,
              end->rows ? "rows" : "columns", given);
  if (binding->view == NULL)
    hy_text_add(text, ", stays\n");
  else if (!hy_binding_brought(binding) && !end->sum)
    hy_text_add(text, ", is not read\n");
  else
    hy_text_add(text, ", %s as %s\n", end->sum ? "added up" : "redistributed to lie", wanted);
}

static void explain(const hyla_plan *plan, struct hy_text *text) {
  static const char *const names[] = {"x", "y", "x", "y"};
  static const char *const turned[] = {"", ", transposed", ", conjugate transposed"};
  const struct hy_job *job = hy_job_of(plan);
  const struct hy_gemv_task *task = job->task;
  const struct hy_gemv_problem *p = &task->problem;
  const hyla_cube *cube = job->cube;
  char lies[HYLA_LAYOUT_TEXT];
  hyla_layout_format(&task->a->layout, lies, sizeof lies);
  hy_text_add(text, "  A %lld x %lld%s: lies as %s, stays", (long long)p->a.row.n,
              (long long)p->a.col.n, p->update ? "" : turned[p->op], lies);
  if (p->shape.form != HY_GENERAL)
    hy_text_add(text, "; its %s triangle is read, as it stands and turned",
                p->shape.triangle == HYLA_LOWER ? "lower" : "upper");
  hy_text_add(text, "%s\n", p->idle ? ", is not read" : "");
  for (int i = 0; i < p->ends; i++)
    explain_vector(text, names[i], &job->operand[HY_GEMV_FIRST_END + i], &p->end[i]);
  hy_text_add(text, "  nodes: %d as %d x %d; idle ranks: %d\n", cube->nodes, p->a.row.parts,
              p->a.col.parts, cube->ranks.all - cube->nodes);
  if (job->variant->explain != NULL) job->variant->explain(job->state, text);
  hy_text_add(text, "  reference: %s\n", job->variant->reference);
}

static const struct hy_operation hy_gemv = {.family = &hy_gemv_family,
                                            .task = sizeof(struct hy_gemv_task),
                                            .own = sizeof(struct hy_gemv_own),
                                            .brought = "vectors brought",
                                            .returned = "result brought back",
                                            .begin = begin,
                                            .want = want,
                                            .set = set,
                                            .more = plan_carried,
                                            .spend = spend,
                                            .compute = compute,
                                            .explain = explain};

/* ----------------------------------------------------------------- general -- */

static struct hy_call product(const char *name, hyla_operation op, double _Complex alpha,
                              const hyla_matrix *a, const hyla_matrix *x, double _Complex beta,
                              hyla_matrix *y, const char *variant) {
  return (struct hy_call){
      .name = name,
      .option = {{"op", (int)op, hy_operation_names}},
      .alpha = alpha,
      .beta = beta,
      .argument = {{"a", a, op, "mn"}, {"x", x, HYLA_NONE, "n1"}, {"y", y, HYLA_NONE, "m1", y}},
      .variant = variant,
      .several = "hyla_gemm"};
}

hyla_status hyla_gemv_plan(hyla_cube *cube, hyla_operation op, double _Complex alpha,
                           const hyla_matrix *a, const hyla_matrix *x, double _Complex beta,
                           hyla_matrix *y, const char *variant, hyla_plan **plan) {
  const struct hy_call call = product("hyla_gemv_plan", op, alpha, a, x, beta, y, variant);
  return hy_job_plan(cube, &hy_gemv, &call, HYLA_OK, plan);
}

hyla_status hyla_gemv_plan_by_address(hyla_cube *cube, hyla_operation op, const hyla_scalar *alpha,
                                      const hyla_matrix *a, const hyla_matrix *x,
                                      const hyla_scalar *beta, hyla_matrix *y, const char *variant,
                                      hyla_plan **plan) {
  const char *name = "hyla_gemv_plan_by_address";
  const struct hy_call call =
      product(name, op, alpha != NULL ? *alpha : 0, a, x, beta != NULL ? *beta : 0, y, variant);
  return hy_job_plan(cube, &hy_gemv, &call, hy_call_check_scalars(cube, name, alpha, beta), plan);
}

hyla_status hyla_gemv(hyla_cube *cube, hyla_operation op, double _Complex alpha,
                      const hyla_matrix *a, const hyla_matrix *x, double _Complex beta,
                      hyla_matrix *y) {
  const struct hy_call call = product("hyla_gemv", op, alpha, a, x, beta, y, NULL);
  return hy_job_call(cube, &hy_gemv, &call, HYLA_OK);
}

/* ------------------------------------------------ symmetric and Hermitian -- */

static struct hy_call mirrored(const char *name, enum hy_structure form, hyla_triangle triangle,
                               double _Complex alpha, const hyla_matrix *a, const hyla_matrix *x,
                               double _Complex beta, hyla_matrix *y, const char *variant) {
  struct hy_call call = product(name, HYLA_NONE, alpha, a, x, beta, y, variant);
  call.option[0] = (struct hy_option){"triangle", (int)triangle, hy_triangle_names};
  call.several = form == HY_SYMMETRIC ? "hyla_symm" : "hyla_hemm";
  call.argument[0].sizes = "nn";
  call.argument[2].sizes = "n1";
  call.argument[0].shape = (struct hy_shape){form, triangle};
  return call;
}

hyla_status hyla_symv_plan(hyla_cube *cube, hyla_triangle triangle, double _Complex alpha,
                           const hyla_matrix *a, const hyla_matrix *x, double _Complex beta,
                           hyla_matrix *y, const char *variant, hyla_plan **plan) {
  const struct hy_call call =
      mirrored("hyla_symv_plan", HY_SYMMETRIC, triangle, alpha, a, x, beta, y, variant);
  return hy_job_plan(cube, &hy_gemv, &call, HYLA_OK, plan);
}

hyla_status hyla_hemv_plan(hyla_cube *cube, hyla_triangle triangle, double _Complex alpha,
                           const hyla_matrix *a, const hyla_matrix *x, double _Complex beta,
                           hyla_matrix *y, const char *variant, hyla_plan **plan) {
  const struct hy_call call =
      mirrored("hyla_hemv_plan", HY_HERMITIAN, triangle, alpha, a, x, beta, y, variant);
  return hy_job_plan(cube, &hy_gemv, &call, HYLA_OK, plan);
}

hyla_status hyla_symv(hyla_cube *cube, hyla_triangle triangle, double _Complex alpha,
                      const hyla_matrix *a, const hyla_matrix *x, double _Complex beta,
                      hyla_matrix *y) {
  const struct hy_call call =
      mirrored("hyla_symv", HY_SYMMETRIC, triangle, alpha, a, x, beta, y, NULL);
  return hy_job_call(cube, &hy_gemv, &call, HYLA_OK);
}

hyla_status hyla_hemv(hyla_cube *cube, hyla_triangle triangle, double _Complex alpha,
                      const hyla_matrix *a, const hyla_matrix *x, double _Complex beta,
                      hyla_matrix *y) {
  const struct hy_call call =
      mirrored("hyla_hemv", HY_HERMITIAN, triangle, alpha, a, x, beta, y, NULL);
  return hy_job_call(cube, &hy_gemv, &call, HYLA_OK);
}

/* ------------------------------------------------------------------ update -- */

/* x goes with A's rows, y with its columns. */
static struct hy_call update(const char *name, hyla_operation op, double _Complex alpha,
                             const hyla_matrix *x, const hyla_matrix *y, hyla_matrix *a,
                             const char *variant) {
  return (struct hy_call){
      .name = name,
      .option = {{"op", (int)op, hy_turn_names}},
      .alpha = alpha,
      .beta = 1,
      .argument = {{"a", a, HYLA_NONE, "mn", a}, {"x", x, HYLA_NONE, "m1"}, {"y", y, op, "1n"}},
      .variant = variant};
}

hyla_status hyla_ger_plan(hyla_cube *cube, hyla_operation op, double _Complex alpha,
                          const hyla_matrix *x, const hyla_matrix *y, hyla_matrix *a,
                          const char *variant, hyla_plan **plan) {
  const struct hy_call call = update("hyla_ger_plan", op, alpha, x, y, a, variant);
  return hy_job_plan(cube, &hy_gemv, &call, HYLA_OK, plan);
}

hyla_status hyla_ger(hyla_cube *cube, hyla_operation op, double _Complex alpha,
                     const hyla_matrix *x, const hyla_matrix *y, hyla_matrix *a) {
  const struct hy_call call = update("hyla_ger", op, alpha, x, y, a, NULL);
  return hy_job_call(cube, &hy_gemv, &call, HYLA_OK);
}
