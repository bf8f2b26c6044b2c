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

#include "gemm/split_operand_body.h"

struct hy_tree_pipeline_way {
  int (*root)(int owner); /* the part of the axis where the tree begins, <= owner */
  bool exchanges; /* the root is part 0 and the code binary: see `exchange' in tree_pipeline.c */
  int gap;        /* steps left free between a panel and the next one */
  bool apart;     /* panels that come to a node at the same time come over different links, if
                   * possible */
};

/* One packet over one link.  In the list of panels that are here a leg stands for a whole panel,
 * and `part' is not used. */
struct hy_tree_leg {
  int32_t step;
  int32_t panel;
  int32_t packet;
  int32_t part; /* the other end's part, on the axis along which the panel travels */
  int32_t slot; /* where the panel is stored while it comes, waits and goes on; -1: it is the node's
                 * own panel */
  bool moves;   /* it is still on its way to the root */
};

/* Sorted by steps, then panels, then packets, so that two nodes list the legs between them in the
 * same order. */
struct hy_tree_legs {
  struct hy_tree_leg *leg;
  int64_t count;
  int64_t most; /* the largest number in one step */
};

/* The legs of one step. */
struct hy_tree_group {
  const struct hy_tree_leg *leg;
  int64_t count;
};

enum hy_tree_list { HY_TREE_IN, HY_TREE_OUT, HY_TREE_HERE, HY_TREE_LISTS };

struct hy_tree_pipeline {
  const struct hy_tree_pipeline_way *way;
  int panels;  /* K */
  int packets; /* of a panel */
  int slots;   /* number of places for panels that are not the node's own */
  int steps;
  struct hy_tree_legs list[HY_TREE_LISTS]; /* the timetable */
  uint8_t *link;                           /* used while the timetable is made: see plan_links */
  /* Set for a run: */
  int64_t at[HY_TREE_LISTS];               /* where the legs of later steps begin */
  struct hy_tree_group now[HY_TREE_LISTS]; /* the legs of this step */
  /* If panels travel as messages: */
  char *packed; /* the node's own panels */
  char *room;   /* the slots */
};

/* Local.  trees: sets the operand's use to trees, for `panels' panels of k in all.  `way' must
 * outlive the operand.  cut: cuts the panels of both factors into the number of packets that takes
 * the least time. */
hyla_status hy_split_operand_on_trees(struct hy_split_operand *s,
                                      const struct hy_tree_pipeline_way *way, int panels);
void hy_split_operand_cut_panels(struct hy_split_operand *a, struct hy_split_operand *b);
/* Local.  Makes this node's timetable, so that the panels meet those of the other factor, which
 * must be on its trees too. */
hyla_status hy_split_operand_timetable(struct hy_split_operand *s,
                                       const struct hy_split_operand *other);
/* Local.  The number of steps of all nodes' timetables together. */
int64_t hy_split_operand_tree_all_steps(const struct hy_split_operand *a,
                                        const struct hy_split_operand *b);

/* Step t; call all steps in their order.  Packets that are here at time t go on, and the packets of
 * time t + 1 come.  The messages are added to the step.  Collective over the nodes along the axis.
 * Afterwards trees->now[HY_TREE_HERE] are the panels that have become complete here. */
void hy_split_operand_tree_pass(struct hy_split_operand *s, int t, struct hy_step *step);
/* The x-th of them, valid until the next step.  In place, a node waits until the panel's owner has
 * lent it. */
hyla_status hy_split_operand_tree_here(struct hy_split_operand *s, int64_t x,
                                       struct hy_panel *panel);

#endif
