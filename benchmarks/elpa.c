/* ELPA's eigensolver, one stage and two, for benchmarks/elpa: times on the ranks of Open MPI.
 *
 *   mpiexec.openmpi -n P elpa N REPEAT
 *
 * A is symmetric and random, in blocks of 32 on an array of P processes, its two triangles equal,
 * as ELPA wants it; all values and vectors.  Prints the median of the slowest rank's times. */
#include <elpa/elpa.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 32 };

/* An entry in (-1/2, 1/2), the same for (i, j) and (j, i). */
static double entry(int i, int j) {
  unsigned long long low = (unsigned)(i < j ? i : j), high = (unsigned)(i < j ? j : i);
  unsigned long long x = low * 0x9e3779b97f4a7c15ULL ^ high * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 31) * 0x94d049bb133111ebULL;
  return (double)(x >> 11) / 9007199254740992. - .5;
}

/* Rows, or columns, that part number `part' of `parts' holds; global: of a local index. */
static int held(int n, int part, int parts) {
  int count = 0;
  for (int i = 0; i < n; i++) count += i / BLOCK % parts == part;
  return count;
}
static int global(int local, int part, int parts) {
  return (local / BLOCK * parts + part) * BLOCK + local % BLOCK;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int count, char **text) {
  const int n = count > 1 ? atoi(text[1]) : 500, repeat = count > 2 ? atoi(text[2]) : 5;
  int rank, ranks, rows = 1, error = 0;
  MPI_Init(&count, &text);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int r = 1; r * r <= ranks; r++)
    if (ranks % r == 0) rows = r;
  const int cols = ranks / rows, row = rank % rows, col = rank / rows;
  const int m = held(n, row, rows), k = held(n, col, cols);
  double *a = malloc(sizeof *a * (size_t)(m * k + 1)), *q = malloc(sizeof *q * (size_t)(m * k + 1));
  double *values = malloc(sizeof *values * (size_t)(n + 1));
  double *seconds = malloc(sizeof *seconds * (size_t)(repeat + 1));
  if (!a || !q || !values || !seconds || elpa_init(20200417) != ELPA_OK)
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (int stages = 1; stages <= 2; stages++) {
    elpa_t handle = elpa_allocate(&error);
    const struct {
      const char *name;
      int value;
    } settings[] = {{"na", n},
                    {"nev", n},
                    {"local_nrows", m},
                    {"local_ncols", k},
                    {"nblk", BLOCK},
                    {"mpi_comm_parent", MPI_Comm_c2f(MPI_COMM_WORLD)},
                    {"process_row", row},
                    {"process_col", col}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings && !error; i++)
      elpa_set(handle, settings[i].name, settings[i].value, &error);
    if (!error) error = elpa_setup(handle);
    if (!error)
      elpa_set(handle, "solver", stages == 1 ? ELPA_SOLVER_1STAGE : ELPA_SOLVER_2STAGE, &error);
    for (int turn = 0; turn <= repeat && !error; turn++) {
      for (int j = 0; j < k; j++)
        for (int i = 0; i < m; i++)
          a[i + j * m] = entry(global(i, row, rows), global(j, col, cols));
      MPI_Barrier(MPI_COMM_WORLD);
      double start = MPI_Wtime();
      elpa_eigenvectors(handle, a, values, q, &error);
      double mine = MPI_Wtime() - start;
      MPI_Allreduce(&mine, &seconds[turn], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    if (error) break;
    qsort(seconds + 1, (size_t)repeat, sizeof *seconds, ascending);
    if (rank == 0)
      printf("elpa, %d stage%s  n = %d on %dx%d  %.3f ms\n", stages, stages > 1 ? "s" : "", n, rows,
             cols, 1e3 * seconds[1 + repeat / 2]);
    elpa_deallocate(handle, &error);
  }
  if (error && rank == 0) fprintf(stderr, "elpa: error %d: %s\n", error, elpa_strerr(error));
  elpa_uninit(&error);
  free(seconds);
  free(values);
  free(q);
  free(a);
  MPI_Finalize();
  return 0;
}
