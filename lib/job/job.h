/* Door of the room job: a collective call on matrices, from its arguments to its run.
 *
 * A front end describes its call's arguments (struct hy_call) and its operation (struct
 * hy_operation).  The room does the rest, once for all operations: it lets all ranks agree on the
 * arguments, asks the variants where they want the operands, prices and chooses, makes workspaces,
 * plans the moves there and back, takes the memory and runs (struct hy_job). */
#ifndef HY_JOB_H
#define HY_JOB_H 1

#include "call/call.h"
#include "redistribute/redistribute.h"

/* --------------------------------------------------------------- operands -- */

/* A matrix of a job as a variant needs it, and the workspace that stands in for it.  An operand
 * without a caller's matrix is a workspace, for the variants that need one (`copies'). */
struct hy_binding {
  const hyla_matrix *matrix; /* the caller's; NULL: there is none */
  hyla_matrix *result;       /* the same if a result goes back to it, else NULL */
  hyla_operation op;
  struct hy_shape shape;
  struct hy_operand given;  /* as op(matrix) lies */
  struct hy_operand wanted; /* as the variant wants it */
  double _Complex scale;    /* factor of the entries when they move to the workspace */
  bool copied;              /* the caller's matrix cannot serve, however it lies */
  bool read;                /* the entries are used, and are moved to a workspace */
  bool unshared;            /* no other rank reads the workspace in place */
  hyla_matrix *owner;       /* the workspace in the wanted layout; NULL: the matrix serves */
  hyla_matrix *view; /* the part of owner that the variant sees; owner if there is no matrix */
};

/* Local.  The binding of a call's argument, read and, where it is a result, written. */
struct hy_binding hy_binding_of(const struct hy_argument *argument);
/* Local.  The matrix on which a variant works: the workspace or the caller's matrix. */
static inline hyla_matrix *hy_binding_matrix(const struct hy_binding *binding) {
  if (binding->view != NULL) return binding->view;
  /* An operand that is no result is only read. */
  return binding->result != NULL ? binding->result : (hyla_matrix *)binding->matrix;
}
/* Local.  Has the workspace been filled from the caller's matrix when the variant runs? */
static inline bool hy_binding_brought(const struct hy_binding *binding) {
  return binding->view != NULL && binding->read;
}
/* Local.  Bytes of an operand's workspace on this node, at most 2^60, which no machine has. */
int64_t hy_binding_memory(hyla_cube *cube, const struct hy_operand *wanted, hyla_type type);
/* Makes the workspace in the wanted layout, with zeros, and a unit triangle's diagonal.  Collective
 * over cube and guests, agreed upon. */
hyla_status hy_binding_make(hyla_cube *cube, const struct hy_kernels *k,
                            struct hy_binding *binding);
void hy_binding_release(struct hy_binding *binding);

/* For job.c alone: all operands together. */
/* Local.  Adds this node's cost of moving operands to workspaces and back, all at once each way and
 * by direct exchange, and of the workspaces.  wanted, stands_in: of each operand. */
hyla_status hy_bindings_cost(hyla_cube *cube, const struct hy_binding *bindings,
                             const struct hy_operand *wanted, const bool *stands_in, int count,
                             const struct hy_kernels *k, hyla_cost *cost);

/* Plans the redistribution of all operands that are brought or, back, of all results, as one;
 * *moves stays as it was if nothing moves.  Collective, one outcome on all ranks. */
hyla_status hy_bindings_moved(hyla_cube *cube, const struct hy_binding *bindings, int count,
                              bool back, hyla_plan **moves);
/* Local.  Finishes the operands once all have arrived. */
void hy_bindings_arrived(const struct hy_binding *bindings, int count);

/* Local.  Makes diagonal entries real. */
void hy_real_diagonal(hyla_matrix *x);
/* If an operand leaves cube dimensions unused (copies, or a part of the cube), the variants see it
 * in the default layout or with smaller blocks, and it is moved there. */
void hy_operand_fill_cube(const hyla_cube *cube, struct hy_operand *x);

/* ------------------------------------------------------------- moves kept -- */

/* A redistribution that a plan keeps as a child, for matrices that are known only when it runs.  It
 * is planned for the expected matrices, and again for the first matrices of other shapes.  The
 * copies of source and target outlive the caller's matrices. */
struct hy_kept_move {
  const char *what; /* its purpose; static */
  hyla_plan *move;  /* NULL: not planned */
  struct hyla_matrix from, to;
  bool shared; /* others read the source in place; its window may no longer exist */
};

/* run   to := from, through `kept'; agreed
 * plan  plans the move; all ranks return the same.  Entries are neither read nor written
 * once  to := from, by a plan that is not kept; agreed
 * copies  local: would each rank only copy its entries, without a plan? */
hyla_status hy_move_run(hyla_plan *plan, struct hy_kept_move *kept, const hyla_matrix *from,
                        hyla_matrix *to);
hyla_status hy_move_plan(hyla_plan *plan, struct hy_kept_move *kept, const hyla_matrix *from,
                         const hyla_matrix *to);
hyla_status hy_move_once(const hyla_matrix *from, hyla_matrix *to);
bool hy_move_copies(const hyla_matrix *from, const hyla_matrix *to);

/* --------------------------------------------------------------- the job -- */

/* A call's operation, planned: the state of its plan. */
enum { HY_OPERANDS = 6 };
struct hy_job {
  const struct hy_operation *operation;
  const struct hy_family *family; /* the operation's, or the one that begin has set */
  hyla_plan *plan;                /* whose state this is */
  hyla_cube *cube;
  const struct hy_kernels *k; /* of the call's matrices; where it has none, begin sets it */
  struct hy_call call;
  int operands;
  struct hy_binding operand[HY_OPERANDS]; /* the operation's order */
  const struct hy_variant *variant;       /* NULL before the choice */
  void *state;                            /* of the variant; the choice owns it */
  void *task;                             /* the variant's problem; outlives its state */
  void *trial;                            /* the same for the variant that is being priced */
  struct hy_priced *priced;               /* for each row of the family; NULL: none is priced */
  void *own;                              /* the operation's own data */
  struct hy_choice *choice;               /* the plan's */
  hyla_plan *in, *out;                    /* children; NULL: nothing is moved */
};

/* An operation, as the room needs it. */
struct hy_operation {
  const struct hy_family *family; /* NULL: begin sets the job's */
  bool together; /* allocate of its variants is collective and agreed; otherwise it is local */
  size_t task;   /* bytes of a variant's problem */
  size_t own;    /* bytes that the operation keeps in job->own, zeros at first; may be 0 */
  /* Names of the moves there and back, for explanations. */
  const char *brought, *returned;
  /* Local.  Names the operands, and says whether each is read and whether it must be copied.  If
   * the job is run by calls of its own, begin sets the plan's `runs_by'; run then serves rehearsals
   * alone. */
  void (*begin)(struct hy_job *job);
  /* Local.  Sets what depends on the variant in the job, before that variant is priced or bound;
   * variant NULL: before variants say whether they apply.  May not be there. */
  void (*place)(struct hy_job *job, const struct hy_variant *variant);
  /* Local.  Changes `wanted', the operands as given, to the layouts in which a variant works;
   * variant NULL: in which variants see them to say whether they apply. */
  void (*want)(const struct hy_job *job, const struct hy_variant *variant,
               struct hy_operand *wanted);
  /* Local.  Sets a task: operands as wanted; the matrices, NULL where there are none yet.  cube:
   * the job's, or a counting one whose matrices are counted. */
  void (*set)(const struct hy_job *job, hyla_cube *cube, const struct hy_operand *wanted,
              hyla_matrix *const *matrix, void *task);
  /* Does a variant need a workspace for an operand that lies as it wants, or that has no matrix?
   * May be NULL. */
  bool (*copies)(const struct hy_job *job, const struct hy_variant *variant, int operand);
  /* Can a variant be rehearsed?  NULL: all can. */
  bool (*plays)(const struct hy_job *job, const struct hy_variant *variant);
  /* Collective, agreed upon: replaces the choice by measuring variants.  May be NULL. */
  hyla_status (*learn)(struct hy_job *job);
  /* Collective, agreed upon: plans further work between the moves; the task is set.  May be NULL.
   */
  hyla_status (*more)(hyla_plan *plan);
  /* Local: takes the operation's own memory, after the variant's.  May be NULL. */
  hyla_status (*open)(struct hy_job *job);
  /* Local: finds the cost of a variant's run on this node.  NULL: the run is played. */
  hyla_status (*cost)(const struct hy_job *job, const struct hy_variant *variant, hyla_cost *cost);
  /* Local: adds this node's cost of the operation's own work.  May be NULL. */
  hyla_status (*spend)(const struct hy_job *job, const struct hy_operand *wanted, hyla_cost *cost);
  /* Local: adds to a candidate's cost the work that was planned since the choice, without the
   * plan's children.  NULL: variants move the operands differently, and only the chosen one's cost
   * is found anew. */
  void (*charge)(const struct hy_job *job, const struct hy_candidate *candidate, hyla_cost *cost);
  /* Collective, the status is this rank's.  NULL run: hy_job_once; compute: the work between moves,
   * NULL: the variant's run. */
  hyla_status (*run)(struct hy_job *job);
  hyla_status (*compute)(struct hy_job *job);
  void (*explain)(const hyla_plan *plan, struct hy_text *text);
  void (*close)(struct hy_job *job); /* frees the operation's own memory; may be NULL */
};

/* Collective over cube and guests; all ranks return the same.
 * make  plans a call whose arguments are checked; after a failure *plan is the part that was made,
 *       for hyla_plan_destroy
 * plan  checks and plans; messages name call->name; plan must not be NULL
 * call  plans, runs, destroys
 * mine: as hy_call_enter has it. */
hyla_status hy_job_make(hyla_cube *cube, const struct hy_operation *operation,
                        const struct hy_call *call, hyla_plan **plan);
hyla_status hy_job_plan(hyla_cube *cube, const struct hy_operation *operation,
                        const struct hy_call *call, hyla_status mine, hyla_plan **plan);
hyla_status hy_job_call(hyla_cube *cube, const struct hy_operation *operation,
                        const struct hy_call *call, hyla_status mine);

/* For operations.  once: operands brought, compute, results returned; collective, the status is
 * this rank's.  compute: the variant's run.  of: the job of a plan. */
hyla_status hy_job_once(struct hy_job *job);
static inline hyla_status hy_job_compute(struct hy_job *job) {
  return job->variant->run(job->state);
}
static inline struct hy_job *hy_job_of(const hyla_plan *plan) { return plan->state; }
/* Local.  The job of a plan that may be of anything, or NULL; NULL: not of this operation. */
struct hy_job *hy_job_if(const hyla_plan *plan, const struct hy_operation *operation);

#endif
