/* hyla_lstsq_arrays: makes the cube and the matrices, finds the solutions, brings them back. */
#include "onecall/onecall.h"

/* The problem as the caller has it, and the matrices of the call. */
struct problem {
  hyla_type type;
  int64_t m, n, nrhs;
  const void *a;
  void *b;
  bool everywhere; /* all ranks hold b */
  hyla_matrix *matrix, *sides, *solution;
  hyla_lstsq_report report;
};

static int64_t rows_of(const struct problem *p) { return hy_max(1, hy_max(p->m, p->n)); }

/* This rank's verdict. */
static hyla_status check(hyla_cube *cube, const struct problem *p) {
  struct hy_base *base = &cube->base;
  const long long m = p->m, n = p->n, nrhs = p->nrhs;
  const bool empty = (m == 0 && n == 0) || nrhs == 0;
  CHECK(base, m >= 0 && n >= 0 && nrhs >= 0, ARGUMENT,
        "hyla_lstsq_arrays: m is %lld, n is %lld, nrhs is %lld; give 0 or more", m, n, nrhs);
  CHECK(base, cube->address != 0 || m == 0 || n == 0 || p->a != NULL, ARGUMENT,
        "hyla_lstsq_arrays: a is NULL on rank 0; give %lld x %lld entries", m, n);
  CHECK(base, cube->address != 0 || empty || p->b != NULL, ARGUMENT,
        "hyla_lstsq_arrays: b is NULL on rank 0; give %lld x %lld entries", (long long)rows_of(p),
        nrhs);
  CHECK(base, !p->everywhere || empty || p->b != NULL, ARGUMENT,
        "hyla_lstsq_arrays: b is NULL on a rank, and the nodes have one; give it on all ranks, or "
        "on rank 0 alone");
  return HYLA_OK;
}

/* Agrees on the arguments and on who gets solutions. */
static hyla_status enter(hyla_cube *cube, struct problem *p) {
  int64_t missing = p->b == NULL;
  TRY(hyla_cube_max(cube, &missing, 1));
  p->everywhere = missing == 0;
  const int64_t given[] = {(int64_t)p->type, p->m, p->n, p->nrhs};
  return hy_enter(cube, check(cube, p), hy_fingerprint(0, given, sizeof given),
                  "hyla_lstsq_arrays");
}

static hyla_status make(hyla_cube *cube, struct problem *p) {
  TRY(hyla_matrix_create(cube, p->type, p->m, p->n, NULL, &p->matrix));
  TRY(hyla_matrix_create(cube, p->type, p->m, p->nrhs, NULL, &p->sides));
  TRY(hyla_matrix_create(cube, p->type, p->n, p->nrhs, NULL, &p->solution));
  TRY(hyla_matrix_scatter(cube, p->a, hy_max(1, p->m), p->matrix));
  return hyla_matrix_scatter(cube, p->b, rows_of(p), p->sides);
}

/* The first n rows of b. */
static hyla_status give(hyla_cube *cube, const struct problem *p) {
  const int64_t size = (int64_t)hy_kernels_of(p->type)->size, ld = rows_of(p);
  TRY(hyla_matrix_gather(cube, p->solution, p->everywhere ? HYLA_REPLICATED : HYLA_FACE, p->b, ld));
  for (int64_t j = 0; j < p->nrhs && p->everywhere; j++)
    TRY(hyla_cube_tell(cube, (char *)p->b + j * ld * size, p->n * size));
  return HYLA_OK;
}

static hyla_status run(hyla_cube *cube, struct problem *p) {
  TRY(enter(cube, p));
  TRY(make(cube, p));
  TRY(hyla_lstsq(cube, NULL, p->matrix, p->sides, p->solution, &p->report));
  return give(cube, p);
}

hyla_status hyla_lstsq_arrays_f(const MPI_Fint *comm, hyla_type type, int64_t m, int64_t n,
                                int64_t nrhs, const void *a, void *b, int64_t *rank,
                                hyla_answer *answer) {
  struct problem p = {.type = type, .m = m, .n = n, .nrhs = nrhs, .a = a, .b = b};
  hyla_cube *cube = NULL;
  hyla_status status = hyla_cube_create_f(comm, NULL, &cube);
  if (status == HYLA_OK) status = run(cube, &p);
  hy_onecall_tell(cube, status, -(int64_t)status, answer);
  if (answer != NULL && status == HYLA_OK) answer->rcond = p.report.rcond;
  if (rank != NULL) *rank = status == HYLA_OK ? p.report.rank : 0;
  hyla_matrix_destroy(&p.solution);
  hyla_matrix_destroy(&p.sides);
  hyla_matrix_destroy(&p.matrix);
  const hyla_status ended = hyla_cube_destroy(&cube); /* writes a trace, if one is wanted */
  return status == HYLA_OK ? ended : status;
}

hyla_status hyla_lstsq_arrays(MPI_Comm comm, hyla_type type, int64_t m, int64_t n, int64_t nrhs,
                              const void *a, void *b, int64_t *rank, hyla_answer *answer) {
  const MPI_Fint handle = MPI_Comm_c2f(comm);
  return hyla_lstsq_arrays_f(&handle, type, m, n, nrhs, a, b, rank, answer);
}
