/* Private to lib/gemm: the inside of an operand whose panels are passed on along trees. */
#ifndef HY_GEMM_TREE_PIPELINE_BODY_H
#define HY_GEMM_TREE_PIPELINE_BODY_H 1

#include "gemm/split_operand_body.h"
#include "gemm/tree_pipeline.h"

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
  uint8_t *link; /* used while the timetable is made: see plan_links in tree_pipeline_table.c */
  /* Set for a run: */
  int64_t at[HY_TREE_LISTS];               /* where the legs of later steps begin */
  struct hy_tree_group now[HY_TREE_LISTS]; /* the legs of this step */
  /* If panels travel as messages: */
  char *packed; /* the node's own panels */
  char *room;   /* the slots */
};

/* The legs of a step; *at is where the legs of earlier steps end. */
struct hy_tree_group hy_tree_legs_at(const struct hy_tree_legs *legs, int64_t *at, int step);

#endif
