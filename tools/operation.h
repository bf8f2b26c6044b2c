/* The operations that bench times, explain plans and multiply does with files: a table of functions
 * for each. */
#ifndef OPERATION_H
#define OPERATION_H 1

#include "tool.h"

/* One problem of an operation, on a real or virtual cube. */
struct problem {
  hyla_cube *cube;
  const struct options *options;
  int64_t m, n, k; /* in the operation's own letters; -1: it has none */
  int64_t nrhs;
  hyla_matrix *a, *b, *c;
  hyla_matrix *diagonal, *above; /* of a block tridiagonal system; else NULL */
  double *values;                /* of an eigenvalue problem, or singular; else NULL */
  hyla_plan *plan;
  hyla_factor *factor;     /* of an operation that has one instead of a plan */
  const hyla_plan *chosen; /* the problem's plan or the factorization's */
  hyla_layout layout;      /* of the result, once there is a plan */
};

struct operation {
  const char *name;     /* on the command line, and of its variants in hyla_variant_operation;
                           NULL: that of the options' method */
  const char *variants; /* the family of its variants, if not its own or its method's */
  bool methods;         /* it works by the options' method and has that method's variants */
  const char *sizes;    /* for messages: what --size takes */
  uint64_t takes;       /* bits of the options that only some operations take */
  int factors;          /* of a product; 0: not a product, and multiply does not do it */
  /* read_size: takes the sizes from the options; false if they are not those it needs.  size_of:
   * for a product, takes them from its factors. */
  bool (*read_size)(struct problem *problem);
  void (*size_of)(struct problem *problem);
  /* Real operations, for the flop rate; NULL: it computes nothing, but moves a to b. */
  double (*flops)(const struct problem *problem);
  /* The following are collective.
   *   make    makes the matrices that a plan needs
   *   plan    variant may be NULL; sets chosen and layout unless it makes the problem's plan
   *   ready   fills in the entries, which only a run needs
   *   renew   before every run, restores what the last one changed; NULL: nothing to restore
   *   run     is timed; NULL: runs the plan */
  hyla_status (*make)(struct problem *problem);
  hyla_status (*plan)(struct problem *problem, const char *variant);
  hyla_status (*ready)(struct problem *problem);
  hyla_status (*renew)(struct problem *problem);
  hyla_status (*run)(struct problem *problem);
  hyla_status (*residual)(struct problem *problem, double *residual);
};

/* HPL's table of solutions. */
void hpl_head(const struct run *run, const char *method);
void hpl_row(const struct result *result);

extern const struct operation operation_gemm;
extern const struct operation operation_symm;
extern const struct operation operation_hemm;
extern const struct operation operation_trmm;
extern const struct operation operation_trsm;
extern const struct operation operation_trtri;
extern const struct operation operation_tridiagonal;
extern const struct operation operation_invert; /* by any method */
extern const struct operation operation_eigen;
extern const struct operation operation_svd;
extern const struct operation operation_lstsq;
extern const struct operation operation_syrk;
extern const struct operation operation_herk;
extern const struct operation operation_gemv;
extern const struct operation operation_symv;
extern const struct operation operation_hemv;
extern const struct operation operation_ger;
extern const struct operation operation_factor; /* of any method */
extern const struct operation operation_solve;  /* of any method, by lu if none is named */
extern const struct operation operation_convert;
extern const struct operation operation_transpose;
extern const struct operation operation_turn;

/* The products, for usages. */
#define OPERATION_PRODUCTS "gemm|symm|hemm|trmm|syrk|herk"
/* The products of a matrix and a vector. */
#define OPERATION_VECTORS "gemv|symv|hemv|ger"

/* method_find: the method of that name, -1 for none.  factor_flops: the real operations of one
 * factorization of an m x n matrix and, if it is square, of one solution with nrhs right-hand
 * sides. */
int method_find(const char *name);
double factor_flops(hyla_method method, hyla_type type, int64_t m, int64_t n, int64_t nrhs);
/* The real operations for all eigenvalues and a number of vectors, without deflation. */
double eigen_flops(hyla_type type, int64_t order, int64_t vectors);
/* The same with a second matrix; and which problem the options ask for then. */
double pencil_flops(hyla_type type, int64_t order, int64_t vectors);
hyla_eigen_pencil pencil_of(const struct options *options);
/* The real operations that singular values with vectors are said to take, by any method. */
double svd_flops(hyla_type type, int64_t rows, int64_t cols);
/* The real operations of least squares by QR. */
double lstsq_flops(hyla_type type, int64_t rows, int64_t cols, int64_t nrhs);
/* The real operations of the inverse of a matrix. */
double inverse_flops(hyla_method method, hyla_type type, int64_t order);

/* The operation of that name; NULL if there is none. */
const struct operation *operation_find(const char *name);
/* The i-th name of an operation, including methods, collectives and, if the usage has it, traffic;
 * NULL beyond the last. */
const char *operation_word(const char *usage, int i);
/* Prints that the first argument names no operation, and what was probably meant. */
void operation_refuse(const struct run *run, const char *usage);
/* The operation that the first argument names, NULL for none; a method's name sets the options'
 * method. */
const struct operation *operation_asked(struct options *options);
/* name: of the operation.  method: the method by which it works, if its name does not say that,
 * else NULL.  variants: the family of its variants.  needs_data: a dry simulation cannot plan
 * it. */
const char *operation_name(const struct operation *operation, const struct options *options);
const char *operation_method(const struct operation *operation, const struct options *options);
const char *operation_variants(const struct operation *operation, const struct options *options);
bool operation_needs_data(const struct operation *operation, const struct options *options);
/* Bits of the options that only some operations take. */
uint64_t operation_options(void);

/* Does it only move a matrix?  Its real operations; 0 for a move. */
bool operation_moves(const struct operation *operation);
double operation_flops(const struct operation *operation, const struct problem *problem);

/* Collective.  Plans; restores what a run needs; runs. */
hyla_status operation_plan(const struct operation *operation, struct problem *problem,
                           const char *variant);
hyla_status operation_renew(const struct operation *operation, struct problem *problem);
hyla_status operation_run(const struct operation *operation, struct problem *problem);

/* Local.  For a move: the layout of the source; else "". */
void problem_origin(const struct operation *operation, const struct problem *problem,
                    char text[HYLA_LAYOUT_TEXT]);

/* Adds triangle, side and so on to a result, for operations that have these. */
void json_set_shape(json_t *json, const struct operation *operation, const struct options *options);

/* Describes a problem: "gemm 4 x 5 x 6" or "lu 4, 1 right-hand side". */
enum { PROBLEM_TEXT = 120 };
const char *problem_text(const char *name, int64_t m, int64_t n, int64_t k, int64_t nrhs,
                         char text[PROBLEM_TEXT]);

/* Frees the plan; frees everything. */
void problem_drop_plan(struct problem *problem);
void problem_free(struct problem *problem);

/* Collective.  made := alpha op(x), in x's layout; the caller destroys it. */
hyla_status matrix_operated(hyla_cube *cube, const hyla_matrix *x, hyla_operation op,
                            hyla_scalar alpha, hyla_matrix **made);
/* Collective.  Converts *matrix to another type in its layout; does nothing if it has that type.
 * Like hyla_matrix_convert it does not go from complex to real. */
hyla_status matrix_retype(hyla_cube *cube, hyla_type type, hyla_matrix **matrix);
/* Collective.  whole := the square matrix with x's triangle, and in the rest the image of the
 * triangle under an op, or zeros; the caller destroys it. */
hyla_status triangle_complete(hyla_cube *cube, const hyla_matrix *x, hyla_triangle triangle,
                              hyla_operation image, hyla_matrix **whole);
/* Local.  Sets the diagonal to ones. */
void triangle_put_ones(hyla_matrix *whole);

/* Collective.  |C t - A (B t)| / (eps |A| |B| |t| k) in the maximum norm for a random t. */
hyla_status product_residual(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *b,
                             const hyla_matrix *c, double *residual);

/* Collective.  Plans B := op(A), within the options' band, if any. */
hyla_status passage_plan(hyla_cube *cube, const struct options *options, hyla_operation op,
                         const hyla_matrix *from, hyla_matrix *to, const char *variant,
                         hyla_plan **plan);
/* transposes: do rows become columns?  name: the word of --by for a turn. */
bool passage_transposes(hyla_operation op);
const char *turn_name(hyla_operation op);
/* Collective.  0 if undoing op brings `to', which is op(from), back to `from' bit for bit, else
 * infinity. */
hyla_status passage_residual(hyla_cube *cube, hyla_operation op, const hyla_matrix *from,
                             const hyla_matrix *to, double *residual);

/* The arrays of a number of ranks, the fastest first.
 * compare   prices the operation on each by hyla_arrays_compare, for the options' variant, if any
 * idle      why some ranks are left idle; false: they are not, or no array of all was compared
 * text      writes "2x3" */
enum { ARRAYS_MOST = 64 };
struct arrays {
  hyla_array array[ARRAYS_MOST];
  int count, ranks;
  char fastest[32];
};
hyla_status arrays_compare(const struct operation *operation, const struct options *options,
                           const hyla_machine *machine, int ranks, int64_t messages,
                           struct arrays *arrays);
bool arrays_idle(const struct arrays *arrays, char *text, size_t size);
/* works_on_files: is it a subcommand that computes with files?
 * array_for_files: collective.  The fastest array for what it computes with these; "": the sizes do
 * not fit, or no array can be priced.  Statuses of hyla_matrix_probe. */
bool works_on_files(int (*work)(struct run *run));
hyla_status array_for_files(struct run *run, int (*work)(struct run *run), char array[32]);
void arrays_print(const struct arrays *arrays);
json_t *arrays_json(const struct arrays *arrays);
void array_text(const hyla_array *array, char text[32]);
int array_nodes(const hyla_array *array);

/* Times in seconds of several repetitions, each of the slowest rank. */
struct times {
  int count;
  int room;
  double *seconds; /* sorted */
  double *each;    /* in their order */
};
bool times_init(struct times *times, int room);
void times_free(struct times *times);
/* Collective.  Adds the slowest rank's time. */
hyla_status times_add(hyla_cube *cube, struct times *times, double seconds);
void times_clear(struct times *times);
double times_least(const struct times *times);
double times_median(const struct times *times);
double times_most(const struct times *times);

/* The limit: the speed at which the nodes' cores multiply square matrices, each node on its own,
 * all at the same time.  `alone' is a cube of one node with the rank's BLAS threads. */
struct limit {
  hyla_cube *alone;
  hyla_matrix *a, *b, *c;
  hyla_plan *plan;
  double flops;  /* real operations of all nodes in one repetition */
  bool threaded; /* BLAS has several threads */
  struct times times;
};
/* Collective, with the same status on all ranks; guests take no part in the work. */
hyla_status limit_create(hyla_cube *cube, hyla_type type, int64_t size, int room,
                         struct limit *limit);
hyla_status limit_measure(hyla_cube *cube, struct limit *limit);
void limit_destroy(struct limit *limit);

/* The copy with which moves are compared: all nodes at the same time copy as many bytes as they
 * have of the target.  Above 1 MB moves go past the caches.  Then nodes read other memory before a
 * copy and before the move after it, so that both begin with their data in memory; otherwise the
 * time of a move would depend on what was done before. */
struct copying {
  char *from, *to;
  size_t bytes;
  uint64_t *away, sum; /* the other memory; the sum keeps the compiler from leaving it out */
  size_t away_words;
  struct times times;
};
/* Collective, with the same status on all ranks. */
hyla_status copying_create(hyla_cube *cube, const hyla_matrix *target, int room,
                           struct copying *copying);
hyla_status copying_measure(hyla_cube *cube, struct copying *copying);
void copying_destroy(struct copying *copying);

#endif
