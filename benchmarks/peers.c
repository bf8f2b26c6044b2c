/* hyla and ScaLAPACK side by side.
 *
 *   mpiexec -n P benchmarks/peers
 *     [--op transpose|convert-cols|convert-rows|gemm|gemv|solve|solve-in-place|factor|cholesky|
 *           factor-lapack|cholesky-lapack|solve-again|trsm|invert|invert-definite|
 *           qr|qr-tall|qr-lapack|lstsq|eig|eig-mrrr|eigvals|eig-generalized|eig-scaled|eig-lapack|
 *           eigvals-lapack|
 *           svd|svd-jacobi|svdvals|svd-tall|svd-lapack|svd-tall-lapack|svdvals-lapack]
 *     [--size N] [--repeat R]
 *
 * Without arguments: all operations at their usual sizes, P a power of two.
 *   transpose     B := A^T       hyla_redistribute_plan     pdtran
 *   convert-cols  blocks of 64 to blocks of 32 on 1 x P     pdgemr2d
 *   convert-rows  the same on P x 1
 *   gemm          C := A B       hyla_gemm_plan             pdgemm
 *   solve         A x = b        hyla_solve                 pdgesv
 *   solve-in-place               hyla_solve_in_place        pdgesv
 *   factor        A x = b        hyla_factor_compute and    pdgesv
 *                                _solve, in memory taken before
 *   cholesky      A x = b        the same, HYLA_CHOLESKY    pdposv
 *   factor-lapack, cholesky-lapack: the same beside LAPACK's dgesv and dposv, on one rank
 *   solve-again   A X = B, 100   hyla_factor_solve          pdgetrs
 *   trsm          L X = B, n     hyla_trsm_plan             pdtrsm
 *   invert        A^-1           hyla_invert, HYLA_LU       pdgetrf, pdgetri
 *   invert-definite              the same, HYLA_CHOLESKY    pdpotrf, pdpotri, which makes one
 *                                                           triangle
 *   qr            A = Q R        hyla_factor_compute        pdgeqrf
 *   qr-tall       Q, n x 50      hyla_factor_compute and    pdgeqrf, pdorgqr
 *                                hyla_factor_q
 *   qr-lapack     QR beside LAPACK's dgeqrf, on one rank
 *   lstsq         |A x - b|      hyla_lstsq                 pdgels
 *   eig           A Z = Z L      hyla_eigen                 pdsyevd
 *   eig-mrrr                     the same                   pdsyevr
 *   eigvals       L alone        hyla_eigen, no vectors     pdsyevr
 *   eig-generalized A Z = B Z L  hyla_eigen_generalized     pdsygvx
 *   eig-scaled    1e13 A Z = Z L hyla_eigen                 hyla_eigen of A; this scale made
 *                                                           LAPACK's dsyevr 20 times as slow
 *   eig-lapack, eigvals-lapack: the same beside LAPACK's dsyevd, on one rank
 *   ELPA is not among them: Debian's is of Open MPI, and these are of MPICH; `elpa' times it.
 *   svd           A = U S V^H    hyla_svd                   pdgesvd
 *   svd-jacobi    the same       hyla_svd_plan, by jacobi   pdgesvd
 *   svdvals       S alone        hyla_svd, no vectors       pdgesvd
 *   svd-tall      the same, n x 500
 *   svd-lapack, svd-tall-lapack, svdvals-lapack: the same beside LAPACK's dgesdd, on one rank
 * Both work in the same processes, on the same kind of memory, in turns: ScaLAPACK with each of its
 * block sizes (conversions have given ones), hyla with its default layout.  Times are the slowest
 * rank's.  A line has both medians (ScaLAPACK's for its best block size), their ratio, and the
 * median of the ratios of neighbours in time.  Moves have a second line, `again': the same move
 * repeated at once, so that the turn before has left nothing in the caches.  Moves are compared
 * with a plain copy by all ranks at the same time, other operations with the limit (bench.h).  The
 * results are compared; a line that says "differs" shows a fault. */
#include "peers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------- a contest -- */

static hyla_status fill(struct contest *c, struct side *s, int x, uint64_t seed) {
  const char *kind = x == 0 ? c->operation->kind : x == 1 ? c->operation->second : NULL;
  return hyla_matrix_gallery(c->cube, s->matrix[x], kind != NULL ? kind : "random", seed);
}

/* block 0: the default layout, which has no descriptor; then the text is not used. */
static hyla_status make_matrix(struct contest *c, struct side *s, int x, int block) {
  char text[64];
  hyla_layout layout;
  const int narrow = c->operation->narrow, m = x == 1 && narrow > 0 ? narrow : (int)c->n;
  const int n = x > 0 ? columns(c) : columns_of_a(c), zero = 0;
  snprintf(text, sizeof text, "binary/cyclic:%d@%dx%d", block + !block, c->grid_rows, c->grid_cols);
  hyla_status status = hyla_layout_parse(c->cube, text, &layout);
  if (status == HYLA_OK)
    status =
        hyla_matrix_create(c->cube, HYLA_DOUBLE, m, n, block > 0 ? &layout : NULL, &s->matrix[x]);
  if (status == HYLA_OK) status = fill(c, s, x, (uint64_t)x);
  if (status != HYLA_OK || block == 0) return status;
  int64_t ld = 1;
  int info = 0;
  hyla_matrix_local(s->matrix[x], NULL, NULL, NULL, &ld);
  const int leading = (int)ld;
  descinit_(s->descriptor[x], &m, &n, &block, &block, &zero, &zero, &c->context, &leading, &info);
  return info == 0 ? HYLA_OK : HYLA_ARGUMENT;
}

static hyla_status make_side(struct contest *c, struct side *s, int block) {
  s->block = block;
  hyla_status status = HYLA_OK;
  if (c->operation->spectrum && (s->values = calloc((size_t)c->n + 1, sizeof *s->values)) == NULL)
    status = HYLA_MEMORY;
  for (int x = 0; x < MATRICES && status == HYLA_OK; x++)
    status = make_matrix(c, s, x, x == 2 && is_conversion(c->operation) ? block / 2 : block);
  return status;
}

static void choose_grid(struct contest *c) {
  int nodes = hyla_cube_nodes(c->cube), dims = hyla_cube_dims(c->cube);
  c->grid_rows = 1 << dims / 2;
  if (strcmp(c->operation->name, "convert-cols") == 0) c->grid_rows = 1;
  if (strcmp(c->operation->name, "convert-rows") == 0 || c->operation->narrow > 0)
    c->grid_rows = nodes;
  c->grid_cols = nodes / c->grid_rows;
}

static bool is_move(const struct contest *c) { return flops_of(c) == 0; }

static hyla_status prepare(struct contest *c) {
  choose_grid(c);
  /* hyla numbers the ranks of an array of nodes by rows. */
  c->context = Csys2blacs_handle(MPI_COMM_WORLD);
  Cblacs_gridinit(&c->context, "Row", c->grid_rows, c->grid_cols);
  c->pivots = calloc((size_t)c->n + 1024, sizeof *c->pivots);
  const int own = is_conversion(c->operation) ? 64 : 0;
  hyla_status status = c->pivots == NULL ? HYLA_MEMORY : make_side(c, &c->own, own);
  while (status == HYLA_OK && c->peers < BLOCKS_MAX && c->operation->blocks[c->peers] > 0) {
    status = make_side(c, &c->peer[c->peers], c->operation->blocks[c->peers]);
    c->peers++;
  }
  if (status == HYLA_OK) status = c->operation->prepare(c);
  if (status == HYLA_OK && !is_move(c))
    status = bench_limit_create(c->cube, HYLA_DOUBLE, c->n < 2000 ? c->n : 2000, &c->limit);
  return status;
}

static hyla_status time_hyla(struct contest *c, struct bench_times *times) {
  hyla_status status = hyla_cube_barrier(c->cube);
  double start = MPI_Wtime();
  if (status == HYLA_OK) status = c->operation->hyla(c);
  double seconds = MPI_Wtime() - start;
  return status == HYLA_OK ? bench_add(c->cube, times, seconds) : status;
}

static hyla_status turn_of_hyla(struct contest *c) {
  hyla_status status = HYLA_OK;
  if (c->operation->overwrites[0]) status = fill(c, &c->own, 0, 0);
  if (status == HYLA_OK && c->operation->overwrites[1]) status = fill(c, &c->own, 2, 1);
  if (status == HYLA_OK) status = time_hyla(c, &c->own.times);
  return status == HYLA_OK && is_move(c) ? time_hyla(c, &c->own.again) : status;
}

static hyla_status time_peer(struct contest *c, struct side *s, struct bench_times *times) {
  hyla_status status = hyla_cube_barrier(c->cube);
  double start = MPI_Wtime();
  if (status == HYLA_OK) c->operation->peer(c, s);
  double seconds = MPI_Wtime() - start;
  return status == HYLA_OK ? bench_add(c->cube, times, seconds) : status;
}

static hyla_status turn_of_peer(struct contest *c, struct side *s) {
  hyla_status status = HYLA_OK;
  if (c->operation->solves || c->operation->in_a || c->operation->spectrum)
    status = fill(c, s, 0, 0);
  if (status == HYLA_OK && c->operation->second != NULL) status = fill(c, s, 1, 1);
  if (c->operation->solves) {
    if (status == HYLA_OK) status = fill(c, s, 2, 1);
    if (status == HYLA_OK && c->operation->peer_before != NULL) c->operation->peer_before(c, s);
  }
  if (status == HYLA_OK) status = time_peer(c, s, &s->times);
  return status == HYLA_OK && is_move(c) ? time_peer(c, s, &s->again) : status;
}

/* Times a plain copy of A to B, which has A's layout; moves do not use B. */
static hyla_status turn_of_copy(struct contest *c) {
  void *from = NULL, *to = NULL;
  int64_t cols = 0, ld = 0;
  hyla_status status = hyla_matrix_local(c->own.matrix[0], &from, NULL, &cols, &ld);
  if (status == HYLA_OK) status = hyla_matrix_local(c->own.matrix[1], &to, NULL, NULL, NULL);
  const size_t bytes = (size_t)(ld * cols) * sizeof(double);
  if (status == HYLA_OK) status = hyla_cube_barrier(c->cube);
  double start = MPI_Wtime();
  if (status == HYLA_OK) memcpy(to, from, bytes);
  double seconds = MPI_Wtime() - start;
  return status == HYLA_OK ? bench_add(c->cube, &c->copy, seconds) : status;
}

/* Measures; the first round warms up and is not counted. */
static hyla_status measure(struct contest *c) {
  hyla_status status = HYLA_OK;
  for (int round = 0; round <= c->repeat && status == HYLA_OK; round++) {
    if (round == 1) {
      c->own.times.count = c->own.again.count = 0;
      c->limit.times.count = c->copy.count = 0;
      for (int i = 0; i < c->peers; i++) c->peer[i].times.count = c->peer[i].again.count = 0;
    }
    if (!is_move(c)) status = bench_limit_measure(c->cube, &c->limit);
    if (status == HYLA_OK) status = turn_of_hyla(c);
    if (status == HYLA_OK && is_move(c)) status = turn_of_copy(c);
    for (int i = 0; i < c->peers && status == HYLA_OK; i++) status = turn_of_peer(c, &c->peer[i]);
  }
  return status;
}

static double median_of_ratios(const struct bench_times *own, const struct bench_times *peer) {
  struct bench_times ratios = {.count = own->count};
  for (int i = 0; i < ratios.count; i++) ratios.seconds[i] = own->seconds[i] / peer->seconds[i];
  return bench_median(&ratios);
}

static double fraction(const struct contest *c, const struct side *s) {
  return flops_of(c) / bench_median(&s->times) * 1e-9 / bench_limit_gflops(&c->limit);
}

static void print_again(const struct contest *c) {
  const struct side *peer = &c->peer[0];
  for (int i = 1; i < c->peers; i++)
    if (bench_median(&c->peer[i].again) < bench_median(&peer->again)) peer = &c->peer[i];
  double own_median = bench_median(&c->own.again), peer_median = bench_median(&peer->again);
  printf("%-14s %6s %7s %10.3f %10.3f %8s %6d %7.3f %7.3f\n", "  again", "", "", own_median * 1e3,
         peer_median * 1e3, "", peer->block, own_median / peer_median,
         median_of_ratios(&c->own.again, &peer->again));
}

static hyla_status report(struct contest *c) {
  int best = 0;
  double difference = 0, most = 0;
  hyla_status status = c->operation->finish == NULL ? HYLA_OK : c->operation->finish(c);
  for (int i = 0; i < c->peers && status == HYLA_OK; i++) {
    if (bench_median(&c->peer[i].times) < bench_median(&c->peer[best].times)) best = i;
    status = c->operation->spectrum ? compare_values(c, &c->peer[i], &difference)
                                    : compare(c, &c->peer[i], &difference);
    most = difference > most || isnan(difference) ? difference : most;
  }
  if (status != HYLA_OK || hyla_cube_address(c->cube) != 0) return status;
  const struct side *peer = &c->peer[best];
  double own_median = bench_median(&c->own.times), peer_median = bench_median(&peer->times);
  char own_part[16] = "", peer_part[16] = "", copy[16] = "";
  if (!is_move(c)) {
    snprintf(own_part, sizeof own_part, "%.3f", fraction(c, &c->own));
    snprintf(peer_part, sizeof peer_part, "%.3f", fraction(c, peer));
  } else {
    snprintf(copy, sizeof copy, "%.3f", bench_median(&c->copy) * 1e3);
  }
  /* Solutions of a random system may differ as much as its condition allows. */
  bool same = most <= (c->operation->solves || c->operation->in_a ? 1e-6 : 1e-12);
  printf("%-14s %6lld %3dx%-3d %10.3f %10.3f %8s %6d %7.3f %7.3f %7s %7s  %s\n", c->operation->name,
         (long long)c->n, c->grid_rows, c->grid_cols, own_median * 1e3, peer_median * 1e3, copy,
         peer->block, own_median / peer_median, median_of_ratios(&c->own.times, &peer->times),
         own_part, peer_part, same ? "agrees" : "differs");
  if (is_move(c)) print_again(c);
  fflush(stdout);
  return HYLA_OK;
}

static void release(struct contest *c) {
  hyla_plan_destroy(&c->plan);
  for (int x = 0; x < MATRICES; x++) {
    hyla_matrix_destroy(&c->own.matrix[x]);
    for (int i = 0; i < BLOCKS_MAX; i++) hyla_matrix_destroy(&c->peer[i].matrix[x]);
  }
  for (int i = 0; i < BLOCKS_MAX; i++) free(c->peer[i].values);
  free(c->own.values);
  if (!is_move(c)) bench_limit_destroy(&c->limit);
  hyla_factor_destroy(&c->factor);
  free(c->pivots);
  Cblacs_gridexit(c->context);
}

static hyla_status run_contest(hyla_cube *cube, const struct operation *operation, int64_t n,
                               int repeat) {
  struct contest *c = calloc(1, sizeof *c);
  if (c == NULL) return HYLA_MEMORY;
  c->cube = cube;
  c->operation = operation;
  c->n = n;
  c->repeat = repeat;
  hyla_status status = prepare(c);
  if (status == HYLA_OK) status = measure(c);
  if (status == HYLA_OK) status = report(c);
  release(c);
  free(c);
  return status;
}

/* --------------------------------------------------------------- the run -- */

struct arguments {
  const char *operation; /* NULL: all operations */
  int64_t size;          /* 0: the usual sizes */
  int repeat;
};

static bool read_arguments(int count, char **texts, struct arguments *a) {
  int64_t ignored;
  for (int i = 1; i < count; i += 2) {
    if (i + 1 == count) return false;
    if (strcmp(texts[i], "--op") == 0) {
      a->operation = texts[i + 1];
    } else if (strcmp(texts[i], "--size") == 0) {
      if (!bench_read_size(texts[i + 1], &a->size, &ignored, &ignored)) return false;
    } else if (strcmp(texts[i], "--repeat") == 0) {
      a->repeat = atoi(texts[i + 1]);
      if (a->repeat < 1 || a->repeat > BENCH_REPEAT_MAX) return false;
    } else {
      return false;
    }
  }
  int known = a->operation == NULL;
  for (int i = 0; operations[i].name != NULL && !known; i++)
    known = strcmp(a->operation, operations[i].name) == 0;
  return known;
}

static void print_head(void) {
  printf("Milliseconds, double precision.  block: ScaLAPACK's best.  pairs: median of the ratios\n"
         "of neighbours in time.  of limit: hyla's and ScaLAPACK's part of P times one core.\n"
         "copy: of as much as a rank holds of the source, by all ranks at the same time.\n"
         "Where ranks outnumber cores ScaLAPACK's waits are MPICH's own, which keep the core.\n\n"
         "%-14s %6s %7s %10s %10s %8s %6s %7s %7s %15s\n",
         "operation", "n", "array", "hyla", "ScaLAPACK", "copy", "block", "ratio", "pairs",
         "of limit");
}

static int go(const struct arguments *a) {
  hyla_cube *cube = NULL;
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, NULL, &cube);
  if (status == HYLA_OK && hyla_cube_guests(cube) > 0) {
    if (hyla_cube_address(cube) == 0) fprintf(stderr, "peers: give a power of two of ranks\n");
    hyla_cube_destroy(&cube);
    return 2;
  }
  if (hyla_cube_address(cube) == 0) print_head();
  for (const struct operation *o = operations; o->name != NULL; o++) {
    if (a->operation != NULL && strcmp(a->operation, o->name) != 0) continue;
    if (o->one_rank && hyla_cube_nodes(cube) > 1) continue;
    for (int s = 0; s < 3 && status == HYLA_OK; s++) {
      int64_t n = a->size > 0 ? a->size : o->sizes[s];
      if (n > 0 && (a->size == 0 || s == 0)) status = run_contest(cube, o, n, a->repeat);
    }
  }
  int code = bench_exit(cube, status);
  hyla_cube_destroy(&cube);
  return code;
}

int main(int count, char **texts) {
  struct arguments arguments = {.repeat = 5};
  int code = 2;
  MPI_Init(&count, &texts);
  if (read_arguments(count, texts, &arguments))
    code = go(&arguments);
  else
    fprintf(stderr,
            "usage: peers [--op transpose|convert-cols|convert-rows|gemm|gemv|solve|solve-in-place|"
            "factor|cholesky|factor-lapack|cholesky-lapack|solve-again|trsm|invert|invert-definite|"
            "qr|qr-tall|qr-lapack|lstsq|eig|eig-mrrr|eigvals|eig-generalized|eig-scaled|eig-lapack|"
            "eigvals-lapack|svd|svd-jacobi|svdvals|svd-tall|svd-lapack|svd-tall-lapack|"
            "svdvals-lapack] [--size N] [--repeat R]\n");
  MPI_Finalize();
  return code;
}
