/* The parts of simulated cubes alone: rehearsals, by which a program's time is known before it is
 * planned, and objects that its nodes share. */
#include "cube/link.h"

#include <string.h>

/* A program that all nodes count together chooses as it would on their cube. */
static struct hy_link *stage_of(const hyla_cube *cube) {
  const hyla_cube *together = cube->session.together;
  return together != NULL ? together->network.link : cube->network.link;
}

bool hy_can_rehearse(const hyla_cube *cube, int64_t messages) {
  const struct hy_link *link = stage_of(cube);
  return link != NULL && link->kind->rehearses != NULL && link->kind->rehearses(link, messages);
}

/* No node begins before all have arrived; then no message with data is under way. */
hyla_status hy_rehearsal_begin(hyla_cube *cube, hyla_cube *rehearsal, void **kept) {
  struct hy_link *stage = stage_of(cube);
  TRY(hy_agree(cube, HYLA_OK));
  hy_count_begin(cube, cube->address, rehearsal);
  rehearsal->network.link = stage;
  rehearsal->session.rehearsal = true;
  if (cube->session.together != NULL)
    rehearsal->ranks.agreements = cube->session.together->ranks.agreements;
  bool room = stage->kind->rehearsal_begin(stage, kept);
  hyla_status mine =
      room ? HYLA_OK : hy_fail(&cube->base, HYLA_MEMORY, "out of memory in the simulator");
  mine = hy_agree(cube, mine);
  if (mine != HYLA_OK && room) stage->kind->rehearsal_end(stage, *kept);
  return mine;
}

/* A number for the rehearsal together with this cube's options. */
static uint64_t number_on(const hyla_cube *cube, uint64_t number) {
  const struct hy_cube_session *session = &cube->session;
  const char *const asked[] = {session->forced, session->collective};
  const int64_t options[] = {session->reproducible, session->check_results,
                             cube->base.memory_limit};
  number = hy_machine_fingerprint(number, &session->machine);
  number = hy_fingerprint(number, options, sizeof options);
  for (int i = 0; i < 2; i++)
    if (asked[i] != NULL) number = hy_fingerprint(number, asked[i], strlen(asked[i]));
  return number;
}

/* All nodes find the same: all took part in a kept rehearsal, and all arrived before the next
 * begins. */
bool hy_rehearsal_known(const hyla_cube *cube, uint64_t number, double *seconds) {
  if (number == 0) return false;
  struct hy_link *stage = stage_of(cube);
  const double *known = stage->kind->rehearsed(stage, number_on(cube, number));
  if (known != NULL) *seconds = *known;
  return known != NULL;
}

void hy_rehearsal_keep(hyla_cube *cube, uint64_t number, double seconds) {
  struct hy_link *stage = stage_of(cube);
  if (number != 0) stage->kind->rehearsal_keep(stage, number_on(cube, number), seconds);
}

/* Numbers that are not negative are ordered as their bits are. */
static hyla_status slowest(hyla_cube *rehearsal, double *seconds) {
  int64_t bits = 0;
  *seconds = rehearsal->network.link->kind->clock(rehearsal->network.link);
  memcpy(&bits, seconds, sizeof bits);
  TRY(hy_cube_max(rehearsal, &bits, 1));
  memcpy(seconds, &bits, sizeof bits);
  return HYLA_OK;
}

hyla_status hy_rehearsal_end(hyla_cube *cube, hyla_cube *rehearsal, void *kept, hyla_status status,
                             double *seconds) {
  hyla_cube *together = cube->session.together, *on = together != NULL ? together : cube;
  status = hy_agree(rehearsal, status);
  if (status == HYLA_OK) status = hy_agree(rehearsal, slowest(rehearsal, seconds));
  on->network.link->kind->rehearsal_end(on->network.link, kept);
  (void)hy_count_end(cube, rehearsal, 1);
  on->network.broken = cube->network.broken = rehearsal->network.broken;
  on->ranks.agreements = cube->ranks.agreements = rehearsal->ranks.agreements;
  return status;
}

/* Objects that all nodes of a simulated cube would make alike, made once for all of them. */
bool hy_shares_tables(const hyla_cube *cube) {
  const struct hy_link *link = cube->network.link;
  return link != NULL && link->kind->shared_table != NULL;
}

void *hy_shared_table(const hyla_cube *cube, uint64_t number) {
  struct hy_link *link = cube->network.link;
  return hy_shares_tables(cube) ? link->kind->shared_table(link, number) : NULL;
}

bool hy_shared_table_keep(hyla_cube *cube, uint64_t number, void *thing, hy_end *end) {
  struct hy_link *link = cube->network.link;
  return link != NULL && link->kind->shared_table_keep != NULL &&
         link->kind->shared_table_keep(link, number, thing, end);
}
