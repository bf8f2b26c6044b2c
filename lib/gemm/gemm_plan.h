/* Private to lib/gemm: the plan of a multiplication, and how operands are brought
 * to where a variant wants them. */
#ifndef HY_GEMM_PLAN_H
#define HY_GEMM_PLAN_H 1

#include "gemm/gemm.h"

/* What of a matrix is read, and what the rest stands for: the image of what is read,
 * or zeros, with ones on the diagonal or without. */
enum hy_structure { HY_GENERAL, HY_SYMMETRIC, HY_HERMITIAN, HY_TRIANGULAR, HY_UNIT_TRIANGULAR };
struct hy_shape {
  enum hy_structure form;
  hyla_triangle triangle; /* that is read, of the matrix as it is given */
};

/* What the user asked for; every member is a global argument. */
struct hy_gemm_request {
  hyla_operation op_a, op_b;
  double _Complex alpha, beta;
  const hyla_matrix *a, *b;
  hyla_matrix *c;
  const char *variant;
  struct hy_shape shape_a, shape_b; /* of one factor at most */
  bool turned;                      /* the user calls A b and B a */
  bool replaces;                    /* C is also the factor without a shape */
  enum hy_part part;                /* of C that is computed; the rest of it does not change */
  bool hermitian;                   /* C's diagonal is made real */
};

/* Collective: checks the request and plans it, all ranks alike.  mine: this rank's
 * verdict on what the caller has checked; call: its name; plan: the user's, NULL is refused
 * here. */
hyla_status hy_gemm_request_plan(hyla_cube *cube, const struct hy_gemm_request *request,
                                 const char *call, hyla_status mine, hyla_plan **plan);

/* Plans, runs, destroys. */
hyla_status hy_gemm_request_run(hyla_cube *cube, const struct hy_gemm_request *request,
                                const char *call, hyla_status mine);

/* One of A, B, C of a plan: the user's matrix, and what stands in for it. */
struct hy_binding {
  const hyla_matrix *given;
  hyla_operation op;
  struct hy_shape shape;
  bool copied;        /* given cannot serve, however it lies */
  hyla_matrix *owner; /* the workspace in the wanted layout; NULL: given serves */
  hyla_matrix *view;  /* of owner: what the variant sees */
  bool brought;       /* given -> view before the variant runs */
};

struct hy_gemm_plan {
  hyla_cube *cube;
  struct hy_gemm_problem given; /* as the user's matrices lie */
  struct hy_gemm_task task;     /* as the variant sees it */
  struct hy_binding a, b, c;
  bool hermitian;
  hyla_plan *in;  /* of all that is brought, a child; NULL: nothing */
  hyla_plan *out; /* of C, a child; NULL: C is given's */
  struct hy_gemm_check *check; /* owned; NULL: results are not checked */
  const struct hy_variant *variant;
  void *state;              /* of the variant */
  struct hy_choice *choice; /* the plan's */
};

/* Collective; all ranks return the same.  The request has been checked.  After a
 * failure *plan is what there is of it, for hyla_plan_destroy. */
hyla_status hy_gemm_plan_make(hyla_cube *cube, const struct hy_gemm_request *request,
                              hyla_plan **plan);
/* Collective; all ranks return the same.  Replaces the choice by what wisdom has or, on
 * a cube that measures, by what is measured to be the fastest.  make: hy_gemm_plan_make, by which
 * the candidates are planned. */
typedef hyla_status hy_gemm_make(hyla_cube *cube, const struct hy_gemm_request *request,
                                 hyla_plan **plan);
hyla_status hy_gemm_learn(struct hy_gemm_plan *plan, const struct hy_gemm_request *request,
                          hy_gemm_make *make);
void hy_gemm_plan_explain(const hyla_plan *made, struct hy_text *text);

/* An operand that leaves cube dimensions over (copies, or a part of the cube) is
 * shown to the variants in the default layout, or smaller blocks of it, into which it
 * is moved. */
void hy_operand_fill_cube(const hyla_cube *cube, struct hy_operand *x);

/* Operands that a workspace stands in for: brought there before (in), back after (out). */
struct hy_bind_need {
  const struct hy_binding *binding;
  const struct hy_operand *given, *wanted;
  bool in, out;
};
/* Local.  Bytes of an operand's workspace on this node. */
int64_t hy_bind_memory(const hyla_cube *cube, const struct hy_operand *wanted, size_t size);
/* Adds what bringing up to three operands costs this node, all at once each way and by
 * direct exchange, their workspaces included.  Local. */
hyla_status hy_bind_cost(hyla_cube *cube, const struct hy_bind_need *needs, int count, size_t size,
                         hyla_cost *cost);

/* Makes the workspace: zeros, of a unit triangle with its diagonal.  Collective, the
 * status is this rank's. */
hyla_status hy_bind_make(struct hy_binding *binding, const struct hy_operand *wanted);
/* Plan the redistribution of what is brought into the workspaces, *in as it was when that is
 * nothing, and that of one back to `to`.  Collective; all ranks return the same. */
hyla_status hy_bind_in(hyla_cube *cube, struct hy_binding *const bindings[], int count,
                       hyla_plan **in);
hyla_status hy_bind_out(hyla_cube *cube, const struct hy_binding *binding, hyla_matrix *to,
                        hyla_plan **out);
/* What is left to do when all is there.  Local. */
void hy_bind_brought(const struct hy_binding *binding);
void hy_bind_release(struct hy_binding *binding);

/* Local.  Diagonal entries become real. */
void hy_real_diagonal(hyla_matrix *x);

#endif
