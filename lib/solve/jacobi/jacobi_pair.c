/* Rotations of two blocks' columns, by pieces of some columns of each.
 *
 * Of a piece of each block the columns are copied, each scaled by a power of two to a length of
 * about 1; their Gram matrix is found and rotated (local/gram.c); then the columns of X, and those
 * of V, are sorted and changed by a product with W, where I + W is what the rotations have made of
 * the identity.  All that is large is a product, and small rotations make small changes, so that
 * rounding adds up to little.
 *
 * Columns of X may differ by more than the square root of the range of numbers.  So W is found for
 * scaled columns: for X, whose columns are copied scaled, its column j is multiplied by 2^(e_j),
 * and for V, whose columns are all of one length, its entry (i, j) by 2^(e_j - e_i). */
#include "solve/jacobi/jacobi.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Rounds of rotations of a Gram matrix; a share of a length's square below which it is found anew;
 * operations beside the products for each entry of a Gram matrix and round. */
enum { TURNS = 2, ROTATION = 6 };
/* FINEST: the least cosine of an angle, in units of rounding, that is worth a rotation. */
static const double TRUSTED = 1e-10, FINEST = 4;

static char *column_of(const struct hy_jacobi *j, const struct hy_jacobi_block *block, int c) {
  return block->data + (int64_t)c * j->rows * (int64_t)j->k->size;
}

/* ------------------------------------------------------------------ columns -- */

/* A random sign. */
static double sign(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return (x >> 40 & 1) != 0 ? 1 : -1;
}

int hy_jacobi_tiny(const struct hy_kernels *k) { return k->epsilon > 1e-10 ? -90 : -980; }

/* Below 2^(tiny - LOST) numbers have not all their digits. */
enum { LOST = 20 };

/* A column that rotations have left without digits has no direction.  A tiny one in its place gets
 * one from the rotations, and its value counts as 0 in the end.  Random signs make it differ from
 * other columns.  Rows of zeros stay such. */
static void replace(const struct hy_jacobi *j, int64_t column, char *x) {
  const double tiny = ldexp(1, hy_jacobi_tiny(j->k));
  const uint64_t seed =
      ((uint64_t)column << 8 | (uint64_t)j->sweeps) * UINT64_C(0x9e3779b97f4a7c15);
  const int64_t rows = j->problem.live < j->n ? j->problem.live : j->m;
  for (int64_t i = 0; i < rows; i++) j->k->set(x, i, tiny * sign(seed + (uint64_t)i));
}

static void look_at(const struct hy_jacobi *j, struct hy_jacobi_block *block, int c) {
  char *x = column_of(j, block, c);
  double largest = j->k->largest((int)j->m, 1, x, (int)j->m);
  if (largest < ldexp(1, hy_jacobi_tiny(j->k) - LOST)) {
    replace(j, block->id * j->width + c, x);
    largest = ldexp(1, hy_jacobi_tiny(j->k));
  }
  const double squares = j->k->squares((int)j->m, 1, x, (int)j->m, largest);
  block->exponent[c] = ilogb(largest) + ilogb(squares) / 2;
}

void hy_jacobi_look(struct hy_jacobi *j, struct hy_jacobi_block *block) {
  hy_count_read(j->cube, 2 * j->m * block->columns);
  for (int c = 0; c < block->columns && !j->k->dry; c++) look_at(j, block, c);
}

/* ------------------------------------------------------------------- a pair -- */

/* Columns begin ... begin+count-1 of a block. */
struct piece {
  struct hy_jacobi_block *block;
  int begin, count;
};

/* A pair of pieces: their columns, as copied, each with its exponent, and sorted. */
struct pair {
  struct hy_jacobi *j;
  struct piece piece[2];
  int32_t before[2 * HY_JACOBI_PIECE], after[2 * HY_JACOBI_PIECE];
  int from[2 * HY_JACOBI_PIECE];
  struct hy_gram gram;
};

static int padded(int order) { return (order + 7) / 8 * 8; }

/* Column c of the pair, X's part or V's. */
static char *column_at(const struct pair *p, int c, bool of_v) {
  const struct hy_jacobi *j = p->j;
  const struct piece *piece = &p->piece[c >= p->piece[0].count];
  const int at = c >= p->piece[0].count ? c - p->piece[0].count : c;
  return column_of(j, piece->block, piece->begin + at) + (of_v ? j->m * (int64_t)j->k->size : 0);
}

/* Copies the columns, X's scaled. */
static void copy_columns(const struct pair *p, bool of_v) {
  const struct hy_jacobi *j = p->j;
  const int length = (int)(of_v ? j->n : j->m);
  for (int c = 0; c < p->gram.order; c++)
    j->k->copy(HYLA_NONE, length, 1, of_v ? 1 : ldexp(1, -p->after[c]), column_at(p, c, of_v),
               length, j->columns + (int64_t)c * length * (int64_t)j->k->size, length);
}

/* G in two parts, with both triangles. */
static void find_gram(struct pair *p) {
  struct hy_jacobi *j = p->j;
  const struct hy_kernels *k = j->k, *real = hy_kernels_of(HYLA_DOUBLE);
  const int order = p->gram.order, ld = p->gram.ld, parts = k->complex_type ? 2 : 1;
  memset(j->gram, 0, (size_t)order * (size_t)order * k->size);
  k->herk(HYLA_CONJUGATE, order, (int)j->m, 1, j->columns, (int)j->m, j->gram, order);
  for (int part = 0; part < parts; part++) {
    double *g = p->gram.g[part];
    memset(g, 0, (size_t)ld * (size_t)order * sizeof *g);
    hy_convert(part == 0 ? HY_REAL_PART : HY_IMAGINARY_PART, order, order, k, j->gram, order, real,
               g, ld);
    for (int c = 0; c < order; c++)
      for (int i = 0; i < c; i++) g[i + c * ld] = part == 0 ? g[c + i * ld] : -g[c + i * ld];
  }
}

/* E of V's columns, I + E unitary up to rounding, becomes E - (S + E S) / 2 with S = E + E^H + E^H
 * E, which is (I + E)^H (I + E) - I: so rounding of many rotations does not add up.  (X's E keeps
 * the sizes of its entries instead, which small columns need.) */
static void make_unitary(const struct pair *p, const struct hy_kernels *k, double *e) {
  const int order = p->gram.order;
  const int64_t entries = (int64_t)order * order * (k->complex_type ? 2 : 1);
  double *s = p->j->double_work, *next = s + entries;
  k->copy(HYLA_CONJUGATE, order, order, 1, e, order, s, order);
  k->add(order, order, e, order, s, order);
  k->gemm(HYLA_CONJUGATE, HYLA_NONE, order, order, order, 1, e, order, e, order, 1, s, order);
  memcpy(next, e, (size_t)entries * sizeof *e);
  k->combine(HYLA_NONE, order, order, -.5, s, order, 1, next, order);
  k->gemm(HYLA_NONE, HYLA_NONE, order, order, order, -.5, e, order, s, order, 1, next, order);
  memcpy(e, next, (size_t)entries * sizeof *e);
}

/* What is added to each sorted column of X or of V: the factor for the columns as they were copied,
 * of their type. */
static void find_factor(const struct pair *p, bool of_v) {
  const struct hy_jacobi *j = p->j;
  const int order = p->gram.order, ld = p->gram.ld, parts = j->k->complex_type ? 2 : 1;
  const struct hy_kernels *k = hy_kernels_of(parts == 2 ? HYLA_DOUBLE_COMPLEX : HYLA_DOUBLE);
  double *e = j->double_factor, *to = j->double_work;
  for (int c = 0; c < order; c++)
    for (int i = 0; i < order; i++)
      for (int part = 0; part < parts; part++) {
        const double w = p->gram.w[part][i + c * ld];
        const int exponent = p->after[c] - (of_v ? p->after[i] : 0);
        /* Zeros stay zeros where the power overflows. */
        e[(i + c * order) * parts + part] = w == 0 ? 0 : ldexp(w, exponent);
      }
  if (of_v) make_unitary(p, k, e);
  for (int c = 0; c < order; c++)
    for (int i = 0; i < order; i++)
      memcpy(to + (p->from[i] + c * order) * parts, e + (i + c * order) * parts, k->size);
  hy_convert(HY_BOTH_PARTS, order, order, k, to, order, j->k, j->factor, order);
}

/* The columns in their new order, where that has changed. */
static void put_in_order(const struct pair *p, bool of_v) {
  const struct hy_jacobi *j = p->j;
  const int length = (int)(of_v ? j->n : j->m);
  for (int c = 0; c < p->gram.order; c++)
    if (p->from[c] != c)
      j->k->copy(HYLA_NONE, length, 1, of_v ? 1 : ldexp(1, p->after[c]),
                 j->columns + (int64_t)p->from[c] * length * (int64_t)j->k->size, length,
                 column_at(p, c, of_v), length);
}

static bool is_sorted(const struct pair *p) {
  for (int c = 0; c < p->gram.order; c++)
    if (p->from[c] != c) return false;
  return true;
}

/* Has a column gone from one piece to the other? */
static bool is_split(const struct pair *p) {
  const int first = p->piece[0].count;
  for (int c = 0; c < p->gram.order; c++)
    if ((p->from[c] < first) != (c < first)) return true;
  return false;
}

/* The columns in their new order, rotated. */
static void multiply(const struct pair *p, bool of_v, bool rotated) {
  const struct hy_jacobi *j = p->j;
  const struct hy_kernels *k = j->k;
  const int order = p->gram.order, length = (int)(of_v ? j->n : j->m);
  put_in_order(p, of_v);
  if (!rotated) return;
  find_factor(p, of_v);
  for (int x = 0, c = 0; x < 2; c += p->piece[x++].count)
    if (p->piece[x].count > 0)
      k->gemm(HYLA_NONE, HYLA_NONE, length, p->piece[x].count, order, 1, j->columns, length,
              j->factor + (int64_t)c * order * (int64_t)k->size, order, 1, column_at(p, c, of_v),
              (int)j->rows);
}

/* The columns' exponents after the rotations. */
static void set_exponents(const struct pair *p) {
  for (int c = 0; c < p->gram.order; c++) {
    const struct piece *piece = &p->piece[c >= p->piece[0].count];
    const int at = piece->begin + (c >= p->piece[0].count ? c - p->piece[0].count : c);
    const double square = p->gram.g[0][c + c * p->gram.ld];
    const int exponent = square > 0 ? p->after[c] + ilogb(square) / 2 : INT_MIN;
    if (exponent > hy_jacobi_tiny(p->j->k) - LOST)
      piece->block->exponent[at] = exponent;
    else
      look_at(p->j, piece->block, at);
  }
}

static void count(struct hy_jacobi *j, int64_t order) {
  const bool complex = j->k->complex_type;
  hy_compute(j->cube, j->m * order * order + 2 * j->rows * order * order, j->k->size, complex);
  hy_compute(j->cube, TURNS * ROTATION * order * order * order, sizeof(double), complex);
  hy_count_copied(j->cube, j->rows * order);
}

static void meet(struct hy_jacobi *j, struct piece one, struct piece other) {
  struct pair p = {.j = j, .piece = {one, other}};
  const int order = one.count + other.count;
  const bool complex = j->k->complex_type;
  struct hy_gram_found found = {0};
  if (order < 2) return;
  count(j, order);
  if (j->k->dry) return;
  p.gram = (struct hy_gram){.order = order,
                            .ld = padded(order),
                            .g = {j->double_gram[0], complex ? j->double_gram[1] : NULL},
                            .w = {j->double_gram[2], complex ? j->double_gram[3] : NULL},
                            .from = p.from,
                            .exponent = p.after,
                            .before = p.before,
                            .trusted = TRUSTED};
  for (int i = 0; i < order; i++)
    p.after[i] = i < one.count ? one.block->exponent[one.begin + i]
                               : other.block->exponent[other.begin + i - one.count];
  copy_columns(&p, false);
  find_gram(&p);
  hy_gram_rotate(&p.gram, FINEST * j->k->epsilon, TURNS, &found);
  j->at.cosine = fmax(j->at.cosine, found.cosine);
  j->at.tangent = fmax(j->at.tangent, found.tangent);
  if (is_split(&p)) j->at.moved = 1;
  if (found.rotations == 0 && is_sorted(&p)) return;
  multiply(&p, false, found.rotations > 0);
  if (j->problem.v_wanted) {
    copy_columns(&p, true);
    multiply(&p, true, found.rotations > 0);
  }
  set_exponents(&p);
}

/* -------------------------------------------------------------------- blocks -- */

/* Piece i of a block, in pieces of almost equal width. */
static struct piece piece_of(struct hy_jacobi_block *block, int pieces, int i) {
  const int64_t columns = block->columns;
  const int begin = (int)(columns * i / pieces), end = (int)(columns * (i + 1) / pieces);
  return (struct piece){block, begin, end - begin};
}

static int pieces_of(const struct hy_jacobi_block *block) {
  return (int)hy_ceil_div(block->columns, HY_JACOBI_PIECE);
}

static void meet_within(struct hy_jacobi *j, struct hy_jacobi_block *block) {
  const int pieces = pieces_of(block);
  for (int a = 0; a < pieces; a++)
    for (int b = a + 1; b < pieces; b++)
      meet(j, piece_of(block, pieces, a), piece_of(block, pieces, b));
}

/* The block with the lower number gets the longer columns. */
void hy_jacobi_meet(struct hy_jacobi *j, bool within) {
  const bool ordered = j->block[0].id < j->block[1].id;
  struct hy_jacobi_block *one = &j->block[ordered ? 0 : 1], *other = &j->block[ordered ? 1 : 0];
  const int pieces[2] = {pieces_of(one), pieces_of(other)};
  if (within) {
    meet_within(j, one);
    meet_within(j, other);
  }
  if (other->columns == 0 && within && pieces[0] == 1)
    meet(j, piece_of(one, 1, 0), (struct piece){other, 0, 0});
  for (int a = 0; a < pieces[0]; a++)
    for (int b = 0; b < pieces[1]; b++)
      meet(j, piece_of(one, pieces[0], a), piece_of(other, pieces[1], b));
}
