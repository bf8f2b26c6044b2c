/* The reader of checkpoints: a factorization that finds the bytes in place of its checkpoint. */
#include "readers.h"

#include "hyla_lab.h"
#include "io/output.h"
#include "solve/guard/guard.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ORDER = 12, BLOCK = 3, NODES = 2 };

/* The requests of the first byte: sums over changed bytes are wrong, so the code behind them would
 * never be reached unless the sums are corrected. */
enum { CHOLESKY = 1, SEVERAL = 2, MEND_HEAD = 4, MEND_NUMBERS = 8, MEND_COLUMNS = 16 };

struct attempt {
  bool cholesky;
  bool mended;
  char *state; /* behind the first byte */
  size_t size;
  char path[512];
  hyla_status status[NODES];
  char message[NODES][HY_MESSAGE_MAX];
  bool resumed;
  double residual; /* of a solution, if there are factors */
};

static char folder[64];

static void remove_folder(void) { rmdir(folder); }

/* One folder for all inputs of a process. */
static void make_folder(void) {
  if (folder[0] != '\0') return;
  snprintf(folder, sizeof folder, "states.%ld", (long)getpid());
  reader_expect(mkdir(folder, 0777) == 0, "no folder for states", folder);
  reader_expect(atexit(remove_folder) == 0, "the folder would stay", folder);
}

/* Corrects the sums for these bytes, if the head fits. */
static void mend(struct attempt *t, int wishes, uint64_t origin) {
  struct hy_state_head head;
  int64_t numbers = ORDER * (int64_t)sizeof(int64_t);
  if (t->size < sizeof head) return;
  memcpy(&head, t->state, sizeof head);
  if ((wishes & MEND_NUMBERS) != 0 && (int64_t)t->size >= HY_STATE_HEAD + numbers)
    head.numbers_sum = hy_fingerprint(0, t->state + HY_STATE_HEAD, (size_t)numbers);
  if ((wishes & MEND_HEAD) != 0) {
    head.version = HY_STATE_VERSION;
    head.origin = origin;
    head.sum = hy_fingerprint(0, &head, offsetof(struct hy_state_head, sum));
  }
  memcpy(t->state, &head, sizeof head);
  char *sums = t->state + HY_STATE_HEAD + numbers;
  char *column = sums + ORDER * sizeof(uint64_t);
  for (int col = 0; col < ORDER && (wishes & MEND_COLUMNS) != 0; col++) {
    size_t bytes = (size_t)(t->cholesky ? ORDER - col : ORDER) * sizeof(double);
    if (column + bytes > t->state + t->size) return;
    uint64_t sum = hy_fingerprint((uint64_t)col + 1, column, bytes);
    memcpy(sums + (size_t)col * sizeof sum, &sum, sizeof sum);
    column += bytes;
  }
}

static void put(const struct attempt *t) {
  int fd = open(t->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  reader_expect(fd >= 0, "a state cannot be put in its place", t->path);
  reader_expect(write(fd, t->state, t->size) == (ssize_t)t->size, "a file is not written", t->path);
  close(fd);
}

struct work {
  hyla_factor *factor;
  hyla_matrix *a, *b, *x;
};

static void forget(struct work *w) {
  hyla_matrix_destroy(&w->x);
  hyla_matrix_destroy(&w->b);
  hyla_matrix_destroy(&w->a);
  hyla_factor_destroy(&w->factor);
}

static hyla_status make(hyla_cube *cube, const struct attempt *t, struct work *w) {
  const hyla_layout layout = {.row = {.storage = HYLA_CYCLIC, .block = BLOCK},
                              .col = {.storage = HYLA_CYCLIC, .block = BLOCK, .dims = cube->dims}};
  hyla_method method = t->cholesky ? HYLA_CHOLESKY : HYLA_LU;
  TRY(hyla_factor_create(cube, method, HYLA_DOUBLE, ORDER, 1, &layout,
                         t->cholesky ? "right-looking" : "partial", &w->factor));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, ORDER, ORDER, NULL, &w->a));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, ORDER, 1, NULL, &w->b));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, ORDER, 1, NULL, &w->x));
  TRY(hyla_matrix_gallery(cube, w->a, t->cholesky ? "definite" : "random", 3));
  return hyla_matrix_generate(cube, w->b, HYLA_RANDOM, 7);
}

/* The number of a matrix and the name of its checkpoints. */
struct known {
  bool cholesky;
  uint64_t origin;
  char name[64];
};

static hyla_status learn(hyla_cube *cube, void *arg) {
  struct known *known = arg;
  const struct attempt t = {.cholesky = known->cholesky};
  struct work w = {NULL, NULL, NULL, NULL};
  hyla_status status = make(cube, &t, &w);
  if (status == HYLA_OK) status = hy_checkpoint_origin(w.a, known->cholesky, &known->origin);
  snprintf(known->name, sizeof known->name, "%s-d-%dx%d-%016llx.state",
           known->cholesky ? "cholesky" : "lu", ORDER, ORDER, (unsigned long long)known->origin);
  forget(&w);
  return status;
}

static const struct known *know(bool cholesky) {
  static struct known both[2];
  struct known *known = &both[cholesky];
  if (known->name[0] != '\0') return known;
  const hyla_simulation model = {.dims = 0};
  hyla_report report;
  known->cholesky = cholesky;
  reader_expect(hyla_simulate(&model, learn, known, &report) == HYLA_OK, "nothing is known",
                report.message);
  return known;
}

/* A checkpoint whose sums were corrected has any entries, and perhaps no solution. */
static bool is_ending(const struct attempt *t, hyla_status status) {
  bool numbers = status == HYLA_SINGULAR || status == HYLA_INDEFINITE || status == HYLA_NOT_FINITE;
  return status == HYLA_OK || status == HYLA_FORMAT || (t->mended && numbers);
}

static hyla_status read_on_cube(hyla_cube *cube, void *arg) {
  struct attempt *t = arg;
  struct work w = {NULL, NULL, NULL, NULL};
  hyla_checkpoints checkpoints = {.resumed = 0};
  int64_t held = cube->base.bytes_now;
  double residual = 0;
  hyla_status status = make(cube, t, &w);
  reader_expect(status == HYLA_OK, "nothing to be factored", hyla_cube_message(cube));
  status = hyla_factor_compute(cube, w.factor, w.a);
  if (status == HYLA_OK) {
    status = hyla_factor_solve(cube, w.factor, HYLA_NONE, w.b, w.x);
    if (status == HYLA_OK) status = hyla_residual(cube, w.a, w.x, w.b, &residual);
  }
  t->status[cube->address] = status;
  memcpy(t->message[cube->address], hyla_cube_message(cube), HY_MESSAGE_MAX);
  reader_expect(hyla_cube_checkpoints(cube, &checkpoints) == HYLA_OK, "no word of states", "");
  if (cube->address == 0) {
    t->resumed = checkpoints.resumed > 0;
    t->residual = residual;
  }
  forget(&w);
  reader_expect(cube->base.bytes_now == held, "a node keeps memory", hyla_cube_message(cube));
  return HYLA_OK;
}

static void judge(const struct attempt *t, int nodes) {
  for (int node = 0; node < nodes; node++) {
    reader_expect(t->status[node] == t->status[0], "nodes differ in status", t->message[node]);
    reader_expect(is_ending(t, t->status[node]), "another status", t->message[node]);
    if (t->status[0] == HYLA_OK) continue;
    reader_expect(strcmp(t->message[node], t->message[0]) == 0, "nodes differ in message",
                  t->message[node]);
    reader_expect_message(t->message[node]);
  }
  struct stat about;
  bool there = stat(t->path, &about) == 0;
  if (t->status[0] == HYLA_FORMAT) {
    reader_expect(there && about.st_size == (off_t)t->size, "a state that was told is gone",
                  t->path);
    reader_expect(strstr(t->message[0], t->path) != NULL, "nothing says which", t->message[0]);
  } else {
    reader_expect(t->resumed, "a state that is there was passed over", t->path);
    reader_expect(!there, "a state stays", t->path);
  }
  /* The sums were not corrected, so it was this matrix' own checkpoint. */
  if (t->status[0] == HYLA_OK && !t->mended)
    reader_expect(t->residual < 16, "a damaged state was used", t->path);
}

void read_state(const uint8_t *bytes, size_t size) {
  if (size == 0) return;
  int wishes = bytes[0], nodes = (wishes & SEVERAL) != 0 ? NODES : 1;
  struct attempt t = {.cholesky = (wishes & CHOLESKY) != 0,
                      .mended = (wishes & (MEND_HEAD | MEND_NUMBERS | MEND_COLUMNS)) != 0,
                      .size = size - 1};
  hyla_options options;
  hyla_options_init(&options);
  hyla_simulation model = {.dims = nodes - 1, .options = &options};
  hyla_report report;
  make_folder();
  const struct known *known = know(t.cholesky);
  snprintf(t.path, sizeof t.path, "%s/%s", folder, known->name);
  t.state = malloc(size);
  reader_expect(t.state != NULL, "no memory", "");
  memcpy(t.state, bytes + 1, t.size);
  mend(&t, wishes, known->origin);
  put(&t);
  options.checkpoint = folder;
  hyla_status status = hyla_simulate(&model, read_on_cube, &t, &report);
  reader_expect(status == HYLA_OK, "the cube fails", report.message);
  judge(&t, nodes);
  unlink(t.path);
  free(t.state);
}
