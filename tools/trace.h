/* What hyla simulate --trace, --svg and --schedule keep of a run on a virtual cube. */
#ifndef TOOL_TRACE_H
#define TOOL_TRACE_H 1

#include "tool.h"

#include <stdio.h>

struct trace {
  char title[320];
  int dims;
  hyla_machine machine;
  double scale; /* microseconds in a unit of time */
  bool steps;   /* what a schedule is made of is kept too */
  bool *inside; /* by node: is it in the operation at hand?  NULL: all that happens is kept */
  hyla_event *events;
  int64_t count, capacity;
  int64_t missed; /* events beyond the most */
  bool full;      /* there was no memory for one */
  double begin, end;
  double time; /* that is told of the run */
};

/* What bounds memory and files: 100 and 200 MB, of a schedule 400 and 100 MB. */
enum { TRACE_MOST = 1 << 20, SCHEDULE_MOST = 1 << 22 };

/* The observer of a simulation; its argument is a struct trace. */
void trace_take(void *trace, const hyla_event *event);

/* Are files asked for that are made of a run's events? */
bool trace_wanted(const struct options *options);

/* For a cube of that many dimensions: what happens is kept where nodes are between enter and leave
 * alone, which are one operation's, from begin to end.  start: false without memory. */
bool trace_start(struct trace *trace, const struct options *options, int dims);
void trace_enter(struct trace *trace, int node);
void trace_leave(struct trace *trace, int node);
/* Before anything is kept of another run. */
void trace_clear(struct trace *trace);
void trace_free(struct trace *trace);

/* Is one variant asked for, as a trace wants it?  Tells if not. */
bool trace_possible(const struct run *run);

/* On one rank: the files of --trace, --svg and --schedule, where they are asked for; an exit code.
 */
int trace_write(const struct run *run, const struct trace *trace);

/* Is it a picture?  What is too much for one, or NULL. */
const char *trace_too_much(const struct trace *trace);
bool trace_draw(const void *trace, FILE *file);

/* The same of the cube with the load of its links. */
const char *trace_cube_too_much(const struct trace *trace);
bool trace_cube_draw(const void *trace, FILE *file);

/* What is too much for a schedule, or NULL.  Its text. */
const char *schedule_too_much(const struct trace *trace);
bool schedule_write(const void *trace, FILE *file);
/* Does the schedule go to standard output, in place of the table? */
bool schedule_alone(const struct options *options);

/* A span of a node, or a message, of the path that took all the time. */
struct trace_step {
  hyla_event_kind kind;
  int node, peer;
  double begin, end;
};

/* The critical path, backwards from the last event to end; the number of its steps, at most
 * `most' of which are written; -1: no memory. */
int64_t trace_path(const struct trace *trace, struct trace_step *steps, int64_t most);

#endif
