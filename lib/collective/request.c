/* The requests of users who plan a collective: checks and fingerprint. */
#include "collective/planned.h"

#include <string.h>

uint32_t hy_request_dims(const hyla_cube *cube, uint32_t apart) {
  return ((uint32_t)cube->nodes - 1) & ~apart;
}

static bool is_whole_cube(const hyla_cube *cube, uint32_t apart) {
  return apart < (uint32_t)cube->nodes;
}

int hyla_subcube_ranks(const hyla_cube *cube, uint32_t apart) {
  if (cube == NULL || cube->address < 0 || !is_whole_cube(cube, apart)) return -1;
  return 1 << hy_popcount(hy_request_dims(cube, apart));
}

int hyla_subcube_rank(const hyla_cube *cube, uint32_t apart) {
  if (cube == NULL || cube->address < 0 || !is_whole_cube(cube, apart)) return -1;
  return (int)hy_extract((uint32_t)cube->address, hy_request_dims(cube, apart));
}

static bool own_combination(const struct hy_request *r) {
  return r->reduces && r->reduction->combine == NULL;
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

static bool takes_counts(enum hy_task task) {
  return hy_task_forward(task) == HY_TASK_SCATTER || hy_task_forward(task) == HY_TASK_ALLGATHER;
}

static size_t members_of(const hyla_cube *cube, const hyla_message *m) {
  return (size_t)1 << hy_popcount(hy_request_dims(cube, m->apart));
}

/* most: the elements that all blocks together may have. */
static hyla_status check_counts(const hyla_cube *cube, struct hy_base *base,
                                const struct hy_request *r, int64_t most) {
  const int64_t *counts = r->message->counts;
  CHECK(base, takes_counts(r->task), ARGUMENT,
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
  CHECK(base, is_whole_cube(cube, m->apart), ARGUMENT,
        "%s: apart is 0x%x; the cube has the dimensions of 0x%x", r->call, m->apart,
        (uint32_t)cube->nodes - 1);
  if (r->reduces) TRY(check_reduction(base, r));
  size_t size = hy_request_size(r);
  CHECK(base, size > 0 && size <= INT32_MAX, ARGUMENT, "%s: elements of %zu bytes", r->call, size);
  int64_t blocks = cube->nodes * hy_max(1, r->matrices);
  int64_t most = hy_max(0, INT64_MAX / 8 / (int64_t)size / blocks - cube->nodes);
  if (m->counts != NULL) return check_counts(cube, base, r, most);
  CHECK(base, m->count >= 0 && m->count <= most, ARGUMENT,
        "%s: messages of %lld elements; give 0 to %lld", r->call, (long long)m->count,
        (long long)most);
  return HYLA_OK;
}

static hyla_status check_phases(struct hy_base *base, const struct hy_request *r, int dims) {
  CHECK(base, r->phase_count >= 0 && (r->phase_count == 0 || r->phases != NULL), ARGUMENT,
        "%s: %d phases, and where they stand is %s", r->call, r->phase_count,
        r->phases == NULL ? "NULL" : "given");
  int64_t sum = 0;
  bool sound = r->phase_count <= dims;
  for (int i = 0; i < r->phase_count && sound; i++) {
    sound = r->phases[i] >= 1 && r->phases[i] <= dims;
    sum += r->phases[i];
  }
  CHECK(base, r->phase_count == 0 || (sound && sum == dims), ARGUMENT,
        "%s: the phases do not sum up to the %d dimensions of a subcube", r->call, dims);
  const char *variant = r->message->variant;
  bool other = variant != NULL && *variant != '\0' && strcmp(variant, "multiphase") != 0;
  CHECK(base, r->phase_count == 0 || !other, ARGUMENT,
        "%s: variant %s has no phases; take multiphase", r->call, variant);
  return HYLA_OK;
}

hyla_status hy_request_check(hyla_cube *cube, const struct hy_request *r, hyla_plan *const *plan) {
  struct hy_base *base = &cube->base;
  CHECK(base, plan != NULL, ARGUMENT, "%s: the place for the plan is NULL", r->call);
  TRY(check_message(cube, base, r));
  int dims = hy_popcount(hy_request_dims(cube, r->message->apart));
  CHECK(base, r->root >= 0 && r->root >> dims == 0, ARGUMENT,
        "%s: the root is %d; give a rank from 0 to %d", r->call, r->root, (1 << dims) - 1);
  CHECK(base, !r->chooses || r->active != NULL, ARGUMENT, "%s: active is NULL", r->call);
  CHECK(base, !r->tagged || r->tags != NULL, ARGUMENT, "%s: tags is NULL", r->call);
  CHECK(base, !r->permutes || r->to != NULL, ARGUMENT, "%s: to is NULL", r->call);
  CHECK(base, r->code == HYLA_BINARY || r->code == HYLA_GRAY, ARGUMENT, "%s: there is no code %d",
        r->call, (int)r->code);
  bool ring = 0 <= r->nearest && r->nearest <= r->farthest && r->farthest <= HYLA_DIMS_MAX;
  CHECK(base, !r->near || (ring && r->farthest > 0), ARGUMENT,
        "%s: distances from %d to %d; give 0 <= nearest <= farthest <= %d, 1 <= farthest", r->call,
        r->nearest, r->farthest, HYLA_DIMS_MAX);
  CHECK(base, !r->banded || (r->b >= 0 && r->b < hy_max(dims, 1)), ARGUMENT,
        "%s: b is %d; give one below the %d dimensions of a subcube", r->call, r->b, dims);
  CHECK(base, !r->several || (1 <= r->matrices && r->matrices <= HYLA_DIMS_MAX), ARGUMENT,
        "%s: %d matrices; give 1 to %d", r->call, r->matrices, HYLA_DIMS_MAX);
  CHECK(base, r->window >= 0 && r->window <= dims, ARGUMENT,
        "%s: a window of %d dimensions; give 0 to %d", r->call, r->window, dims);
  return check_phases(base, r, dims);
}

/* Finding faults of a permutation takes a search.  All ranks make it, and find the same, once they
 * know that all were given the same permutation. */
hyla_status hy_request_targets(struct hy_base *base, const struct hy_request *r, uint32_t members) {
  uint8_t *taken = NULL;
  TRY(hy_alloc(base, members, 1, &taken));
  hyla_status status = HYLA_OK;
  for (uint32_t x = 0; x < members && status == HYLA_OK; x++) {
    int to = r->to[x];
    if (to < -1 || to >= (int)members)
      status = hy_fail(base, HYLA_ARGUMENT, "%s: rank %u sends to %d; give -1 to %u", r->call, x,
                       to, members - 1);
    else if (to >= 0 && taken[to]++ != 0)
      status = hy_fail(base, HYLA_ARGUMENT, "%s: rank %d is sent to twice", r->call, to);
  }
  hy_free(base, &taken);
  return status;
}

static uint64_t add_int(uint64_t fingerprint, int64_t value) {
  return hy_fingerprint(fingerprint, &value, sizeof value);
}

/* Only for sound requests. */
uint64_t hy_request_fingerprint(const hyla_cube *cube, const struct hy_request *r) {
  const hyla_message *m = r->message;
  const char *variant = m->variant != NULL ? m->variant : "";
  size_t members = members_of(cube, m);
  uint64_t f = hy_fingerprint(0, variant, strlen(variant));
  const int64_t numbers[] = {m->counts != NULL ? -1 : m->count,
                             (int64_t)hy_request_size(r),
                             m->apart,
                             r->root,
                             r->nearest,
                             r->farthest,
                             r->b,
                             r->window,
                             r->matrices,
                             r->code,
                             r->places};
  f = hy_fingerprint(f, numbers, sizeof numbers);
  if (m->counts != NULL) f = hy_fingerprint(f, m->counts, members * sizeof *m->counts);
  for (int i = 0; i < r->phase_count; i++) f = add_int(f, r->phases[i]);
  for (size_t x = 0; x < members && r->active != NULL; x++) f = add_int(f, r->active[x]);
  for (size_t x = 0; x < members && r->tags != NULL; x++) f = add_int(f, r->tags[x]);
  if (r->to != NULL) f = hy_fingerprint(f, r->to, members * sizeof *r->to);
  if (!r->reduces) return f;
  bool own = own_combination(r);
  f = add_int(f, own ? (int64_t)r->reduction->number : -1);
  f = add_int(f, own ? (int64_t)r->reduction->by : -1);
  return add_int(f, r->reduction->ordered);
}
