/* Reports a factorization's states as text and as JSON. */
#include "tool.h"

#include <inttypes.h>
#include <stdio.h>

/* Is there anything to report? */
static bool get(const struct run *run, hyla_checkpoints *checkpoints) {
  return hyla_cube_checkpoints(run->cube, checkpoints) == HYLA_OK &&
         checkpoints->written + checkpoints->failed + checkpoints->resumed + checkpoints->others >
             0;
}

hyla_status states_check(const struct run *run, struct result *result) {
  if (!run->options.every_given || run->options.checkpoint) return HYLA_OK;
  return result_refuse(result, "--every %g, but no --checkpoint; give a folder with --checkpoint",
                       run->options.every);
}

void checkpoints_print(const struct run *run) {
  hyla_checkpoints checkpoints;
  char from[60] = "";
  if (!get(run, &checkpoints)) return;
  if (checkpoints.resumed > 0)
    snprintf(from, sizeof from, "resumed at column %" PRId64 "; ", checkpoints.column);
  print_paragraph("states", "%s%" PRId64 " written in %.3g s", from, checkpoints.written,
                  checkpoints.seconds);
}

void checkpoints_tell(const struct run *run) {
  hyla_checkpoints checkpoints;
  if (!get(run, &checkpoints)) return;
  if (checkpoints.failed > 0)
    tell(run, "%" PRId64 " state%s not be kept, and it went on without: %s", checkpoints.failed,
         checkpoints.failed == 1 ? " could" : "s could", checkpoints.text);
  if (checkpoints.resumed == 0 && checkpoints.others > 0)
    tell(run, "%s has no state of this matrix, but %" PRId64 " of %s of its size, which stay%s",
         run->options.checkpoint, checkpoints.others,
         checkpoints.others == 1 ? "another" : "others", checkpoints.others == 1 ? "s" : "");
}

void checkpoints_json(const struct run *run, json_t *json) {
  hyla_checkpoints checkpoints;
  if (!get(run, &checkpoints)) return;
  json_object_set_new(json, "states",
                      json_pack("{s:I,s:I,s:I,s:I,s:f}", "written", (json_int_t)checkpoints.written,
                                "failed", (json_int_t)checkpoints.failed, "resumed",
                                (json_int_t)checkpoints.resumed, "column",
                                (json_int_t)checkpoints.column, "seconds", checkpoints.seconds));
}
