/* Private to lib/gemm: the panels of a spread operand, passed on along trees.
 *
 * A, B, C lie in consecutive blocks on a 2^r x 2^c array.  k is cut into
 * K = max(2^r, 2^c) panels, in whole numbers in A's blocks and in B's.  Every panel
 * of A goes to all nodes of its row of the array, every panel of B to all of its
 * column: along the binomial tree from a root that the variant chooses, or another
 * tree of shortest paths, over one link a step.  If the root is not the owner the panel moves there
 * first, one place of the axis a step; or, in binary code, by exchanges over the dimension in which
 * a Gray code changes, all panels at a time.
 *
 * A panel is cut into P packets, which follow one another; node (i, j) has packet p of panel m of
 * both factors (the m-th that comes, with exchanges panel G(m), G the Gray code) at time
 *     m (P + gap) + p + |root of A's panel ^ j| + |root of B's panel ^ i|
 * where |x ^ y| counts the bits in which the codes of two parts differ: A's panel
 * leaves its root in row i of the array later by the distance of that row from the
 * root of B's, and the other way round.  So both meet everywhere without waiting.
 * What came in one step is passed on in the next; a panel is multiplied when all of it has come,
 * and then given up.  P is 1 but on machines whose nodes are joined by the links of a cube, all
 * used at once, where packets take less time.
 *
 * Steps: those in which the node sends or receives, of K (P + gap) - gap - 1 + r + c.
 * Words: a node passes a panel on to at most r or c others.
 * Memory: a copy of the node's blocks, without gaps; of each factor, for what comes
 *   at one time, two panels (more where several do).
 * Of a triangular factor the rows (of B: the columns) of a panel that have entries in the
 *   triangle travel, none of a panel beyond the diagonal.
 * In place: where the nodes can read one another's blocks nothing travels.  All lend
 *   their blocks once, in one step, and panels are read in the order of their times.
 */
#ifndef HY_GEMM_TREE_PIPELINE_H
#define HY_GEMM_TREE_PIPELINE_H 1

#include "gemm/spread.h"

struct hy_tree_pipeline_way {
  int (*root)(int owner); /* the part of the axis where the tree begins, <= owner */
  bool exchanges;         /* the root is part 0 and the code binary: see tree_pipeline_table.c */
  int gap;                /* steps that are left free from a panel to the next */
  bool apart; /* what comes to a node at one time comes over links of its own, if it can */
};

/* Local.  What an operand is for: trees, for so many panels of k in all.  The way outlives it.
 * cut: how both factors are, into as many packets as take the least time. */
hyla_status hy_spread_on_trees(struct hy_spread *spread, const struct hy_tree_pipeline_way *way,
                               int panels);
void hy_spread_cut_panels(struct hy_spread *a, struct hy_spread *b);
int hy_spread_tree_packets(const struct hy_spread *spread);
/* Local.  This node's timetable, such that the panels meet those of the other factor, which is
 * on its trees too. */
hyla_status hy_spread_timetable(struct hy_spread *spread, const struct hy_spread *other);
/* Local.  Steps of all nodes' timetables. */
int64_t hy_spread_tree_all_steps(const struct hy_spread *a, const struct hy_spread *b);
/* Local.  Steps of the timetable; messages in one of them at most. */
int hy_spread_tree_steps(const struct hy_spread *spread);
int64_t hy_spread_tree_messages(const struct hy_spread *spread);

/* Step t, all in their order: packets that are here at time t go on, and those that are here at
 * time t + 1 come.  The messages are added to the step.  Collective over the nodes along the axis.
 */
void hy_spread_tree_pass(struct hy_spread *spread, int t, struct hy_step *step);
/* Local.  How many panels are all here from that time on, and the x-th of them, in their order. */
int64_t hy_spread_tree_count(const struct hy_spread *spread);
int hy_spread_tree_number(const struct hy_spread *spread, int64_t x);
/* The x-th panel, until the next step.  In place a node waits until the panel's owner has lent
 * it. */
hyla_status hy_spread_tree_here(struct hy_spread *spread, int64_t x, struct hy_panel *panel);

#endif
