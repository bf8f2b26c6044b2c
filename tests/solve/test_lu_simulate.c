/* LU on virtual cubes of up to 64 nodes: exact solutions, counts, lost messages. */
// limit: 120
#include "hyla_lab.h"
#include "lu_case.h"

/* The program that the nodes run; they share it and only read it. */
struct program {
  const struct lu_case *system;
  hyla_type type;
  int64_t nrhs, block;
  int rows; /* cube dimensions of the rows: the high ones */
  hyla_code code;
  const double _Complex *x, *b;
};

static hyla_layout layout_of(const hyla_cube *cube, const struct program *program) {
  hyla_layout layout = {0};
  layout.row.dims = program->rows;
  layout.col.dims = cube->dims - program->rows;
  for (int i = 0; i < layout.row.dims; i++) layout.row.dim[i] = (uint8_t)(layout.col.dims + i);
  for (int i = 0; i < layout.col.dims; i++) layout.col.dim[i] = (uint8_t)i;
  layout.row.code = layout.col.code = program->code;
  layout.row.storage = layout.col.storage = HYLA_CYCLIC;
  layout.row.block = layout.col.block = program->block;
  return layout;
}

static hyla_status check_solution(const hyla_matrix *x, const double _Complex *known) {
  for (int64_t m = 0; m < x->local_cols; m++)
    for (int64_t l = 0; l < x->local_rows; l++) {
      int64_t row = hyla_matrix_row(x, l), col = hyla_matrix_col(x, m);
      CHECK(&x->cube->base, x->k->get(hy_at(x, l, m), 0) == known[row + col * x->row.n], FORMAT,
            "x(%lld, %lld) is wrong", (long long)row, (long long)col);
    }
  return HYLA_OK;
}

static hyla_status check_counts(hyla_cube *cube, const hyla_factor *factor) {
  hyla_ledger ledger;
  hyla_cost least, most;
  TRY(hyla_cube_ledger(cube, &ledger));
  hy_lu_cost_at(hy_choice_state(&factor->plan->choice), factor->factors.a->row_part,
                factor->factors.a->col_part, &least, &most);
  int64_t messages = 0, bytes = 0, size = (int64_t)factor->problem.k->size;
  for (int dim = 0; dim < ledger.dims; dim++) {
    messages += ledger.messages[dim];
    bytes += ledger.bytes[dim];
  }
  bool within = ledger.steps >= least.steps && ledger.steps <= most.steps &&
                messages >= least.messages && messages <= most.messages &&
                bytes >= least.words * size && bytes <= most.words * size &&
                ledger.far_messages == 0;
  CHECK(&cube->base, within, FORMAT,
        "%lld steps, %lld messages, %lld bytes; predicted %lld %lld %lld to %lld %lld %lld",
        (long long)ledger.steps, (long long)messages, (long long)bytes, (long long)least.steps,
        (long long)least.messages, (long long)(least.words * size), (long long)most.steps,
        (long long)most.messages, (long long)(most.words * size));
  return HYLA_OK;
}

static hyla_status factor_and_solve(hyla_cube *cube, hyla_factor *factor, hyla_matrix *a,
                                    hyla_matrix *x, const struct program *program) {
  lu_put(a, program->system->a);
  lu_put(x, program->b);
  TRY(hyla_cube_ledger_clear(cube));
  TRY(hyla_factor_compute(cube, factor, a));
  TRY(hyla_factor_solve(cube, factor, HYLA_NONE, x, x));
  TRY(hy_agree(cube, check_counts(cube, factor)));
  for (int64_t i = 0; i < factor->problem.n; i++)
    CHECK(&cube->base, factor->factors.swaps[i] == program->system->swaps[i], FORMAT,
          "swap %lld is wrong", (long long)i);
  TRY(hy_agree(cube, check_solution(x, program->x)));
  lu_put(x, program->b);
  TRY(hyla_solve(cube, a, x, x, NULL));
  return hy_agree(cube, check_solution(x, program->x));
}

static hyla_status run(hyla_cube *cube, void *arg) {
  const struct program *program = arg;
  int64_t n = program->system->n;
  hyla_layout layout = layout_of(cube, program);
  hyla_factor *factor = NULL;
  hyla_matrix *a = NULL, *x = NULL;
  hyla_status status =
      hyla_factor_create(cube, HYLA_LU, program->type, n, program->nrhs, &layout, NULL, &factor);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, program->type, n, n, &layout, &a);
  if (status == HYLA_OK)
    status =
        hyla_matrix_create(cube, program->type, n, program->nrhs, &factor->problem.x_layout, &x);
  if (status == HYLA_OK) status = factor_and_solve(cube, factor, a, x, program);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
  return status;
}

/* A system with its right-hand sides; x of small integers. */
struct rhs {
  double _Complex *x, *b;
};

static struct rhs rhs_draw(const struct lu_case *s, int64_t nrhs) {
  size_t count = (size_t)(s->n * nrhs + 1);
  struct rhs r = {calloc(count, sizeof *r.x), calloc(count, sizeof *r.b)};
  assert_true(r.x != NULL && r.b != NULL);
  for (int64_t c = 0; c < nrhs; c++)
    for (int64_t j = 0; j < s->n; j++) {
      double _Complex value = (double)harness_draw(-3, 3);
      r.x[j + c * s->n] = value;
      for (int64_t i = 0; i < s->n; i++) r.b[i + c * s->n] += s->a[i + j * s->n] * value;
    }
  return r;
}

static void exact_on_every_array(void **state) {
  (void)state;
  for (int dims = 0; dims <= 6; dims++)
    for (int rows = 0; rows <= dims; rows++) {
      hyla_type type = (hyla_type)harness_draw(0, TYPES - 1);
      int64_t n = harness_draw(0, 75), nrhs = rows % 2 == 0 ? harness_draw(0, 5) : 66;
      struct lu_case system = lu_case_draw(n, type >= HYLA_COMPLEX, -1);
      struct rhs rhs = rhs_draw(&system, nrhs);
      struct program program = {&system, type,
                                nrhs,    harness_draw(1, 9),
                                rows,    harness_draw(0, 1) ? HYLA_GRAY : HYLA_BINARY,
                                rhs.x,   rhs.b};
      hyla_options options;
      hyla_options_init(&options);
      options.variant = "lu:partial";
      hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 0.001, .options = &options};
      hyla_report report;
      hyla_status status = hyla_simulate(&model, run, &program, &report);
      if (status != HYLA_OK)
        fail_msg("%s: %s [dims %d, rows %d, n %lld, nrhs %lld, type %d, block %lld]",
                 hyla_status_name(status), report.message, dims, rows, (long long)n,
                 (long long)nrhs, (int)type, (long long)program.block);
      free(rhs.x);
      free(rhs.b);
      lu_case_free(&system);
    }
}

/* A lost message ends the call on all nodes. */
static void a_lost_message_ends_it(void **state) {
  (void)state;
  struct lu_case system = lu_case_draw(30, false, -1);
  struct rhs rhs = rhs_draw(&system, 2);
  for (int i = 0; i < 12; i++) {
    struct program program = {&system, HYLA_DOUBLE, 2, 4, 1, HYLA_GRAY, rhs.x, rhs.b};
    hyla_options options;
    hyla_options_init(&options);
    options.variant = "lu:partial";
    hyla_simulation model = {.dims = 3, .alpha = 1, .beta = 0.001, .options = &options};
    hyla_report report;
    model.fault = HYLA_FAULT_LOST;
    model.fault_at = harness_draw(1, 400);
    hyla_status status = hyla_simulate(&model, run, &program, &report);
    if (status == HYLA_OK)
      fail_msg("message %lld was lost and nobody noticed", (long long)model.fault_at);
    assert_true(report.message[0] != '\0');
  }
  free(rhs.x);
  free(rhs.b);
  lu_case_free(&system);
}

/* Without data: the pivots are drawn. */
struct dry_program {
  int64_t n, nrhs, block;
  const char *variant;
};

static hyla_status run_dry(hyla_cube *cube, void *arg) {
  const struct dry_program *program = arg;
  const struct program of = {.block = program->block, .rows = cube->dims / 2};
  hyla_layout layout = layout_of(cube, &of);
  int64_t n = program->n, nrhs = program->nrhs;
  hyla_factor *factor = NULL;
  hyla_matrix *a = NULL, *x = NULL;
  hyla_status status =
      hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, n, nrhs, &layout, program->variant, &factor);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, &layout, &a);
  if (status == HYLA_OK)
    status = hyla_matrix_create(cube, HYLA_DOUBLE, n, nrhs, &factor->problem.x_layout, &x);
  if (status == HYLA_OK) status = hyla_cube_ledger_clear(cube);
  if (status == HYLA_OK) status = hyla_factor_compute(cube, factor, a);
  if (status == HYLA_OK) status = hyla_factor_solve(cube, factor, HYLA_NONE, x, x);
  if (status == HYLA_OK) status = hy_agree(cube, check_counts(cube, factor));
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
  return status;
}

/* The counts lie between the plan's least and most on every node, and are the same every time. */
static void dry_runs_draw_pivots(void **state) {
  (void)state;
  static const char *const variants[] = {"partial", "tournament"};
  for (int dims = 0; dims <= 6; dims++)
    for (int trial = 0; trial < 6; trial++) {
      struct dry_program program = {.n = harness_draw(0, 150),
                                    .nrhs = trial < 3 ? harness_draw(0, 5) : 66,
                                    .block = harness_draw(1, 9),
                                    .variant = variants[trial % 2]};
      const hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 0.001, .dry = true};
      hyla_report report, again;
      harness_note("%s, d = %d, n = %lld, nrhs = %lld", program.variant, dims, (long long)program.n,
                   (long long)program.nrhs);
      (void)hyla_simulate(&model, run_dry, &program, &report);
      assert_string_equal(report.message, "");
      assert_int_equal(report.status, HYLA_OK);
      (void)hyla_simulate(&model, run_dry, &program, &again);
      assert_true(report.time == again.time);
      assert_memory_equal(report.bytes, again.bytes, sizeof report.bytes);
      assert_true(report.time > 0 || dims == 0 || program.n == 0);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_on_every_array),
      cmocka_unit_test(a_lost_message_ends_it),
      cmocka_unit_test(dry_runs_draw_pivots),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
