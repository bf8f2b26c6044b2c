/* The second of two stages: a band to T, by sweeps that chase bulges off the band.
 *
 * Sweep s makes column s that of T, by a reflection of the b rows from s + 1 on.  Rows and columns
 * of the band lie for this sweep in blocks of b from there on.  Block k has a reflection H_k, a
 * diagonal block D_k, and below it B_k, in the rows of block k + 1:
 *
 *   D_k := H_k^H D_k H_k
 *   B_k := B_k H_k, which fills up
 *   H_k+1 from B_k's first column, B_k := H_k+1^H B_k
 *
 * So only the first column of what has filled up is cleared: the next sweep, whose blocks begin one
 * row later, finds the others inside its blocks.
 *
 * A rank has a run: some blocks of every sweep.  A sweep comes from the left with v_k and tau, b +
 * 1 words, and goes on to the right.  As the next sweep's blocks begin a column later, each run
 * gives its first column to the left, b + 1 words, once its first block is done; the left run needs
 * it for its last block of the next sweep.  So the runs work on sweeps that follow each other, and
 * a sweep costs a rank two steps.  The last run is twice as long, since it shortens first.
 * Reference: Lang 1993; Bischof, Lang and Sun 2000. */
#include "solve/tridiagonal/tridiagonal_band.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static char *at(const struct hy_stages *b, int64_t row, int64_t column) {
  return b->band + (column * b->steps + row - column) * (int64_t)b->k->size;
}

/* The first row of a block. */
static int64_t row_of(const struct hy_stages *b, int64_t sweep, int64_t block) {
  return sweep + 1 + block * b->width;
}
static bool exists(const struct hy_stages *b, int64_t sweep, int64_t block) {
  return row_of(b, sweep, block) < b->n;
}

/* -------------------------------------------------------------------- runs -- */

static int node_of(const struct hy_stages *b, int64_t number) {
  const hyla_cube *cube = b->cube;
  return cube->sides.count == 0 ? (int)hy_gray((uint32_t)number)
                                : (int)hy_member_address(cube, hy_all_dims(cube), (uint32_t)number);
}

int hy_stages_first(const struct hy_stages *b) { return node_of(b, 0); }

void hy_stages_place(struct hy_stages *b) {
  const hyla_cube *cube = b->cube;
  struct hy_stages_run *run = &b->run;
  const int64_t blocks = hy_ceil_div(b->n - 1, b->width);
  const int64_t runs = hy_max(1, hy_min(cube->nodes, blocks / 2 - 1));
  const int64_t share = blocks / (runs + 1);
  run->left = run->right = -1;
  if (cube->address < 0) return;
  const int64_t me = cube->sides.count == 0
                         ? (int64_t)hy_gray_inverse((uint32_t)cube->address)
                         : (int64_t)hy_member(cube, hy_all_dims(cube), cube->address);
  if (me >= runs) return;
  run->begin = me * share;
  run->end = me + 1 == runs ? blocks : run->begin + share;
  if (me > 0) run->left = node_of(b, me - 1);
  if (me + 1 < runs) run->right = node_of(b, me + 1);
}

/* ------------------------------------------------------------- reflections -- */

/* The length of some entries.  The sum of squares is made again, with a scale, if squares may have
 * been lost. */
static double length_of(const struct hy_kernels *k, int count, const char *x) {
  const double least = k->epsilon > 1e-10 ? 0x1p-90 : 0x1p-900;
  const double squares = hy_qr_squares(k, count, x);
  if (count == 0 || (squares >= least && squares <= 1 / least)) return sqrt(squares);
  const double scale = k->largest(count, 1, x, count);
  return scale == 0 || !isfinite(scale) ? scale
                                        : scale * sqrt(k->squares(count, 1, x, count, scale));
}

/* The reflection of a column's entries, whose first one becomes real, and the others 0.  v: the
 * vector, which begins with 1, and behind its b entries tau, with which it is unitary as v was
 * rounded.  Returns the first entry. */
static double reflect(const struct hy_stages *b, int count, char *x, char *v) {
  const struct hy_kernels *k = b->k;
  const size_t size = k->size;
  const double _Complex leading = k->get(x, 0);
  const double length = length_of(k, count - 1, x + size);
  hy_copy_entries(k, v, x, count);
  k->set(v, 0, 1);
  if (length == 0 && cimag(leading) == 0) {
    k->set(v, b->width, 0);
    return creal(leading);
  }
  const double beta = -copysign(hypot(cabs(leading), length), creal(leading));
  if (count > 1) {
    k->divide(count - 1, leading - beta, v + size, 1);
    memset(x + size, 0, (size_t)(count - 1) * size);
  }
  const double rest = hy_qr_squares(k, count - 1, v + size), square = 1 + rest;
  const double lost = rest - (square - 1);
  double _Complex turn = 1 - (beta - leading) / beta * square;
  turn /= cabs(turn);
  double _Complex tau = (1 - turn) / square;
  tau -= tau * (lost / square);
  k->set(v, b->width, tau);
  k->set(x, 0, beta);
  return beta;
}

static char *work(const struct hy_stages *b, int column) {
  return b->work + column * b->width * (int64_t)b->k->size;
}

/* C := C - A B^H, m x n, for two columns of A and of B. */
static void subtract(const struct hy_stages *b, int m, int n, const char *left, const char *right,
                     char *c) {
  const int ld = b->steps - 1;
  if (b->packed.products != NULL)
    b->packed.products->plain(HYLA_CONJUGATE, m, n, 2, left, b->width, right, b->width, c, ld);
  else
    b->k->gemm(HYLA_NONE, HYLA_CONJUGATE, m, n, 2, -1, left, b->width, right, b->width, 1, c, ld);
}

/* D := H^H D H = D - v w^H - w v^H, of order m; what its upper triangle has is not read. */
static void turn_both(const struct hy_stages *b, int m, const char *v, char *d) {
  const struct hy_kernels *k = b->k;
  const double _Complex tau = k->get(v, b->width);
  const double size = creal(tau) * creal(tau) + cimag(tau) * cimag(tau);
  char *first = work(b, 0), *w = work(b, 1), *last = work(b, 2), *dot = work(b, 3);
  memset(w, 0, 2 * (size_t)b->width * k->size);
  k->both(true, m, m, d, b->steps - 1, v, v, w, last);
  k->add(m, 1, last, m, w, m);
  memset(dot, 0, k->size);
  k->dots(m, 1, v, m, w, dot);
  k->combine(HYLA_NONE, m, 1, -size / 2 * creal(k->get(dot, 0)), v, m, tau, w, m);
  hy_copy_entries(k, first, v, m);
  hy_copy_entries(k, last, v, m);
  subtract(b, m, m, first, w, d);
}

/* B := H_k+1^H B H_k, m x n, with the next reflection from the first column of B H_k:
 *
 *   z := tau B v,   y := B^H v' - (z^H v') v,   B := B - z v^H - conj(tau') v' y^H
 */
static void turn_sides(const struct hy_stages *b, int m, int n, const char *v, char *next,
                       char *block) {
  const struct hy_kernels *k = b->k;
  const int64_t size = (int64_t)k->size;
  const double _Complex tau = k->get(v, b->width);
  char *z = work(b, 0), *other = work(b, 1), *right = work(b, 2), *y = work(b, 3),
       *dot = work(b, 4), *rest = block + (b->steps - 1) * size;
  memset(z, 0, (size_t)m * k->size);
  if (tau != 0) {
    k->gemv(HYLA_NONE, m, n, tau, block, b->steps - 1, v, z);
    k->combine(HYLA_NONE, m, 1, -1, z, m, 1, block, m);
  }
  reflect(b, m, block, next);
  if (n == 1) return;
  memset(y, 0, (size_t)n * k->size);
  memset(dot, 0, k->size);
  hy_copy_entries(k, right, v, n);
  k->dots(m, n - 1, rest, b->steps - 1, next, y + size);
  k->dots(m, 1, z, m, next, dot);
  k->combine(HYLA_NONE, n, 1, -k->get(dot, 0), v, n, 1, y, n);
  k->combine(HYLA_NONE, m, 1, conj(k->get(next, b->width)), next, m, 0, other, m);
  subtract(b, m, n - 1, z, right + size, rest);
}

/* A block of a sweep: uses v, and finds the next block's. */
static void turn_block(const struct hy_stages *b, int64_t sweep, int64_t block, const char *v,
                       char *next) {
  const int64_t first = row_of(b, sweep, block), behind = first + b->width;
  const int m = (int)hy_min(b->width, b->n - first), below = (int)hy_min(b->width, b->n - behind);
  if (b->k->get(v, b->width) != 0) turn_both(b, m, v, at(b, first, first));
  if (below > 0) turn_sides(b, below, m, v, next, at(b, behind, first));
}

/* Counts a sweep's operations, of this rank, and the entries that they go over: of D's triangle
 * once and of D twice, of B four times. */
static void count(const struct hy_stages *b, int64_t sweep) {
  enum { BOTH = 6, SIDE = 8 };
  const struct hy_stages_run *run = &b->run;
  const int64_t w = b->width, rows = b->n - row_of(b, sweep, run->begin);
  const int64_t here = hy_min(rows, (run->end - run->begin) * w); /* rows of these blocks */
  const int64_t under = hy_min(hy_max(0, rows - w), (run->end - run->begin) * w); /* below them */
  hy_compute(b->cube, (BOTH * here + SIDE * under) * w, b->k->size, b->k->complex_type);
  hy_count_read(b->cube, (5 * here / 2 + 4 * under) * w);
}

/* ---------------------------------------------------------------- messages -- */

static int64_t bytes_of(const struct hy_stages *b) { return (b->width + 1) * (int64_t)b->k->size; }

/* Starts two messages, or one of them, as one step; -1: to or from nobody. */
static hyla_status start(struct hy_stages *b, struct hy_message *messages, int to, char *out,
                         int from, char *in) {
  messages[0] = (struct hy_message){.verb = HY_SEND, .peer = to, .data = out, .bytes = bytes_of(b)};
  messages[1] =
      (struct hy_message){.verb = HY_RECV, .peer = from, .data = in, .bytes = bytes_of(b)};
  if (to < 0 && from < 0) return HYLA_OK;
  return hy_link_start(b->cube, messages + (to < 0 ? 1 : 0), to < 0 || from < 0 ? 1 : 2);
}

/* Waits for a message that flies. */
static hyla_status end(struct hy_stages *b, struct hy_message *message, bool *flies) {
  if (!*flies) return HYLA_OK;
  *flies = false;
  return hy_link_wait(b->cube, message, 1);
}

/* The first block is done: its first column goes to the left, and that of the sweep before comes
 * from the right. */
static hyla_status give(struct hy_stages *b, int64_t sweep) {
  struct hy_stages_run *run = &b->run;
  const bool takes = run->right >= 0 && sweep > 0 && exists(b, sweep - 1, run->end);
  const int64_t first = row_of(b, sweep, run->begin);
  if (run->left < 0 && !takes) return HYLA_OK;
  TRY(end(b, &run->back[0], &run->gives));
  if (run->left >= 0 && !b->k->dry) memcpy(run->given, at(b, first, first), (size_t)bytes_of(b));
  run->gives = run->left >= 0;
  run->takes = takes;
  return start(b, run->back, run->left, run->given, takes ? run->right : -1, run->taken);
}

static hyla_status take(struct hy_stages *b, int64_t sweep) {
  struct hy_stages_run *run = &b->run;
  const int64_t column = row_of(b, sweep - 1, run->end);
  if (!run->takes) return HYLA_OK;
  TRY(end(b, &run->back[1], &run->takes));
  if (!b->k->dry) memcpy(at(b, column, column), run->taken, (size_t)bytes_of(b));
  return HYLA_OK;
}

/* The sweep goes on to the right; the next one is to come from the left. */
static hyla_status pass(struct hy_stages *b, int64_t sweep, const char *v) {
  struct hy_stages_run *run = &b->run;
  const bool passes = run->right >= 0 && exists(b, sweep, run->end);
  run->expects = run->left >= 0 && exists(b, sweep + 1, run->begin);
  TRY(end(b, &run->onward[0], &run->passes));
  if (passes && !b->k->dry) memcpy(run->out, v, (size_t)bytes_of(b));
  run->passes = passes;
  return start(b, run->onward, passes ? run->right : -1, run->out, run->expects ? run->left : -1,
               run->in);
}

/* ------------------------------------------------------------------- chase -- */

/* The sweep's first reflection. */
static hyla_status begin(struct hy_stages *b, int64_t sweep, char *v) {
  struct hy_stages_run *run = &b->run;
  const struct hy_kernels *k = b->k;
  if (run->begin > 0) {
    TRY(end(b, &run->onward[1], &run->expects));
    if (!k->dry) memcpy(v, run->in, (size_t)bytes_of(b));
    return HYLA_OK;
  }
  if (k->dry) return HYLA_OK;
  b->result.d[sweep] = creal(k->get(at(b, sweep, sweep), 0));
  b->result.e[sweep] =
      reflect(b, (int)hy_min(b->width, b->n - sweep - 1), at(b, sweep + 1, sweep), v);
  return HYLA_OK;
}

static hyla_status chase_sweep(struct hy_stages *b, int64_t sweep) {
  const struct hy_stages_run *run = &b->run;
  char *v = b->vector[0], *next = b->vector[1];
  TRY(begin(b, sweep, v));
  count(b, sweep);
  for (int64_t block = run->begin; block < run->end && exists(b, sweep, block); block++) {
    if (block + 1 == run->end) TRY(take(b, sweep));
    if (!b->k->dry) turn_block(b, sweep, block, v, next);
    char *const used = v;
    v = next;
    next = used;
    if (block == run->begin) TRY(give(b, sweep));
  }
  return pass(b, sweep, v);
}

hyla_status hy_stages_chase(struct hy_stages *b) {
  enum { POLL = 16 };
  struct hy_stages_run *run = &b->run;
  if (run->end == 0) return HYLA_OK;
  run->gives = run->takes = run->passes = false;
  run->expects = run->left >= 0 && exists(b, 0, run->begin);
  if (run->expects) TRY(start(b, run->onward, -1, run->out, run->left, run->in));
  for (int64_t sweep = 0; exists(b, sweep, run->begin); sweep++) {
    TRY(chase_sweep(b, sweep));
    if (sweep % POLL == 0) TRY(hy_link_poll(b->cube));
  }
  if (run->begin == 0 && !b->k->dry)
    b->result.d[b->n - 1] = creal(b->k->get(at(b, b->n - 1, b->n - 1), 0));
  TRY(end(b, &run->back[0], &run->gives));
  return end(b, &run->onward[0], &run->passes);
}
