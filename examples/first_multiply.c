/* Plan, explain, run: C := A B for 600 x 600 matrices, twice with one plan.
 *
 *   mpiexec -n 4 first_multiply            the planner chooses the variant
 *   mpiexec -n 4 first_multiply cannon     the user names it
 *
 * Planning takes all memory and chooses the variant; the plan says why.  Running allocates nothing
 * and can be repeated; the ledger counts the messages of a run. */
#include <hyla.h>
#include <inttypes.h>
#include <stdio.h>

/* The messages of this rank: to its neighbour over each dimension, and to other nodes. */
static void print_ledger(const hyla_cube *cube) {
  hyla_ledger ledger;
  hyla_cube_ledger(cube, &ledger);
  for (int d = 0; d < ledger.dims; d++)
    printf("dimension %d: %" PRId64 " messages, %" PRId64 " bytes\n", d, ledger.messages[d],
           ledger.bytes[d]);
  printf("elsewhere:   %" PRId64 " messages, %" PRId64 " bytes\n", ledger.far_messages,
         ledger.far_bytes);
}

static void print_explanation(const hyla_plan *plan) {
  char text[4096];
  hyla_plan_explain(plan, text, sizeof text);
  printf("%s", text);
}

int main(int argc, char **argv) {
  const int64_t n = 600;
  const char *variant = argc > 1 ? argv[1] : NULL;
  hyla_cube *cube = NULL;
  hyla_matrix *a = NULL, *b = NULL, *c = NULL;
  hyla_plan *plan = NULL;

  MPI_Init(&argc, &argv);
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, NULL, &cube);
  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, NULL, &a);
  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, NULL, &b);
  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, NULL, &c);
  if (!status) status = hyla_matrix_generate(cube, a, HYLA_RANDOM, 1);
  if (!status) status = hyla_matrix_generate(cube, b, HYLA_RANDOM, 2);

  /* C := 1 A B + 0 C */
  if (!status) status = hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, a, b, 0, c, variant, &plan);
  bool speaks = hyla_cube_address(cube) == 0;
  if (!status && speaks) print_explanation(plan);

  if (!status) status = hyla_plan_run(cube, plan);
  if (!status) status = hyla_cube_ledger_clear(cube);
  if (!status) status = hyla_plan_run(cube, plan);
  if (!status && speaks) print_ledger(cube);

  if (status && speaks) fprintf(stderr, "first_multiply: %s\n", hyla_cube_message(cube));
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&c);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
  MPI_Finalize();
  return status ? 1 : 0;
}
