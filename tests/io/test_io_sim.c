/* Matrix files on virtual cubes: more nodes than this machine has ranks, lost messages, and a
 * locale that writes numbers with a comma. */
#include "hyla_lab.h"
#include "io_cases.h"
#include "io_check.h"

#include <sys/stat.h>

enum { DIMS_MOST = 5, NODES_MOST = 1 << DIMS_MOST };

static const char folder[] = "test_io_sim";
static const char input[] = "test_io_sim/in.mtx";
static const char output[] = "test_io_sim/out.mtx";

/* The task of a program, and its results on each node. */
struct job {
  int64_t chunk;
  const struct good_text *good; /* the text to read; NULL: not checked */
  bool write;                   /* also write it, to output */
  hyla_status status[NODES_MOST];
  char message[NODES_MOST][HY_MESSAGE_MAX];
  int wrong[NODES_MOST];    /* entries that differ */
  int64_t held[NODES_MOST]; /* bytes not given back */
};

static int count_wrong(const hyla_matrix *a, const struct good_text *good) {
  int wrong = a->row.n != good->rows || a->col.n != good->cols;
  size_t size = a->k->size;
  for (int64_t m = 0; m < a->local_cols && wrong == 0; m++) {
    for (int64_t l = 0; l < a->local_rows; l++) {
      int64_t i = hyla_matrix_row(a, l), j = hyla_matrix_col(a, m);
      wrong += memcmp(hy_at(a, l, m), good->entries + 2 * (i + j * good->rows), size) != 0;
    }
  }
  return wrong;
}

static hyla_status run_job(hyla_cube *cube, void *arg) {
  struct job *job = arg;
  int me = cube->address;
  int64_t held = cube->base.bytes_now;
  hyla_matrix *a = NULL;
  job->status[me] = hy_io_read(cube, input, NULL, job->chunk, &a);
  if (a != NULL && job->good != NULL) job->wrong[me] = count_wrong(a, job->good);
  if (a != NULL && job->write) job->status[me] = hyla_matrix_write(cube, a, output);
  strcpy(job->message[me], hyla_cube_message(cube));
  hyla_matrix_destroy(&a);
  job->held[me] = cube->base.bytes_now - held;
  return job->status[me];
}

static void put_input(const char *text) {
  FILE *file = fopen(input, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state) {
  (void)state;
  return mkdir(folder, 0777);
}

static int drop_folder(void **state) {
  (void)state;
  unlink(input);
  unlink(output);
  return rmdir(folder);
}

static void every_cube_reads_alike(void **state) {
  (void)state;
  for (int dims = 0; dims <= DIMS_MOST; dims += dims < 3 ? 1 : 2) {
    const hyla_simulation cube = {.dims = dims};
    for (int i = 0; i < GOOD_TEXTS + BAD_TEXTS; i++) {
      bool good = i < GOOD_TEXTS;
      put_input(good ? good_texts[i].text : bad_texts[i - GOOD_TEXTS].text);
      struct job job = {.chunk = 1 + (5 * i + dims) % 23, .good = good ? &good_texts[i] : NULL};
      hyla_report report;
      hyla_status status = hyla_simulate(&cube, run_job, &job, &report);
      harness_note("%d nodes, text %d: %s", 1 << dims, i, report.message);
      assert_int_equal(status, good ? HYLA_OK : HYLA_FORMAT);
      for (int x = 0; x < 1 << dims; x++) {
        assert_int_equal(job.status[x], status);
        assert_int_equal(job.wrong[x], 0);
        assert_int_equal(job.held[x], 0);
        if (good) continue;
        assert_memory_equal(job.message[x], input, strlen(input));
        assert_string_equal(job.message[x] + strlen(input) + 1, bad_texts[i - GOOD_TEXTS].message);
      }
    }
  }
}

/* Each message in turn is lost: nobody waits forever, no memory is kept, and the output is either
 * whole or absent, without files beside it. */
static void a_lost_message_leaves_nothing(void **state) {
  (void)state;
  const struct good_text *good = &good_texts[4];
  put_input(good->text);
  hyla_simulation cube = {.dims = 2, .alpha = 1e-6, .beta = 1e-9, .limit = 10};
  cube.fault = HYLA_FAULT_LOST;
  int calm = 0; /* messages in a row whose loss did no harm: then the program's end is passed */
  for (cube.fault_at = 1; calm < 10; cube.fault_at++) {
    unlink(output);
    struct job job = {.chunk = 5, .good = good, .write = true};
    hyla_report report;
    hyla_status status = hyla_simulate(&cube, run_job, &job, &report);
    calm = status == HYLA_OK ? calm + 1 : 0;
    harness_note("message %d is lost: %s", (int)cube.fault_at, report.message);
    assert_in_range(cube.fault_at, 1, 5000);
    bool named = status == HYLA_OK || status == HYLA_TIMEOUT || status == HYLA_COMMUNICATION ||
                 status == HYLA_BROKEN;
    assert_true(named);
    for (int x = 0; x < 4; x++) {
      assert_int_equal(job.held[x], 0);
      assert_int_equal(job.wrong[x], 0);
    }
    assert_int_equal(count_files(folder), access(output, F_OK) == 0 ? 2 : 1);
    if (access(output, F_OK) != 0) continue;
    struct stat about;
    assert_int_equal(stat(output, &about), 0);
    assert_int_equal(about.st_size, strlen(ARRAY "real general\n3 3\n") + 18);
  }
  assert_true(cube.fault_at > 50);
}

/* Sets a locale with decimal commas: an installed one, or one that the test makes. */
static bool set_comma_locale(void) {
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (setlocale(LC_ALL, names[i]) != NULL) return true;
  }
  char name[4096], command[8192];
  if (getcwd(name, sizeof name - 64) == NULL) return false;
  strcat(name, "/test_io_sim.locale");
  setenv("LOCPATH", name, 1);
  int length =
      snprintf(command, sizeof command,
               "cd '%s' && localedef --no-archive -i de_DE -f UTF-8 ./de_DE.UTF-8 2>&1", name);
  if (length >= (int)sizeof command || mkdir(name, 0777) != 0) return false;
  bool made = system(command) == 0 && setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
  snprintf(command, sizeof command, "rm -rf '%s'", name);
  if (system(command) != 0) return false;
  return made;
}

static void files_have_decimal_points_in_every_locale(void **state) {
  (void)state;
  if (!set_comma_locale()) skip();
  char number[16];
  snprintf(number, sizeof number, "%.1f", 0.5);
  assert_string_equal(number, "0,5");
  static const char text[] = ARRAY "real general\n2 1\n1.5\n-2.25\n";
  put_input(text);
  const struct good_text good = {text, 2, 1, {1.5, 0, -2.25, 0}};
  struct job job = {.good = &good, .write = true};
  const hyla_simulation cube = {.dims = 1};
  hyla_status status = hyla_simulate(&cube, run_job, &job, &(hyla_report){0});
  snprintf(number, sizeof number, "%.1f", 0.5);
  setlocale(LC_ALL, "C");
  assert_int_equal(status, HYLA_OK);
  assert_int_equal(job.wrong[0] + job.wrong[1], 0);
  assert_string_equal(number, "0,5");
  char back[sizeof text] = {0};
  FILE *file = fopen(output, "rb");
  assert_non_null(file);
  assert_int_equal(fread(back, 1, sizeof back, file), strlen(text));
  fclose(file);
  assert_string_equal(back, text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_cube_reads_alike, make_folder, drop_folder),
      cmocka_unit_test_setup_teardown(a_lost_message_leaves_nothing, make_folder, drop_folder),
      cmocka_unit_test_setup_teardown(files_have_decimal_points_in_every_locale, make_folder,
                                      drop_folder),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
