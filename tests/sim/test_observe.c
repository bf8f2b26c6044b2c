/* The events that an observer of a simulation sees: a node's spans fill its time without gaps;
 * messages are those of the report, and were started before, in the order of their numbers; links
 * and ports carry one message at a time; a node that waits for a message waits until it has
 * arrived. */
#include "tests/harness/harness.h"

#include "hyla_lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct record {
  hyla_event *events;
  int64_t count, capacity;
  int64_t messages, bytes, started;
};

static void take(void *arg, const hyla_event *event) {
  struct record *r = arg;
  if (r->count == r->capacity) {
    r->capacity = r->capacity > 0 ? 2 * r->capacity : 256;
    r->events = realloc(r->events, (size_t)r->capacity * sizeof *r->events);
    assert_non_null(r->events);
  }
  r->events[r->count++] = *event;
  bool message = event->kind == HYLA_EVENT_MESSAGE;
  r->messages += message;
  if (message) r->bytes += event->bytes;
  if (event->kind == HYLA_EVENT_START) assert_int_equal(event->message, ++r->started);
  if (message || event->kind == HYLA_EVENT_WAIT) assert_in_range(event->message, 1, r->started);
}

/* ---- programs ---- */

static hyla_status multiply(hyla_cube *cube, void *arg) {
  int64_t n = *(const int64_t *)arg;
  hyla_matrix *a = NULL, *c = NULL;
  hyla_status status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, NULL, &a);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, NULL, &c);
  if (status == HYLA_OK) status = hyla_matrix_generate(cube, a, HYLA_RANDOM, 1);
  if (status == HYLA_OK) status = hyla_gemm(cube, HYLA_NONE, HYLA_NONE, 1, a, a, 0, c);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&c);
  return status;
}

static hyla_status solve(hyla_cube *cube, void *arg) {
  int64_t n = *(const int64_t *)arg;
  hyla_matrix *a = NULL, *b = NULL;
  hyla_status status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, NULL, &a);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, 2, NULL, &b);
  if (status == HYLA_OK) status = hyla_matrix_generate(cube, a, HYLA_RANDOM, 1);
  if (status == HYLA_OK) status = hyla_matrix_generate(cube, b, HYLA_RANDOM, 2);
  if (status == HYLA_OK) status = hyla_solve(cube, a, b, b, NULL);
  hyla_matrix_destroy(&a);
  hyla_matrix_destroy(&b);
  return status;
}

static hyla_status broadcast(hyla_cube *cube, void *arg) {
  const hyla_collective collective = {
      .name = "broadcast", .words = *(const int64_t *)arg, .alpha = 3, .beta = 1};
  hyla_collective_result result;
  return hyla_collective_run(cube, &collective, &result);
}

/* ---- properties ---- */

static void assert_no_gaps(const struct record *r, const hyla_simulation *model, double time) {
  double *clock = calloc((size_t)1 << model->dims, sizeof *clock), last = 0;
  assert_non_null(clock);
  for (int64_t i = 0; i < r->count; i++) {
    const hyla_event *e = &r->events[i];
    if (e->kind == HYLA_EVENT_MESSAGE) assert_true(e->begin < e->end || model->alpha == 0);
    if (e->kind >= HYLA_EVENT_MESSAGE) continue;
    assert_true(e->peer == -1 && e->bytes == 0 && e->begin <= e->end);
    if (e->kind == HYLA_EVENT_COMPUTE)
      assert_true(e->begin + e->operations * model->gamma == e->end);
    assert_true(e->begin == clock[e->node]);
    clock[e->node] = e->end;
    last = fmax(last, e->end);
  }
  assert_true(last == time);
  free(clock);
}

/* One message at a time: on a link in one direction and, with one port, out of a node and into
 * it. */
static void assert_apart(const struct record *r, const hyla_simulation *model) {
  for (int64_t i = 0; i < r->count; i++)
    for (int64_t j = 0; j < i; j++) {
      const hyla_event *e = &r->events[i], *f = &r->events[j];
      if (e->kind != HYLA_EVENT_MESSAGE || f->kind != HYLA_EVENT_MESSAGE) continue;
      int way = e->node ^ e->peer;
      bool link = (way & (way - 1)) == 0 && e->node == f->node && e->peer == f->peer;
      bool port = model->ports == HYLA_ONE_PORT && e->node == f->node;
      if (link || port) assert_true(e->left <= f->begin || f->left <= e->begin);
    }
}

/* Did a message arrive or leave at this node at this time, so that the node's wait may end? */
static bool ends_at(const struct record *r, int node, double when) {
  for (int64_t i = 0; i < r->count; i++) {
    const hyla_event *e = &r->events[i];
    if (e->kind != HYLA_EVENT_MESSAGE) continue;
    if (e->peer == node && e->end == when) return true;
    if (e->node == node && e->crossed == when) return true;
  }
  return false;
}

static void assert_waits(const struct record *r) {
  for (int64_t i = 0; i < r->count; i++) {
    const hyla_event *e = &r->events[i];
    if (e->kind == HYLA_EVENT_WAIT && e->begin < e->end) assert_true(ends_at(r, e->node, e->end));
  }
}

static void observe(hyla_simulation model, hyla_body *body, int64_t size) {
  struct record r = {0};
  hyla_report report, silent;
  assert_int_equal(hyla_simulate(&model, body, &size, &silent), HYLA_OK);
  model.observer = take;
  model.observer_arg = &r;
  harness_note("dims %d, ports %d, size %d", model.dims, (int)model.ports, (int)size);
  assert_int_equal(hyla_simulate(&model, body, &size, &report), HYLA_OK);
  assert_memory_equal(&report, &silent, sizeof report);
  int64_t messages = report.far_messages, bytes = report.far_bytes;
  for (int dim = 0; dim < model.dims; dim++) {
    messages += report.messages[dim];
    bytes += report.bytes[dim];
  }
  assert_int_equal(r.messages, messages);
  assert_int_equal(r.bytes, bytes);
  assert_no_gaps(&r, &model, report.time);
  assert_apart(&r, &model);
  assert_waits(&r);
  free(r.events);
}

static void programs_are_told_as_they_ran(void **state) {
  (void)state;
  static hyla_body *const bodies[] = {multiply, solve, broadcast};
  for (int dims = 0; dims <= 4; dims++)
    for (int ports = 0; ports < 2; ports++)
      for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++) {
        const hyla_simulation model = {.dims = dims,
                                       .ports = ports ? HYLA_ONE_PORT : HYLA_ALL_PORTS,
                                       .alpha = 3,
                                       .beta = 0.125,
                                       .gamma = 1. / 1024};
        observe(model, bodies[b], harness_draw(1, 40));
      }
}

/* A dry run takes the same time and has the same events. */
static void dry_runs_tell_the_same(void **state) {
  (void)state;
  struct record wet = {0}, dry = {0};
  int64_t size = 37;
  hyla_report report;
  hyla_simulation model = {.dims = 3,
                           .alpha = 3,
                           .beta = 0.125,
                           .gamma = 1. / 1024,
                           .observer = take,
                           .observer_arg = &wet};
  assert_int_equal(hyla_simulate(&model, multiply, &size, &report), HYLA_OK);
  model.dry = true;
  model.observer_arg = &dry;
  assert_int_equal(hyla_simulate(&model, multiply, &size, &report), HYLA_OK);
  assert_int_equal(wet.count, dry.count);
  for (int64_t i = 0; i < wet.count; i++) {
    const hyla_event *e = &wet.events[i], *f = &dry.events[i];
    assert_true(e->kind == f->kind && e->node == f->node && e->peer == f->peer);
    assert_true(e->bytes == f->bytes && e->begin == f->begin && e->end == f->end);
  }
  free(wet.events);
  free(dry.events);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(programs_are_told_as_they_ran),
      cmocka_unit_test(dry_runs_tell_the_same),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
