/* The text in which a plan explains itself. */
#include "gemm/gemm_check.h"

/* "  op(A) 5 x 7: ..." */
static void explain_operand(struct hy_text *text, const char *name,
                            const struct hy_binding *binding, bool factor, bool sends_zeros) {
  static const char *const turned[] = {"", ", transposed", ", conjugate transposed"};
  static const char *const rest[] = {[HY_GENERAL] = "",
                                     [HY_SYMMETRIC] = ", the other made by transposing it",
                                     [HY_HERMITIAN] = ", the other made by transposing it",
                                     [HY_TRIANGULAR] = ", in half of the operations",
                                     [HY_UNIT_TRIANGULAR] =
                                         " without its diagonal, in half of the operations"};
  const struct hy_operand *operand = &binding->wanted;
  const struct hy_shape *shape = &binding->shape;
  const hyla_layout layout = hy_operand_layout(operand);
  char given[HYLA_LAYOUT_TEXT], wanted[HYLA_LAYOUT_TEXT];
  hyla_layout_format(&binding->matrix->layout, given, sizeof given);
  hyla_layout_format(&layout, wanted, sizeof wanted);
  hy_text_add(text, "  %s %lld x %lld: lies as %s", name, (long long)operand->row.n,
              (long long)operand->col.n, given);
  if (shape->form != HY_GENERAL)
    hy_text_add(text, "; its %s triangle is %s%s",
                shape->triangle == HYLA_LOWER ? "lower" : "upper", factor ? "read" : "computed",
                rest[shape->form]);
  if (binding->view == NULL)
    hy_text_add(text, "%s, stays", turned[binding->op]);
  else if (factor && !binding->read)
    hy_text_add(text, ", is not read");
  else
    hy_text_add(text, "%s, redistributed to %s", turned[binding->op], wanted);
  /* How a factor's entries come to other nodes. */
  bool triangular = shape->form == HY_TRIANGULAR || shape->form == HY_UNIT_TRIANGULAR;
  if (factor && binding->matrix->cube->nodes > 1) {
    if (triangular && !sends_zeros)
      hy_text_add(text, "; the part of its blocks in the triangle %s",
                  operand->in_place ? "is read in place" : "travels");
    else
      hy_text_add(text, "; blocks %s", operand->in_place ? "are read in place" : "travel");
  }
  hy_text_add(text, "\n");
}

void hy_gemm_explain(const hyla_plan *plan, struct hy_text *text) {
  const struct hy_job *job = hy_job_of(plan);
  const struct hy_gemm_own *own = job->own;
  const hyla_cube *cube = job->cube;
  const struct hy_operand *c = &job->operand[2].wanted;
  bool sends_zeros = hy_gemm_traits_of(job->variant)->sends_zeros;
  explain_operand(text, "op(A)", &job->operand[0], true, sends_zeros);
  explain_operand(text, "op(B)", &job->operand[1], true, sends_zeros);
  explain_operand(text, "C", &job->operand[2], false, sends_zeros);
  hy_text_add(text, "  nodes: %d as %d x %d; idle ranks: %d\n", cube->nodes, c->row.parts,
              c->col.parts, cube->ranks.all - cube->nodes);
  if (job->variant->explain != NULL) job->variant->explain(job->state, text);
  if (own->check != NULL) hy_text_add(text, "  result: checked by sums over rows\n");
  hy_text_add(text, "  reference: %s\n", job->variant->reference);
}
