/* The text in which the plan of a matrix-vector operation explains itself. */
#include "gemm/gemv.h"

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

void hy_gemv_plan_explain(const hyla_plan *plan, struct hy_text *text) {
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
