/* Which ranks share a machine, and how many cores they have together.  When the cube is made, every
 * rank's host number and cores are gathered on all ranks by doubling. */
#include "cube/link.h"

/* The place of a rank in the table: ranks beside each other follow each other, so that doubling
 * gathers runs of them. */
static int at(const hyla_cube *cube, int rank) {
  const int core = hy_core(cube);
  return rank < core ? 2 * rank : 2 * (rank - core) + 1;
}

/* places: one for each rank, all 0 where there is no rank. */
static hyla_status gather_places(hyla_cube *cube, struct hy_place *places) {
  const int rank = cube->network.link->rank, core = hy_core(cube), beside = hy_beside(cube, rank);
  const int64_t whole = (int64_t)sizeof *places * 2 * core;
  struct hy_place *mine = places + at(cube, rank);
  *mine = cube->network.link->place;
  if (rank >= core) {
    TRY(hy_control(cube, beside, mine, NULL, sizeof *mine));
    return hy_control(cube, beside, NULL, places, whole);
  }
  if (beside >= 0) TRY(hy_control(cube, beside, NULL, &mine[1], sizeof mine[1]));
  for (int size = 1; size < core; size *= 2) {
    int first = rank & ~(size - 1);
    int64_t bytes = (int64_t)sizeof *places * 2 * size;
    TRY(hy_control(cube, rank ^ size, places + 2 * first, places + 2 * (first ^ size), bytes));
  }
  return beside >= 0 ? hy_control(cube, beside, places, NULL, whole) : HYLA_OK;
}

/* How many of the first `ranks' ranks are on a host? */
static int count_on(const hyla_cube *cube, const struct hy_place *places, int ranks,
                    uint64_t host) {
  int found = 0;
  for (int rank = 0; rank < ranks; rank++) found += places[at(cube, rank)].host == host;
  return found;
}

/* Counts the cores that some rank may run on.  Launchers bind ranks to cores, so a rank may know
 * fewer than the host has. */
static int count_cores(const struct hy_place *places, int count, uint64_t host) {
  int cores = 0;
  for (int word = 0; word < HY_CORE_WORDS; word++) {
    uint64_t any = 0;
    for (int i = 0; i < count; i++)
      if (places[i].host == host) any |= places[i].cores[word];
    cores += hy_popcount((uint32_t)any) + hy_popcount((uint32_t)(any >> 32));
  }
  return cores;
}

/* Gives clones of a machine host numbers of their own, if every rank could read its kernel's start.
 * A rank that could not would otherwise count as a host of its own, and the planner would choose
 * for two hosts. */
static void tell_clones(struct hy_place *places, int count) {
  for (int i = 0; i < count; i++)
    if (places[i].host != 0 && places[i].start == 0) return;
  for (int i = 0; i < count; i++)
    if (places[i].host != 0)
      places[i].host = hy_fingerprint(places[i].host, &places[i].start, sizeof places[i].start);
}

static hyla_status find(hyla_cube *cube, struct hy_place *places) {
  struct hy_link *link = cube->network.link;
  const int count = 2 * hy_core(cube), nodes = cube->nodes;
  TRY(gather_places(cube, places));
  tell_clones(places, count);
  link->place.host = places[at(cube, link->rank)].host;
  link->crowd = count_on(cube, places, cube->ranks.all, link->place.host);
  link->cores = count_cores(places, count, link->place.host);
  cube->ranks.one_host = count_on(cube, places, nodes, places[at(cube, 0)].host) == nodes;
  if (cube->address >= 0) cube->ranks.members = count_on(cube, places, nodes, link->place.host);
  return HYLA_OK;
}

hyla_status hy_hosts_find(hyla_cube *cube) {
  const struct hy_link *link = cube->network.link;
  struct hy_place *places = NULL;
  if (link->place.host == 0) return HYLA_OK;
  hyla_status mine = hy_alloc(&cube->base, 2 * hy_core(cube), sizeof *places, &places);
  hyla_status status = hy_agree(cube, mine);
  if (status == HYLA_OK) status = find(cube, places);
  if (status == HYLA_OK) {
    mine =
        hy_alloc(&cube->base, cube->ranks.members, sizeof *cube->ranks.member, &cube->ranks.member);
    status = hy_agree(cube, mine);
  }
  if (status == HYLA_OK && cube->address >= 0)
    for (int rank = 0, place = 0; rank < cube->nodes; rank++)
      if (places[at(cube, rank)].host == link->place.host)
        cube->ranks.member[place++] = hy_address_of(cube, rank);
  hy_free(&cube->base, &places);
  return status;
}

/* ---------------------------------------------------------------- advice -- */

struct hy_start hy_best_start(int cores) {
  struct hy_start best = {1, cores};
  for (int ranks = 2; ranks <= cores; ranks *= 2)
    if (ranks * (cores / ranks) >= best.ranks * best.threads)
      best = (struct hy_start){ranks, cores / ranks};
  return best;
}

void hy_hosts_advise(const hyla_cube *cube, struct hy_text *text) {
  const struct hy_link *link = cube->network.link;
  if (link == NULL || link->cores <= 0 || cube->address < 0) return;
  const struct hy_start best = hy_best_start(link->cores);
  const int busy = cube->ranks.members * cube->session.threads,
            possible = best.ranks * best.threads;
  const int left = link->crowd - cube->ranks.members;
  if (left == 0 && busy >= possible) return;
  hy_text_add(text, "better: %d rank%s of %d thread%s (HYLA_THREADS=%d): ", best.ranks,
              best.ranks == 1 ? "" : "s", best.threads, best.threads == 1 ? "" : "s", best.threads);
  if (busy < possible)
    hy_text_add(text, "%d of %d cores busy, not %d\n", possible, link->cores, busy);
  else
    hy_text_add(text, "none left over\n");
}
