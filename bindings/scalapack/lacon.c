/* ScaLAPACK 2.2's estimate of a norm for real types, p?lacon, which its refinements (p?gerfs,
 * p?porfs) call step by step.  It begins each step with the estimate in the caller's variable, but
 * writes that variable only in the last step.  So the variable's value differs from process to
 * process, the processes may go different ways, and wait for each other for ever (ScaLAPACK's issue
 * 121).  The value depends on what the stack held, hence on who solved before.  So the drop-in sets
 * the variable: to the sum of the magnitudes given to the step before.  Libraries that keep the
 * estimate themselves do the same. */
#include "dropin.h"

typedef void estimate_step(int *n, void *v, int *iv, int *jv, int *desc_v, void *x, int *ix,
                           int *jx, int *desc_x, int *signs, void *estimate, int *kase);
typedef void sum_magnitudes(int *n, void *sum, void *x, int *ix, int *jx, int *desc_x, int *inc);

/* The function behind the drop-in, looked up once: a condition takes several steps. */
static dropin_function *find(dropin_function **known, const char *name) {
  if (*known == NULL) *known = dropin_find(name);
  return *known;
}

/* Collective over the process column that has x, like p?lacon.  kase at entry: 0 begins; 1: x is A
 * x, whose sum is the estimate. */
#define ESTIMATE(letter, type)                                                                     \
  HYLA_API void p##letter##lacon_(int *n, type *v, int *iv, int *jv, int *desc_v, type *x,         \
                                  int *ix, int *jx, int *desc_x, int *signs, type *estimate,       \
                                  int *kase) {                                                     \
    static dropin_function *asum, *lacon;                                                          \
    int one = 1, came = *kase;                                                                     \
    type sum = 0;                                                                                  \
    if (came == 0) *estimate = 0;                                                                  \
    if (came == 1)                                                                                 \
      ((sum_magnitudes *)find(&asum, "p" #letter "asum_"))(n, &sum, x, ix, jx, desc_x, &one);      \
    ((estimate_step *)find(&lacon, "p" #letter "lacon_"))(n, v, iv, jv, desc_v, x, ix, jx, desc_x, \
                                                          signs, estimate, kase);                  \
    if (came == 1 && *kase != 0) *estimate = sum;                                                  \
  }
ESTIMATE(s, float)
ESTIMATE(d, double)
