/* The requests of users who plan a collective: checks and fingerprint. */
#include "collective/planned.h"

#include <string.h>

uint32_t hy_request_dims(const hyla_cube *cube, uint32_t apart) {
  return hy_all_dims(cube) & ~apart;
}

/* Do these dimensions exist, and cut no side of an array? */
static bool is_whole_cube(const hyla_cube *cube, uint32_t apart) {
  return (apart & ~hy_all_dims(cube)) == 0 && hy_sides_cut(&cube->sides, apart) == NULL;
}

void hy_request_place(const hyla_cube *cube, uint32_t apart, struct hy_collective *what) {
  const struct hy_cube_shapes *shapes = &cube->ranks.shapes;
  const bool elsewhere = shapes->given && !shapes->cube;
  what->network = elsewhere ? &shapes->network[0] : NULL;
  what->within = elsewhere ? 0 : hy_request_dims(cube, apart);
  what->dims = elsewhere ? what->network->axes : hy_popcount(what->within);
}

uint32_t hy_request_members(const hyla_cube *cube, uint32_t apart) {
  if (cube->ranks.shapes.given) return (uint32_t)cube->ranks.all;
  return hy_members_in(cube, hy_request_dims(cube, apart));
}

int hy_request_number(const hyla_cube *cube, uint32_t apart) {
  if (cube->ranks.shapes.given) return cube->base.rank;
  if (cube->address < 0) return -1;
  return (int)hy_member(cube, hy_request_dims(cube, apart), cube->address);
}

/* Is there a rank with this number, and do these subcubes exist? */
static bool is_sound(const hyla_cube *cube, uint32_t apart) {
  if (cube == NULL) return false;
  if (cube->ranks.shapes.given) return apart == 0;
  return cube->address >= 0 && is_whole_cube(cube, apart);
}

int hyla_subcube_ranks(const hyla_cube *cube, uint32_t apart) {
  return is_sound(cube, apart) ? (int)hy_request_members(cube, apart) : -1;
}

int hyla_subcube_rank(const hyla_cube *cube, uint32_t apart) {
  return is_sound(cube, apart) ? hy_request_number(cube, apart) : -1;
}

static bool reduces(enum hy_task task) {
  return task == HY_TASK_REDUCE || task == HY_TASK_ALLREDUCE || task == HY_TASK_REDUCE_SCATTER;
}

static bool own_combination(const struct hy_request *r) {
  return reduces(r->what.task) && r->reduction->combine == NULL;
}

size_t hy_request_size(const struct hy_request *r) {
  bool known = own_combination(r) && r->message->size == 0;
  return known ? hy_number_of(r->reduction->number)->size : r->message->size;
}

static hyla_status check_reduction(struct hy_base *base, const struct hy_request *r) {
  const hyla_reduction *how = r->reduction;
  CHECK(base, how != NULL, ARGUMENT, "%s: the reduction is NULL", r->call);
  if (how->combine != NULL) return HYLA_OK;
  const struct hy_number *number = hy_number_of(how->number);
  CHECK(base, number != NULL, ARGUMENT, "%s: there are no numbers of kind %d", r->call,
        (int)how->number);
  CHECK(base, hy_combine_of(how->number, how->by) != NULL, ARGUMENT,
        "%s: there is no combination %d of %s numbers", r->call, (int)how->by, number->name);
  size_t size = r->message->size;
  CHECK(base, size == 0 || size == number->size, ARGUMENT,
        "%s: elements of %zu bytes, where a %s has %zu; give that or 0", r->call, size,
        number->name, number->size);
  return HYLA_OK;
}

static size_t members_of(const hyla_cube *cube, const hyla_message *m) {
  return hy_request_members(cube, m->apart);
}

/* most: the elements that all blocks together may have. */
static hyla_status check_counts(const hyla_cube *cube, struct hy_base *base,
                                const struct hy_request *r, int64_t most) {
  const int64_t *counts = r->message->counts;
  const enum hy_task task = hy_task_forward(r->what.task);
  CHECK(base, task == HY_TASK_SCATTER || task == HY_TASK_ALLGATHER, ARGUMENT,
        "%s: only scatter, gather, allgather and reduce-scatter take counts; give NULL here",
        r->call);
  for (size_t x = 0, members = members_of(cube, r->message); x < members; x++) {
    CHECK(base, counts[x] >= 0 && counts[x] <= most, ARGUMENT,
          "%s: a block of %lld elements for rank %zu; give 0 or more, of all together up to %lld",
          r->call, (long long)counts[x], x, (long long)most);
    most -= counts[x];
  }
  return HYLA_OK;
}

static hyla_status check_message(const hyla_cube *cube, struct hy_base *base,
                                 const struct hy_request *r) {
  const hyla_message *m = r->message;
  CHECK(base, m != NULL, ARGUMENT, "%s: the message is NULL", r->call);
  CHECK(base, m->apart == 0 || !cube->ranks.shapes.given, ARGUMENT,
        "%s: apart is 0x%x, but this cube's collectives take all %d ranks (option network), which "
        "have no subcubes; give 0",
        r->call, m->apart, cube->ranks.all);
  CHECK(base, is_whole_cube(cube, m->apart), ARGUMENT,
        "%s: apart is 0x%x; the cube has the dimensions of 0x%x", r->call, m->apart,
        hy_all_dims(cube));
  CHECK(base, cube->sides.count == 0 || cube->ranks.shapes.given, UNSUPPORTED,
        "%s needs a cube, whose sides are powers of two, not the array of %u x %u nodes; give the "
        "option network for collectives of all ranks, or the option array \"cube\"",
        r->call, cube->sides.rows, cube->sides.cols);
  if (reduces(r->what.task)) TRY(check_reduction(base, r));
  size_t size = hy_request_size(r);
  CHECK(base, size > 0 && size <= INT32_MAX, ARGUMENT, "%s: elements of %zu bytes", r->call, size);
  int64_t blocks = cube->ranks.all * hy_max(1, r->what.matrices);
  int64_t most = hy_max(0, INT64_MAX / 8 / (int64_t)size / blocks - cube->ranks.all);
  if (m->counts != NULL) return check_counts(cube, base, r, most);
  CHECK(base, m->count >= 0 && m->count <= most, ARGUMENT,
        "%s: messages of %lld elements; give 0 to %lld", r->call, (long long)m->count,
        (long long)most);
  return HYLA_OK;
}

static hyla_status check_phases(struct hy_base *base, const struct hy_request *r, int dims) {
  CHECK(base, r->what.phase_count >= 0 && (r->what.phase_count == 0 || r->phases != NULL), ARGUMENT,
        "%s: %d phases, and where they stand is %s", r->call, r->what.phase_count,
        r->phases == NULL ? "NULL" : "given");
  int64_t sum = 0;
  bool sound = r->what.phase_count <= dims;
  for (int i = 0; i < r->what.phase_count && sound; i++) {
    sound = r->phases[i] >= 1 && r->phases[i] <= dims;
    sum += r->phases[i];
  }
  CHECK(base, r->what.phase_count == 0 || (sound && sum == dims), ARGUMENT,
        "%s: the phases do not sum up to the %d dimensions of a subcube", r->call, dims);
  const char *variant = r->message->variant;
  bool other = variant != NULL && *variant != '\0' && strcmp(variant, "multiphase") != 0;
  CHECK(base, r->what.phase_count == 0 || !other, ARGUMENT,
        "%s: variant %s has no phases; take multiphase", r->call, variant);
  return HYLA_OK;
}

/* What only subcubes have. */
static hyla_status check_cubes(const hyla_cube *cube, struct hy_base *base,
                               const struct hy_request *r) {
  const bool targets = r->extra == HY_NO_EXTRA || r->extra == HY_TARGETS;
  const uint32_t ranks = (uint32_t)cube->ranks.all;
  if (!cube->ranks.shapes.given) return HYLA_OK;
  CHECK(
      base, targets && r->what.task != HY_TASK_WINDOW, UNSUPPORTED,
      "%s: it is for the nodes of a cube, and this cube's collectives take all %u ranks; make the "
      "cube without the option network",
      r->call, ranks);
  CHECK(base, r->what.phase_count == 0, UNSUPPORTED,
        "%s: phases are those of a cube's dimensions, and this cube's collectives take all %u "
        "ranks; give none",
        r->call, ranks);
  CHECK(base, r->code != HYLA_GRAY || (ranks & (ranks - 1)) == 0, UNSUPPORTED,
        "%s: %u ranks are no power of two, so there is no circle in Gray code; give HYLA_BINARY",
        r->call, ranks);
  return HYLA_OK;
}

hyla_status hy_request_check(hyla_cube *cube, const struct hy_request *r, hyla_plan *const *plan) {
  struct hy_base *base = &cube->base;
  CHECK(base, plan != NULL, ARGUMENT, "%s: the place for the plan is NULL", r->call);
  TRY(check_message(cube, base, r));
  TRY(check_cubes(cube, base, r));
  const uint32_t members = hy_request_members(cube, r->message->apart);
  int dims = hy_popcount(hy_request_dims(cube, r->message->apart));
  const struct hy_collective *what = &r->what;
  const bool banded = r->extra == HY_BAND || r->extra == HY_BANDS;
  CHECK(base, what->root < members, ARGUMENT, "%s: the root is %d; give a rank from 0 to %u",
        r->call, (int)what->root, members - 1);
  CHECK(base, !hy_task_chooses(what->task) || what->active != NULL, ARGUMENT, "%s: active is NULL",
        r->call);
  CHECK(base, r->extra != HY_TAGS || what->tags != NULL, ARGUMENT, "%s: tags is NULL", r->call);
  CHECK(base, r->extra != HY_TARGETS || what->to != NULL, ARGUMENT, "%s: to is NULL", r->call);
  CHECK(base, r->code == HYLA_BINARY || r->code == HYLA_GRAY, ARGUMENT, "%s: there is no code %d",
        r->call, (int)r->code);
  bool ring = 0 <= what->nearest && what->nearest <= what->farthest && what->farthest > 0 &&
              what->farthest <= HYLA_DIMS_MAX;
  CHECK(base, r->extra != HY_NEAR || ring, ARGUMENT,
        "%s: distances from %d to %d; give 0 <= nearest <= farthest <= %d, 1 <= farthest", r->call,
        what->nearest, what->farthest, HYLA_DIMS_MAX);
  CHECK(base, !banded || (what->band >= 0 && what->band < hy_max(dims, 1)), ARGUMENT,
        "%s: b is %d; give one below the %d dimensions of a subcube", r->call, what->band, dims);
  CHECK(base, r->extra != HY_BANDS || (1 <= what->matrices && what->matrices <= HYLA_DIMS_MAX),
        ARGUMENT, "%s: %d matrices; give 1 to %d", r->call, what->matrices, HYLA_DIMS_MAX);
  CHECK(base, what->window >= 0 && what->window <= dims, ARGUMENT,
        "%s: a window of %d dimensions; give 0 to %d", r->call, what->window, dims);
  return check_phases(base, r, dims);
}

/* Finding faults of a permutation takes a search.  All ranks make it, and find the same, once they
 * know that all were given the same permutation. */
hyla_status hy_request_targets(struct hy_base *base, const struct hy_request *r, uint32_t members) {
  uint8_t *taken = NULL;
  TRY(hy_alloc(base, members, 1, &taken));
  hyla_status status = HYLA_OK;
  for (uint32_t x = 0; x < members && status == HYLA_OK; x++) {
    int to = r->what.to[x];
    if (to < -1 || to >= (int)members)
      status = hy_fail(base, HYLA_ARGUMENT, "%s: rank %u sends to %d; give -1 to %u", r->call, x,
                       to, members - 1);
    else if (to >= 0 && taken[to]++ != 0)
      status = hy_fail(base, HYLA_ARGUMENT, "%s: rank %d is sent to twice", r->call, to);
  }
  hy_free(base, &taken);
  return status;
}

/* Only for sound requests. */
uint64_t hy_request_fingerprint(const hyla_cube *cube, const struct hy_request *r) {
  const hyla_message *m = r->message;
  const struct hy_collective *what = &r->what;
  const char *variant = m->variant != NULL ? m->variant : "";
  size_t members = members_of(cube, m);
  uint64_t f = hy_fingerprint(0, variant, strlen(variant));
  const int64_t numbers[] = {m->counts != NULL ? -1 : m->count,
                             (int64_t)hy_request_size(r),
                             m->apart,
                             what->root,
                             what->nearest,
                             what->farthest,
                             what->band,
                             what->window,
                             what->matrices,
                             r->code,
                             r->places};
  f = hy_fingerprint(f, numbers, sizeof numbers);
  if (m->counts != NULL) f = hy_fingerprint(f, m->counts, members * sizeof *m->counts);
  if (r->phases != NULL)
    f = hy_fingerprint(f, r->phases, (size_t)what->phase_count * sizeof *r->phases);
  if (what->active != NULL) f = hy_fingerprint(f, what->active, members);
  if (what->tags != NULL) f = hy_fingerprint(f, what->tags, members);
  if (what->to != NULL) f = hy_fingerprint(f, what->to, members * sizeof *what->to);
  if (!reduces(what->task)) return f;
  bool own = own_combination(r);
  const int how[] = {own ? (int)r->reduction->number : -1, own ? (int)r->reduction->by : -1,
                     r->reduction->ordered};
  return hy_fingerprint(f, how, sizeof how);
}
