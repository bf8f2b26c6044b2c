/* What hyla simulate --trace and --svg keep of a run on a virtual cube. */
#ifndef TOOL_TRACE_H
#define TOOL_TRACE_H 1

#include "tool.h"

#include <stdio.h>

struct trace {
  char title[320];
  int dims;
  double scale; /* microseconds in a unit of time */
  hyla_event *events;
  int64_t count, capacity;
  int64_t missed; /* events beyond TRACE_MOST, or for which there was no memory */
  double begin, end;
};

/* What bounds memory and files: 50 MB, 200 MB. */
enum { TRACE_MOST = 1 << 20 };

/* The observer of a simulation; its argument is a struct trace. */
void trace_take(void *trace, const hyla_event *event);

/* Keeps what began in [begin, end), where begin becomes 0. */
void trace_cut(struct trace *trace, double begin, double end);
void trace_free(struct trace *trace);

/* Is one variant asked for, as a trace wants it?  Tells if not. */
bool trace_possible(const struct run *run);

/* On one rank: the files of --trace and --svg, where they are asked for; an exit code. */
int trace_write(const struct run *run, const struct trace *trace);

/* Is it a picture?  What is too much for one, or NULL. */
const char *trace_too_much(const struct trace *trace);
void trace_draw(const void *trace, FILE *file);

/* A span of a node, or a message, of the path that took all the time. */
struct trace_step {
  hyla_event_kind kind;
  int node, peer;
  double begin, end;
};

/* The critical path, backwards from the last event to end; the number of its steps, at most
 * `most' of which are written. */
int64_t trace_path(const struct trace *trace, struct trace_step *steps, int64_t most);

#endif
