#include "redistribute_case.h"

/* A target is the middle of a matrix with a margin, which must not change. */
struct pair {
  const struct redistribute_case *x;
  const struct redistribute_side *side;
  int64_t margin;
  hyla_matrix *from, *parent, *to;
};

static bool is_among(const int64_t *numbers, int count, int64_t number) {
  for (int i = 0; i < count; i++)
    if (numbers[i] == number) return true;
  return false;
}

static double _Complex source_entry(const struct pair *pair, int64_t row, int64_t col) {
  int64_t columns = pair->side->cols, away = row < col ? col - row : row - col;
  if (pair->x->banded && away > pair->x->width && away < columns - pair->x->width) return 0;
  const struct redistribute_case *x = pair->x;
  if (x->dense && !is_among(x->column, x->columns, col) && !is_among(x->row, x->rows, row))
    return 0;
  return case_entry(&columns, row, col);
}

static hyla_status make_pair(hyla_cube *cube, const struct redistribute_case *x,
                             const struct redistribute_side *side, struct pair *pair) {
  hyla_type type = x->type;
  int64_t margin = !x->whole;
  bool transposed = hy_transposes(side->op);
  int64_t rows = transposed ? side->cols : side->rows, cols = transposed ? side->rows : side->cols;
  pair->x = x;
  pair->side = side;
  pair->margin = margin;
  TRY(hyla_matrix_create(cube, type, side->rows, side->cols, &side->from, &pair->from));
  TRY(hyla_matrix_create(cube, type, rows + margin, cols + margin, &side->to, &pair->parent));
  return hy_agree(cube, hyla_matrix_view(pair->parent, margin, 0, rows, cols, &pair->to));
}

static void fill_pair(const struct pair *pair) {
  const hyla_matrix *from = pair->from, *parent = pair->parent;
  for (int64_t m = 0; m < from->local_cols; m++)
    for (int64_t l = 0; l < from->local_rows; l++)
      from->k->set(hy_at(from, l, m), 0,
                   source_entry(pair, hyla_matrix_row(from, l), hyla_matrix_col(from, m)));
  for (int64_t m = 0; m < parent->local_cols; m++)
    for (int64_t l = 0; l < parent->local_rows; l++)
      parent->k->set(hy_at(parent, l, m), 0, hy_complex(-77, -78));
}

/* Entry (row, col) of op(from). */
static double _Complex moved_entry(const struct pair *pair, int64_t row, int64_t col) {
  int64_t last_row = pair->side->rows - 1, last_col = pair->side->cols - 1;
  switch (pair->side->op) {
  case HYLA_NONE: return source_entry(pair, row, col);
  case HYLA_TRANSPOSE: return source_entry(pair, col, row);
  case HYLA_CONJUGATE: return conj(source_entry(pair, col, row));
  case HYLA_TURN_LEFT: return source_entry(pair, col, last_col - row);
  case HYLA_TURN_RIGHT: return source_entry(pair, last_row - col, row);
  default: return source_entry(pair, last_row - row, last_col - col);
  }
}

/* The expected entry (row, col) of the parent. */
static double _Complex wanted_entry(const struct pair *pair, int64_t row, int64_t col) {
  const struct redistribute_side *side = pair->side;
  row -= pair->margin;
  if (row < 0 || col >= pair->to->col.n) return hy_complex(-77, -78);
  double _Complex entry = moved_entry(pair, row, col);
  if (side->op == HYLA_NONE) return side->alpha * entry;
  return pair->from->k->complex_type ? side->alpha * entry : side->alpha * creal(entry);
}

static hyla_status check_pair(const struct pair *pair) {
  const hyla_matrix *a = pair->parent;
  for (int64_t m = 0; m < a->local_cols; m++)
    for (int64_t l = 0; l < a->local_rows; l++) {
      int64_t row = hyla_matrix_row(a, l), col = hyla_matrix_col(a, m);
      double _Complex wanted = case_rounded(a, wanted_entry(pair, row, col));
      double _Complex found = a->k->get(hy_at(a, l, m), 0);
      CHECK(&a->cube->base, found == wanted, FORMAT,
            "node %d: entry (%lld, %lld) is %g%+gi, not %g%+gi", a->cube->address,
            (long long)(row - pair->margin), (long long)col, creal(found), cimag(found),
            creal(wanted), cimag(wanted));
    }
  return HYLA_OK;
}

hyla_status redistribute_counted(hyla_cube *cube, const hyla_plan *plan, size_t size,
                                 int64_t memory) {
  hyla_ledger ledger;
  TRY(hyla_cube_ledger(cube, &ledger));
  int64_t counted[4] = {ledger.steps, ledger.far_messages, ledger.far_bytes, memory};
  for (int i = 0; i < ledger.dims; i++) {
    counted[1] += ledger.messages[i];
    counted[2] += ledger.bytes[i];
  }
  TRY(hyla_cube_max(cube, counted, 4));
  hyla_cost cost = hyla_plan_cost(plan);
  int64_t bytes = cost.words * (int64_t)size;
  CHECK(&cube->base, counted[0] == cost.steps && counted[1] == cost.messages && counted[2] == bytes,
        FORMAT, "%lld steps, %lld messages, %lld bytes; predicted %lld %lld %lld",
        (long long)counted[0], (long long)counted[1], (long long)counted[2], (long long)cost.steps,
        (long long)cost.messages, (long long)bytes);
  /* Besides the entries that it counts, a plan has tiles for transposing and lists of indices. */
  CHECK(&cube->base, cost.memory <= counted[3] && counted[3] <= cost.memory + (1 << 20), FORMAT,
        "the plan took %lld bytes; predicted %lld", (long long)counted[3], (long long)cost.memory);
  return HYLA_OK;
}

static hyla_status run_once(hyla_cube *cube, const struct redistribute_case *x, struct pair *pairs,
                            hyla_plan *plan, int64_t memory) {
  for (int i = 0; i < x->count; i++) fill_pair(&pairs[i]);
  TRY(hyla_cube_ledger_clear(cube));
  int64_t allocations = cube->base.allocations;
  TRY(hyla_plan_run(cube, plan));
  hyla_status status = HYLA_OK;
  if (cube->base.allocations != allocations)
    status = hy_fail(&cube->base, HYLA_FORMAT, "the run takes memory");
  for (int i = 0; i < x->count && status == HYLA_OK; i++) status = check_pair(&pairs[i]);
  TRY(hy_agree(cube, status));
  return hy_agree(cube, redistribute_counted(cube, plan, hy_kernels_of(x->type)->size, memory));
}

static hyla_status run_twice(hyla_cube *cube, const struct redistribute_case *x,
                             struct pair *pairs) {
  hyla_transfer transfers[REDISTRIBUTE_SIDES];
  hyla_plan *plan = NULL;
  for (int i = 0; i < x->count; i++)
    transfers[i] = (hyla_transfer){x->side[i].op, x->side[i].alpha, pairs[i].from, pairs[i].to};
  int64_t before = cube->base.bytes_now;
  if (x->banded)
    TRY(hyla_redistribute_band_plan(cube, transfers, x->width, x->variant, &plan));
  else if (x->dense)
    TRY(hyla_redistribute_dense_plan(cube, transfers, x->column, x->columns, x->row, x->rows,
                                     x->variant, &plan));
  else
    TRY(hyla_redistribute_plan(cube, x->count, transfers, x->variant, &plan));
  hyla_status status = HYLA_OK;
  int64_t memory = cube->base.bytes_now - before;
  for (int round = 0; round < 2 && status == HYLA_OK; round++)
    status = run_once(cube, x, pairs, plan, memory);
  hyla_plan_destroy(&plan);
  if (status == HYLA_OK && cube->base.bytes_now != before)
    status = hy_fail(&cube->base, HYLA_FORMAT, "the plan leaves memory behind");
  return hy_agree(cube, status);
}

hyla_status redistribute_check(hyla_cube *cube, const struct redistribute_case *x) {
  struct pair pairs[REDISTRIBUTE_SIDES] = {{NULL, NULL, 0, NULL, NULL, NULL}};
  hyla_status status = HYLA_OK;
  for (int i = 0; i < x->count && status == HYLA_OK; i++)
    status = make_pair(cube, x, &x->side[i], &pairs[i]);
  if (status == HYLA_OK) status = run_twice(cube, x, pairs);
  for (int i = 0; i < x->count; i++) {
    hyla_matrix_destroy(&pairs[i].from);
    hyla_matrix_destroy(&pairs[i].to);
    hyla_matrix_destroy(&pairs[i].parent);
  }
  return status;
}

const char *redistribute_name(const struct redistribute_case *x) {
  static char text[2][400];
  static int turn;
  turn = !turn;
  int at = snprintf(text[turn], sizeof text[turn], "%s, type %s",
                    x->variant == NULL ? "chosen" : x->variant, hy_kernels_of(x->type)->name);
  for (int i = 0; i < x->count; i++)
    at += snprintf(text[turn] + at, sizeof text[turn] - (size_t)at,
                   "; op %d, alpha %g%+gi, %lld x %lld, %s to %s", (int)x->side[i].op,
                   creal(x->side[i].alpha), cimag(x->side[i].alpha), (long long)x->side[i].rows,
                   (long long)x->side[i].cols, case_name(&x->side[i].from),
                   case_name(&x->side[i].to));
  return text[turn];
}
