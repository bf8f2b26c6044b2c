/* hyla simulate --trace: writes what the nodes of a virtual cube did as a file for trace viewers.
 *
 * Format: Trace Event Format, JSON object form, which Perfetto and chrome://tracing read.  A node
 * is a process.  Its first thread shows computing and waiting; one more thread for each dimension
 * shows the messages that it sends over that link.  Arrows lead from a message's start to its
 * arrival. */
#include "trace.h"

#include <hyla_lab.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { SPANS = 0, LINKS = 1 }; /* threads of a process: LINKS + dimension */

/* ------------------------------------------------------------- collecting -- */

void trace_take(void *arg, const hyla_event *event) {
  struct trace *t = arg;
  const bool span = event->kind < HYLA_EVENT_MESSAGE, message = event->kind == HYLA_EVENT_MESSAGE;
  if (t->inside && !t->inside[message ? event->peer : event->node]) return;
  if (t->full || (!t->steps && !message && !(span && event->begin < event->end))) return;
  if (t->count == t->capacity && t->capacity < (t->steps ? SCHEDULE_MOST : TRACE_MOST)) {
    int64_t capacity = t->capacity > 0 ? 2 * t->capacity : 1024;
    hyla_event *events = realloc(t->events, (size_t)capacity * sizeof *events);
    t->full = events == NULL;
    if (t->full) return;
    t->events = events;
    t->capacity = capacity;
  }
  if (t->count < t->capacity)
    t->events[t->count++] = *event;
  else
    t->missed++;
}

bool trace_wanted(const struct options *options) {
  return options->trace || options->svg || options->schedule || options->cube_svg;
}

bool trace_start(struct trace *t, const struct options *options, int dims) {
  t->dims = dims;
  t->steps = options->schedule != NULL;
  t->inside = calloc((size_t)2 << dims, sizeof *t->inside); /* and for the guests of a network */
  return t->inside != NULL;
}

void trace_enter(struct trace *t, int node) { t->inside[node] = true; }
void trace_leave(struct trace *t, int node) { t->inside[node] = false; }

void trace_clear(struct trace *t) {
  t->count = t->missed = 0;
  t->full = false;
}

void trace_free(struct trace *t) {
  free(t->events);
  free(t->inside);
  *t = (struct trace){.dims = t->dims};
}

/* The option that asks for a trace. */
static const char *option_of(const struct options *options) {
  return options->trace      ? "trace"
         : options->svg      ? "svg"
         : options->cube_svg ? "cube-svg"
                             : "schedule";
}

bool trace_possible(const struct run *run) {
  const struct options *options = &run->options;
  const char *variant = options->variant ? options->variant : options->collective.variant;
  if (!trace_wanted(options)) return true;
  if (!variant || strcmp(variant, "all") != 0) return true;
  tell(run, "--%s shows one variant; name it, or leave the choice to the planner",
       option_of(options));
  return false;
}

/* ------------------------------------------------------------------- JSON -- */

static void put(FILE *file, json_t *json) {
  json_dumpf(json, file, JSON_COMPACT | JSON_REAL_PRECISION(12));
  json_decref(json);
}

static void put_next(FILE *file, json_t *json) {
  fputs(",\n", file);
  put(file, json);
}

static json_t *event_of(const char *phase, const char *name, int process, int thread) {
  return json_pack("{ss ss si si}", "ph", phase, "name", name, "pid", process, "tid", thread);
}

int trace_links(const struct trace *t) {
  int links = t->dims;
  for (int64_t i = 0; i < t->count && t->network; i++)
    if (t->events[i].port >= links) links = t->events[i].port + 1;
  return links;
}

static json_t *timed(json_t *json, const struct trace *t, double time) {
  json_object_set_new(json, "ts", json_real(t->scale * (time - t->begin)));
  return json;
}

static void put_name(FILE *file, const char *what, int process, int thread, const char *name) {
  json_t *json = event_of("M", what, process, thread);
  json_object_set_new(json, "args", json_pack("{ss}", "name", name));
  put_next(file, json);
}

static void put_node(const struct trace *t, int node, int links, FILE *file) {
  char name[64], bits[HYLA_DIMS_MAX + 1];
  for (int i = 0; i < t->dims; i++) bits[i] = node >> (t->dims - 1 - i) & 1 ? '1' : '0';
  bits[t->dims] = 0;
  snprintf(name, sizeof name, t->dims > 0 ? "node %d (%s)" : "node %d", node, bits);
  put_name(file, "process_name", node, SPANS, name);
  put_name(file, "thread_name", node, SPANS, "node");
  for (int dim = 0; dim < links; dim++) {
    snprintf(name, sizeof name, "link, %s %d", t->network ? "port" : "dimension", dim);
    put_name(file, "thread_name", node, LINKS + dim, name);
  }
}

static const char *const names[] = {[HYLA_EVENT_COMPUTE] = "compute",
                                    [HYLA_EVENT_WAIT] = "wait",
                                    [HYLA_EVENT_AGREE] = "agree",
                                    [HYLA_EVENT_MESSAGE] = "message"};

static void put_span(const struct trace *t, const hyla_event *e, FILE *file) {
  json_t *json = timed(event_of("X", names[e->kind], e->node, SPANS), t, e->begin);
  json_object_set_new(json, "dur", json_real(t->scale * (e->end - e->begin)));
  put_next(file, json);
}

static json_t *arguments_of(const hyla_event *e, int dim) {
  json_t *json = json_pack("{si sI}", "to", e->peer, "bytes", (json_int_t)e->bytes);
  if (dim >= 0) json_object_set_new(json, "dimension", json_integer(dim));
  return json;
}

/* The dimension in which two neighbours differ; -1 if they are not neighbours. */
static int dimension_of(const struct trace *t, const hyla_event *e) {
  if (t->network) return e->port;
  int way = e->node ^ e->peer, dim = 0;
  if ((way & (way - 1)) != 0) return -1;
  while (way >> dim != 1) dim++;
  return dim;
}

static void mark(json_t *json, const char *category, int64_t id) {
  json_object_set_new(json, "cat", json_string(category));
  json_object_set_new(json, "id", json_integer((json_int_t)id));
}

/* Writes a span of the link's thread, and an arrow from its beginning to the receiver. */
static void put_neighbours(const struct trace *t, const hyla_event *e, int64_t id, int dim,
                           const char *name, FILE *file) {
  json_t *span = timed(event_of("X", name, e->node, LINKS + dim), t, e->begin);
  json_object_set_new(span, "dur", json_real(t->scale * (e->left - e->begin)));
  json_object_set_new(span, "args", arguments_of(e, dim));
  put_next(file, span);
  json_t *start = timed(event_of("s", "message", e->node, LINKS + dim), t, e->begin);
  mark(start, "message", id);
  put_next(file, start);
  json_t *end = timed(event_of("f", "message", e->peer, SPANS), t, e->end);
  mark(end, "message", id);
  json_object_set_new(end, "bp", json_string("e"));
  put_next(file, end);
}

/* Writes a message over several links, as a span that may overlap others. */
static void put_far(const struct trace *t, const hyla_event *e, int64_t id, const char *name,
                    FILE *file) {
  json_t *begin = timed(event_of("b", name, e->node, SPANS), t, e->begin);
  json_object_set_new(begin, "args", arguments_of(e, -1));
  mark(begin, "far", id);
  put_next(file, begin);
  json_t *end = timed(event_of("e", name, e->node, SPANS), t, e->end);
  mark(end, "far", id);
  put_next(file, end);
}

static void put_message(const struct trace *t, const hyla_event *e, int64_t id, FILE *file) {
  char name[64];
  int dim = dimension_of(t, e);
  snprintf(name, sizeof name, "to %d: %lld bytes", e->peer, (long long)e->bytes);
  if (dim >= 0)
    put_neighbours(t, e, id, dim, name, file);
  else
    put_far(t, e, id, name, file);
}

static bool write_json(const void *arg, FILE *file) {
  const struct trace *t = arg;
  fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":", file);
  put(file, json_pack("{ss ss si sf sI}", "title", t->title, "version", hyla_version(), "nodes",
                      trace_nodes(t), "microseconds_a_unit", t->scale, "events_left_out",
                      (json_int_t)t->missed));
  fputs(",\"traceEvents\":[\n", file);
  put(file, json_pack("{ss ss si si s{ss}}", "ph", "M", "name", "trace_title", "pid", 0, "tid", 0,
                      "args", "name", t->title));
  for (int node = 0, links = trace_links(t); node < trace_nodes(t); node++)
    put_node(t, node, links, file);
  for (int64_t i = 0; i < t->count; i++) {
    const hyla_event *e = &t->events[i];
    if (e->kind == HYLA_EVENT_MESSAGE)
      put_message(t, e, i + 1, file);
    else if (e->kind < HYLA_EVENT_MESSAGE && e->begin < e->end)
      put_span(t, e, file);
  }
  fputs("\n]}\n", file);
  return true;
}

/* ------------------------------------------------------------------ files -- */

/* Writes one file.  why: the reason if there is too much for it, else NULL. */
static int write_one(const struct run *run, const char *option, const char *path, const char *why,
                     hyla_text_writer *write, const struct trace *t) {
  if (!path) return EXIT_DONE;
  if (!why && strcmp(path, "-") != 0) return write_whole(run, path, write, t);
  if (!why && write(t, stdout)) return EXIT_DONE;
  if (!why) why = hyla_status_text(HYLA_MEMORY);
  tell(run, "--%s: %s", option, why);
  return EXIT_USE;
}

int trace_write(const struct run *run, const struct trace *t) {
  const struct options *options = &run->options;
  bool shown = options->trace || options->svg || options->cube_svg;
  if (t->full) {
    tell(run, "--%s: there is no memory for all events", option_of(options));
    return EXIT_USE;
  }
  if (t->missed > 0 && shown)
    tell(run, "the trace holds the first %lld events; %lld more are left out", (long long)t->count,
         (long long)t->missed);
  int code = write_one(run, "trace", options->trace, NULL, write_json, t);
  if (code == EXIT_DONE)
    code = write_one(run, "svg", options->svg, trace_too_much(t), trace_draw, t);
  if (code == EXIT_DONE)
    code =
        write_one(run, "cube-svg", options->cube_svg, trace_cube_too_much(t), trace_cube_draw, t);
  if (code == EXIT_DONE)
    code = write_one(run, "schedule", options->schedule, schedule_too_much(t), schedule_write, t);
  return code;
}
