/* Door of solve/jacobi: one-sided Jacobi rotations of the columns of a matrix, A V = U S.
 *
 * Columns lie in blocks, two on each node.  In a step each node makes the columns of its two blocks
 * orthogonal to each other; then blocks change nodes, as an ordering says, so that in a sweep all
 * pairs of blocks meet once. */
#ifndef HY_SOLVE_JACOBI_H
#define HY_SOLVE_JACOBI_H 1

#include "solve/contract/contract.h"

/* -------------------------------------------------------------- orderings -- */

/* One of the blocks of a node. */
struct hy_jacobi_slot {
  uint32_t node; /* its number */
  int slot;      /* 0 or 1 */
};

/* How blocks travel in a sweep of steps 0 ... steps-1; behind each step a transition, so that the
 * last one leads to the next sweep.  The nodes are numbered, on a cube by their addresses.
 *   nodes     any number, or powers of two, as the ordering says
 *   sweep     orderings of cubes take the dimensions in turn, from one sweep to the next
 *   link      the dimension of each transition, for orderings of cubes; NULL: a ring
 *   divides   is it a division? otherwise the second blocks of two neighbours change places
 *   moved     the dimensions that second blocks have crossed since the last division, as bits
 *   phase     where the transition's phase began
 * Local; integers only. */
struct hy_jacobi_order {
  uint32_t nodes;
  int dims;
  int64_t steps;
  uint8_t *link;
  bool *divides;
  uint32_t *moved;
  int32_t *phase;
};

/* The path of an ordering: the dimensions of 2^e - 1 moves that lead a node's second block past all
 * nodes of an e-cube. */
typedef void hy_jacobi_path(int e, uint8_t *link);

/* An ordering, as a file of this folder has it.  path: NULL: a ring. */
struct hy_jacobi_ordering {
  const char *name;
  hy_jacobi_path *path;
};
extern const struct hy_jacobi_ordering hy_jacobi_ring, hy_jacobi_br, hy_jacobi_balanced,
    hy_jacobi_long_run;

/* make  the order's tables belong to `owner'.  MEMORY
 * to    where the block goes after step t of sweep number `sweep'
 * from  where the block comes from that is in this slot after the transition
 * began where the block of a slot was when the sweep began; t: its step, or `steps', after the
 *       last transition */
hyla_status hy_jacobi_order_make(struct hy_base *base, void *owner,
                                 const struct hy_jacobi_ordering *ordering, uint32_t nodes,
                                 struct hy_jacobi_order *order);
struct hy_jacobi_slot hy_jacobi_to(const struct hy_jacobi_order *order, int64_t sweep, int64_t t,
                                   struct hy_jacobi_slot at);
struct hy_jacobi_slot hy_jacobi_from(const struct hy_jacobi_order *order, int64_t sweep, int64_t t,
                                     struct hy_jacobi_slot at);
struct hy_jacobi_slot hy_jacobi_began(const struct hy_jacobi_order *order, int64_t sweep, int64_t t,
                                      struct hy_jacobi_slot at);

/* --------------------------------------------------------------- rotations -- */

/* A problem: X = 2^shift Y D, or 2^shift D Y if by_rows, with D the powers of two `exponent'; or
 * X = Y, if vectors to begin with are given.
 *   m, n      Y's size, m >= n
 *   v_wanted  V is found too
 *   expected  the sweeps that a run without data makes
 * Set before each run, all matrices as hy_jacobi_layout says:
 *   live      X's columns behind the first `live' ones are zeros; so are its rows, if there are
 *             such columns.  create sets it to n
 *   y, exponent, by_rows, shift  finite entries; n numbers, or m if by_rows; X's largest entry is
 *             to be about 2^hy_jacobi_top
 *   begun     X has been multiplied by vectors from the right
 *   z, v      for X's columns U and for V; NULL: they are not wanted; z may be y.  If X has been
 *             multiplied, v holds these vectors */
struct hy_jacobi_problem {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int64_t m, n;
  bool v_wanted;
  int expected;
  const struct hy_jacobi_ordering *ordering;
  int64_t live;
  const hyla_matrix *y;
  const int32_t *exponent;
  bool by_rows, begun;
  int shift;
  hyla_matrix *z, *v;
};

/* Columns in one place: a node's block.
 *   id       its number among all blocks: the columns id * width ...
 *   columns  their number
 *   data     `width' columns of X, each with its column of V below if there is one
 *   exponent e of each column, whose length is about 2^e */
struct hy_jacobi_block {
  int64_t id;
  int columns;
  char *data;
  int32_t *exponent;
};

/* What a sweep has found, over all nodes. */
struct hy_jacobi_found {
  double cosine, tangent; /* as in hy_gram_found */
  double moved;           /* 1: columns went from block to block, so some pairs may not have met */
};

enum { HY_JACOBI_BLOCKS = 4 };
struct hy_jacobi {
  struct hy_jacobi_problem problem;
  hyla_cube *cube;
  const struct hy_kernels *k;
  int64_t m, n, rows; /* rows: m, and n more with V */
  int width;          /* columns of a block, at most */
  struct hy_jacobi_order order;
  struct hy_jacobi_block block[HY_JACOBI_BLOCKS]; /* the two of this node, then free ones */
  int64_t *ids, *next_ids; /* of all nodes' blocks when the sweep began: 2 a node */
  double tolerance;
  struct hy_jacobi_found at;
  int sweeps;
  double *values;    /* n, descending, the same on all nodes after a run */
  double *found;     /* the same, as the columns lie at the end */
  int64_t *order_of; /* which column has value i */
  /* A piece of each block: its columns, their Gram matrix, factors for the products. */
  char *columns, *gram, *factor;
  double *double_gram[4], *double_factor, *double_work;
  char *out, *in; /* columns on their way to their places */
  struct hy_subcube_op looks, results;
};

/* Local.  The layout for matrices of these columns: each node holds consecutive columns, whole. */
hyla_layout hy_jacobi_layout(const hyla_cube *cube, int64_t n);

/* create    local; owner: a block that is freed after the state; NULL: none
 * allocate  collective over all ranks, agreed; all memory belongs to the state, a block
 * run       collective over the nodes, not agreed; guests return at once.  UNRELIABLE on all nodes
 *           if HY_JACOBI_SWEEPS sweeps are not enough */
enum { HY_JACOBI_SWEEPS = 30 };
int hy_jacobi_top(const struct hy_kernels *k);
hyla_status hy_jacobi_create(const struct hy_jacobi_problem *problem, void *owner,
                             struct hy_jacobi **state);
hyla_status hy_jacobi_allocate(struct hy_jacobi *state);
hyla_status hy_jacobi_run(struct hy_jacobi *state);

/* --------------------------------------------------------- in this folder -- */

/* Columns of a block that are rotated together with as many of another one, at most. */
enum { HY_JACOBI_PIECE = 32 };

/* jacobi_pair.c.  Local.
 * tiny  entries of columns that stand for columns of zeros are 2^tiny
 * look  sets the exponents of a block's columns; columns of zeros are replaced by tiny ones
 * meet  rotates all pairs of columns of the two blocks; within: those within a block too */
int hy_jacobi_tiny(const struct hy_kernels *k);
void hy_jacobi_look(struct hy_jacobi *j, struct hy_jacobi_block *block);
void hy_jacobi_meet(struct hy_jacobi *j, bool within);

/* jacobi.c.
 * begin  local: X and V to this node's blocks
 * sweep  collective over the nodes: one sweep, with what it has found on all of them */
void hy_jacobi_begin(struct hy_jacobi *j);
hyla_status hy_jacobi_sweep(struct hy_jacobi *j);

/* jacobi_collect.c.  Collective over the nodes: the values, and the columns of U and V in their
 * order. */
hyla_status hy_jacobi_collect(struct hy_jacobi *j);

#endif
