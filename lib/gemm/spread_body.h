/* Private to lib/gemm: what is inside of an operand spread along an axis. */
#ifndef HY_GEMM_SPREAD_BODY_H
#define HY_GEMM_SPREAD_BODY_H 1

#include "gemm/block_access.h"
#include "gemm/fiber.h"
#include "gemm/spread.h"

/* For rotations: this node's ring of so many places, each with a block of `each` panels. */
struct hy_ring {
  int places;
  int base; /* the axis' part in place 0 */
  int own;  /* the node's place */
  int each;
  int64_t from;   /* of k: where the ring's first panel begins */
  int64_t width;  /* of a panel; the last ones may be shorter */
  bool scattered; /* a panel is all that a part of cyclic storage has, not a stretch */
  /* Of a run: */
  int panel;             /* that is here */
  struct hy_panel block; /* in which it is, where blocks travel */
  int free;              /* the room to which the next one may come */
};

/* For set-ups over links: blocks that pass this node on their ways to others, begin here or end
 * here, each at the same time as the others. */
struct hy_route_visit {
  int block;   /* by its place */
  int hop;     /* from where it began; packet p leaves in step p + hop */
  int in, out; /* cube dimensions; -1: it begins, ends here */
};
struct hy_route {
  int packets; /* 0: there is no such set-up */
  int hops;    /* of the longest way */
  int panel;   /* that is here behind it */
  int count;
  struct hy_route_visit *visit; /* owned, in the order of the blocks' code words */
  char *passing;                /* owned: of each visit two packets */
};

/* For rotations in parts, each of which has its own panel here. */
struct hy_ring_parts {
  int count; /* 0: none */
  /* Of a run: */
  int panel[HYLA_DIMS_MAX];
  uint32_t second; /* by part: is its block in the second workspace? */
};

/* For gathering: the nodes that have the shares; what of k is this node's, in rounds. */
struct hy_shares {
  struct hy_fiber fiber;
  struct hy_fiber k;
};

/* For planes: of the array, along so many dimensions, and the node's own. */
struct hy_planes {
  uint32_t along;
  int bits;
  int own;
  int64_t length; /* of a plane's stretch of k; the last ones may be shorter */
  int64_t block;  /* what of k a node on the face has */
  int64_t chunk;  /* indices of k that are stored together */
};

/* For stacks: the nodes whose shares they hold. */
struct hy_stack {
  struct hy_fiber fiber;
  bool brought; /* the node's share is not its block */
  /* Of a run: */
  int *arrival; /* owned: after how many steps a member's share is here, */
  int last;     /* the last one of all */
  int steps;    /* that have been taken; what comes with them has been seen below `seen` */
  int seen;
};

/* What an operand is for: what take, begin and destroy do for that; NULL: nothing. */
struct hy_spread_use {
  hyla_status (*take)(struct hy_spread *spread);
  void (*begin)(struct hy_spread *spread);
  void (*free)(hyla_cube *cube, struct hy_spread *spread);
};

struct hy_spread {
  const struct hy_spread_use *use; /* NULL: nothing to be done */
  const struct hy_gemm_problem *problem;
  enum hy_operand_name name;
  const struct hy_operand *operand;
  const struct hy_axis *axis; /* along which it is spread */
  bool rows;                  /* its rows are, else its columns */
  enum hy_part part;          /* where it may have other entries than 0 */
  int node;
  struct hy_indices beside; /* what the node has along the other axis */
  bool in_place;
  struct hy_ring ring;
  struct hy_route route;
  struct hy_ring_parts parts;
  struct hy_shares shares;
  struct hy_planes planes;
  struct hy_stack stack;
  struct hy_tree_pipeline *trees; /* NULL: none */
  const struct hy_cut *cut;
  int which;
  int rooms; /* workspaces, and entries of each */
  int64_t entries;
  /* Of a run: */
  struct hy_gemm_factor factor;
  struct hy_block_access *access;
  char *room[2];
  struct hy_group group;        /* by which panels or sums travel */
  struct hy_fiber_group pieces; /* by which what several nodes have is gathered */
};

/* Local.  What create makes, for whoever has it as a member; what destroy frees of that. */
struct hy_spread hy_spread_make(const struct hy_gemm_problem *problem, enum hy_operand_name name,
                                bool rows);
void hy_spread_free(hyla_cube *cube, struct hy_spread *spread);

/* What begins at a place of the axis, in a block. */
struct hy_panel hy_spread_at(const struct hy_spread *spread, const struct hy_panel *block,
                             int64_t place);
/* The block of the operand that has these indices of the axis; what of the node's indices
 * along the other axis it has entries with. */
struct hy_triangle_block hy_spread_block(const struct hy_spread *spread,
                                         const struct hy_indices *list);
struct hy_reach hy_spread_block_reach(const struct hy_spread *spread,
                                      const struct hy_indices *list);
/* Copies so many indices of the axis, with what is in their reach: op(from) to entry (0, 0) at
 * `to`, columns `ld` apart.  Zeros where from has no data. */
void hy_spread_copy(const struct hy_spread *spread, const struct hy_panel *from, int64_t length,
                    const struct hy_reach *reach, char *to, int64_t ld);

/* Blocks of a ring, by their places, as they travel: their entries, and how far from entry (0, 0)
 * the first one stands.  Where a panel begins in its block.  What has come to the free room is
 * here, in which that panel is. */
int64_t hy_ring_entries(const struct hy_spread *spread, int block);
int64_t hy_ring_first(const struct hy_spread *spread, int block);
int64_t hy_ring_place(const struct hy_spread *spread, int panel);
void hy_ring_put(struct hy_spread *spread, int panel);
/* The memory of a set-up over links, where there is one. */
hyla_status hy_route_take(struct hy_spread *spread);
void hy_route_free(hyla_cube *cube, struct hy_spread *spread);

/* Local.  Makes and takes the group of all nodes along the axis for messages of `entries`. */
hyla_status hy_spread_group_take(struct hy_spread *spread, enum hy_task task);
/* The node that has a panel. */
int hy_spread_owner(const struct hy_spread *spread, const struct hy_cut_panel *panel);

#endif
