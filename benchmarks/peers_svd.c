/* Singular values for `peers': hyla beside ScaLAPACK's and LAPACK's drivers.  A is random.  The
 * values are compared, since a pair of vectors may have the other sign. */
#include "peers.h"

#include <stdlib.h>

static const int ONE = 1;

static double *local(const struct side *side, int x) {
  void *data = NULL;
  hyla_matrix_local(side->matrix[x], &data, NULL, NULL, NULL);
  return data;
}

static int leading(const struct side *side, int x) {
  int64_t ld = 1;
  hyla_matrix_local(side->matrix[x], NULL, NULL, NULL, &ld);
  return (int)ld;
}

hyla_status hyla_decompose(struct contest *c) {
  return hyla_svd(c->cube, c->own.matrix[0], c->own.values, c->own.matrix[2], c->own.matrix[1]);
}
/* By rotations. */
hyla_status hyla_rotate(struct contest *c) {
  const hyla_svd_options options = {.method = "jacobi"};
  hyla_plan *plan = NULL;
  hyla_status status = hyla_svd_plan(c->cube, &options, c->own.matrix[0], c->own.values,
                                     c->own.matrix[2], c->own.matrix[1], &plan);
  if (status == HYLA_OK) status = hyla_plan_run(c->cube, plan);
  hyla_plan_destroy(&plan);
  return status;
}
hyla_status hyla_singular_values(struct contest *c) {
  return hyla_svd(c->cube, c->own.matrix[0], c->own.values, NULL, NULL);
}

/* A driver says how much room it wants, and is called again. */
static void scalapack(struct contest *c, struct side *s, const char *job) {
  const int m = (int)c->n, n = columns_of_a(c), ask = -1;
  int info = 0;
  double words = 0;
  pdgesvd_(job, job, &m, &n, local(s, 0), &ONE, &ONE, s->descriptor[0], s->values, local(s, 2),
           &ONE, &ONE, s->descriptor[2], local(s, 1), &ONE, &ONE, s->descriptor[1], &words, &ask,
           &info);
  const int room = (int)words;
  double *work = malloc((size_t)(room + 1) * sizeof *work);
  if (work != NULL)
    pdgesvd_(job, job, &m, &n, local(s, 0), &ONE, &ONE, s->descriptor[0], s->values, local(s, 2),
             &ONE, &ONE, s->descriptor[2], local(s, 1), &ONE, &ONE, s->descriptor[1], work, &room,
             &info);
  free(work);
}

void peer_decompose(struct contest *c, struct side *s) { scalapack(c, s, "V"); }
void peer_singular_values(struct contest *c, struct side *s) { scalapack(c, s, "N"); }

/* On one rank, which holds everything, by columns. */
static void lapack(struct contest *c, struct side *s, const char *job) {
  const int m = (int)c->n, n = columns_of_a(c), ask = -1,
            ld[] = {leading(s, 0), leading(s, 1), leading(s, 2)};
  int info = 0, *numbers = malloc((size_t)(8 * n + 1) * sizeof *numbers);
  double words = 0;
  dgesdd_(job, &m, &n, local(s, 0), &ld[0], s->values, local(s, 2), &ld[2], local(s, 1), &ld[1],
          &words, &ask, numbers, &info);
  const int room = (int)words;
  double *work = malloc((size_t)(room + 1) * sizeof *work);
  if (work != NULL && numbers != NULL)
    dgesdd_(job, &m, &n, local(s, 0), &ld[0], s->values, local(s, 2), &ld[2], local(s, 1), &ld[1],
            work, &room, numbers, &info);
  free(work);
  free(numbers);
}

void peer_lapack_decompose(struct contest *c, struct side *s) { lapack(c, s, "S"); }
void peer_lapack_singular_values(struct contest *c, struct side *s) { lapack(c, s, "N"); }
