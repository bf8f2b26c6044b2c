/* ScaLAPACK's norms of a matrix (p?lange), of a symmetric or Hermitian one (p?lansy, p?lanhe) and
 * of a triangle (p?lantr).
 *
 * They need no cube.  Each process looks at its own entries where they are; then the processes
 * share one record each, or the sums of columns or rows.  Magnitudes and sums are double.  Squares
 * that leave its range are found once more from scaled entries.  A NaN gives NaN. */
#include "dropin.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* Which entries count, on and beside the diagonal. */
enum form { WHOLE, SYMMETRIC, HERMITIAN, TRIANGLE };

/* A pass over this process' entries.
 *   row, rows, col, cols  its local rows and columns, in the array and of the sub-matrix
 *   number                the sub-matrix' number of each of these rows
 *   magnitudes            of one column
 *   sums                  of all columns, or rows, of the sub-matrix; after them one for failures
 */
struct pass {
  const struct dropin_call *call;
  const struct dropin_operand *a;
  enum form form;
  int64_t row, rows, col, cols;
  int64_t *number;
  double *magnitudes, *sums;
  double largest, squares;
  int exponent; /* squares are those of 2^-exponent times the entries */
};

static int64_t rows_before(const struct pass *p, int64_t i) {
  return dropin_rows_before(p->call->grid, p->a, i);
}
static int64_t cols_before(const struct pass *p, int64_t j) {
  return dropin_cols_before(p->call->grid, p->a, j);
}
static int64_t column_number(const struct pass *p, int64_t local) {
  return dropin_column_number(p->call->grid, p->a, local);
}

static void number_rows(struct pass *p) {
  const struct dropin_grid *g = p->call->grid;
  const int64_t block = p->a->desc[MB], me = (g->row - p->a->desc[RSRC] + g->p) % g->p;
  for (int64_t r = 0; r < p->rows; r++) {
    const int64_t local = p->row + r;
    p->number[r] = (local / block * g->p + me) * block + local % block - (p->a->i - 1);
  }
}

/* Magnitudes of consecutive entries. */
static void measure(hyla_type type, const void *from, int64_t count, double *to) {
  switch (type) {
  case HYLA_FLOAT:
    for (int64_t k = 0; k < count; k++) to[k] = fabs((double)((const float *)from)[k]);
    break;
  case HYLA_DOUBLE:
    for (int64_t k = 0; k < count; k++) to[k] = fabs(((const double *)from)[k]);
    break;
  case HYLA_COMPLEX:
    for (int64_t k = 0; k < count; k++) to[k] = cabs(((const float _Complex *)from)[k]);
    break;
  default:
    for (int64_t k = 0; k < count; k++) to[k] = cabs(((const double _Complex *)from)[k]);
  }
}

static double larger(double a, double b) { return a >= b || isnan(a) ? a : b; }

/* Adds entries of column j, whose magnitudes are there.  twice: their mirror images too. */
static void add(struct pass *p, int64_t j, const int64_t *number, int64_t count, bool twice) {
  const double *x = p->magnitudes;
  const hyla_norm kind = p->call->norm;
  double sum = 0;
  for (int64_t k = 0; k < count && kind == HYLA_NORM_MAX; k++)
    p->largest = larger(p->largest, x[k]);
  for (int64_t k = 0; k < count && kind == HYLA_NORM_FRO; k++) {
    const double scaled = p->exponent == 0 ? x[k] : ldexp(x[k], -p->exponent);
    p->largest = larger(p->largest, x[k]);
    sum += scaled * scaled;
  }
  if (kind == HYLA_NORM_FRO) p->squares += twice ? 2 * sum : sum;
  if (p->sums == NULL) return;
  for (int64_t k = 0; k < count && (kind == HYLA_NORM_ONE || twice); k++) sum += x[k];
  if (kind == HYLA_NORM_ONE || twice) p->sums[j] += sum;
  for (int64_t k = 0; k < count && (kind == HYLA_NORM_INF || twice); k++)
    p->sums[number[k]] += x[k];
}

/* Local rows from `first' up to `end' of a column, which is number j. */
static void add_range(struct pass *p, int64_t c, int64_t j, int64_t first, int64_t end,
                      bool twice) {
  if (end <= first) return;
  const size_t size = dropin_entry_size(p->call->type);
  const char *column = (const char *)p->a->array + (size_t)(c * p->a->desc[LLD] + first) * size;
  measure(p->call->type, column, end - first, p->magnitudes);
  add(p, j, p->number + (first - p->row), end - first, twice);
}

/* The entry on the diagonal, if this process has it. */
static void add_diagonal(struct pass *p, int64_t c, int64_t j, int64_t at) {
  const size_t size = dropin_entry_size(p->call->type);
  if (p->form == TRIANGLE && p->call->diagonal == HYLA_UNIT_DIAGONAL) return;
  const char *entry = (const char *)p->a->array + (size_t)(c * p->a->desc[LLD] + at) * size;
  /* the real part comes first */
  const hyla_type real = p->call->type == HYLA_COMPLEX ? HYLA_FLOAT : HYLA_DOUBLE;
  const bool first_part = p->form == HERMITIAN && dropin_is_complex(p->call->type);
  measure(first_part ? real : p->call->type, entry, 1, p->magnitudes);
  add(p, j, p->number + (at - p->row), 1, false);
}

static void look(struct pass *p) {
  const bool mirrored = p->form == SYMMETRIC || p->form == HERMITIAN;
  const int64_t end = p->row + p->rows;
  p->largest = p->squares = 0;
  for (int64_t c = p->col; c < p->col + p->cols; c++) {
    const int64_t j = column_number(p, c);
    if (p->form == WHOLE) {
      add_range(p, c, j, p->row, end, false);
      continue;
    }
    const bool meets = j < p->a->rows; /* does the column meet the diagonal? */
    const int64_t above = meets ? rows_before(p, j) : end,
                  below = meets ? rows_before(p, j + 1) : end;
    if (p->call->triangle == HYLA_UPPER)
      add_range(p, c, j, p->row, above, mirrored);
    else
      add_range(p, c, j, below, end, mirrored);
    if (below > above) add_diagonal(p, c, j, above);
  }
}

/* ------------------------------------------------------------- all processes -- */

static int64_t diagonal_ones(const struct pass *p) {
  const bool unit = p->form == TRIANGLE && p->call->diagonal == HYLA_UNIT_DIAGONAL;
  return !unit ? 0 : p->a->rows < p->a->cols ? p->a->rows : p->a->cols;
}

/* The largest of the shared sums, to which the ones of a unit diagonal are added. */
static double largest_sum(struct pass *p, int64_t count) {
  double most = 0;
  dropin_share(p->call->grid, p->sums, (int)count, MPI_DOUBLE, MPI_SUM);
  for (int64_t k = 0; k < count; k++)
    most = larger(most, p->sums[k] + (k < diagonal_ones(p) ? 1 : 0));
  /* To the last bit the same everywhere; that it is not a number is so already. */
  if (!isnan(most)) dropin_share(p->call->grid, &most, 1, MPI_DOUBLE, MPI_MAX);
  return most;
}

struct record {
  double largest, squares;
};

/* Adds up the processes' records, in the same order everywhere. */
static struct record gather(const struct pass *p, struct record *all) {
  const struct dropin_grid *g = p->call->grid;
  struct record sum = {0, 0};
  all[g->row * g->q + g->col] = (struct record){p->largest, p->squares};
  dropin_gather(g, all, sizeof *all);
  for (int k = 0; k < g->p * g->q; k++) {
    sum.largest = larger(sum.largest, all[k].largest);
    sum.squares += all[k].squares;
  }
  if (diagonal_ones(p) > 0) {
    sum.largest = larger(sum.largest, 1);
    sum.squares += ldexp((double)diagonal_ones(p), -2 * p->exponent);
  }
  return sum;
}

/* Squares of at most 2^62 such entries are within range, and those too small for it do not count.
 */
static double largest_or_root(struct pass *p, struct record *all) {
  struct record sum = gather(p, all);
  if (p->call->norm == HYLA_NORM_MAX) return sum.largest;
  const bool far = sum.largest > 0x1p480 || sum.largest < 0x1p-400;
  if (far && sum.largest > 0 && isfinite(sum.largest)) {
    (void)frexp(sum.largest, &p->exponent);
    look(p);
    sum = gather(p, all);
  }
  return isfinite(sum.largest) ? ldexp(sqrt(sum.squares), p->exponent) : sum.largest;
}

/* ---------------------------------------------------------------- the routines -- */

static bool read_kind(struct dropin_call *call) {
  switch (*(const char *)call->arguments[0]) {
  case 'M':
  case 'm': call->norm = HYLA_NORM_MAX; return true;
  case 'F':
  case 'f':
  case 'E':
  case 'e': call->norm = HYLA_NORM_FRO; return true;
  default: call->kind = 1; return dropin_read_norm(call, 0);
  }
}

static hyla_status run(struct dropin_call *call, enum form form) {
  const struct dropin_grid *grid = call->grid;
  struct pass p = {.call = call, .a = &call->operand[0], .form = form};
  const int64_t m = p.a->rows, n = p.a->cols;
  const bool sums = call->norm == HYLA_NORM_ONE || call->norm == HYLA_NORM_INF;
  const int64_t count = call->norm == HYLA_NORM_INF ? m : n;
  if (!dropin_grid_processes(call->grid)) return HYLA_COMMUNICATION;
  p.row = rows_before(&p, 0), p.rows = rows_before(&p, m) - p.row;
  p.col = cols_before(&p, 0), p.cols = cols_before(&p, n) - p.col;
  p.number = malloc((size_t)(p.rows + 1) * sizeof *p.number);
  p.magnitudes = malloc((size_t)(p.rows + 1) * sizeof *p.magnitudes);
  if (sums) p.sums = calloc((size_t)count, sizeof *p.sums);
  struct record *all = malloc((size_t)(grid->p * grid->q) * sizeof *all);
  int lacks = p.number == NULL || p.magnitudes == NULL || all == NULL || (sums && p.sums == NULL);
  dropin_share(grid, &lacks, 1, MPI_INT, MPI_MAX);
  if (!lacks) {
    number_rows(&p);
    look(&p);
    const double value = sums ? largest_sum(&p, count) : largest_or_root(&p, all);
    dropin_return(call, value);
  }
  free(all), free(p.sums), free(p.magnitudes), free(p.number);
  return lacks ? HYLA_MEMORY : HYLA_OK;
}

static void begin(struct dropin_call *call, int at, int m, int n) {
  call->bare = true;
  dropin_operand(call, at, m, n);
  call->size = sqrt((double)m * (double)n);
}

bool dropin_read_lange(struct dropin_call *call) {
  begin(call, 3, dropin_integer(call, 1), dropin_integer(call, 2));
  return read_kind(call);
}
hyla_status dropin_run_lange(struct dropin_call *call) { return run(call, WHOLE); }

bool dropin_read_lansy(struct dropin_call *call) {
  begin(call, 3, dropin_integer(call, 2), dropin_integer(call, 2));
  const bool read = read_kind(call) && dropin_read_triangle(call, 1);
  if (call->norm == HYLA_NORM_INF) call->norm = HYLA_NORM_ONE;
  return read;
}
hyla_status dropin_run_lansy(struct dropin_call *call) { return run(call, SYMMETRIC); }

bool dropin_read_lanhe(struct dropin_call *call) { return dropin_read_lansy(call); }
hyla_status dropin_run_lanhe(struct dropin_call *call) { return run(call, HERMITIAN); }

bool dropin_read_lantr(struct dropin_call *call) {
  begin(call, 5, dropin_integer(call, 3), dropin_integer(call, 4));
  return read_kind(call) && dropin_read_triangle(call, 1) && dropin_read_diagonal(call, 2);
}
hyla_status dropin_run_lantr(struct dropin_call *call) { return run(call, TRIANGLE); }
