/* Private to lib/gemm: a matrix and vectors.  y := alpha op(A) x + beta y, the same for a matrix of
 * which one triangle is stored, and A := A + alpha x op(y).
 *
 * A stays where it lies, so a variant is a way in which vectors travel.  Each vector goes with
 * A's rows or its columns: a node needs the entries that belong to its rows (columns) of A, or has
 * summands for these.  Such a pair of a vector and an axis of A is an end of the operation. */
#ifndef HY_GEMM_GEMV_H
#define HY_GEMM_GEMV_H 1

#include "gemm/gemm.h"

/* spread: every node gets the entries that it needs; sum: what the nodes have is added up. */
struct hy_gemv_end {
  bool rows; /* it goes with A's rows; else with its columns */
  bool sum;
  struct hy_operand vector; /* of one column */
};

/* The ends of y := op(A) x are x and y; of a stored triangle, which is used as it stands and
 * turned, there are two more of each; those of an update are x and y, both spread. */
enum { HY_GEMV_X, HY_GEMV_Y, HY_GEMV_X_TURNED, HY_GEMV_Y_TURNED, HY_GEMV_ENDS };

/* What is to be computed.
 *   update  A := A + alpha x op(y), else a product
 *   shape   of A: general, or symmetric or Hermitian by one triangle
 *   op      of A, of an update of y
 *   idle    nothing is multiplied: alpha is 0, or a side of A; y := beta y alone */
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

/* One run: the vectors lie as the variant asked.  Those that are spread do not change. */
struct hy_gemv_task {
  struct hy_gemv_problem problem;
  double _Complex alpha, beta;
  hyla_matrix *a;
  hyla_matrix *vector[HY_GEMV_ENDS];
};

/* A vector on its way, as a node sees it. */
struct hy_carrier {
  const struct hy_gemv_task *task;
  const struct hy_gemv_end *end;
  hyla_matrix *vector;
  const struct hy_axis *axis, *across; /* of A: the vector's; the other one */
  uint32_t along;                      /* the dimensions that it crosses; 0: it does not travel */
  double _Complex beta;                /* of a sum */
  int node;
  int64_t length; /* entries of the axis here */
  char *data;     /* those entries in the order of A's, or the summands for them */
  char *room;     /* owned: of as many; NULL where the vector's own entries serve */
  /* What a way has of its own: */
  struct hy_group group;
  int64_t *offsets; /* owned: where shares begin in `room`, and the end */
  int share;        /* the node's */
  char *ordered;    /* owned: where shares lie in another order than A's */
  char *packet;     /* owned */
  int64_t packets, packet_length;
};

/* A way, the traits of a row.  lie: changes *wanted, the vector as it is given, to what the way
 * works on.  take: the memory of a run; spread: from the vector to `data`; sum: from `data` to
 * the vector, by hy_carrier_put.  They are called only where something travels.  spread and sum
 * are collective over the nodes that differ in `along`; take is local. */
struct hy_gemv_traits {
  void (*lie)(const struct hy_gemv_problem *problem, const struct hy_gemv_end *end,
              struct hy_operand *wanted);
  hyla_status (*take)(struct hy_carrier *carrier);
  hyla_status (*spread)(struct hy_carrier *carrier);
  hyla_status (*sum)(struct hy_carrier *carrier);
  /* The communications of one element each, with all ports and no start-ups, in which a paper
   * spreads or adds up a carrier's part, and where it says so; NULL: none does. */
  int64_t (*figure)(const struct hy_carrier *carrier);
  const char *source;
};
static inline const struct hy_gemv_traits *hy_gemv_traits_of(const struct hy_variant *variant) {
  return variant->traits;
}

/* The axis of A that an end goes with; the other one. */
static inline const struct hy_axis *hy_gemv_axis(const struct hy_gemv_problem *problem,
                                                 const struct hy_gemv_end *end) {
  return end->rows ? &problem->a.row : &problem->a.col;
}
static inline const struct hy_axis *hy_gemv_across(const struct hy_gemv_problem *problem,
                                                   const struct hy_gemv_end *end) {
  return end->rows ? &problem->a.col : &problem->a.row;
}
/* Does A leave cube dimensions over?  Does a node hold a part of an operand? */
bool hy_gemv_leaves(const struct hy_gemv_problem *problem);
bool hy_operand_held(const hyla_cube *cube, const struct hy_operand *x, int node);

/* The line of the array that a vector stands on, for ways that start or end there.  lie: as above;
 * the node of a carrier's nodes that has the vector. */
void hy_gemv_lie_on_line(const struct hy_gemv_problem *problem, const struct hy_gemv_end *end,
                         struct hy_operand *wanted);
int hy_carrier_root(const struct hy_carrier *carrier);

/* vector := beta vector + the sum of this node's `count` entries, all that it has. */
void hy_carrier_put(const struct hy_carrier *carrier, const char *sum, int64_t count);
/* How summands are added: into += from; arg: the carrier. */
void hy_carrier_combine(void *into, const void *from, int64_t count, const void *arg);

/* The rows' functions: they differ in their traits. */
hyla_status hy_gemv_create(const struct hy_variant *variant, const void *task, void **state);
hyla_status hy_gemv_take(void *state);
hyla_status hy_gemv_run(void *state);
void hy_gemv_explain(const void *state, struct hy_text *text);
void hy_gemv_destroy(void **state);
#define HY_GEMV_OPERATIONS                                                                         \
  .create = hy_gemv_create, .take = hy_gemv_take, .run = hy_gemv_run, .explain = hy_gemv_explain,  \
  .destroy = hy_gemv_destroy

/* Local.  What the node does with its block of A and the ends' data. */
void hy_gemv_local(const struct hy_gemv_task *task, char *const data[HY_GEMV_ENDS]);

/* A job's operands: A, which never moves, the vectors of the ends, and a workspace that lies as y
 * does for y's other summand, where there is one. */
enum { HY_GEMV_A, HY_GEMV_FIRST_END, HY_GEMV_CARRIED = HY_GEMV_FIRST_END + HY_GEMV_ENDS };

/* What the operation keeps in its job. */
struct hy_gemv_own {
  bool update, idle;  /* as in hy_gemv_problem */
  hyla_plan *carried; /* of y's other summand to y, a child; NULL: there is none */
};
void hy_gemv_plan_explain(const hyla_plan *made, struct hy_text *text);

#endif
