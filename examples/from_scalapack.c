/* From ScaLAPACK: a program whose matrices are ScaLAPACK's, block-cyclic local arrays with a
 * descriptor each, solves A X = B by hyla instead of PDGESV.
 *
 *   mpiexec -n 4 from_scalapack            n = 500 in blocks of 32
 *   mpiexec -n 4 from_scalapack 1000 64
 *
 * The parts of such a program are written here without ScaLAPACK: a p x q grid of processes
 * numbered by rows, the descriptors, the formulas of NUMROC and INDXL2G.  New parts are marked
 * (new).  Nothing is copied between the two, and X overwrites B. */
#include <hyla.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NRHS = 3 };

/* The rows of n, in blocks of nb, that process `me` of `processes` holds, dealt from process 0
 * on. */
static int numroc(int n, int nb, int me, int processes) {
  int held = 0;
  for (int block = me; block * nb < n; block += processes)
    held += n - block * nb < nb ? n - block * nb : nb;
  return held;
}

/* The global index of a local one. */
static int indxl2g(int local, int nb, int me, int processes) {
  return (local / nb * processes + me) * nb + local % nb;
}

static double entry_of_a(int i, int j) { return i == j ? 4 : 1.0 / (1 + abs(i - j)) - 1.0 / 3; }

/* B = A X with X known: column k of X is k + 1 everywhere. */
static double entry_of_b(int n, int i, int k) {
  double sum = 0;
  for (int j = 0; j < n; j++) sum += entry_of_a(i, j);
  return (k + 1) * sum;
}

/* A process' place in the grid and its arrays. */
struct process {
  int p, q, row, col;
  int n, nb, rows, cols, rhs;
  double *a, *b;
};

static int set_up(struct process *me, int rank, int ranks) {
  me->p = me->q = 1;
  while (me->p * me->q * 2 <= ranks) *(me->p < me->q ? &me->p : &me->q) *= 2;
  me->row = rank / me->q; /* BLACS_GRIDINIT(..., 'R', p, q) */
  me->col = rank % me->q;
  if (me->row < me->p) {
    me->rows = numroc(me->n, me->nb, me->row, me->p);
    me->cols = numroc(me->n, me->nb, me->col, me->q);
    me->rhs = numroc(NRHS, me->nb, me->col, me->q);
  }
  me->a = malloc(sizeof(double) * (size_t)(me->rows * me->cols + 1));
  me->b = malloc(sizeof(double) * (size_t)(me->rows * me->rhs + 1));
  if (!me->a || !me->b) return 0;
  for (int l = 0; l < me->rows; l++) {
    int i = indxl2g(l, me->nb, me->row, me->p);
    for (int m = 0; m < me->cols; m++)
      me->a[l + m * me->rows] = entry_of_a(i, indxl2g(m, me->nb, me->col, me->q));
    for (int m = 0; m < me->rhs; m++)
      me->b[l + m * me->rows] = entry_of_b(me->n, i, indxl2g(m, me->nb, me->col, me->q));
  }
  return 1;
}

/* (new) Instead of PDGESV(N, NRHS, A, 1, 1, DESCA, IPIV, B, 1, 1, DESCB, INFO). */
static hyla_status solve(hyla_cube *cube, const struct process *me) {
  int n = me->n, nb = me->nb, lld = me->rows > 1 ? me->rows : 1;
  const hyla_scalapack desca = {{1, -1, n, n, nb, nb, 0, 0, lld}, me->p, me->q, 'R'};
  const hyla_scalapack descb = {{1, -1, n, NRHS, nb, nb, 0, 0, lld}, me->p, me->q, 'R'};
  hyla_matrix *a = NULL, *b = NULL;
  hyla_status status = hyla_matrix_wrap_scalapack(cube, HYLA_DOUBLE, &desca, me->a, &a);
  if (!status) status = hyla_matrix_wrap_scalapack(cube, HYLA_DOUBLE, &descb, me->b, &b);
  if (!status) status = hyla_solve(cube, a, b, b, NULL);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return status;
}

/* The largest error of the process' part of X, which is in B's array. */
static double error_of(const struct process *me) {
  double largest = 0;
  for (int m = 0; m < me->rhs; m++)
    for (int l = 0; l < me->rows; l++) {
      double wanted = indxl2g(m, me->nb, me->col, me->q) + 1;
      largest = fmax(largest, fabs(me->b[l + m * me->rows] / wanted - 1));
    }
  return largest;
}

int main(int argc, char **argv) {
  struct process me = {.n = argc > 1 ? atoi(argv[1]) : 500, .nb = argc > 2 ? atoi(argv[2]) : 32};
  int rank, ranks;
  hyla_cube *cube = NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (me.n < 1 || me.nb < 1 || !set_up(&me, rank, ranks)) {
    fprintf(stderr, "from_scalapack: give n and the block, from 1, as memory allows\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  hyla_options options;        /* (new) */
  hyla_options_init(&options); /* (new) */
  options.array = "cube";      /* (new) the grids are of 2^d processes */
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, &options, &cube); /* (new) */
  if (!status) status = solve(cube, &me);
  double mine = error_of(&me), error = 0;
  MPI_Allreduce(&mine, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0 && status) fprintf(stderr, "from_scalapack: %s\n", hyla_cube_message(cube));
  if (rank == 0 && !status)
    printf("n = %d on a %d x %d grid, blocks of %d: largest error %.1e\n", me.n, me.p, me.q, me.nb,
           error);
  hyla_cube_destroy(&cube);
  free(me.a);
  free(me.b);
  MPI_Finalize();
  return status || error > 1e-8 ? 1 : 0;
}
