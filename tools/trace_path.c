/* The critical path of a run: from the end of the last node back to the start, each time to the
 * event that was waited for.  A wait ends at exactly the time of the event that ends it, so times
 * are compared exactly. */
#include "trace.h"

#include <stdlib.h>

/* Spans sorted by node and end; messages sorted by receiver and end, by sender and the time when
 * they had crossed their links, by sender and the time when they had left the first one. */
struct index {
  const hyla_event **spans, **received, **crossed, **left;
  int64_t span_count, message_count;
  double begin;
};

static int compare(int a, int b, double s, double t) {
  if (a != b) return a < b ? -1 : 1;
  return (s > t) - (s < t);
}
static int by_node(const void *a, const void *b) {
  const hyla_event *x = *(const hyla_event *const *)a, *y = *(const hyla_event *const *)b;
  return compare(x->node, y->node, x->end, y->end);
}
static int by_peer(const void *a, const void *b) {
  const hyla_event *x = *(const hyla_event *const *)a, *y = *(const hyla_event *const *)b;
  return compare(x->peer, y->peer, x->end, y->end);
}
static int by_crossed(const void *a, const void *b) {
  const hyla_event *x = *(const hyla_event *const *)a, *y = *(const hyla_event *const *)b;
  return compare(x->node, y->node, x->crossed, y->crossed);
}
static int by_left(const void *a, const void *b) {
  const hyla_event *x = *(const hyla_event *const *)a, *y = *(const hyla_event *const *)b;
  return compare(x->node, y->node, x->left, y->left);
}

/* Among equal events the earlier one in the trace comes first; qsort is not stable when it has no
 * memory. */
static int apart(int order, const void *a, const void *b) {
  const hyla_event *x = *(const hyla_event *const *)a, *y = *(const hyla_event *const *)b;
  return order != 0 ? order : (x > y) - (x < y);
}
static int sort_by_node(const void *a, const void *b) { return apart(by_node(a, b), a, b); }
static int sort_by_peer(const void *a, const void *b) { return apart(by_peer(a, b), a, b); }
static int sort_by_crossed(const void *a, const void *b) { return apart(by_crossed(a, b), a, b); }
static int sort_by_left(const void *a, const void *b) { return apart(by_left(a, b), a, b); }

static bool make(const struct trace *t, struct index *index) {
  size_t room = (size_t)(t->count > 0 ? t->count : 1);
  *index = (struct index){.begin = t->begin,
                          .spans = malloc(room * sizeof *index->spans),
                          .received = malloc(room * sizeof *index->received),
                          .crossed = malloc(room * sizeof *index->crossed),
                          .left = malloc(room * sizeof *index->left)};
  if (!index->spans || !index->received || !index->crossed || !index->left) return false;
  for (int64_t i = 0; i < t->count; i++) {
    const hyla_event *e = &t->events[i];
    if (e->kind == HYLA_EVENT_MESSAGE) {
      index->received[index->message_count] = e;
      index->crossed[index->message_count] = e;
      index->left[index->message_count++] = e;
    } else if (e->kind < HYLA_EVENT_MESSAGE && e->begin < e->end) {
      index->spans[index->span_count++] = e;
    }
  }
  qsort(index->spans, (size_t)index->span_count, sizeof *index->spans, sort_by_node);
  qsort(index->received, (size_t)index->message_count, sizeof *index->received, sort_by_peer);
  qsort(index->crossed, (size_t)index->message_count, sizeof *index->crossed, sort_by_crossed);
  qsort(index->left, (size_t)index->message_count, sizeof *index->left, sort_by_left);
  return true;
}

static void drop(struct index *index) {
  free(index->spans);
  free(index->received);
  free(index->crossed);
  free(index->left);
}

/* The first of the sorted events that is not less than `wanted'. */
static int64_t lower(const hyla_event *const *events, int64_t count, const hyla_event *wanted,
                     int (*order)(const void *, const void *)) {
  int64_t low = 0, high = count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (order(&events[middle], &wanted) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The message that arrived at a node at this time; NULL: none. */
static const hyla_event *came(const struct index *index, int node, double time) {
  const hyla_event wanted = {.peer = node, .end = time};
  int64_t i = lower(index->received, index->message_count, &wanted, by_peer);
  if (i == index->message_count) return NULL;
  const hyla_event *e = index->received[i];
  return e->peer == node && e->end == time ? e : NULL;
}

/* The message of a node that had crossed its links at this time; NULL: none. */
static const hyla_event *crossed(const struct index *index, int node, double time) {
  const hyla_event wanted = {.node = node, .crossed = time};
  int64_t i = lower(index->crossed, index->message_count, &wanted, by_crossed);
  if (i == index->message_count) return NULL;
  const hyla_event *e = index->crossed[i];
  return e->node == node && e->crossed == time ? e : NULL;
}

/* The message that had left a node's link at this time; NULL: none. */
static const hyla_event *left(const struct index *index, int node, double time) {
  const hyla_event wanted = {.node = node, .left = time};
  int64_t i = lower(index->left, index->message_count, &wanted, by_left);
  if (i == index->message_count) return NULL;
  const hyla_event *e = index->left[i];
  return e->node == node && e->left == time ? e : NULL;
}

/* The span of a node just before this time; NULL: none. */
static const hyla_event *span_before(const struct index *index, int node, double time) {
  const hyla_event wanted = {.node = node, .end = time};
  int64_t i = lower(index->spans, index->span_count, &wanted, by_node);
  if (i == index->span_count || index->spans[i]->node != node) return NULL;
  return index->spans[i]->begin < time ? index->spans[i] : NULL;
}

/* The span of the node that came last to an agreement: it ended then, and was not itself a wait for
 * all. */
static const hyla_event *last_to_come(const struct index *index, double time) {
  for (int64_t i = 0; i < index->span_count; i++)
    if (index->spans[i]->end == time && index->spans[i]->kind != HYLA_EVENT_AGREE)
      return index->spans[i];
  return NULL;
}

static double latest(double a, double b) { return a > b ? a : b; }

/* The last end of a node's spans and messages before this time; the run's begin if there is
 * none. */
static double ended_before(const struct index *index, int node, double time) {
  const hyla_event wanted = {
      .node = node, .peer = node, .left = time, .crossed = time, .end = time};
  double last = index->begin;
  int64_t i = lower(index->spans, index->span_count, &wanted, by_node);
  if (i > 0 && index->spans[i - 1]->node == node) last = latest(last, index->spans[i - 1]->end);
  i = lower(index->received, index->message_count, &wanted, by_peer);
  if (i > 0 && index->received[i - 1]->peer == node)
    last = latest(last, index->received[i - 1]->end);
  i = lower(index->left, index->message_count, &wanted, by_left);
  if (i > 0 && index->left[i - 1]->node == node) last = latest(last, index->left[i - 1]->left);
  return last;
}

/* Sets *step to what a node had waited for at this time.  If nothing of its own ended then, another
 * node's message that passed through had taken its link. */
static bool step_back(const struct index *index, int node, double time, struct trace_step *step) {
  const hyla_event *span = span_before(index, node, time), *cause = NULL;
  if (span && span->kind == HYLA_EVENT_AGREE) {
    span = last_to_come(index, time);
    if (!span) return false;
  }
  if (!span || span->kind != HYLA_EVENT_COMPUTE) {
    node = span ? span->node : node;
    cause = came(index, node, time);
    if (!cause) cause = crossed(index, node, time);
    if (!cause) cause = left(index, node, time);
    if (!cause) {
      *step = (struct trace_step){HYLA_EVENT_WAIT, node, -1, ended_before(index, node, time), time};
      return true;
    }
  } else {
    cause = span;
  }
  *step = (struct trace_step){cause->kind, cause->node, cause->peer, cause->begin, cause->end};
  if (step->end > time) step->end = time;
  return true;
}

int64_t trace_path(const struct trace *t, struct trace_step *steps, int64_t most) {
  struct index index;
  int64_t count = 0;
  int node = -1;
  double time = 0;
  bool room = make(t, &index);
  for (int64_t i = 0; room && i < index.span_count; i++)
    if (node < 0 || index.spans[i]->end > time) {
      node = index.spans[i]->node;
      time = index.spans[i]->end;
    }
  while (room && node >= 0 && time > t->begin && count < most &&
         step_back(&index, node, time, &steps[count])) {
    node = steps[count].node;
    time = steps[count].begin;
    count++;
  }
  drop(&index);
  return room ? count : -1;
}
