/* Door of solve/lu: the pieces of LU, whose variants differ in how a panel finds its pivots.
 *
 * Panel k is block column k from its diagonal block down; it lies on rank column q_k, and its
 * diagonal block on rank row p_k (panels.h).
 *
 * L is kept as it is eliminated: the swaps of later panels are not applied to
 * it, so that it need never move again; forward substitution swaps the right-
 * hand side panel by panel instead. */
#ifndef HY_SOLVE_LU_H
#define HY_SOLVE_LU_H 1

#include "solve/triangle/triangle.h"

/* The most columns that are swapped, solved for and updated at once.  SHORT: where panels travel as
 * messages, because a rank attends to them between two strips.  PACKED: with packed rows (local.h),
 * as many as the caches hold beside the next ones. */
enum { HY_LU_STRIP = 1024, HY_LU_SHORT_STRIP = 256, HY_LU_PACKED_STRIP = 32 };

/* A panel's message begins with this. */
struct hy_lu_header {
  struct hy_panel_header found; /* HYLA_OK, SINGULAR, NOT_FINITE */
  int64_t swaps[];
};

/* A panel that travels.  Its message: the header; the diagonal block, unless the local rows begin
 * with it; the local rows from the diagonal block on. */
struct hy_lu_panel {
  struct hy_diagonal_block at;
  int64_t at_diagonal; /* of the message's bytes */
  int ld_diagonal;
  int64_t at_rows; /* at.rows x width, leading dimension ld */
  int ld;
  int64_t bytes;
  struct hy_panel_slot *slot;
};
static inline const struct hy_lu_header *hy_lu_header_of(const struct hy_lu_panel *panel) {
  return (const struct hy_lu_header *)(const void *)panel->slot->seen;
}

/* The rows that a panel's swaps move.  The panel's own width rows are the top;
 * any other row that is swapped is an outside row.  Afterwards top row t holds
 * content[t] (a top row, or width + i for outside row i), and outside row i
 * holds top row content[width + i]. Each member of a rank column contributes a block of rows: p_k
 * all top rows, then every member its outside rows. */
struct hy_lu_swap {
  int outside;
  int64_t *row;     /* outside rows, in the order in which they are met */
  int64_t *content; /* 2 block */
  int64_t *place;   /* of outside row i in its owner's block */
  int64_t *held;    /* rows in member x's block */
  int64_t *offset;  /* rows before it; members + 1 */
  int64_t *entries; /* entries before it, in the gathered columns */
  int64_t *begin;   /* where member x's moves begin in `from`; members + 1 */
  int64_t *from;    /* moves into the top: place in a block, or local row of this rank */
  int64_t *to;      /* top row */
  int leaving;      /* moves out of the top to rows of this rank */
  int64_t *leave;   /* place in p_k's block, or local row on p_k */
  int64_t *target;  /* local row */
  int packing;      /* rows in this rank's block; packed: their local numbers */
  int64_t *packed;
  int64_t most;     /* on a counting cube: rows that may move; 0: those that do, as planned */
  int touching;     /* rows of this rank that swaps touch, one a cache line */
  int64_t *touched; /* counted from the first local row below the top */
};

struct hy_lu;

/* The traits of LU's variants: how the ranks of q_k factor a panel of at most `width` columns.
 *   factor    factors a loaded panel in its slot, on all ranks of q_k
 *   bytes     length of a message, a multiple of 16
 *   room      bytes that a rank with `rows` rows of the matrix needs, messages included */
struct hy_lu_pivoting {
  struct hy_factor_traits substitutions; /* first: the traits of a method's variants */
  hyla_status (*factor)(struct hy_lu *lu, const struct hy_lu_panel *panel);
  int64_t (*bytes)(int64_t width, int64_t size);
  int64_t (*room)(int64_t rows, int64_t width, int64_t size);
  /* Columns are swapped, solved for and updated by whole blocks, each of one rank; right-hand sides
   * travel even if they are few (panels.h). */
  bool fixed;
};

/* Workspace for the inverse of the factors. */
struct hy_lu_inverse {
  hyla_matrix *x;  /* P I, then the inverse, the rank's columns in the order of their first rows */
  char *solved;    /* a block row of x, or a column of the factors */
  int64_t *begins; /* first row of each local column of x */
  int64_t *column; /* place of each in the inverse */
  int64_t *order, *place; /* of rows; n each */
};

struct hy_lu {
  const struct hy_factorization *problem;
  const struct hy_variant *variant;
  const struct hy_lu_pivoting *pivoting;
  hyla_cube *cube;
  const struct hy_kernels *k;
  const hyla_matrix *a;
  struct hy_block_cyclic array;
  int64_t *swaps;               /* those in the factors */
  struct hy_panels panels;      /* along the rank rows */
  struct hy_lu_panel panel;     /* the one in use */
  struct hy_substitution upper; /* with U */
  struct hy_substitution lower; /* with L; swaps rows until L's are final */
  bool rows_final;              /* all swaps have been applied to L's rows */
  struct hy_row_swaps row_swaps;
  int strip_columns;
  struct hy_lu_swap swap;
  int64_t *numbers; /* the arrays of swap */
  char *search;     /* a pivot search's message, room to combine one, pivoting's workspace */
  char *diagonals;  /* of this rank column's panels, block x block each */
  char *gathered;   /* rows that move, of all members of the rank column */
  char *strip;      /* block x at most HY_LU_STRIP: new top rows, which become rows of U */
  struct hy_packed_rows packed; /* of L behind a panel's diagonal block */
  char *sums;                   /* local rows x few right-hand sides */
  /* Collectives.  Over the rank row: panels that are not lent, sums of few right-hand sides; over
   * the rank column: blocks of the solution, rows that move, pivot searches. */
  struct hy_subcube_op shares, adds, blocks, rows, searches;
  /* Systems with op(U) and op(L); their memory is taken at the first use. */
  struct hy_triangular_system opposite_upper, opposite_lower;
  char *opposite;               /* owner of these two; NULL: they are not made yet */
  struct hy_lu_inverse inverse; /* if the problem asks for the inverse */
  hyla_cost gathering; /* on a counting cube, if `rows` keeps schedules: of one entry in each block,
                          the most of any rank */
};

/* Bytes of a panel's header. */
int64_t hy_lu_header_bytes(int64_t block);

/* lu.c, local: a panel as a message; on q_k, load fills it from the matrix, store puts it back. */
struct hy_lu_panel hy_lu_panel_at(const struct hy_lu *lu, int64_t index,
                                  struct hy_panel_slot *slot);
void hy_lu_load(const struct hy_lu *lu, const struct hy_lu_panel *panel);
void hy_lu_store(const struct hy_lu *lu, const struct hy_lu_panel *panel);
/* Diagonal block k as all ranks of q_k keep it, leading dimension block. */
char *hy_lu_diagonal(const struct hy_lu *lu, const struct hy_diagonal_block *at);

/* lu.c, collective over the nodes: the variants' run; x := L^-1 P x by panels, with L as
 * eliminated. */
hyla_status hy_lu_run(void *state);
hyla_status hy_lu_forward_by_panels(struct hy_lu *lu, hyla_matrix *x);

/* lu_solve.c: the solver's functions (contract.h); frees the memory of solve_transposed. */
hyla_status hy_lu_forward(void *state, hyla_operation op, hyla_matrix *x);
hyla_status hy_lu_backward(void *state, hyla_operation op, hyla_matrix *x);
hyla_status hy_lu_apply_later_swaps_to_copy(void *state, hyla_matrix *l);
hyla_status hy_lu_solve_transposed(void *state, hyla_operation op, hyla_matrix *x);
hyla_status hy_lu_finish_transposed(void *state, hyla_operation op, hyla_matrix *x);
#define HY_LU_SUBSTITUTIONS                                                                        \
  {                                                                                                \
    .solve = {{.run = hy_lu_forward}, {.run = hy_lu_backward}},                                    \
    .solve_transposed = {{.run = hy_lu_solve_transposed, .at = HY_ALONG_COLUMNS},                  \
                         {.run = hy_lu_finish_transposed}},                                        \
    .apply_later_swaps = hy_lu_apply_later_swaps_to_copy, .inverts = true, .runs_dry = true,       \
    .resume = hy_lu_resume                                                                         \
  }

/* lu_workspace.c: functions of the variants' rows. */
hyla_status hy_lu_create(const struct hy_variant *variant, const void *given, void **state);
hyla_status hy_lu_allocate(void *state);
void hy_lu_destroy(void **state);
#define HY_LU_OPERATIONS                                                                           \
  .applies = hy_factor_applies, .create = hy_lu_create, .allocate = hy_lu_allocate,                \
  .run = hy_lu_run, .destroy = hy_lu_destroy
/* Local, for whoever swaps rows by lu_swap.c alone. numbers: bytes of `numbers' with `members'
 * ranks in a rank column; carve: divides these into the arrays of `swap'. */
int64_t hy_lu_numbers(int64_t block, int64_t members);
void hy_lu_carve(struct hy_lu *lu);

/* lu_workspace.c, local.
 * explain              function of the variants' rows
 * explain_elimination  how panels and rows travel
 * explain_least        the least that is sent, found by playing the variant; the cost is the most
 */
void hy_lu_explain(const void *state, struct hy_text *text);
void hy_lu_explain_elimination(const struct hy_lu *lu, struct hy_text *text);
void hy_lu_explain_least(const struct hy_factorization *problem, const struct hy_variant *variant,
                         struct hy_text *text);

/* lu_partial.c: the variant, and its work on panels, which Gauss-Jordan uses too. */
extern const struct hy_variant hy_lu_partial;
hyla_status hy_lu_partial_factor(struct hy_lu *lu, const struct hy_lu_panel *panel);
int64_t hy_lu_partial_bytes(int64_t width, int64_t size);
int64_t hy_lu_partial_room(int64_t rows, int64_t width, int64_t size);
#define HY_LU_PARTIAL_PIVOTING                                                                     \
  .factor = hy_lu_partial_factor, .bytes = hy_lu_partial_bytes, .room = hy_lu_partial_room

/* lu_swap.c */
/* to[to_at[i]] := from[from_at[i]] for entries of `size' bytes; to_at NULL: 0, 1, 2 ... */
void hy_lu_move_entries(size_t size, int64_t count, const char *from, const int64_t *from_at,
                        char *to, const int64_t *to_at);
/* The row that step i swaps with row i: on a counting cube row i itself.  A dry simulation draws
 * one of the rows from i on, by i and the number of rows alone, so that all ranks and all runs draw
 * the same. */
int64_t hy_lu_swap_of(const struct hy_lu *lu, int64_t i);
/* Plans a panel's swaps; backwards: how to undo them.  On a counting cube they are the most
 * rows that can move, or none if the problem is swapless (lu_most.c). */
void hy_lu_swap_plan(struct hy_lu *lu, const struct hy_diagonal_block *at, bool backwards);
/* Collective over the rank column: gathers the rows that move, in local columns
 * first ... first+count-1 of m. */
hyla_status hy_lu_swap_gather(struct hy_lu *lu, const struct hyla_matrix *m, int64_t first,
                              int64_t count);
/* In columns begin ... begin+count-1 of these, counted from first: moves rows to their places
 * outside the top, and copies the new top rows to `top`. */
void hy_lu_swap_strip(struct hy_lu *lu, const struct hy_diagonal_block *at,
                      const struct hyla_matrix *m, int64_t first, int64_t gathered, int64_t begin,
                      int64_t count, char *top);

/* lu_most.c, local.
 * set_gathering  on a counting cube finds `gathering' from the group `rows'; MEMORY
 * plan_most      on a counting cube plans the most that swaps can move; false: they are planned
 * count_most     counts the all-gather of this number of columns of the rows */
hyla_status hy_lu_set_gathering(struct hy_lu *lu);
bool hy_lu_plan_most(struct hy_lu *lu, const struct hy_diagonal_block *at);
hyla_status hy_lu_count_most(const struct hy_lu *lu, int64_t columns);

/* lu_resume.c, collective over the nodes, not agreed.
 * resume  the solver's function (contract.h)
 * mend    after a run that began inside a panel: applies its swaps to the panel's earlier columns,
 *         and completes the diagonal block */
hyla_status hy_lu_resume(void *state, int64_t from);
hyla_status hy_lu_mend(struct hy_lu *lu, int64_t from);

/* lu_later_swaps.c, collective over the nodes.
 * swap_rows   one panel's swaps, or these undone, in local columns first ... first+count-1 of m
 * apply_later_swaps  applies the swaps of later panels to L's columns in a copy of the factors,
 *                    unless rows_final
 * apply_later_swaps_factors  the same to the factors themselves
 * swap_all    applies the swaps of all panels to x, or undoes them, the last one first */
hyla_status hy_lu_swap_rows(struct hy_lu *lu, const struct hy_diagonal_block *at, bool backwards,
                            const struct hyla_matrix *m, int64_t first, int64_t count);
hyla_status hy_lu_apply_later_swaps(struct hy_lu *lu, struct hyla_matrix *l);
hyla_status hy_lu_apply_later_swaps_factors(struct hy_lu *lu);
hyla_status hy_lu_swap_all(struct hy_lu *lu, bool backwards, const struct hyla_matrix *x);

/* Does the factorization go on to the inverse? */
static inline bool hy_lu_inverts(const struct hy_lu *lu) {
  return lu->problem->inverse != NULL && lu->pivoting->substitutions.inverts;
}

/* lu_inverse.c, for problems that ask for the inverse.
 * allocate  collective over cube and guests, agreed upon
 * run   collective over the nodes, not agreed: the factors become A^-1 */
hyla_status hy_lu_inverse_allocate(struct hy_lu *lu);
hyla_status hy_lu_inverse_run(struct hy_lu *lu);

#endif
