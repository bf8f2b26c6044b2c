/* What a call of the drop-in costs beside the library's own work: microseconds of pdgemm and pdtrsm
 * by ScaLAPACK, by the drop-in, and by a plan of hyla's that is run again.
 *
 *   mpiexec -n P benchmarks/overhead
 *
 * Medians of 201 calls each, in turns, of the slowest process, on the grid 1 x P in blocks of 32.
 */
#include "scalapack.h"

#include <hyla.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 32, MOST = 400, TIMES = 201, WAYS = 3, WARM = 5 };
static const int ONE = 1;

int numroc_(const int *n, const int *block, const int *me, const int *source, const int *processes);

struct work {
  hyla_cube *cube;
  int context, n, ranks, rank, desc[DESCRIPTOR];
  double *array[3];
  hyla_matrix *matrix[3];
  hyla_plan *plan;
  bool solves; /* pdtrsm, else pdgemm */
};

static bool make_plan(struct work *w) {
  hyla_scalapack array = {.p = 1, .q = w->ranks, .order = 'R'};
  hyla_matrix **m = w->matrix;
  for (int e = 0; e < DESCRIPTOR; e++) array.desc[e] = w->desc[e];
  for (int i = 0; i < 3; i++)
    if (hyla_matrix_wrap_scalapack(w->cube, HYLA_DOUBLE, &array, w->array[i], &m[i]) != HYLA_OK)
      return false;
  return (w->solves ? hyla_trsm_plan(w->cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL,
                                     1, m[0], m[2], NULL, &w->plan)
                    : hyla_gemm_plan(w->cube, HYLA_NONE, HYLA_NONE, 1, m[0], m[1], 0, m[2], NULL,
                                     &w->plan)) == HYLA_OK;
}

/* way 0: ScaLAPACK; 1: the drop-in; 2: the plan. */
static double seconds_of(struct work *w, int way) {
  const double one = 1, zero = 0;
  const int *n = &w->n, *desc = w->desc;
  double **x = w->array;
  setenv("HYLA_SCALAPACK_FROM", way == 0 ? "1e30" : "0", 1);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (way == 2)
    (void)hyla_plan_run(w->cube, w->plan);
  else if (w->solves)
    pdtrsm_("L", "L", "N", "N", n, n, &one, x[0], &ONE, &ONE, desc, x[2], &ONE, &ONE, desc);
  else
    pdgemm_("N", "N", n, n, n, &one, x[0], &ONE, &ONE, desc, x[1], &ONE, &ONE, desc, &zero, x[2],
            &ONE, &ONE, desc);
  double own = MPI_Wtime() - start, slowest = 0;
  MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void fill(struct work *w, int cols) {
  for (int i = 0; i < 3; i++)
    for (int c = 0; c < cols; c++)
      for (int r = 0; r < w->n; r++) {
        const int column = (c / BLOCK * w->ranks + w->rank) * BLOCK + c % BLOCK;
        w->array[i][r + (int64_t)c * w->n] = r == column ? 1 : 1e-3 / (1 + r + column);
      }
}

static bool try_size(struct work *w, int n) {
  static double seconds[WAYS][TIMES];
  const int zero = 0, block = BLOCK;
  int info = 0;
  w->n = n;
  const int cols = numroc_(&n, &block, &w->rank, &zero, &w->ranks);
  descinit_(w->desc, &n, &n, &block, &block, &zero, &zero, &w->context, &n, &info);
  fill(w, cols);
  if (!make_plan(w)) return false;
  for (int i = -WARM; i < TIMES; i++)
    for (int way = 0; way < WAYS; way++) {
      const double one = seconds_of(w, way);
      if (i >= 0) seconds[way][i] = one;
    }
  hyla_plan_destroy(&w->plan);
  for (int i = 0; i < 3; i++) hyla_matrix_destroy(&w->matrix[i]);
  double us[WAYS];
  for (int way = 0; way < WAYS; way++) {
    qsort(seconds[way], TIMES, sizeof **seconds, compare);
    us[way] = 1e6 * seconds[way][TIMES / 2];
  }
  if (w->rank == 0)
    printf("%s %4d %9.1f %9.1f %9.1f %9.1f %9.1f\n", w->solves ? "pdtrsm" : "pdgemm", n, us[0],
           us[1], us[2], us[1] - us[0], us[1] - us[2]);
  return true;
}

int main(int count, char **texts) {
  static const int sizes[] = {10, 20, 50, 100, 200, MOST};
  struct work w = {0};
  bool good = true;
  hyla_options options;
  MPI_Init(&count, &texts);
  MPI_Comm_size(MPI_COMM_WORLD, &w.ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
  w.context = Csys2blacs_handle(MPI_COMM_WORLD);
  Cblacs_gridinit(&w.context, "Row", 1, w.ranks);
  for (int i = 0; i < 3; i++) w.array[i] = calloc((size_t)MOST * MOST, sizeof **w.array);
  hyla_options_init(&options);
  good = hyla_cube_create(MPI_COMM_WORLD, &options, &w.cube) == HYLA_OK;
  if (w.rank == 0)
    printf("%-11s %9s %9s %9s %9s %9s\n", "us", "ScaLAPACK", "drop-in", "plan", "over it",
           "over plan");
  for (int solves = 0; solves < 2; solves++)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && good; i++) {
      w.solves = solves == 1;
      good = try_size(&w, sizes[i]);
    }
  hyla_cube_destroy(&w.cube);
  Cblacs_gridexit(w.context);
  MPI_Finalize();
  return good ? 0 : 1;
}
