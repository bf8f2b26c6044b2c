/* Private to lib/gemm: a matrix and vectors.  y := alpha op(A) x + beta y, the same for a matrix of
 * which only one triangle is stored, and A := A + alpha x op(y).
 *
 * A stays where it lies, so a variant is a way for vectors to travel.  Each vector goes with A's
 * rows or with A's columns.  A node either needs the entries of its rows (columns) of A, or it has
 * summands for these entries.  A pair of a vector and an axis of A is called an end of the
 * operation. */
#ifndef HY_GEMM_GEMV_H
#define HY_GEMM_GEMV_H 1

#include "gemm/gemm.h"

/* spread: every node gets the entries that it needs.  sum: the nodes' summands are added. */
struct hy_gemv_end {
  bool rows; /* the vector goes with A's rows; otherwise with its columns */
  bool sum;
  struct hy_operand vector; /* an operand of one column */
};

/* The ends of y := op(A) x are x and y.  A stored triangle is used as it stands and transposed, so
 * it has a second pair of ends for x and y.  An update has the ends x and y, both spread. */
enum { HY_GEMV_X, HY_GEMV_Y, HY_GEMV_X_TURNED, HY_GEMV_Y_TURNED, HY_GEMV_ENDS };

/* The operation to be computed.
 *   update  A := A + alpha x op(y); otherwise a product
 *   shape   of A: general, or symmetric or Hermitian with one triangle stored
 *   op      applied to A, in an update to y
 *   idle    nothing is multiplied, because alpha or a side of A is 0: only y := beta y */
struct hy_gemv_problem {
  hyla_cube *cube;
  const struct hy_kernels *kernels;
  bool update, idle;
  struct hy_shape shape;
  hyla_operation op;
  struct hy_operand a;
  int ends;
  struct hy_gemv_end end[HY_GEMV_ENDS];
};

/* One run.  The vectors lie as the variant asked; spread vectors do not change. */
struct hy_gemv_task {
  struct hy_gemv_problem problem;
  double _Complex alpha, beta;
  hyla_matrix *a;
  hyla_matrix *vector[HY_GEMV_ENDS];
};

/* One node's view of a vector that is spread or summed. */
struct hy_carrier {
  void *owner; /* the state, whose memory it uses */
  const struct hy_gemv_task *task;
  const struct hy_gemv_end *end;
  hyla_matrix *vector;
  const struct hy_axis *axis, *across; /* the axis of A that the vector goes with; the other axis */
  uint32_t along;                      /* the dimensions that the vector crosses; 0: it does not
                                        * travel */
  double _Complex beta;                /* for a sum */
  int node;
  int64_t length; /* entries of the axis here */
  char *data;     /* those entries in A's order, or the summands for them */
  char *room;     /* owned: `length' entries; NULL where the vector's own entries serve */
  /* For the way's own use: */
  struct hy_subcube_op group;
  int64_t *offsets; /* owned: where the shares begin in `room', and the end */
  int share;        /* the node's number among the shares */
  char *ordered;    /* owned; used if the shares lie in another order than A's */
  char *packet;     /* owned */
  int64_t packets, packet_length;
};

/* The traits of a row: a way to travel.
 *   lie     changes *wanted, the vector as given, to the layout that the way works on
 *   take    takes the memory of a run; local
 *   spread  brings the vector to `data'
 *   sum     brings `data' to the vector, by hy_carrier_put
 * They are called only if something travels.  spread and sum are collective over the nodes that
 * differ in `along'. */
struct hy_gemv_traits {
  void (*lay_out)(const struct hy_gemv_problem *problem, const struct hy_gemv_end *end,
                  struct hy_operand *wanted);
  hyla_status (*allocate)(struct hy_carrier *carrier);
  hyla_status (*spread)(struct hy_carrier *carrier);
  hyla_status (*sum)(struct hy_carrier *carrier);
  /* The number of one-element communications, with all ports and no start-ups, in which a paper
   * spreads or sums a carrier's part, and the paper's place; NULL: no paper says. */
  int64_t (*figure)(const struct hy_carrier *carrier);
  const char *source;
};
static inline const struct hy_gemv_traits *hy_gemv_traits_of(const struct hy_variant *variant) {
  return variant->traits;
}

/* The rows.  Among equally fast variants the first one is chosen. */
extern const struct hy_variant hy_gemv_rows, hy_gemv_columns, hy_gemv_blocks, hy_gemv_tree,
    hy_gemv_copies, hy_gemv_sweep;

/* axis: the axis of A that an end goes with.  across: the other axis. */
static inline const struct hy_axis *hy_gemv_axis(const struct hy_gemv_problem *problem,
                                                 const struct hy_gemv_end *end) {
  return end->rows ? &problem->a.row : &problem->a.col;
}
static inline const struct hy_axis *hy_gemv_across(const struct hy_gemv_problem *problem,
                                                   const struct hy_gemv_end *end) {
  return end->rows ? &problem->a.col : &problem->a.row;
}
/* Is there a cube dimension that A does not use? */
bool hy_gemv_leaves(const struct hy_gemv_problem *problem);

/* For ways that start or end on one line of the array, the line that the vector lies on.  lay_out:
 * as in the traits.  root: the node on the carrier's line that has the vector. */
void hy_gemv_lay_out_on_line(const struct hy_gemv_problem *problem, const struct hy_gemv_end *end,
                             struct hy_operand *wanted);
int hy_carrier_root(const struct hy_carrier *carrier);

/* vector := beta vector + sum, for the node's `count' entries, which must be all that it has. */
void hy_carrier_put(const struct hy_carrier *carrier, const char *sum, int64_t count);
/* Adds summands: into += from; arg: the carrier. */
void hy_carrier_combine(void *into, const void *from, int64_t count, const void *arg);

/* Functions that all rows share; rows differ in their traits. */
hyla_status hy_gemv_create(const struct hy_variant *variant, const void *task, void **state);
hyla_status hy_gemv_allocate(void *state);
hyla_status hy_gemv_run(void *state);
void hy_gemv_explain(const void *state, struct hy_text *text);
#define HY_GEMV_OPERATIONS                                                                         \
  .create = hy_gemv_create, .allocate = hy_gemv_allocate, .run = hy_gemv_run,                      \
  .explain = hy_gemv_explain

/* Local.  The node's computation with its block of A and the ends' data. */
void hy_gemv_local(const struct hy_gemv_task *task, char *const data[HY_GEMV_ENDS]);

/* A job's operands: A, which never moves; the vectors of the ends; and, if y has a second summand,
 * a workspace for it that lies as y does. */
enum { HY_GEMV_A, HY_GEMV_FIRST_END, HY_GEMV_CARRIED = HY_GEMV_FIRST_END + HY_GEMV_ENDS };

/* The state that the operation keeps in its job. */
struct hy_gemv_own {
  bool update, idle;  /* as in hy_gemv_problem */
  hyla_plan *carried; /* child plan that brings y's second summand to y; NULL: y has one summand */
};

#endif
