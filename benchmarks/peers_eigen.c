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
