/* Reports the checks of results (--verify, HYLA_CHECK_RESULTS) as text and as JSON. */
#include "tool.h"

#include <inttypes.h>
#include <stdio.h>

/* Has any result been checked? */
static bool get(const struct run *run, hyla_faults *faults) {
  return hyla_cube_faults(run->cube, faults) == HYLA_OK && faults->checked > 0;
}

void faults_print(const struct run *run) {
  hyla_faults faults;
  if (!get(run, &faults)) return;
  print_paragraph(
      "sums", "%" PRId64 " result%s checked by %s sums: %" PRId64 " damaged, %" PRId64 " corrected",
      faults.checked, faults.checked == 1 ? "" : "s", faults.checked == 1 ? "its" : "their",
      faults.damaged, faults.corrected);
}

void faults_tell(const struct run *run) {
  hyla_faults faults;
  /* A fault that could not be corrected is in the failed call's message. */
  if (get(run, &faults) && faults.corrected > 0 && faults.corrected == faults.damaged)
    tell(run, "%s", faults.text);
}

void faults_json(const struct run *run, json_t *json) {
  hyla_faults faults;
  if (!get(run, &faults)) return;
  json_object_set_new(json, "faults",
                      json_pack("{s:I,s:I,s:I,s:s}", "checked", (json_int_t)faults.checked,
                                "damaged", (json_int_t)faults.damaged, "corrected",
                                (json_int_t)faults.corrected, "text", faults.text));
}
