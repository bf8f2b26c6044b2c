/* Reports a factorization's states as text and as JSON. */
#include "tool.h"

#include <inttypes.h>
#include <stdio.h>

/* Is there anything to report? */
static bool get(const struct run *run, hyla_checkpoints *states) {
  return hyla_cube_checkpoints(run->cube, states) == HYLA_OK &&
         states->written + states->failed + states->resumed + states->others > 0;
}

hyla_status states_check(const struct run *run, struct result *result) {
  if (!run->options.every_given || run->options.checkpoint) return HYLA_OK;
  return result_refuse(result, "--every %g, but no --checkpoint; give that a folder",
                       run->options.every);
}

void states_print(const struct run *run) {
  hyla_checkpoints states;
  char from[60] = "";
  if (!get(run, &states)) return;
  if (states.resumed > 0)
    snprintf(from, sizeof from, "gone on at column %" PRId64 "; ", states.column);
  print_paragraph("states", "%s%" PRId64 " written in %.3g s", from, states.written,
                  states.seconds);
}

void states_tell(const struct run *run) {
  hyla_checkpoints states;
  if (!get(run, &states)) return;
  if (states.failed > 0)
    tell(run, "%" PRId64 " state%s not be kept, and it went on without: %s", states.failed,
         states.failed == 1 ? " could" : "s could", states.text);
  if (states.resumed == 0 && states.others > 0)
    tell(run, "%s has no state of this matrix, but %" PRId64 " of %s of its size, which stay%s",
         run->options.checkpoint, states.others, states.others == 1 ? "another" : "others",
         states.others == 1 ? "s" : "");
}

void states_json(const struct run *run, json_t *json) {
  hyla_checkpoints states;
  if (!get(run, &states)) return;
  json_object_set_new(json, "states",
                      json_pack("{s:I,s:I,s:I,s:I,s:f}", "written", (json_int_t)states.written,
                                "failed", (json_int_t)states.failed, "resumed",
                                (json_int_t)states.resumed, "column", (json_int_t)states.column,
                                "seconds", states.seconds));
}
