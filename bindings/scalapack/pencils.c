/* ScaLAPACK's reduction of generalised eigenvalue problems to standard form, p?sygst and p?syngst
 * (p?hegst, p?hengst), by level 3 on the whole matrix: C = L^-1 A L^-H for A x = v B x, L^H A L for
 * A B x = v x and B A x = v x, with B = L L^H; or the same with U = L^H.  The matrix is completed
 * in a workspace, and its triangle comes back when all has succeeded. */
#include "dropin.h"

/* ------------------------------------------------------------ the whole matrix -- */

hyla_status dropin_complete(struct dropin_call *call, hyla_matrix **whole) {
  const bool lower = call->triangle == HYLA_LOWER;
  hyla_matrix *image = NULL;
  hyla_plan **turn = dropin_next_step(call);
  hyla_status status = dropin_twin(call, 0, 0, whole);
  if (status == HYLA_OK) status = dropin_twin(call, 0, 1, &image);
  if (status == HYLA_OK && !dropin_all_fit(call)) status = HYLA_ARGUMENT;
  if (status != HYLA_OK) return status;
  dropin_copy_part(call, 0, lower ? DROPIN_ABOVE : DROPIN_BELOW, NULL, *whole);
  dropin_copy_part(call, 0, lower ? DROPIN_LOWER : DROPIN_UPPER, call->operand[0].view, *whole);
  dropin_real_diagonal(call, 0, *whole);
  const hyla_transfer mirror = {HYLA_CONJUGATE, 1, *whole, image};
  if (*turn == NULL) status = hyla_redistribute_plan(call->grid->cube, 1, &mirror, NULL, turn);
  status = dropin_run_step(call, status, *turn);
  if (status == HYLA_OK)
    dropin_copy_part(call, 0, lower ? DROPIN_ABOVE : DROPIN_BELOW, image, *whole);
  return status;
}

/* ------------------------------------------------------------------ the reduction -- */

hyla_status dropin_times(struct dropin_call *call, bool inverse, hyla_side side, hyla_operation op,
                         const hyla_matrix *factor, hyla_matrix *to) {
  hyla_cube *cube = call->grid->cube;
  hyla_plan **plan = dropin_next_step(call);
  hyla_status status = HYLA_OK;
  if (*plan == NULL)
    status = inverse ? hyla_trsm_plan(cube, side, call->triangle, op, HYLA_ANY_DIAGONAL, 1, factor,
                                      to, NULL, plan)
                     : hyla_trmm_plan(cube, side, call->triangle, op, HYLA_ANY_DIAGONAL, 1, factor,
                                      to, NULL, plan);
  return dropin_run_step(call, status, *plan);
}

hyla_status dropin_reduce(struct dropin_call *call, int kind, const hyla_matrix *factor,
                          hyla_matrix *whole) {
  const bool lower = call->triangle == HYLA_LOWER, inverse = kind == 1;
  const hyla_operation first = lower == inverse ? HYLA_NONE : HYLA_CONJUGATE,
                       second = lower == inverse ? HYLA_CONJUGATE : HYLA_NONE;
  const hyla_status status = dropin_times(call, inverse, HYLA_LEFT, first, factor, whole);
  return status != HYLA_OK ? status
                           : dropin_times(call, inverse, HYLA_RIGHT, second, factor, whole);
}

/* ------------------------------------------------------------------- the routines -- */

/* IBTYPE, UPLO, N, A, B, SCALE, of syngst WORK, INFO. */
enum { A = 3, B = 7, SCALE = 11, SYGST_INFO = 12, SYNGST_WORK = 12, SYNGST_INFO = 14 };

/* ScaLAPACK wants A and B to begin on the same process, in square blocks of one size. */
static bool lie_as_scalapack_wants(const struct dropin_call *call) {
  const struct dropin_operand *a = &call->operand[0], *b = &call->operand[1];
  if (call->grid == NULL || !dropin_square_blocks(call, 0) || !dropin_square_blocks(call, 1) ||
      a->desc[MB] != b->desc[MB])
    return false;
  const int block = a->desc[MB];
  const int one = (a->j - 1) / block + a->desc[CSRC], other = (b->j - 1) / block + b->desc[CSRC];
  return dropin_same_rows(call, 0, 1) && (one - other) % call->grid->q == 0;
}

static bool read_reduction(struct dropin_call *call, int info) {
  const int kind = dropin_integer(call, 0), n = dropin_integer(call, 2);
  dropin_operand(call, A, n, n);
  dropin_operand(call, B, n, n);
  call->info = call->arguments[info];
  call->size = n;
  call->extra[0] = kind;
  return kind >= 1 && kind <= 3 && dropin_read_triangle(call, 1) && lie_as_scalapack_wants(call);
}

static hyla_status run_reduction(struct dropin_call *call) {
  hyla_matrix *whole = NULL;
  hyla_status status = dropin_complete(call, &whole);
  if (status == HYLA_OK)
    status = dropin_reduce(call, dropin_integer(call, 0), call->operand[1].view, whole);
  if (status != HYLA_OK) return status;
  dropin_add_part(call, 0, call->triangle == HYLA_LOWER ? DROPIN_LOWER : DROPIN_UPPER, whole, 0);
  dropin_real_diagonal(call, 0, NULL);
  dropin_write_length(call, SCALE, false, 1);
  return dropin_succeed(call);
}

bool dropin_read_sygst(struct dropin_call *call) { return read_reduction(call, SYGST_INFO); }
bool dropin_read_hegst(struct dropin_call *call) { return read_reduction(call, SYGST_INFO); }
hyla_status dropin_run_sygst(struct dropin_call *call) { return run_reduction(call); }
hyla_status dropin_run_hegst(struct dropin_call *call) { return run_reduction(call); }

bool dropin_read_syngst(struct dropin_call *call) {
  return read_reduction(call, SYNGST_INFO) && !dropin_asks_workspace(call, SYNGST_WORK, -1);
}
bool dropin_read_hengst(struct dropin_call *call) { return dropin_read_syngst(call); }

hyla_status dropin_run_syngst(struct dropin_call *call) {
  if (!dropin_has_workspace(call, SYNGST_WORK, -1, false)) return HYLA_ARGUMENT;
  return run_reduction(call);
}
hyla_status dropin_run_hengst(struct dropin_call *call) { return dropin_run_syngst(call); }
