/* How numbers of one type are combined.  Included by combine.c, with these macros set:
 *   FOR(name)  the name of a function for this type
 *   NUMBER     the type in which it is added and multiplied: of integers the unsigned one, whose
 *              overflow is defined
 *   REAL       the type in which it is compared; not defined for complex numbers */

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
/* Where neither is the larger one there is a NaN, and so is their sum. */
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
