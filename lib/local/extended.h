/* Private to this room: sums of products in two words, in the instructions of a processor. */
#ifndef HY_EXTENDED_H
#define HY_EXTENDED_H 1

#include "local/local.h"

/* So many rows at a time. */
enum { HY_STRIP = 64 };

/* high + low += a x, HY_STRIP numbers each.  exact: by transformations that lose nothing of the
 * products and of the sums of `high'; rounded: in double, for products that are exact in it. */
typedef void hy_extended_step(const double *a, double x, double *high, double *low);
struct hy_extended {
  hy_extended_step *exact, *rounded;
};

/* fused: with multiplications and additions in one, 4 at a time; NULL where they are not to be
 * had. */
const struct hy_extended *hy_extended_of(bool fused);

#endif
