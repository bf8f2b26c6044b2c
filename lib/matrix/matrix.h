/* Door of the room matrix: how indices lie on the cube, and the matrix object. */
#ifndef HY_MATRIX_H
#define HY_MATRIX_H 1

#include "cube/cube.h"

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
/* Do both axes hold every index on the same node? (On equal cube dimensions. Two codes that
 * are written differently may still place all indices alike.) */
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
/* The cube address that holds part (p, q). Where there are copies: that on the face; with
 * `near` the copy that agrees with the node `near` in all other bits. */
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
/* Do two matrices, views of one matrix or wraps of one array, share entries on this rank? */
bool hy_matrix_overlap(const hyla_matrix *x, const hyla_matrix *y);
/* Local.  Rows row ... row+rows-1, columns col ... col+cols-1 of a matrix, whose entries it has: as
 * hyla_matrix_view, but for whoever needs no object. */
hyla_matrix hy_matrix_part(const hyla_matrix *a, int64_t row, int64_t col, int64_t rows,
                           int64_t cols);
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
/* Local.  On a stage or a counting cube: *staged lies as the matrix does, without data. */
hyla_matrix *hy_matrix_stage(hyla_cube *stage, const hyla_matrix *matrix, hyla_matrix *staged);
bool hy_operand_equal(const struct hy_operand *a, const struct hy_operand *b);
/* Can every node read the others' blocks of this matrix? */
bool hy_in_place(const hyla_matrix *matrix);

/* Local.  A matrix on a counting cube that lies as an operand does: no entry is stored. */
hyla_matrix hy_matrix_counted(hyla_cube *counting, hyla_type type, const struct hy_operand *x);

/* Which entries (i, j) of a matrix are meant: all; those with i >= j, i <= j, i > j, i < j. */
enum hy_part { HY_WHOLE, HY_LOWER_PART, HY_UPPER_PART, HY_BELOW_PART, HY_ABOVE_PART };

/* create without hy_enter, for workspaces inside plans: the arguments are known
 * to be good and the same on all ranks.  MEMORY is agreed upon. */
hyla_status hy_matrix_make(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                           const hyla_layout *layout, hyla_matrix **matrix);
/* The same in memory that no other rank reads in place; made in less time.  Its entries are not
 * set. */
hyla_status hy_matrix_make_private(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                                   const hyla_layout *layout, hyla_matrix **matrix);
/* Local.  A matrix in a layout over the memory of another, whose entries lie on the nodes as
 * they do in that layout (hy_axis_equal of both axes); it owns no entries. */
hyla_status hy_matrix_over(const hyla_matrix *memory, const hyla_layout *layout,
                           hyla_matrix **matrix);
/* Local.  A matrix of a type whose entries lie on the nodes as those of `like` do, which may
 * be a view; in memory of its own at made->local, for hy_free, that no other rank reads in
 * place. */
hyla_status hy_matrix_like(const hyla_matrix *like, hyla_type type, hyla_matrix *made);

#endif
