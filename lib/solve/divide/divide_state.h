/* Private to solve/divide: the state of a solver, a merge, and the steps of a run. */
#ifndef HY_DIVIDE_STATE_H
#define HY_DIVIDE_STATE_H 1

#include "solve/divide/divide.h"

/* Most rows of a leaf; columns of Z that are multiplied together; rows that are turned together. */
enum { HY_DIVIDE_LEAF = 8, HY_DIVIDE_STRIP = 32, HY_DIVIDE_ROWS = 256 };

/* Which rows of its subproblem a column has entries in: bits. */
enum { HY_UPPER_HALF = 1, HY_LOWER_HALF = 2, HY_BOTH_HALVES = 3 };

/* A column before a merge: its value, scaled; its entry of the vector z; its first and last entry;
 * where it stands in Z. */
struct hy_divide_column {
  double d, z, head, tail;
  int32_t slot;
  uint8_t half;
};

/* Columns x := c x + s y, y := c y - s x; halves as before. */
struct hy_divide_rotation {
  double c, s;
  int32_t x, y;
  uint8_t half_x, half_y;
};

/* A merge of rows lo ... mid-1 and mid ... hi-1: D + rho z z^T, D and rho scaled by 2^-exponent.  k
 * columns stay, the others are deflated.  held: columns that stay with entries in each half.
 * wanted: of the k roots, those whose vectors are computed.  The rest is of a pass: numbers of
 * roots, their cost and pieces of work in the merges before, and where copies of the halves and of
 * deflated columns begin. */
struct hy_merge {
  int64_t lo, mid, hi;
  int k, rotations, exponent, held[2];
  int wanted, wanted_end;
  double rho;
  int64_t roots, cost, turns, packs, products;
  int64_t copy[3];
};

struct hy_divide {
  struct hy_divide_problem problem;
  hyla_cube *cube;
  const struct hy_kernels *k;
  const struct hy_secular_kernels *secular;
  const struct hy_packed *packed; /* NULL: products by BLAS */
  int64_t n;
  int levels;        /* of merges; leaves are at this level, the last merge at level 0 */
  int shared;        /* the merges of levels below this number are made by all nodes together */
  int64_t row, rows; /* this node's of Z */
  struct hy_divide_report report;
  int sweeps;     /* most of a value in a leaf */
  int64_t failed; /* first row of a leaf that did not converge; -1: none */

  char *z; /* in a run */
  int64_t ld;

  struct hy_subcube_op gathers; /* over all nodes */
  int64_t *starts,
      *offsets;  /* of each node's roots among a pass'; of its words among those shared */
  double *words; /* that are shared: three a position and one a node */

  /* By position: a subproblem of rows lo ... hi-1 has the positions lo ... hi-1.  Its values,
   * ascending, the first and the last row of its vectors; the columns of Z where these stand. */
  double *d, *e, *first, *last;
  int32_t *place;
  /* Of a merge, likewise: first the columns that stay, ascending, then those that are deflated.
   * Root j has the value shift + mu, the entries of its vector the factor `factor'.  slot and
   * target: the column of Z before and after. */
  double *pole, *square, *weight, *head, *tail, *shift, *mu, *factor;
  int32_t *slot, *target;
  uint8_t *half;
  /* The columns that stay with entries in the upper, and in the lower half. */
  struct hy_divide_half {
    double *pole, *weight;
    int32_t *index, *slot;
  } halves[2];
  struct hy_divide_column *column; /* scratch: those that are deflated */
  struct hy_divide_rotation *rotation;
  struct hy_merge *merge; /* of a level, from the pass' first one on */
  char *copies;           /* of columns that a level multiplies */
  char *strips;           /* for each thread: entries of vectors, and products with them */
  int64_t strip_bytes;
  int threads;
};

/* A level's merges on their way. */
struct hy_divide_pass {
  struct hy_divide *s;
  int level;
  int64_t begin, end;             /* merges that this node knows of */
  bool shared, top;               /* all nodes find its roots; it is the last one */
  int64_t roots, cost;            /* of all merges */
  int64_t first, last;            /* those that this node finds: first ... last-1 */
  int64_t turns, packs, products; /* pieces of work */
};

/* Local.  The rows of node `index' of the tree at a level, and the node that has a row: row r is in
 * node i if floor(i n / 2^level) <= r < floor((i + 1) n / 2^level). */
static inline int64_t hy_divide_row(const struct hy_divide *s, int level, int64_t index) {
  return (index * s->n) >> level;
}
static inline int64_t hy_divide_node(const struct hy_divide *s, int level, int64_t row) {
  return (((row + 1) << level) - 1) / s->n;
}
/* Local.  This node's rows in lo ... hi-1: the first one counted from its first row; their number.
 */
struct hy_divide_rows {
  int64_t first, count;
};
static inline struct hy_divide_rows hy_divide_rows(const struct hy_divide *s, int64_t lo,
                                                   int64_t hi) {
  const int64_t from = hy_max(lo, s->row), to = hy_min(hi, s->row + s->rows);
  return (struct hy_divide_rows){hy_max(0, from - s->row), hy_max(0, to - from)};
}
static inline struct hy_divide_rows hy_divide_half_rows(const struct hy_divide *s,
                                                        const struct hy_merge *m, int half) {
  return half == 0 ? hy_divide_rows(s, m->lo, m->mid) : hy_divide_rows(s, m->mid, m->hi);
}

/* Local.  Merge `index' of a level without deflation, all vectors wanted. */
struct hy_merge hy_divide_merge(const struct hy_divide *s, int level, int64_t index);
/* Local.  A pass' i-th merge: on a cube without data the same, otherwise as deflation left it. */
static inline struct hy_merge hy_divide_merge_of(const struct hy_divide_pass *pass, int64_t i) {
  return pass->s->k->dry ? hy_divide_merge(pass->s, pass->level, pass->begin + i)
                         : pass->s->merge[i];
}

/* Local.  Shares `count' pieces of work among at most `threads' of this rank's threads; messages in
 * flight move on meanwhile. */
hyla_status hy_divide_spread(const struct hy_divide *s, int threads,
                             void (*piece)(void *, int64_t, int), void *arg, int64_t count);

/* leaf.c, local: T's rows lo ... hi-1, torn off, by QL steps: values, first and last rows, and this
 * node's rows of the vectors.  False: a value took more steps than s->sweeps. */
bool hy_divide_leaf(const struct hy_divide *s, int64_t lo, int64_t hi);

/* deflate.c, local: which columns of a merge stay. */
void hy_divide_deflate(const struct hy_divide *s, struct hy_merge *m);

/* root.c, local: root j of a merge. */
void hy_divide_root(const struct hy_secular_kernels *kernels, const struct hy_secular *f,
                    double rho, int j, double *shift, double *mu);

/* update.c, local: the columns of a level's merges become those after them.  plan: counts pieces of
 * work; room: entries of copies. */
void hy_divide_update_plan(struct hy_divide_pass *pass);
int64_t hy_divide_update_room(const struct hy_divide *s, int level);
hyla_status hy_divide_update(struct hy_divide_pass *pass);

#endif
