/* What the files on sending between two nodes share.  Private to this room. */
#ifndef HY_SEND_H
#define HY_SEND_H 1

#include "collective/variant.h"

/* The one node that sends, where it is known that there is one; the target XOR it;
 * NULL, or that there is no such node. */
uint32_t hy_send_root(const struct hy_collective *collective);
uint32_t hy_send_target(const struct hy_collective *collective);
const char *hy_send_applies(const void *problem);

/* K_n = sum over k <= n of 1 / C(n, k). */
struct hy_ratio hy_inverse_sum(int n);

/* O.C. SEND 3 from 0 to 2^n - 1: its generator, in hy_common_multiple(n) parts; the
 * tables alone (tables 0 to 2 of the recipe), which do for hy_make_fan with
 * generators of all dims up to n, in as many parts. */
hyla_status hy_make_fan(const struct hy_generator *generator, uint32_t node,
                        struct hy_schedule *out);
hyla_status hy_fan_lists(struct hy_recipe *recipe, int n);
hyla_status hy_push_fan(struct hy_recipe *recipe, int n);

/* The groups that are asked for, or the best for O.C. SEND 3 over n dimensions, of whose first
 * packets each has one of `shares` equal shares of a group, and for what comes before it; the same
 * for O.C. SEND 4 of n of those shares; its time for all of the message, on n dimensions. */
int hy_fan_groups(const struct hy_collective *collective, int n, int64_t shares,
                  struct hy_stage first);
int hy_corner_groups(const struct hy_collective *collective, int n, int shares);
struct hy_form hy_corner_form(int n, int64_t g);

#endif
