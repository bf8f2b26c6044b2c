/* Planned collectives of all ranks: their rows, each on each network of the cube. */
#include "collective/variant.h"

#include <stdio.h>
#include <string.h>

int hy_own_number(const hyla_cube *cube, const struct hy_collective *c) {
  if (c->network != NULL) return cube->base.rank;
  return cube->address < 0 ? -1 : (int)hy_member(cube, c->within, cube->address);
}

bool hy_takes_all(const struct hy_subcube_op *op) {
  return !op->varies && op->cube->ranks.shapes.given;
}

/* ------------------------------------------------------------- the family -- */

/* A row on a network, with its name there. */
struct placed {
  struct hy_collective_variant variant; /* first */
  char name[HY_NETWORK_TEXT + HY_NAME_MAX];
};

struct hy_collective hy_collective_on(const struct hy_variant *row, const struct hy_collective *c) {
  const struct hy_network *network = hy_collective_variant_of(row)->on;
  struct hy_collective it = *c;
  if (network == NULL) return it;
  it.network = network;
  it.dims = network->axes;
  it.within = 0;
  return it;
}

const char *hy_plain_name(const struct hy_variant *row) {
  const struct hy_collective_variant *placed = hy_collective_variant_of(row);
  return placed->row != NULL ? placed->row->base.name : row->name;
}

static void place(const struct hy_variant *row, const struct hy_network *network,
                  struct placed *placed) {
  const struct hy_collective_variant *variant = hy_collective_variant_of(row);
  char name[HY_NETWORK_TEXT] = "";
  struct hy_text text = {.text = name, .capacity = sizeof name};
  hy_network_name(network, &text);
  snprintf(placed->name, sizeof placed->name, "%s/%s", name, row->name);
  placed->variant = *variant;
  placed->variant.base.name = placed->name;
  placed->variant.on = network;
  placed->variant.row = variant;
}

/* Exchanges are planned message by message and link by link.  Where P^2 messages have a long way on
 * some shapes, those are slow too, and are left out; the shape with the shortest ways stays. */
enum { LINKS_MOST = 1 << 20 };

static bool is_listed(const struct hy_cube_shapes *shapes, int n, enum hy_task task) {
  const enum hy_task forward = hy_task_forward(task);
  int best = 0;
  if (forward != HY_TASK_EXCHANGE && forward != HY_TASK_PARTIAL_EXCHANGE) return true;
  for (int i = 1; i < shapes->count; i++)
    if (hy_network_distances(&shapes->network[i]) < hy_network_distances(&shapes->network[best]))
      best = i;
  return n == best || hy_network_distances(&shapes->network[n]) <= LINKS_MOST;
}

/* Lists the rows on the cube, where it takes all ranks, and those on each network. */
static hyla_status list(hyla_cube *cube, enum hy_task task, struct hy_family *family,
                        const struct hy_variant ***listed) {
  const struct hy_cube_shapes *shapes = &cube->ranks.shapes;
  const struct hy_family *on_cube = hy_collective_family(task), *others = hy_network_family(task);
  const int own = shapes->cube ? hy_family_count(on_cube) : 0;
  const int each = others != NULL ? hy_family_count(others) : 0;
  const struct hy_variant **rows = NULL;
  struct placed *placed = NULL;
  TRY(hy_alloc_for(&cube->base, family, own + each * shapes->count + 1, sizeof *rows, &rows));
  TRY(hy_alloc_for(&cube->base, family, each * shapes->count, sizeof *placed, &placed));
  *family = (struct hy_family){.name = on_cube->name, .rows = rows, .exact = on_cube->exact};
  *listed = rows;
  for (int i = 0; i < own; i++) *rows++ = on_cube->rows[i];
  for (int n = 0; n < shapes->count; n++)
    for (int i = 0; i < each && is_listed(shapes, n, task); i++) {
      place(others->rows[i], &shapes->network[n], placed);
      *rows++ = &placed++->variant.base;
    }
  return HYLA_OK;
}

/* Leaves only the rows of that name, with the network or without it; returns their number.  If
 * there are none, all rows stay. */
static int keep(const struct hy_variant **rows, const char *name) {
  int kept = 0;
  for (int i = 0; rows[i] != NULL; i++)
    if (strcmp(rows[i]->name, name) == 0 || strcmp(hy_plain_name(rows[i]), name) == 0)
      rows[kept++] = rows[i];
  if (kept > 0) rows[kept] = NULL;
  return kept;
}

static hyla_status make(hyla_cube *cube, enum hy_task task, const char **wanted,
                        struct hy_family *family) {
  const struct hy_variant **rows = NULL;
  char *name = NULL;
  TRY(list(cube, task, family, &rows));
  TRY(hy_alloc_for(&cube->base, family, HY_NAME_MAX, 1, &name));
  hy_forced_variant(cube->session.collective, family->name, name, HY_NAME_MAX);
  if (*wanted == NULL || **wanted == '\0') *wanted = name;
  if (**wanted == '\0') return HYLA_OK;
  const int kept = keep(rows, *wanted);
  if (kept > 0) *wanted = kept == 1 ? rows[0]->name : "";
  return HYLA_OK;
}

hyla_status hy_all_family(hyla_cube *cube, enum hy_task task, const char **wanted,
                          struct hy_family **family) {
  TRY(hy_alloc(&cube->base, 1, sizeof **family, family));
  hyla_status status = make(cube, task, wanted, *family);
  if (status != HYLA_OK) hy_free(&cube->base, family);
  return status;
}
