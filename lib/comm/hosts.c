/* Which ranks share a machine: every rank's host number goes to all nodes, by
 * doubling, once when the cube is made. */
#include "comm/link.h"

/* Fills numbers[2 a] with node a's host and numbers[2 a + 1] with its guest's (0: none). */
static hyla_status gather_hosts(hyla_cube *cube, uint64_t *numbers) {
  uint64_t *mine = numbers + 2 * cube->address;
  mine[0] = cube->link->host;
  int guest = cube->address + cube->nodes;
  if (guest < cube->ranks) TRY(hy_control(cube, guest, NULL, &mine[1], sizeof mine[1]));
  for (int size = 1; size < cube->nodes; size *= 2) {
    int first = cube->address & ~(size - 1);
    int64_t bytes = (int64_t)sizeof *numbers * 2 * size;
    TRY(hy_control(cube, cube->address ^ size, numbers + 2 * first, numbers + 2 * (first ^ size),
                   bytes));
  }
  return HYLA_OK;
}

static int count_equal(const uint64_t *numbers, int count, int stride, uint64_t number) {
  int found = 0;
  for (int i = 0; i < count; i += stride) found += numbers[i] == number;
  return found;
}

/* A guest learns from its partner how many ranks are on its host. */
static hyla_status ask_partner(hyla_cube *cube) {
  struct hy_link *link = cube->link;
  int partner = link->rank - cube->nodes;
  TRY(hy_control(cube, partner, &link->host, NULL, sizeof link->host));
  return hy_control(cube, partner, NULL, &link->crowd, sizeof link->crowd);
}

hyla_status hy_hosts_find(hyla_cube *cube) {
  struct hy_link *link = cube->link;
  if (link->host == 0) return HYLA_OK;
  uint64_t *numbers = NULL;
  hyla_status mine = hy_alloc(&cube->base, 2 * cube->nodes, sizeof *numbers, &numbers);
  hyla_status status = hy_agree(cube, mine);
  if (status == HYLA_OK && cube->address < 0) status = ask_partner(cube);
  if (status == HYLA_OK && cube->address >= 0) {
    status = gather_hosts(cube, numbers);
    int all = 2 * cube->nodes;
    int guest = cube->address + cube->nodes;
    int crowd = count_equal(numbers, all, 1, numbers[2 * cube->address + 1]);
    if (status == HYLA_OK && guest < cube->ranks)
      status = hy_control(cube, guest, &crowd, NULL, sizeof crowd);
    link->crowd = count_equal(numbers, all, 1, link->host);
    cube->members = count_equal(numbers, all, 2, link->host);
  }
  if (status == HYLA_OK) {
    mine = hy_alloc(&cube->base, cube->members, sizeof *cube->member, &cube->member);
    status = hy_agree(cube, mine);
  }
  if (status == HYLA_OK && cube->address >= 0)
    for (int node = 0, place = 0; node < cube->nodes; node++)
      if (numbers[2 * node] == link->host) cube->member[place++] = node;
  hy_free(&cube->base, &numbers);
  return status;
}
