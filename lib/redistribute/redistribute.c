/* The redistribution front end: checks of the public calls, the choice of a variant, the plan. */
#include "redistribute/redistribute.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- checks -- */

static const char *const op_names[] = {"HYLA_NONE",
                                       "HYLA_TRANSPOSE",
                                       "HYLA_CONJUGATE",
                                       "HYLA_TURN_LEFT",
                                       "HYLA_TURN_RIGHT",
                                       "HYLA_TURN_HALF",
                                       NULL};

/* Checks one transfer by itself, as a call whose arguments have its number in their names. */
static hyla_status check_transfer(hyla_cube *cube, const char *name, const hyla_transfer *transfers,
                                  int x) {
  enum { ROOM = 32 };
  const hyla_transfer *t = &transfers[x];
  char op[ROOM], from[ROOM], to[ROOM];
  snprintf(op, sizeof op, "op of transfer %d", x);
  snprintf(from, sizeof from, "from of transfer %d", x);
  snprintf(to, sizeof to, "to of transfer %d", x);
  const struct hy_call call = {
      .name = name,
      .option = {{op, (int)t->op, op_names}},
      .argument = {{from, t->from, t->op, "mn"}, {to, t->to, HYLA_NONE, "mn", t->to}}};
  TRY(hy_call_check(cube, &call));
  CHECK(&cube->base, t->to->k == transfers[0].to->k, ARGUMENT,
        "%s: %s is of type %s and to of transfer 0 of type %s; give all matrices one type, by "
        "hyla_matrix_convert",
        name, to, t->to->k->name, transfers[0].to->k->name);
  return HYLA_OK;
}

static hyla_status check(hyla_cube *cube, const char *name, int count,
                         const hyla_transfer *transfers) {
  CHECK(&cube->base, count >= 0, ARGUMENT, "%s: %d transfers; give 0 or more", name, count);
  CHECK(&cube->base, transfers != NULL || count == 0, ARGUMENT,
        "%s: transfers is NULL; give %d of them", name, count);
  for (int x = 0; x < count; x++) TRY(check_transfer(cube, name, transfers, x));
  for (int x = 0; x < count; x++)
    for (int y = 0; y < count; y++) {
      const hyla_matrix *to = transfers[x].to;
      const bool read = hy_matrix_overlap(to, transfers[y].from);
      CHECK(&cube->base, !read && (x == y || !hy_matrix_overlap(to, transfers[y].to)), ARGUMENT,
            "%s: to of transfer %d, which is written, shares entries with %s of transfer %d; give "
            "it a matrix of its own",
            name, x, read ? "from" : "to", y);
    }
  return HYLA_OK;
}

/* what: "a band". */
static hyla_status check_square(hyla_cube *cube, const char *name, const char *what,
                                const hyla_transfer *transfer) {
  CHECK(&cube->base, transfer->op <= HYLA_CONJUGATE, ARGUMENT,
        "%s: %s that is turned; turn it as a matrix", name, what);
  const struct hyla_matrix *to = transfer->to;
  CHECK(&cube->base, to->row.n == to->col.n, ARGUMENT,
        "%s: %s of %lld x %lld; the matrix must be square", name, what, (long long)to->row.n,
        (long long)to->col.n);
  return HYLA_OK;
}

static hyla_status check_band(hyla_cube *cube, const char *name, const hyla_transfer *transfer,
                              int64_t width) {
  CHECK(&cube->base, width >= 0, ARGUMENT, "%s: a band of width %lld; give 0 or more", name,
        (long long)width);
  return check_square(cube, name, "a band", transfer);
}

/* Checks numbers of dense columns or rows: below n, each larger than the one before. */
static hyla_status check_numbers(hyla_cube *cube, const char *name, const char *what,
                                 const int64_t *number, int64_t count, int64_t n) {
  CHECK(&cube->base, count >= 0, ARGUMENT, "%s: %lld dense %s; give 0 or more", name,
        (long long)count, what);
  CHECK(&cube->base, number != NULL || count == 0, ARGUMENT, "%s: %s is NULL; give %lld numbers",
        name, what, (long long)count);
  for (int64_t i = 0; i < count; i++) {
    CHECK(&cube->base, number[i] >= 0 && number[i] < n, ARGUMENT,
          "%s: %s has number %lld; give numbers from 0 to %lld", name, what, (long long)number[i],
          (long long)n - 1);
    CHECK(&cube->base, i == 0 || number[i] > number[i - 1], ARGUMENT,
          "%s: %s has %lld after %lld; give the numbers in rising order", name, what,
          (long long)number[i], (long long)number[i - 1]);
  }
  return HYLA_OK;
}

static hyla_status check_dense(hyla_cube *cube, const char *name,
                               const struct hy_redistribution *wanted) {
  const int64_t n = wanted->transfers->to->row.n;
  TRY(check_square(cube, name, "a matrix", wanted->transfers));
  TRY(check_numbers(cube, name, "columns", wanted->column, wanted->columns, n));
  return check_numbers(cube, name, "rows", wanted->row, wanted->rows, n);
}

static uint64_t fingerprint_of(const struct hy_redistribution *wanted, const char *variant) {
  uint64_t fingerprint = hy_fingerprint(0, &wanted->count, sizeof wanted->count);
  if (wanted->banded)
    fingerprint = hy_fingerprint(fingerprint, &wanted->width, sizeof wanted->width);
  if (wanted->dense) {
    const int64_t counts[] = {wanted->columns, wanted->rows};
    fingerprint = hy_fingerprint(fingerprint, counts, sizeof counts);
    fingerprint = hy_fingerprint(fingerprint, wanted->column,
                                 (size_t)wanted->columns * sizeof *wanted->column);
    fingerprint =
        hy_fingerprint(fingerprint, wanted->row, (size_t)wanted->rows * sizeof *wanted->row);
  }
  if (variant != NULL) fingerprint = hy_fingerprint(fingerprint, variant, strlen(variant));
  for (int x = 0; x < wanted->count; x++) {
    const hyla_transfer *t = &wanted->transfers[x];
    const int op = (int)t->op;
    fingerprint = hy_fingerprint(fingerprint, &op, sizeof op);
    fingerprint = hy_fingerprint(fingerprint, &t->alpha, sizeof t->alpha);
    fingerprint = hy_matrix_fingerprint(fingerprint, t->from);
    fingerprint = hy_matrix_fingerprint(fingerprint, t->to);
  }
  return fingerprint;
}

/* ------------------------------------------------------------- the plan -- */

static hyla_status run_plan(hyla_plan *plan) {
  return hy_choice_variant(&plan->choice)->run(hy_choice_state(&plan->choice));
}

/* Writes a line such as " 5 x 7 from LAYOUT to LAYOUT, transposed". */
static void explain_transfer(const hyla_transfer *transfer, struct hy_text *text) {
  static const char *const turned[] = {"",
                                       ", transposed",
                                       ", conjugate transposed",
                                       ", turned left",
                                       ", turned right",
                                       ", turned half"};
  char from[96], to[96];
  hyla_layout_format(&transfer->from->layout, from, sizeof from);
  hyla_layout_format(&transfer->to->layout, to, sizeof to);
  hy_text_add(text, "  %lld x %lld from %s to %s%s%s\n", (long long)transfer->from->row.n,
              (long long)transfer->from->col.n, from, to, turned[transfer->op],
              transfer->alpha == 1 ? "" : ", scaled");
}

static void explain_plan(const hyla_plan *made, struct hy_text *text) {
  const struct hy_redistribution *problem = made->state;
  const hyla_cube *cube = problem->cube;
  const struct hy_variant *variant = hy_choice_variant(&made->choice);
  for (int x = 0; x < problem->count; x++) explain_transfer(&problem->transfers[x], text);
  variant->explain(hy_choice_state(&made->choice), text);
  if (text->indent > 0) return; /* the parent plan says the rest */
  hy_text_add(text, "  nodes: %d; idle ranks: %d\n", cube->nodes, cube->ranks.all - cube->nodes);
  hy_text_add(text, "  reference: %s\n", variant->reference);
}

static const struct hy_plan_kind KIND = {
    .size = sizeof(struct hy_redistribution), .run = run_plan, .explain = explain_plan};

static hyla_status make(hyla_cube *cube, const struct hy_redistribution *wanted,
                        const char *variant, hyla_plan **made);

static hyla_status rehearse(void *arg, const struct hy_variant *variant, hyla_cube *rehearsal) {
  struct hy_redistribution wanted = *(const struct hy_redistribution *)arg;
  const hyla_transfer *given = wanted.transfers;
  struct hy_base *base = &rehearsal->base;
  hyla_transfer *transfers = NULL;
  hyla_matrix *matrices = NULL;
  hyla_plan *plan = NULL;
  hyla_status status = hy_alloc(base, wanted.count, sizeof *transfers, &transfers);
  if (status == HYLA_OK)
    status = hy_alloc_for(base, transfers, 2 * (int64_t)wanted.count, sizeof *matrices, &matrices);
  status = hy_agree(rehearsal, status);
  for (int x = 0; x < wanted.count && status == HYLA_OK; x++) {
    transfers[x] = given[x];
    transfers[x].from = hy_matrix_rehearsed(rehearsal, given[x].from, &matrices[2 * x]);
    transfers[x].to = hy_matrix_rehearsed(rehearsal, given[x].to, &matrices[2 * x + 1]);
  }
  wanted.transfers = transfers;
  if (status == HYLA_OK) status = make(rehearsal, &wanted, variant->name, &plan);
  if (status == HYLA_OK) status = hy_plan_run(plan);
  (void)hyla_plan_destroy(&plan);
  hy_free(base, &transfers);
  return status;
}

/* The variant's own cost; its copies go past the caches if a rank's part of a target is large. */
static hyla_status price(void *arg, const struct hy_variant *variant, void **state,
                         hyla_cost *cost) {
  const struct hy_redistribution *problem = arg;
  TRY(variant->create(variant, problem, state));
  *cost = variant->cost(*state);
  for (int x = 0; x < problem->count; x++)
    if (hy_direct_streams(problem->transfers[x].to)) cost->streamed = cost->copied;
  return HYLA_OK;
}

/* Replaces an array of numbers by the problem's copy. */
static hyla_status keep(hyla_cube *cube, void *owner, const int64_t **numbers, int64_t count) {
  int64_t *copy = NULL;
  TRY(hy_alloc_for(&cube->base, owner, count, sizeof *copy, &copy));
  for (int64_t i = 0; i < count; i++) copy[i] = (*numbers)[i];
  *numbers = copy;
  return HYLA_OK;
}

/* The plan's state is a copy of what is wanted, which owns copies of the arrays.  May fail on one
 * rank alone. */
static hyla_status copy_wanted(hyla_cube *cube, const struct hy_redistribution *wanted,
                               hyla_plan **made) {
  const int count = wanted->count;
  hyla_transfer *transfers = NULL;
  enum hy_part *parts = NULL;
  TRY(hy_plan_create(cube, &KIND, made));
  struct hy_redistribution *problem = (*made)->state;
  TRY(hy_alloc_for(&cube->base, problem, count, sizeof *transfers, &transfers));
  TRY(hy_alloc_for(&cube->base, problem, count, sizeof *parts, &parts));
  *problem = *wanted;
  problem->cube = cube;
  problem->k = count > 0 ? wanted->transfers[0].to->k : hy_kernels_of(HYLA_DOUBLE);
  problem->transfers = transfers;
  if (wanted->parts != NULL) problem->parts = parts;
  for (int x = 0; x < count; x++) {
    transfers[x] = wanted->transfers[x];
    if (wanted->parts != NULL) parts[x] = wanted->parts[x];
  }
  if (!wanted->dense) return HYLA_OK;
  TRY(keep(cube, problem, &problem->column, problem->columns));
  return keep(cube, problem, &problem->row, problem->rows);
}

/* Collective; all ranks return the same. */
static hyla_status make(hyla_cube *cube, const struct hy_redistribution *wanted,
                        const char *variant, hyla_plan **made) {
  TRY(hy_agree(cube, copy_wanted(cube, wanted, made)));
  struct hy_redistribution *problem = (*made)->state;
  struct hy_choice *choice = &(*made)->choice;
  /* One number for all that the time depends on. */
  uint64_t number = fingerprint_of(problem, hy_redistribute_family.name);
  for (int x = 0; x < problem->count && problem->parts != NULL; x++) {
    const int part = (int)problem->parts[x];
    number = hy_fingerprint(number, &part, sizeof part);
  }
  const struct hy_pricing pricing = {
      .price = price, .rehearse = rehearse, .arg = problem, .problem = number};
  TRY(hy_choice_make(cube, &hy_redistribute_family, problem, problem->k, variant, &pricing,
                     choice));
  (*made)->fingerprint = fingerprint_of(problem, hy_choice_variant(choice)->name);
  return hy_agree(cube, hy_choice_variant(choice)->allocate(hy_choice_state(choice)));
}

static hyla_status make_or_destroy(hyla_cube *cube, const struct hy_redistribution *wanted,
                                   const char *variant, hyla_plan **plan) {
  *plan = NULL;
  hyla_status status = make(cube, wanted, variant, plan);
  if (status != HYLA_OK) hyla_plan_destroy(plan);
  return status;
}

static hyla_status run_and_destroy(hyla_cube *cube, hyla_plan *plan) {
  hyla_status status = hy_agree(cube, hy_plan_run(plan));
  hyla_plan_destroy(&plan);
  return status;
}

hyla_status hy_redistribute_make(hyla_cube *cube, int count, const hyla_transfer *transfers,
                                 const enum hy_part *parts, const char *variant, hyla_plan **plan) {
  const struct hy_redistribution wanted = {.count = count, .transfers = transfers, .parts = parts};
  return make_or_destroy(cube, &wanted, variant, plan);
}

hyla_status hy_redistribute_once(hyla_cube *cube, const hyla_transfer *transfer,
                                 const enum hy_part *part) {
  hyla_plan *plan = NULL;
  TRY(hy_redistribute_make(cube, 1, transfer, part, NULL, &plan));
  return run_and_destroy(cube, plan);
}

/* Plans the call of that name. */
static hyla_status plan_call(hyla_cube *cube, const char *name,
                             const struct hy_redistribution *wanted, const char *variant,
                             hyla_plan **plan) {
  hyla_status mine = HYLA_OK;
  if (plan != NULL) *plan = NULL;
  if (cube == NULL) return HYLA_ARGUMENT;
  if (plan == NULL) mine = hy_fail(&cube->base, HYLA_ARGUMENT, "%s: plan is NULL", name);
  if (mine == HYLA_OK) mine = check(cube, name, wanted->count, wanted->transfers);
  if (mine == HYLA_OK && wanted->banded)
    mine = check_band(cube, name, wanted->transfers, wanted->width);
  if (mine == HYLA_OK && wanted->dense) mine = check_dense(cube, name, wanted);
  TRY(hy_enter(cube, mine, mine == HYLA_OK ? fingerprint_of(wanted, variant) : 0, name));
  return make_or_destroy(cube, wanted, variant, plan);
}

hyla_status hyla_redistribute_plan(hyla_cube *cube, int count, const hyla_transfer *transfers,
                                   const char *variant, hyla_plan **plan) {
  const struct hy_redistribution wanted = {.count = count, .transfers = transfers};
  return plan_call(cube, "hyla_redistribute_plan", &wanted, variant, plan);
}

hyla_status hyla_redistribute_band_plan(hyla_cube *cube, const hyla_transfer *transfer,
                                        int64_t width, const char *variant, hyla_plan **plan) {
  const struct hy_redistribution wanted = {
      .count = 1, .transfers = transfer, .banded = true, .width = width};
  return plan_call(cube, "hyla_redistribute_band_plan", &wanted, variant, plan);
}

hyla_status hyla_redistribute_dense_plan(hyla_cube *cube, const hyla_transfer *transfer,
                                         const int64_t *columns, int64_t column_count,
                                         const int64_t *rows, int64_t row_count,
                                         const char *variant, hyla_plan **plan) {
  const struct hy_redistribution wanted = {.count = 1,
                                           .transfers = transfer,
                                           .dense = true,
                                           .column = columns,
                                           .columns = column_count,
                                           .row = rows,
                                           .rows = row_count};
  return plan_call(cube, "hyla_redistribute_dense_plan", &wanted, variant, plan);
}

hyla_status hyla_redistribute(hyla_cube *cube, int count, const hyla_transfer *transfers) {
  const struct hy_redistribution wanted = {.count = count, .transfers = transfers};
  hyla_plan *plan = NULL;
  TRY(plan_call(cube, "hyla_redistribute", &wanted, NULL, &plan));
  return run_and_destroy(cube, plan);
}
