/* Checks a multiplication against long double sums, and its ledger. */
#include "gemm_case.h"

#include "gemm/gemm.h"

#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A factor's entry, in real and imaginary part, because products of long double _Complex are
 * slow. */
struct element {
  long double re, im, size;
};

static struct element element_of(long double _Complex value) {
  return (struct element){creall(value), cimagl(value), cabsl(value)};
}

/* For each of this node's rows of C the row of op(A), and for each column the column of op(B). */
struct factors {
  struct element *a, *b;
};

static hyla_status take_factors(const struct gemm_case *x, struct factors *factors) {
  const hyla_matrix *c = x->c;
  factors->a = calloc((size_t)(c->local_rows * x->k + 1), sizeof *factors->a);
  factors->b = calloc((size_t)(c->local_cols * x->k + 1), sizeof *factors->b);
  CHECK(&x->cube->base, factors->a != NULL && factors->b != NULL, MEMORY,
        "no room for the reference");
  for (int64_t i = 0; i < c->local_rows; i++)
    for (int64_t l = 0; l < x->k; l++)
      factors->a[i * x->k + l] = element_of(case_factor(x, 0, hyla_matrix_row(c, i), l));
  for (int64_t j = 0; j < c->local_cols; j++)
    for (int64_t l = 0; l < x->k; l++)
      factors->b[j * x->k + l] = element_of(case_factor(x, 1, l, hyla_matrix_col(c, j)));
  return HYLA_OK;
}

/* Entry (i, j) of this node's C after the multiplication, and the sum of its terms'
 * magnitudes. */
static long double _Complex reference(const struct gemm_case *x, const struct factors *factors,
                                      int64_t i, int64_t j, long double *size) {
  bool real = !x->c->k->complex_type;
  long double _Complex alpha = real ? creal(x->alpha) : x->alpha;
  long double _Complex beta = real ? creal(x->beta) : x->beta;
  const struct element *a = factors->a + i * x->k, *b = factors->b + j * x->k;
  long double re = 0, im = 0, terms = 0;
  for (int64_t l = 0; l < x->k; l++) {
    re += a[l].re * b[l].re - a[l].im * b[l].im;
    im += a[l].re * b[l].im + a[l].im * b[l].re;
    terms += a[l].size * b[l].size;
  }
  int64_t row = hyla_matrix_row(x->c, i), col = hyla_matrix_col(x->c, j);
  long double _Complex c = case_entry(x, SEED_C, row, col);
  *size = 0;
  if (!case_computes(x, row, col)) return c;
  *size = cabsl(alpha) * terms + cabsl(beta) * cabsl(c);
  long double _Complex value = alpha * (re + im * I) + beta * c;
  return x->kind == CASE_HERK && row == col ? creall(value) : value;
}

/* The reference for this node's part of C: |C - reference| <= n u |A||B|, where n is the number of
 * roundings of a term: its product, at most k sums, the scaling and the sum with C.  Both parts of
 * a complex product are sums of two real ones; that makes less than three times as much. */
static hyla_status make_reference(struct gemm_case *x) {
  const hyla_matrix *c = x->c;
  size_t count = (size_t)(c->local_rows * c->local_cols + 1);
  struct factors factors = {NULL, NULL};
  x->want = calloc(count, sizeof *x->want);
  x->bound = calloc(count, sizeof *x->bound);
  hyla_status status = x->want == NULL || x->bound == NULL ? HYLA_MEMORY : HYLA_OK;
  if (status == HYLA_OK) status = take_factors(x, &factors);
  long double unit = (long double)c->k->epsilon * (c->k->complex_type ? 3 : 1);
  for (int64_t j = 0; j < c->local_cols && status == HYLA_OK; j++)
    for (int64_t i = 0; i < c->local_rows; i++) {
      int64_t at = i + j * c->local_rows;
      long double size;
      x->want[at] = reference(x, &factors, i, j, &size);
      x->bound[at] = (long double)(x->k + 3) * unit * size;
    }
  free(factors.a);
  free(factors.b);
  return status;
}

static hyla_status check_entries(const struct gemm_case *x) {
  const hyla_matrix *c = x->c;
  for (int64_t m = 0; m < c->local_cols; m++)
    for (int64_t l = 0; l < c->local_rows; l++) {
      int64_t at = l + m * c->local_rows;
      long double off = cabsl((long double _Complex)c->k->get(hy_at(c, l, m), 0) - x->want[at]);
      CHECK(&x->cube->base, off <= x->bound[at], FORMAT,
            "node %d: C(%lld, %lld) is off by %Lg, bound %Lg", x->cube->address,
            (long long)hyla_matrix_row(c, l), (long long)hyla_matrix_col(c, m), off, x->bound[at]);
    }
  return HYLA_OK;
}

/* This node's cost; 0 for spare ranks. */
static hyla_cost cost_here(const struct gemm_case *x, const hyla_plan *plan) {
  return x->cube->address < 0 ? (hyla_cost){0} : hy_plan_mine(plan);
}

/* Compares the ledger of one run with the plan's prediction for this node. */
static hyla_status check_ledger(const struct gemm_case *x, const hyla_plan *plan, int64_t memory) {
  const hyla_cost cost = cost_here(x, plan);
  hyla_ledger ledger;
  TRY(hyla_cube_ledger(x->cube, &ledger));
  int64_t messages = ledger.far_messages, bytes = ledger.far_bytes;
  for (int i = 0; i < ledger.dims; i++) {
    messages += ledger.messages[i];
    bytes += ledger.bytes[i];
  }
  int64_t predicted = cost.words * (int64_t)x->c->k->size;
  CHECK(&x->cube->base,
        ledger.steps == cost.steps && messages == cost.messages && bytes == predicted, FORMAT,
        "node %d: %lld steps, %lld messages, %lld bytes; predicted %lld %lld %lld",
        x->cube->address, (long long)ledger.steps, (long long)messages, (long long)bytes,
        (long long)cost.steps, (long long)cost.messages, (long long)predicted);
  /* Besides the entries that it counts, a plan has padding, tiles for transposing, and lists of
   * indices. */
  CHECK(&x->cube->base, cost.memory <= memory && memory <= 2 * cost.memory + (1 << 20), FORMAT,
        "node %d: the plan took %lld bytes; predicted %lld", x->cube->address, (long long)memory,
        (long long)cost.memory);
  return HYLA_OK;
}

/* Checks the cost that the plan reports: for each count the largest one over the nodes. */
static hyla_status check_busiest(const struct gemm_case *x, const hyla_plan *plan) {
  const hyla_cost mine = cost_here(x, plan), cost = hyla_plan_cost(plan);
  int64_t counts[] = {mine.steps,  mine.messages, mine.words, mine.flops,
                      mine.memory, mine.lent,     mine.copied};
  const int64_t most[] = {cost.steps,  cost.messages, cost.words, cost.flops,
                          cost.memory, cost.lent,     cost.copied};
  TRY(hyla_cube_max(x->cube, counts, 7));
  CHECK(&x->cube->base, memcmp(counts, most, sizeof most) == 0, FORMAT,
        "the plan's cost is not that of the busiest node");
  return HYLA_OK;
}

/* ------------------------------------------------------------ the run -- */

static hyla_status run_once(struct gemm_case *x, hyla_plan *plan, int64_t memory) {
  struct hy_base *base = &x->cube->base;
  TRY(case_fill(x));
  TRY(hyla_cube_ledger_clear(x->cube));
  int64_t allocations = base->allocations, operations = hyla_cube_operations(x->cube);
  TRY(hyla_plan_run(x->cube, plan));
  hyla_status status = check_entries(x);
  if (status == HYLA_OK && base->allocations != allocations)
    status = hy_fail(base, HYLA_FORMAT, "running allocated memory");
  operations = hyla_cube_operations(x->cube) - operations;
  int64_t predicted = cost_here(x, plan).flops;
  /* A plan is priced before beta is known, for a sum with C. */
  bool right = x->beta != 0 ? operations == predicted : operations <= predicted;
  if (status == HYLA_OK && !right)
    status = hy_fail(base, HYLA_FORMAT, "node %d: %lld operations, predicted %lld",
                     x->cube->address, (long long)operations, (long long)predicted);
  if (status == HYLA_OK) status = check_ledger(x, plan, memory);
  return hy_agree(x->cube, status);
}

static hyla_status plan_case(const struct gemm_case *x, hyla_plan **plan) {
  bool left = x->side == HYLA_LEFT;
  const hyla_matrix *structured = left ? x->a : x->b, *other = left ? x->b : x->a;
  switch (x->kind) {
  case CASE_GEMM:
    return hyla_gemm_plan(x->cube, x->op_a, x->op_b, x->alpha, x->a, x->b, x->beta, x->c,
                          x->variant, plan);
  case CASE_SYRK:
    return hyla_syrk_plan(x->cube, x->triangle, x->op_a, x->alpha, x->a, x->beta, x->c, x->variant,
                          plan);
  case CASE_HERK:
    return hyla_herk_plan(x->cube, x->triangle, x->op_a, creal(x->alpha), x->a, creal(x->beta),
                          x->c, x->variant, plan);
  case CASE_SYMM:
    return hyla_symm_plan(x->cube, x->side, x->triangle, x->alpha, structured, other, x->beta, x->c,
                          x->variant, plan);
  case CASE_HEMM:
    return hyla_hemm_plan(x->cube, x->side, x->triangle, x->alpha, structured, other, x->beta, x->c,
                          x->variant, plan);
  case CASE_TRMM:
    return hyla_trmm_plan(x->cube, x->side, x->triangle, left ? x->op_a : x->op_b, x->diagonal,
                          x->alpha, structured, x->c, x->variant, plan);
  }
  return HYLA_ARGUMENT;
}

static hyla_status plan_and_run(struct gemm_case *x) {
  struct hy_base *base = &x->cube->base;
  hyla_plan *plan = NULL;
  int64_t before = base->bytes_now;
  TRY(plan_case(x, &plan));
  int64_t memory = base->bytes_now - before;
  hyla_status status = HYLA_OK;
  if (strcmp(hyla_plan_variant(plan), x->variant) != 0)
    status = hy_fail(base, HYLA_FORMAT, "the plan is for %s", hyla_plan_variant(plan));
  status = hy_agree(x->cube, status);
  if (status == HYLA_OK) status = check_busiest(x, plan);
  for (int run = 0; run < 2 && status == HYLA_OK; run++) status = run_once(x, plan, memory);
  hyla_plan_destroy(&plan);
  if (status == HYLA_OK && base->bytes_now != before)
    status = hy_fail(base, HYLA_FORMAT, "the plan left memory behind");
  return hy_agree(x->cube, status);
}

/* Puts the variant's name before the message. */
static hyla_status name_variant(const struct gemm_case *x, hyla_status status) {
  char message[400];
  if (status == HYLA_OK) return HYLA_OK;
  snprintf(message, sizeof message, "%s", hyla_cube_message(x->cube));
  return hy_fail(&x->cube->base, status, "%s: %s", x->variant, message);
}

/* Must a row refuse?  Only some rows compute a triangle of C, or run on an array whose sides are no
 * powers of two. */
static bool must_refuse(const struct gemm_case *x, const struct hy_variant *variant) {
  return (case_is_update(x) && variant->applies == hy_gemm_whole) ||
         case_needs_cube(x->cube, variant);
}

/* May it?  Fox's blocks do not lie on every array. */
static bool may_refuse(const struct gemm_case *x, const struct hy_variant *variant) {
  return x->cube->sides.count > 0 && variant->applies != NULL && variant->applies != hy_gemm_whole;
}

static hyla_status run_variant(struct gemm_case *x, const struct hy_variant *variant) {
  x->variant = variant->name;
  hyla_status status = plan_and_run(x);
  const bool refused = status == HYLA_UNSUPPORTED;
  if (!must_refuse(x, variant))
    return refused && may_refuse(x, variant) ? HYLA_OK : name_variant(x, status);
  CHECK(&x->cube->base, refused, FORMAT, "%s is not refused, but %s", x->variant,
        hyla_status_name(status));
  return HYLA_OK;
}

static hyla_status every_variant(struct gemm_case *x) {
  hyla_status status = HYLA_OK;
  for (int v = 0; v < hy_family_count(&hy_gemm_family) && status == HYLA_OK; v++)
    status = run_variant(x, hy_gemm_family.rows[v]);
  x->variant = NULL;
  return status;
}

hyla_status case_run(struct gemm_case *x) {
  static const hyla_machine machines[] = {
      [CASE_LINKS] = {.name = "links", .beta = 1, .share = 1, .network = HYLA_NETWORK_CUBE},
      [CASE_STARTS] = {.name = "starts", .alpha = 0x1p40, .beta = 1, .share = 1}};
  const hyla_machine machine = x->cube->session.machine;
  if (x->machine != CASE_OWN) x->cube->session.machine = machines[x->machine];
  hyla_status status = case_make(x);
  if (status == HYLA_OK) status = hy_agree(x->cube, make_reference(x));
  if (status == HYLA_OK)
    status = x->variant == NULL ? every_variant(x)
                                : run_variant(x, hy_family_find(&hy_gemm_family, x->variant));
  case_free(x);
  x->cube->session.machine = machine;
  return status;
}
