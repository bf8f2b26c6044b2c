/* Which ranks share a machine, and how many cores they have together.  When the cube is made, every
 * rank's host number and cores are gathered on all nodes by doubling. */
#include "cube/link.h"

/* places[2 a] is node a's place and places[2 a + 1] its guest's; all 0 if it has no guest. */
static hyla_status gather_places(hyla_cube *cube, struct hy_place *places) {
  struct hy_place *mine = places + 2 * cube->address;
  mine[0] = cube->network.link->place;
  const int guest = hy_guest_of(cube);
  if (guest >= 0) TRY(hy_control(cube, guest, NULL, &mine[1], sizeof mine[1]));
  for (int size = 1; size < cube->nodes; size *= 2) {
    int first = cube->address & ~(size - 1);
    int64_t bytes = (int64_t)sizeof *places * 2 * size;
    TRY(hy_control(cube, cube->address ^ size, places + 2 * first, places + 2 * (first ^ size),
                   bytes));
  }
  return HYLA_OK;
}

static int count_equal(const struct hy_place *places, int count, int stride, uint64_t host) {
  int found = 0;
  for (int i = 0; i < count; i += stride) found += places[i].host == host;
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

/* A rank's host: the ranks on it, the cores that they may use, and whether all nodes are on one
 * host.  `one' is the same on all ranks. */
struct host {
  int crowd, cores, one;
};

static struct host host_of(const struct hy_place *places, int count, uint64_t host) {
  return (struct host){count_equal(places, count, 1, host), count_cores(places, count, host),
                       count_equal(places, count, 2, places[0].host) == count / 2};
}

/* A guest learns from its partner how many ranks are on its host. */
static hyla_status ask_partner(hyla_cube *cube, struct host *host) {
  const struct hy_place *place = &cube->network.link->place;
  TRY(hy_control(cube, hy_partner_of(cube), place, NULL, sizeof *place));
  return hy_control(cube, hy_partner_of(cube), NULL, host, sizeof *host);
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

static hyla_status find(hyla_cube *cube, struct hy_place *places, struct host *host) {
  if (cube->address < 0) return ask_partner(cube, host);
  TRY(gather_places(cube, places));
  const int all = 2 * cube->nodes, guest = hy_guest_of(cube);
  tell_clones(places, all);
  cube->network.link->place.host = places[2 * cube->address].host;
  struct host of_guest = host_of(places, all, places[2 * cube->address + 1].host);
  if (guest >= 0) TRY(hy_control(cube, guest, &of_guest, NULL, sizeof of_guest));
  *host = host_of(places, all, cube->network.link->place.host);
  cube->ranks.members = count_equal(places, all, 2, cube->network.link->place.host);
  return HYLA_OK;
}

hyla_status hy_hosts_find(hyla_cube *cube) {
  struct hy_link *link = cube->network.link;
  struct hy_place *places = NULL;
  struct host host = {0};
  if (link->place.host == 0) return HYLA_OK;
  hyla_status mine = hy_alloc(&cube->base, 2 * cube->nodes, sizeof *places, &places);
  hyla_status status = hy_agree(cube, mine);
  if (status == HYLA_OK) status = find(cube, places, &host);
  cube->ranks.one_host = host.one;
  link->crowd = host.crowd;
  link->cores = host.cores;
  if (status == HYLA_OK) {
    mine =
        hy_alloc(&cube->base, cube->ranks.members, sizeof *cube->ranks.member, &cube->ranks.member);
    status = hy_agree(cube, mine);
  }
  if (status == HYLA_OK && cube->address >= 0)
    for (int node = 0, place = 0; node < cube->nodes; node++)
      if (places[2 * node].host == link->place.host) cube->ranks.member[place++] = node;
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
