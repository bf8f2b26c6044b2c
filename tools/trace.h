/* The events that hyla simulate --trace, --svg and --schedule keep of a run on a virtual cube. */
#ifndef TOOL_TRACE_H
#define TOOL_TRACE_H 1

#include "tool.h"

#include <stdio.h>

struct trace {
  char title[320];
  int dims;
  int nodes;           /* 0: 2^dims */
  const char *network; /* NULL: a cube; its ports then take the place of dimensions */
  hyla_machine machine;
  double scale; /* microseconds in a unit of time */
  bool steps;   /* the events for a schedule are kept too */
  bool *inside; /* for each node: is it inside the operation?  NULL: all events are kept */
  hyla_event *events;
  int64_t count, capacity;
  int64_t missed; /* events beyond the limit */
  bool full;      /* memory ran out */
  double begin, end;
  double time; /* reported for the run */
};

/* Limits of memory and files: 100 and 200 MB; for a schedule 400 and 100 MB. */
enum { TRACE_MOST = 1 << 20, SCHEDULE_MOST = 1 << 22 };

static inline int trace_nodes(const struct trace *trace) {
  return trace->nodes > 0 ? trace->nodes : 1 << trace->dims;
}

/* The dimensions, or the ports of the network that some message leaves over. */
int trace_links(const struct trace *trace);

/* The observer of a simulation; its argument is a struct trace. */
void trace_take(void *trace, const hyla_event *event);

/* Are files asked for that are made from a run's events? */
bool trace_wanted(const struct options *options);

/* start: for a cube of `dims' dimensions; false without memory.  Events of a node are kept only
 * between enter and leave, which mark one operation. */
bool trace_start(struct trace *trace, const struct options *options, int dims);
void trace_enter(struct trace *trace, int node);
void trace_leave(struct trace *trace, int node);
/* Forgets the events, before another run. */
void trace_clear(struct trace *trace);
void trace_free(struct trace *trace);

/* Is exactly one variant asked for, as a trace needs?  Prints a message if not. */
bool trace_possible(const struct run *run);

/* On one rank: writes the files of --trace, --svg and --schedule that are asked for; returns an
 * exit code. */
int trace_write(const struct run *run, const struct trace *trace);

/* The reason why there is too much for a picture, or NULL; draws it. */
const char *trace_too_much(const struct trace *trace);
bool trace_draw(const void *trace, FILE *file);

/* The same for the cube with the load of its links. */
const char *trace_cube_too_much(const struct trace *trace);
bool trace_cube_draw(const void *trace, FILE *file);

/* The reason why there is too much for a schedule, or NULL; writes its text. */
const char *schedule_too_much(const struct trace *trace);
bool schedule_write(const void *trace, FILE *file);
/* Does the schedule go to standard output, instead of the table? */
bool schedule_alone(const struct options *options);

/* A node's span, or a message, on the critical path. */
struct trace_step {
  hyla_event_kind kind;
  int node, peer;
  double begin, end;
};

/* The critical path, backwards from the last event to end.  Returns its number of steps, and writes
 * at most `most' of them; -1: no memory. */
int64_t trace_path(const struct trace *trace, struct trace_step *steps, int64_t most);

#endif
