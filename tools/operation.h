/* The operations that bench times, explain plans and multiply does with files: one table of
 * functions each. */
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
  hyla_factor *factor;     /* of an operation that makes one, in place of a plan */
  const hyla_plan *chosen; /* the plan, its own or the factorization's */
  hyla_layout layout;      /* of the result, once there is a plan */
};

struct operation {
  const char *name;     /* on the command line, and as hyla_variant_operation knows its variants;
                           NULL: the method's that the options name */
  const char *variants; /* whose variants it has, if not its own or its method's */
  bool methods;         /* it goes by the options' method, of which it has the variants */
  const char *sizes;    /* for messages: what --size takes */
  uint64_t takes;       /* of the options that only some operations have: their bits */
  int factors;          /* of a product; 0: it is none, and multiply does not do it */
  /* Takes the sizes from the options; false when they are not what it needs.  Of a
   * product also from its factors. */
  bool (*read_size)(struct problem *problem);
  void (*size_of)(struct problem *problem);
  /* Real operations, for the flop rate; NULL: it computes nothing, but moves a to b. */
  double (*flops)(const struct problem *problem);
  /* The following are collective.  make: what a plan needs; plan: variant may be
   * NULL, sets chosen and layout where it makes no plan of the problem's own; ready: what a run
   * needs beyond, the entries; renew: before every run, what the last one has changed, NULL:
   * nothing; run: what is timed, NULL: the plan. */
  hyla_status (*make)(struct problem *problem);
  hyla_status (*plan)(struct problem *problem, const char *variant);
  hyla_status (*ready)(struct problem *problem);
  hyla_status (*renew)(struct problem *problem);
  hyla_status (*run)(struct problem *problem);
  hyla_status (*residual)(struct problem *problem, double *residual);
};

/* HPL's table of a solution. */
void hpl_head(const struct run *run, const char *method);
void hpl_row(const struct result *result);

extern const struct operation operation_gemm;
extern const struct operation operation_symm;
extern const struct operation operation_hemm;
extern const struct operation operation_trmm;
extern const struct operation operation_trsm;
extern const struct operation operation_trtri;
extern const struct operation operation_invert; /* by any method */
extern const struct operation operation_syrk;
extern const struct operation operation_herk;
extern const struct operation operation_gemv;
extern const struct operation operation_symv;
extern const struct operation operation_hemv;
extern const struct operation operation_ger;
extern const struct operation operation_factor; /* of any method */
extern const struct operation operation_solve;  /* likewise, by lu where none is named */
extern const struct operation operation_convert;
extern const struct operation operation_transpose;
extern const struct operation operation_turn;

/* For usages: the products. */
#define OPERATION_PRODUCTS "gemm|symm|hemm|trmm|syrk|herk"
/* A matrix by a vector. */
#define OPERATION_VECTORS "gemv|symv|hemv|ger"

/* The method of that name, -1 for none; the real operations of one factorization of an m x n matrix
 * and one solution with nrhs right-hand sides, which a rectangle has not. */
int method_find(const char *name);
double factor_flops(hyla_method method, hyla_type type, int64_t m, int64_t n, int64_t nrhs);
/* Those of the inverse of a matrix. */
double inverse_flops(hyla_method method, hyla_type type, int64_t order);

/* The operation of that name; NULL when there is none. */
const struct operation *operation_find(const char *name);
/* The i-th name that an operation has, methods and collectives included; NULL beyond the last. */
const char *operation_word(int i);
/* Tells that the first argument names none, and what may have been meant. */
void operation_refuse(const struct run *run, const char *usage);
/* The one that the first argument names; of a method, which then is the options'.  NULL: none. */
const struct operation *operation_asked(struct options *options);
/* Its name; the method that it goes by, where its name does not say, else NULL; whose variants it
 * has; whether a dry simulation cannot plan it. */
const char *operation_name(const struct operation *operation, const struct options *options);
const char *operation_method(const struct operation *operation, const struct options *options);
const char *operation_variants(const struct operation *operation, const struct options *options);
bool operation_needs_data(const struct operation *operation, const struct options *options);
/* The options that only some operations take. */
uint64_t operation_options(void);

/* Does it compute nothing?  Its real operations, then 0. */
bool operation_moves(const struct operation *operation);
double operation_flops(const struct operation *operation, const struct problem *problem);

/* Collective.  Plans; makes what a run needs new; runs. */
hyla_status operation_plan(const struct operation *operation, struct problem *problem,
                           const char *variant);
hyla_status operation_renew(const struct operation *operation, struct problem *problem);
hyla_status operation_run(const struct operation *operation, struct problem *problem);

/* Local.  Of a move: how what is moved lies; "" else. */
void problem_origin(const struct operation *operation, const struct problem *problem,
                    char text[HYLA_LAYOUT_TEXT]);

/* Adds to a result which triangle, from which side and so on, of operations that have these. */
void json_set_shape(json_t *json, const struct operation *operation, const struct options *options);

/* What a problem is, "gemm 4 x 5 x 6" or "lu 4, 1 right-hand side". */
enum { PROBLEM_TEXT = 120 };
const char *problem_text(const char *name, int64_t m, int64_t n, int64_t k, int64_t nrhs,
                         char text[PROBLEM_TEXT]);

/* Frees the plan; everything. */
void problem_drop_plan(struct problem *problem);
void problem_free(struct problem *problem);

/* made := alpha op(x), in x's layout.  Collective; the caller destroys what was made. */
hyla_status matrix_operated(hyla_cube *cube, const hyla_matrix *x, hyla_operation op,
                            hyla_scalar alpha, hyla_matrix **made);
/* *matrix := the same entries in another type, in its layout; nothing where it has that type.
 * Collective; as hyla_matrix_convert, so not from complex to real. */
hyla_status matrix_retype(hyla_cube *cube, hyla_type type, hyla_matrix **matrix);
/* whole := the square matrix of which x's triangle is given, the rest of it the image of that
 * under an op, or zeros.  Collective; the caller destroys what was made. */
hyla_status triangle_complete(hyla_cube *cube, const hyla_matrix *x, hyla_triangle triangle,
                              hyla_operation image, hyla_matrix **whole);
/* Local.  Ones on the diagonal. */
void triangle_put_ones(hyla_matrix *whole);

/* |C t - A (B t)| / (eps |A| |B| |t| k) in the maximum norm for a random t; collective. */
hyla_status product_residual(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *b,
                             const hyla_matrix *c, double *residual);

/* B := op(A), within the band that the options name, if any.  Collective. */
hyla_status passage_plan(hyla_cube *cube, const struct options *options, hyla_operation op,
                         const hyla_matrix *from, hyla_matrix *to, const char *variant,
                         hyla_plan **plan);
/* Do rows become columns?  What --by calls a turn. */
bool passage_transposes(hyla_operation op);
const char *turn_name(hyla_operation op);
/* 0 when op, undone, brings `to` back to `from` bit for bit, else infinite; to is op(from).
 * Collective. */
hyla_status passage_residual(hyla_cube *cube, hyla_operation op, const hyla_matrix *from,
                             const hyla_matrix *to, double *residual);

/* Seconds of one thing done several times, each the slowest rank's. */
struct times {
  int count;
  int room;
  double *seconds; /* by value */
  double *each;    /* in the order in which they came */
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
 * same time.  A cube of one node each, with the ranks' BLAS threads, multiplies square matrices. */
struct limit {
  hyla_cube *alone;
  hyla_matrix *a, *b, *c;
  hyla_plan *plan;
  double flops;  /* real operations of all nodes in one repetition */
  bool threaded; /* BLAS has several threads */
  struct times times;
};
/* Collective; guests take no part in the work.  create, measure: agreed upon. */
hyla_status limit_create(hyla_cube *cube, hyla_type type, int64_t size, int room,
                         struct limit *limit);
hyla_status limit_measure(hyla_cube *cube, struct limit *limit);
void limit_destroy(struct limit *limit);

/* What moves are held against: all nodes at the same time copy as many bytes as their part
 * of the target has, from one place to another.  Where that is over 1 MB, so that moves go past the
 * caches, nodes read so much else before a copy, and before the move after it, that both begin with
 * their data in memory: else what a move takes would depend on what was done before. */
struct copying {
  char *from, *to;
  size_t bytes;
  uint64_t *away, sum; /* what else is read; so that it is read */
  size_t away_words;
  struct times times;
};
/* Collective; agreed upon. */
hyla_status copying_create(hyla_cube *cube, const hyla_matrix *target, int room,
                           struct copying *copying);
hyla_status copying_measure(hyla_cube *cube, struct copying *copying);
void copying_destroy(struct copying *copying);

#endif
