/* The operations that bench times and explain plans: one table of functions each. */
#ifndef OPERATION_H
#define OPERATION_H 1

#include "tool.h"

/* One problem of an operation, on a cube that may be virtual. */
struct problem {
  hyla_cube *cube;
  const struct options *options;
  int64_t m, n, k; /* as the operation calls them; -1: it has none */
  int64_t nrhs;
  hyla_matrix *a, *b, *c;
  hyla_plan *plan;
  hyla_factor *factor;
};

struct operation {
  const char *name;     /* on the command line */
  const char *variants; /* as hyla_variant_name knows it */
  bool untimed;         /* bench does not time it */
  bool needs_data;      /* a dry simulation cannot plan it */
  const char *sizes;    /* for messages: what --size takes */
  /* Takes the sizes from the options; false when they are not what it needs. */
  bool (*read_size)(struct problem *problem);
  /* Real operations, for the flop rate; NULL: it computes nothing. */
  double (*flops)(const struct problem *problem);
  /* The following are collective.  make: what a plan needs; plan: variant may be
   * NULL; ready: what a run needs beyond, the entries; run: what is timed. */
  hyla_status (*make)(struct problem *problem);
  hyla_status (*plan)(struct problem *problem, const char *variant);
  hyla_status (*ready)(struct problem *problem);
  hyla_status (*run)(struct problem *problem);
  hyla_status (*residual)(struct problem *problem, double *residual);
  /* Local: of the plan.  reason: for the caller to free. */
  const char *(*variant)(const struct problem *problem);
  hyla_cost (*cost)(const struct problem *problem);
  double (*seconds)(const struct problem *problem);
  char *(*reason)(const struct problem *problem);
  hyla_layout (*layout)(const struct problem *problem);
};

extern const struct operation operation_gemm;
extern const struct operation operation_lu;
extern const struct operation operation_convert;
extern const struct operation operation_transpose;

/* The operation of that name; NULL when there is none. */
const struct operation *operation_find(const char *name);

/* Prints what a problem is, "gemm 4 x 5 x 6" or "lu 4, 1 right-hand side". */
void problem_print(const char *name, int64_t m, int64_t n, int64_t k, int64_t nrhs);

/* Frees the plan; everything. */
void problem_drop_plan(struct problem *problem);
void problem_free(struct problem *problem);

/* |C t - A (B t)| / (eps |A| |B| |t| k) in the maximum norm for a random t; collective. */
hyla_status product_residual(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *b,
                             const hyla_matrix *c, double *residual);

/* B := op(A), within the band that the options name, if any.  Collective. */
hyla_status passage_plan(hyla_cube *cube, const struct options *options, hyla_operation op,
                         const hyla_matrix *from, hyla_matrix *to, const char *variant,
                         hyla_plan **plan);
/* 0 when op(to) is from bit for bit, else infinite; to is op(from).  Collective. */
hyla_status passage_residual(hyla_cube *cube, hyla_operation op, const hyla_matrix *from,
                             const hyla_matrix *to, double *residual);

/* Seconds of one thing done several times, each the slowest rank's. */
struct times {
  int count;
  int room;
  double *seconds;
};
bool times_init(struct times *times, int room);
void times_free(struct times *times);
/* Collective. */
hyla_status times_add(hyla_cube *cube, struct times *times, double seconds);
void times_clear(struct times *times);
double times_least(const struct times *times);
double times_median(const struct times *times);
double times_most(const struct times *times);

/* The limit: what the nodes' cores can multiply, each node on its own but all at the
 * same time.  A cube of one node each, with one BLAS thread, multiplies square matrices. */
struct limit {
  hyla_cube *alone;
  hyla_matrix *a, *b, *c;
  hyla_plan *plan;
  double flops; /* real operations of all nodes in one repetition */
  struct times times;
};
/* Collective; guests take no part in the work.  create, measure: agreed upon. */
hyla_status limit_create(hyla_cube *cube, hyla_type type, int64_t size, int room,
                         struct limit *limit);
hyla_status limit_measure(hyla_cube *cube, struct limit *limit);
void limit_destroy(struct limit *limit);

#endif
