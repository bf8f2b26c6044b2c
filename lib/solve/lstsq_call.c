/* hyla_lstsq and hyla_lstsq_plan.
 *
 * The plan is priced by playing its program (played.h).  No data decide there: op(A) counts as of
 * full rank, so the cost is that of a run without pivots unless they are asked for, and with one
 * step of refinement.  Its memory is that of all steps to which the data may lead: a plan has them
 * made, where hyla_lstsq makes those that its run comes to. */
#include "solve/lstsq.h"
#include "solve/small.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const char *const METHODS[] = {"HYLA_LSTSQ_AUTO", "HYLA_LSTSQ_QR", "HYLA_LSTSQ_PIVOTED",
                                      NULL};

struct hy_lstsq hy_lstsq_open(hyla_cube *cube, const hyla_lstsq_options *options,
                              const hyla_matrix *a, const hyla_matrix *b, hyla_matrix *x) {
  struct hy_lstsq s = {
      .cube = cube, .options = *options, .a = a, .b = b, .x = x, .type = a->k->type};
  const bool turned = options->op != HYLA_NONE;
  const int64_t m = turned ? a->col.n : a->row.n, n = turned ? a->row.n : a->col.n;
  s.wide = m < n;
  s.rows = hy_max(m, n);
  s.k = hy_min(m, n);
  s.refined = options->extended || s.rows <= HY_SMALL;
  s.report.tolerance = options->rcond > 0 ? options->rcond : 2 * (double)s.rows * a->k->epsilon;
  return s;
}

static hyla_status compute(struct hy_lstsq *s, bool measured) {
  TRY(hy_lstsq_factor(s));
  TRY(hy_lstsq_solve(s));
  if (s->refined) TRY(hy_lstsq_refine(s));
  return measured ? hy_lstsq_measure(s) : HYLA_OK;
}

/* The arguments of a call; a report is wanted or not. */
struct asked {
  hyla_lstsq_options options;
  const hyla_matrix *a, *b;
  hyla_matrix *x;
  hyla_lstsq_report *report;
};

static hyla_status solve(hyla_cube *cube, const struct asked *asked) {
  struct hy_lstsq s = hy_lstsq_open(cube, &asked->options, asked->a, asked->b, asked->x);
  hyla_status status = compute(&s, asked->report != NULL);
  if (asked->report != NULL) *asked->report = s.report;
  hy_lstsq_free(&s);
  return status;
}

static struct asked asked_by(const hyla_lstsq_options *options, const hyla_matrix *a,
                             const hyla_matrix *b, hyla_matrix *x, hyla_lstsq_report *report) {
  struct asked asked = {.a = a, .b = b, .x = x, .report = report};
  if (options != NULL) asked.options = *options;
  return asked;
}

static struct hy_call call_of(const char *name, const struct asked *asked) {
  const hyla_lstsq_options *options = &asked->options;
  struct hy_call call = {.name = name,
                         .option = {{"op", (int)options->op, hy_operation_names},
                                    {"method", (int)options->method, METHODS}},
                         .alpha = options->rcond,
                         .number = {asked->report != NULL, options->extended},
                         .text = {options->pivoting},
                         .argument = {{"a", asked->a, options->op, "mn"},
                                      {"b", asked->b, .sizes = "mr"},
                                      {"x", asked->x, .sizes = "nr", .result = asked->x}},
                         .variant = options->variant,
                         .most = INT_MAX / 2};
  if (options->lower != NULL)
    call.argument[3] = (struct hy_argument){
        .name = "lower", .matrix = options->lower, .op = options->op, .sizes = "mn"};
  return call;
}

/* What the call's description does not check; local. */
static hyla_status check(hyla_cube *cube, const char *name, const hyla_lstsq_options *options) {
  CHECK(&cube->base, options->rcond >= 0 && options->rcond < 1, ARGUMENT,
        "%s: rcond is %g; give a number from 0 to 1, without 1", name, options->rcond);
  return HYLA_OK;
}

hyla_status hyla_lstsq(hyla_cube *cube, const hyla_lstsq_options *options, const hyla_matrix *a,
                       const hyla_matrix *b, hyla_matrix *x, hyla_lstsq_report *report) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  const struct asked asked = asked_by(options, a, b, x, report);
  struct hy_call call = call_of("hyla_lstsq", &asked);
  call.needs_data = true;
  TRY(hy_call_enter(cube, &call, check(cube, call.name, &asked.options)));
  return solve(cube, &asked);
}

/* -------------------------------------------------------------------- plan -- */

/* What the plan keeps: the arguments, and the problem with all its steps. */
struct planned {
  struct asked asked;
  struct hy_lstsq problem;
};

static hyla_status run(hyla_plan *plan) {
  struct planned *planned = plan->state;
  hyla_lstsq_report *report = planned->asked.report;
  TRY(hy_agree(plan->cube, hy_need_data(plan->cube, "hyla_plan_run")));
  hyla_status status = compute(&planned->problem, report != NULL);
  if (report != NULL) *report = planned->problem.report;
  return status;
}

static void release(hyla_plan *plan) {
  struct planned *planned = plan->state;
  if (planned->problem.cube != NULL) hy_lstsq_free(&planned->problem);
}

static void explain(const hyla_plan *plan, struct hy_text *text) {
  const struct asked *asked = &((const struct planned *)plan->state)->asked;
  const hyla_lstsq_options *options = &asked->options;
  const bool turned = options->op != HYLA_NONE;
  const int64_t m = asked->a->row.n, n = asked->a->col.n, sides = asked->b->col.n;
  hy_text_add(text, "  least squares, op(A) %s, %lld x %lld, %lld right-hand side%s\n",
              asked->a->k->complex_type ? "complex" : "real", (long long)(turned ? n : m),
              (long long)(turned ? m : n), (long long)sides, sides == 1 ? "" : "s");
  if (options->method == HYLA_LSTSQ_PIVOTED)
    hy_text_add(
        text, "  by QR, and R again with pivoted columns%s%s; op(A) counts as of full rank\n",
        options->pivoting == NULL ? "" : ", ", options->pivoting == NULL ? "" : options->pivoting);
  else if (options->method == HYLA_LSTSQ_AUTO)
    hy_text_add(text,
                "  by QR; pivots, which the condition may ask for, are counted as memory alone\n");
  else
    hy_text_add(text, "  by QR without pivots\n");
  const struct hy_lstsq *s = &((const struct planned *)plan->state)->problem;
  if (s->refined)
    hy_text_add(text, "  refinement is counted with %s\n",
                s->wide && !options->extended ? "two steps" : "one step");
  hy_text_add(text, "  reference: %s\n", hy_choice_variant(&plan->choice)->reference);
}

static const struct hy_plan_kind KIND = {
    .size = sizeof(struct planned), .run = run, .explain = explain, .destroy = release};

static hyla_status play(hyla_cube *counting, hyla_plan *plan) {
  const struct asked *asked = &((const struct planned *)plan->state)->asked;
  hyla_lstsq_options options = asked->options;
  hyla_matrix a, b, x, lower;
  const bool measured = asked->report != NULL;
  if (options.lower != NULL) options.lower = hy_matrix_rehearsed(counting, options.lower, &lower);
  struct hy_lstsq s = hy_lstsq_open(counting, &options, hy_matrix_rehearsed(counting, asked->a, &a),
                                    hy_matrix_rehearsed(counting, asked->b, &b),
                                    hy_matrix_rehearsed(counting, asked->x, &x));
  s.plan = plan;
  const int64_t before = counting->base.bytes_now;
  hyla_status status = hy_lstsq_plan_all(&s, measured);
  /* Plans of small steps take more than their data. */
  counting->base.nowhere_used += counting->base.bytes_now - before + (int64_t)sizeof s;
  if (status == HYLA_OK) status = compute(&s, measured);
  hy_lstsq_free(&s);
  return status;
}

/* The plan outlives the caller's texts. */
static hyla_status keep_names(const hyla_plan *plan) {
  struct asked *asked = &((struct planned *)plan->state)->asked;
  const char *pivoting = asked->options.pivoting;
  const struct hy_variant *row =
      pivoting == NULL ? NULL : hy_family_find(&hy_qr_pivoted_family, pivoting);
  asked->options.variant = hy_played_name(plan, asked->options.variant);
  asked->options.pivoting = row == NULL ? NULL : row->name;
  CHECK(&plan->cube->base, pivoting == NULL || row != NULL, ARGUMENT,
        "hyla_lstsq_plan: %s is no variant of qr_pivoted", pivoting);
  return HYLA_OK;
}

/* The variants that the play has chosen are those of the steps. */
static hyla_status plan_it(const struct asked *asked, hyla_plan *plan) {
  struct planned *planned = plan->state;
  planned->asked = *asked;
  TRY(hy_played_price(plan, asked->a->k, play));
  TRY(hy_agree(plan->cube, keep_names(plan)));
  planned->problem =
      hy_lstsq_open(plan->cube, &planned->asked.options, asked->a, asked->b, asked->x);
  return hy_lstsq_plan_all(&planned->problem, asked->report != NULL);
}

hyla_status hyla_lstsq_plan(hyla_cube *cube, const hyla_lstsq_options *options,
                            const hyla_matrix *a, const hyla_matrix *b, hyla_matrix *x,
                            hyla_lstsq_report *report, hyla_plan **plan) {
  if (plan != NULL) *plan = NULL;
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  const struct asked asked = asked_by(options, a, b, x, report);
  struct hy_call call = call_of("hyla_lstsq_plan", &asked);
  call.place[0] = (struct hy_named_place){"plan", plan, 1};
  TRY(hy_call_enter(cube, &call, check(cube, call.name, &asked.options)));
  TRY(hy_played_make(cube, &KIND, &call, plan));
  hyla_status status = plan_it(&asked, *plan);
  if (status != HYLA_OK) (void)hyla_plan_destroy(plan);
  return status;
}
