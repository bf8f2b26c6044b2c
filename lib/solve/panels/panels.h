/* Door of solve/panels: what methods share when they go through a matrix block by block.
 *
 * It has a matrix in square blocks as one rank sees it, panels that travel along a subcube, the
 * loop over panels, solutions with a diagonal block by products, and columns that are gathered. */
#ifndef HY_SOLVE_PANELS_H
#define HY_SOLVE_PANELS_H 1

#include "collective/collective.h"
#include "matrix/matrix.h"

/* ---------------------------------------------------------------- blocks -- */

/* A matrix in square blocks, cyclic on an array of ranks, as one rank sees it.  The last diagonal
 * block ends with the shorter axis, so rows or columns may be left over behind it.
 *
 * Rank row p is the ranks that hold row part p, a subcube or subarray; rank column q those that
 * hold column part q.  Block column k lies on rank column q_k, block row k on rank row p_k, the
 * diagonal block on both. */

struct hy_block_cyclic {
  struct hy_axis row, col;
  int row_part, col_part; /* this rank's */
  int64_t rows, cols;     /* number that it holds */
  int64_t block;
  int64_t order;               /* the fewer of rows and columns; 0 on guests */
  int64_t start;               /* this column begins its block; 0: blocks begin with their own */
  int64_t count;               /* of diagonal blocks; 0 on guests */
  uint32_t row_dims, col_dims; /* cube dimensions that split rows, columns */
};

/* The rank at a node; -1: a guest. */
struct hy_block_cyclic hy_block_cyclic_at(const struct hy_axis *row, const struct hy_axis *col,
                                          int64_t block, int node);

/* Where diagonal block k lies, and the part of the matrix behind it on this rank. */
struct hy_diagonal_block {
  int64_t index;
  int64_t first;  /* its first global column and row; nobody asks for blocks before `start' */
  int width;      /* rows and columns */
  bool mine;      /* this rank is on rank column q_k */
  bool top;       /* this rank is on rank row p_k */
  int64_t column; /* its first local column, on q_k; elsewhere the first one behind it */
  int64_t row;    /* its first local row; elsewhere the first one behind it */
  int rows;       /* local rows from there on */
};
struct hy_diagonal_block hy_diagonal_block(const struct hy_block_cyclic *array, int64_t index);

/* Local rows, local columns, behind the diagonal block. */
static inline int64_t hy_rows_behind(const struct hy_diagonal_block *at) {
  return at->rows - (at->top ? at->width : 0);
}
int64_t hy_columns_behind(const struct hy_block_cyclic *array, const struct hy_diagonal_block *at);

/* Addresses: the member of this rank's row that is on q_k, of its column that is on p_k. */
int hy_row_root(const struct hy_block_cyclic *array, int64_t index);
int hy_column_root(const struct hy_block_cyclic *array, int64_t index);

/* Local.  to := op(from), with `rows' x `cols' entries in `to', which are counted as copied. */
static inline void hy_copy_block(hyla_cube *cube, const struct hy_kernels *k, hyla_operation op,
                                 int64_t rows, int64_t cols, const char *from, int64_t ld_from,
                                 char *to, int64_t ld_to) {
  k->copy(op, (int)rows, (int)cols, 1, from, (int)ld_from, to, (int)ld_to);
  hy_count_copied(cube, rows * cols);
}

/* ---------------------------------------------------------------- panels -- */

/* Panels that travel along a subcube, from the rank that makes one to all others.
 *
 * They travel by recursive doubling: between neighbours, 2^c - 1 messages in c steps.  A panel is
 * lent, not sent: if the lender's memory can be read in place, the last rank on each path computes
 * straight from there; ranks that pass it on take a copy.  Lending returns at once, so the maker
 * goes on with its own work, and waits for a slot only when it needs the slot again.  Only the user
 * knows what a panel's bytes mean.
 *
 * If the user asked for another broadcast, the panel goes by its schedule: the first step starts as
 * early, the others are taken when the panel is needed. */

/* Panels that may be in flight: the one in use, the one made ahead, and the one before, which
 * a slower rank may still be reading. */
enum { HY_PANEL_SLOTS = 3 };

/* A panel's message may begin with this: has its maker failed? */
struct hy_panel_header {
  int64_t status; /* HYLA_OK, or the verdict */
  int64_t column; /* the failing column, from 1; 0: none */
};
enum { HY_PANEL_HEADER = 64 }; /* bytes */

struct hy_panel_slot {
  char *data;       /* room for a panel */
  const char *seen; /* where to read it */
  int64_t bytes;
  int root;        /* the maker */
  uint32_t number; /* this rank's, counted from the maker */
  bool borrowed;
  int messages;               /* in flight: one borrow, or loans */
  struct hy_message *message; /* one a dimension of the subcube */
};

struct hy_panels {
  struct hy_release release; /* of the window */
  hyla_cube *cube;
  struct hy_window *window;          /* the slots */
  struct hy_message *messages;       /* of all slots */
  const struct hy_subcube_op *group; /* the broadcast; panels travel by its schedules */
  struct hy_panel_slot slot[HY_PANEL_SLOTS];
  /* Does the member at a node want the panels that travel? NULL: all do.  Lent panels go only to
   * those, and to the ranks on the way; the user asks hy_panels_reach. */
  bool (*wants)(const void *arg, int node);
  const void *arg;
  bool chained; /* a panel is made by the maker's next neighbour, once it has the one before */
};

/* Collective over cube and guests; agreed upon.  bytes: length of a slot, local, a multiple of 64.
 * group: a broadcast over the subcube, for panels of this length; used if it has schedules; must
 * outlive the panels.  The owner owns slots and messages. */
hyla_status hy_panels_create(void *owner, const struct hy_subcube_op *group, int64_t bytes,
                             struct hy_panels *panels);
/* Local.  Is a panel lent, by recursive doubling?  It is if its broadcast keeps no schedules. */
static inline bool hy_panels_lent(const struct hy_panels *panels) {
  return panels->group->schedules == NULL;
}
/* Local.  Does some neighbour's panel travel as a message, not read in place? */
bool hy_panels_travel(const struct hy_panels *panels);

/* Local.  How many ranks one after the other a panel comes through from `root' to an address. */
int hy_panels_links(const struct hy_panels *panels, int root, int address);
/* Local.  Does a panel from `root` come to this rank? */
bool hy_panels_reach(const struct hy_panels *panels, int root);

/* Local.  Does this rank pass on panel `index`, which it expects? */
bool hy_panels_pass(const struct hy_panels *panels, int64_t index);

/* Panel number `index` goes through slot index mod HY_PANEL_SLOTS.  None of these agrees.
 * open     on the maker: waits until the slot is free; the maker then fills in ->data
 * lend     on the maker: sends it on its way; returns at once
 * expect   everywhere but on the maker, `root`, where it does nothing: gets ready for it;
 *          returns at once.  bytes: as the maker says, the same on all
 * receive  everywhere: waits for a panel that was expected or, on the maker, opened; passes
 *          it on
 * close    everywhere: this rank reads it no more.  Loans end only when the slot is needed again
 * finish   waits for the end of all loans */
hyla_status hy_panels_open(struct hy_panels *panels, int64_t index, int64_t bytes,
                           struct hy_panel_slot **slot);
hyla_status hy_panels_lend(struct hy_panels *panels, struct hy_panel_slot *slot);
hyla_status hy_panels_expect(struct hy_panels *panels, int64_t index, int root, int64_t bytes);
hyla_status hy_panels_receive(struct hy_panels *panels, int64_t index, struct hy_panel_slot **slot);
hyla_status hy_panels_close(struct hy_panels *panels, struct hy_panel_slot *slot);
hyla_status hy_panels_finish(struct hy_panels *panels);

/* ------------------------------------------------------------ look-ahead -- */

/* The loop of every method that goes through a matrix panel by panel (lookahead.c).  The method
 * says how a panel is made and how it is used; the loop sends panels, and makes each one before the
 * rest of the columns are updated by the panel before it. */

struct hy_lookahead;

/* Local columns on which to use the panel.  ahead: number of first ones that belong to the next
 * panel.  As soon as these are done, the method calls hy_lookahead_next, which makes that panel
 * while a team works on the others.  0: the loop makes it. */
struct hy_columns {
  const hyla_matrix *m;
  int64_t first, count;
  int64_t ahead;
  struct hy_lookahead *loop;
};

/* bytes   length of panel `index' as a message; the same on the ranks of a row
 * make    on the ranks that hold the panel: fills in the slot.  Collective over the rank column
 * keep    there, once the panel travels: puts into the matrix the entries that stay there.  May be
 *         NULL
 * arrive  a panel has come, and is the one in use from now on
 * use     uses that panel on some columns, at least one.  Collective over the rank column
 * shares  does `use' give this number of columns to a team?  NULL: never */
struct hy_lookahead {
  struct hy_panels *panels;
  const struct hy_block_cyclic *array;
  int64_t begin, end;   /* panels */
  bool backwards;       /* the last one first */
  const hyla_matrix *a; /* each panel is used on the columns behind it; NULL: panels are made
                           already, and only travel */
  bool everywhere;      /* on the columns before it too; not with `shares' */
  const hyla_matrix *x; /* right-hand sides; each panel is used on all of them; NULL: none */
  struct hy_panel_header *verdict; /* the last panel's header; panels behind a failed one are not
                                      made.  NULL: panels have no header */
  void *state;                     /* the method's */
  int64_t (*bytes)(const void *state, int64_t index);
  hyla_status (*make)(void *state, int64_t index, struct hy_panel_slot *slot);
  void (*keep)(void *state, int64_t index, struct hy_panel_slot *slot);
  hyla_status (*arrive)(void *state, int64_t index, struct hy_panel_slot *slot);
  hyla_status (*use)(void *state, const struct hy_columns *columns);
  bool (*shares)(const void *state, int64_t count);
  int64_t step; /* the loop's own */
};

/* Collective over the nodes, not agreed. */
hyla_status hy_lookahead_run(struct hy_lookahead *loop);
/* For `use': makes the next panel on the ranks that hold it; does nothing on others. */
hyla_status hy_lookahead_next(const struct hy_columns *columns);

/* ---------------------------------------------------------- packed rows -- */

/* Rows of a panel, copied for products with them (local.h): once a panel. */
struct hy_packed_rows {
  const struct hy_packed *products; /* NULL: BLAS' */
  size_t size;                      /* bytes of an entry */
  char *entries;
  int64_t panel; /* number of their panel; -1: none */
};
/* Local.  The packed rows of panel `index', m x k, copied by the team. */
const char *hy_packed_rows_of(struct hy_packed_rows *rows, struct hy_team *team, int64_t index,
                              int m, int k, const void *a, int lda);

/* ----------------------------------------------------------------- tiles -- */

/* Solving with a diagonal block by products.
 *
 * The triangle is cut into tiles; those on its diagonal are inverted once, in place, and then
 * multiplied instead of solved with.  Inverses of such small unit triangles with no entry above 1
 * are harmless. */

/* Order of the triangles on the diagonal that are replaced by their inverses. */
enum { HY_TILE = 16 };

struct hy_tiles {
  hyla_cube *cube;
  const struct hy_kernels *k;
  hyla_triangle triangle;
  hyla_diagonal diagonal;
  int order;
  const char *t; /* the triangle with inverted tiles, which include zeros; the rest of the other one
                    is not read */
  int ld;
};

/* Both local.  invert: inverts the tiles of t, the caller's triangle.  solve: x := op(T)^-1 b,
 * order x count each; b is overwritten.  The caller counts the operations. */
void hy_tiles_invert(const struct hy_tiles *tiles, char *t);
void hy_tiles_solve(const struct hy_tiles *tiles, hyla_operation op, int count, char *b, int ld_b,
                    char *x, int ld_x);

/* Operations to solve for one column. */
int64_t hy_tiles_solve_flops(int64_t order);

/* ------------------------------------------------------ gathered columns -- */

/* All columns of a matrix, on every rank in the rows that it holds. */

struct hy_gathered {
  const struct hy_subcube_op *group; /* an all-gather over the dimensions of the columns */
  const hyla_matrix *m;
  int64_t *offsets; /* members + 1; set by run */
  char *data;       /* all columns, member by member */
};

/* Collective over the group; not agreed. */
hyla_status hy_gathered_run(const struct hy_gathered *g);
/* Local.  The address of a column after the run. */
const char *hy_gathered_column(const struct hy_gathered *g, int64_t column);

/* ---------------------------------------------------------- fixed blocks -- */

/* Triangular systems whose bits depend neither on the number of ranks nor on
 * the layout.
 *
 * The triangle lies in block columns of a width that depends on its order alone, each whole on one
 * rank; right-hand sides are dealt to the ranks in blocks of a width that depends on their number
 * alone, each whole on one rank too.  So every product and every solution with a diagonal block has
 * a shape that does not depend on the ranks, and no sum goes over several of them. */

struct hy_fixed {
  hyla_cube *cube;
  const struct hy_kernels *k;
  const hyla_matrix *t;         /* one triangle is read */
  struct hy_block_cyclic array; /* of t, on one rank row */
  int64_t tile;                 /* right-hand sides that are solved for at a time */
  hyla_side side;
  hyla_triangle triangle;
  hyla_operation op;
  hyla_diagonal diagonal;
  struct hy_panels *panels; /* over the cube; of hy_fixed_slot bytes at least */
};

/* Local.  The width of block columns of a matrix of that order. */
int64_t hy_fixed_block(int64_t order);
/* Local.  Bytes of a panel's slot, a multiple of 64. */
int64_t hy_fixed_slot(const struct hy_fixed *f);

/* Collective over the nodes; not agreed.  x := op(T)^-1 x or x op(T)^-1.  Each right-hand side of x
 * is whole on one rank. */
hyla_status hy_fixed_run(const struct hy_fixed *f, const hyla_matrix *x);

/* Local.  Explains the widths; tile: right-hand sides at a time. */
void hy_fixed_explain(const struct hy_block_cyclic *array, int64_t tile, struct hy_text *text);

#endif
