/* Door of solve/ldl: the pieces of P A P^T = L D L^H.
 *
 * The lower triangle of A is read and becomes L; the ones on L's diagonal are not stored.  Every
 * rank keeps D, whose blocks have order 1 and 2.  A panel is a range of columns, wherever blocks
 * begin.  While it is made, a rank has the panel's columns of L in the rank's own rows, and those
 * of W = L D in the rows that stand for the rank's own columns. */
#ifndef HY_SOLVE_LDL_H
#define HY_SOLVE_LDL_H 1

#include "solve/triangle/triangle.h"

/* Columns of a panel; one more if a pivot of order 2 ends it. */
enum { HY_LDL_PANEL = 64, HY_LDL_WIDTH = HY_LDL_PANEL + 1, HY_LDL_ROWS = 2 * HY_LDL_WIDTH };

struct hy_ldl {
  const struct hy_factorization *problem;
  hyla_cube *cube;
  const struct hy_kernels *k;
  const hyla_matrix *a;
  struct hy_block_cyclic array;
  int64_t n;
  int64_t local_rows, local_cols;
  int64_t *row_index, *col_index; /* global indices of this rank's rows, columns */
  char *column[2];                /* columns of the remaining matrix, on all ranks */
  char *message;                  /* a column that moves, and rows of the panel */
  char *part;                     /* this rank's entries of a column */
  char *lower, *across;           /* the panel's L, local rows x HY_LDL_WIDTH; its W, local
                                   * columns */
  char *moved;                    /* HY_LDL_ROWS rows of a matrix */
  int64_t *rows;                  /* rows that move: HY_LDL_ROWS old places, and as many new ones */
  struct hy_block_diagonal d;
  double *diagonal; /* the arrays of d */
  double _Complex *below;
  /* Sums: of columns, over the cube; of rows that move, over the rank column and over the rank
   * row. */
  struct hy_subcube_op columns, rows_down, rows_across;
  struct hy_triangular_system forward, backward; /* L, L^H */
};

/* The state of the elimination. */
struct hy_ldl_panel {
  int64_t first; /* global column */
  int64_t width; /* columns that are finished */
};

/* A pivot of order 1 or 2 at column `at`, whose last column is swapped with `row`. */
struct hy_ldl_pivot {
  int64_t at, row;
  int order;
};

/* The entries of an array of entries from the i-th on. */
static inline char *hy_ldl_entry(const struct hy_ldl *f, char *array, int64_t i) {
  return array + i * (int64_t)f->k->size;
}
/* Row i of column j of the panel's L; of its W. */
static inline char *hy_ldl_lower(const struct hy_ldl *f, int64_t i, int64_t j) {
  return hy_ldl_entry(f, f->lower, i + j * hy_max(1, f->local_rows));
}
static inline char *hy_ldl_across(const struct hy_ldl *f, int64_t i, int64_t j) {
  return hy_ldl_entry(f, f->across, i + j * hy_max(1, f->local_cols));
}
/* The number of this rank's rows (columns) before a global one. */
static inline int64_t hy_ldl_rows_before(const struct hy_ldl *f, int64_t i) {
  return hy_axis_before(&f->array.row, f->array.row_part, i);
}
static inline int64_t hy_ldl_cols_before(const struct hy_ldl *f, int64_t j) {
  return hy_axis_before(&f->array.col, f->array.col_part, j);
}
static inline bool hy_ldl_has_row(const struct hy_ldl *f, int64_t i) {
  return hy_axis_owner(&f->array.row, i) == f->array.row_part;
}
static inline bool hy_ldl_has_col(const struct hy_ldl *f, int64_t j) {
  return hy_axis_owner(&f->array.col, j) == f->array.col_part;
}

/* The functions are collective over the nodes; their decisions are the same on all nodes. */

/* ldl_panel.c: makes one panel; its columns of A become L's.  failed: the column, from 1. */
hyla_status hy_ldl_make_panel(struct hy_ldl *f, struct hy_ldl_panel *panel, int64_t *failed,
                              hyla_status *pivot_status);

/* ldl_pivot.c.  add_column: writes to `sum' this rank's entries of column `column' of the remaining
 * matrix, from row `first' on, with `width' of the panel's columns subtracted; other entries of sum
 * become zero. choose: f->column holds the pivot's columns, from row `at' on, not yet swapped. */
void hy_ldl_add_column(const struct hy_ldl *f, int64_t first, int64_t column, int64_t width,
                       char *sum);
hyla_status hy_ldl_choose(struct hy_ldl *f, const struct hy_ldl_panel *panel, int64_t at,
                          struct hy_ldl_pivot *pivot, hyla_status *pivot_status);

/* ldl_swap.c: swaps the pivot's rows and columns in the panel; column and row `at' of the remaining
 * matrix go to the place of the pivot's. */
hyla_status hy_ldl_swap(struct hy_ldl *f, const struct hy_ldl_panel *panel,
                        const struct hy_ldl_pivot *pivot);

/* ldl_rows.c.  move: applies the swaps of steps first ... end-1, or undoes them, in the first
 * `count' local columns of m.  permute: x := P x or x := P^T x.  divide: x := D^-1 x.  group: the
 * sums over the ranks that share m's columns. */
hyla_status hy_ldl_move(const struct hy_ldl *f, const struct hy_subcube_op *group,
                        const struct hyla_matrix *m, int64_t count, int64_t first, int64_t end,
                        bool backwards);
hyla_status hy_ldl_permute(const struct hy_ldl *f, const struct hy_subcube_op *group,
                           const struct hyla_matrix *x, bool backwards);
hyla_status hy_ldl_divide(const struct hy_ldl *f, const struct hyla_matrix *x);

#endif
