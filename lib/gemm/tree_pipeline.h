/* Private to lib/gemm: the panels of a spread operand, passed on along trees.
 *
 * A, B, C lie in consecutive blocks on a 2^r x 2^c array.  k is cut into K = max(2^r, 2^c) panels;
 * A's blocks and B's blocks have whole panels.  Every panel of A goes to all nodes of its row of
 * the array, every panel of B to all nodes of its column.  It travels along a tree, one link a
 * step: the binomial tree from a root that the variant chooses, or another tree of shortest paths.
 * If the root is not the owner, the panel first moves there, one place of the axis a step.  In
 * binary code all panels move at once, by exchanges over the dimension in which a Gray code
 * changes.
 *
 * A panel is cut into P packets, which follow one another.  Let panel m be the m-th that comes
 * (with exchanges this is panel G(m), G the Gray code).  Node (i, j) has packet p of panel m of
 * both factors at time
 *     m (P + gap) + p + |root of A's panel ^ j| + |root of B's panel ^ i|
 * where |x ^ y| counts the bits in which the codes of two parts differ.  In row i of the array A's
 * panel leaves its root later by the distance of that row from the root of B's panel; B's panel
 * likewise.  So the two panels meet at every node, and neither waits.  A packet that came in one
 * step is passed on in the next one.  A panel is multiplied once it has come completely, and is
 * then given up.  P is 1, except on machines whose nodes are joined by the links of a cube that can
 * all be used at once, if packets take less time there.
 *
 * Example on 4 nodes, 2 x 2, P = 1, gap = 0, the roots being the owners, A's panel 0 in column 0,
 * B's in row 0: both panels 0 are at node (0, 0) at time 0, at (0, 1) and (1, 0) at time 1, at (1,
 * 1) at time 2.  Panels 1 start from column 1 and row 1 at time 1: they are at (1, 1) at time 1, at
 * (0, 1) and (1, 0) at time 2, at (0, 0) at time 3.
 *
 * Steps: a node's steps are those in which it sends or receives, out of K (P + gap) - gap - 1 + r +
 *   c.
 * Words: a node passes a panel on to at most r or c other nodes.
 * Memory: a copy of the node's blocks, without gaps; for each factor two panels for the data that
 *   come at one time (more if several panels come).
 * Triangular factors: only the rows (for B: the columns) of a panel that have entries in the
 *   triangle travel, and nothing of a panel beyond the diagonal.
 * In place: if the nodes can read one another's blocks, nothing travels.  All lend their blocks
 *   once, in one step, and read the panels in the order of their times. */
#ifndef HY_GEMM_TREE_PIPELINE_H
#define HY_GEMM_TREE_PIPELINE_H 1

#include "gemm/split_operand.h"

struct hy_tree_pipeline_way {
  int (*root)(int owner); /* the part of the axis where the tree begins, <= owner */
  bool exchanges;         /* the root is part 0 and the code binary: see tree_pipeline_table.c */
  int gap;                /* steps left free between a panel and the next one */
  bool apart; /* panels that come to a node at the same time come over different links, if
               * possible */
};

/* Local.  trees: sets the operand's use to trees, for `panels' panels of k in all.  `way' must
 * outlive the operand.  cut: cuts the panels of both factors into the number of packets that takes
 * the least time. */
hyla_status hy_split_operand_on_trees(struct hy_split_operand *operand,
                                      const struct hy_tree_pipeline_way *way, int panels);
void hy_split_operand_cut_panels(struct hy_split_operand *a, struct hy_split_operand *b);
int hy_split_operand_tree_packets(const struct hy_split_operand *operand);
/* Local.  Makes this node's timetable, so that the panels meet those of the other factor, which
 * must be on its trees too. */
hyla_status hy_split_operand_timetable(struct hy_split_operand *operand,
                                       const struct hy_split_operand *other);
/* Local.  The number of steps of all nodes' timetables together. */
int64_t hy_split_operand_tree_all_steps(const struct hy_split_operand *a,
                                        const struct hy_split_operand *b);
/* Local.  steps: the steps of this timetable.  messages: the largest number of messages in one of
 * them. */
int hy_split_operand_tree_steps(const struct hy_split_operand *operand);
int64_t hy_split_operand_tree_messages(const struct hy_split_operand *operand);

/* Step t; call all steps in their order.  Packets that are here at time t go on, and the packets of
 * time t + 1 come.  The messages are added to the step.  Collective over the nodes along the
 * axis. */
void hy_split_operand_tree_pass(struct hy_split_operand *operand, int t, struct hy_step *step);
/* Local.  count: how many panels have become complete here with the last pass.  number: the x-th of
 * them, in their order. */
int64_t hy_split_operand_tree_count(const struct hy_split_operand *operand);
int hy_split_operand_tree_number(const struct hy_split_operand *operand, int64_t x);
/* The x-th panel, valid until the next step.  In place, a node waits until the panel's owner has
 * lent it. */
hyla_status hy_split_operand_tree_here(struct hy_split_operand *operand, int64_t x,
                                       struct hy_panel *panel);

#endif
