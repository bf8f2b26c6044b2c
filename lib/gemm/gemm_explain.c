/* What a plan says of itself. */
#include "gemm/gemm_plan.h"

static void explain_shape(struct hy_text *text, const struct hy_shape *shape, bool factor) {
  static const char *const rest[] = {[HY_SYMMETRIC] = ", the other made by transposing it",
                                     [HY_HERMITIAN] = ", the other made by transposing it",
                                     [HY_TRIANGULAR] = ", in half of the operations",
                                     [HY_UNIT_TRIANGULAR] =
                                         " without its diagonal, in half of the operations"};
  if (shape->form == HY_GENERAL) return;
  hy_text_add(text, ", of which the %s triangle is %s%s",
              shape->triangle == HYLA_LOWER ? "lower" : "upper", factor ? "read" : "computed",
              rest[shape->form] == NULL ? "" : rest[shape->form]);
}

/* How other nodes come to a factor's entries. */
static void explain_way(struct hy_text *text, const struct hy_binding *binding,
                        const struct hy_operand *operand, bool sends_zeros) {
  enum hy_structure form = binding->shape.form;
  bool triangular = form == HY_TRIANGULAR || form == HY_UNIT_TRIANGULAR;
  if (binding->given->cube->nodes == 1) return;
  if (triangular && !sends_zeros)
    hy_text_add(text, "; of its blocks what is in the triangle %s",
                operand->in_place ? "is read in place" : "travels");
  else
    hy_text_add(text, "; blocks %s", operand->in_place ? "are read in place" : "travel");
}

/* "  op(A) 5 x 7: ..." */
static void explain_operand(struct hy_text *text, const char *name,
                            const struct hy_binding *binding, const struct hy_operand *operand,
                            bool factor, bool sends_zeros) {
  static const char *const turned[] = {"", ", transposed", ", conjugate transposed"};
  char given[HYLA_LAYOUT_TEXT], wanted[HYLA_LAYOUT_TEXT];
  hyla_layout layout = {operand->row.code, operand->col.code, operand->rest};
  hyla_layout_format(&binding->given->layout, given, sizeof given);
  hyla_layout_format(&layout, wanted, sizeof wanted);
  hy_text_add(text, "  %s %lld x %lld: lies as %s", name, (long long)operand->row.n,
              (long long)operand->col.n, given);
  explain_shape(text, &binding->shape, factor);
  if (binding->view == NULL)
    hy_text_add(text, "%s, stays", turned[binding->op]);
  else if (factor && !binding->brought)
    hy_text_add(text, ", is not read");
  else
    hy_text_add(text, "%s, redistributed to %s", turned[binding->op], wanted);
  if (factor) explain_way(text, binding, operand, sends_zeros);
  hy_text_add(text, "\n");
}

void hy_gemm_plan_explain(const hyla_plan *made, struct hy_text *text) {
  const struct hy_gemm_plan *plan = made->state;
  const hyla_cube *cube = plan->cube;
  const struct hy_gemm_problem *problem = &plan->task.problem;
  bool sends_zeros = hy_gemm_traits_of(plan->variant)->sends_zeros;
  explain_operand(text, "op(A)", &plan->a, &problem->a, true, sends_zeros);
  explain_operand(text, "op(B)", &plan->b, &problem->b, true, sends_zeros);
  explain_operand(text, "C", &plan->c, &problem->c, false, sends_zeros);
  hy_text_add(text, "  nodes: %d as %d x %d; idle ranks: %d\n", cube->nodes, problem->c.row.parts,
              problem->c.col.parts, cube->ranks - cube->nodes);
  if (plan->variant->explain != NULL) plan->variant->explain(plan->state, text);
  if (plan->check != NULL) hy_text_add(text, "  result: held against sums of rows\n");
  hy_text_add(text, "  reference: %s\n", plan->variant->reference);
}
