/* The moves of one type under Fortran's names, and under C's, where numbers are not addresses.
 * entries.c includes this once per type, with LETTER and TYPE set as for entries_body.h, and i for
 * integers. */

#define NAME_OF(letter, name) p##letter##name##_
#define NAME_WITH(letter, name) NAME_OF(letter, name)
#define NAME(name) NAME_WITH(LETTER, name)
#define C_NAME_OF(letter, name) Cp##letter##name
#define C_NAME_WITH(letter, name) C_NAME_OF(letter, name)
#define C_NAME(name) C_NAME_WITH(LETTER, name)

HYLA_API void NAME(gemr2d)(int *m, int *n, void *a, int *ia, int *ja, int *desc_a, void *b, int *ib,
                           int *jb, int *desc_b, int *context) {
  dropin_call(DROPIN_gemr2d, TYPE, (void *[]){m, n, a, ia, ja, desc_a, b, ib, jb, desc_b, context});
}

HYLA_API void NAME(trmr2d)(char *triangle, char *diagonal, int *m, int *n, void *a, int *ia,
                           int *ja, int *desc_a, void *b, int *ib, int *jb, int *desc_b,
                           int *context) {
  dropin_call(DROPIN_trmr2d, TYPE,
              (void *[]){triangle, diagonal, m, n, a, ia, ja, desc_a, b, ib, jb, desc_b, context});
}

HYLA_API void C_NAME(gemr2d)(int m, int n, void *a, int ia, int ja, int *desc_a, void *b, int ib,
                             int jb, int *desc_b, int context) {
  dropin_call_from_c(DROPIN_gemr2d, TYPE,
                     (void *[]){&m, &n, a, &ia, &ja, desc_a, b, &ib, &jb, desc_b, &context});
}

HYLA_API void C_NAME(trmr2d)(char *triangle, char *diagonal, int m, int n, void *a, int ia, int ja,
                             int *desc_a, void *b, int ib, int jb, int *desc_b, int context) {
  dropin_call_from_c(
      DROPIN_trmr2d, TYPE,
      (void *[]){triangle, diagonal, &m, &n, a, &ia, &ja, desc_a, b, &ib, &jb, desc_b, &context});
}

#undef NAME_OF
#undef NAME_WITH
#undef NAME
#undef C_NAME_OF
#undef C_NAME_WITH
#undef C_NAME
