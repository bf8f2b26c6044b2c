/* Door of solve/cholesky: the pieces of Cholesky's factorization A = L L^H.
 *
 * Panel k is block column k behind its diagonal block; it lies on rank column q_k, and its
 * diagonal block on rank row p_k (panels.h).  The lower triangle of A is read and becomes
 * L; entries above the diagonal blocks are neither read nor changed. */
#ifndef HY_SOLVE_CHOLESKY_H
#define HY_SOLVE_CHOLESKY_H 1

#include "solve/triangle/triangle.h"

/* Columns that are updated at a time; with packed rows (panels.h), one block's. */
enum { HY_CHOLESKY_STRIP = 512 };

/* A panel: its message is the header and the local rows behind the diagonal block.  Once it has
 * come, row x of `across' stands for local column `column' + x. */
struct hy_cholesky_panel {
  struct hy_diagonal_block at;
  int64_t row; /* its first local row */
  int rows;    /* rows x at.width, leading dimension ld */
  int ld;
  int64_t bytes;
  struct hy_panel_slot *slot;
  const char *across;
  int ld_across;
  int64_t column;
};

/* Workspace for the inverse of the factor. */
struct hy_cholesky_inverse {
  char *solved;     /* this rank's columns of a block row of W = L^-1 */
  char *gathered;   /* columns that stand for its rows, from all of the rank row */
  char *along;      /* the same in their order */
  int64_t *numbers; /* offsets of the members' blocks; places in them */
  /* Collectives over the rank column: a block row of W; over the rank row: `gathered'. */
  struct hy_subcube_op spreads, crosses;
};

/* A block column of this rank: its diagonal block, and the member of its column that has it. */
struct hy_cholesky_block {
  struct hy_diagonal_block at;
  int64_t member;
};

struct hy_cholesky {
  const struct hy_factorization *problem;
  const struct hy_factor_traits *steps; /* the variant's */
  hyla_cube *cube;
  const struct hy_kernels *k;
  const hyla_matrix *a;
  struct hy_block_cyclic array;
  struct hy_panels panels;          /* along the rank rows */
  struct hy_cholesky_panel panel;   /* the one in use */
  struct hy_packed_rows packed;     /* all rows of a panel */
  char *diagonal;                   /* a diagonal block that travels down the rank column */
  char *gathered;                   /* rows of a panel, of all members of the rank column */
  char *across;                     /* the panel's rows that stand for this rank's columns */
  int64_t *numbers;                 /* offsets of the members' rows; places in them */
  struct hy_cholesky_block *blocks; /* this rank's, in order */
  /* Collectives over the rank row: panels; over the rank column: diagonal blocks, panels' rows. */
  struct hy_subcube_op shares, diagonals, rows;
  struct hy_triangular_system forward, backward; /* L, L^H; for order 1 none, A */
  struct hyla_matrix alone;                      /* for order 1: A, in `entry' */
  double _Complex entry;
  struct hy_cholesky_inverse inverse; /* if the problem asks for it */
  bool inverts;                       /* the variant makes that inverse */
  /* Columns are updated by whole blocks, and cholesky_fixed.c solves systems. */
  bool fixed;
};

/* cholesky_workspace.c: functions of the variants' rows and traits (contract.h). */
hyla_status hy_cholesky_create(const struct hy_variant *variant, const void *given, void **state);
hyla_status hy_cholesky_allocate(void *state);
hyla_status hy_cholesky_resume(void *state, int64_t from);
void hy_cholesky_explain(const void *state, struct hy_text *text);

/* cholesky.c: functions of the variants' rows. */
hyla_status hy_cholesky_run(void *state);
#define HY_CHOLESKY_OPERATIONS                                                                     \
  .applies = hy_factor_applies, .create = hy_cholesky_create, .allocate = hy_cholesky_allocate,    \
  .run = hy_cholesky_run

/* cholesky_block.c, local, on the rank that has a diagonal block: replaces it by its factor, and
 * copies that to `diagonal' behind a header that says whether there is one. */
void hy_cholesky_factor_block(struct hy_cholesky *c, const struct hy_diagonal_block *at);

/* cholesky_inverse.c, for problems that ask for the inverse.
 * create  local; memory: adds this node's bytes
 * allocate    local, on nodes
 * run     collective over the nodes, not agreed: the lower triangle of the factors becomes that of
 *         A^-1 */
hyla_status hy_cholesky_inverse_create(struct hy_cholesky *c);
hyla_status hy_cholesky_inverse_allocate(struct hy_cholesky *c);
hyla_status hy_cholesky_inverse_run(struct hy_cholesky *c);

#endif
