/* Findings of checks of results: ranks agree on them, the cube keeps them, and callers may ask for
 * them. */
#include "cube/link.h"

#include <string.h>

hyla_status hy_check_result_merge(hyla_cube *cube, enum hy_check_result mine,
                                  const char text[HY_FAULT_MAX], enum hy_check_result *worst) {
  /* The larger number is the worse finding; of equal findings the lower rank has the larger one. */
  const int rank = cube->base.rank;
  int64_t found =
      mine == HY_UNDAMAGED || cube->address < 0 ? 0 : ((int64_t)mine + 1) * cube->nodes - rank;
  TRY(hy_cube_max(cube, &found, 1));
  *worst = (enum hy_check_result)hy_max(0, (found - 1) / cube->nodes);
  if (*worst == HY_UNDAMAGED) return HYLA_OK;
  int finder = (int)(((int64_t)*worst + 1) * cube->nodes - found);
  char told[HY_FAULT_MAX] = "";
  if (finder == rank) memcpy(told, text, sizeof told);
  TRY(hy_control_spread(cube, finder, told, sizeof told));
  memcpy(cube->session.faults.text, told, sizeof told);
  return HYLA_OK;
}

hyla_status hy_check_result_end(hyla_cube *cube, bool damaged, enum hy_check_result worst) {
  hyla_faults *faults = &cube->session.faults;
  faults->checked++;
  if (!damaged) return HYLA_OK;
  static const char *const end[] = {
      [HY_UNDAMAGED] = ": wrong, and right when computed again",
      [HY_CORRECTED] = ": wrong, and corrected",
      [HY_DAMAGED] = ": wrong; memory or a message has changed, so run it again"};
  faults->damaged++;
  faults->corrected += worst != HY_DAMAGED;
  size_t length = strlen(faults->text);
  struct hy_text text = {.text = faults->text + length, .capacity = sizeof faults->text - length};
  hy_text_add(&text, "%s", end[worst]);
  hy_log(&cube->base, 1, "%s: %s", cube->session.call, faults->text);
  CHECK(&cube->base, worst != HY_DAMAGED, DAMAGED, "%s: %s", cube->session.call, faults->text);
  return HYLA_OK;
}

hyla_status hyla_cube_faults(const hyla_cube *cube, hyla_faults *faults) {
  if (cube == NULL || faults == NULL) return HYLA_ARGUMENT;
  *faults = cube->session.faults;
  return HYLA_OK;
}
