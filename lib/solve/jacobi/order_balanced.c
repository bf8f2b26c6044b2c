/* The ordering of balanced Gray codes: all dimensions are crossed about equally often.
 *
 * Reference: Robinson and Cohn 1981; Bhat and Savage 1996; that any Hamiltonian path serves: Royo,
 * Gonzalez and Valero-Garcia 1998.  That the balanced ones do is ours.
 * Method: a cyclic code of e - 2 bits becomes one of e bits.  Some of its transitions, an odd
 * number l of them with the last one, are marked; between them stand strings of transitions,
 *
 *     s_1 j_1 s_2 j_2 s_3 j_3, and so on to s_l j_l,
 *
 * and with the new dimensions a and b and s' for s in reverse the new code is
 *
 *     s_1 a s_1' b s_1   j_1   s_2 b s_2' a s_2   j_2   s_3 a s_3' b s_3   j_3, and so on to s_l;
 *     a; the old code without j_l, in reverse; b
 *
 * (a and b change places in the strings in turn).  So an unmarked transition occurs four times, a
 * marked one twice, the last one not at all, and the new dimensions l + 1 times each.  The marks
 * are dealt so that the busiest dimension is as little busy as possible.  The path leaves out one
 * move of a busiest dimension.
 *
 * The busiest dimension for e = 5 ... 12: 7 12 19 32 58 104 187 342; the least is 7 11 19 32 57 103
 * 187 342.
 *
 * Steps: 2^(d+1) - 1; messages: one a step.  Restriction: a cube. */
#include "solve/jacobi/jacobi.h"

#include <string.h>

enum { MOST = HYLA_DIMS_MAX };

/* A cyclic code: 2^bits transitions, and how often each dimension occurs. */
struct code {
  int bits;
  int64_t length, count[MOST];
};

static int64_t busiest(const struct code *c) {
  int64_t most = 0;
  for (int i = 0; i < c->bits; i++) most = hy_max(most, c->count[i]);
  return most;
}

/* How often a dimension of the old code occurs in the new one. */
static int64_t times(const struct code *c, int last, const int64_t marks[MOST], int i) {
  return 4 * (c->count[i] - (i == last)) - 2 * marks[i];
}

/* How many dimensions occur `most' times, with `sum' marks. */
static int tops(const struct code *c, int last, int64_t most, const int64_t marks[MOST],
                int64_t sum) {
  int found = sum + 2 == most ? 2 : 0;
  for (int i = 0; i < c->bits; i++) found += times(c, last, marks, i) == most;
  return found;
}

/* One mark more for the busiest old dimension; false: all of its transitions have marks. */
static bool add_mark(const struct code *c, int last, int64_t marks[MOST]) {
  int top = 0;
  for (int i = 1; i < c->bits; i++)
    if (times(c, last, marks, i) > times(c, last, marks, top)) top = i;
  return ++marks[top] <= c->count[top] - (top == last);
}

/* Marks of each dimension so that no dimension of the new code occurs more than `most' times, and
 * as few as possible so often; last: the dimension of the last transition.  Returns their number,
 * which is even, or -1: there are no such marks. */
static int64_t deal(const struct code *c, int last, int64_t most, int64_t marks[MOST]) {
  int64_t sum = 0, more[MOST] = {0};
  for (int i = 0; i < c->bits; i++) {
    marks[i] = hy_max(0, hy_ceil_div(hy_max(0, 4 * (c->count[i] - (i == last)) - most), 2));
    sum += marks[i];
  }
  if (sum % 2 != 0) {
    if (!add_mark(c, last, marks)) return -1;
    sum++;
  }
  for (; sum + 4 <= most; sum += 2) {
    memcpy(more, marks, sizeof more);
    if (!add_mark(c, last, more) || !add_mark(c, last, more)) break;
    if (tops(c, last, most, more, sum + 2) >= tops(c, last, most, marks, sum)) break;
    memcpy(marks, more, sizeof more);
  }
  return sum + 2 <= most ? sum : -1;
}

/* The least `most' for which marks exist. */
static int64_t least(const struct code *c, int last, int64_t marks[MOST]) {
  int64_t most = (INT64_C(4) << c->bits) / (c->bits + 2);
  while (deal(c, last, most, marks) < 0) most++;
  return most;
}

/* Writes a string of transitions, forwards or backwards. */
static int64_t put(uint8_t *to, int64_t at, const uint8_t *from, int64_t begin, int64_t end,
                   bool back) {
  for (int64_t i = begin; i < end; i++) to[at++] = from[back ? begin + end - 1 - i : i];
  return at;
}

/* The code of two bits more, from `old' to `link'; mark: of each transition of the old one. */
static void widen(const struct code *c, const uint8_t *old, const bool *mark, uint8_t *link) {
  const uint8_t a = (uint8_t)c->bits, b = (uint8_t)(a + 1);
  int64_t at = 0, begin = 0;
  int turn = 0;
  for (int64_t i = 0; i < c->length; i++) {
    if (!mark[i] && i + 1 < c->length) continue;
    /* The string in front of the marked transition i. */
    at = put(link, at, old, begin, i, false);
    link[at++] = turn == 0 ? a : b;
    at = put(link, at, old, begin, i, true);
    link[at++] = turn == 0 ? b : a;
    at = put(link, at, old, begin, i, false);
    if (i + 1 < c->length) link[at++] = old[i];
    begin = i + 1;
    turn = 1 - turn;
  }
  link[at++] = a;
  at = put(link, at, old, 0, c->length - 1, true);
  link[at++] = b;
}

/* Marks the first transitions of each dimension. */
static void set_marks(const struct code *c, const uint8_t *link, const int64_t marks[MOST],
                      bool *mark) {
  int64_t left[MOST];
  memcpy(left, marks, sizeof left);
  for (int64_t i = 0; i < c->length; i++) {
    mark[i] = i + 1 < c->length && left[link[i]] > 0;
    if (mark[i]) left[link[i]]--;
  }
}

static void count(struct code *c, const uint8_t *link) {
  memset(c->count, 0, sizeof c->count);
  for (int64_t i = 0; i < c->length; i++) c->count[link[i]]++;
}

/* Turns the cycle so that it ends with a transition of this dimension. */
static void end_with(const struct code *c, int last, const uint8_t *link, uint8_t *turned) {
  int64_t at = c->length - 1;
  while (link[at] != last) at--;
  for (int64_t i = 0; i < c->length; i++) turned[i] = link[(at + 1 + i) % c->length];
}

static void path(int e, uint8_t *link) {
  uint8_t old[INT64_C(1) << 12], now[INT64_C(1) << 12];
  bool mark[INT64_C(1) << 12];
  int64_t marks[MOST];
  struct code c = {.bits = 2 - e % 2, .length = INT64_C(1) << (2 - e % 2)};
  for (int64_t i = 0; i < c.length; i++) now[i] = (uint8_t)(c.bits == 2 ? i % 2 : 0);
  count(&c, now);
  while (c.bits < e) {
    int best = 0;
    for (int i = 1; i < c.bits; i++)
      if (least(&c, i, marks) < least(&c, best, marks)) best = i;
    (void)deal(&c, best, least(&c, best, marks), marks);
    end_with(&c, best, now, old);
    set_marks(&c, old, marks, mark);
    widen(&c, old, mark, now);
    c.bits += 2;
    c.length *= 4;
    count(&c, now);
  }
  int last = 0;
  while (c.count[last] < busiest(&c)) last++;
  end_with(&c, last, now, old);
  memcpy(link, old, (size_t)c.length - 1);
}

const struct hy_jacobi_ordering hy_jacobi_balanced = {.name = "balanced", .path = path};
