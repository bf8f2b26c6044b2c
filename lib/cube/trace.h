/* Private to this room: what this rank did and when, for trace viewers.
 *
 * Marks divide a rank's time.  Each mark says what the rank has done since the one before, so spans
 * follow each other without gaps while the library runs.  Messages are kept when they have ended
 * here.  Everything is kept in memory that was taken when the cube was made; records that do not
 * fit are counted. */
#ifndef HY_TRACE_H
#define HY_TRACE_H 1

#include "cube/link.h"

enum hy_span_kind {
  HY_SPAN_COMPUTE,
  HY_SPAN_COPY,
  HY_SPAN_LOCAL, /* other work: loops, packing, starting messages */
  HY_SPAN_WAIT,
  HY_SPAN_AGREE,
  HY_SPAN_SENT, /* a message, from its start until its buffer was free again */
  HY_SPAN_TAKEN
};

struct hy_trace_span {
  double begin, end;
  int64_t bytes;  /* SENT, TAKEN: of the message */
  int32_t peer;   /* likewise */
  int32_t number; /* likewise, from 0, among those to or from the peer */
  int16_t kind;
  int16_t call; /* number of the public call that ran, in the trace's names */
};

/* For each peer: the messages started, and the first one that was not kept. */
struct hy_trace_lane {
  int32_t sent, taken, sent_lost, taken_lost;
};

/* A rank's clock against rank 0's: the offset to add to its times near `at', and its error
 * bound. */
struct hy_offset {
  double at, offset, error;
};

enum { HY_SPANS_MOST = 1 << 18, HY_CALLS_MOST = 32, HY_CALL_LENGTH = 40 };

struct hy_trace {
  char *path;
  double begin; /* start of the trace, on rank 0's clock */
  double last;  /* time of the latest mark */
  int64_t count, lost;
  int64_t current; /* the latest span of the rank's own work; -1: it was not kept */
  struct hy_offset first;
  const char *calls[HY_CALLS_MOST];
  int call_count;
  struct hy_trace_span *spans;
  struct hy_trace_lane *lanes;
};

/* Collective, agreed upon.  Does nothing without a path or with virtual clocks. */
hyla_status hy_trace_open(hyla_cube *cube, const char *path);
/* Collective.  Writes the file.  A failure to write is the status of rank 0 until it is agreed
 * upon. */
hyla_status hy_trace_write(hyla_cube *cube);
/* Collective.  Measures this rank's clock against rank 0's now. */
hyla_status hy_trace_align(hyla_cube *cube, struct hy_offset *offset);

/* Local; they do nothing without a trace.  skip: the time since the last mark was not the
 * library's.  start: a message is about to start.  waited: messages were waited for. */
void hy_trace_mark(hyla_cube *cube, enum hy_span_kind kind);
void hy_trace_skip(hyla_cube *cube);
void hy_trace_start(hyla_cube *cube, struct hy_message *message);
void hy_trace_waited(hyla_cube *cube, struct hy_message *messages, int count);

#endif
