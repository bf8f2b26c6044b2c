/* Private to this room: sums of products in two words, in the instructions of a processor. */
#ifndef HY_EXTENDED_H
#define HY_EXTENDED_H 1

#include "local/local.h"

/* Rows that are summed together. */
enum { HY_STRIP = 64 };

/* high + low += a x, HY_STRIP numbers each.
 * exact    loses nothing of the products and of the sums in `high'
 * rounded  computes in double, for products that are exact in it */
typedef void hy_extended_step(const double *a, double x, double *high, double *low);
struct hy_extended {
  hy_extended_step *exact, *rounded;
};

/* fused: with fused multiply-add, 4 numbers at a time; NULL if this processor lacks it. */
const struct hy_extended *hy_extended_of(bool fused);

#endif
