/* Stretches of k go from the face of an array to its planes.  See split_operand.h.
 *
 * On their way along the planes' number the indices of k take their entries on the other axis with
 * them.  B's travel in chunks that are stored by columns, so that nothing is packed twice.  In its
 * plane, the high bits of a node's part of the axis name the plane whose stretch the node has a
 * piece of.  If the axis has more parts than there are planes, several nodes have one piece each.
 *
 * Example: two planes, an axis of 4 parts on the face, k = 8.  Parts 0 and 1 have the stretch 0 ...
 * 3 of plane 0, parts 2 and 3 the stretch 4 ... 7, which they send to plane 1.  In plane 1, part 2
 * broadcasts {4, 5} to part 0, part 3 broadcasts {6, 7} to part 1, and neighbours gather both
 * pieces. */
#include "gemm/split_operand_body.h"

/* Indices from ... to-1 of k. */
struct range {
  int64_t from, to;
};

static int64_t entries_of(const struct hy_split_operand *s, struct range range) {
  return (range.to - range.from) * s->beside.count;
}

/* The bytes between two indices. */
static int64_t bytes_between(const struct hy_split_operand *s, int64_t from, int64_t to) {
  return (to - from) * s->beside.count * (int64_t)s->problem->kernels->size;
}

/* The block stays where it is if nothing is moved, broadcast or gathered. */
static bool stays(const struct hy_split_operand *s) {
  return s->planes.bits == 0 && s->axis->code.dims == 0;
}

/* The indices in part `part' of the face that belong to the planes whose number, without its
 * `level' lowest bits, is `prefix'. */
static struct range overlap(const struct hy_split_operand *s, int part, int prefix, int level) {
  const struct hy_planes *p = &s->planes;
  int64_t stretches = p->length << level, n = s->axis->n;
  int64_t from = hy_max(part * p->block, prefix * stretches);
  int64_t to = hy_min((part + 1) * p->block, (prefix + 1) * stretches);
  from = hy_min(n, from);
  return (struct range){from, hy_max(from, hy_min(n, to))};
}

/* The indices that come to this node, some only to pass through: those of all planes that agree
 * with its own above its lowest 1. */
static struct range passing(const struct hy_split_operand *s) {
  const struct hy_planes *p = &s->planes;
  int level = p->own == 0 ? p->bits : hy_lowest((uint32_t)p->own);
  return overlap(s, hy_part_of(s->axis, s->node), p->own >> level, level);
}

struct hy_indices hy_split_operand_plane(const struct hy_split_operand *s) {
  const struct hy_planes *p = &s->planes;
  int64_t from = hy_min(s->axis->n, p->own * p->length);
  return hy_interval(from, hy_min(s->axis->n - from, p->length));
}

/* The number of high bits of the part that name a plane; the bits below name one of its pieces. */
static int high_bits(const struct hy_split_operand *s) {
  return (int)hy_min(s->axis->code.dims, s->planes.bits);
}

/* The part that sends this node its piece. */
static int root_of(const struct hy_split_operand *s) {
  int bits = s->axis->code.dims, high = high_bits(s);
  int low = hy_part_of(s->axis, s->node) & ((1 << (bits - high)) - 1);
  return s->planes.own >> (s->planes.bits - high) << (bits - high) | low;
}

static struct range piece_of(const struct hy_split_operand *s) {
  return overlap(s, root_of(s), s->planes.own, 0);
}

/* The dimensions of the high bits of the axis. */
static uint32_t high_mask(const struct hy_split_operand *s) {
  const hyla_axis *code = &s->axis->code;
  uint32_t mask = 0;
  for (int t = code->dims - high_bits(s); t < code->dims; t++) mask |= UINT32_C(1) << code->dim[t];
  return mask;
}

/* The first workspace is for indices that pass through, the second one for the plane's stretch. */
static hyla_status allocate(struct hy_split_operand *s) {
  hyla_cube *cube = s->factor.matrix->cube;
  size_t size = s->problem->kernels->size;
  const struct hy_fiber pieces = hy_fiber_make(s->axis, s->axis->code.dims - high_bits(s), s->node);
  int64_t length = hy_split_operand_plane(s).count;
  if (stays(s)) return HYLA_OK;
  TRY(hy_alloc_data_for(&cube->base, s->owner, entries_of(s, passing(s)), size, &s->room[0]));
  TRY(hy_alloc_data_for(&cube->base, s->owner, length * s->beside.count, size, &s->room[1]));
  TRY(hy_subcube_make_for(s->owner, cube, high_mask(s), HY_TASK_BROADCAST,
                          entries_of(s, piece_of(s)), size, NULL, &s->group));
  TRY(hy_subcube_allocate(&s->group));
  return hy_fiber_group_allocate(s->owner, cube, &pieces, HY_TASK_ALLGATHER, s->beside.count,
                                 length, size, &s->pieces);
}

/* On the face: puts the node's block to the first workspace, B's in chunks. */
static void begin(struct hy_split_operand *s) {
  const struct hy_panel block = hy_panel_own(&s->factor);
  const struct hy_reach all = {0, s->beside.count};
  const struct range own = passing(s);
  if (s->planes.own != 0 || stays(s)) return;
  for (int64_t from = own.from, next; from < own.to; from = next) {
    next = s->rows ? hy_min(own.to, from + s->planes.chunk) : own.to;
    const struct hy_panel part = hy_split_operand_at(s, &block, from - own.from);
    hy_split_operand_copy(s, &part, next - from, &all,
                          s->room[0] + bytes_between(s, own.from, from),
                          hy_max(1, s->rows ? next - from : s->beside.count));
  }
}

static const struct hy_split_operand_use PLANES = {.allocate = allocate, .begin = begin};

void hy_split_operand_on_planes(struct hy_split_operand *s, uint32_t along, int finest) {
  struct hy_planes *p = &s->planes;
  int64_t panel = hy_ceil_div(s->axis->n, finest);
  s->use = &PLANES;
  p->along = along;
  p->bits = hy_popcount(along);
  p->own = (int)hy_extract((uint32_t)s->node, along);
  p->length = panel * (finest >> p->bits);
  p->block = panel * (finest >> s->axis->code.dims);
  p->chunk = s->rows ? hy_max(1, hy_min(p->length, p->block)) : hy_max(1, p->length);
}

void hy_split_operand_to_planes(struct hy_split_operand *s, int bit, struct hy_step *step) {
  const struct hy_planes *p = &s->planes;
  int lower = p->own & ((2 << bit) - 1);
  bool sends = lower == 0, receives = lower == 1 << bit;
  if (stays(s) || (!sends && !receives)) return;
  /* The indices of the planes beyond the bit go from nodes whose bits up to it are 0 to nodes whose
   * lowest 1 is that bit. */
  struct range range = overlap(s, hy_part_of(s->axis, s->node), p->own >> bit | 1, bit);
  int peer = s->node ^ (int)hy_deposit(UINT32_C(1) << bit, p->along);
  hy_step_add(step, sends ? HY_SEND : HY_RECV, peer,
              s->room[0] + bytes_between(s, passing(s).from, range.from),
              bytes_between(s, range.from, range.to));
}

hyla_status hy_split_operand_over_plane(struct hy_split_operand *s) {
  const struct range piece = piece_of(s);
  int root = root_of(s);
  if (stays(s)) return HYLA_OK;
  char *place = s->room[1] + bytes_between(s, hy_split_operand_plane(s).first, piece.from);
  if (hy_part_of(s->axis, s->node) == root)
    hy_copy_entries(s->problem->kernels, place,
                    s->room[0] + bytes_between(s, passing(s).from, piece.from),
                    entries_of(s, piece));
  TRY(hy_subcube_broadcast(&s->group, hy_node_along(s->axis, s->node, root), place,
                           entries_of(s, piece)));
  if (s->pieces.offsets == NULL) return HYLA_OK;
  return hy_subcube_allgather(&s->pieces.group, s->room[1], s->pieces.offsets);
}

int64_t hy_split_operand_plane_chunk(const struct hy_split_operand *s) { return s->planes.chunk; }

struct hy_panel hy_split_operand_plane_at(const struct hy_split_operand *s, int64_t from) {
  const struct hy_panel own = hy_panel_own(&s->factor);
  if (stays(s)) return hy_split_operand_at(s, &own, from);
  int64_t width = hy_min(s->planes.chunk, hy_split_operand_plane(s).count - from);
  int64_t ld = hy_max(1, s->rows ? width : s->beside.count);
  return (struct hy_panel){s->room[1] + bytes_between(s, 0, from), ld, HYLA_NONE};
}
