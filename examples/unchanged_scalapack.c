/* An unchanged ScaLAPACK program: it solves A X = B by PDGESV and does not know hyla.  hyla does
 * the work if the program is linked with the drop-in before ScaLAPACK,
 *
 *   mpicc unchanged_scalapack.c -lhyla_scalapack -lscalapack-mpich -lm
 *
 * or, if it is built already, if it is started with the drop-in:
 *
 *   LD_PRELOAD=libhyla_scalapack.so HYLA_LOG=1 mpiexec -n 4 unchanged_scalapack 1000
 *
 * HYLA_LOG=1 prints at the end which calls hyla took. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int Csys2blacs_handle(MPI_Comm comm);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *nb, const int *me, const int *source, const int *processes);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *rsrc,
               const int *csrc, const int *context, const int *lld, int *info);
void pdgesv_(const int *n, const int *nrhs, double *a, const int *ia, const int *ja,
             const int *desca, int *ipiv, double *b, const int *ib, const int *jb, const int *descb,
             int *info);

enum { NB = 64 };

static int global(int local, int me, int processes) {
  return (local / NB * processes + me) * NB + local % NB;
}

static double entry_of_a(int i, int j) { return i == j ? 4 : 1.0 / (1 + abs(i - j)) - 1.0 / 3; }

/* X is all ones: row i of B is the sum of row i of A. */
static double entry_of_b(int n, int i) {
  double sum = 0;
  for (int j = 0; j < n; j++) sum += entry_of_a(i, j);
  return sum;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 500, one = 1, zero = 0, nb = NB;
  int ranks, p = 1, q, row, col, info = 0, desca[9], descb[9];
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 1; i * i <= ranks; i++)
    if (ranks % i == 0) p = i;
  int context = Csys2blacs_handle(MPI_COMM_WORLD);
  Cblacs_gridinit(&context, "Row", p, ranks / p);
  Cblacs_gridinfo(context, &p, &q, &row, &col);
  if (row >= 0) {
    int rows = numroc_(&n, &nb, &row, &zero, &p), cols = numroc_(&n, &nb, &col, &zero, &q);
    int lld = rows > 1 ? rows : 1;
    double *a = malloc(sizeof *a * (size_t)(rows * cols + 1)), *b = malloc(sizeof *b * (size_t)lld);
    int *ipiv = malloc(sizeof *ipiv * (size_t)(rows + nb));
    if (!a || !b || !ipiv) MPI_Abort(MPI_COMM_WORLD, 2);
    for (int l = 0; l < rows; l++) {
      int i = global(l, row, p);
      for (int m = 0; m < cols; m++) a[l + m * lld] = entry_of_a(i, global(m, col, q));
      b[l] = entry_of_b(n, i);
    }
    descinit_(desca, &n, &n, &nb, &nb, &zero, &zero, &context, &lld, &info);
    descinit_(descb, &n, &one, &nb, &nb, &zero, &zero, &context, &lld, &info);
    pdgesv_(&n, &one, a, &one, &one, desca, ipiv, b, &one, &one, descb, &info);
    double error = 0;
    if (col == 0)
      for (int l = 0; l < rows; l++) error = fmax(error, fabs(b[l] - 1));
    if (info != 0 || error > 1e-8) fprintf(stderr, "INFO %d, error %g\n", info, error);
    if (row == 0 && col == 0)
      printf("n = %d on a %d x %d grid: INFO %d, error %s\n", n, p, q, info,
             error < 1e-8 ? "below 1e-8" : "too large");
    free(a);
    free(b);
    free(ipiv);
    Cblacs_gridexit(context);
  }
  MPI_Finalize();
  return info != 0;
}
