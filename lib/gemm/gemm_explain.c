/* What a plan says of itself. */
#include "gemm/gemm_plan.h"

const char *hyla_plan_variant(const hyla_plan *plan) {
  return plan == NULL ? "" : plan->variant->name;
}

hyla_cost hyla_plan_cost(const hyla_plan *plan) {
  return plan == NULL ? (hyla_cost){0} : plan->candidates[plan->choice].cost;
}

/* "  op(A) 5 x 7: ..." */
static void explain_operand(struct hy_text *text, const char *name,
                            const struct hy_binding *binding, const struct hy_operand *operand,
                            bool factor) {
  static const char *const turned[] = {"", ", transposed", ", conjugate transposed"};
  char given[96], wanted[96];
  hyla_layout layout = {operand->row.code, operand->col.code};
  hyla_layout_format(&binding->given->layout, given, sizeof given);
  hyla_layout_format(&layout, wanted, sizeof wanted);
  hy_text_add(text, "  %s %lld x %lld: lies as %s", name, (long long)operand->row.n,
              (long long)operand->col.n, given);
  if (binding->view == NULL)
    hy_text_add(text, "%s, stays", turned[binding->op]);
  else if (binding->in == NULL && binding->out == NULL)
    hy_text_add(text, ", is not read");
  else
    hy_text_add(text, "%s, redistributed to %s", turned[binding->op], wanted);
  if (factor && binding->given->cube->nodes > 1)
    hy_text_add(text, "; blocks %s", operand->in_place ? "are read in place" : "travel");
  hy_text_add(text, "\n");
}

size_t hyla_plan_explain(const hyla_plan *plan, char *text, size_t capacity) {
  struct hy_text out = {text, capacity, 0};
  if (capacity > 0) text[0] = '\0';
  if (plan == NULL) return 0;
  const hyla_cube *cube = plan->cube;
  const struct hy_gemm_problem *problem = &plan->task.problem;
  hy_choice_explain(&out, "gemm", plan->candidates, plan->count, plan->choice, plan->forced);
  explain_operand(&out, "op(A)", &plan->a, &problem->a, true);
  explain_operand(&out, "op(B)", &plan->b, &problem->b, true);
  explain_operand(&out, "C", &plan->c, &problem->c, false);
  hy_text_add(&out, "  nodes: %d as %d x %d; idle ranks: %d; machine: %s\n", cube->nodes,
              problem->c.row.parts, problem->c.col.parts, cube->ranks - cube->nodes,
              cube->machine.name);
  hy_text_add(&out, "  reference: %s\n", plan->variant->reference);
  return out.length;
}
