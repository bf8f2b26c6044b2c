/* Private to lib/gemm: what is inside of an operand whose panels are passed on along trees. */
#ifndef HY_GEMM_TREE_PIPELINE_BODY_H
#define HY_GEMM_TREE_PIPELINE_BODY_H 1

#include "gemm/spread_body.h"
#include "gemm/tree_pipeline.h"

/* One packet over one link; of what is here, which are whole panels, `part' is not used. */
struct hy_tree_leg {
  int32_t step;
  int32_t panel;
  int32_t packet;
  int32_t part; /* the other end's, on the axis along which the panel travels */
  int32_t slot; /* where the panel is while it comes, waits and goes on; -1: it is the node's own */
  bool moves;   /* on its way to the root */
};

/* In order of steps, then of panels and packets: so two nodes list what is between them alike. */
struct hy_tree_legs {
  struct hy_tree_leg *leg;
  int64_t count;
  int64_t most; /* in one step */
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
  int slots;   /* for panels that are not the node's own */
  int steps;
  struct hy_tree_legs list[HY_TREE_LISTS]; /* the timetable */
  uint8_t *link; /* while it is made: see plan_links in tree_pipeline_table.c */
  /* Of a run: */
  int64_t at[HY_TREE_LISTS];               /* where the legs of later steps begin */
  struct hy_tree_group now[HY_TREE_LISTS]; /* of the step */
  /* By messages: */
  char *packed; /* the node's own panels */
  char *room;   /* the slots */
};

/* The legs of a step, when those of earlier steps end at *at. */
struct hy_tree_group hy_tree_legs_at(const struct hy_tree_legs *legs, int64_t *at, int step);

#endif
