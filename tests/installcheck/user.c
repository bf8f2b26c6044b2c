/* A user's first program: a random system, solved on all ranks; and a program on a virtual
 * cube, of the header for experiments. */
#include <hyla.h>
#include <hyla_lab.h>
#include <stdio.h>
#include <string.h>

static hyla_status count_nodes(hyla_cube *cube, void *arg) {
  *(int *)arg += hyla_cube_nodes(cube) == 8;
  return hyla_cube_barrier(cube);
}

/* On each of 8 virtual nodes. */
static hyla_status simulate(int *virtual_nodes) {
  hyla_simulation simulation;
  hyla_report report;
  memset(&simulation, 0, sizeof simulation);
  simulation.dims = 3;
  return hyla_simulate(&simulation, count_nodes, virtual_nodes, &report);
}

int main(int argc, char **argv) {
  hyla_cube *cube = NULL;
  hyla_matrix *a = NULL, *b = NULL, *x = NULL;
  double residual = -1;
  int virtual_nodes = 0;
  MPI_Init(&argc, &argv);
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, NULL, &cube);
  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, 100, 100, NULL, &a);
  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, 100, 1, NULL, &b);
  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, 100, 1, NULL, &x);
  if (!status) status = hyla_matrix_generate(cube, a, HYLA_RANDOM, 1);
  if (!status) status = hyla_matrix_generate(cube, b, HYLA_ONES, 0);
  if (!status) status = hyla_solve(cube, a, b, x, NULL);
  if (!status) status = hyla_residual(cube, a, x, b, &residual);
  if (!status) status = simulate(&virtual_nodes);
  if (hyla_cube_address(cube) == 0)
    printf("%d nodes, %s, residual %s, %d virtual nodes\n", hyla_cube_nodes(cube),
           hyla_status_text(status), residual >= 0 && residual < 1 ? "below 1" : "too large",
           virtual_nodes);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
  MPI_Finalize();
  return status != HYLA_OK;
}
