/* The cube's wisdom: rank 0 holds it, reads and writes its file, and tells the others. */
#include "cube/link.h"

#include <stdio.h>
#include <string.h>

hyla_status hy_wisdom_open(hyla_cube *cube, const hyla_options *options) {
  bool named = options->wisdom != NULL && options->wisdom[0] != '\0';
  cube->session.measure = options->measure;
  cube->session.wise = named || options->measure;
  if (!cube->session.wise) return HYLA_OK;
  hyla_status mine = HYLA_OK;
  if (cube->address == 0)
    mine = hy_wisdom_create(&cube->base, options->wisdom, options->measure, &cube->session.wisdom);
  return hy_agree(cube, mine);
}

hyla_status hy_recall(hyla_cube *cube, const char *key, char name[HY_NAME_MAX], double *seconds) {
  struct {
    double seconds;
    char name[HY_NAME_MAX];
  } known = {0};
  if (cube->address == 0) {
    const char *found = hy_wisdom_find(cube->session.wisdom, key, &known.seconds);
    if (found != NULL) snprintf(known.name, sizeof known.name, "%s", found);
  }
  TRY(hy_control_spread(cube, 0, &known, sizeof known));
  memcpy(name, known.name, sizeof known.name);
  *seconds = known.seconds;
  return HYLA_OK;
}

hyla_status hy_remember(hyla_cube *cube, const char *key, const char *variant, double seconds) {
  if (cube->address != 0) return HYLA_OK;
  return hy_wisdom_note(&cube->base, cube->session.wisdom, key, variant, seconds);
}
