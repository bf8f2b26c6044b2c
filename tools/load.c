/* hyla explain collective --load RHO: the variants of a collective in the order of the time that
 * they take while other packets keep the links busy for a part of the time (ours). */
#include "network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIANTS_MOST = 32, NODES_MOST = 256 };

/* Slots of the longest variant, with which a list takes some seconds. */
enum { WORK_MOST = 1 << 18, SLOTS_LEAST = 256, SLOTS_MOST = 8192 };

/* A variant: its times, the first as planned; or the reason why it does not serve. */
struct entry {
  char variant[32], reason[256];
  double planned;
  hyla_load_result result;
};

struct ranking {
  const struct run *run;
  const hyla_machine *machine;
  hyla_collective collective;
  char network[80];
  int64_t *counts;
  int64_t slot_words;
  int nodes, count;
  struct entry entry[VARIANTS_MOST];
};

static bool serves(const struct entry *e) { return *e->reason == '\0'; }

/* Makes the schedule of a variant. */
static hyla_status schedule(const struct ranking *r, struct entry *e, hyla_network_visit *visit,
                            void *arg) {
  hyla_collective c = r->collective;
  c.variant = e->variant;
  return hyla_network_play(r->network, &c, r->counts, visit, arg, &e->planned, e->reason,
                           sizeof e->reason);
}

static void pass(const hyla_network_packet *packet, void *arg) {
  (void)packet;
  (void)arg;
}

static hyla_status plan(const struct ranking *r, struct entry *e) {
  hyla_status status = schedule(r, e, pass, NULL);
  return status == HYLA_UNSUPPORTED ? HYLA_OK : status;
}

/* Plans all variants, or the one that is wanted. */
static hyla_status plan_all(struct ranking *r) {
  const struct options *options = &r->run->options;
  const char *wanted = options->collective.variant, *name;
  hyla_network_variant room;
  for (int i = 0; r->count < VARIANTS_MOST; i++) {
    name = network_variant(options->network, r->collective.name, i, &room);
    if (!name) break;
    if (wanted && strcmp(wanted, "all") != 0 && strcmp(wanted, name) != 0) continue;
    struct entry *e = &r->entry[r->count++];
    snprintf(e->variant, sizeof e->variant, "%s", name);
    hyla_status status = plan(r, e);
    if (status != HYLA_OK) return status;
  }
  if (r->count > 0) return HYLA_OK;
  /* No such collective, or no such variant: asking for it tells which. */
  struct entry *e = &r->entry[r->count++];
  snprintf(e->variant, sizeof e->variant, "%s", wanted ? wanted : "");
  return plan(r, e);
}

/* So many words in a slot that the longest variant takes enough slots, and not too many. */
static void choose_slot(struct ranking *r) {
  double longest = 0;
  for (int i = 0; i < r->count; i++) longest = fmax(longest, r->entry[i].planned);
  const double slots = fmin(fmax(WORK_MOST / (double)r->nodes, SLOTS_LEAST), SLOTS_MOST);
  const double words = longest / (r->collective.beta * slots);
  r->slot_words = words > 1 && words < 1e15 ? (int64_t)ceil(words) : 1;
}

static hyla_status play_packets(const struct ranking *r, struct entry *e,
                                const struct packets *packets) {
  const struct options *options = &r->run->options;
  const hyla_load load = {.network = r->network,
                          .load = options->load,
                          .packet = packets->packet,
                          .packets = packets->count,
                          .slot_words = r->slot_words,
                          .alpha = r->collective.alpha,
                          .beta = r->collective.beta,
                          .seed = (uint64_t)options->seed};
  hyla_status status = hyla_simulate_load(&load, &e->result);
  if (status != HYLA_OK) snprintf(e->reason, sizeof e->reason, "%s", e->result.message);
  return status;
}

/* The schedule is made again, so that one variant's packets at a time take memory. */
static hyla_status play(const struct ranking *r, struct entry *e) {
  struct packets packets = {.count = 0};
  hyla_status status = schedule(r, e, packets_take, &packets);
  if (status == HYLA_OK && packets.full) status = HYLA_MEMORY;
  if (status == HYLA_OK) status = play_packets(r, e, &packets);
  free(packets.packet);
  return status;
}

/* The fastest first, and those that do not serve last. */
static int compare(const void *a, const void *b) {
  const struct entry *one = a, *other = b;
  if (serves(one) != serves(other)) return serves(one) ? -1 : 1;
  if (!serves(one) || one->result.seconds == other->result.seconds) return 0;
  return one->result.seconds < other->result.seconds ? -1 : 1;
}

static hyla_status rank_all(struct ranking *r) {
  hyla_status status = plan_all(r);
  if (status == HYLA_OK) choose_slot(r);
  for (int i = 0; i < r->count && status == HYLA_OK; i++)
    if (serves(&r->entry[i])) status = play(r, &r->entry[i]);
  if (status == HYLA_OK) qsort(r->entry, (size_t)r->count, sizeof *r->entry, compare);
  return status;
}

/* The fastest without load; NULL: no variant serves. */
static const char *best_alone(const struct ranking *r) {
  const struct entry *best = NULL;
  for (int i = 0; i < r->count && serves(&r->entry[i]); i++)
    if (!best || r->entry[i].result.alone < best->result.alone) best = &r->entry[i];
  return best ? best->variant : NULL;
}

static json_t *entry_json(const struct entry *e) {
  const hyla_load_result *result = &e->result;
  if (!serves(e)) return json_pack("{s:s, s:s}", "variant", e->variant, "reason", e->reason);
  return json_pack("{s:s, s:f, s:[f, f], s:f}", "variant", e->variant, "seconds", result->seconds,
                   "seconds_interval", result->seconds - result->interval,
                   result->seconds + result->interval, "seconds_alone", result->alone);
}

static void print_json(const struct ranking *r) {
  const struct options *options = &r->run->options;
  const char *alone = best_alone(r);
  json_t *variants = json_array();
  for (int i = 0; i < r->count; i++) json_array_append_new(variants, entry_json(&r->entry[i]));
  json_line(json_pack(
      "{s:s, s:s, s:s, s:s, s:i, s:I, s:f, s:I, s:I, s:f, s:f, s:s, s:o, s:o, s:o}", "op", "load",
      "status", "HYLA_OK", "name", r->collective.name, "network", r->network, "nodes", r->nodes,
      "words_of_message", (json_int_t)r->collective.words, "load", options->load, "seed",
      (json_int_t)options->seed, "slot_words", (json_int_t)r->slot_words, "alpha",
      r->collective.alpha, "beta", r->collective.beta, "machine", r->machine->name, "variant",
      alone ? json_string(r->entry[0].variant) : json_null(), "variant_alone",
      alone ? json_string(alone) : json_null(), "variants", variants));
}

static void print_text(const struct ranking *r) {
  const struct options *options = &r->run->options;
  const char *alone = best_alone(r);
  printf("%s on %s: %d nodes, ", r->collective.name, r->network, r->nodes);
  if (r->counts)
    printf("blocks of their own lengths");
  else
    printf("%lld words a message", (long long)r->collective.words);
  printf(", alpha %g, beta %g a word; load %g in packets of %lld words, seed %lld\n",
         r->collective.alpha, r->collective.beta, options->load, (long long)r->slot_words,
         (long long)options->seed);
  for (int i = 0; i < r->count; i++) {
    const struct entry *e = &r->entry[i];
    if (serves(e))
      printf("%-16s %-10.6g +- %-8.2g alone %-10.6g%s\n", e->variant, e->result.seconds,
             e->result.interval, e->result.alone,
             strcmp(e->variant, alone) == 0 ? "; the fastest without load" : "");
    else
      printf("%-16s %s\n", e->variant, e->reason);
  }
  printf(
      "time: mean of %d runs among other packets, +- 95 %%; alone: in the empty network (ours)\n",
      HYLA_TRAFFIC_BATCHES);
}

/* The times of the options, or else of the machine. */
static void take_times(struct ranking *r) {
  hyla_collective *c = &r->collective;
  if (r->run->options.times_given) return;
  c->alpha = r->machine->alpha;
  c->beta = r->machine->beta * sizeof(double);
}

/* Reads the number of nodes, and copies the counts, one for each. */
static bool take_nodes(struct ranking *r) {
  const struct options *options = &r->run->options;
  hyla_topology figures;
  if (hyla_topology_read(&figures, r->network) != HYLA_OK) {
    tell(r->run, "network %s: %s", r->network, figures.message);
    return false;
  }
  if (figures.nodes > NODES_MOST) {
    tell(r->run, "network %s has %lld nodes; --load serves up to %d", r->network,
         (long long)figures.nodes, NODES_MOST);
    return false;
  }
  r->nodes = (int)figures.nodes;
  if (options->counts_given == 0) return true;
  if (r->nodes != options->counts_given) {
    tell(r->run, "%d counts are given; %s has %d nodes", options->counts_given, r->network,
         r->nodes);
    return false;
  }
  r->counts = calloc((size_t)r->nodes, sizeof *r->counts);
  for (int i = 0; r->counts && i < r->nodes; i++) r->counts[i] = options->counts[i];
  if (!r->counts) tell(r->run, "%s", hyla_status_text(HYLA_MEMORY));
  return r->counts != NULL;
}

static int answer(struct ranking *r) {
  const struct options *options = &r->run->options;
  hyla_status status = rank_all(r);
  if (status != HYLA_OK) {
    const char *reason = r->entry[r->count - 1].reason;
    for (int i = r->count; i-- > 0;)
      if (*r->entry[i].result.message) reason = r->entry[i].result.message;
    tell(r->run, "%s", *reason ? reason : hyla_status_text(status));
    return EXIT_USE;
  }
  (options->json ? print_json : print_text)(r);
  return EXIT_DONE;
}

int explain_under_load(const struct run *run, const hyla_machine *machine, int dims) {
  struct ranking *r = calloc(1, sizeof *r);
  if (!r) {
    tell(run, "%s", hyla_status_text(HYLA_MEMORY));
    return EXIT_USE;
  }
  r->run = run;
  r->machine = machine;
  r->collective = run->options.collective;
  if (run->options.network)
    snprintf(r->network, sizeof r->network, "%s", run->options.network);
  else
    snprintf(r->network, sizeof r->network, "cube:%d", dims);
  take_times(r);
  ticker_phase(run->ticker, "simulating");
  int code = take_nodes(r) ? answer(r) : EXIT_USE;
  free(r->counts);
  free(r);
  return code;
}
