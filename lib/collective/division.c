/* Into how many groups and parts a message is cut. */
#include "collective/variant.h"

#include <math.h>

/* The continuous optimum is sqrt(rest tau / beta); one of its neighbours is best. */
int hy_best_groups(double rest_tau, double beta) {
  if (!(rest_tau > 0) || !(beta > 0)) return 1; /* also where there is no rest: 0 / 0 */
  double root = floor(sqrt(rest_tau / beta));
  if (root < 1) return 1;
  if (root >= HY_GROUPS_MAX) return HY_GROUPS_MAX;
  bool next = (root + 1) * beta + rest_tau / (root + 1) < root * beta + rest_tau / root;
  return (int)root + next;
}

uint32_t hy_common_multiple(int d) {
  uint32_t multiple = 1;
  for (uint32_t i = 2; i <= (uint32_t)d; i++) {
    uint32_t a = multiple;
    uint32_t b = i;
    while (b != 0) {
      uint32_t rest = a % b;
      a = b;
      b = rest;
    }
    multiple = multiple / a * i;
  }
  return multiple;
}
