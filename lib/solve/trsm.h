/* Private to lib/solve: triangular systems for the user, X := alpha op(A)^-1 B or alpha B op(A)^-1.
 *
 * The front end (trsm.c) brings the triangle and the right-hand sides to where substitution wants
 * them (substitution.h), B scaled on the way; a variant solves in place. */
#ifndef HY_TRSM_H
#define HY_TRSM_H 1

#include "call/call.h"
#include "solve/solve.h"
#include "solve/triangular.h"

/* The problem of the variants; outlives their states. */
struct hy_trsm_task {
  struct hy_triangular_problem system; /* `many` is the variant's to say */
  const hyla_matrix *t;                /* there before take: the triangle; right-hand sides, */
  hyla_matrix *x;                      /* which become the solution */
};

/* trsm.c: for both front ends.
 * copies     local: a matrix that is brought through its op cannot serve however it lies, nor one
 *            of which there are copies
 * check_diagonal  collective: SINGULAR, NOT_FINITE if a diagonal entry of the task's triangle is
 *            zero, is not finite; the message names the first such one */
bool hy_trsm_copies(const struct hy_job *job, const struct hy_variant *variant, int operand);
hyla_status hy_trsm_check_diagonal(const struct hy_trsm_task *task);

/* trsm_theorem.c.  Local.  Adds a line with the paper's count of the way and the library's own,
 * where the system is one of the paper's.  groups: of right-hand sides; a product has none. */
enum hy_trsm_way { HY_TRSM_BY_SWEEP, HY_TRSM_BY_TREES, HY_TRSM_BY_PRODUCT };
void hy_trsm_published(const struct hy_triangular_problem *p, enum hy_trsm_way way, int64_t groups,
                       struct hy_text *text);

/* The traits of a row that solves by substitution. */
struct hy_trsm_traits {
  bool many;  /* the triangle's block columns travel, else partial sums */
  bool sweep; /* these go from one rank column to the next */
  bool tiled; /* the tiles of the diagonal blocks are inverted; many */
};

/* trsm_substitution.c: the members of such a row.  Create is local; take is collective over
 * cube and guests and agreed upon; the cost is exact. */
hyla_status hy_trsm_create(const struct hy_variant *variant, const void *task, void **state);
hyla_cost hy_trsm_cost(const void *state);
hyla_status hy_trsm_take(void *state);
hyla_status hy_trsm_run(void *state);
void hy_trsm_explain(const void *state, struct hy_text *text);
void hy_trsm_destroy(void **state);
#define HY_TRSM_OPERATIONS                                                                         \
  .create = hy_trsm_create, .cost = hy_trsm_cost, .take = hy_trsm_take, .run = hy_trsm_run,        \
  .explain = hy_trsm_explain, .destroy = hy_trsm_destroy

#endif
