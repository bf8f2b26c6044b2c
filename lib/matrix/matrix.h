/* Door of the room matrix: how indices lie on the cube, and the matrix object. */
#ifndef HY_MATRIX_H
#define HY_MATRIX_H 1

#include "cube/cube.h"

/* One axis of a matrix or view, ready for index arithmetic.  Index i of the view is index first + i
 * of the matrix that owns the storage.  On a mirrored axis, which a turned matrix has, it is index
 * first + n - 1 - i. */
struct hy_axis {
  hyla_axis code; /* as the user gave it */
  int64_t first;
  int64_t n;     /* of the view */
  int64_t total; /* of the owner */
  int64_t block; /* consecutive and cyclic alike: part = (index / block) mod parts */
  int parts;
  bool mirrored;
};

/* The axis of `total` indices in the layout that `code` describes. */
struct hy_axis hy_axis_make(const hyla_axis *code, int64_t total);
/* Axes for results that do not depend on the number of ranks.  whole: every node holds all n
 * indices.  dealt: blocks of `block' indices are dealt out cyclically to all nodes of the cube;
 * NULL: to nobody, as in whole.  fixed_width: the block width for n columns; a small n gets narrow
 * blocks, so that several ranks take part. */
struct hy_axis hy_axis_whole(int64_t n);
struct hy_axis hy_axis_dealt(const hyla_cube *cube, int64_t block, int64_t n);
int64_t hy_fixed_width(int64_t n);
/* Indices first ... first+n-1 of an axis. */
struct hy_axis hy_axis_range(const struct hy_axis *axis, int64_t first, int64_t n);

/* owner: the part that holds index i of the view.  before: the number of the view's indices below i
 * that the part holds, for i from 0 to n; i = n gives all that it holds.  index: the view's index
 * with local position l in the part. */
int hy_axis_owner(const struct hy_axis *axis, int64_t i);
int64_t hy_axis_before(const struct hy_axis *axis, int part, int64_t i);
int64_t hy_axis_index(const struct hy_axis *axis, int part, int64_t l);
/* The position of index i among the indices that its part stores of the view.  On a mirrored axis
 * it runs against the local positions above, since storage is not mirrored. */
int64_t hy_axis_place(const struct hy_axis *axis, int64_t i);
/* The part that a node holds; the number of indices that a part, or a node, holds. */
static inline int hy_part_of(const struct hy_axis *axis, int node) {
  return (int)hy_axis_part(&axis->code, (uint32_t)node);
}
static inline int64_t hy_held(const struct hy_axis *axis, int part) {
  return hy_axis_before(axis, part, axis->n);
}
static inline int64_t hy_held_at(const struct hy_axis *axis, int node) {
  return hy_held(axis, hy_part_of(axis, node));
}
/* The number of consecutive indices from i on, i included, that lie in one part. */
int64_t hy_axis_run(const struct hy_axis *axis, int64_t i);
/* The largest number of indices any part holds. */
int64_t hy_axis_most(const struct hy_axis *axis);
/* Do both axes hold every index on the same node and in the same order?  Their cube dimensions must
 * be the same; codes that are written differently may still place all indices alike. */
bool hy_axis_equal(const struct hy_axis *a, const struct hy_axis *b);

struct hyla_matrix {
  hyla_cube *cube;
  const struct hy_kernels *k;
  hyla_layout layout;
  struct hy_axis row;
  struct hy_axis col;
  uint32_t unused_dims; /* the cube dimensions that split neither axis */
  int row_part;         /* this rank's; -1 on guests and on nodes off the face */
  int col_part;
  int64_t local_rows; /* of the view; 0 on ranks without a part */
  int64_t local_cols;
  char *local; /* the view's first local entry */
  int64_t ld;
  struct hy_window *window; /* memory that contains local; NULL for wrapped matrices */
  bool owner;               /* destroys the window: false for views and wrapped matrices */
  const void *storage;      /* the owner's first local entry: equal for all views of one matrix */
};

/* Address of local entry (l, m). */
static inline char *hy_at(const struct hyla_matrix *a, int64_t l, int64_t m) {
  return a->local + ((size_t)l + (size_t)m * (size_t)a->ld) * a->k->size;
}
/* The address of the node that holds part (p, q).  If there are copies, it is the one on the face;
 * with `near', the copy whose other address bits are those of node `near'. */
int hy_matrix_node(const struct hyla_matrix *a, int row_part, int col_part);
int hy_matrix_node_near(const struct hyla_matrix *a, int row_part, int col_part, int near);
/* Do several nodes hold the same entries? */
static inline bool hy_matrix_has_copies(const struct hyla_matrix *a) {
  return a->unused_dims != 0 && a->layout.rest == HYLA_REPLICATED;
}
/* The leading dimension of a node's block that has row part `row_part', of a matrix in a window or
 * a view of one. */
int64_t hy_matrix_peer_ld(const struct hyla_matrix *a, int row_part);

/* A caller's array that becomes a matrix: it holds the local entries of rows row ... row+rows-1,
 * columns col ... col+cols-1 of a matrix in the layout. */
struct hy_array {
  const char *call; /* the public call's name for messages; static */
  hyla_type type;
  int64_t row, rows, col, cols;
  const hyla_layout *layout; /* NULL: the default one */
  void *local;
  int64_t ld;
};
/* Collective.  hyla_matrix_wrap for such an array.  mine: this rank's status so far. */
hyla_status hy_matrix_wrap(hyla_cube *cube, const struct hy_array *array, hyla_status mine,
                           hyla_matrix **matrix);

/* Local.  Checks a layout against a cube: its dimensions exist and are distinct.  ARGUMENT. */
hyla_status hy_layout_check(hyla_cube *cube, const hyla_layout *layout);
/* An axis on the cube dimensions low ... low+dims-1, in that order. */
hyla_axis hy_layout_axis(hyla_code code, hyla_storage storage, int64_t block, int low, int dims);
/* The rows' or the columns' axis of the default layout, cyclic, in binary code, with that block. */
hyla_axis hy_layout_side(const hyla_cube *cube, int64_t block, bool rows);
/* A layout's `across' on this cube. */
int hy_layout_across(const hyla_cube *cube);
/* Puts an axis of `parts' parts on the lowest dimensions from `low' on that have `parts' nodes;
 * false if none do.  The columns of ScaLAPACK's grids and of @RxC begin at 0, the rows behind. */
bool hy_axis_from(const hyla_cube *cube, int low, int64_t parts, hyla_axis *axis);
/* Sets the parts of an axis from its dimensions. */
void hy_axis_on_sides(const struct hy_sides *sides, hyla_axis *axis);
/* Does an axis lie on the dimensions low, low + 1, ...? */
bool hy_layout_runs_from(const hyla_axis *axis, int low);
/* The dimensions of a cube that split neither axis. */
uint32_t hy_layout_others(int dims, const hyla_layout *layout);
/* Does a node hold a part? */
bool hy_layout_holds(int dims, const hyla_layout *layout, int node);

/* Local.  Verdict on a call's matrix of that name, for hy_enter: it is not NULL and belongs to this
 * cube. */
hyla_status hy_matrix_check(hyla_cube *cube, const hyla_matrix *a, const char *call,
                            const char *name);
/* Local.  Do two matrices share memory on this rank?  Views of one matrix may, and wraps of
 * overlapping arrays.  Other ranks may answer otherwise, so the answer goes through hy_enter. */
bool hy_matrix_overlap(const hyla_matrix *x, const hyla_matrix *y);
/* Local.  Rows row ... row+rows-1, columns col ... col+cols-1 of a matrix, sharing its entries: a
 * hyla_matrix_view without an object to destroy. */
hyla_matrix hy_matrix_part(const hyla_matrix *a, int64_t row, int64_t col, int64_t rows,
                           int64_t cols);
/* A sum of squares, times 4^exponent, which neither overflows nor loses squares that underflow.
 *   of     local: of m x n entries, read once unless they are very large or very small
 *   add    for hy_allreduce: sums, each in its unit, are added in the larger one
 * frobenius: collective over all ranks, agreed; a matrix' Frobenius norm, value * 2^exponent */
struct hy_squares {
  double sum;
  int64_t exponent;
};
struct hy_squares hy_squares_of(const struct hy_kernels *k, int64_t m, int64_t n, const void *a,
                                int64_t lda);
void hy_squares_add(void *into, const void *from, int64_t count, const void *arg);
hyla_status hy_matrix_frobenius(const hyla_matrix *a, double *value, int *exponent);
/* Adds the matrix' type, size and layout to a fingerprint. */
uint64_t hy_matrix_fingerprint(uint64_t fingerprint, const hyla_matrix *a);

/* Where the entries of op(matrix) lie on the cube. */
struct hy_operand {
  struct hy_axis row;
  struct hy_axis col;
  bool in_place;  /* every node can read every other node's block without a message */
  hyla_rest rest; /* meaning of the cube dimensions that split neither axis, if any */
};
struct hy_operand hy_operand_of(const hyla_matrix *matrix, hyla_operation op);
static inline hyla_layout hy_operand_layout(const struct hy_operand *x) {
  return (hyla_layout){.row = x->row.code, .col = x->col.code, .rest = x->rest};
}
/* others: the dimensions of a cube that split neither axis.  holds: does a node hold a part? */
uint32_t hy_operand_others(int dims, const struct hy_operand *x);
bool hy_operand_holds(int dims, const struct hy_operand *x, int node);
/* Does op exchange rows and columns?  And the part of op that changes entries but not their order:
 * none, or one of the two transpositions. */
bool hy_transposes(hyla_operation op);
hyla_operation hy_without_turn(hyla_operation op);
/* Local.  *staged describes on a rehearsal or counting cube the same layout, without data. */
hyla_matrix *hy_matrix_rehearsed(hyla_cube *rehearsal, const hyla_matrix *matrix,
                                 hyla_matrix *rehearsed);
bool hy_operand_equal(const struct hy_operand *a, const struct hy_operand *b);
/* Can every node read the others' blocks of this matrix? */
bool hy_in_place(const hyla_matrix *matrix);

/* Local.  A matrix on a counting cube that lies as the operand does; it stores no entry. */
hyla_matrix hy_matrix_counted(hyla_cube *counting, hyla_type type, const struct hy_operand *x);

/* A part of a matrix, as a condition on its entries (i, j): all; i >= j, i <= j, i > j, i < j. */
enum hy_part { HY_WHOLE, HY_LOWER_PART, HY_UPPER_PART, HY_BELOW_PART, HY_ABOVE_PART };

/* ------------------------------------------------------------------ sums -- */

/* A row's sum, its entry of op(A) x, and its size; a whole number of entries of any type. */
struct hy_row_sum {
  _Alignas(16) double _Complex value;
  double size;
};
enum hy_row_size {
  HY_SIZE_NONE,     /* not wanted */
  HY_SIZE_SQUARES,  /* the root of sum_j |op(A)_ij|^2 */
  HY_SIZE_WEIGHTED, /* sum_j |op(A)_ij| weights_j */
};

/* A matrix to sum: op of a part of it.  real_diagonal: the imaginary parts of its diagonal are
 * ignored.  unit: the part leaves out the diagonal, which is all ones and not stored. */
struct hy_summand {
  const hyla_matrix *matrix;
  hyla_operation op;
  enum hy_part part;
  bool real_diagonal, unit;
};

/* One or two matrices; their sum is meant. */
struct hy_summands {
  int count;
  struct hy_summand summand[2];
};

/* Workspace for summands of one type with up to `local' local rows or columns, and up to `rows'
 * rows of op(A).  allocate and free are local.  owner: the block that owns the memory; NULL: the
 * caller frees it. */
struct hy_row_sums {
  hyla_cube *cube;
  const struct hy_kernels *k;
  char *x, *y;
  double *weights, *sizes;
  struct hy_row_sum *work;
};
hyla_status hy_row_sums_allocate(hyla_cube *cube, const struct hy_kernels *k, int64_t local,
                                 int64_t rows, void *owner, struct hy_row_sums *s);
void hy_row_sums_free(struct hy_row_sums *s);
/* The vectors that multiply op(A), one entry a column, whole on every node. */
struct hy_row_vector {
  const double _Complex *x;
  enum hy_row_size size;
  const double *weights; /* of HY_SIZE_WEIGHTED */
};
/* add    local: adds this node's share of the summand to the sums of all rows of op(A); row i is
 *        added to sums[place[i]], or to sums[i] if place is NULL
 * merge  collective over the subcube `dims': adds up what its nodes have in `sums', with sizes of
 *        that kind; the result is on every node
 * find   collective over the nodes: the sums of all rows of a matrix, on every node.  Among copies
 *        the one on the face is summed; with `near' each node sums the copy that is near to it, and
 *        only nodes that hold one get the result */
void hy_row_sums_add(const struct hy_row_sums *s, const struct hy_summand *summand,
                     const struct hy_row_vector *vector, const int64_t *place,
                     struct hy_row_sum *sums);
hyla_status hy_row_sums_merge(const struct hy_row_sums *s, uint32_t dims, enum hy_row_size size,
                              struct hy_row_sum *sums, int64_t rows);
hyla_status hy_row_sums_find(const struct hy_row_sums *s, const struct hy_summands *parts,
                             bool near, const struct hy_row_vector *vector, struct hy_row_sum *sums,
                             int64_t rows);

/* Local.  A random sign for index j, the same for any size of the problem; and a weight in [1, 2)
 * that differs for all indices j below n and is exact in any type for n up to 2^23. */
double hy_row_sign(int64_t j);
double hy_row_weight(int64_t j, int64_t n);
/* Local.  tolerance: how much, relative to a row's size, sums over `n' columns of a product with
 * inner dimension `inner' may differ by rounding.  size_of: the size of a factor's row, from the
 * squares of its entries: the larger of their root and the row's sum with random signs. */
double hy_row_tolerance(const struct hy_kernels *k, int64_t inner, int64_t n);
double hy_row_size_of(const struct hy_row_sum *squares);
/* Within tolerance?  Always true if the expected value is not finite. */
bool hy_row_fits(const struct hy_row_sum *due, const struct hy_row_sum *found, double tolerance);

/* Collective.  hyla_matrix_create without hy_enter, for workspaces inside plans: the arguments are
 * valid and the same on all ranks.  All ranks return the same status, MEMORY or OK. */
hyla_status hy_matrix_make(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                           const hyla_layout *layout, hyla_matrix **matrix);
/* Collective.  The same in memory that other ranks cannot read in place, which is made faster.  Its
 * entries are not set. */
hyla_status hy_matrix_make_private(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                                   const hyla_layout *layout, hyla_matrix **matrix);
/* Collective.  hyla_matrix_create for a caller that sets all entries: they are not set. */
hyla_status hy_matrix_create_unset(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                                   const hyla_layout *layout, hyla_matrix **matrix);
/* Local.  A matrix with another layout over the memory of `memory'.  The layout must place all
 * entries on the same nodes (hy_axis_equal of both axes).  It owns no entries. */
hyla_status hy_matrix_over(const hyla_matrix *memory, const hyla_layout *layout,
                           hyla_matrix **matrix);
/* Local.  A matrix of another type, laid out as `like', which may be a view.  Its entries are in
 * memory at made->local that other ranks cannot read in place; the caller gives it to hy_free. */
hyla_status hy_matrix_like(const hyla_matrix *like, hyla_type type, hyla_matrix *made);

#endif
