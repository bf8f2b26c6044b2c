/* Door of layer 5, matrix: how indices lie on the cube, the matrix object, and
 * changes of layout. */
#ifndef HY_MATRIX_H
#define HY_MATRIX_H 1

#include "comm/comm.h"

/* One axis of a matrix or view, ready for index arithmetic.  Index i of the
 * view is index first + i of the matrix that owns the storage. */
struct hy_axis {
  hyla_axis code; /* as the user gave it */
  int64_t first;
  int64_t n;     /* of the view */
  int64_t total; /* of the owner */
  int64_t block; /* consecutive and cyclic alike: part = (index / block) mod parts */
  int parts;
};

/* For an axis of `total` indices. */
struct hy_axis hy_axis_make(const hyla_axis *code, int64_t total);
/* Indices first ... first+n-1 of an axis. */
struct hy_axis hy_axis_range(const struct hy_axis *axis, int64_t first, int64_t n);

/* The part that holds index i; how many of the view's indices below i part q
 * holds (i from 0 to n; i = n gives how many it holds in all); the view's index
 * of part q's l-th. */
int hy_axis_owner(const struct hy_axis *axis, int64_t i);
int64_t hy_axis_before(const struct hy_axis *axis, int part, int64_t i);
int64_t hy_axis_index(const struct hy_axis *axis, int part, int64_t l);
/* The part that a node holds; how many indices a part, or a node, holds. */
static inline int hy_part_of(const struct hy_axis *axis, int node) {
  return (int)hy_axis_part(&axis->code, (uint32_t)node);
}
static inline int64_t hy_held(const struct hy_axis *axis, int part) {
  return hy_axis_before(axis, part, axis->n);
}
static inline int64_t hy_held_at(const struct hy_axis *axis, int node) {
  return hy_held(axis, hy_part_of(axis, node));
}
/* How many indices from i on lie in the same part, one after the other. */
int64_t hy_axis_run(const struct hy_axis *axis, int64_t i);
/* The largest number of indices any part holds. */
int64_t hy_axis_most(const struct hy_axis *axis);
/* Do both hold every index on the same node?  (On equal cube dimensions; the
 * answer does not depend on how the codes are written.) */
bool hy_axis_equal(const struct hy_axis *a, const struct hy_axis *b);

struct hyla_matrix {
  hyla_cube *cube;
  const struct hy_kernels *k;
  hyla_layout layout;
  struct hy_axis row;
  struct hy_axis col;
  uint32_t others; /* the cube dimensions that split neither axis */
  int row_part;    /* this rank's; -1 on guests and off the face */
  int col_part;
  int64_t local_rows; /* of the view; 0 where there is no part */
  int64_t local_cols;
  char *local; /* the view's first local entry */
  int64_t ld;
  struct hy_window *window; /* that local lies in; NULL for wrapped matrices */
  bool owner;               /* of the window: not for views and wrapped ones */
  const void *storage;      /* the owner's first local entry: equal for all views of one matrix */
};

/* Address of local entry (l, m). */
static inline char *hy_at(const struct hyla_matrix *a, int64_t l, int64_t m) {
  return a->local + ((size_t)l + (size_t)m * (size_t)a->ld) * a->k->size;
}
/* The cube address that holds part (p, q): on the face, where there are copies; of
 * the copies the one whose other bits are those of the node `near`. */
int hy_matrix_node(const struct hyla_matrix *a, int row_part, int col_part);
int hy_matrix_node_near(const struct hyla_matrix *a, int row_part, int col_part, int near);
/* Are there copies, at other nodes? */
static inline bool hy_matrix_has_copies(const struct hyla_matrix *a) {
  return a->others != 0 && a->layout.rest == HYLA_REPLICATED;
}
/* The leading dimension of that part, of a matrix in a window or a view of one. */
int64_t hy_matrix_peer_ld(const struct hyla_matrix *a, int row_part);

/* A caller's array that is to be a matrix: it holds the local entries of rows
 * row ... row+rows-1, columns col ... col+cols-1 of a matrix in the layout. */
struct hy_array {
  const char *call; /* for whom, static */
  hyla_type type;
  int64_t row, rows, col, cols;
  const hyla_layout *layout; /* NULL: the default one */
  void *local;
  int64_t ld;
};
/* hyla_matrix_wrap for it; collective.  mine: this rank's verdict so far. */
hyla_status hy_matrix_wrap(hyla_cube *cube, const struct hy_array *array, hyla_status mine,
                           hyla_matrix **matrix);

/* Checks a layout against a cube: dims exist and are distinct. */
hyla_status hy_layout_check(hyla_cube *cube, const hyla_layout *layout);
/* The dimensions of a cube that split neither axis. */
uint32_t hy_layout_others(int dims, const hyla_layout *layout);
/* Does a node hold a part? */
bool hy_layout_holds(int dims, const hyla_layout *layout, int node);

/* Verdict on a matrix argument for hy_enter: not NULL, of this cube. */
hyla_status hy_matrix_check(hyla_cube *cube, const hyla_matrix *a, const char *name);
/* The matrix' type, size and layout added to a fingerprint. */
uint64_t hy_matrix_fingerprint(uint64_t fingerprint, const hyla_matrix *a);

/* How op(matrix) lies on the cube. */
struct hy_operand {
  struct hy_axis row;
  struct hy_axis col;
  bool in_place;  /* every node can read every other node's block where it stands */
  hyla_rest rest; /* of the cube dimensions that split neither axis, if any */
};
struct hy_operand hy_operand_of(const hyla_matrix *matrix, hyla_operation op);
bool hy_operand_equal(const struct hy_operand *a, const struct hy_operand *b);
/* Can every node read the others' blocks of this matrix? */
bool hy_in_place(const hyla_matrix *matrix);

/* Which entries (i, j) of a matrix are meant: all; those with i >= j, i <= j, i > j, i < j. */
enum hy_part { HY_WHOLE, HY_LOWER_PART, HY_UPPER_PART, HY_BELOW_PART, HY_ABOVE_PART };

/* The entries of such a part that stand in a block: of each column the rows from an edge
 * on (lower) or those before it.  The edge never falls from a column to the next. */
struct hy_stair {
  int64_t rows, cols;
  bool lower;
  int64_t tile; /* a rectangle of so many entries need not be cut: it may hold others too */
  int64_t (*edge)(const void *arg, int64_t col);
  void (*rectangle)(void *arg, int64_t row, int64_t rows, int64_t col, int64_t cols);
  void *arg;
};
/* Cuts it into rectangles, none of them empty, always in the same order. */
void hy_stair_cut(const struct hy_stair *stair);
int64_t hy_stair_entries(const struct hy_stair *stair);

/* A redistribution, planned: to := alpha op(from) for each of the transfers, in
 * any layouts, all in the same steps.  All memory is taken here, and running
 * allocates nothing.  Of each transfer types and (operated) sizes must be equal;
 * no target shares entries with a source or another target.  The transfers are
 * copied.  create communicates nothing; its caller agrees on what it returns
 * before anyone runs.  run is collective over the cube and returns at once on
 * guests.
 * parts: what is moved of each, as entries of the target, the others being neither
 * read nor written; NULL: all. */
struct hy_move;
hyla_status hy_move_create(hyla_cube *cube, const hyla_transfer *transfers, int count,
                           struct hy_move **move);
hyla_status hy_move_create_parts(hyla_cube *cube, const hyla_transfer *transfers,
                                 const enum hy_part *parts, int count, struct hy_move **move);
hyla_status hy_move_run(struct hy_move *move);
/* Local.  Other matrices with the same layouts, sizes and types, created where the
 * first were created and wrapped where they were wrapped, with the same op and any
 * alpha; else ARGUMENT. */
hyla_status hy_move_rebind(struct hy_move *move, const hyla_transfer *transfers);
void hy_move_destroy(struct hy_move **move);

/* Local.  Adds what a move of these transfers costs this node.  Memory: packing
 * buffers. */
hyla_status hy_move_expect(hyla_cube *cube, const hyla_transfer *transfers, int count,
                           hyla_cost *cost);
/* Local.  Adds the same for any node, from the layouts alone: a transfer as
 * op(from) and to lie, the bytes of an entry, the part.  dims: of the cube. */
struct hy_move_ends {
  const struct hy_operand *from, *to;
  size_t size;
  enum hy_part part;
};
hyla_status hy_move_cost(struct hy_base *base, int dims, const struct hy_move_ends *ends, int count,
                         int node, hyla_cost *cost);

/* create without hy_enter, for workspaces inside plans: the arguments are known
 * to be good and the same on all ranks.  MEMORY is agreed upon. */
hyla_status hy_matrix_make(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                           const hyla_layout *layout, hyla_matrix **matrix);
/* The same in memory that no other rank reads in place; made in less time. */
hyla_status hy_matrix_make_private(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                                   const hyla_layout *layout, hyla_matrix **matrix);

/* ---------------------------------------------------------------- plans -- */

/* What a kind of plan (of a multiplication, of a redistribution) does; `state`
 * is its own, zeroed by hy_plan_create. */
struct hy_plan_kind {
  size_t size; /* of the state */
  /* Collective over the cube; the status is this rank's.  Allocates nothing. */
  hyla_status (*run)(void *state);
  const char *(*variant)(const void *state);
  hyla_cost (*cost)(const void *state);
  void (*explain)(const void *state, struct hy_text *text);
  /* Frees what the state holds, not the state itself; also of one half made. */
  void (*destroy)(void *state);
  double (*seconds)(const void *state); /* predicted */
};

struct hyla_plan {
  hyla_cube *cube;
  const struct hy_plan_kind *kind;
  uint64_t fingerprint; /* of what it does and by which variant, for hyla_plan_run */
  void *state;
};

/* Local: the maker agrees on the status and gives the fingerprint. */
hyla_status hy_plan_create(hyla_cube *cube, const struct hy_plan_kind *kind, hyla_plan **plan);

/* Collective.  Of each count of each candidate that applies the largest over the
 * nodes, on all ranks, and the seconds that the cube's machine takes for it. */
hyla_status hy_plan_busiest(hyla_cube *cube, const struct hy_kernels *k,
                            struct hy_candidate *candidates, int count);

/* ------------------------------------------------------- redistribution -- */

/* What is to be brought where; k: of all matrices.  banded: of one square matrix, whose
 * entry (i, j) is 0 where width < |i - j| < n - width. */
struct hy_redistribution {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int count;
  const hyla_transfer *transfers;
  bool banded;
  int64_t width;
};

/* A way of doing it. */
struct hy_redistribute_variant {
  const char *name;
  bool scales;           /* by alpha, on the way; otherwise that is not its task */
  const char *reference; /* key in doc/references.bib, and section */
  /* NULL when it applies, else the reason, in words. */
  const char *(*applies)(const struct hy_redistribution *problem);
  /* Collective over cube and guests; all ranks return the same.  Decides who sends
   * what when, and counts it. */
  hyla_status (*create)(const struct hy_redistribution *problem, void **state);
  /* Exact, of this node. */
  hyla_cost (*cost)(const void *state);
  /* Local: takes the memory of a run. */
  hyla_status (*take)(void *state);
  /* Collective over the nodes; guests return at once.  Allocates nothing. */
  hyla_status (*run)(void *state);
  /* How it goes about it, for people: lines that begin with two blanks. */
  void (*explain)(const void *state, struct hy_text *text);
  void (*destroy)(hyla_cube *cube, void **state); /* NULL inside is fine */
};

/* The list; the first of equally fast ones is chosen. */
extern const struct hy_redistribute_variant hy_redistribute_direct;
extern const struct hy_redistribute_variant hy_redistribute_moves;
extern const struct hy_redistribute_variant hy_redistribute_multiphase;
extern const struct hy_redistribute_variant hy_transpose_recursive, hy_transpose_paths,
    hy_transpose_torus, hy_transpose_torus_paths, hy_transpose_mesh, hy_transpose_rows,
    hy_transpose_pipelined, hy_transpose_band;

/* All variants, NULL-terminated; how many there are. */
const struct hy_redistribute_variant *const *hy_redistribute_variants(void);
int hy_redistribute_variant_count(void);

#endif
