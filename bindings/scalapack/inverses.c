/* ScaLAPACK's inverses, in place: of a matrix by its LU, of a triangle, of a Hermitian matrix by
 * its Cholesky factor. */
#include "dropin.h"

/* --------------------------------------------------------------------- LU -- */

enum { GETRI_WORK = 6, GETRI_INTEGERS = 8 };

/* Workspace queries go to ScaLAPACK; the lengths are checked when the routine runs. */
bool dropin_read_getri(struct dropin_call *call) {
  int n = dropin_integer(call, 0);
  dropin_operand(call, 1, n, n);
  call->pivots = call->arguments[5];
  call->info = call->arguments[10];
  call->size = n;
  return dropin_square_blocks(call, 0) && !dropin_asks_workspace(call, GETRI_WORK, GETRI_INTEGERS);
}

/* Inverts a triangle of A in place. */
static hyla_status invert_triangle(struct dropin_call *call, hyla_triangle triangle,
                                   hyla_diagonal diagonal) {
  hyla_plan **plan = dropin_next_step(call);
  hyla_status status = HYLA_OK;
  if (*plan == NULL)
    status =
        hyla_trtri_plan(call->grid->cube, triangle, diagonal, call->operand[0].view, NULL, plan);
  return dropin_run_step(call, status, *plan);
}

/* L := A, and the plan of the solution with L. */
static hyla_status copy_factors(struct dropin_call *call, hyla_plan **solution) {
  hyla_cube *cube = call->grid->cube;
  const struct dropin_operand *a = &call->operand[0];
  hyla_matrix **l = &call->kept->work[0];
  hyla_status status = HYLA_OK;
  if (*l == NULL) status = hyla_matrix_create(cube, call->type, a->rows, a->cols, NULL, l);
  if (status == HYLA_OK) status = hyla_matrix_copy(cube, a->view, *l);
  if (status == HYLA_OK && *solution == NULL)
    status = hyla_trsm_plan(cube, HYLA_RIGHT, HYLA_LOWER, HYLA_NONE, HYLA_UNIT_DIAGONAL, 1, *l,
                            a->view, NULL, solution);
  return status;
}

/* A^-1 = U^-1 L^-1 P: inverts U in place, solves X L = U^-1 with a copy of L, and moves the columns
 * by the swaps in reverse order.  All memory is taken before A changes. */
hyla_status dropin_run_getri(struct dropin_call *call) {
  struct dropin_operand *a = &call->operand[0];
  hyla_plan **solution = dropin_next_step(call);
  if (!dropin_has_workspace(call, GETRI_WORK, GETRI_INTEGERS, true)) return HYLA_ARGUMENT;
  hyla_status status = copy_factors(call, solution);
  if (status == HYLA_OK) status = invert_triangle(call, HYLA_UPPER, HYLA_ANY_DIAGONAL);
  if (status == HYLA_OK) {
    dropin_clear(a->view, 1, 1);
    status = dropin_run_step(call, HYLA_OK, *solution);
  }
  if (status != HYLA_OK) return status;
  dropin_apply_pivots(call, "B", "C", a, call->arguments[GETRI_INTEGERS]);
  return dropin_succeed(call);
}

/* -------------------------------------------------------------- a triangle -- */

bool dropin_read_trtri(struct dropin_call *call) {
  int n = dropin_integer(call, 2);
  dropin_operand(call, 3, n, n);
  call->info = call->arguments[7];
  call->size = n;
  return dropin_read_triangle(call, 0) && dropin_read_diagonal(call, 1) &&
         dropin_square_blocks(call, 0);
}

hyla_status dropin_run_trtri(struct dropin_call *call) {
  hyla_status status = invert_triangle(call, call->triangle, call->diagonal);
  return status == HYLA_OK ? dropin_succeed(call) : status;
}

/* -------------------------------------------------------------- Cholesky -- */

bool dropin_read_potri(struct dropin_call *call) {
  int n = dropin_integer(call, 1);
  dropin_operand(call, 2, n, n);
  call->info = call->arguments[6];
  call->size = n;
  return dropin_read_triangle(call, 0) && dropin_square_blocks(call, 0);
}

/* Rows and columns of the matrix from (row, col) of A, indices from 0, on.  Without memory the view
 * is NULL, and the call that gets it reports that to all processes. */
static struct dropin_operand part_of(const struct dropin_operand *a, int64_t row, int64_t col,
                                     int64_t rows, int64_t cols) {
  struct dropin_operand part = *a;
  part.i = a->i + (int)row;
  part.j = a->j + (int)col;
  part.rows = rows;
  part.cols = cols;
  part.view = NULL;
  (void)hyla_matrix_view(a->whole, part.i - 1, part.j - 1, rows, cols, &part.view);
  return part;
}

/* ScaLAPACK's own product of a triangle with its adjoint, used for a few columns. */
typedef void square_triangle(const char *triangle, const int *n, void *a, const int *ia,
                             const int *ja, const int *desc, size_t);

static void square_few(struct dropin_call *call, const struct dropin_operand *a) {
  char name[] = "p?lauum_", letter[2] = {call->triangle == HYLA_LOWER ? 'L' : 'U', 0};
  const int n = (int)a->rows;
  name[1] = dropin_letter(call->type);
  ((square_triangle *)dropin_find(name))(letter, &n, a->array, &a->i, &a->j, a->desc, 1);
}

/* A := W^H W for a lower triangle W, or W W^H for an upper one, in place.  It does the first half
 * on the diagonal, adds the share of the block W21 (W12) beside the halves, multiplies that block
 * by the second half, which must still be W then, and does the second half.  Recursion ends at
 * `least' columns; halves are whole blocks. */
static void square(struct dropin_call *call, const struct dropin_operand *a, int64_t least) {
  const int64_t block = a->desc[MB], n = a->rows, half = (n / 2 + block - 1) / block * block;
  bool lower = call->triangle == HYLA_LOWER;
  if (n <= least || half >= n) {
    square_few(call, a);
    return;
  }
  struct dropin_operand first = part_of(a, 0, 0, half, half);
  struct dropin_operand second = part_of(a, half, half, n - half, n - half);
  struct dropin_operand beside =
      lower ? part_of(a, half, 0, n - half, half) : part_of(a, 0, half, half, n - half);
  const struct dropin_triangle by = {.side = lower ? HYLA_LEFT : HYLA_RIGHT,
                                     .triangle = call->triangle,
                                     .op = HYLA_CONJUGATE,
                                     .diagonal = HYLA_ANY_DIAGONAL};
  square(call, &first, least);
  dropin_add_square(call, call->triangle, lower ? HYLA_CONJUGATE : HYLA_NONE, &beside, &first);
  dropin_multiply(call, &by, &second, &beside);
  square(call, &second, least);
  hyla_matrix_destroy(&beside.view);
  hyla_matrix_destroy(&second.view);
  hyla_matrix_destroy(&first.view);
}

/* A^-1 = L^-H L^-1, or U^-1 U^-H. */
hyla_status dropin_run_potri(struct dropin_call *call) {
  enum { SHARE = 16 };
  struct dropin_operand *a = &call->operand[0];
  int64_t block = a->desc[MB], share = a->rows / SHARE;
  hyla_status status = invert_triangle(call, call->triangle, HYLA_ANY_DIAGONAL);
  if (status != HYLA_OK) return status;
  square(call, a, share > block ? share : block);
  return dropin_succeed(call);
}
