/* Door of the room matrix: how indices lie on the cube, and the matrix object. */
#ifndef HY_MATRIX_H
#define HY_MATRIX_H 1

#include "cube/cube.h"

/* One axis of a matrix or view, ready for index arithmetic.  Index i of the
 * view is index first + i of the matrix that owns the storage; mirrored, as an axis of a matrix
 * that is turned, index first + n - 1 - i. */
struct hy_axis {
  hyla_axis code; /* as the user gave it */
  int64_t first;
  int64_t n;     /* of the view */
  int64_t total; /* of the owner */
  int64_t block; /* consecutive and cyclic alike: part = (index / block) mod parts */
  int parts;
  bool mirrored;
};

/* For an axis of `total` indices. */
struct hy_axis hy_axis_make(const hyla_axis *code, int64_t total);
/* For results that do not depend on the number of ranks: all of n indices on every node; dealt to
 * all nodes of a cube of so many dimensions, `block' at a time.  Into blocks of so many columns, of
 * n, what is done together goes; few where there are few, that several ranks have some. */
struct hy_axis hy_axis_whole(int64_t n);
struct hy_axis hy_axis_dealt(int dims, int64_t block, int64_t n);
int64_t hy_fixed_width(int64_t n);
/* Indices first ... first+n-1 of an axis. */
struct hy_axis hy_axis_range(const struct hy_axis *axis, int64_t first, int64_t n);

/* The part that holds index i; how many of the view's indices below i part q
 * holds (i from 0 to n; i = n gives how many it holds in all); the view's index
 * of part q's l-th. */
int hy_axis_owner(const struct hy_axis *axis, int64_t i);
int64_t hy_axis_before(const struct hy_axis *axis, int part, int64_t i);
int64_t hy_axis_index(const struct hy_axis *axis, int part, int64_t l);
/* Which of its stored indices is index i of the view, in the part that holds it: on a mirrored axis
 * they lie the other way round. */
int64_t hy_axis_place(const struct hy_axis *axis, int64_t i);
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
/* Do both axes hold every index on the same node, and in the same order? (On equal cube
 * dimensions. Two codes that are written differently may still place all indices alike.) */
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
/* Do two matrices, views of one matrix or wraps of arrays that overlap, share memory on this rank?
 * Other ranks' arrays may lie otherwise: for hy_enter. */
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
/* Do rows become columns?  What is done to the entries, wherever they go: nothing, or one of the
 * two transpositions. */
bool hy_transposes(hyla_operation op);
hyla_operation hy_without_turn(hyla_operation op);
/* Local.  On a stage or a counting cube: *staged lies as the matrix does, without data. */
hyla_matrix *hy_matrix_stage(hyla_cube *stage, const hyla_matrix *matrix, hyla_matrix *staged);
bool hy_operand_equal(const struct hy_operand *a, const struct hy_operand *b);
/* Can every node read the others' blocks of this matrix? */
bool hy_in_place(const hyla_matrix *matrix);

/* Local.  A matrix on a counting cube that lies as an operand does: no entry is stored. */
hyla_matrix hy_matrix_counted(hyla_cube *counting, hyla_type type, const struct hy_operand *x);

/* Which entries (i, j) of a matrix are meant: all; those with i >= j, i <= j, i > j, i < j. */
enum hy_part { HY_WHOLE, HY_LOWER_PART, HY_UPPER_PART, HY_BELOW_PART, HY_ABOVE_PART };

/* ------------------------------------------------------------------ sums -- */

/* One row's: of op(A) x, and how large the row is.  A whole number of entries of any type. */
struct hy_row_sum {
  _Alignas(16) double _Complex value;
  double size;
};
enum hy_row_size {
  HY_SIZE_NONE,     /* not wanted */
  HY_SIZE_SQUARES,  /* the root of sum_j |op(A)_ij|^2 */
  HY_SIZE_WEIGHTED, /* sum_j |op(A)_ij| weights_j */
};

/* What of a matrix is summed: op of a part of it.  real_diagonal: without the imaginary parts of
 * its diagonal; unit: with ones, which are not stored, on the diagonal that the part leaves out. */
struct hy_summand {
  const hyla_matrix *matrix;
  hyla_operation op;
  enum hy_part part;
  bool real_diagonal, unit;
};

/* One or two, whose sum is meant. */
struct hy_summands {
  int count;
  struct hy_summand summand[2];
};

/* Workspace for summands of a type with up to so many local rows or columns, and so many rows of
 * op(A).  take, free: local. */
struct hy_row_sums {
  hyla_cube *cube;
  const struct hy_kernels *k;
  char *x, *y;
  double *weights, *sizes;
  struct hy_row_sum *work;
};
hyla_status hy_row_sums_take(hyla_cube *cube, const struct hy_kernels *k, int64_t local,
                             int64_t rows, struct hy_row_sums *s);
void hy_row_sums_free(struct hy_row_sums *s);
/* What add works with: vectors of all columns of op(A), on every node. */
struct hy_row_vector {
  const double _Complex *x;
  enum hy_row_size size;
  const double *weights; /* of HY_SIZE_WEIGHTED */
};
/* add    local: adds what this node has of the summand to the sums of all rows of op(A); row i is
 *        the place[i]-th of these, place NULL: the i-th
 * merge  over the subcube `dims': sums of `rows' rows that the nodes have added to, with sizes of
 * that kind, on every node find   collective over the nodes: the sums of all rows of a matrix, of
 * copies of the one on the face, on every node; near: of this node's copy, on those that have it */
void hy_row_sums_add(const struct hy_row_sums *s, const struct hy_summand *summand,
                     const struct hy_row_vector *vector, const int64_t *place,
                     struct hy_row_sum *sums);
hyla_status hy_row_sums_merge(const struct hy_row_sums *s, uint32_t dims, enum hy_row_size size,
                              struct hy_row_sum *sums, int64_t rows);
hyla_status hy_row_sums_find(const struct hy_row_sums *s, const struct hy_summands *parts,
                             bool near, const struct hy_row_vector *vector, struct hy_row_sum *sums,
                             int64_t rows);

/* Local.  A random sign for index j, the same for any sizes; a weight that tells j from all other
 * indices below n, in [1, 2) and exact in any type for n up to 2^23. */
double hy_row_sign(int64_t j);
double hy_row_weight(int64_t j, int64_t n);
/* Local.  By how much, relative to a row's size, sums over `n' columns of a product with inner
 * dimension `inner' may differ by rounding; the size of a row of a factor: what its sum by random
 * signs may be, from the squares of its entries. */
double hy_row_tolerance(const struct hy_kernels *k, int64_t inner, int64_t n);
double hy_row_size_of(const struct hy_row_sum *squares);
/* Is `found' what is due?  Of what is due and is not finite nothing can be said. */
bool hy_row_fits(const struct hy_row_sum *due, const struct hy_row_sum *found, double tolerance);

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
