/* Small triangular systems of one type, in the instructions of a processor.  triangle.c includes
 * this file through fused.h, which sets the macros.
 *
 * Right-hand sides go in strips as wide as two vectors.  A strip of B is copied, solved column by
 * column, and copied back.  Behind each column x of a complex strip stands i x, so that
 * x t = x re(t) + (i x) im(t) needs operations on whole vectors only. */

enum {
  NAME(SIDES) = 2 * NAME(LANES) / PARTS, /* right-hand sides in a strip */
  NAME(LD) = NAME(SIDES) * PARTS         /* entries from one column to the next */
};

/* Entry (0, 0) of M and of a strip, and the distances to other entries, in REALs. */
struct NAME(walk) {
  const REAL *t;
  int64_t down, across;
  REAL *x;
  int64_t column;
};

static TARGET inline void NAME(load)(VECTOR to[2], const REAL *x) {
  to[0] = V(loadu)(x);
  to[1] = V(loadu)(x + NAME(LANES));
}

static TARGET inline void NAME(store)(REAL *x, const VECTOR from[2]) {
  V(storeu)(x, from[0]);
  V(storeu)(x + NAME(LANES), from[1]);
}

/* sum := sum - x t for a solved column x and an entry t of M. */
static TARGET inline void NAME(subtract)(VECTOR sum[2], const REAL *x, const REAL *t) {
  VECTOR part[2], factor = V(set1)(t[0]);
  NAME(load)(part, x);
  for (int v = 0; v < 2; v++) sum[v] = V(fnmadd)(part[v], factor, sum[v]);
#if COMPLEX_TYPE
  factor = V(set1)(t[1]);
  NAME(load)(part, x + 2 * NAME(LANES));
  for (int v = 0; v < 2; v++) sum[v] = V(fnmadd)(part[v], factor, sum[v]);
#endif
}

#if COMPLEX_TYPE
/* i a, for pairs of lanes. */
static TARGET inline VECTOR NAME(times_i)(VECTOR a) {
  return V(fmaddsub)(V(setzero)(), V(setzero)(), SWAP(a));
}
#endif

/* x := sum times the reciprocal, which solves for a column. */
static TARGET inline void NAME(finish)(const VECTOR sum[2], const REAL *reciprocal, REAL *x) {
  VECTOR solved[2];
  for (int v = 0; v < 2; v++) solved[v] = V(mul)(sum[v], V(set1)(reciprocal[0]));
#if COMPLEX_TYPE
  VECTOR times_i[2];
  for (int v = 0; v < 2; v++) {
    solved[v] = V(fmadd)(NAME(times_i)(sum[v]), V(set1)(reciprocal[1]), solved[v]);
    times_i[v] = NAME(times_i)(solved[v]);
  }
  NAME(store)(x + 2 * NAME(LANES), times_i);
#endif
  NAME(store)(x, solved);
}

/* Solves for `count' columns from column `from' on; the registers hold 4 columns. */
static TARGET inline __attribute__((always_inline)) void
NAME(solve_columns)(const struct NAME(walk) * w, const ENTRY *reciprocals, int from,
                    const int count) {
  VECTOR sum[4][2];
  const REAL *t = w->t + from * w->across;
  REAL *x = w->x + from * w->column;
#pragma GCC unroll 4
  for (int c = 0; c < count; c++) NAME(load)(sum[c], x + c * w->column);
  for (int l = 0; l < from; l++)
#pragma GCC unroll 4
    for (int c = 0; c < count; c++)
      NAME(subtract)(sum[c], w->x + l * w->column, t + l * w->down + c * w->across);
  t += from * w->down;
#pragma GCC unroll 4
  for (int c = 0; c < count; c++) {
    NAME(finish)(sum[c], (const REAL *)(reciprocals + from + c), x + c * w->column);
#pragma GCC unroll 4
    for (int d = c + 1; d < count; d++)
      NAME(subtract)(sum[d], x + c * w->column, t + c * w->down + d * w->across);
  }
}

static TARGET void NAME(solve_strip)(const struct hy_triangle *m, const ENTRY *reciprocals,
                                     ENTRY *strip) {
  struct NAME(walk) w = {.t = m->t,
                         .down = m->down * PARTS,
                         .across = m->across * PARTS,
                         .x = (REAL *)strip,
                         .column = NAME(LD) * PARTS};
  int j = 0;
  if (m->backward) {
    w.x += (m->order - 1) * w.column;
    w.column = -w.column;
  }
  for (; j + 4 <= m->order; j += 4) NAME(solve_columns)(&w, reciprocals, j, 4);
  for (; j < m->order; j++) NAME(solve_columns)(&w, reciprocals, j, 1);
}

/* Copies right-hand sides that stand in columns, as in the strip, times alpha, into the strip or
 * back. */
static TARGET void NAME(copy)(const struct hy_triangle *m, double _Complex alpha, int count,
                              const ENTRY *from, int64_t ld_from, ENTRY *to, int64_t ld_to) {
  const ENTRY factor = (ENTRY)alpha;
  for (int j = 0; j < m->order; j++, from += ld_from, to += ld_to) {
    if (factor == 1 && count == NAME(SIDES)) {
      VECTOR both[2];
      NAME(load)(both, (const REAL *)from);
#if COMPLEX_TYPE
      for (int v = 0; v < 2 && m->conjugate; v++)
        both[v] = V(fmsubadd)(V(setzero)(), V(setzero)(), both[v]);
#endif
      NAME(store)((REAL *)to, both);
      continue;
    }
    for (int i = 0; i < count; i++) {
#if COMPLEX_TYPE
      to[i] = (m->conjugate ? (ENTRY)conj(from[i]) : from[i]) * factor;
#else
      to[i] = from[i] * factor;
#endif
    }
  }
}

/* The same for right-hand sides that stand in rows. */
static void NAME(turn)(const struct hy_triangle *m, int rows, int cols, double _Complex alpha,
                       const ENTRY *from, int ld_from, ENTRY *to, int ld_to) {
  hyla_operation op = m->conjugate ? HYLA_CONJUGATE : HYLA_TRANSPOSE;
  hy_copies_best()->turn[TYPE](op, rows, cols, alpha, from, ld_from, to, ld_to, false, NULL);
}

/* Reciprocals of the diagonal of M; ones if the diagonal is not read. */
static bool NAME(reciprocals)(const struct hy_triangle *m, ENTRY *reciprocals) {
  const ENTRY *t = m->t;
  for (int j = 0; j < m->order; j++) {
    ENTRY entry = m->unit ? 1 : 1 / t[j * (m->down + m->across)];
    REAL re = (REAL)creal(entry), im = (REAL)cimag(entry);
    if (!isfinite(re) || !isfinite(im) || (!isnormal(re) && !isnormal(im))) return false;
    reciprocals[j] = entry;
  }
  return true;
}

static bool NAME(solve)(const struct hy_triangle *m) {
  _Alignas(HY_LINE) ENTRY strip[HY_TRIANGLE_MOST * NAME(LD)];
  ENTRY reciprocals[HY_TRIANGLE_MOST];
  if (!NAME(reciprocals)(m, reciprocals)) return false;
  for (int side = 0; side < m->nrhs; side += NAME(SIDES)) {
    int count = m->nrhs - side < NAME(SIDES) ? m->nrhs - side : NAME(SIDES);
    ENTRY *b = (ENTRY *)m->b + (int64_t)side * (m->transposed ? m->ld : 1);
    /* Unused lanes hold zeros, since numbers below the normal ones would slow the arithmetic
     * down. */
    if (count < NAME(SIDES)) memset(strip, 0, (size_t)m->order * NAME(LD) * sizeof *strip);
    if (m->transposed) {
      NAME(turn)(m, count, m->order, m->alpha, b, m->ld, strip, NAME(LD));
      NAME(solve_strip)(m, reciprocals, strip);
      NAME(turn)(m, m->order, count, 1, strip, NAME(LD), b, m->ld);
    } else {
      NAME(copy)(m, m->alpha, count, b, m->ld, strip, NAME(LD));
      NAME(solve_strip)(m, reciprocals, strip);
      NAME(copy)(m, 1, count, strip, NAME(LD), b, m->ld);
    }
  }
  return true;
}
