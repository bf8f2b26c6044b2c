/* A first program: solve A x = b for a random 1000 x 1000 matrix on all ranks.
 *
 *   mpicc first_solve.c $(pkg-config --cflags --libs hyla) -o first_solve
 *   mpiexec -n 4 ./first_solve
 *
 * Every call is made by all ranks and returns the same status on all of them.  So all ranks
 * continue or stop together, without further messages. */
#include <hyla.h>
#include <stdio.h>

int main(int argc, char **argv) {
  const int64_t n = 1000;
  hyla_cube *cube = NULL;
  hyla_matrix *a = NULL, *b = NULL, *x = NULL;
  double residual = 0;

  MPI_Init(&argc, &argv);
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, NULL, &cube);

  /* Matrices of zeros in the default layout (NULL), then their entries. */
  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, NULL, &a);
  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, 1, NULL, &b);
  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, 1, NULL, &x);
  if (!status) status = hyla_matrix_generate(cube, a, HYLA_RANDOM, 1);
  if (!status) status = hyla_matrix_generate(cube, b, HYLA_RANDOM, 2);

  /* Solve, and check the answer: a residual below 1 is good. */
  if (!status) status = hyla_solve(cube, a, b, x, NULL);
  if (!status) status = hyla_residual(cube, a, x, b, &residual);

  if (hyla_cube_address(cube) == 0) {
    if (status)
      fprintf(stderr, "first_solve: %s\n", hyla_cube_message(cube));
    else
      printf("solved on %d nodes, residual %.3f\n", hyla_cube_nodes(cube), residual);
  }

  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
  MPI_Finalize();
  return status ? 1 : 0;
}
