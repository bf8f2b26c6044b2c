/* Private to lib/gemm: the messages that travel at the same time. */
#ifndef HY_GEMM_STEP_H
#define HY_GEMM_STEP_H 1

#include "cube/cube.h"

/* The messages of one step.  Those of all operands are started together, so that they cross their
 * links at the same time.  A step must keep its place in memory while they travel. */
enum { HY_STEP_MESSAGES = 4 };
struct hy_step {
  hyla_cube *cube;
  int count;
  struct hy_message *message; /* `few', or the caller's array if it needs more */
  struct hy_message few[HY_STEP_MESSAGES];
};

/* Makes an empty step: in the caller's array, or with room for HY_STEP_MESSAGES messages. */
static inline void hy_step_make_in(hyla_cube *cube, struct hy_message *room, struct hy_step *step) {
  step->cube = cube;
  step->count = 0;
  step->message = room;
}
static inline void hy_step_make(hyla_cube *cube, struct hy_step *step) {
  hy_step_make_in(cube, step->few, step);
}
/* Adds a message.  Data that are sent are only read. */
static inline void hy_step_add(struct hy_step *step, enum hy_verb verb, int peer, const char *data,
                               int64_t bytes) {
  step->message[step->count++] = (struct hy_message){
      .verb = verb, .peer = peer, .bytes = bytes, .data = (void *)(uintptr_t)data};
}
/* start: starts the messages.  wait: waits until all are complete and empties the step.  run:
 * both. */
static inline hyla_status hy_step_start(struct hy_step *step) {
  return hy_link_start(step->cube, step->message, step->count);
}
static inline hyla_status hy_step_wait(struct hy_step *step) {
  int count = step->count;
  step->count = 0;
  return hy_link_wait(step->cube, step->message, count);
}
static inline hyla_status hy_step_run(struct hy_step *step) {
  TRY(hy_step_start(step));
  return hy_step_wait(step);
}

#endif
