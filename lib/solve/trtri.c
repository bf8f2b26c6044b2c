/* The inverse of a triangle: the operation, and its public calls.
 *
 * The inverse is the solution of T X = I in T's place, so the variants are triangular systems
 * (triangle.h) whose X is T. */
#include "solve/trsm.h"

#include <limits.h>

extern const struct hy_variant hy_trtri_panels;
static const struct hy_variant *const LIST[] = {&hy_trtri_panels, NULL};
const struct hy_family hy_trtri_family = {.name = "trtri", .rows = LIST};

/* The layout that the triangle must have: its own if that serves. */
static void begin(struct hy_job *job) {
  const hyla_matrix *a = job->call.argument[0].matrix;
  const int64_t n = a->row.n;
  bool fits = hy_triangle_fits(a, 0) && a->row.first == 0 && a->col.first == 0;
  hyla_layout layout = fits ? a->layout : hy_triangle_layout(job->cube, n);
  struct hy_triangular_problem *p = job->own;
  *p = (struct hy_triangular_problem){.cube = job->cube, .k = job->k};
  p->t_row = p->x_row = hy_axis_make(&layout.row, n);
  p->t_col = p->x_col = hy_axis_make(&layout.col, n);
  p->form = (struct hy_triangular){.block = hy_triangle_block(job->cube, &p->t_row, &p->t_col, 0),
                                   .side = HYLA_LEFT,
                                   .triangle = (hyla_triangle)job->call.option[0].value,
                                   .op = HYLA_NONE,
                                   .diagonal = (hyla_diagonal)job->call.option[1].value,
                                   .inverse = true};
  job->operands = 1;
  job->operand[0] = hy_binding_of(&job->call.argument[0]);
  job->operand[0].shape.form = HY_TRIANGULAR; /* the ones of a unit diagonal travel too */
}

static void want(const struct hy_job *job, const struct hy_variant *variant,
                 struct hy_operand *wanted) {
  const struct hy_triangular_problem *p = job->own;
  (void)variant;
  wanted[0] = (struct hy_operand){p->t_row, p->t_col, wanted[0].in_place, HYLA_REPLICATED};
}

static void set(const struct hy_job *job, hyla_cube *cube, const struct hy_operand *wanted,
                hyla_matrix *const *matrix, void *task) {
  struct hy_trsm_task *t = task;
  (void)wanted;
  *t = (struct hy_trsm_task){
      .system = *(const struct hy_triangular_problem *)job->own, .t = matrix[0], .x = matrix[0]};
  t->system.cube = cube;
  t->system.k = hy_cube_kernels(cube, job->k->type);
}

static hyla_status compute(struct hy_job *job) {
  TRY(hy_trsm_check_diagonal(job->task));
  return hy_job_compute(job);
}

static void explain(const hyla_plan *plan, struct hy_text *text) {
  const struct hy_job *job = hy_job_of(plan);
  const struct hy_trsm_task *task = job->task;
  const struct hy_triangular *form = &task->system.form;
  char t[HYLA_LAYOUT_TEXT];
  hyla_layout_format(&task->t->layout, t, sizeof t);
  hy_text_add(text, "  the inverse of A, %s triangular%s, of order %lld\n  A as %s%s\n",
              form->triangle == HYLA_LOWER ? "lower" : "upper",
              form->diagonal == HYLA_UNIT_DIAGONAL ? " with ones on the diagonal" : "",
              (long long)task->t->row.n, t, job->operand[0].view == NULL ? ", where it lies" : "");
  job->variant->explain(job->state, text);
  hy_text_add(text, "  reference: %s\n", job->variant->reference);
}

static const struct hy_operation operation = {.family = &hy_trtri_family,
                                              .together = true,
                                              .task = sizeof(struct hy_trsm_task),
                                              .own = sizeof(struct hy_triangular_problem),
                                              .brought = "triangle brought",
                                              .returned = "inverse brought back",
                                              .begin = begin,
                                              .want = want,
                                              .set = set,
                                              .copies = hy_trsm_copies,
                                              .compute = compute,
                                              .explain = explain};

/* ------------------------------------------------------------------- calls -- */

static struct hy_call inverse_of(const char *name, hyla_triangle triangle, hyla_diagonal diagonal,
                                 hyla_matrix *a, const char *variant) {
  return (struct hy_call){
      .name = name,
      .option = {{"triangle", (int)triangle, hy_triangle_names},
                 {"diagonal", (int)diagonal, hy_diagonal_names}},
      .argument = {{"a", a, HYLA_NONE, "mm", a, .shape = {HY_TRIANGULAR, triangle}}},
      .variant = variant,
      .most = INT_MAX / 2};
}

hyla_status hyla_trtri_plan(hyla_cube *cube, hyla_triangle triangle, hyla_diagonal diagonal,
                            hyla_matrix *a, const char *variant, hyla_plan **plan) {
  const struct hy_call call = inverse_of("hyla_trtri_plan", triangle, diagonal, a, variant);
  return hy_job_plan(cube, &operation, &call, HYLA_OK, plan);
}

hyla_status hyla_trtri(hyla_cube *cube, hyla_triangle triangle, hyla_diagonal diagonal,
                       hyla_matrix *a) {
  const struct hy_call call = inverse_of("hyla_trtri", triangle, diagonal, a, NULL);
  return hy_job_call(cube, &operation, &call, HYLA_OK);
}
