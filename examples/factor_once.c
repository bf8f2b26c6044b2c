/* Factor once, solve often, from and to an array on one rank.
 *
 *   mpicc factor_once.c $(pkg-config --cflags --libs hyla) -lm -o factor_once
 *   mpiexec -n 4 ./factor_once [N]
 *
 * A rod is loaded at one point after the other.  Rank 0 makes its stiffness matrix, like a program
 * that knows nothing of ranks, and scatters it.  The matrix is factored once, and the factors solve
 * for each load.  Rank 0 gathers the displacements. */
#include <hyla.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOADS = 3 };

/* A tridiagonal matrix with 2 and -1, by columns; the answers are known in closed form. */
static double *make_rod(int64_t n) {
  double *rod = calloc((size_t)(n * n), sizeof *rod);
  for (int64_t j = 0; rod != NULL && j < n; j++) {
    rod[j + j * n] = 2;
    if (j > 0) rod[j - 1 + j * n] = rod[j + (j - 1) * n] = -1;
  }
  return rod;
}

/* The displacement by a unit load at point p of a rod of n points. */
static double displacement(int64_t n, int64_t p, int64_t i) {
  int64_t low = i < p ? i : p, high = i < p ? p : i;
  return (double)(low + 1) * (double)(n - high) / (double)(n + 1);
}

/* Solves for a unit load at point p; array: n entries on rank 0. */
static hyla_status solve_load(hyla_cube *cube, const hyla_factor *factor, const hyla_matrix *a,
                              hyla_matrix *b, hyla_matrix *x, int64_t p, double *array,
                              hyla_solve_report *report) {
  int64_t n = hyla_matrix_rows(b);
  for (int64_t i = 0; array != NULL && i < n; i++) array[i] = i == p;
  hyla_status status = hyla_matrix_scatter(cube, array, n, b);
  if (!status) status = hyla_factor_solve(cube, factor, HYLA_NONE, b, x);
  if (!status) status = hyla_factor_check(cube, factor, a, b, HYLA_REFINE_NONE, x, report);
  if (!status) status = hyla_matrix_gather(cube, x, HYLA_FACE, array, n);
  return status;
}

static void print_load(int64_t n, int64_t p, const double *array, const hyla_solve_report *report) {
  double error = 0;
  for (int64_t i = 0; i < n; i++) error = fmax(error, fabs(array[i] - displacement(n, p, i)));
  printf("load at %4lld: largest displacement %.3f, error %s 1e-9, %s\n", (long long)p, array[p],
         error < 1e-9 ? "below" : "ABOVE", report->reliable ? "reliable" : "NOT reliable");
}

int main(int argc, char **argv) {
  int64_t n = argc > 1 ? atoll(argv[1]) : 300;
  hyla_cube *cube = NULL;
  hyla_matrix *a = NULL, *b = NULL, *x = NULL;
  hyla_factor *factor = NULL;
  hyla_solve_report report;

  MPI_Init(&argc, &argv);
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, NULL, &cube);
  bool first = hyla_cube_address(cube) == 0;
  double *rod = first ? make_rod(n) : NULL,
         *array = first ? calloc((size_t)n, sizeof *array) : NULL;

  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, NULL, &a);
  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, 1, NULL, &b);
  if (!status) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, 1, NULL, &x);
  if (!status) status = hyla_matrix_scatter(cube, rod, n, a);
  if (!status)
    status = hyla_factor_create(cube, HYLA_CHOLESKY, HYLA_DOUBLE, n, 1, NULL, NULL, &factor);
  if (!status && first)
    printf("%s of cholesky, %lld bytes a rank at most\n",
           hyla_plan_variant(hyla_factor_plan(factor)),
           (long long)hyla_plan_cost(hyla_factor_plan(factor)).memory);
  if (!status) status = hyla_factor_compute(cube, factor, a);
  for (int i = 0; i < LOADS && !status; i++) {
    int64_t p = (i + 1) * n / (LOADS + 1);
    status = solve_load(cube, factor, a, b, x, p, array, &report);
    if (!status && first) print_load(n, p, array, &report);
  }
  if (status && first) fprintf(stderr, "factor_once: %s\n", hyla_cube_message(cube));

  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
  free(array);
  free(rod);
  MPI_Finalize();
  return status ? 1 : 0;
}
