/* Factorizations that are stopped and resumed. */
#include "checkpoint_case.h"

#include "solve/guard/guard.h"
#include "tests/harness/cube.h"

#include <complex.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

hyla_options checkpoint_options(const char *folder) {
  hyla_options options;
  hyla_options_init(&options);
  options.checkpoint = folder;
  options.checkpoint_every = 0;
  return options;
}

void checkpoint_forget(const char *folder) {
  char path[512];
  DIR *entries = opendir(folder);
  if (entries == NULL) return;
  for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (entry->d_name[0] != '.') unlink(path);
  }
  closedir(entries);
  rmdir(folder);
}

void checkpoint_folder(const char *folder) {
  checkpoint_forget(folder);
  assert_int_equal(mkdir(folder, 0777), 0);
}

const char *checkpoint_state(const char *folder, char path[512]) {
  int count = 0;
  DIR *entries = opendir(folder);
  assert_non_null(entries);
  for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, 512, "%s/%s", folder, entry->d_name);
    count++;
  }
  closedir(entries);
  assert_true(count <= 1);
  return count == 1 ? path : NULL;
}

/* ----------------------------------------------------------------- compute -- */

struct work {
  hyla_factor *factor;
  hyla_matrix *a, *b, *x, *packed;
};

static hyla_status make(hyla_cube *cube, const struct checkpoint_run *run, struct work *w) {
  const struct checkpoint_case *p = run->problem;
  hyla_layout layout = {.rest = HYLA_FACE};
  if (run->layout != NULL) layout = cube_layout(cube, run->layout);
  const hyla_layout *asked = run->layout != NULL ? &layout : NULL;
  TRY(hyla_factor_create_rectangular(cube, p->method, p->type, p->m, p->n, p->m == p->n ? 2 : 0,
                                     asked, p->variant, &w->factor));
  TRY(hyla_matrix_create(cube, p->type, p->m, p->n, NULL, &w->a));
  TRY(hyla_matrix_create(cube, p->type, p->n, 2, NULL, &w->b));
  TRY(hyla_matrix_create(cube, p->type, p->n, 2, NULL, &w->x));
  TRY(hyla_matrix_create(cube, p->type, p->m, p->n, NULL, &w->packed));
  const char *kind = p->method == HYLA_CHOLESKY ? hyla_method_at(HYLA_CHOLESKY)->sample : "random";
  TRY(hyla_matrix_gallery(cube, w->a, kind, p->seed));
  return hyla_matrix_generate(cube, w->b, HYLA_RANDOM, 7);
}

/* op(A) x = b if A is Hermitian or op is none; otherwise by the transpose. */
static hyla_status solve(hyla_cube *cube, const struct checkpoint_run *run, struct work *w,
                         hyla_operation op, double *residual) {
  const struct checkpoint_case *p = run->problem;
  hyla_matrix *turned = NULL;
  TRY(hyla_factor_solve(cube, w->factor, op, w->b, w->x));
  if (op == HYLA_NONE) return hyla_residual(cube, w->a, w->x, w->b, residual);
  TRY(hyla_matrix_create(cube, p->type, p->n, p->m, NULL, &turned));
  const hyla_transfer turn = {op, 1, w->a, turned};
  hyla_status status = hyla_redistribute(cube, 1, &turn);
  if (status == HYLA_OK) status = hyla_residual(cube, turned, w->x, w->b, residual);
  hyla_matrix_destroy(&turned);
  return status;
}

static hyla_status gather(hyla_cube *cube, struct checkpoint_run *run, struct work *w) {
  const struct checkpoint_case *p = run->problem;
  char *entries = calloc(sizeof run->packed, 1);
  assert_non_null(entries);
  const struct hy_kernels *k = hy_kernels_of(p->type);
  TRY(hyla_factor_permutation(cube, w->factor, run->rows));
  TRY(hyla_matrix_generate(cube, w->packed, HYLA_ZERO, 0));
  TRY(hyla_factor_packed(cube, w->factor, HYLA_LOWER, w->packed));
  TRY(hyla_matrix_gather(cube, w->packed, HYLA_REPLICATED, entries, p->m));
  for (int64_t i = 0; i < p->m * p->n; i++) run->packed[i] = k->get(entries, i);
  free(entries);
  return HYLA_OK;
}

static hyla_status compute(hyla_cube *cube, struct checkpoint_run *run, struct work *w) {
  const struct checkpoint_case *p = run->problem;
  TRY(make(cube, run, w));
  if (w->factor->checkpoint != NULL) w->factor->checkpoint->stop = run->stop;
  TRY(hyla_factor_compute(cube, w->factor, w->a));
  TRY(gather(cube, run, w));
  for (int op = HYLA_NONE; op <= HYLA_CONJUGATE && p->m == p->n; op++)
    TRY(solve(cube, run, w, (hyla_operation)op, &run->residual[op]));
  return HYLA_OK;
}

hyla_status checkpoint_compute(hyla_cube *cube, void *arg) {
  struct checkpoint_run *run = arg;
  struct work w = {NULL, NULL, NULL, NULL, NULL};
  int64_t held = cube->base.bytes_now;
  hyla_status status = compute(cube, run, &w);
  run->status = status;
  snprintf(run->message, sizeof run->message, "%s", hyla_cube_message(cube));
  assert_int_equal(hyla_cube_checkpoints(cube, &run->checkpoints), HYLA_OK);
  hyla_matrix_destroy(&w.packed);
  hyla_matrix_destroy(&w.x);
  hyla_matrix_destroy(&w.b);
  hyla_matrix_destroy(&w.a);
  hyla_factor_destroy(&w.factor);
  assert_int_equal(cube->base.bytes_now, held);
  return status;
}

/* ----------------------------------------------------------------- compare -- */

void checkpoint_compare(const struct checkpoint_run *run, const struct checkpoint_run *with,
                        bool bits) {
  const struct checkpoint_case *p = run->problem;
  bool single = p->type == HYLA_FLOAT || p->type == HYLA_COMPLEX;
  double largest = 0, difference = 0;
  assert_memory_equal(run->rows, with->rows, (size_t)p->m * sizeof *run->rows);
  for (int64_t i = 0; i < p->m * p->n; i++) {
    largest = fmax(largest, cabs(with->packed[i]));
    difference = fmax(difference, cabs(run->packed[i] - with->packed[i]));
  }
  if (bits) assert_true(difference == 0);
  if (!(difference <= largest * (single ? 2e-3 : 1e-11)))
    fail_msg("factors differ by %g of %g", difference, largest);
}

void checkpoint_residuals(const struct checkpoint_run *run) {
  for (int op = 0; op < 3 && run->problem->m == run->problem->n; op++)
    assert_true(run->residual[op] < 16);
}

/* -------------------------------------------------------------- real ranks -- */

void checkpoint_make_shared(void) {
  if (harness_rank() == 0) checkpoint_folder(checkpoint_shared);
  harness_barrier();
}

void checkpoint_forget_shared(void) {
  harness_barrier();
  if (harness_rank() == 0) checkpoint_forget(checkpoint_shared);
}

/* If the ranks of the test are an array, the first ones are an array with drawn sides. */
static void set_array(int ranks, hyla_options *options, char text[24]) {
  int rows = (int)harness_draw(1, ranks);
  while (ranks % rows != 0) rows--;
  snprintf(text, 24, "%dx%d", rows, ranks / rows);
  if (options->array != NULL) options->array = text;
}

/* One run on the first ranks, while the others wait; options: NULL for no checkpoints. */
void checkpoint_run_on(int ranks, const hyla_options *options, struct checkpoint_run *run) {
  MPI_Comm comm;
  hyla_options all;
  char array[24];
  hyla_options_init(&all);
  if (options != NULL) all = *options;
  set_array(ranks, &all, array);
  const struct checkpoint_case *problem = run->problem;
  const char *layout = run->layout;
  bool mine = harness_rank() < ranks;
  MPI_Comm_split(MPI_COMM_WORLD, mine ? 0 : MPI_UNDEFINED, harness_rank(), &comm);
  if (mine) {
    hyla_cube *cube = NULL;
    assert_int_equal(hyla_cube_create(comm, &all, &cube), HYLA_OK);
    (void)checkpoint_compute(cube, run);
    cube_close(&cube);
    MPI_Comm_free(&comm);
  }
  harness_broadcast(run, (int)sizeof *run, MPI_BYTE, 0);
  run->problem = problem;
  run->layout = layout;
}
