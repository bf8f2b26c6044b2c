/* ScaLAPACK's block-cyclic arrays as matrices, and matrices as such arrays.
 *
 * A grid of p x q processes is the nodes' array @pxq in binary code with blocks MB x NB: on a cube
 * p and q are powers of two, else the cube is made with the option array = "pxq" ("qxp" if
 * processes are numbered by columns).  An array that is dealt out from process (RSRC, CSRC) on is a
 * view of a larger one that is dealt out from (0, 0) on.  The view begins at row RSRC MB, column
 * CSRC NB; each process holds the same entries in the same order. */
#include "matrix/matrix.h"

#include <limits.h>

enum { DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD };

/* -------------------------------------------------------------- from it -- */

/* Checks one direction; `what' is its letter in the descriptor, M or N, for messages. */
static hyla_status check_direction(struct hy_base *base, int size, int block, int source,
                                   int processes, char what) {
  CHECK(base, size >= 0, ARGUMENT, "descriptor: %c_ is %d; it cannot be negative", what, size);
  CHECK(base, block >= 1, ARGUMENT, "descriptor: %cB_ is %d; blocks have 1 or more", what, block);
  CHECK(base, source >= 0 && source < processes, ARGUMENT,
        "descriptor: %cSRC_ is %d; it must be from 0 to %d", what == 'M' ? 'R' : 'C', source,
        processes - 1);
  return HYLA_OK;
}

/* The layout in which process (i, j) is the node that the order numbers so; false if there is none.
 * The side along which ranks are numbered first has the lowest dimensions. */
static bool find_layout(const hyla_cube *cube, const hyla_scalapack *array, hyla_layout *layout) {
  const hyla_axis row = {.storage = HYLA_CYCLIC, .block = array->desc[MB]};
  const hyla_axis col = {.storage = HYLA_CYCLIC, .block = array->desc[NB]};
  const bool by_rows = array->order == 'R';
  *layout = (hyla_layout){.row = row, .col = col, .rest = HYLA_FACE};
  hyla_axis *first = by_rows ? &layout->col : &layout->row;
  hyla_axis *second = by_rows ? &layout->row : &layout->col;
  return hy_axis_from(cube, 0, by_rows ? array->q : array->p, first) &&
         hy_axis_from(cube, first->dims, by_rows ? array->p : array->q, second);
}

static hyla_status check_array(const hyla_cube *cube, struct hy_base *base,
                               const hyla_scalapack *array, hyla_layout *layout) {
  CHECK(base, array != NULL, ARGUMENT, "array of ScaLAPACK is NULL");
  const int *desc = array->desc;
  int p = array->p, q = array->q;
  CHECK(base, p >= 1 && q >= 1, ARGUMENT, "grid of %d x %d processes; give 1 or more", p, q);
  CHECK(base, p <= cube->ranks.all / q, ARGUMENT, "grid of %d x %d processes; there are %d ranks",
        p, q, cube->ranks.all);
  CHECK(base, array->order == 'R' || array->order == 'C', ARGUMENT,
        "grid: order '%c'; give 'R' (processes numbered by rows) or 'C'", array->order);
  const bool by_rows = array->order == 'R';
  CHECK(base, find_layout(cube, array, layout), UNSUPPORTED,
        "grid of %d x %d processes: the nodes are no such array; make the cube with the option "
        "array = \"%dx%d\", or bring the matrix to another grid by PxGEMR2D first",
        p, q, by_rows ? p : q, by_rows ? q : p);
  CHECK(base, desc[DTYPE] == 1, ARGUMENT,
        "descriptor: DTYPE_ is %d; only 1, dense block-cyclic, is known", desc[DTYPE]);
  TRY(check_direction(base, desc[M], desc[MB], desc[RSRC], p, 'M'));
  return check_direction(base, desc[N], desc[NB], desc[CSRC], q, 'N');
}

/* The array as hy_matrix_wrap wants it. */
static struct hy_array view_of(const hyla_scalapack *array, const hyla_layout *layout) {
  const int *desc = array->desc;
  return (struct hy_array){.call = "hyla_matrix_wrap_scalapack",
                           .row = (int64_t)desc[RSRC] * desc[MB],
                           .rows = desc[M],
                           .col = (int64_t)desc[CSRC] * desc[NB],
                           .cols = desc[N],
                           .layout = layout};
}

hyla_status hyla_matrix_wrap_scalapack(hyla_cube *cube, hyla_type type, const hyla_scalapack *array,
                                       void *local, hyla_matrix **matrix) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_layout layout;
  struct hy_array wrapped = {.call = "hyla_matrix_wrap_scalapack"};
  hyla_status mine = check_array(cube, &cube->base, array, &layout);
  if (mine == HYLA_OK) {
    wrapped = view_of(array, &layout);
    bool inside = hy_layout_holds(cube->dims, &layout, cube->address);
    wrapped.local = inside ? local : NULL;
    wrapped.ld = inside ? array->desc[LLD] : 1;
  }
  wrapped.type = type;
  return hy_matrix_wrap(cube, &wrapped, mine, matrix);
}

hyla_status hyla_scalapack_local(hyla_cube *cube, const hyla_scalapack *array, int64_t *local_rows,
                                 int64_t *local_cols) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  CHECK(&cube->base, local_rows != NULL && local_cols != NULL, ARGUMENT,
        "hyla_scalapack_local: local_rows or local_cols is NULL");
  hyla_layout layout;
  TRY(check_array(cube, &cube->base, array, &layout));
  struct hy_array view = view_of(array, &layout);
  struct hy_axis row = hy_axis_make(&layout.row, view.row + view.rows);
  struct hy_axis col = hy_axis_make(&layout.col, view.col + view.cols);
  row = hy_axis_range(&row, view.row, view.rows);
  col = hy_axis_range(&col, view.col, view.cols);
  bool inside = hy_layout_holds(cube->dims, &layout, cube->address);
  uint32_t address = (uint32_t)cube->address;
  *local_rows = inside ? hy_axis_before(&row, (int)hy_axis_part(&layout.row, address), row.n) : 0;
  *local_cols = inside ? hy_axis_before(&col, (int)hy_axis_part(&layout.col, address), col.n) : 0;
  return HYLA_OK;
}

/* ---------------------------------------------------------------- to it -- */

/* The order of the processes for which the layout's dimensions stand, 'R' or 'C'; 0 if neither. */
static char order_of(const hyla_layout *layout) {
  const hyla_axis *row = &layout->row, *col = &layout->col;
  if (hy_layout_runs_from(col, 0) && hy_layout_runs_from(row, col->dims)) return 'R';
  return hy_layout_runs_from(row, 0) && hy_layout_runs_from(col, row->dims) ? 'C' : 0;
}

/* Writes the descriptor's entries for one axis.  An axis that is not split has no block of its own
 * and takes the one of `other'. */
static hyla_status describe(struct hy_base *base, const struct hy_axis *axis,
                            const struct hy_axis *other, const char *name, int *size, int *block,
                            int *source) {
  /* The block that the user gave, even if it is longer than the axis. */
  const struct hy_axis *from = axis->parts > 1 ? axis : other;
  const bool given = from->code.storage == HYLA_CYCLIC && from->code.block <= INT_MAX;
  int64_t length = given ? hy_max(1, from->code.block) : from->block;
  CHECK(base, axis->n <= INT_MAX && length <= INT_MAX, UNSUPPORTED,
        "hyla_matrix_scalapack: %lld %s in blocks of %lld do not fit the descriptor's int",
        (long long)axis->n, name, (long long)length);
  CHECK(base, axis->parts <= 2 || axis->code.code == HYLA_BINARY, UNSUPPORTED,
        "hyla_matrix_scalapack: the %s lie in Gray code over %d parts, which ScaLAPACK does not "
        "know; copy into an array of its own",
        name, axis->parts);
  CHECK(base, axis->parts == 1 || axis->first % axis->block == 0, UNSUPPORTED,
        "hyla_matrix_scalapack: the view begins %lld %s into a block; describe the whole matrix "
        "and give IA, JA",
        (long long)(axis->first % axis->block), name);
  *size = (int)axis->n;
  *block = (int)length;
  *source = axis->parts == 1 ? 0 : (int)(axis->first / axis->block % axis->parts);
  return HYLA_OK;
}

hyla_status hyla_matrix_scalapack(const hyla_matrix *matrix, hyla_scalapack *array) {
  CHECK(NULL, matrix != NULL, ARGUMENT, "hyla_matrix_scalapack: matrix is NULL");
  struct hy_base *base = &matrix->cube->base;
  CHECK(base, array != NULL, ARGUMENT, "hyla_matrix_scalapack: array is NULL");
  const struct hy_axis *row = &matrix->row, *col = &matrix->col;
  CHECK(base, !hy_matrix_has_copies(matrix), UNSUPPORTED,
        "hyla_matrix_scalapack: there are copies, and ScaLAPACK would change only one of them; "
        "copy into an array of its own");
  char order = order_of(&matrix->layout);
  CHECK(base, order != 0, UNSUPPORTED,
        "hyla_matrix_scalapack: the axes' cube dimensions are no grid by rows or by columns; copy "
        "into an array of its own");
  hyla_scalapack made = {.desc = {1, -1}, .p = row->parts, .q = col->parts, .order = order};
  int *desc = made.desc;
  TRY(describe(base, row, col, "rows", &desc[M], &desc[MB], &desc[RSRC]));
  TRY(describe(base, col, row, "columns", &desc[N], &desc[NB], &desc[CSRC]));
  desc[LLD] = (int)matrix->ld;
  *array = made;
  return HYLA_OK;
}
