/* Private to lib/solve: the pieces of LU with partial pivoting.
 *
 * The matrix lies block-cyclically on a 2^r x 2^c array with square blocks.
 * Rank row p is the ranks that hold row part p, a subcube of c dimensions; rank
 * column q those that hold column part q, of r dimensions.  Panel k is block
 * column k from its diagonal block down; it lies on rank column q_k, and its
 * diagonal block on rank row p_k.
 *
 * L is kept as it is eliminated: the swaps of later panels are not applied to
 * it, so that it need never move again; forward substitution swaps the right-
 * hand side panel by panel instead. */
#ifndef HY_LU_H
#define HY_LU_H 1

#include "solve/solve.h"

/* Panels that may be in flight: the one in use, the one factored ahead, and the
 * one before, which a slower rank may still be reading. */
enum { HY_LU_SLOTS = 3 };

/* So many right-hand sides count as few: the matrix stays where it is and
 * partial sums travel.  With more, panels travel and all ranks compute. */
enum { HY_LU_FEW = 64 };

/* Columns that are swapped, solved for and updated at a time.  Fewer where panels
 * travel as messages, which then are looked after between two strips. */
enum { HY_LU_STRIP = 1024, HY_LU_SHORT_STRIP = 256 };

/* Order of the triangles on a diagonal block whose inverses stand in for them:
 * multiplying takes a third of the time of solving, and of unit triangles so
 * small, with no entry above 1, the inverses are harmless. */
enum { HY_LU_TILE = 16 };

/* A panel's message begins with this. */
struct hy_lu_header {
  int64_t status; /* HYLA_OK, SINGULAR, NOT_FINITE */
  int64_t column; /* the failing one, from 1; 0: none */
  int64_t swaps[];
};

/* Where panel k lies on a rank. */
struct hy_lu_shape {
  int64_t index;
  int64_t first;  /* global column, and row, that it begins with */
  int width;      /* columns */
  bool mine;      /* this rank is on rank column q_k */
  bool top;       /* this rank is on rank row p_k */
  int64_t column; /* its first local column, on q_k; elsewhere the first one behind it */
  int64_t row;    /* its first local row */
  int rows;       /* local rows from there on */
};

/* Which rows of a block column travel: from the diagonal block on, with a header
 * and, for ranks that hold no row of it, the diagonal block; or down to and with
 * the diagonal block. */
enum hy_lu_half { HY_LU_LOWER, HY_LU_UPPER };

/* A block column on its way, in a slot of the workspace or in a lender's. */
struct hy_lu_panel {
  struct hy_lu_shape at;
  int rows;            /* that travel */
  int64_t at_diagonal; /* of the message's bytes; LOWER only */
  int ld_diagonal;
  int64_t at_rows; /* rows x width, leading dimension ld */
  int ld;
  int64_t bytes;
  char *slot;
  const char *seen; /* where to read it */
  bool borrowed;
  int messages; /* in flight: one borrow, or loans */
  struct hy_message message[HYLA_DIMS_MAX];
};

/* The rows that a panel's swaps move.  The panel's own width rows are the top;
 * any other row that is swapped is an outside row.  Afterwards top row t holds
 * content[t] (a top row, or width + i for outside row i), and outside row i
 * holds top row content[width + i].  Each member of a rank column contributes a
 * block of rows: p_k's all top rows and, as the others do, its outside rows. */
struct hy_lu_swap {
  int outside;
  int64_t *row;     /* outside rows, in the order in which they are met */
  int64_t *content; /* 2 block */
  int64_t *place;   /* of outside row i in its owner's block */
  int64_t *held;    /* rows in member x's block */
  int64_t *offset;  /* rows before it; members + 1 */
  int64_t *entries; /* in the columns that are gathered, before it */
  int64_t *begin;   /* where member x's moves begin in `from`; members + 1 */
  int64_t *from;    /* moves into the top: place in a block, or local row of this rank */
  int64_t *to;      /* top row */
  int leaving;      /* moves out of the top to rows of this rank */
  int64_t *leave;   /* place in p_k's block, or local row on p_k */
  int64_t *target;  /* local row */
  int packing;      /* this rank's block, as local rows */
  int64_t *packed;
};

struct hy_lu {
  const struct hy_factorization *problem;
  hyla_cube *cube;
  const struct hy_kernels *k;
  const hyla_matrix *a;
  int64_t n, block, panels;
  uint32_t row_dims, col_dims; /* cube dimensions that split rows, columns */
  int members;                 /* of a rank column: 2^r */
  int64_t *swaps;              /* the factor's */
  struct hy_window *window;    /* the slots */
  int strip_columns;
  struct hy_lu_panel panel[HY_LU_SLOTS];
  struct hy_lu_swap swap;
  int64_t *numbers; /* the arrays of swap */
  /* Collectives over the rank row: a panel (where it is not lent), sums of few right-hand
   * sides; over the rank column: a block of the solution, rows that move, a pivot search. */
  struct hy_group shares, adds, blocks, rows, searches;
  int64_t group_bytes;
  hyla_cost gathering; /* of one entry in each block, the most of any rank, where `rows` keeps
                          schedules */
  char *search;        /* a pivot search's message, and as much to combine */
  char *diagonals;     /* of this rank column's panels, block x block each */
  char *gathered;      /* rows that move, of all members of the rank column */
  char *strip;         /* block x at most HY_LU_STRIP: new top rows */
  char *u;             /* as large: rows of U */
  char *inverses;      /* of the tiles on the diagonal of a panel's L: TILE x block */
  char *sums;          /* local rows x few right-hand sides */
};

/* Bytes of a panel's header. */
int64_t hy_lu_header_bytes(int64_t block);
/* Bytes of the workspace of the rank at row part p, column part q. */
struct hy_lu_sizes {
  int64_t header, slot, numbers, search, diagonals, gathered, strip, inverses, sums;
};
struct hy_lu_sizes hy_lu_sizes(const struct hy_factorization *problem, int p, int q);
/* The block of the factors' layout; 0 where the axes' blocks differ. */
int64_t hy_lu_block(const struct hy_factorization *problem);
/* What the rank at parts p, q spends; the most that any spends. */
void hy_lu_cost_at(const struct hy_lu *lu, int p, int q, hyla_cost *least, hyla_cost *most);
void hy_lu_cost(const struct hy_lu *lu, hyla_cost *least, hyla_cost *most);
/* Bytes of a pivot search's message; what a rank computes on a panel's diagonal
 * block, which with the top rows it holds itself. */
int64_t hy_lu_search_bytes(int64_t width, int64_t size);
int64_t hy_lu_diagonal_flops(int width, bool top);
/* Of inverting a panel's tiles; of a column of U12. */
int64_t hy_lu_invert_flops(int64_t width);
int64_t hy_lu_u_flops(int64_t width);

/* lu_share.c: where panels lie, and a panel's way along the rank rows. */
struct hy_lu_shape hy_lu_shape(const struct hy_lu *lu, int64_t index);
/* Do panels travel by a schedule that was asked for, not as loans down a doubling tree? */
static inline bool hy_lu_by_schedule(const struct hy_lu *lu) {
  return lu->shares.schedules != NULL;
}
/* The members of this rank's row on q_k and of its column on p_k, as addresses. */
int hy_lu_row_root(const struct hy_lu *lu, int64_t index);
int hy_lu_col_root(const struct hy_lu *lu, int64_t index);
char *hy_lu_diagonal(const struct hy_lu *lu, const struct hy_lu_shape *at);
/* On q_k: waits until the panel's slot is free; the panel is to be filled in at
 * ->slot.  hy_lu_load fills it from the matrix. */
hyla_status hy_lu_open(struct hy_lu *lu, int64_t index, enum hy_lu_half half,
                       struct hy_lu_panel **panel);
void hy_lu_load(struct hy_lu *lu, struct hy_lu_panel *panel, enum hy_lu_half half);
/* On q_k: sends the panel on its way; returns at once. */
hyla_status hy_lu_lend(struct hy_lu *lu, struct hy_lu_panel *panel);
/* Everywhere but on q_k: gets ready for the panel; returns at once.  There may be
 * no such panel. */
hyla_status hy_lu_expect(struct hy_lu *lu, int64_t index, enum hy_lu_half half);
/* Everywhere: waits for the expected panel, which on q_k is there; passes it on. */
hyla_status hy_lu_receive(struct hy_lu *lu, int64_t index, struct hy_lu_panel **panel);
/* Everywhere: no longer read here.  What is lent stays lent until the slot is needed. */
hyla_status hy_lu_close(struct hy_lu *lu, struct hy_lu_panel *panel);
/* Waits for all that is lent. */
hyla_status hy_lu_finish(struct hy_lu *lu);

/* lu_panel.c: factors a loaded panel in its slot, on all ranks of q_k. */
hyla_status hy_lu_factor_panel(struct hy_lu *lu, struct hy_lu_panel *panel);

/* lu_swap.c */
void hy_lu_swap_plan(struct hy_lu *lu, const struct hy_lu_shape *at);
/* Collective over the rank column: gathers the rows that move, in local columns
 * first ... first+count-1 of m. */
hyla_status hy_lu_swap_gather(struct hy_lu *lu, const struct hyla_matrix *m, int64_t first,
                              int64_t count);
/* Of those, columns begin ... begin+count-1 (counted from first): moves rows to
 * their places outside the top, and the new top rows to lu->strip. */
void hy_lu_swap_strip(struct hy_lu *lu, const struct hy_lu_shape *at, const struct hyla_matrix *m,
                      int64_t first, int64_t gathered, int64_t begin, int64_t count);

/* lu_settle.c: to a copy of the factors applies the swaps that later panels have made since
 * L's columns were eliminated.  Collective over the nodes. */
hyla_status hy_lu_settle(struct hy_lu *lu, struct hyla_matrix *l);

/* lu_update.c: what a panel does to columns behind it.
 * invert: before the updates by a panel.  update: swaps, U12 := L11^-1 A12, A22 := A22 - L21 U12,
 * in local columns first ... first+count-1 of m, whose rows lie as the factor's. */
void hy_lu_invert(struct hy_lu *lu, const struct hy_lu_panel *panel);
hyla_status hy_lu_update(struct hy_lu *lu, const struct hy_lu_panel *panel,
                         const struct hyla_matrix *m, int64_t first, int64_t count);

/* lu_few.c, lu_many.c: the substitutions with few and with many right-hand sides. */
hyla_status hy_lu_few_forward(struct hy_lu *lu, struct hyla_matrix *x);
hyla_status hy_lu_few_backward(struct hy_lu *lu, struct hyla_matrix *x);
hyla_status hy_lu_many_backward(struct hy_lu *lu, struct hyla_matrix *x);

#endif
