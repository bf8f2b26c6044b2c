/* Private to this room: what this rank did and when, for trace viewers.
 *
 * A rank's time is cut at marks: each mark says what the rank has done since the one before, so
 * that spans follow each other without gaps while the library runs. Messages are kept when they
 * have ended here.  All that is kept lies in memory taken when the cube was made; what does not fit
 * is counted. */
#ifndef HY_TRACE_H
#define HY_TRACE_H 1

#include "cube/link.h"

enum hy_span_kind {
  HY_SPAN_COMPUTE,
  HY_SPAN_COPY,
  HY_SPAN_LOCAL, /* neither: loops, packing, starting of messages */
  HY_SPAN_WAIT,
  HY_SPAN_AGREE,
  HY_SPAN_SENT, /* a message, from its start to when its buffer was free again */
  HY_SPAN_TAKEN
};

struct hy_trace_span {
  double begin, end;
  int64_t bytes;  /* of a message */
  int32_t peer;   /* likewise */
  int32_t number; /* likewise, from 0, of those to or from the peer */
  int16_t kind;
  int16_t call; /* the public call that ran: which of the trace's names */
};

/* By peer: how many messages were started, and the first that was not kept. */
struct hy_trace_lane {
  int32_t sent, taken, sent_lost, taken_lost;
};

/* A rank's clock against rank 0's: what is to be added at a time of its own, and how wrong that may
 * be. */
struct hy_offset {
  double at, offset, error;
};

enum { HY_SPANS_MOST = 1 << 18, HY_CALLS_MOST = 32, HY_CALL_LENGTH = 40 };

struct hy_trace {
  char *path;
  double begin; /* of the trace, on rank 0's clock */
  double last;  /* the latest mark */
  int64_t count, lost;
  int64_t current; /* the latest span of the rank's own; -1: none that is kept */
  struct hy_offset first;
  const char *calls[HY_CALLS_MOST];
  int call_count;
  struct hy_trace_span *spans;
  struct hy_trace_lane *lanes;
};

/* Collective, agreed upon.  Nothing without a path, or where clocks are virtual. */
hyla_status hy_trace_open(hyla_cube *cube, const char *path);
void hy_trace_free(hyla_cube *cube);
/* Collective.  Writes the file; what went wrong with it is rank 0's status until it is agreed
 * upon. */
hyla_status hy_trace_write(hyla_cube *cube);
/* Collective.  This rank's clock against rank 0's now. */
hyla_status hy_trace_align(hyla_cube *cube, struct hy_offset *offset);

/* Local, and nothing without a trace.  skip: what came before is none of the library's. */
void hy_trace_mark_kept(hyla_cube *cube, enum hy_span_kind kind);
void hy_trace_skip_kept(hyla_cube *cube);
void hy_trace_start_kept(hyla_cube *cube, struct hy_message *message);
void hy_trace_waited_kept(hyla_cube *cube, struct hy_message *messages, int count);

static inline void hy_trace_mark(hyla_cube *cube, enum hy_span_kind kind) {
  if (cube->trace != NULL) hy_trace_mark_kept(cube, kind);
}
static inline void hy_trace_skip(hyla_cube *cube) {
  if (cube->trace != NULL) hy_trace_skip_kept(cube);
}
/* A message was started; some were waited for. */
static inline void hy_trace_start(hyla_cube *cube, struct hy_message *message) {
  if (cube->trace != NULL) hy_trace_start_kept(cube, message);
}
static inline void hy_trace_waited(hyla_cube *cube, struct hy_message *messages, int count) {
  if (cube->trace != NULL) hy_trace_waited_kept(cube, messages, count);
}

#endif
