/* hyla simulate --schedule: prints what the nodes of a virtual cube sent, and what each message
 * waited for, a line each, so that times can be computed for any machine.  hyla-schedule(5) has the
 * format; tests/schedule/replay.py plays it.
 *
 * The simulator reports each wait separately.  They are collected until the node's next action, and
 * written in the line of that action. */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of messages, in their order. */
struct list {
  int64_t *number;
  int64_t count, capacity;
};

/* A message that a packet needs; the packet leaves when it is ready. */
struct need {
  int64_t packet, message;
};

struct node {
  struct list waits; /* not written yet */
  struct need *needs;
  int64_t need_count, need_capacity;
  int64_t meetings, leading, trailing; /* so far, before and behind all other events */
};

struct writer {
  const struct trace *t;
  FILE *file;
  struct node *node;
  int64_t first;      /* number of the first message */
  int64_t messages;   /* number of messages */
  int64_t skip, keep; /* meetings to leave out in front; number of the last one to write */
  bool full;          /* memory ran out */
};

bool schedule_alone(const struct options *options) {
  return options->schedule && strcmp(options->schedule, "-") == 0;
}

const char *schedule_too_much(const struct trace *t) {
  if (t->missed == 0) return NULL;
  return "a schedule holds up to 4194304 events; take a smaller problem or cube";
}

/* --------------------------------------------------------------- gathering -- */

/* Makes room for one more item; false without memory. */
static bool grow(void **items, int64_t count, int64_t *capacity, size_t size) {
  if (count < *capacity) return true;
  int64_t more = *capacity > 0 ? 2 * *capacity : 8;
  void *larger = realloc(*items, (size_t)more * size);
  if (!larger) return false;
  *items = larger;
  *capacity = more;
  return true;
}

static bool known(const struct writer *w, int64_t message) {
  return message >= w->first && message < w->first + w->messages;
}

static void gather_wait(struct writer *w, const hyla_event *e) {
  struct list *waits = &w->node[e->node].waits;
  if (!known(w, e->message)) return;
  if (grow((void **)&waits->number, waits->count, &waits->capacity, sizeof *waits->number))
    waits->number[waits->count++] = e->message - w->first + 1;
  else
    w->full = true;
}

static void gather_need(struct writer *w, const hyla_event *e) {
  struct node *node = &w->node[e->node];
  if (!known(w, e->message)) return;
  if (grow((void **)&node->needs, node->need_count, &node->need_capacity, sizeof *node->needs))
    node->needs[node->need_count++] = (struct need){e->packet, e->message - w->first + 1};
  else
    w->full = true;
}

/* ----------------------------------------------------------------- writing -- */

/* Ends a line with the messages for which the node waited. */
static void end_line(struct writer *w, int node) {
  struct list *waits = &w->node[node].waits;
  if (waits->count > 0) fputs(" after", w->file);
  for (int64_t i = 0; i < waits->count; i++) fprintf(w->file, " %lld", (long long)waits->number[i]);
  fputc('\n', w->file);
  waits->count = 0;
}

static void end_free_line(struct writer *w, const hyla_event *e) {
  struct node *node = &w->node[e->node];
  int64_t left = 0;
  const char *before = " after";
  for (int64_t i = 0; i < node->need_count; i++) {
    if (node->needs[i].packet != e->packet) {
      node->needs[left++] = node->needs[i];
      continue;
    }
    fprintf(w->file, "%s %lld", before, (long long)node->needs[i].message);
    before = "";
  }
  node->need_count = left;
  fputc('\n', w->file);
}

static void write_start(struct writer *w, const hyla_event *e) {
  char dim[16] = "-";
  const int way = e->node ^ e->peer;
  const bool near = w->t->network ? way != 0 : way == 1 << e->port;
  if (near) snprintf(dim, sizeof dim, "%d", e->port);
  fprintf(w->file, "%s %lld %d %d %s %lld", e->packet < 0 ? "send" : "free",
          (long long)(e->message - w->first + 1), e->node, e->peer, dim, (long long)e->bytes);
  if (e->packet < 0)
    end_line(w, e->node);
  else
    end_free_line(w, e);
}

static void write_agree(struct writer *w, int node) {
  int64_t meeting = w->node[node].meetings++;
  if (meeting < w->skip || meeting >= w->keep) return;
  fprintf(w->file, "agree %d", node);
  end_line(w, node);
}

static void write_event(struct writer *w, const hyla_event *e) {
  switch (e->kind) {
  case HYLA_EVENT_START: write_start(w, e); break;
  case HYLA_EVENT_MESSAGE:
    if (known(w, e->message))
      fprintf(w->file, "recv %lld %d\n", (long long)(e->message - w->first + 1), e->peer);
    break;
  case HYLA_EVENT_COMPUTE:
    if (e->operations == 0) break;
    fprintf(w->file, "compute %d %.17g", e->node, e->operations);
    end_line(w, e->node);
    break;
  case HYLA_EVENT_AGREE: write_agree(w, e->node); break;
  case HYLA_EVENT_FREE:
    fprintf(w->file, "flow %d", e->node);
    end_line(w, e->node);
    break;
  case HYLA_EVENT_WAIT: gather_wait(w, e); break;
  case HYLA_EVENT_NEED: gather_need(w, e); break;
  }
}

static const char *network_of(const struct trace *t) {
  if (t->network) return t->network;
  return t->machine.network == HYLA_NETWORK_SWITCH ? "switch" : "cube";
}

static void write_head(const struct writer *w) {
  const struct trace *t = w->t;
  const hyla_machine *m = &t->machine;
  fprintf(w->file, "hyla schedule 1\n# %s\n", t->title);
  if (!t->network) fprintf(w->file, "dims %d\n", t->dims);
  fprintf(w->file, "network %s\nports %s\nswitching %s\n", network_of(t), ports_name(m->ports),
          switching_name(m->switching));
  fprintf(w->file, "alpha %.17g\nbeta %.17g\ngamma %.17g\nbegin %.17g\n", m->alpha, m->beta,
          m->gamma, t->begin);
}

/* ----------------------------------------------------------------- the text -- */

/* Finds the messages, and the meetings before and behind all other events on every node, which
 * change nothing. */
static void survey(struct writer *w) {
  const struct trace *t = w->t;
  int64_t last = 0;
  for (int64_t i = 0; i < t->count; i++) {
    const hyla_event *e = &t->events[i];
    if (e->kind == HYLA_EVENT_START && w->first == 0) w->first = e->message;
    if (e->kind == HYLA_EVENT_START) last = e->message;
    struct node *node = &w->node[e->kind == HYLA_EVENT_MESSAGE ? e->peer : e->node];
    bool meets = e->kind == HYLA_EVENT_AGREE;
    if (meets) node->meetings++;
    node->trailing = meets ? node->trailing + 1 : 0;
    if (meets && node->trailing == node->meetings) node->leading++;
  }
  w->messages = w->first > 0 ? last - w->first + 1 : 0;
  w->skip = w->node->leading;
  int64_t behind = w->node->trailing;
  w->keep = w->node->meetings;
  for (int i = 0; i < trace_nodes(t); i++) {
    if (w->node[i].leading < w->skip) w->skip = w->node[i].leading;
    if (w->node[i].trailing < behind) behind = w->node[i].trailing;
    w->node[i].meetings = 0;
  }
  w->keep -= behind;
}

static void write_all(struct writer *w) {
  write_head(w);
  for (int64_t i = 0; i < w->t->count; i++) write_event(w, &w->t->events[i]);
  for (int i = 0; i < trace_nodes(w->t); i++) {
    if (w->node[i].waits.count == 0) continue;
    fprintf(w->file, "wait %d", i);
    end_line(w, i);
  }
  fprintf(w->file, "time %.17g\n", w->t->time);
}

bool schedule_write(const void *arg, FILE *file) {
  struct writer w = {.t = arg, .file = file};
  int nodes = trace_nodes(w.t);
  w.node = calloc((size_t)nodes, sizeof *w.node);
  w.full = w.node == NULL;
  if (!w.full) survey(&w);
  if (!w.full) write_all(&w);
  for (int i = 0; w.node && i < nodes; i++) {
    free(w.node[i].waits.number);
    free(w.node[i].needs);
  }
  free(w.node);
  return !w.full;
}
