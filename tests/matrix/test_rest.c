/* Matrices with copies and matrices on a face of the cube: any set and any order of dimensions, on
 * ranks and on virtual cubes. */
// ranks: 1 3 4 6 7 8
// sample: 1 4 6
#include "hyla_lab.h"
#include "matrix_cases.h"

enum { DIMS_MOST = 6 };

struct job {
  hyla_layout layout;
  hyla_layout other; /* of a second matrix */
  hyla_type type;
  int64_t rows, cols;
  int64_t row, col; /* an entry, if there is one */
  const char *path;
};

static struct job draw_job(const hyla_cube *cube) {
  int64_t sizes[HARNESS_SIZES];
  int count = harness_sizes((int)harness_draw(1, cube->nodes), sizes);
  struct job job = {.layout = case_layout_on(cube),
                    .other = case_layout_on(cube),
                    .type = (hyla_type)harness_draw(0, TYPES - 1),
                    .rows = sizes[harness_draw(0, count - 1)],
                    .cols = sizes[harness_draw(0, count - 1)]};
  job.row = job.rows > 0 ? harness_draw(0, job.rows - 1) : 0;
  job.col = job.cols > 0 ? harness_draw(0, job.cols - 1) : 0;
  harness_note("%s on %d nodes, type %d, %d x %d", case_name(&job.layout), cube->nodes,
               (int)job.type, (int)job.rows, (int)job.cols);
  return job;
}

/* The entries that a job expects: case_entry, and 7 in one place. */
static double _Complex marked_entry(void *arg, int64_t row, int64_t col) {
  struct job *job = arg;
  return row == job->row && col == job->col ? 7 : case_entry(&job->cols, row, col);
}

/* Is every local entry as the function says? */
static hyla_status check_local(const hyla_matrix *a, hyla_entry *entry, void *arg) {
  for (int64_t m = 0; m < a->local_cols; m++)
    for (int64_t l = 0; l < a->local_rows; l++) {
      int64_t row = hyla_matrix_row(a, l), col = hyla_matrix_col(a, m);
      double _Complex found = a->k->get(hy_at(a, l, m), 0);
      CHECK(&a->cube->base, case_same(found, case_rounded(a, entry(arg, row, col))), ARGUMENT,
            "entry (%d, %d) is %g%+gi on node %d", (int)row, (int)col, creal(found), cimag(found),
            a->cube->address);
    }
  return HYLA_OK;
}

/* A node holds its part or, off the face, nothing. */
static hyla_status check_extents(const hyla_matrix *a, const struct job *job) {
  const hyla_cube *cube = a->cube;
  int64_t rows, cols;
  TRY(hyla_layout_local(cube, &job->layout, job->rows, job->cols, &rows, &cols));
  bool holds = hy_layout_holds(cube->dims, &job->layout, cube->address);
  bool right = rows == a->local_rows && cols == a->local_cols && holds == (a->row_part >= 0);
  if (!holds) right = right && rows == 0 && cols == 0;
  if (holds)
    right =
        right && hy_matrix_node_near(a, a->row_part, a->col_part, cube->address) == cube->address;
  return right ? HYLA_OK : hy_fail(&a->cube->base, HYLA_ARGUMENT, "extents are wrong");
}

/* Do all nodes have the same bits? */
static hyla_status check_common(hyla_cube *cube, double value) {
  int64_t bits[2];
  memcpy(&bits[0], &value, sizeof value);
  bits[1] = ~bits[0];
  int64_t most[] = {bits[0], bits[1]};
  TRY(hyla_cube_max(cube, most, 2));
  CHECK(&cube->base, most[0] == bits[0] && most[1] == bits[1], ARGUMENT, "norms differ");
  return HYLA_OK;
}

/* The norms compared with those of a matrix whose entries are all on every node. */
static hyla_status check_norms(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *whole) {
  for (int kind = HYLA_NORM_MAX; kind <= HYLA_NORM_FRO; kind++) {
    double value = -1, expected = -1;
    TRY(hyla_matrix_norm(cube, a, (hyla_norm)kind, &value));
    TRY(hyla_matrix_norm(cube, whole, (hyla_norm)kind, &expected));
    TRY(check_common(cube, value));
    CHECK(&cube->base, fabs(value - expected) <= 1e-13 * expected, ARGUMENT,
          "norm %d is %g, not %g", kind, value, expected);
  }
  return HYLA_OK;
}

static hyla_status check_entries(hyla_cube *cube, hyla_matrix *a, struct job *job) {
  TRY(check_extents(a, job));
  TRY(hyla_matrix_fill(cube, a, case_entry, &job->cols));
  TRY(hy_agree(cube, check_local(a, case_entry, &job->cols)));
  if (job->rows * job->cols == 0) return HYLA_OK;
  TRY(hyla_matrix_set(cube, a, job->row, job->col, 7));
  TRY(hy_agree(cube, check_local(a, marked_entry, job)));
  double _Complex value = 0;
  TRY(hyla_matrix_get(cube, a, job->row, job->col, &value));
  bool right = case_same(value, 7);
  TRY(hyla_matrix_get(cube, a, 0, 0, &value));
  right = right && case_same(value, case_rounded(a, marked_entry(job, 0, 0)));
  return hy_agree(cube, right ? HYLA_OK : hy_fail(&cube->base, HYLA_ARGUMENT, "get is wrong"));
}

static double _Complex entry_of_whole(void *arg, int64_t row, int64_t col) {
  const hyla_matrix *whole = arg;
  return whole->k->get(hy_at(whole, row, col), 0);
}

/* whole: a copy of all entries on every node. */
static hyla_status check_generated(hyla_cube *cube, hyla_matrix *a, hyla_matrix *whole) {
  TRY(hyla_matrix_generate(cube, a, HYLA_RANDOM, 5));
  TRY(hyla_matrix_generate(cube, whole, HYLA_RANDOM, 5));
  TRY(hy_agree(cube, check_local(a, entry_of_whole, whole)));
  return check_norms(cube, a, whole);
}

/* The copy has the generated entries in another layout; the first matrix is unchanged. */
static hyla_status check_copy(hyla_cube *cube, hyla_matrix *a, const struct job *job,
                              hyla_matrix *whole) {
  hyla_matrix *b = NULL;
  TRY(hyla_matrix_create(cube, job->type, job->rows, job->cols, &job->other, &b));
  hyla_status status = hyla_matrix_copy(cube, a, b);
  if (status == HYLA_OK) status = hy_agree(cube, check_local(b, entry_of_whole, whole));
  if (status == HYLA_OK) status = hyla_matrix_generate(cube, a, HYLA_ONES, 0);
  if (status == HYLA_OK) status = hyla_matrix_copy(cube, b, a);
  if (status == HYLA_OK) status = hy_agree(cube, check_local(a, entry_of_whole, whole));
  hyla_matrix_destroy(&b);
  return status;
}

static hyla_status work(hyla_cube *cube, void *arg) {
  struct job job = *(const struct job *)arg;
  hyla_layout all = {.rest = HYLA_REPLICATED};
  hyla_matrix *a = NULL, *whole = NULL;
  hyla_status status = hyla_matrix_create(cube, job.type, job.rows, job.cols, &job.layout, &a);
  if (status == HYLA_OK)
    status = hyla_matrix_create(cube, job.type, job.rows, job.cols, &all, &whole);
  if (status == HYLA_OK) status = check_entries(cube, a, &job);
  if (status == HYLA_OK) status = check_generated(cube, a, whole);
  if (status == HYLA_OK) status = check_copy(cube, a, &job, whole);
  hyla_matrix_destroy(&whole);
  hyla_matrix_destroy(&a);
  return status;
}

static void entries_and_norms_on_ranks(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int64_t before = cube->base.bytes_now;
  for (int round = 0; round < 12; round++) {
    struct job job = draw_job(cube);
    hyla_status status = work(cube, &job);
    if (status != HYLA_OK) fail_msg("%s", hyla_cube_message(cube));
  }
  case_cube_end(&cube, before);
}

static void entries_and_norms_on_virtual_cubes(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int round = 0; round < 60; round++) {
    hyla_simulation cube = {.dims = (int)harness_draw(0, DIMS_MOST)};
    const hyla_cube paper = case_paper_cube(cube.dims, 0);
    struct job job = draw_job(&paper);
    hyla_report report;
    if (hyla_simulate(&cube, work, &job, &report) != HYLA_OK) fail_msg("%s", report.message);
  }
}

/* Through a file into another layout; the type is one that both formats keep. */
static hyla_status work_on_file(hyla_cube *cube, void *arg) {
  struct job job = *(const struct job *)arg;
  hyla_matrix *a = NULL, *b = NULL;
  hyla_status status = hyla_matrix_create(cube, job.type, job.rows, job.cols, &job.layout, &a);
  if (status == HYLA_OK) status = hyla_matrix_fill(cube, a, case_entry, &job.cols);
  if (status == HYLA_OK) status = hyla_matrix_write(cube, a, job.path);
  if (status == HYLA_OK) status = hyla_matrix_read(cube, job.path, &job.other, &b);
  if (status == HYLA_OK) {
    bool right = b->row.n == job.rows && b->col.n == job.cols && b->k == a->k;
    status = right ? check_local(b, case_entry, &job.cols)
                   : hy_fail(&cube->base, HYLA_ARGUMENT, "another matrix is read");
    status = hy_agree(cube, status);
  }
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return status;
}

/* A file of the program's own for this number of ranks, in either format. */
static struct job draw_file(const hyla_cube *cube, int round, char path[40]) {
  struct job job = draw_job(cube);
  snprintf(path, 40, "test_rest_%d.%s", harness_ranks(), round % 2 ? "mtx" : "npy");
  job.path = path;
  job.type = round % 3 ? HYLA_DOUBLE : HYLA_DOUBLE_COMPLEX;
  return job;
}

static void files_on_ranks(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int64_t before = cube->base.bytes_now;
  char path[40];
  for (int round = 0; round < 8; round++) {
    struct job job = draw_file(cube, round, path);
    hyla_status status = work_on_file(cube, &job);
    if (harness_rank() == 0) remove(path);
    if (status != HYLA_OK) fail_msg("%s", hyla_cube_message(cube));
  }
  case_cube_end(&cube, before);
}

static void files_on_virtual_cubes(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  char path[40];
  for (int round = 0; round < 30; round++) {
    hyla_simulation cube = {.dims = (int)harness_draw(0, DIMS_MOST)};
    const hyla_cube paper = case_paper_cube(cube.dims, 0);
    struct job job = draw_file(&paper, round, path);
    hyla_report report;
    hyla_status status = hyla_simulate(&cube, work_on_file, &job, &report);
    remove(path);
    if (status != HYLA_OK) fail_msg("%s", report.message);
  }
}

/* The same axes with copies and on a face: the same sums in the same order. */
static hyla_status compare_norms(hyla_cube *cube, void *arg) {
  struct job job = *(const struct job *)arg;
  double value[2][4];
  for (int rest = HYLA_REPLICATED; rest <= HYLA_FACE; rest++) {
    hyla_matrix *a = NULL;
    job.layout.rest = (hyla_rest)rest;
    hyla_status status = hyla_matrix_create(cube, job.type, job.rows, job.cols, &job.layout, &a);
    if (status == HYLA_OK) status = hyla_matrix_generate(cube, a, HYLA_RANDOM, 9);
    for (int kind = HYLA_NORM_MAX; kind <= HYLA_NORM_FRO && status == HYLA_OK; kind++)
      status = hyla_matrix_norm(cube, a, (hyla_norm)kind, &value[rest][kind]);
    hyla_matrix_destroy(&a);
    TRY(status);
  }
  bool same = memcmp(value[0], value[1], sizeof value[0]) == 0;
  return hy_agree(cube, same ? HYLA_OK : hy_fail(&cube->base, HYLA_ARGUMENT, "norms differ"));
}

static void copies_do_not_change_a_norm(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int round = 0; round < 8; round++) {
    struct job job = draw_job(cube);
    assert_int_equal(compare_norms(cube, &job), HYLA_OK);
  }
  hyla_cube_destroy(&cube);
}

/* Views of every copy show the same entries under other indices. */
static void views_hold_the_parents_entries(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int64_t before = cube->base.bytes_now;
  for (int round = 0; round < 10; round++) {
    struct job job = draw_job(cube);
    hyla_matrix *a = case_matrix(cube, (int)job.type, job.rows, job.cols, &job.layout), *view;
    int64_t row = harness_draw(0, job.rows), col = harness_draw(0, job.cols);
    assert_int_equal(hyla_matrix_view(a, row, col, job.rows - row, job.cols - col, &view), HYLA_OK);
    case_fill(cube, a, job.cols);
    assert_int_equal(hyla_matrix_fill(cube, view, marked_entry, &job), HYLA_OK);
    /* The view's (0, 0) is the parent's (row, col). */
    for (int64_t m = 0; m < a->local_cols; m++)
      for (int64_t l = 0; l < a->local_rows; l++) {
        int64_t i = hyla_matrix_row(a, l), j = hyla_matrix_col(a, m);
        bool inside = i >= row && j >= col;
        double _Complex expected =
            inside ? marked_entry(&job, i - row, j - col) : case_entry(&job.cols, i, j);
        assert_true(case_same(a->k->get(hy_at(a, l, m), 0), case_rounded(a, expected)));
      }
    hyla_matrix_destroy(&view);
    hyla_matrix_destroy(&a);
  }
  case_cube_end(&cube, before);
}

/* Arguments that the ranks must agree on. */
static void copies_and_faces_are_no_match(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  bool last = harness_rank() == harness_ranks() - 1;
  hyla_layout layout = {.rest = last ? HYLA_FACE : HYLA_REPLICATED};
  hyla_matrix *a = NULL;
  assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, 3, 4, &layout, &a),
                   harness_ranks() > 1 ? HYLA_MISMATCH : HYLA_OK);
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(entries_and_norms_on_ranks),
      cmocka_unit_test(entries_and_norms_on_virtual_cubes),
      cmocka_unit_test(files_on_ranks),
      cmocka_unit_test(files_on_virtual_cubes),
      cmocka_unit_test(copies_do_not_change_a_norm),
      cmocka_unit_test(views_hold_the_parents_entries),
      cmocka_unit_test(copies_and_faces_are_no_match),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
