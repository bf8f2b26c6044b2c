/* The parts of a run's time, from the process' start to its report. */
#include "tool.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *const names[STAGES] = {"start", "memory", "read", "solve", "judge", "write"};

void stages_start(struct run *run) {
  struct timespec used;
  run->stages = (struct stages){.now = STAGE_START, .since = tool_clock()};
  /* Libraries were loaded before main; only the processor's time shows that. */
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0)
    run->stages.since -= (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

void stage_begin(struct run *run, enum stage stage) {
  struct stages *stages = &run->stages;
  double now = tool_clock();
  stages->seconds[stages->now] += now - stages->since;
  stages->now = stage;
  stages->since = now;
}

/* In milliseconds without the zero before the point, so that it stays one line. */
void stages_print(const struct run *run) {
  char text[200] = "", number[32];
  for (int stage = 0; stage < STAGES; stage++) {
    size_t length = strlen(text);
    snprintf(number, sizeof number, "%.3f", run->stages.seconds[stage]);
    snprintf(text + length, sizeof text - length, "%s %s ", names[stage],
             number + (*number == '0'));
  }
  print_paragraph("phases", "%ss", text);
}

void stages_json(const struct run *run, json_t *json) {
  json_t *stages = json_object();
  for (int stage = 0; stage < STAGES; stage++)
    json_object_set_new(stages, names[stage], json_real(run->stages.seconds[stage]));
  json_object_set_new(json, "phases", stages);
}
