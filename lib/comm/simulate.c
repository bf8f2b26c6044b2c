/* Any program of the library on a virtual cube: threads, the baton, the report. */
#include "comm/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 512 << 10, LISTED = 8 };

void hy_simulator_make_ready(struct hy_sim_node *node) {
  struct hy_simulator *s = node->simulator;
  node->state = HY_SIM_READY;
  node->next_ready = NULL;
  *s->ready_end = node;
  s->ready_end = &node->next_ready;
}

/* Who waits for whom, the first few by name. */
static void explain_deadlock(struct hy_simulator *s) {
  struct hy_text text = {s->who_waits, sizeof s->who_waits, 0};
  int waiting = 0;
  hy_text_add(&text, "dead lock:");
  for (int i = 0; i < s->nodes; i++) {
    const struct hy_sim_node *node = &s->node[i];
    if (node->state != HY_SIM_WAITING || waiting++ >= LISTED) continue;
    uint32_t way = (uint32_t)(i ^ node->missing_from);
    hy_text_add(&text, "%s node %d waits for node %d", waiting == 1 ? "" : ",", i,
                node->missing_from);
    if (hy_popcount(way) == 1) hy_text_add(&text, " over dimension %d", hy_lowest(way));
    if (s->node[node->missing_from].state == HY_SIM_DONE) hy_text_add(&text, ", which has ended");
  }
  if (waiting > LISTED) hy_text_add(&text, ", and %d more", waiting - LISTED);
}

static void declare_stuck(struct hy_simulator *s) {
  explain_deadlock(s);
  s->stuck = true;
  for (int i = 0; i < s->nodes; i++)
    if (s->node[i].state == HY_SIM_WAITING) hy_simulator_make_ready(&s->node[i]);
}

static bool all_done(const struct hy_simulator *s) {
  for (int i = 0; i < s->nodes; i++)
    if (s->node[i].state != HY_SIM_DONE) return false;
  return true;
}

void hy_simulator_pass(struct hy_simulator *s) {
  bool over = s->ready == NULL && all_done(s);
  if (over) {
    sem_post(&s->over);
    return;
  }
  if (s->ready == NULL) declare_stuck(s);
  struct hy_sim_node *next = s->ready;
  s->ready = next->next_ready;
  if (s->ready == NULL) s->ready_end = &s->ready;
  sem_post(&next->baton);
}

static void add_ledger(hyla_report *report, const hyla_ledger *ledger) {
  report->steps = hy_max(report->steps, ledger->steps);
  for (int dim = 0; dim < ledger->dims; dim++) {
    report->messages[dim] += ledger->messages[dim];
    report->bytes[dim] += ledger->bytes[dim];
    report->most_messages[dim] = hy_max(report->most_messages[dim], ledger->messages[dim]);
    report->most_bytes[dim] = hy_max(report->most_bytes[dim], ledger->bytes[dim]);
  }
  report->far_messages += ledger->far_messages;
  report->far_bytes += ledger->far_bytes;
}

/* One node's life, from the first baton to the last. */
static void *live(void *arg) {
  struct hy_sim_node *node = arg;
  struct hy_simulator *s = node->simulator;
  sem_wait(&node->baton);
  hyla_options options;
  hyla_options_init(&options);
  hyla_cube *cube = NULL;
  node->status = hy_cube_over(&node->link, &node->books, &options, &cube);
  if (node->status == HYLA_OK) {
    node->status = s->body(cube, s->arg);
    add_ledger(s->report, &cube->ledger);
  }
  if (node->status != HYLA_OK && s->report->status == HYLA_OK) {
    s->report->status = node->status;
    snprintf(s->report->message, sizeof s->report->message, "%s",
             cube != NULL ? hyla_cube_message(cube) : hyla_status_text(node->status));
  }
  hyla_cube_destroy(&cube);
  if (node->clock > s->report->time) s->report->time = node->clock;
  node->state = HY_SIM_DONE;
  hy_simulator_pass(s);
  return NULL;
}

/* Starts the threads, which all wait for the baton; how many could be started. */
static int start_threads(struct hy_simulator *s) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  int started = 0;
  while (started < s->nodes &&
         pthread_create(&s->node[started].thread, &attributes, live, &s->node[started]) == 0)
    started++;
  pthread_attr_destroy(&attributes);
  return started;
}

static hyla_status run(struct hy_simulator *s) {
  for (int i = 0; i < s->nodes; i++) {
    hy_link_sim_init(&s->node[i], s, i);
    sem_init(&s->node[i].baton, 0, 0);
  }
  int started = start_threads(s);
  bool whole = started == s->nodes;
  for (int i = 0; i < started && whole; i++) hy_simulator_make_ready(&s->node[i]);
  if (whole) {
    hy_simulator_pass(s);
    sem_wait(&s->over);
  }
  for (int i = 0; i < started; i++) {
    if (!whole) pthread_cancel(s->node[i].thread); /* in sem_wait, before it holds anything */
    pthread_join(s->node[i].thread, NULL);
  }
  for (int i = 0; i < s->nodes; i++) {
    sem_destroy(&s->node[i].baton);
    hy_link_sim_clear(&s->node[i]);
  }
  if (whole) return s->report->status;
  s->report->status = HYLA_MEMORY;
  snprintf(s->report->message, sizeof s->report->message,
           "only %d of %d threads could be started; simulate fewer dimensions", started, s->nodes);
  return HYLA_MEMORY;
}

hyla_status hyla_simulate(const hyla_simulation *model, hyla_body *body, void *arg,
                          hyla_report *report) {
  if (model == NULL || body == NULL || report == NULL) return HYLA_ARGUMENT;
  *report = (hyla_report){.dims = model->dims};
  if (model->dims < 0 || model->dims > HYLA_DIMS_MAX || !(model->alpha >= 0) ||
      !(model->beta >= 0) || !(model->gamma >= 0)) {
    snprintf(report->message, sizeof report->message,
             "a cube of %d dimensions with alpha %g, beta %g and gamma %g cannot be simulated",
             model->dims, model->alpha, model->beta, model->gamma);
    return report->status = HYLA_ARGUMENT;
  }
  struct hy_simulator s = {
      .model = model, .body = body, .arg = arg, .nodes = 1 << model->dims, .report = report};
  s.ready_end = &s.ready;
  s.node = calloc((size_t)s.nodes, sizeof *s.node);
  if (s.node == NULL) {
    snprintf(report->message, sizeof report->message, "out of memory for %d nodes", s.nodes);
    return report->status = HYLA_MEMORY;
  }
  sem_init(&s.over, 0, 0);
  hyla_status status = run(&s);
  sem_destroy(&s.over);
  free(s.node);
  return status;
}
