/* ScaLAPACK 2.2's estimate of a norm for real types, p?lacon, which its refinements (p?gerfs,
 * p?porfs) call step by step: it begins each step with the estimate of the caller's variable, and
 * writes that variable in the last step only.  What stands there differs from process to process,
 * and so may the way that they take: they wait for each other for ever (ScaLAPACK's issue 121).
 * What the stack holds depends on who solved before, so the drop-in gives the variable its value:
 * the sum of the magnitudes that the step before was given.  Libraries that keep the estimate
 * themselves do the same with it. */
#include "dropin.h"

typedef void estimate_step(int *n, void *v, int *iv, int *jv, int *desc_v, void *x, int *ix,
                           int *jx, int *desc_x, int *signs, void *estimate, int *kase);
typedef void sum_magnitudes(int *n, void *sum, void *x, int *ix, int *jx, int *desc_x, int *inc);

/* Collective over the process column that has x, as p?lacon is.  kase, as it comes in: 0 begins; 1:
 * x is A x, whose sum is the estimate. */
#define ESTIMATE(letter, type)                                                                     \
  HYLA_API void p##letter##lacon_(int *n, type *v, int *iv, int *jv, int *desc_v, type *x,         \
                                  int *ix, int *jx, int *desc_x, int *signs, type *estimate,       \
                                  int *kase) {                                                     \
    int one = 1, came = *kase;                                                                     \
    type sum = 0;                                                                                  \
    if (came == 0) *estimate = 0;                                                                  \
    if (came == 1)                                                                                 \
      ((sum_magnitudes *)dropin_find("p" #letter "asum_"))(n, &sum, x, ix, jx, desc_x, &one);      \
    ((estimate_step *)dropin_find("p" #letter "lacon_"))(n, v, iv, jv, desc_v, x, ix, jx, desc_x,  \
                                                         signs, estimate, kase);                   \
    if (came == 1 && *kase != 0) *estimate = sum;                                                  \
  }
ESTIMATE(s, float)
ESTIMATE(d, double)
