/* The cost of a method's variant: one factorization and one solution, played on a counting cube.
 *
 * The variant's own functions run there, from its create to its substitutions, so that no other
 * description of the algorithm is needed.  Matrices lie as the factors do and have no entries. */
#include "solve/contract/contract.h"

/* x := A^-1 x with the factors of a run. */
static hyla_status solve(const struct hy_factor_traits *traits, void *state,
                         const struct hy_factors *factors) {
  hyla_matrix *const x[] = {
      [HY_ALONG_ROWS] = factors->x, [HY_ALONG_COLUMNS] = factors->x_along_columns};
  for (int i = 0; i < 2; i++) {
    const struct hy_solve_step *step = &traits->solve[i];
    if (step->run != NULL) TRY(step->run(state, HYLA_NONE, x[step->at]));
    if (step->product != NULL) TRY(step->product(state, HYLA_NONE, x[step->at], x[!step->at]));
  }
  return HYLA_OK;
}

static hyla_status play(const struct hy_variant *variant, const struct hy_factorization *problem,
                        void **state) {
  TRY(variant->create(variant, problem, state));
  TRY(variant->allocate(*state));
  TRY(variant->run(*state));
  return problem->nrhs == 0 ? HYLA_OK : solve(variant->traits, *state, problem->factors);
}

hyla_status hy_factor_cost(const struct hy_factorization *problem, const struct hy_variant *variant,
                           int node, bool swapless, hyla_cost *cost) {
  const struct hy_operand lies = {.row = problem->row, .col = problem->col},
                          sides = {.row = problem->row, .col = problem->x_col},
                          turned = {.row = problem->turned_row, .col = problem->turned_col};
  const hyla_type type = problem->k->type;
  struct hy_factorization played = *problem;
  hyla_cube counting;
  void *state = NULL;
  *cost = (hyla_cost){0};
  if (node < 0) return HYLA_OK;
  hy_count_begin(problem->cube, node, &counting);
  hyla_matrix a = hy_matrix_counted(&counting, type, &lies),
              x = hy_matrix_counted(&counting, type, &sides),
              across = hy_matrix_counted(&counting, type, &turned);
  struct hy_factors factors = {.a = &a, .x = &x, .x_along_columns = &across};
  played.cube = &counting;
  played.k = a.k;
  played.factors = &factors;
  played.swapless = swapless;
  hyla_status status = play(variant, &played, &state);
  hy_variant_destroy(variant, &counting.base, &state);
  *cost = hy_count_end(problem->cube, &counting, problem->k->size);
  return status;
}

hyla_status hy_factor_least(const struct hy_factorization *problem,
                            const struct hy_variant *variant, hyla_cost *least) {
  *least = (hyla_cost){0};
  for (int p = 0; p < problem->row.parts; p++)
    for (int q = 0; q < problem->col.parts; q++) {
      hyla_cost cost;
      TRY(hy_factor_cost(problem, variant,
                         (int)(hy_axis_address(&problem->row.code, (uint32_t)p) |
                               hy_axis_address(&problem->col.code, (uint32_t)q)),
                         true, &cost));
      least->steps = hy_max(least->steps, cost.steps);
      least->messages = hy_max(least->messages, cost.messages);
      least->words = hy_max(least->words, cost.words);
    }
  return HYLA_OK;
}
