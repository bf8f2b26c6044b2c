/* Combinations of numbers of one type.  combine.c includes this file with these macros set:
 *   FOR(name)  the name of a function for this type
 *   NUMBER     the type for sums and products: for integers the unsigned one, whose overflow is
 *              defined
 *   REAL       the type for comparisons; not defined for complex numbers */

static void FOR(sum)(void *into, const void *from, int64_t count, const void *arg) {
  NUMBER *a = into;
  const NUMBER *b = from;
  (void)arg;
  for (int64_t i = 0; i < count; i++) a[i] += b[i];
}

static void FOR(product)(void *into, const void *from, int64_t count, const void *arg) {
  NUMBER *a = into;
  const NUMBER *b = from;
  (void)arg;
  for (int64_t i = 0; i < count; i++) a[i] *= b[i];
}

#ifdef REAL
/* If neither number is the larger one, one of them is a NaN, and so is their sum. */
static void FOR(max)(void *into, const void *from, int64_t count, const void *arg) {
  REAL *a = into;
  const REAL *b = from;
  (void)arg;
  for (int64_t i = 0; i < count; i++) a[i] = a[i] >= b[i] ? a[i] : a[i] < b[i] ? b[i] : a[i] + b[i];
}

static void FOR(min)(void *into, const void *from, int64_t count, const void *arg) {
  REAL *a = into;
  const REAL *b = from;
  (void)arg;
  for (int64_t i = 0; i < count; i++) a[i] = a[i] <= b[i] ? a[i] : a[i] > b[i] ? b[i] : a[i] + b[i];
}
#undef REAL
#endif

#undef FOR
#undef NUMBER
