/* hyla_eigen_arrays: makes the cube and the matrices, finds values and vectors, judges, brings the
 * vectors back. */
#include "onecall/onecall.h"

/* The problem as the caller has it, and the matrices of the call. */
struct problem {
  hyla_triangle triangle;
  hyla_type type;
  int64_t n;
  const void *a;
  double *values;
  void *vectors;
  bool wanted, everywhere; /* vectors: on any rank, on all */
  hyla_matrix *matrix, *found;
};

/* This rank's verdict. */
static hyla_status check(hyla_cube *cube, const struct problem *p) {
  struct hy_base *base = &cube->base;
  const long long n = p->n;
  CHECK(base, n >= 0, ARGUMENT, "hyla_eigen_arrays: n is %lld; give 0 or more", n);
  CHECK(base, cube->address != 0 || n == 0 || p->a != NULL, ARGUMENT,
        "hyla_eigen_arrays: a is NULL on rank 0; give %lld x %lld entries", n, n);
  CHECK(base, n == 0 || p->values != NULL, ARGUMENT,
        "hyla_eigen_arrays: values is NULL; give room for %lld numbers on each rank", n);
  CHECK(base, cube->address != 0 || n == 0 || !p->wanted || p->vectors != NULL, ARGUMENT,
        "hyla_eigen_arrays: vectors is NULL on rank 0 alone; give %lld x %lld entries", n, n);
  CHECK(base, !p->everywhere || n == 0 || p->vectors != NULL, ARGUMENT,
        "hyla_eigen_arrays: vectors is NULL on a rank, and the nodes have one; give it on all "
        "ranks, or on rank 0 alone");
  return HYLA_OK;
}

/* Agrees on the arguments and on who gets vectors. */
static hyla_status enter(hyla_cube *cube, struct problem *p) {
  int64_t seen[] = {p->vectors == NULL, p->vectors != NULL};
  TRY(hyla_cube_max(cube, seen, 2));
  p->everywhere = seen[0] == 0;
  p->wanted = seen[1] != 0;
  const int64_t given[] = {(int64_t)p->triangle, (int64_t)p->type, p->n};
  return hy_enter(cube, check(cube, p), hy_fingerprint(0, given, sizeof given),
                  "hyla_eigen_arrays");
}

static hyla_status give(hyla_cube *cube, const struct problem *p) {
  const int64_t ld = hy_max(1, p->n);
  TRY(hyla_matrix_gather(cube, p->found, p->everywhere ? HYLA_REPLICATED : HYLA_FACE, p->vectors,
                         ld));
  if (!p->everywhere) return HYLA_OK;
  return hyla_cube_tell(cube, p->vectors, p->n * p->n * (int64_t)hy_kernels_of(p->type)->size);
}

static hyla_status run(hyla_cube *cube, struct problem *p) {
  hyla_eigen_errors errors;
  TRY(enter(cube, p));
  TRY(hyla_matrix_create(cube, p->type, p->n, p->n, NULL, &p->matrix));
  if (p->wanted) TRY(hyla_matrix_create(cube, p->type, p->n, p->n, NULL, &p->found));
  TRY(hyla_matrix_scatter(cube, p->a, hy_max(1, p->n), p->matrix));
  TRY(hyla_eigen(cube, p->triangle, p->matrix, p->values, p->found));
  if (!p->wanted) return HYLA_OK;
  const hyla_status judged =
      hyla_eigen_check(cube, p->triangle, p->matrix, p->values, p->found, &errors);
  if (judged != HYLA_OK && judged != HYLA_UNRELIABLE) return judged;
  TRY(give(cube, p));
  return judged;
}

hyla_status hyla_eigen_arrays_f(const MPI_Fint *comm, hyla_triangle triangle, hyla_type type,
                                int64_t n, const void *a, double *values, void *vectors,
                                hyla_answer *answer) {
  struct problem p = {
      .triangle = triangle, .type = type, .n = n, .a = a, .values = values, .vectors = vectors};
  hyla_cube *cube = NULL;
  hyla_status status = hyla_cube_create_f(comm, NULL, &cube);
  if (status == HYLA_OK) status = run(cube, &p);
  hy_onecall_tell(cube, status, status == HYLA_UNRELIABLE ? n + 1 : -(int64_t)status, answer);
  hyla_matrix_destroy(&p.found);
  hyla_matrix_destroy(&p.matrix);
  const hyla_status ended = hyla_cube_destroy(&cube); /* writes a trace, if one is wanted */
  return status == HYLA_OK ? ended : status;
}

hyla_status hyla_eigen_arrays(MPI_Comm comm, hyla_triangle triangle, hyla_type type, int64_t n,
                              const void *a, double *values, void *vectors, hyla_answer *answer) {
  const MPI_Fint handle = MPI_Comm_c2f(comm);
  return hyla_eigen_arrays_f(&handle, triangle, type, n, a, values, vectors, answer);
}
