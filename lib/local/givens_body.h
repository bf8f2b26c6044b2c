/* Givens rotations of one type; part of kernels_body.h, with its macros. */

/* y / x, limited to 1 / epsilon^2.  Beyond that limit x makes no difference after rounding. */
static ENTRY NAME(ratio)(ENTRY x, ENTRY y) {
  const double least = MAGNITUDE(y) * EPSILON * EPSILON;
  if (y == 0) return 0;
  return x == 0 || MAGNITUDE(x) < least ? (ENTRY)(1 / (EPSILON * EPSILON)) : QUOTIENT(y, x);
}

struct NAME(rotation) {
  REAL c;
  ENTRY s;
};

/* c = 1 / sqrt(1 + |v|^2), s = c conj(v), computed from v or 1 / v so that nothing overflows. */
static struct NAME(rotation) NAME(rotation_of)(ENTRY v) {
  const double size = MAGNITUDE(v);
  if (size <= 1) {
    const double c = 1 / sqrt(1 + size * size);
    return (struct NAME(rotation)){(REAL)c, (REAL)c * CONJUGATE(v)};
  }
  const ENTRY inverse = QUOTIENT((ENTRY)1, v);
  const double part = MAGNITUDE(inverse), s = 1 / sqrt(1 + part * part);
  return (struct NAME(rotation)){(REAL)(part * s), inverse * (REAL)(s / part)};
}

static void NAME(annihilate)(int n, void *x, void *y) {
  ENTRY *pivot = x, *entry = y;
  for (int i = 0; i < n; i++) {
    const ENTRY v = NAME(ratio)(*pivot, entry[i]);
    const struct NAME(rotation) r = NAME(rotation_of)(v);
    *pivot = r.c * *pivot + r.s * entry[i];
    entry[i] = v;
  }
}

static void NAME(rotate)(int n, const void *v, void *x, void *y) {
  const ENTRY *ratios = v;
  ENTRY *above = x, *entry = y;
  for (int i = 0; i < n; i++) {
    const struct NAME(rotation) r = NAME(rotation_of)(ratios[i]);
    const ENTRY before = *above;
    *above = r.c * before + r.s * entry[i];
    entry[i] = r.c * entry[i] - CONJUGATE(r.s) * before;
  }
}

static void NAME(rotate_back)(int n, const void *v, void *x, void *y) {
  const ENTRY *ratios = v;
  ENTRY *above = x, *entry = y;
  for (int i = n - 1; i >= 0; i--) {
    const struct NAME(rotation) r = NAME(rotation_of)(ratios[i]);
    const ENTRY before = *above;
    *above = r.c * before - r.s * entry[i];
    entry[i] = r.c * entry[i] + CONJUGATE(r.s) * before;
  }
}
