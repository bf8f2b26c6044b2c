/* The tasks of trials: the collective that a caller's description means, and the verdict on it. */
#include "collective/papers.h"
#include "collective/planned.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool hy_trial_task(const char *name, enum hy_task *task) {
  const struct hy_family *family = NULL;
  for (int i = 0; (family = hy_collective_family(i)) != NULL; i++) {
    *task = (enum hy_task)i;
    if (strcmp(family->name, name) == 0) return true;
  }
  return false;
}

/* ARGUMENT, with the nearest name and all names. */
static hyla_status refuse_name(struct hy_base *base, const char *name) {
  enum { NAMES_MAX = 16 };
  const char *names[NAMES_MAX + 1] = {NULL};
  char list[HY_MESSAGE_MAX / 2] = "", meant[2 * HY_NAME_MAX] = "";
  struct hy_text text = {.text = list, .capacity = sizeof list};
  const struct hy_family *family = NULL;
  for (int i = 0; (family = hy_collective_family(i)) != NULL && i < NAMES_MAX; i++) {
    names[i] = family->name;
    hy_text_add(&text, " %s", family->name);
  }
  const char *nearest = hyla_name_nearest(name, names);
  if (nearest != NULL) snprintf(meant, sizeof meant, " (did you mean '%s'?)", nearest);
  return hy_fail(base, HYLA_ARGUMENT, "there is no collective '%s'%s; there are:%s", name, meant,
                 list);
}

static int members_of(const hyla_cube *cube) { return (int)hy_request_members(cube, 0); }

static hyla_status check_phases(hyla_cube *cube, const hyla_collective *c) {
  struct hy_base *base = &cube->base;
  CHECK(base, c->phases >= 0 && c->phases <= HYLA_DIMS_MAX, ARGUMENT, "%d phases; give 0 to %d",
        c->phases, HYLA_DIMS_MAX);
  if (c->phases == 0) return HYLA_OK;
  bool multiphase = c->variant != NULL && strcmp(c->variant, "multiphase") == 0;
  CHECK(base, multiphase && strcmp(c->name, "exchange") == 0, ARGUMENT,
        "phases are given; only the exchange by multiphase takes them");
  int64_t sum = 0;
  bool whole = true;
  for (int i = 0; i < c->phases; i++) {
    whole = whole && c->phase[i] >= 1;
    sum += c->phase[i];
  }
  CHECK(base, whole && sum == cube->dims, ARGUMENT,
        "%d phases of %lld dimensions; give each 1 or more, %d in all", c->phases, (long long)sum,
        cube->dims);
  return HYLA_OK;
}

/* Checks numbers of nodes, or of tags, from `least' to the cube's last.  Marking them finds
 * repeated numbers later. */
static hyla_status check_numbers(hyla_cube *cube, const char *what, const int *numbers, int count,
                                 int least) {
  struct hy_base *base = &cube->base;
  const int nodes = members_of(cube);
  CHECK(base, count >= 0 && count <= nodes, ARGUMENT, "%d %ss; give 0 to %d", count, what, nodes);
  for (int i = 0; i < count && numbers != NULL; i++)
    CHECK(base, least <= numbers[i] && numbers[i] < nodes, ARGUMENT,
          "there is no %s %d on this cube; give %d to %d", what, numbers[i], least, nodes - 1);
  return HYLA_OK;
}

static bool rotates(const hyla_collective *c) {
  return c->variant != NULL && strncmp(c->variant, "rotate", 6) == 0;
}

/* Checks how far a message goes, or by how many places an array is rotated. */
static hyla_status check_distance(hyla_cube *cube, const hyla_collective *c, enum hy_task task) {
  bool places = task == HY_TASK_PERMUTE && rotates(c);
  int most = places ? cube->nodes - 1 : cube->dims;
  CHECK(&cube->base, 0 <= c->distance && c->distance <= most, ARGUMENT,
        "%s %d on this cube; give 0 to %d",
        places ? "a line cannot be rotated by" : "no node is at distance", c->distance, most);
  return HYLA_OK;
}

/* Refuses fields that only other collectives have. */
static hyla_status check_others(struct hy_base *base, const hyla_collective *c, enum hy_task task) {
  const bool banded = task >= HY_TASK_BAND_EXCHANGE;
  CHECK(base, c->root == 0 || hy_task_rooted(task) || task == HY_TASK_PERMUTE, ARGUMENT,
        "the root is %d; %s has none", c->root, c->name);
  CHECK(base,
        c->distance == 0 || banded || task == HY_TASK_EXCHANGE || task == HY_TASK_PERMUTE ||
            task == HY_TASK_WINDOW,
        ARGUMENT, "the distance is %d; %s has none", c->distance, c->name);
  CHECK(base, c->active == 0 || banded || hy_task_chooses(task) || task == HY_TASK_PERMUTE,
        ARGUMENT, "%d active nodes are given; %s has all nodes", c->active, c->name);
  CHECK(base, c->active <= 2 || task != HY_TASK_PERMUTE, ARGUMENT,
        "%d active nodes are given; in a permutation 2, the sender and its receiver, can be",
        c->active);
  return HYLA_OK;
}

/* Checks the partners of an exchange, and the active nodes. */
static hyla_status check_some(hyla_cube *cube, const hyla_collective *c, enum hy_task task) {
  struct hy_base *base = &cube->base;
  bool distances = c->nearest != 0 || c->farthest != 0;
  bool banded = task == HY_TASK_EXCHANGE && c->distance > 0;
  CHECK(base,
        !distances || (1 <= c->nearest && c->nearest <= c->farthest && c->farthest <= cube->dims),
        ARGUMENT, "distances from %d to %d; give 1 <= nearest <= farthest <= %d", c->nearest,
        c->farthest, cube->dims);
  CHECK(base, (!distances && c->tags == 0) || task == HY_TASK_EXCHANGE, ARGUMENT,
        "%s are given; only the exchange takes them", distances ? "distances" : "tags");
  CHECK(base, distances + (c->tags != 0) + banded <= 1, ARGUMENT,
        "an exchange is by distances, by tags or within a band; give one of them");
  CHECK(base, c->tags == 0 || c->tag != NULL, ARGUMENT, "%d tags, and tag is NULL", c->tags);
  TRY(check_numbers(cube, "tag", c->tag, c->tags, 1));
  CHECK(base, c->which == NULL || hy_task_chooses(task), ARGUMENT,
        "active nodes are named; %s has none", c->name);
  CHECK(base, c->which == NULL || c->active > 0, ARGUMENT,
        "active nodes are named, but their number, active, is %d", c->active);
  return check_numbers(cube, "node", c->which, c->which != NULL ? c->active : 0, 0);
}

/* What only a cube has. */
static hyla_status check_cube(hyla_cube *cube, const hyla_collective *c, enum hy_task task) {
  const bool plain = c->distance == 0 && c->farthest == 0 && c->tags == 0 && c->phases == 0 &&
                     task < HY_TASK_BAND_EXCHANGE && task != HY_TASK_WINDOW;
  CHECK(&cube->base, cube->sides.count == 0 || cube->ranks.shapes.given, UNSUPPORTED,
        "%s needs a cube, not the array of %u x %u nodes; make it with the option network for all "
        "ranks, or with the option array \"cube\"",
        c->name, cube->sides.rows, cube->sides.cols);
  CHECK(
      &cube->base, plain || !cube->ranks.shapes.given, UNSUPPORTED,
      "distances, tags, phases, bands and windows are those of a cube, and this cube's collectives "
      "take all %d ranks; make the cube without the option network",
      cube->ranks.all);
  return HYLA_OK;
}

static hyla_status check_lost(hyla_cube *cube, const hyla_collective *c) {
  struct hy_base *base = &cube->base;
  CHECK(base, c->lost_count >= 0 && (c->lost_count == 0 || c->lost != NULL), ARGUMENT,
        "%d lost links, and where they stand is %s", c->lost_count,
        c->lost == NULL ? "NULL" : "given");
  for (int i = 0; i < c->lost_count; i++) {
    const int node = c->lost[i].node, peer = c->lost[i].peer;
    bool there = node >= 0 && node < cube->nodes && peer >= 0 && peer < cube->nodes;
    CHECK(base, there && hy_popcount((uint32_t)(node ^ peer)) == 1, ARGUMENT,
          "there is no link %d-%d on this cube; its nodes are 0 to %d, and a link joins two whose "
          "numbers differ in one bit",
          node, peer, cube->nodes - 1);
  }
  return HYLA_OK;
}

/* place: where the result goes. */
hyla_status hy_trial_check(hyla_cube *cube, const hyla_collective *c, const void *place) {
  struct hy_base *base = &cube->base;
  CHECK(base, c != NULL && place != NULL && c->name != NULL, ARGUMENT,
        "the c, its name or the place for the results is NULL");
  enum hy_task task;
  if (!hy_trial_task(c->name, &task)) return refuse_name(base, c->name);
  const int nodes = members_of(cube);
  int64_t most = INT64_MAX / 8 / nodes;
  CHECK(base, c->words >= 0 && c->words <= most, ARGUMENT, "messages of %lld words; give 0 to %lld",
        (long long)c->words, (long long)most);
  CHECK(base, c->root >= 0 && c->root < nodes, ARGUMENT, "the root is %d; give a node from 0 to %d",
        c->root, nodes - 1);
  TRY(check_cube(cube, c, task));
  TRY(check_distance(cube, c, task));
  CHECK(base, c->active >= 0 && c->active <= nodes, ARGUMENT,
        "%d active nodes are given; give 0 to %d", c->active, nodes);
  TRY(check_phases(cube, c));
  TRY(check_some(cube, c, task));
  TRY(check_lost(cube, c));
  TRY(check_others(base, c, task));
  CHECK(base, c->alpha >= 0 && c->beta >= 0 && isfinite(c->alpha) && isfinite(c->beta), ARGUMENT,
        "alpha is %g and beta %g; give times from 0", c->alpha, c->beta);
  return HYLA_OK;
}

static uint64_t add_numbers(uint64_t fingerprint, const int *numbers, int count) {
  if (numbers == NULL || count < 0 || count > 1 << HYLA_DIMS_MAX) return fingerprint;
  return hy_fingerprint(fingerprint, numbers, (size_t)count * sizeof *numbers);
}

uint64_t hy_trial_fingerprint(const hyla_collective *c) {
  if (c == NULL || c->name == NULL) return 0;
  const char *variant = c->variant != NULL ? c->variant : "";
  const int some[] = {c->root,    c->distance, c->active, c->which != NULL,
                      c->nearest, c->farthest, c->tags};
  const double times[] = {c->alpha, c->beta};
  uint64_t f = hy_fingerprint(0, c->name, strlen(c->name));
  f = hy_fingerprint(f, variant, strlen(variant));
  f = hy_fingerprint(f, &c->words, sizeof c->words);
  f = hy_fingerprint(f, some, sizeof some);
  f = add_numbers(f, c->phase, (int)hy_min(c->phases, HYLA_DIMS_MAX));
  f = add_numbers(f, c->which, c->active);
  f = add_numbers(f, c->tag, c->tags);
  f = add_numbers(f, (const int *)c->lost, c->lost == NULL ? 0 : 2 * c->lost_count);
  return hy_fingerprint(f, times, sizeof times);
}

int64_t hy_trial_whole_time(const hyla_collective *c, double time) {
  bool whole = c->alpha == floor(c->alpha) && c->beta == floor(c->beta);
  double largest = fmax(c->alpha, c->beta);
  if (whole && largest < 0x1p31) return (int64_t)time;
  return (int64_t)llround(time / largest * 0x1p30);
}

/* Where a node sends in a permutation: as the variant wants it; otherwise the order of all is
 * turned round, so that every node of a cube sends to its complement, or it sends to the node at
 * the distance; or root alone does. */
static int32_t target_of(const hyla_cube *cube, const hyla_collective *c, int node) {
  const struct hy_collective_variant *row =
      c->variant != NULL ? hy_variant_find(HY_TASK_PERMUTE, c->variant) : NULL;
  const bool one = row != NULL && row->root == hy_send_root;
  const int members = members_of(cube);
  const bool near = c->distance > 0 && c->distance < cube->dims;
  const int away = (1 << (near ? c->distance : cube->dims)) - 1;
  if (members != cube->nodes || (members & (members - 1)) != 0) return members - 1 - node;
  if (row != NULL && rotates(c) && c->distance > 0)
    return (int32_t)hy_rotation_target(cube->dims, (uint32_t)c->distance, (uint32_t)node);
  if (row != NULL && row->sends != NULL) return (int32_t)row->sends(cube->dims, (uint32_t)node);
  if (one && (node == c->root || (c->active == 2 && node == (c->root ^ away)))) return node ^ away;
  if (one) return -1;
  return node ^ away;
}

/* Sets a flag for each of some nodes or tags; for the first ones if no numbers are given. */
static hyla_status mark(hyla_cube *cube, const int *numbers, int count, void *owner,
                        const uint8_t **flags) {
  uint8_t *marks = NULL;
  TRY(hy_alloc_for(&cube->base, owner, members_of(cube), 1, &marks));
  for (int i = 0; i < count; i++) {
    int x = numbers != NULL ? numbers[i] : i;
    CHECK(&cube->base, marks[x] == 0, ARGUMENT, "%d is given twice", x);
    marks[x] = 1;
  }
  *flags = marks;
  return HYLA_OK;
}

static hyla_status describe_lost(hyla_cube *cube, const hyla_collective *c, void *owner,
                                 struct hy_collective *it) {
  struct hy_lost_link *lost = NULL;
  TRY(hy_alloc_for(&cube->base, owner, c->lost_count, sizeof *lost, &lost));
  for (int i = 0; i < c->lost_count; i++)
    lost[i] = (struct hy_lost_link){(uint32_t)c->lost[i].node,
                                    (uint32_t)(c->lost[i].node ^ c->lost[i].peer)};
  it->lost = lost;
  it->lost_count = c->lost_count;
  return HYLA_OK;
}

/* Defaults: b + 1 = 2, and as many matrices as the dimensions allow. */
static void describe_bands(const hyla_cube *cube, const hyla_collective *c,
                           struct hy_collective *it) {
  it->band = c->distance > 0 ? c->distance : cube->dims < 2 ? cube->dims : 2;
  it->matrices = c->active > 0 ? c->active : 2;
  if (c->active == 0 && it->band > 1) it->matrices = cube->dims / (it->band - 1);
}

/* Describes the partners of an exchange. */
static hyla_status describe_exchange(hyla_cube *cube, const hyla_collective *c, void *owner,
                                     struct hy_collective *it) {
  bool banded = c->variant != NULL && strcmp(c->variant, "v92-band") == 0;
  uint8_t *phases = NULL;
  if (banded || c->distance > 0) it->band = c->distance > 0 ? c->distance : cube->dims;
  it->nearest = c->nearest;
  it->farthest = c->farthest;
  TRY(hy_alloc_for(&cube->base, owner, c->phases, 1, &phases));
  for (int i = 0; i < c->phases; i++) phases[i] = (uint8_t)c->phase[i];
  it->phases = phases;
  it->phase_count = c->phases;
  return c->tags == 0 ? HYLA_OK : mark(cube, c->tag, c->tags, owner, &it->tags);
}

hyla_status hy_trial_describe(hyla_cube *cube, const hyla_collective *c, void *owner,
                              struct hy_collective *it) {
  int32_t *to = NULL;
  const int nodes = members_of(cube);
  *it = (struct hy_collective){.root = (uint32_t)c->root,
                               .blocks = {.words = c->words},
                               .size = sizeof(uint64_t),
                               .tau = hy_trial_whole_time(c, c->beta),
                               .beta = hy_trial_whole_time(c, c->alpha)};
  hy_request_place(cube, 0, it);
  hy_trial_task(c->name, &it->task);
  if (c->lost_count > 0) TRY(describe_lost(cube, c, owner, it));
  if (it->task == HY_TASK_EXCHANGE) TRY(describe_exchange(cube, c, owner, it));
  if (it->task >= HY_TASK_BAND_EXCHANGE) describe_bands(cube, c, it);
  if (it->task == HY_TASK_WINDOW) it->window = c->distance > 0 ? c->distance : cube->dims;
  if (hy_task_chooses(it->task))
    TRY(mark(cube, c->which, c->active > 0 ? c->active : nodes, owner, &it->active));
  if (it->task != HY_TASK_PERMUTE) return HYLA_OK;
  TRY(hy_alloc_for(&cube->base, owner, nodes, sizeof *to, &to));
  for (int node = 0; node < nodes; node++) to[node] = target_of(cube, c, node);
  it->to = to;
  return HYLA_OK;
}
