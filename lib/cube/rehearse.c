/* Rehearsals: on a simulated cube the time of a program is known before it is planned. */
#include "cube/link.h"

#include <string.h>

bool hy_can_rehearse(const hyla_cube *cube, int64_t messages) {
  const struct hy_link *link = cube->link;
  return link != NULL && link->kind->rehearses != NULL && link->kind->rehearses(link, messages);
}

/* Nobody begins before all are here: then nothing is under way that has data. */
hyla_status hy_rehearsal_begin(hyla_cube *cube, hyla_cube *stage, void **kept) {
  TRY(hy_agree(cube, HYLA_OK));
  hy_count_begin(cube, cube->address, stage);
  stage->link = cube->link;
  stage->stage = true;
  bool room = cube->link->kind->rehearsal_begin(cube->link, kept);
  hyla_status mine =
      room ? HYLA_OK : hy_fail(&cube->base, HYLA_MEMORY, "out of memory in the simulator");
  mine = hy_agree(cube, mine);
  if (mine != HYLA_OK && room) cube->link->kind->rehearsal_end(cube->link, *kept);
  return mine;
}

/* The order of numbers that are not negative is that of their bits. */
static hyla_status slowest(hyla_cube *stage, double *seconds) {
  int64_t bits = 0;
  *seconds = stage->link->kind->clock(stage->link);
  memcpy(&bits, seconds, sizeof bits);
  TRY(hy_cube_max(stage, &bits, 1));
  memcpy(seconds, &bits, sizeof bits);
  return HYLA_OK;
}

hyla_status hy_rehearsal_end(hyla_cube *cube, hyla_cube *stage, void *kept, hyla_status status,
                             double *seconds) {
  status = hy_agree(stage, status);
  if (status == HYLA_OK) status = hy_agree(stage, slowest(stage, seconds));
  cube->link->kind->rehearsal_end(cube->link, kept);
  (void)hy_count_end(cube, stage, 1);
  cube->broken = stage->broken;
  cube->agreements = stage->agreements;
  return status;
}
