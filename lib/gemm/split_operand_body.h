/* Private to lib/gemm: the inside of an operand spread along an axis. */
#ifndef HY_GEMM_SPLIT_OPERAND_BODY_H
#define HY_GEMM_SPLIT_OPERAND_BODY_H 1

#include "gemm/fiber.h"
#include "gemm/split_operand.h"
#include "gemm/triangle_block.h"

/* The nodes along one axis of a matrix lend one another their blocks.  If the axis is not split, a
 * node has its own block only, and nothing travels. */
struct hy_block_access;

/* Local.  rows: along op(matrix)'s rows, otherwise along its columns.  part: the part of op(matrix)
 * that is lent; a block without entries in that part is not lent. */
hyla_status hy_block_access_create(void *owner, const struct hy_gemm_factor *factor, bool rows,
                                   enum hy_part part, struct hy_block_access **access);

/* Lends this node's block. */
hyla_status hy_block_access_open(struct hy_block_access *access);
/* The block of a part, in the factor's form, once its owner has lent it.  It has no data if it is
 * not lent. */
hyla_status hy_block_access_block(struct hy_block_access *access, int part, struct hy_panel *block);
/* Gives all blocks back and waits until all nodes have given this node's block back. */
hyla_status hy_block_access_close(struct hy_block_access *access);

/* For rotations: this node's ring of `places' nodes, each with a block of `each' panels. */
struct hy_ring {
  int places;
  int base; /* the axis' part at place 0 */
  int own;  /* the node's place */
  int each;
  int64_t from;   /* where the ring's first panel begins in k */
  int64_t width;  /* of a panel; the last panels may be shorter */
  bool scattered; /* a panel is a whole part of cyclic storage, not a stretch */
  /* Set for a run: */
  int panel;             /* number of the panel that is here */
  struct hy_panel block; /* the block with that panel, if blocks travel */
  int free;              /* the workspace that is free for the next block */
};

/* For set-ups over links: the blocks that pass this node on their ways, begin here or end here, all
 * at the same time. */
struct hy_route_visit {
  int block;   /* the block, by its place */
  int hop;     /* distance from its start; packet p leaves in step p + hop */
  int in, out; /* cube dimensions; -1: the block begins, or ends, here */
};
struct hy_route {
  int packets; /* 0: no such set-up */
  int hops;    /* of the longest way */
  int panel;   /* the panel that is here after the set-up */
  int count;
  struct hy_route_visit *visit; /* owned, in the order of the blocks' code words */
  char *passing;                /* owned: two packets for each visit */
};

/* For rotations in parts, each with its own panel here. */
struct hy_ring_parts {
  int count; /* 0: none */
  /* Set for a run: */
  int panel[HYLA_DIMS_MAX];
  uint32_t second; /* bit p: is part p's block in the second workspace? */
};

/* For gathering: the nodes with the shares, and this node's part of k, in rounds. */
struct hy_shares {
  struct hy_fiber fiber;
  struct hy_fiber k;
};

/* For planes: the array's planes along the dimensions `along', and the node's own plane. */
struct hy_planes {
  uint32_t along;
  int bits;
  int own;
  int64_t length; /* of a plane's stretch of k; the last ones may be shorter */
  int64_t block;  /* numbers of k on one node of the face */
  int64_t chunk;  /* indices of k that are stored together */
};

/* For stacks: the nodes whose shares are gathered. */
struct hy_stack {
  struct hy_fiber fiber;
  bool brought; /* the node's share is not its block */
  /* Set for a run: */
  int *arrival; /* owned: the number of steps after which a member's share is here */
  int last;     /* the last arrival of all members */
  int steps;    /* steps taken; arrivals of members below `seen' in the last step have been
                 * reported */
  int seen;
};

/* The use of an operand: the parts of allocate and begin that belong to it; NULL: nothing to do. */
struct hy_split_operand_use {
  hyla_status (*allocate)(struct hy_split_operand *s);
  void (*begin)(struct hy_split_operand *s);
};

struct hy_split_operand {
  void *owner;                            /* the state, whose memory it uses */
  const struct hy_split_operand_use *use; /* NULL: no such use */
  const struct hy_gemm_problem *problem;
  enum hy_operand_name name;
  const struct hy_operand *operand;
  const struct hy_axis *axis; /* the axis along which it is spread */
  bool rows;                  /* its rows lie along the axis; otherwise its columns */
  enum hy_part part;          /* the part that may be nonzero */
  int node;
  struct hy_indices beside; /* the node's indices on the other axis */
  bool in_place;
  struct hy_ring ring;
  struct hy_route route;
  struct hy_ring_parts parts;
  struct hy_shares shares;
  struct hy_planes planes;
  struct hy_stack stack;
  struct hy_tree_pipeline *trees; /* NULL: none */
  const struct hy_panelling *panelling;
  int which;
  int rooms; /* number of workspaces, and the entries of each */
  int64_t entries;
  /* Set for a run: */
  struct hy_gemm_factor factor;
  struct hy_block_access *access;
  char *room[2];
  struct hy_subcube_op group;   /* by which panels or sums travel */
  struct hy_fiber_group pieces; /* by which the shares of several nodes are gathered */
};

/* Local.  As hy_split_operand_create, for callers that have a spread as a member of the owner. */
struct hy_split_operand hy_split_operand_make(void *owner, const struct hy_gemm_problem *problem,
                                              enum hy_operand_name name, bool rows);

/* The panel that begins at a place of the axis, in a block. */
struct hy_panel hy_split_operand_at(const struct hy_split_operand *s, const struct hy_panel *block,
                                    int64_t place);
/* block: the block of the operand with these indices of the axis.  reach: the node's indices on the
 * other axis with which they may be nonzero. */
struct hy_triangle_block hy_split_operand_block(const struct hy_split_operand *s,
                                                const struct hy_indices *list);
struct hy_reach hy_split_operand_block_reach(const struct hy_split_operand *s,
                                             const struct hy_indices *list);
/* Copies `length' indices of the axis, within their reach: op(from) goes to entry (0, 0) at `to',
 * with columns `ld' apart.  Writes zeros if `from' has no data. */
void hy_split_operand_copy(const struct hy_split_operand *s, const struct hy_panel *from,
                           int64_t length, const struct hy_reach *reach, char *to, int64_t ld);

/* Blocks of a ring as they travel, named by their places.
 *   entries  the number of entries of a block
 *   first    the distance of its first entry from entry (0, 0)
 *   place    where a panel begins in its block
 *   put      makes the block in the free workspace the one that is here; it has this panel */
int64_t hy_ring_entries(const struct hy_split_operand *s, int block);
int64_t hy_ring_first(const struct hy_split_operand *s, int block);
int64_t hy_ring_place(const struct hy_split_operand *s, int panel);
void hy_ring_put(struct hy_split_operand *s, int panel);
/* The memory of a set-up over links, if there is such a set-up. */
hyla_status hy_route_allocate(struct hy_split_operand *s);

/* The code word of a part of the axis, and the part of a code word. */
static inline uint32_t hy_split_operand_word(const struct hy_split_operand *s, int part) {
  return s->axis->code.code == HYLA_GRAY ? hy_gray((uint32_t)part) : (uint32_t)part;
}
static inline int hy_split_operand_part(const struct hy_split_operand *s, uint32_t word) {
  return (int)(s->axis->code.code == HYLA_GRAY ? hy_gray_inverse(word) : word);
}

#endif
