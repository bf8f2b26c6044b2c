/* Eigenproblems for `peers': hyla beside ScaLAPACK's and LAPACK's drivers.  A is Hermitian and
 * random; the lower triangle is read.  The values are compared, since a vector's sign is free. */
#include "peers.h"

#include <math.h>
#include <stdlib.h>

static const int ONE = 1;

static double *local(const struct side *side, int x) {
  void *data = NULL;
  hyla_matrix_local(side->matrix[x], &data, NULL, NULL, NULL);
  return data;
}

static int leading(const struct side *side) {
  int64_t ld = 1;
  hyla_matrix_local(side->matrix[0], NULL, NULL, NULL, &ld);
  return (int)ld;
}

static hyla_status run(struct contest *c, hyla_matrix *vectors) {
  return hyla_eigen(c->cube, HYLA_LOWER, c->own.matrix[0], c->own.values, vectors);
}

hyla_status hyla_vectors(struct contest *c) { return run(c, c->own.matrix[2]); }
hyla_status hyla_values(struct contest *c) { return run(c, NULL); }

hyla_status hyla_pencil(struct contest *c) {
  hyla_matrix *const *m = c->own.matrix;
  return hyla_eigen_generalized(c->cube, HYLA_PENCIL_AX_BX, HYLA_LOWER, m[0], m[1], c->own.values,
                                m[2], NULL);
}

/* Room of a driver: it says how much it wants, and is called again. */
struct room {
  double *work;
  int *numbers;
  int words, integers;
};

static bool take_room(struct room *room, double words, int integers) {
  room->words = (int)words;
  room->integers = integers;
  room->work = malloc((size_t)(room->words + 1) * sizeof *room->work);
  room->numbers = malloc((size_t)(room->integers + 1) * sizeof *room->numbers);
  return room->work != NULL && room->numbers != NULL;
}

static void free_room(struct room *room) {
  free(room->work);
  free(room->numbers);
}

void peer_divide(struct contest *c, struct side *s) {
  const int n = (int)c->n, ask = -1;
  int info = 0, integers = 0;
  double words[2] = {0};
  struct room room;
  pdsyevd_("V", "L", &n, local(s, 0), &ONE, &ONE, s->descriptor[0], s->values, local(s, 2), &ONE,
           &ONE, s->descriptor[2], words, &ask, &integers, &ask, &info);
  if (take_room(&room, words[0], integers))
    pdsyevd_("V", "L", &n, local(s, 0), &ONE, &ONE, s->descriptor[0], s->values, local(s, 2), &ONE,
             &ONE, s->descriptor[2], room.work, &room.words, room.numbers, &room.integers, &info);
  free_room(&room);
}

static void representations(struct contest *c, struct side *s, const char *job) {
  const int n = (int)c->n, ask = -1;
  const double none = 0;
  int info = 0, integers[2] = {0}, values = 0, vectors = 0;
  double words[2] = {0};
  struct room room;
  pdsyevr_(job, "A", "L", &n, local(s, 0), &ONE, &ONE, s->descriptor[0], &none, &none, &ONE, &n,
           &values, &vectors, s->values, local(s, 2), &ONE, &ONE, s->descriptor[2], words, &ask,
           integers, &ask, &info);
  if (take_room(&room, words[0], integers[0]))
    pdsyevr_(job, "A", "L", &n, local(s, 0), &ONE, &ONE, s->descriptor[0], &none, &none, &ONE, &n,
             &values, &vectors, s->values, local(s, 2), &ONE, &ONE, s->descriptor[2], room.work,
             &room.words, room.numbers, &room.integers, &info);
  free_room(&room);
}

void peer_representations(struct contest *c, struct side *s) { representations(c, s, "V"); }
void peer_values(struct contest *c, struct side *s) { representations(c, s, "N"); }

/* What pdsygvx tells about vectors and clusters. */
struct told {
  int *failed, *clusters;
  double *gaps;
};

static void pencil(struct contest *c, struct side *s, const struct told *told) {
  const int n = (int)c->n, ask = -1, kind = 1;
  const double none = 0, usual = -1;
  int info = 0, integers = 0, values = 0, vectors = 0;
  double words[3] = {0};
  struct room room;
  pdsygvx_(&kind, "V", "A", "L", &n, local(s, 0), &ONE, &ONE, s->descriptor[0], local(s, 1), &ONE,
           &ONE, s->descriptor[1], &none, &none, &ONE, &n, &none, &values, &vectors, s->values,
           &usual, local(s, 2), &ONE, &ONE, s->descriptor[2], words, &ask, &integers, &ask,
           told->failed, told->clusters, told->gaps, &info);
  if (take_room(&room, words[0], integers))
    pdsygvx_(&kind, "V", "A", "L", &n, local(s, 0), &ONE, &ONE, s->descriptor[0], local(s, 1), &ONE,
             &ONE, s->descriptor[1], &none, &none, &ONE, &n, &none, &values, &vectors, s->values,
             &usual, local(s, 2), &ONE, &ONE, s->descriptor[2], room.work, &room.words,
             room.numbers, &room.integers, told->failed, told->clusters, told->gaps, &info);
  free_room(&room);
}

void peer_pencil(struct contest *c, struct side *s) {
  const size_t ranks = (size_t)hyla_cube_nodes(c->cube), n = (size_t)c->n + 1;
  const struct told told = {calloc(n, sizeof(int)), calloc(2 * ranks, sizeof(int)),
                            calloc(ranks, sizeof(double))};
  if (told.failed != NULL && told.clusters != NULL && told.gaps != NULL) pencil(c, s, &told);
  free(told.failed);
  free(told.clusters);
  free(told.gaps);
}

/* A scale that made LAPACK's dsyevr take up to 20 times as long (lapack#995). */
static const double SCALE = 1e13;

hyla_status scale_own(struct contest *c) {
  int64_t rows = 0, cols = 0;
  double *entries = local(&c->own, 0);
  hyla_matrix_local(c->own.matrix[0], NULL, &rows, &cols, NULL);
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = 0; i < rows; i++) entries[i + j * leading(&c->own)] *= SCALE;
  return HYLA_OK;
}

void peer_unscaled(struct contest *c, struct side *s) {
  (void)hyla_eigen(c->cube, HYLA_LOWER, s->matrix[0], s->values, s->matrix[2]);
  for (int64_t i = 0; i < c->n; i++) s->values[i] *= SCALE;
}

/* On one rank, which holds everything, by columns: vectors come in A's place. */
static void lapack(struct contest *c, struct side *s, const char *job) {
  const int n = (int)c->n, lda = leading(s), ask = -1;
  int info = 0, integers = 0;
  double words = 0;
  struct room room;
  dsyevd_(job, "L", &n, local(s, 0), &lda, s->values, &words, &ask, &integers, &ask, &info);
  if (take_room(&room, words, integers))
    dsyevd_(job, "L", &n, local(s, 0), &lda, s->values, room.work, &room.words, room.numbers,
            &room.integers, &info);
  free_room(&room);
}

void peer_lapack_vectors(struct contest *c, struct side *s) { lapack(c, s, "V"); }
void peer_lapack_values(struct contest *c, struct side *s) { lapack(c, s, "N"); }

hyla_status compare_values(struct contest *c, const struct side *s, double *difference) {
  double largest = 0;
  *difference = 0;
  for (int64_t i = 0; i < c->n; i++) {
    const double apart = fabs(c->own.values[i] - s->values[i]);
    largest = fmax(largest, fabs(c->own.values[i]));
    if (!(apart <= *difference)) *difference = apart;
  }
  if (largest > 0) *difference /= largest;
  return HYLA_OK;
}
