/* hyla_solve_arrays: makes the cube and the matrices, solves, judges, brings the answer back. */
#include "onecall/onecall.h"

#include <math.h>
#include <stdio.h>

/* The system as the caller has it, and the matrices of the call. */
struct system {
  hyla_method method;
  hyla_type type;
  int64_t n, nrhs;
  const void *a;
  void *b;
  hyla_matrix *coefficients, *sides, *solution;
  hyla_solve_report report;
};

/* This rank's verdict.  held: b's on the nodes, which all ranks know. */
static hyla_status check(hyla_cube *cube, const struct system *s, bool held) {
  struct hy_base *base = &cube->base;
  const long long n = s->n, nrhs = s->nrhs;
  CHECK(base, n >= 0 && nrhs >= 0, ARGUMENT,
        "hyla_solve_arrays: n is %lld and nrhs is %lld; give 0 or more", n, nrhs);
  CHECK(base, cube->address != 0 || n == 0 || s->a != NULL, ARGUMENT,
        "hyla_solve_arrays: a is NULL on rank 0; give %lld x %lld entries", n, n);
  CHECK(base, cube->address != 0 || n == 0 || nrhs == 0 || s->b != NULL, ARGUMENT,
        "hyla_solve_arrays: b is NULL on rank 0; give %lld x %lld entries", n, nrhs);
  CHECK(base, !held || n == 0 || nrhs == 0 || s->b != NULL, ARGUMENT,
        "hyla_solve_arrays: b is NULL on a rank, and the nodes have one; give it on all ranks, or "
        "on rank 0 alone");
  return HYLA_OK;
}

/* Agrees on the arguments and on whether all ranks hold b. */
static hyla_status enter(hyla_cube *cube, const struct system *s, bool *held) {
  int64_t missing = s->b == NULL;
  TRY(hyla_cube_max(cube, &missing, 1));
  *held = missing == 0;
  const int64_t given[] = {(int64_t)s->method, (int64_t)s->type, s->n, s->nrhs};
  return hy_enter(cube, check(cube, s, *held), hy_fingerprint(0, given, sizeof given),
                  "hyla_solve_arrays");
}

static hyla_status make(hyla_cube *cube, struct system *s) {
  const int64_t ld = hy_max(1, s->n);
  TRY(hyla_matrix_create(cube, s->type, s->n, s->n, NULL, &s->coefficients));
  TRY(hyla_matrix_create(cube, s->type, s->n, s->nrhs, NULL, &s->sides));
  TRY(hyla_matrix_create(cube, s->type, s->n, s->nrhs, NULL, &s->solution));
  TRY(hyla_matrix_scatter(cube, s->a, ld, s->coefficients));
  return hyla_matrix_scatter(cube, s->b, ld, s->sides);
}

static hyla_status give(hyla_cube *cube, const struct system *s, bool held) {
  const int64_t ld = hy_max(1, s->n);
  TRY(hyla_matrix_gather(cube, s->solution, held ? HYLA_REPLICATED : HYLA_FACE, s->b, ld));
  if (!held) return HYLA_OK;
  return hyla_cube_tell(cube, s->b, s->n * s->nrhs * (int64_t)hy_kernels_of(s->type)->size);
}

static hyla_status run(hyla_cube *cube, struct system *s) {
  const hyla_solve_options options = {.method = s->method};
  bool held;
  TRY(enter(cube, s, &held));
  TRY(make(cube, s));
  hyla_status judged =
      hyla_solve_expert(cube, &options, s->coefficients, s->sides, s->solution, &s->report);
  if (judged != HYLA_OK && judged != HYLA_UNRELIABLE) return judged;
  TRY(give(cube, s, held));
  return judged;
}

static int64_t info_of(hyla_status status, const struct system *s) {
  if (status == HYLA_UNRELIABLE) return s->n + 1;
  return s->report.pivot > 0 ? s->report.pivot : -(int64_t)status;
}

void hy_onecall_tell(const hyla_cube *cube, hyla_status status, int64_t info, hyla_answer *answer) {
  const char *said = cube == NULL ? "" : hyla_cube_message(cube);
  if (answer == NULL) return;
  *answer = (hyla_answer){.info = info, .rcond = NAN, .forward_bound = NAN};
  if (status != HYLA_OK)
    snprintf(answer->message, sizeof answer->message, "%s",
             said[0] != '\0' ? said : hyla_status_text(status));
}

static void tell(const hyla_cube *cube, const struct system *s, hyla_status status,
                 hyla_answer *answer) {
  const bool solved = status == HYLA_OK || status == HYLA_UNRELIABLE;
  hy_onecall_tell(cube, status, info_of(status, s), answer);
  if (answer == NULL || !solved) return;
  answer->rcond = s->report.rcond;
  answer->forward_bound = s->report.forward_bound;
}

hyla_status hyla_solve_arrays_f(const MPI_Fint *comm, hyla_method method, hyla_type type, int64_t n,
                                int64_t nrhs, const void *a, void *b, hyla_answer *answer) {
  struct system s = {.method = method, .type = type, .n = n, .nrhs = nrhs, .a = a, .b = b};
  hyla_cube *cube = NULL;
  hyla_status status = hyla_cube_create_f(comm, NULL, &cube);
  if (status == HYLA_OK) status = run(cube, &s);
  tell(cube, &s, status, answer);
  hyla_matrix_destroy(&s.coefficients);
  hyla_matrix_destroy(&s.sides);
  hyla_matrix_destroy(&s.solution);
  hyla_status ended = hyla_cube_destroy(&cube); /* writes a trace, if the environment wants one */
  return status == HYLA_OK ? ended : status;
}

hyla_status hyla_solve_arrays(MPI_Comm comm, hyla_method method, hyla_type type, int64_t n,
                              int64_t nrhs, const void *a, void *b, hyla_answer *answer) {
  const MPI_Fint handle = MPI_Comm_c2f(comm);
  return hyla_solve_arrays_f(&handle, method, type, n, nrhs, a, b, answer);
}
