/* Door of the room gemm: C := alpha op(A) op(B) + beta C, one file a variant.
 *
 * A variant works on operands that lie as it asks (layouts()).  Where the user's
 * matrices lie otherwise the front end moves them, transposing on the way, at a
 * cost that is part of the choice; where only op() is left, the local kernel
 * takes it and nothing moves.
 *
 * The plan binds everything: matrices, scalars, variant, memory.
 */
#ifndef HY_GEMM_H
#define HY_GEMM_H 1

#include "collective/collective.h"
#include "redistribute/redistribute.h"

/* What is to be computed: C (m x n) := alpha A (m x k) B (k x n) + beta C, A and
 * B after op().  With alpha = 0, k is 0 here.
 *   part           what of C is computed: all, or a triangle with the diagonal
 *   part_a, part_b where the factor may have other entries than 0: everywhere, or in
 *                  a triangle with the diagonal; of one factor at most
 * Triangles are HY_LOWER_PART and HY_UPPER_PART; C or the factor is square then. */
struct hy_gemm_problem {
  hyla_cube *cube;
  const struct hy_kernels *kernels;
  int64_t m, n, k;
  enum hy_part part, part_a, part_b;
  struct hy_operand a, b, c;
};

/* Is no factor triangular? */
static inline bool hy_gemm_is_full(const struct hy_gemm_problem *problem) {
  return problem->part_a == HY_WHOLE && problem->part_b == HY_WHOLE;
}

/* A factor of one run: the matrix, and the op() left to the local kernel. */
struct hy_gemm_factor {
  const hyla_matrix *matrix;
  hyla_operation op;
};

/* One run: the matrices in the layouts that the variant asked for. */
struct hy_gemm_task {
  struct hy_gemm_problem problem;
  double _Complex alpha, beta;
  struct hy_gemm_factor a, b;
  hyla_matrix *c;
};

/* All variants take all operands, after moving them if need be. */
struct hy_gemm_variant {
  struct hy_variant row; /* first */
  bool sends_zeros;      /* of a triangular factor too; the others send what is in the triangle */
  /* Changes the axes in *wanted, a copy of *given, to those it works on. */
  void (*layouts)(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted);
  /* Makes its state: what is to be done, as data.  Local. */
  hyla_status (*create)(const struct hy_gemm_problem *problem, void **state);
  /* Takes the memory of a run.  Local; guests take none. */
  hyla_status (*take)(const struct hy_gemm_task *task, void *state);
  /* Collective over the nodes; guests return at once.  Allocates nothing. */
  hyla_status (*run)(const struct hy_gemm_task *task, void *state);
  void (*destroy)(hyla_cube *cube, void **state); /* NULL inside is fine */
};

/* Local.  Exactly what a variant's run costs a node, for operands that lie as the problem says,
 * which are those it asked for: counted on a counting cube.  C is added to. */
hyla_status hy_gemm_replay(const struct hy_gemm_variant *variant,
                           const struct hy_gemm_problem *problem, int node, hyla_cost *cost);
/* The same in parts, for whoever runs what it wants.  The replay stays where it is. */
struct hy_gemm_replay {
  hyla_cube cube;
  hyla_matrix a, b, c;
  struct hy_gemm_task task;
};
void hy_gemm_replay_begin(const struct hy_gemm_problem *problem, int node,
                          struct hy_gemm_replay *replay);
hyla_cost hy_gemm_replay_end(const struct hy_gemm_problem *problem,
                             const struct hy_gemm_replay *replay);

/* The list: one row a variant. */
extern const struct hy_gemm_variant hy_gemm_all3d;
extern const struct hy_gemm_variant hy_gemm_berntsen;
extern const struct hy_gemm_variant hy_gemm_cannon;
extern const struct hy_gemm_variant hy_gemm_dekel;
extern const struct hy_gemm_variant hy_gemm_dns;
extern const struct hy_gemm_variant hy_gemm_hje;
extern const struct hy_gemm_variant hy_gemm_reflect;
extern const struct hy_gemm_variant hy_gemm_outer;
extern const struct hy_gemm_variant hy_gemm_outer_pipelined;
extern const struct hy_gemm_variant hy_gemm_summa;
extern const struct hy_gemm_variant hy_gemm_summa_a;
extern const struct hy_gemm_variant hy_gemm_summa_b;
extern const struct hy_gemm_variant hy_gemm_word;

extern const struct hy_family hy_gemm_family;
/* For rows that compute whole blocks of C: applies unless a triangle is asked for. */
const char *hy_gemm_whole(const void *problem);
/* The variant of which a row of the family is the beginning. */
static inline const struct hy_gemm_variant *hy_gemm_variant_of(const struct hy_variant *row) {
  return (const struct hy_gemm_variant *)row;
}

/* ----------------------------------------------- what the variants share -- */

/* The node at another part of the axis. */
int hy_node_along(const struct hy_axis *axis, int node, int part);

/* The axis of k over a carrier's cube dimensions and code, in consecutive blocks
 * that are unions of the `finest` equal panels of k, finest >= parts: so A's
 * columns and B's rows can be split into different numbers of parts and still
 * share the panels, also when k is ragged. */
struct hy_axis hy_inner_axis(const hyla_axis *carrier, int64_t k, int finest);

/* Where panel kappa of `panels` equal ones begins; panel `panels` begins at k. */
static inline int64_t hy_panel_start(int64_t k, int panels, int kappa) {
  return hy_min(k, kappa * hy_ceil_div(k, panels));
}

/* Layouts for variants on consecutive blocks, in one code on both axes of an
 * array: C's own where C lies so, else the squarest; k as by hy_inner_axis. */
void hy_gemm_blocks(const struct hy_gemm_problem *given, hyla_code code,
                    struct hy_gemm_problem *wanted);

/* The entries that so many products go over: rows x inner in all by inner in all x cols,
 * each onto all of the result. */
static inline int64_t hy_gemm_touched(int64_t rows, int64_t cols, int64_t inner, int64_t products) {
  if (rows == 0 || cols == 0 || inner == 0) return 0;
  return (rows + cols) * inner + products * rows * cols;
}

/* A panel in this rank's reach: entry (0, 0) of op(data). */
struct hy_panel {
  const char *data;
  int64_t ld;
  hyla_operation op;
};
/* The panel that begins at entry (row, col) of op(panel's data). */
struct hy_panel hy_panel_at(const struct hy_panel *panel, int64_t row, int64_t col, size_t size);

/* Indices of a matrix, in ascending order: number[x]; or those of a part of an axis, from
 * its `first` on; or first + x. */
struct hy_indices {
  int64_t count;
  int64_t first;
  const int64_t *number;
  const struct hy_axis *axis;
  int part;
};
static inline struct hy_indices hy_interval(int64_t first, int64_t count) {
  return (struct hy_indices){.count = count, .first = first};
}
/* All that a part, or a node, holds of an axis. */
static inline struct hy_indices hy_indices_in(const struct hy_axis *axis, int part) {
  return (struct hy_indices){.count = hy_held(axis, part), .axis = axis, .part = part};
}
struct hy_indices hy_indices_of(const struct hy_axis *axis, int node);
/* The x-th of a list; how many of it are below an index. */
int64_t hy_indices_at(const struct hy_indices *list, int64_t x);
int64_t hy_indices_below(const struct hy_indices *list, int64_t index);
/* The sum of it over the indices of another list, each raised by `shift`. */
int64_t hy_indices_below_all(const struct hy_indices *list, const struct hy_indices *of,
                             int64_t shift);

/* So many of a list, from one on. */
struct hy_reach {
  int64_t from, count;
};

/* A block of a factor that may have other entries than 0 in one part alone, HY_WHOLE: anywhere;
 * by the factor's indices.  Of a triangle alone its entries travel, or, of blocks in one
 * triangle or the other but for those on the diagonal, the rows (columns) that have any. */
struct hy_wedge {
  enum hy_part part;
  struct hy_indices rows, cols;
};
/* Entries in the part. */
int64_t hy_wedge_entries(const struct hy_wedge *wedge);
/* The rows, the columns that have entries in the part. */
struct hy_reach hy_wedge_rows(const struct hy_wedge *wedge);
struct hy_reach hy_wedge_cols(const struct hy_wedge *wedge);
/* Of a block rows x cols that stands without gaps the part's entries come to its beginning,
 * column by column; they go back, and zeros to where they do not stand. */
void hy_wedge_pack(const struct hy_wedge *wedge, const struct hy_kernels *k, char *data);
void hy_wedge_unpack(const struct hy_wedge *wedge, const struct hy_kernels *k, char *data);

/* A product of panels: rows x cols entries at data := alpha A B + beta times themselves.
 * Where the problem has a triangular factor, its zeros are left out. */
struct hy_leaf {
  struct hy_indices rows, cols, inner; /* of C and of k */
  const struct hy_panel *a, *b;
  double _Complex beta;
  char *data;
  int64_t ld;
};
void hy_leaf_multiply(const struct hy_gemm_task *task, const struct hy_leaf *leaf);

/* The sum on this node's block of C, or on its part of a triangle: the first product
 * takes beta, the others add. */
struct hy_gemm_sum {
  const struct hy_gemm_task *task;
  bool begun;
  int64_t entries; /* of a triangle, on this node */
};
void hy_gemm_add(struct hy_gemm_sum *sum, const struct hy_panel *a, const struct hy_panel *b,
                 const struct hy_indices *inner);
/* C := beta C when nothing was added. */
void hy_gemm_finish(struct hy_gemm_sum *sum);

/* Loans: the nodes along one axis of a matrix lend one another their blocks,
 * which are read where they stand.  Along an axis that is not split a node has
 * its own block only, and nothing travels. */
struct hy_loans;
/* Local.  rows: along op(matrix)'s rows, else along its columns; part: of op(matrix) what is
 * lent, and where there is nothing of it in a block that is not lent. */
hyla_status hy_loans_create(const struct hy_gemm_factor *factor, bool rows, enum hy_part part,
                            struct hy_loans **loans);
void hy_loans_destroy(hyla_cube *cube, struct hy_loans **loans);
/* Lends; gives the block of a part, once its owner has lent it; gives all back
 * and waits until all blocks of this node have come back. */
hyla_status hy_loans_open(struct hy_loans *loans);
hyla_status hy_loans_block(struct hy_loans *loans, int part, struct hy_panel *block);
hyla_status hy_loans_close(struct hy_loans *loans);

#endif
