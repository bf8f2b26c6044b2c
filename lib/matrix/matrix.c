/* The matrix object: create, wrap, view, destroy, and queries. */
#include "matrix/matrix.h"

#include <limits.h>

/* Columns start at multiples of LINE bytes.  A leading dimension that is a multiple of PAGE would
 * put all columns into the same cache sets, and is avoided. */
enum { LINE = 64, PAGE = 4096 };

/* The leading dimension of a created matrix. */
static int64_t padded_ld(const struct hy_kernels *k, int64_t local_rows) {
  int64_t size = (int64_t)k->size;
  int64_t bytes = local_rows * size;
  if (bytes <= LINE) return hy_max(1, local_rows);
  bytes = hy_ceil_div(bytes, LINE) * LINE;
  if (bytes % PAGE == 0) bytes += LINE;
  return bytes / size;
}

int64_t hy_matrix_peer_ld(const hyla_matrix *a, int row_part) {
  struct hy_axis owner = hy_axis_make(&a->row.code, a->row.total);
  return padded_ld(a->k, hy_axis_before(&owner, row_part, owner.n));
}

int hy_matrix_node(const hyla_matrix *a, int row_part, int col_part) {
  return (int)(hy_axis_address(&a->layout.row, (uint32_t)row_part) |
               hy_axis_address(&a->layout.col, (uint32_t)col_part));
}

int hy_matrix_node_near(const hyla_matrix *a, int row_part, int col_part, int near) {
  int node = hy_matrix_node(a, row_part, col_part);
  return a->layout.rest == HYLA_REPLICATED ? node | (near & (int)a->unused_dims) : node;
}

/* A matrix without its memory. */
static hyla_matrix describe(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                            const hyla_layout *layout) {
  hyla_matrix a = {.cube = cube, .k = hy_cube_kernels(cube, type), .layout = *layout};
  a.layout.across = hy_layout_across(cube);
  a.row = hy_axis_make(&layout->row, rows);
  a.col = hy_axis_make(&layout->col, cols);
  a.unused_dims = hy_layout_others(cube->dims, layout);
  a.row_part = -1;
  a.col_part = -1;
  if (hy_layout_holds(cube->dims, layout, cube->address)) {
    a.row_part = (int)hy_axis_part(&layout->row, (uint32_t)cube->address);
    a.col_part = (int)hy_axis_part(&layout->col, (uint32_t)cube->address);
  }
  a.local_rows = hy_axis_before(&a.row, a.row_part, rows);
  a.local_cols = hy_axis_before(&a.col, a.col_part, cols);
  a.ld = padded_ld(a.k, a.local_rows);
  return a;
}

/* Makes *a the view of rows row ... and columns col ... */
static void restrict_to(hyla_matrix *a, int64_t row, int64_t col, int64_t rows, int64_t cols) {
  a->row = hy_axis_range(&a->row, row, rows);
  a->col = hy_axis_range(&a->col, col, cols);
  a->local_rows = hy_axis_before(&a->row, a->row_part, rows);
  a->local_cols = hy_axis_before(&a->col, a->col_part, cols);
}

hyla_matrix hy_matrix_counted(hyla_cube *counting, hyla_type type, const struct hy_operand *x) {
  const hyla_layout layout = hy_operand_layout(x);
  hyla_matrix a = describe(counting, type, x->row.total, x->col.total, &layout);
  restrict_to(&a, x->row.first, x->col.first, x->row.n, x->col.n);
  a.local = counting->base.no_data;
  a.window = x->in_place ? hy_window_counted() : NULL;
  return a;
}

hyla_matrix *hy_matrix_rehearsed(hyla_cube *rehearsal, const hyla_matrix *matrix,
                                 hyla_matrix *rehearsed) {
  const struct hy_operand lies = hy_operand_of(matrix, HYLA_NONE);
  *rehearsed = hy_matrix_counted(rehearsal, matrix->k->type, &lies);
  return rehearsed;
}

/* Checks the arguments of create and wrap.  If *layout is NULL, it becomes *standard, which gets
 * the default layout. */
static hyla_status check_new(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                             const hyla_layout **layout, hyla_layout *standard) {
  struct hy_base *base = &cube->base;
  CHECK(base, hy_kernels_of(type) != NULL, ARGUMENT, "matrix: %d is no type", (int)type);
  CHECK(base, rows >= 0 && cols >= 0, ARGUMENT, "matrix: size %lld x %lld; it cannot be negative",
        (long long)rows, (long long)cols);
  if (*layout == NULL) {
    TRY(hyla_layout_default(cube, rows, cols, standard));
    *layout = standard;
  }
  TRY(hy_layout_check(cube, *layout));
  struct hy_axis row = hy_axis_make(&(*layout)->row, rows);
  struct hy_axis col = hy_axis_make(&(*layout)->col, cols);
  /* The local BLAS counts in int; the margin leaves room for the padding. */
  CHECK(base, hy_axis_most(&row) <= INT_MAX - PAGE && hy_axis_most(&col) <= INT_MAX - PAGE,
        ARGUMENT, "matrix: %lld x %lld gives a rank more than 2^31 rows or columns; use more ranks",
        (long long)rows, (long long)cols);
  return HYLA_OK;
}

static uint64_t add_axis(uint64_t fingerprint, const hyla_axis *axis) {
  const int64_t words[] = {axis->dims,
                           (int64_t)axis->code,
                           axis->code == HYLA_GRAY ? axis->binary : 0,
                           (int64_t)axis->storage,
                           axis->storage == HYLA_CYCLIC ? hy_max(1, axis->block) : 0,
                           axis->parts,
                           axis->inner};
  fingerprint = hy_fingerprint(fingerprint, words, sizeof words);
  return hy_fingerprint(fingerprint, axis->dim, (size_t)axis->dims * sizeof axis->dim[0]);
}

static uint64_t fingerprint_of(uint64_t fingerprint, hyla_type type, const struct hy_axis *row,
                               const struct hy_axis *col, hyla_rest rest) {
  const int64_t words[] = {(int64_t)type, row->first, row->n,     row->total,
                           col->first,    col->n,     col->total, (int64_t)rest};
  fingerprint = hy_fingerprint(fingerprint, words, sizeof words);
  return add_axis(add_axis(fingerprint, &row->code), &col->code);
}

uint64_t hy_matrix_fingerprint(uint64_t fingerprint, const hyla_matrix *a) {
  if (a == NULL) return hy_fingerprint(fingerprint, "NULL", 4);
  return fingerprint_of(fingerprint, a->k->type, &a->row, &a->col, a->layout.rest);
}

typedef hyla_status make_window(hyla_cube *cube, int64_t bytes, struct hy_window **window);

/* The half of make that may fail on one rank alone. */
static hyla_status allocate(hyla_matrix *made, make_window *create, hyla_matrix **matrix) {
  struct hy_base *base = &made->cube->base;
  int64_t column = made->ld * (int64_t)made->k->size;
  /* The blocks of all nodes of one machine may have to lie in one segment. */
  int64_t most = INT64_MAX / 2 / made->cube->nodes;
  bool fits = made->local_cols == 0 || column <= most / made->local_cols;
  hyla_status status = HYLA_OK;
  if (!fits)
    status = hy_fail(base, HYLA_MEMORY, "matrix: %lld x %lld entries on a rank; use more ranks",
                     (long long)made->local_rows, (long long)made->local_cols);
  if (status == HYLA_OK) status = hy_alloc(base, 1, sizeof **matrix, matrix);
  /* Making the window is collective: a rank that has failed takes part with 0 bytes. */
  int64_t bytes = status == HYLA_OK && made->local_rows > 0 ? column * made->local_cols : 0;
  hyla_status window = create(made->cube, bytes, &made->window);
  return status == HYLA_OK ? window : status;
}

static hyla_status make(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                        const hyla_layout *layout, make_window *create, hyla_matrix **matrix) {
  hyla_matrix made = describe(cube, type, rows, cols, layout);
  hyla_matrix *out = NULL;
  hyla_status status = hy_agree(cube, allocate(&made, create, &out));
  if (status != HYLA_OK) {
    hy_window_destroy(cube, &made.window);
    hy_free(&cube->base, &out);
    return status;
  }
  made.owner = true;
  made.local = hy_window_data(made.window);
  made.storage = made.local;
  *out = made;
  *matrix = out;
  return HYLA_OK;
}

/* A matrix of hyla's own. */
static hyla_status make_hidden(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                               const hyla_layout *layout, make_window *create,
                               hyla_matrix **matrix) {
  TRY(make(cube, type, rows, cols, layout, create, matrix));
  hy_window_hidden((*matrix)->window);
  return HYLA_OK;
}

hyla_status hy_matrix_make(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                           const hyla_layout *layout, hyla_matrix **matrix) {
  return make_hidden(cube, type, rows, cols, layout, hy_window_create, matrix);
}

hyla_status hy_matrix_make_private(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                                   const hyla_layout *layout, hyla_matrix **matrix) {
  return make_hidden(cube, type, rows, cols, layout, hy_window_create_private, matrix);
}

hyla_status hy_matrix_over(const hyla_matrix *memory, const hyla_layout *layout,
                           hyla_matrix **matrix) {
  TRY(hy_alloc(&memory->cube->base, 1, sizeof **matrix, matrix));
  **matrix = describe(memory->cube, memory->k->type, memory->row.n, memory->col.n, layout);
  (*matrix)->local = memory->local;
  (*matrix)->ld = memory->ld;
  (*matrix)->storage = memory->storage;
  return HYLA_OK;
}

hyla_status hy_matrix_like(const hyla_matrix *like, hyla_type type, hyla_matrix *made) {
  *made = *like;
  made->k = hy_cube_kernels(like->cube, type);
  made->window = NULL;
  made->owner = false;
  made->ld = hy_max(1, like->local_rows);
  TRY(hy_alloc_data(&like->cube->base, made->ld * like->local_cols, made->k->size, &made->local));
  made->storage = made->local;
  return HYLA_OK;
}

static hyla_status create(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                          const hyla_layout *layout, make_window *window, hyla_matrix **matrix) {
  hyla_layout standard;
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  if (matrix != NULL) *matrix = NULL;
  hyla_status mine = check_new(cube, type, rows, cols, &layout, &standard);
  if (mine == HYLA_OK && matrix == NULL)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT, "hyla_matrix_create: matrix is NULL");
  uint64_t fingerprint = 0;
  if (mine == HYLA_OK) {
    const struct hy_axis row = hy_axis_make(&layout->row, rows),
                         col = hy_axis_make(&layout->col, cols);
    fingerprint = fingerprint_of(0, type, &row, &col, layout->rest);
  }
  TRY(hy_enter(cube, mine, fingerprint, "hyla_matrix_create"));
  return make(cube, type, rows, cols, layout, window, matrix);
}

hyla_status hyla_matrix_create(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                               const hyla_layout *layout, hyla_matrix **matrix) {
  return create(cube, type, rows, cols, layout, hy_window_create, matrix);
}

hyla_status hy_matrix_create_unset(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                                   const hyla_layout *layout, hyla_matrix **matrix) {
  return create(cube, type, rows, cols, layout, hy_window_create_unset, matrix);
}

/* Describes the wrapped matrix in *made and checks the caller's array. */
static hyla_status check_wrap(hyla_cube *cube, const struct hy_array *array, hyla_matrix *made) {
  struct hy_base *base = &cube->base;
  hyla_layout standard;
  const hyla_layout *layout = array->layout;
  int64_t rows = array->row + array->rows, cols = array->col + array->cols;
  TRY(check_new(cube, array->type, rows, cols, &layout, &standard));
  *made = describe(cube, array->type, rows, cols, layout);
  restrict_to(made, array->row, array->col, array->rows, array->cols);
  bool empty = made->local_rows == 0 || made->local_cols == 0;
  CHECK(base, array->local != NULL || empty, ARGUMENT,
        "%s: local is NULL on a rank that holds %lld x %lld entries", array->call,
        (long long)made->local_rows, (long long)made->local_cols);
  CHECK(base, array->ld >= hy_max(1, made->local_rows) && array->ld <= INT_MAX, ARGUMENT,
        "%s: ld is %lld; with %lld local rows it must be from %lld to 2^31 - 1", array->call,
        (long long)array->ld, (long long)made->local_rows, (long long)hy_max(1, made->local_rows));
  made->local = array->local;
  made->storage = array->local;
  made->ld = array->ld;
  return HYLA_OK;
}

hyla_status hy_matrix_wrap(hyla_cube *cube, const struct hy_array *array, hyla_status mine,
                           hyla_matrix **matrix) {
  hyla_matrix made = {.cube = cube}, *out = NULL;
  if (matrix != NULL) *matrix = NULL;
  if (mine == HYLA_OK) mine = check_wrap(cube, array, &made);
  if (mine == HYLA_OK && matrix == NULL)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT, "%s: matrix is NULL", array->call);
  if (mine == HYLA_OK) mine = hy_alloc(&cube->base, 1, sizeof *out, &out);
  uint64_t fingerprint = mine == HYLA_OK ? hy_matrix_fingerprint(0, &made) : 0;
  hyla_status status = hy_enter(cube, mine, fingerprint, array->call);
  if (status != HYLA_OK) {
    hy_free(&cube->base, &out);
    return status;
  }
  *out = made;
  *matrix = out;
  return HYLA_OK;
}

hyla_status hyla_matrix_wrap(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols,
                             const hyla_layout *layout, void *local, int64_t ld,
                             hyla_matrix **matrix) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  const struct hy_array array = {.call = "hyla_matrix_wrap",
                                 .type = type,
                                 .rows = rows,
                                 .cols = cols,
                                 .layout = layout,
                                 .local = local,
                                 .ld = ld};
  return hy_matrix_wrap(cube, &array, HYLA_OK, matrix);
}

hyla_matrix hy_matrix_part(const hyla_matrix *a, int64_t row, int64_t col, int64_t rows,
                           int64_t cols) {
  hyla_matrix part = *a;
  part.owner = false;
  restrict_to(&part, row, col, rows, cols);
  if (part.local_rows > 0 && part.local_cols > 0)
    part.local = hy_at(a, hy_axis_before(&a->row, a->row_part, row),
                       hy_axis_before(&a->col, a->col_part, col));
  return part;
}

hyla_status hyla_matrix_view(hyla_matrix *parent, int64_t row, int64_t col, int64_t rows,
                             int64_t cols, hyla_matrix **view) {
  if (view != NULL) *view = NULL;
  CHECK(NULL, parent != NULL, ARGUMENT, "hyla_matrix_view: parent is NULL");
  struct hy_base *base = &parent->cube->base;
  CHECK(base, view != NULL, ARGUMENT, "hyla_matrix_view: view is NULL");
  CHECK(base, row >= 0 && rows >= 0 && rows <= parent->row.n - row, ARGUMENT,
        "hyla_matrix_view: %lld rows from row %lld of %lld", (long long)rows, (long long)row,
        (long long)parent->row.n);
  CHECK(base, col >= 0 && cols >= 0 && cols <= parent->col.n - col, ARGUMENT,
        "hyla_matrix_view: %lld columns from column %lld of %lld", (long long)cols, (long long)col,
        (long long)parent->col.n);
  hyla_matrix *out = NULL;
  TRY(hy_alloc(base, 1, sizeof *out, &out));
  *out = hy_matrix_part(parent, row, col, rows, cols);
  *view = out;
  return HYLA_OK;
}

/* A view's first entry keeps its local row and column in the array. */
hyla_status hyla_matrix_rewrap(hyla_matrix *matrix, void *array, int64_t ld) {
  CHECK(NULL, matrix != NULL, ARGUMENT, "hyla_matrix_rewrap: matrix is NULL");
  struct hy_base *base = &matrix->cube->base;
  CHECK(base, matrix->window == NULL, ARGUMENT,
        "hyla_matrix_rewrap: the matrix' memory is its own; give one made by hyla_matrix_wrap");
  const bool empty = matrix->local_rows == 0 || matrix->local_cols == 0;
  if (empty) return HYLA_OK;
  CHECK(base, array != NULL, ARGUMENT,
        "hyla_matrix_rewrap: array is NULL on a rank that holds %lld x %lld entries",
        (long long)matrix->local_rows, (long long)matrix->local_cols);
  const int64_t before = (matrix->local - (const char *)matrix->storage) / (int64_t)matrix->k->size;
  const int64_t row = before % matrix->ld, col = before / matrix->ld;
  CHECK(base, ld >= row + matrix->local_rows && ld <= INT_MAX, ARGUMENT,
        "hyla_matrix_rewrap: ld is %lld; with %lld local rows it must be from %lld to 2^31 - 1",
        (long long)ld, (long long)(row + matrix->local_rows),
        (long long)(row + matrix->local_rows));
  matrix->storage = array;
  matrix->ld = ld;
  matrix->local = (char *)array + (size_t)(row + col * ld) * matrix->k->size;
  return HYLA_OK;
}

hyla_status hyla_matrix_destroy(hyla_matrix **matrix) {
  if (matrix == NULL || *matrix == NULL) return HYLA_OK;
  hyla_cube *cube = (*matrix)->cube;
  if ((*matrix)->owner) hy_window_destroy(cube, &(*matrix)->window);
  hy_free(&cube->base, matrix);
  return HYLA_OK;
}

hyla_status hy_matrix_check(hyla_cube *cube, const hyla_matrix *a, const char *call,
                            const char *name) {
  CHECK(&cube->base, a != NULL, ARGUMENT, "%s: %s is NULL; give a matrix", call, name);
  CHECK(&cube->base, a->cube == cube, ARGUMENT,
        "%s: %s belongs to another cube; make it on this one", call, name);
  return HYLA_OK;
}

/* The addresses at which a local column begins and its last entry ends. */
static uintptr_t column_begin(const hyla_matrix *a, int64_t col) {
  return (uintptr_t)a->local + (uintptr_t)(col * a->ld) * a->k->size;
}
static uintptr_t column_end(const hyla_matrix *a, int64_t col) {
  return column_begin(a, col) + (uintptr_t)a->local_rows * a->k->size;
}

static bool ranges_meet(const struct hy_axis *a, const struct hy_axis *b) {
  return a->first < b->first + b->n && b->first < a->first + a->n;
}
static bool lie_alike(const struct hy_axis *a, const struct hy_axis *b) {
  return a->total == b->total && add_axis(0, &a->code) == add_axis(0, &b->code);
}

bool hy_matrix_overlap(const hyla_matrix *x, const hyla_matrix *y) {
  bool empty = x->local_rows * x->local_cols == 0 || y->local_rows * y->local_cols == 0;
  const struct hy_base *base = &x->cube->base;
  const bool counted = base->no_data != NULL && base->no_data_bytes == 0;
  if (empty || counted) return false; /* data that are only counted have one address */
  const bool one = x->storage == y->storage;
  if (one && lie_alike(&x->row, &y->row) && lie_alike(&x->col, &y->col))
    return ranges_meet(&x->row, &y->row) && ranges_meet(&x->col, &y->col);
  if (hy_cube_dry(x->cube)) return one; /* all may have one address */
  /* Both may be parts of one array of the caller: then rows of one lie between rows of the other,
   * and they are apart.  Columns follow each other in memory, so one pass over both lists of
   * columns decides. */
  if (column_end(x, x->local_cols - 1) <= column_begin(y, 0)) return false;
  if (column_end(y, y->local_cols - 1) <= column_begin(x, 0)) return false;
  for (int64_t i = 0, j = 0; i < x->local_cols && j < y->local_cols;) {
    if (column_end(x, i) <= column_begin(y, j))
      i++;
    else if (column_end(y, j) <= column_begin(x, i))
      j++;
    else
      return true;
  }
  return false;
}

hyla_type hyla_matrix_type(const hyla_matrix *matrix) {
  return matrix == NULL ? HYLA_DOUBLE : matrix->k->type;
}

int64_t hyla_matrix_rows(const hyla_matrix *matrix) { return matrix == NULL ? 0 : matrix->row.n; }

int64_t hyla_matrix_cols(const hyla_matrix *matrix) { return matrix == NULL ? 0 : matrix->col.n; }

const hyla_layout *hyla_matrix_layout(const hyla_matrix *matrix) {
  return matrix == NULL ? NULL : &matrix->layout;
}

hyla_cube *hyla_matrix_cube(const hyla_matrix *matrix) {
  return matrix == NULL ? NULL : matrix->cube;
}

hyla_status hyla_matrix_local(const hyla_matrix *matrix, void **local, int64_t *local_rows,
                              int64_t *local_cols, int64_t *ld) {
  CHECK(NULL, matrix != NULL, ARGUMENT, "hyla_matrix_local: matrix is NULL");
  if (local != NULL) *local = matrix->local;
  if (local_rows != NULL) *local_rows = matrix->local_rows;
  if (local_cols != NULL) *local_cols = matrix->local_cols;
  if (ld != NULL) *ld = matrix->ld;
  return HYLA_OK;
}

int64_t hyla_matrix_row(const hyla_matrix *matrix, int64_t local) {
  if (matrix == NULL || local < 0 || local >= matrix->local_rows) return -1;
  return hy_axis_index(&matrix->row, matrix->row_part, local);
}

int64_t hyla_matrix_col(const hyla_matrix *matrix, int64_t local) {
  if (matrix == NULL || local < 0 || local >= matrix->local_cols) return -1;
  return hy_axis_index(&matrix->col, matrix->col_part, local);
}
