/* Private to lib/gemm: the plan of a multiplication, and how operands are brought
 * to where a variant wants them. */
#ifndef HY_GEMM_PLAN_H
#define HY_GEMM_PLAN_H 1

#include "gemm/gemm.h"

/* What the user asked for; every member is a global argument. */
struct hy_gemm_request {
  hyla_operation op_a, op_b;
  double _Complex alpha, beta;
  const hyla_matrix *a, *b;
  hyla_matrix *c;
  const char *variant;
  enum hy_part part; /* of C that is computed; the rest of it does not change */
  bool hermitian;    /* C's diagonal is made real */
};

/* Collective: checks the request and plans it, all ranks alike.  mine: this rank's
 * verdict on what the caller has checked; call: its name. */
hyla_status hy_gemm_request_plan(hyla_cube *cube, const struct hy_gemm_request *request,
                                 const char *call, hyla_status mine, hyla_plan **plan);

/* One of A, B, C of a plan: the user's matrix, and what stands in for it. */
struct hy_binding {
  const hyla_matrix *given;
  hyla_operation op;
  hyla_matrix *owner;  /* the workspace in the wanted layout; NULL: given serves */
  hyla_matrix *view;   /* of owner: what the variant sees */
  struct hy_move *in;  /* given -> view; NULL: nothing to bring */
  struct hy_move *out; /* view -> given */
};

struct hy_gemm_plan {
  hyla_cube *cube;
  struct hy_gemm_problem given; /* as the user's matrices lie */
  struct hy_gemm_task task;     /* as the variant sees it */
  struct hy_binding a, b, c;
  bool hermitian;
  const struct hy_gemm_variant *variant;
  void *state; /* of the variant */
  int count;   /* of variants */
  int choice;
  bool forced;
  struct hy_candidate *candidates;
};

/* Collective; all ranks return the same.  The request has been checked.  After a
 * failure *plan is what there is of it, for hyla_plan_destroy. */
hyla_status hy_gemm_plan_make(hyla_cube *cube, const struct hy_gemm_request *request,
                              hyla_plan **plan);
void hy_gemm_plan_explain(const void *state, struct hy_text *text);

/* An operand that leaves cube dimensions over (copies, or a part of the cube) is
 * shown to the variants in the default layout, or smaller blocks of it, into which it
 * is moved. */
void hy_operand_fill_cube(const hyla_cube *cube, struct hy_operand *x);

/* Can every node be expected to read the others' blocks of a matrix to be made? */
bool hy_in_place_expected(const hyla_cube *cube);

/* Adds what bringing an operand from given to wanted (in) and back (out) costs
 * this node, its workspace included.  Local. */
hyla_status hy_bind_cost(hyla_cube *cube, const struct hy_operand *given,
                         const struct hy_operand *wanted, bool in, bool out, size_t size,
                         hyla_cost *cost);

/* Makes the workspace; collective, the status is this rank's. */
hyla_status hy_bind_make(struct hy_binding *binding, const struct hy_operand *wanted);
/* Plans the moves into it (in) and back to `to` (unless NULL).  Local. */
hyla_status hy_bind_moves(struct hy_binding *binding, bool in, hyla_matrix *to);
void hy_bind_release(struct hy_binding *binding);

#endif
