/* Copies of runs and transpositions, in the instructions of any processor and in wide vectors,
 * compared with plain loops; no byte outside of the target may change. */
#include "tests/harness/harness.h"

#include "local/kernels.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 64, WIDE = 2 };

/* The bytes of an array, aligned, with ROOM bytes before and after. */
static char *random_bytes(size_t bytes) {
  char *data = aligned_alloc(ROOM, (bytes + 2 * ROOM + ROOM - 1) / ROOM * ROOM);
  assert_non_null(data);
  for (size_t i = 0; i < bytes + 2 * ROOM; i++) data[i] = (char)harness_draw(0, 255);
  return data;
}

static char *copy_of(const char *data, size_t bytes) {
  char *copy = aligned_alloc(ROOM, (bytes + 2 * ROOM + ROOM - 1) / ROOM * ROOM);
  assert_non_null(copy);
  memcpy(copy, data, bytes + 2 * ROOM);
  return copy;
}

/* NULL if this processor cannot do it, which skips the test. */
static const struct hy_copies *copies_of(int wide) { return hy_copies_of(wide == 1); }

/* ------------------------------------------------------------------- runs -- */

static void runs_by_bytes(const struct hy_runs *r, const char *from, char *to) {
  for (int64_t column = 0; column < r->columns; column++)
    for (int64_t run = 0; run < r->count; run++)
      for (int64_t i = 0; i < r->bytes; i++)
        to[column * r->to_ld + run * r->to_step + i] =
            from[column * r->from_ld + run * r->from_step + i];
}

static void check_runs(const struct hy_runs *r, int64_t shift_from, int64_t shift_to) {
  const size_t size_from = (size_t)(r->columns * r->from_ld),
               size_to = (size_t)(r->columns * r->to_ld);
  char *from = random_bytes(size_from), *before = random_bytes(size_to);
  char *wanted = copy_of(before, size_to);
  runs_by_bytes(r, from + shift_from, wanted + shift_to);
  for (int wide = 0; wide < WIDE; wide++) {
    if (copies_of(wide) == NULL) continue;
    char *to = copy_of(before, size_to);
    copies_of(wide)->runs(r, from + shift_from, to + shift_to);
    hy_stream_end();
    assert_memory_equal(to, wanted, size_to + 2 * ROOM);
    free(to);
  }
  free(from);
  free(before);
  free(wanted);
}

static void runs_come_as_they_are(void **state) {
  (void)state;
  static const int64_t lengths[] = {4, 12, 64, 68, 100, 127, 128, 129, 256, 320, 1100, 4200};
  static const int64_t counts[] = {1, 3}, columns[] = {1, 5, 66}, shifts[] = {0, 8, 20};
  for (int l = 0; l < 12; l++)
    for (int c = 0; c < 2; c++)
      for (int w = 0; w < 3; w++)
        for (int s = 0; s < 3; s++)
          for (int stream = 0; stream < 2; stream++) {
            const int64_t bytes = lengths[l], gap = 4 * harness_draw(0, 20);
            struct hy_runs r = {.bytes = bytes, .count = counts[c], .columns = columns[w]};
            r.from_step = bytes + 4 * harness_draw(0, 40);
            r.to_step = bytes + 4 * harness_draw(0, 40);
            r.from_ld = r.count * r.from_step + gap;
            r.to_ld = r.count * r.to_step + (s == 0 ? -r.count * r.to_step & 63 : gap);
            r.stream = stream == 1;
            harness_note("%lld bytes, %lld runs, %lld columns, stream %d, shift %lld",
                         (long long)bytes, (long long)r.count, (long long)r.columns, stream,
                         (long long)shifts[s]);
            check_runs(&r, shifts[2 - s], shifts[s]);
          }
}

static void runs_fetch_what_comes_next(void **state) {
  (void)state;
  char next[256];
  const struct hy_runs r = {.bytes = 200,
                            .count = 2,
                            .from_step = 300,
                            .to_step = 256,
                            .columns = 7,
                            .from_ld = 640,
                            .to_ld = 512,
                            .stream = true,
                            .next = next,
                            .next_ld = 1 << 20}; /* any address will do, because it is only
                                                  * prefetched */
  check_runs(&r, 0, 0);
}

/* ------------------------------------------------------------------ zeros -- */

static void check_zeros(int64_t bytes, int64_t columns, int64_t ld, int64_t shift) {
  const size_t size = (size_t)(columns * ld);
  char *before = random_bytes(size), *wanted = copy_of(before, size);
  for (int64_t column = 0; column < columns; column++)
    for (int64_t i = 0; i < bytes; i++) wanted[shift + column * ld + i] = 0;
  for (int wide = 0; wide < WIDE; wide++) {
    if (copies_of(wide) == NULL) continue;
    char *to = copy_of(before, size);
    copies_of(wide)->clear(bytes, columns, to + shift, ld);
    hy_stream_end();
    assert_memory_equal(to, wanted, size + 2 * ROOM);
    free(to);
  }
  free(before);
  free(wanted);
}

static void zeros_and_nothing_else(void **state) {
  const int64_t bytes[] = {0, 4, 60, 64, 68, 124, 128, 200, 1000};
  (void)state;
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
    for (int64_t shift = 0; shift < ROOM; shift += 4) {
      check_zeros(bytes[i], 3, bytes[i] + 36, shift);
      check_zeros(bytes[i], 2, (bytes[i] / ROOM + 1) * ROOM, shift);
      check_zeros(bytes[i], 0, bytes[i] + 4, shift);
    }
}

/* -------------------------------------------------------- transpositions -- */

struct turn {
  const struct hy_kernels *k;
  hyla_operation op;
  int m, n, lda, ldb;
  double _Complex alpha;
  bool stream;
};

static void turn_by_entries(const struct turn *t, const void *a, void *b) {
  for (int j = 0; j < t->n; j++)
    for (int i = 0; i < t->m; i++) {
      const double _Complex x = t->k->get(a, j + (int64_t)i * t->lda);
      t->k->set(b, i + (int64_t)j * t->ldb, t->alpha * (t->op == HYLA_CONJUGATE ? conj(x) : x));
    }
}

/* Small odd numbers: products with alpha are exact, and there are no signed zeros. */
static char *random_entries(const struct hy_kernels *k, int64_t count) {
  char *data = random_bytes((size_t)count * k->size);
  for (int64_t i = 0; i < count + 2 * ROOM / (int64_t)k->size; i++)
    k->set(data, i,
           (double)(2 * harness_draw(-49, 49) + 1) +
               (double)(2 * harness_draw(-49, 49) + 1) * (double _Complex)_Complex_I);
  return data;
}

static void check_turn(const struct turn *t, int shift) {
  const int64_t size_a = (int64_t)t->lda * t->m, size_b = (int64_t)t->ldb * t->n;
  const size_t bytes = (size_t)size_b * t->k->size;
  char *a = random_entries(t->k, size_a), *before = random_entries(t->k, size_b);
  char *wanted = copy_of(before, bytes);
  const size_t skip = (size_t)shift * t->k->size;
  turn_by_entries(t, a, wanted + skip);
  for (int wide = 0; wide < WIDE; wide++) {
    if (copies_of(wide) == NULL) continue;
    char *b = copy_of(before, bytes);
    copies_of(wide)->turn[t->k->type](t->op, t->m, t->n, t->alpha, a, t->lda, b + skip, t->ldb,
                                      t->stream, shift == 0 ? NULL : a);
    hy_stream_end();
    assert_memory_equal(b, wanted, bytes + 2 * ROOM);
    free(b);
  }
  free(a);
  free(before);
  free(wanted);
}

static void check_type(const struct hy_kernels *k, hyla_operation op, double _Complex alpha) {
  static const int sizes[] = {0, 1, 7, 16, 33, 70, 131};
  const int line = ROOM / (int)k->size;
  for (int s = 0; s < 7; s++)
    for (int t = 0; t < 7; t++)
      for (int form = 0; form < 6; form++) {
        const int m = sizes[s], n = sizes[t], shift = form % 2 * (line > 4 ? 3 : 1);
        struct turn turn = {k, op, m, n, n + 5, m + 1, alpha, form > 1};
        /* Streaming needs columns that begin at the same place in a line. */
        if (form / 2 == 1) turn.ldb = (m + line) / line * line;
        harness_note("%s, op %d, %d x %d, alpha %g, stream %d, shift %d", k->name, (int)op, m, n,
                     creal(alpha), turn.stream, shift);
        check_turn(&turn, shift);
      }
}

static void transpositions_are_exact(void **state) {
  (void)state;
  for (int type = HYLA_FLOAT; type <= HYLA_DOUBLE_COMPLEX; type++)
    for (int op = 0; op < 2; op++) {
      const struct hy_kernels *k = hy_kernels_of((hyla_type)type);
      const hyla_operation turning = op == 0 ? HYLA_TRANSPOSE : HYLA_CONJUGATE;
      check_type(k, turning, 1);
      check_type(k, turning, k->complex_type ? 2 - 3 * (double _Complex)_Complex_I : 2);
    }
}

/* Bits of entries that are not numbers are kept. */
static void bits_are_kept(void **state) {
  (void)state;
  for (int type = HYLA_FLOAT; type <= HYLA_DOUBLE_COMPLEX; type++) {
    const struct hy_kernels *k = hy_kernels_of((hyla_type)type);
    enum { SIDE = 32 };
    char *a = random_bytes(SIDE * SIDE * k->size);
    for (int wide = 0; wide < WIDE; wide++) {
      if (copies_of(wide) == NULL) continue;
      char *b = random_bytes(SIDE * SIDE * k->size);
      copies_of(wide)->turn[type](HYLA_TRANSPOSE, SIDE, SIDE, 1, a, SIDE, b, SIDE, true, NULL);
      hy_stream_end();
      for (size_t j = 0; j < SIDE; j++)
        for (size_t i = 0; i < SIDE; i++)
          assert_memory_equal(b + (i + j * SIDE) * k->size, a + (j + i * SIDE) * k->size, k->size);
      free(b);
    }
    free(a);
  }
}

static void one_way_is_always_there(void **state) {
  (void)state;
  assert_non_null(hy_copies_of(false));
  assert_true(hy_copies_best() ==
              (hy_copies_of(true) != NULL ? hy_copies_of(true) : hy_copies_of(false)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(zeros_and_nothing_else),
      cmocka_unit_test(runs_come_as_they_are),
      cmocka_unit_test(runs_fetch_what_comes_next),
      cmocka_unit_test(transpositions_are_exact),
      cmocka_unit_test(bits_are_kept),
      cmocka_unit_test(one_way_is_always_there),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
