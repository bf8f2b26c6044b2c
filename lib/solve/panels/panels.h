/* Door of solve/panels: what methods share when they go through a matrix block by block.
 *
 * A matrix in square blocks as one rank sees it, panels of it on their way along a subcube, the
 * loop over panels, a diagonal block that is solved with by products, and columns that are
 * gathered. */
#ifndef HY_SOLVE_PANELS_H
#define HY_SOLVE_PANELS_H 1

#include "collective/collective.h"
#include "matrix/matrix.h"

/* ---------------------------------------------------------------- blocks -- */

/* A matrix in square blocks, cyclic on a 2^r x 2^c array, as one rank sees
 * it.  The last of its diagonal blocks ends with the shorter axis: rows, or columns, of their own
 * may be left over beside it.
 *
 * Rank row p is the ranks that hold row part p, a subcube of c dimensions; rank column q
 * those that hold column part q, of r dimensions.  Block column k lies on rank column q_k,
 * block row k on rank row p_k, the diagonal block on both. */

struct hy_block_cyclic {
  struct hy_axis row, col;
  int row_part, col_part; /* this rank's */
  int64_t rows, cols;     /* that it holds */
  int64_t block;
  int64_t order; /* the fewer of rows and columns; 0 on guests */
  int64_t start; /* the block in which this column is begins with it; 0: with its own */
  int64_t count; /* of diagonal blocks; 0 on guests */
  uint32_t row_dims, col_dims; /* cube dimensions that split rows, columns */
};

/* The rank at a node; -1: a guest. */
struct hy_block_cyclic hy_block_cyclic_at(const struct hy_axis *row, const struct hy_axis *col,
                                          int64_t block, int node);

/* Where diagonal block k lies, and what of the matrix lies beside it on the rank. */
struct hy_diagonal_block {
  int64_t index;
  int64_t first; /* global column, and row, that it begins with; none before `start' is asked for */
  int width;     /* rows and columns */
  bool mine;     /* this rank is on rank column q_k */
  bool top;      /* this rank is on rank row p_k */
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

/* The member of this rank's row on q_k, of its column on p_k, as addresses. */
int hy_row_root(const struct hy_block_cyclic *array, int64_t index);
int hy_column_root(const struct hy_block_cyclic *array, int64_t index);

/* ---------------------------------------------------------------- panels -- */

/* Panels on their way along a subcube, from the rank that makes one to
 * all others.
 *
 * By recursive doubling: neighbours only, 2^c - 1 messages in c steps.  A panel is lent, not
 * sent: where the lender's memory can be read in place, the last rank on each path computes
 * straight from there; ranks that pass it on take a copy.  Lending returns at once, so the
 * maker goes on with its own work, and a slot is waited for only when it is needed again.
 * What a panel's bytes mean is its user's business.
 *
 * Where another broadcast was asked for, the panel goes by its schedule: its first step starts
 * as early, the others are taken when the panel is wanted. */

/* Panels that may be in flight: the one in use, the one made ahead, and the one before, which
 * a slower rank may still be reading. */
enum { HY_PANEL_SLOTS = 3 };

/* With what a panel's message may begin: has its maker failed? */
struct hy_panel_header {
  int64_t status; /* HYLA_OK, or the verdict */
  int64_t column; /* the failing one, from 1; 0: none */
};
enum { HY_PANEL_HEADER = 64 }; /* bytes */

struct hy_panel_slot {
  char *data;       /* room for a panel */
  const char *seen; /* where to read it */
  int64_t bytes;
  int root;        /* the maker */
  uint32_t number; /* of this rank, counted from it */
  bool borrowed;
  int messages;               /* in flight: one borrow, or loans */
  struct hy_message *message; /* one a dimension of the subcube; NULL: on a counting cube */
};

struct hy_panels {
  hyla_cube *cube;
  uint32_t dims;                     /* of the subcube */
  size_t size;                       /* bytes of a word */
  struct hy_window *window;          /* the slots */
  struct hy_message *messages;       /* of all slots */
  const struct hy_subcube_op *group; /* by whose schedule they travel; NULL: lent by doubling */
  struct hy_panel_slot slot[HY_PANEL_SLOTS];
  /* Does the member at a node want the panels that are on their way?  NULL: all do.  Lent panels
   * go to those alone, and to whom they come through; the user asks hy_panels_reach. */
  bool (*wants)(const void *arg, int node);
  const void *arg;
};

/* Collective over cube and guests; agreed upon.  bytes: local, of a slot, a multiple of 64.
 * group: a broadcast over the subcube, for panels as long as these; serves where it has
 * schedules, and outlives them. */
hyla_status hy_panels_create(const struct hy_subcube_op *group, int64_t bytes,
                             struct hy_panels *panels);
/* Local.  The same on a counting cube. */
struct hy_panels hy_panels_counted(hyla_cube *counting, const struct hy_subcube_op *group);
void hy_panels_destroy(struct hy_panels *panels);
/* Local.  Is there a neighbour whose panels are not read in place? */
bool hy_panels_travel(const struct hy_panels *panels);

/* Local.  Does a panel from `root` come to this rank? */
bool hy_panels_reach(const struct hy_panels *panels, int root);

/* Panel number `index` goes through slot index mod HY_PANEL_SLOTS.  None of these agrees.
 * open     on the maker: waits until the slot is free; the panel is to be filled in at ->data
 * lend     on the maker: sends it on its way; returns at once
 * expect   everywhere but on the maker, `root`, where it does nothing: gets ready for it;
 *          returns at once.  bytes: as the maker says, the same on all
 * receive  everywhere: waits for a panel that was expected or, on the maker, opened; passes
 *          it on
 * close    everywhere: it is no longer read here.  What is lent stays lent until the slot is
 *          needed
 * finish   waits for all that is lent */
hyla_status hy_panels_open(struct hy_panels *panels, int64_t index, int64_t bytes,
                           struct hy_panel_slot **slot);
hyla_status hy_panels_lend(struct hy_panels *panels, struct hy_panel_slot *slot);
hyla_status hy_panels_expect(struct hy_panels *panels, int64_t index, int root, int64_t bytes);
hyla_status hy_panels_receive(struct hy_panels *panels, int64_t index, struct hy_panel_slot **slot);
hyla_status hy_panels_close(struct hy_panels *panels, struct hy_panel_slot *slot);
hyla_status hy_panels_finish(struct hy_panels *panels);

/* Local.  The cost of one panel of `words' words on the rank with this number, counted from the
 * maker; in_place: panels are read in place. */
hyla_cost hy_panels_cost(const struct hy_subcube_op *group, uint32_t number, int64_t words,
                         bool in_place);

/* ------------------------------------------------------------ look-ahead -- */

/* The loop of every method that goes through a matrix panel by panel (lookahead.c).  The method
 * says how a panel is made and how it is used; the loop sends panels, and makes each one before the
 * rest of the columns are updated by the panel before it. */

struct hy_lookahead;

/* Local columns that the panel at hand is used on.  ahead: the first of them, which are those of
 * the next panel; as soon as they are done the method calls hy_lookahead_next, which makes that
 * panel, while a team is at the others.  0: the loop makes it. */
struct hy_columns {
  const hyla_matrix *m;
  int64_t first, count;
  int64_t ahead;
  struct hy_lookahead *loop;
};

/* bytes   of panel `index' as a message on this rank; the same on the ranks of a row
 * make    on the ranks that hold the panel: fills in the slot.  Collective over the rank column
 * keep    there, once the panel is on its way: puts back what stays in the matrix.  NULL: nothing
 * arrive  a panel is here, and is the one that is used from now on
 * use     that panel on some columns, at least one.  Collective over the rank column
 * shares  does `use' give this number of columns to a team?  NULL: never */
struct hy_lookahead {
  struct hy_panels *panels;
  const struct hy_block_cyclic *array;
  int64_t begin, end;   /* panels */
  bool backwards;       /* the last one first */
  const hyla_matrix *a; /* each panel is used on its columns behind the panel; NULL: the panels are
                           there, and only travel */
  bool everywhere;      /* and on those before it; not with `shares' */
  const hyla_matrix *x; /* right-hand sides; each panel is used on all of them; NULL: none */
  struct hy_panel_header *verdict; /* what the last panel's header says; panels behind one that
                                      failed are not made.  NULL: panels have no header */
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
/* Of `use', on the ranks that hold the next panel; otherwise nothing. */
hyla_status hy_lookahead_next(const struct hy_columns *columns);

/* ---------------------------------------------------------- packed rows -- */

/* Rows of a panel, copied for products with them (local.h): once a panel. */
struct hy_packed_rows {
  const struct hy_packed *products; /* NULL: BLAS' */
  size_t size;                      /* bytes of an entry */
  char *entries;
  int64_t panel; /* whose they are; -1: nobody's */
};
/* Local.  Those of panel number `index', m x k, copied by the team. */
const char *hy_packed_rows_of(struct hy_packed_rows *rows, struct hy_team *team, int64_t index,
                              int m, int k, const void *a, int lda);

/* ----------------------------------------------------------------- tiles -- */

/* Solving with a diagonal block by products.
 *
 * The triangle is cut into tiles; those on its diagonal are inverted once, where they stand, and
 * solving with them is multiplying.  Of unit triangles so small, with no entry above 1, the
 * inverses are harmless. */

/* Order of the triangles on the diagonal whose inverses stand in for them. */
enum { HY_TILE = 16 };

struct hy_tiles {
  hyla_cube *cube;
  const struct hy_kernels *k;
  hyla_triangle triangle;
  hyla_diagonal diagonal;
  int order;
  const char *t; /* the triangle, its tiles inverted, zeros in them included; else the other one
                    is not read */
  int ld;
};

/* Local, both.  invert: of the triangle, which is the caller's t, the tiles.  solve: x := op(T)^-1
 * b, order x count each; b is used up.  Its operations are for the caller to say. */
void hy_tiles_invert(const struct hy_tiles *tiles, char *t);
void hy_tiles_solve(const struct hy_tiles *tiles, hyla_operation op, int count, char *b, int ld_b,
                    char *x, int ld_x);

/* Operations of solving for one column. */
int64_t hy_tiles_solve_flops(int64_t order);

/* ------------------------------------------------------ gathered columns -- */

/* The columns of a matrix, each rank's rows of them all on the ranks that
 * hold the same rows. */

struct hy_gathered {
  const struct hy_subcube_op *group; /* an all-gather over the dimensions of the columns */
  const hyla_matrix *m;
  int64_t *offsets; /* members + 1; set by run */
  char *data;       /* all columns, member by member */
};

/* Collective over the group; not agreed. */
hyla_status hy_gathered_run(const struct hy_gathered *g);
/* Local.  Where a column is, once they have been gathered. */
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

/* Local.  For people: what goes together; tile: right-hand sides at a time. */
void hy_fixed_explain(const struct hy_block_cyclic *array, int64_t tile, struct hy_text *text);

#endif
