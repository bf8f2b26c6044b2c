/* Private to solve/divide: the tree of merges, which eigenvalues and singular values share.
 *
 * A problem has a matrix of `positions' columns, which is cut into halves down to leaves.  A merge
 * makes the vectors of two subproblems those of the problem that both are halves of: it deflates
 * (deflate.c), finds roots of a secular equation and what follows from them (roots.c, root.c), and
 * multiplies (update.c).  What differs between the two problems is a table, struct hy_divide_kind.
 *
 * A problem has one set of vectors, the right ones, or two.  A subproblem of columns lo ... hi-1 of
 * a bidiagonal matrix has the rows lo ... hi-2, so its left vectors have hi - lo - 1 entries.  It
 * has one right vector more than left ones: the first one, which is in its null space. */
#ifndef HY_DIVIDE_TREE_H
#define HY_DIVIDE_TREE_H 1

#include "solve/divide/divide.h"

#include <math.h>

/* Columns that are multiplied together; rows that are turned together. */
enum { HY_DIVIDE_STRIP = 32, HY_DIVIDE_ROWS = 256 };
enum { HY_RIGHT, HY_LEFT, HY_SIDES };

/* Which rows of its subproblem a column has entries in: bits. */
enum { HY_UPPER_HALF = 1, HY_LOWER_HALF = 2 };

/* A column before a merge: its value, scaled; its entry of the vector z; the first and the last
 * entry of its right vector; where its vectors stand, and in which halves. */
struct hy_divide_column {
  double d, z, head, tail;
  int32_t slot[HY_SIDES];
  uint8_t half[HY_SIDES];
};

/* Columns x := c x + s y, y := c y - s x; halves as before.  right: of right vectors alone. */
struct hy_divide_rotation {
  double c, s;
  int32_t x[HY_SIDES], y[HY_SIDES];
  uint8_t half_x[HY_SIDES], half_y[HY_SIDES];
  bool right;
};

/* A merge of columns lo ... mid-1 and mid ... hi-1, scaled by 2^-exponent.  k columns stay, the
 * others are deflated, and the right null vector, if there is one, is the last of these.  middle:
 * of singular values, 0, or the sign of a middle column that is deflated.  held: columns that stay
 * with entries in each half.  wanted: of the k roots, those whose vectors are computed.  The rest
 * is of a pass: numbers of roots and pieces of work in the merges before, and where copies of the
 * halves and of deflated columns begin. */
struct hy_merge {
  int64_t lo, mid, hi;
  int k, rotations, exponent, held[HY_SIDES][2];
  int wanted, wanted_end;
  double rho, middle;
  int64_t roots, turns, packs, products;
  int64_t copy[3];
};

/* Vectors of one side.  By position: the column where a vector stands; of a merge, before and
 * after, and in which half; the weights and factors of its vectors' entries.  halves: the columns
 * that stay with entries in the upper, and in the lower half. */
struct hy_divide_side {
  bool wanted;
  char *z; /* in a run */
  int64_t ld;
  int32_t *place, *slot, *target;
  uint8_t *half;
  double *weight, *factor;
  struct hy_divide_half {
    double *pole, *weight;
    int32_t *index, *slot;
  } halves[2];
};

struct hy_divide_kind;

struct hy_divide_tree {
  const struct hy_divide_kind *kind;
  void *owner; /* the block that owns all memory */
  hyla_cube *cube;
  const struct hy_kernels *k;
  const struct hy_secular_kernels *secular;
  const struct hy_packed *packed; /* NULL: products by BLAS */
  int64_t n, positions;           /* rows of vectors; columns */
  int levels;        /* of merges; leaves are at this level, the last merge at level 0 */
  int shared;        /* the merges of levels below this number are made by all nodes together */
  int64_t row, rows; /* this node's of the vectors */
  int64_t wanted, wanted_end; /* the positions whose vectors the last merge makes */
  int threads;
  struct hy_divide_report report;

  struct hy_subcube_op gathers; /* over all nodes */
  int64_t *starts,
      *offsets;  /* of each node's roots among a pass'; of its words among those shared */
  double *words; /* that are shared: some a position and one a node */

  /* By position: a bidiagonal matrix' diagonal; entries beside the diagonal; a subproblem's values,
   * ascending, the first and the last entries of its right vectors. */
  double *diagonal, *e, *d, *first, *last;
  /* Of a merge, likewise: first the columns that stay, ascending, then those that are deflated.
   * Root j has the value shift + mu, or its square; pole: a column's value, or its square. */
  double *sigma, *pole, *square, *head, *tail, *shift, *mu;
  struct hy_divide_side side[HY_SIDES];
  struct hy_divide_column *column; /* scratch: those that are deflated */
  struct hy_divide_rotation *rotation;
  struct hy_merge *merge; /* of a level, from the pass' first one on */
  char *copies;           /* of columns that a level multiplies */
  char *strips;           /* for each thread: entries of vectors, and products with them */
  int64_t strip_bytes;
};

/* A level's merges on their way. */
struct hy_divide_pass {
  struct hy_divide_tree *s;
  int level;
  int64_t begin, end;             /* merges that this node knows of */
  bool shared, top;               /* all nodes find its roots; it is the last one */
  int64_t roots, cost;            /* of all merges */
  int64_t first, last;            /* those that this node finds: first ... last-1 */
  int side;                       /* whose columns are at work */
  int64_t turns, packs, products; /* pieces of work */
};

/* What a problem's merges are.
 *   sides    sets of vectors; two: poles are squares of values, and each subproblem has a null
 *            vector on the right, its first one
 *   leaf     most columns of a leaf
 *   exact    merges of at most this number of columns have weights without errors of their own
 *   deflate  local: decides which columns of a merge stay; all nodes that know of it do so from the
 *            same bits */
struct hy_divide_kind {
  int sides, leaf, exact;
  void (*deflate)(const struct hy_divide_tree *s, struct hy_merge *m);
};

/* sqrt(a^2 + b^2), for a and b of at most about 1; all operations round once, whatever the
 * processor. */
static inline double hy_divide_length(double a, double b) {
  if (fmax(fabs(a), fabs(b)) >= 0x1p-400) return sqrt(a * a + b * b);
  a *= 0x1p600, b *= 0x1p600;
  return sqrt(a * a + b * b) * 0x1p-600;
}

/* Local.  The first column of node `index' of the tree at a level, and the node that has a column:
 * column c is in node i if floor(i p / 2^level) <= c < floor((i + 1) p / 2^level), p all columns.
 */
static inline int64_t hy_divide_first(const struct hy_divide_tree *s, int level, int64_t index) {
  return (index * s->positions) >> level;
}
static inline int64_t hy_divide_node(const struct hy_divide_tree *s, int level, int64_t column) {
  return (((column + 1) << level) - 1) / s->positions;
}
/* Local.  Where this node's positions end: where its rows do; the last rows' with all positions. */
static inline int64_t hy_divide_end(const struct hy_divide_tree *s) {
  const int64_t end = s->row + s->rows;
  return end == s->n ? s->positions : end;
}
/* Local.  This node's rows in lo ... hi-1: the first one counted from its first row; their number.
 */
struct hy_divide_rows {
  int64_t first, count;
};
static inline struct hy_divide_rows hy_divide_rows(const struct hy_divide_tree *s, int64_t lo,
                                                   int64_t hi) {
  const int64_t from = hy_max(lo, s->row), to = hy_min(hi, s->row + s->rows);
  return (struct hy_divide_rows){hy_max(0, from - s->row), hy_max(0, to - from)};
}
/* Of a merge, and of its halves: a left vector has no entry in the lower half's last row, which
 * does not exist, nor in row mid-1 for either half. */
static inline struct hy_divide_rows hy_divide_all_rows(const struct hy_divide_tree *s,
                                                       const struct hy_merge *m, int side) {
  return hy_divide_rows(s, m->lo, m->hi - (side == HY_LEFT));
}
static inline struct hy_divide_rows
hy_divide_half_rows(const struct hy_divide_tree *s, const struct hy_merge *m, int side, int half) {
  const int64_t less = side == HY_LEFT;
  return half == 0 ? hy_divide_rows(s, m->lo, m->mid - less)
                   : hy_divide_rows(s, m->mid, m->hi - less);
}

/* tree.c
 * create    local: s, whose kind, owner, cube, k, n, positions, wanted positions and sides are set
 * allocate  local: the memory of runs, the owner's
 * share     collective over nodes: all learn the values, first and last entries of all subproblems
 *           that lie on one node
 * merge     collective over nodes: the merges of a level
 * open      local: a side's vectors in a run; NULL: not wanted
 * scale     local: d and e times 2^-*exponent, largest magnitude below 1, to `diagonal' and s->e;
 *           what: the matrix.  NOT_FINITE
 * finish    collective over nodes: the merges that all make together; the values.  UNRELIABLE: one
 *           is not a number
 * tell      collective over nodes and guests: the values to guests; the same status, unless
 *           communication fails */
hyla_status hy_divide_tree_create(struct hy_divide_tree *s);
hyla_status hy_divide_tree_allocate(struct hy_divide_tree *s);
hyla_status hy_divide_tree_share(struct hy_divide_tree *s);
hyla_status hy_divide_tree_merge(struct hy_divide_tree *s, int level);
void hy_divide_tree_open(struct hy_divide_tree *s, int side, const hyla_matrix *vectors);
hyla_status hy_divide_tree_scale(const struct hy_divide_tree *s, const char *what, const double *d,
                                 const double *e, double *diagonal, int *exponent);
hyla_status hy_divide_tree_finish(struct hy_divide_tree *s, const char *what, int exponent,
                                  double *values);
hyla_status hy_divide_tree_tell(const struct hy_divide_tree *s, hyla_status status, double *values);
/* Local.  Are vectors wanted? */
static inline bool hy_divide_has_vectors(const struct hy_divide_tree *s) {
  return s->side[HY_RIGHT].wanted || s->side[HY_LEFT].wanted;
}
/* Local.  Merge `index' of a level without deflation, all vectors wanted. */
struct hy_merge hy_divide_merge(const struct hy_divide_tree *s, int level, int64_t index);
/* Local.  A pass' i-th merge: on a cube without data the same, otherwise as deflation left it. */
static inline struct hy_merge hy_divide_merge_of(const struct hy_divide_pass *pass, int64_t i) {
  return pass->s->k->dry ? hy_divide_merge(pass->s, pass->level, pass->begin + i)
                         : pass->s->merge[i];
}
/* Local.  Shares `count' pieces of work among at most `threads' of this rank's threads; messages in
 * flight move on meanwhile. */
hyla_status hy_divide_spread(const struct hy_divide_tree *s, int threads,
                             void (*piece)(void *, int64_t, int), void *arg, int64_t count);

/* roots.c.  words: a column's: the factor of its right vector, that one's first and last entries,
 * and the factor of its left vector.
 * deal     local: which roots of a pass this node finds
 * values   collective over nodes: the roots
 * columns  likewise: the weights for which these are exact, and the columns */
static inline int hy_divide_words(const struct hy_divide_tree *s) { return 2 + s->kind->sides; }
void hy_divide_deal(struct hy_divide_pass *pass);
hyla_status hy_divide_find_values(const struct hy_divide_pass *pass);
hyla_status hy_divide_find_columns(const struct hy_divide_pass *pass);

/* scan.c, local: what deflation is for both problems.
 * open    a scan of a merge of that size: values and z are scaled by a power of 2 near it
 * column  the column at a position; row: what its last entry, or its first, is multiplied by in z
 * turn    two columns: x := c x + s y, y := c y - s x
 * wait    the next column, which stays unless it is close to the one behind it; of two close ones
 *         the first is turned and deflated
 * keep    puts a column among those that stay, and says where
 * drop    puts a column among those that are deflated, ascending
 * close   puts the deflated ones, `count', in their places, and lists the halves */
struct hy_divide_scan {
  const struct hy_divide_tree *s;
  struct hy_merge *m;
  double scale, tolerance;
  int deflated;
  struct hy_divide_column null, middle; /* of singular values */
  struct hy_divide_column pending; /* has the largest d so far, stays unless the next is close */
  bool waits;
};
struct hy_divide_scan hy_scan_open(const struct hy_divide_tree *s, struct hy_merge *m, double size);
struct hy_divide_column hy_scan_column(const struct hy_divide_scan *scan, int64_t at, double row);
void hy_scan_turn(struct hy_divide_scan *scan, double c, double s, bool right,
                  struct hy_divide_column *x, struct hy_divide_column *y);
void hy_scan_wait(struct hy_divide_scan *scan, struct hy_divide_column *x);
int64_t hy_scan_keep(struct hy_divide_scan *scan, const struct hy_divide_column *x);
void hy_scan_drop(struct hy_divide_scan *scan, const struct hy_divide_column *x);
void hy_scan_close(const struct hy_divide_scan *scan, int count);

/* deflate.c, singular_deflate.c, local: which columns of a merge stay. */
void hy_divide_deflate(const struct hy_divide_tree *s, struct hy_merge *m);
void hy_singular_deflate(const struct hy_divide_tree *s, struct hy_merge *m);

/* update.c: the columns of a level's merges become those after them, of one side.  Collective over
 * nothing: messages in flight move on.  room: entries of copies. */
int64_t hy_divide_update_room(const struct hy_divide_tree *s, int level);
hyla_status hy_divide_update(struct hy_divide_pass *pass, int side);

#endif
