/* hyla_network_variant_at, hyla_network_bound: a collective on a network that is no cube, planned
 * on paper: what each variant takes by its closed form, and what its schedules take when counted.
 */
#include "collective/on_network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -------------------------------------------------------------- question -- */

/* Writes the reason of a failure, and returns its status. */
static hyla_status refuse(char *reason, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static hyla_status refuse(char *reason, size_t size, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(reason, size, format, list);
  va_end(list);
  return HYLA_ARGUMENT;
}

static hyla_status read_network(const char *text, struct hy_question *asked, char *reason,
                                size_t size) {
  const char *wrong = text == NULL ? "it is NULL" : hy_network_read(&asked->network, text);
  if (wrong != NULL) return refuse(reason, size, "network %s: %s", text == NULL ? "" : text, wrong);
  const enum hy_network_kind kind = asked->network.kind;
  if (kind != HY_ARRAY && kind != HY_TORUS && kind != HY_FOLDED)
    return refuse(reason, size,
                  "network %s: collectives are planned here on arrays, tori and folded cubes%s",
                  text, kind == HY_CUBE ? "; for a cube give its number of nodes" : "");
  return HYLA_OK;
}

static hyla_status check(const struct hy_question *asked, const hyla_collective *c, char *reason,
                         size_t size) {
  const int nodes = (int)asked->network.nodes;
  const enum hy_task task = asked->what.task;
  if (hy_network_family(task) == NULL)
    return refuse(reason, size, "%s is planned on cubes alone", c->name);
  if (c->words < 0 || c->words > INT64_MAX / 8 / nodes)
    return refuse(reason, size, "messages of %lld words", (long long)c->words);
  if (c->root < 0 || c->root >= nodes)
    return refuse(reason, size, "the root is %d; give a node from 0 to %d", c->root, nodes - 1);
  if (c->active < 0 || c->active > nodes)
    return refuse(reason, size, "%d active nodes; give 0 to %d", c->active, nodes);
  if (c->active > 0 && !hy_task_chooses(task) && task != HY_TASK_PERMUTE)
    return refuse(reason, size, "%d active nodes are given; %s has all nodes", c->active, c->name);
  for (int i = 0; i < c->active && c->which != NULL; i++)
    if (c->which[i] < 0 || c->which[i] >= nodes)
      return refuse(reason, size, "there is no node %d; give 0 to %d", c->which[i], nodes - 1);
  if (c->distance != 0 || c->farthest != 0 || c->tags != 0 || c->phases != 0)
    return refuse(reason, size, "distances, tags and phases are those of cubes");
  if (!(c->alpha >= 0 && c->beta >= 0 && isfinite(c->alpha) && isfinite(c->beta)))
    return refuse(reason, size, "alpha is %g and beta %g; give times from 0", c->alpha, c->beta);
  return HYLA_OK;
}

/* Marks the active nodes. */
static hyla_status mark(struct hy_question *asked, const hyla_collective *c, char *reason,
                        size_t size) {
  const int count = c->active > 0 ? c->active : (int)asked->network.nodes;
  TRY(hy_alloc(&asked->base, asked->network.nodes, 1, &asked->active));
  for (int i = 0; i < count; i++) {
    const int node = c->which != NULL ? c->which[i] : i;
    if (asked->active[node]++ != 0) return refuse(reason, size, "%d is given twice", node);
  }
  asked->what.active = asked->active;
  return HYLA_OK;
}

/* Active nodes are packed on the first ones; if none are given, the order of all is turned round.
 */
static hyla_status aim(struct hy_question *asked, const hyla_collective *c) {
  const uint32_t nodes = asked->network.nodes;
  int32_t next = 0;
  TRY(hy_alloc(&asked->base, nodes, sizeof *asked->to, &asked->to));
  for (uint32_t x = 0; x < nodes; x++) {
    asked->to[x] = (int32_t)(nodes - 1 - x);
    if (c->active > 0) asked->to[x] = asked->active[x] ? next++ : -1;
  }
  asked->what.to = asked->to;
  return HYLA_OK;
}

static hyla_status set_counts(struct hy_question *asked, const int64_t *counts, char *reason,
                              size_t size) {
  const enum hy_task task = hy_task_forward(asked->what.task);
  const int64_t nodes = asked->network.nodes;
  if (task != HY_TASK_SCATTER && task != HY_TASK_ALLGATHER)
    return refuse(reason, size, "only scatter, gather, allgather and reduce-scatter take counts");
  TRY(hy_alloc(&asked->base, nodes + 1, sizeof *asked->offsets, &asked->offsets));
  for (int64_t x = 0; x < nodes; x++) {
    if (counts[x] < 0 || counts[x] > INT64_MAX / 8 / nodes)
      return refuse(reason, size, "a block of %lld words", (long long)counts[x]);
    asked->offsets[x + 1] = asked->offsets[x] + counts[x];
  }
  asked->what.blocks = (struct hy_blocks){.offsets = asked->offsets};
  return HYLA_OK;
}

hyla_status hy_question_ask(struct hy_question *asked, const char *network,
                            const hyla_collective *c, const int64_t *counts, char *reason,
                            size_t size) {
  *asked = (struct hy_question){.base = {0}};
  if (c == NULL || c->name == NULL) return refuse(reason, size, "the collective has no name");
  TRY(read_network(network, asked, reason, size));
  if (!hy_trial_task(c->name, &asked->what.task))
    return refuse(reason, size, "there is no collective '%s'", c->name);
  TRY(check(asked, c, reason, size));
  asked->what.dims = asked->network.axes;
  asked->what.network = &asked->network;
  asked->what.root = (uint32_t)c->root;
  asked->what.blocks.words = c->words;
  asked->what.size = sizeof(uint64_t);
  asked->what.tau = hy_trial_whole_time(c, c->beta);
  asked->what.beta = hy_trial_whole_time(c, c->alpha);
  const bool permutes = asked->what.task == HY_TASK_PERMUTE;
  if (hy_task_chooses(asked->what.task) || (permutes && c->active > 0))
    TRY(mark(asked, c, reason, size));
  if (permutes) TRY(aim(asked, c));
  return counts != NULL ? set_counts(asked, counts, reason, size) : HYLA_OK;
}

void hy_question_forget(struct hy_question *asked) {
  hy_free(&asked->base, &asked->offsets);
  hy_free(&asked->base, &asked->active);
  hy_free(&asked->base, &asked->to);
}

/* ---------------------------------------------------------------- answers -- */

static void describe(const struct hy_question *asked, const struct hy_collective_variant *row,
                     const hyla_collective *c, hyla_network_variant *result) {
  const struct hy_form form = hy_variant_form(row, &asked->what);
  const bool ragged = asked->what.blocks.offsets != NULL;
  const double words = ragged ? 1 : (double)c->words;
  struct hy_claim claim = {.steps = -1};
  if (row->claim != NULL) claim = row->claim(&asked->what);
  struct hy_text letters = {.text = result->letters, .capacity = sizeof result->letters};
  hy_variant_letters(row, &asked->what, claim.steps < 0 ? NULL : claim.formula, c->beta, c->alpha,
                     &letters);
  if (claim.steps >= 0) {
    snprintf(result->published, sizeof result->published, "%s (%s)", claim.formula,
             claim.reference);
    result->published_value = (double)claim.steps * ((double)c->words * c->beta + c->alpha);
  }
  if (row->formula == NULL) return;
  snprintf(result->formula, sizeof result->formula, "%s", row->base.reference);
  snprintf(result->closed_form, sizeof result->closed_form, "%s", row->formula);
  if (form.divisor <= 0 || c->words % form.divisor != 0) return;
  if (ragged && row != &hy_allgather_line) return;
  result->formula_value = (double)form.steps * c->alpha +
                          (double)form.words.num * words / (double)form.words.den * c->beta;
}

hyla_status hyla_network_variant_at(const char *network, const hyla_collective *collective,
                                    const int64_t *counts, int i, hyla_network_variant *variant) {
  if (variant == NULL) return HYLA_ARGUMENT;
  *variant = (hyla_network_variant){.formula_value = NAN, .published_value = NAN};
  struct hy_question asked;
  hyla_status status =
      hy_question_ask(&asked, network, collective, counts, variant->reason, sizeof variant->reason);
  if (status == HYLA_OK) {
    const struct hy_family *family = hy_network_family(asked.what.task);
    const int rows = hy_family_count(family);
    variant->nodes = (int)asked.network.nodes;
    if (i >= 0 && i < rows) {
      const struct hy_collective_variant *row = hy_collective_variant_of(family->rows[i]);
      const char *reason = hy_variant_refuses(row, &asked.what);
      snprintf(variant->variant, sizeof variant->variant, "%s", row->base.name);
      if (reason != NULL)
        snprintf(variant->reason, sizeof variant->reason, "%s", reason);
      else
        describe(&asked, row, collective, variant);
      if (reason == NULL) status = hy_question_count(&asked, row, collective, variant);
    }
  }
  hy_question_forget(&asked);
  return status;
}

hyla_status hyla_network_bound(const char *network, const hyla_collective *collective,
                               const int64_t *counts, hyla_bound *bound) {
  char reason[HY_MESSAGE_MAX] = "";
  if (bound == NULL) return HYLA_ARGUMENT;
  struct hy_question asked;
  hyla_status status = hy_question_ask(&asked, network, collective, counts, reason, sizeof reason);
  if (status == HYLA_OK) {
    const struct hy_bound found = hy_network_collective_bound(&asked.what);
    const struct hy_paper_machine machine = {.one_port = false};
    const double words = counts != NULL ? 1 : (double)collective->words;
    *bound = (hyla_bound){
        .time = hy_bound_time(&found, &machine, words, collective->beta, collective->alpha),
        .transmissions = found.packets};
    snprintf(bound->formula, sizeof bound->formula, "%s", found.formula);
    snprintf(bound->reference, sizeof bound->reference, "%s", found.reference);
  }
  hy_question_forget(&asked);
  return status;
}
