/* Private to this room: the common part of the files on sending between two nodes. */
#ifndef HY_SEND_H
#define HY_SEND_H 1

#include "collective/variant.h"

/* root: the one node that sends, once applies has found it.  target: the target XOR that node.
 * applies: NULL, or the reason that there is no such node. */
uint32_t hy_send_root(const struct hy_collective *collective);
uint32_t hy_send_target(const struct hy_collective *collective);
const char *hy_send_applies(const void *problem);

/* K_n = sum over k <= n of 1 / C(n, k). */
struct hy_ratio hy_inverse_sum(int n);

/* O.C. SEND 3 from 0 to 2^n - 1.  push: its generator, in hy_common_multiple(n) parts.  lists: the
 * tables alone (tables 0 to 2 of the recipe); they serve hy_make_fan with generators of all dims up
 * to n, in as many parts. */
hyla_status hy_make_fan(const struct hy_generator *generator, uint32_t node,
                        struct hy_schedule *out);
hyla_status hy_fan_lists(struct hy_recipe *recipe, int n);
hyla_status hy_push_fan(struct hy_recipe *recipe, int n);

/* fan_groups: the groups that are asked for, or the best number for O.C. SEND 3 over n dimensions
 * after the stage `first'; each of its first packets has one of `shares' equal shares of a group.
 * corner_groups: the same for O.C. SEND 4 with n of these shares.  corner_form: its form for the
 * whole message on n dimensions. */
int hy_fan_groups(const struct hy_collective *collective, int n, int64_t shares,
                  struct hy_stage first);
int hy_corner_groups(const struct hy_collective *collective, int n, int shares);
struct hy_form hy_corner_form(int n, int64_t g);

#endif
