/* Scatter in few, growing waves, and gather as its reverse: DISTRIBUTE 2.
 *
 * Method: the root keeps its links busy without a break with k packets.  The last one holds the
 * blocks of its neighbours; each earlier one is r times as long as the next and is for nodes
 * farther away.  A neighbour cuts a wave in wavelets, one for each distance, farthest first; they
 * travel on evenly over all shortest paths.
 * Reference: Stout and Wagar 1990, DISTRIBUTE 2.
 * Time: (2^d - 1) tau m / d + k beta, k about d / log2 d, if tau m / beta is large enough (holds).
 * All ports.  Any lengths.  Memory: room for all blocks.  Up to 16 dimensions. */
#include "collective/papers.h"

#include <math.h>

/* Waves are filled to whole multiples of 1 / CUTS of a distance's blocks.  Any growth from r up to,
 * but not including, d - 1 serves. */
enum { CUTS = 8, WAVELETS_MAX = 2 * HYLA_DIMS_MAX };

struct wavelet {
  int wave;
  int distance;
  uint32_t from; /* from ... to of CUTS */
  uint32_t to;
};

struct waves {
  struct hy_schedule *lists;
  int waves;
  int count;
  struct wavelet wavelets[WAVELETS_MAX];
};

/* The least k with d ((d-1)^k - 1) / (d - 2) >= 2^d - 1. */
static int wave_count(int d) {
  double sum = 0;
  double power = 1;
  int k = 0;
  for (; sum < exp2(d) - 1; k++, power *= d - 1) sum += d * power;
  return k;
}

/* The r with d (1 + r + ... + r^(k-1)) = 2^d - 1. */
static double growth(int d, int k) {
  double low = 0;
  double high = d;
  for (int i = 0; i < 100; i++) {
    double r = (low + high) / 2;
    double sum = 0;
    for (int j = 0; j < k; j++) sum = sum * r + d;
    if (sum < exp2(d) - 1)
      low = r;
    else
      high = r;
  }
  return (low + high) / 2;
}

/* Fills the waves, from the last to the first, with rising distances. */
static void fill_waves(int d, struct waves *waves) {
  struct wavelet filled[WAVELETS_MAX];
  int count = 0;
  waves->waves = wave_count(d);
  double r = growth(d, waves->waves);
  double room = 1; /* in blocks on a link; the last wave is for the neighbours */
  double capacity = 1;
  int wave = waves->waves - 1;
  double amount = 1; /* C(d, i) / d blocks on a link */
  for (int distance = 1; distance <= d; distance++) {
    for (uint32_t from = 0; from < CUTS;) {
      uint32_t fits = wave == 0 ? CUTS : (uint32_t)floor(room * CUTS / amount + 0.5);
      uint32_t to = (uint32_t)hy_min(CUTS, from + (int64_t)fits);
      if (to > from) filled[count++] = (struct wavelet){wave, distance, from, to};
      room -= amount * (to - from) / CUTS;
      from = to;
      if (from == CUTS && (distance > 1 || wave == 0)) break;
      wave--;
      capacity *= r;
      room = capacity;
    }
    amount = amount * (d - distance) / (distance + 1);
  }
  /* Orders the wavelets as they are sent: by wave, farthest first. */
  waves->count = 0;
  for (wave = 0; wave < waves->waves; wave++)
    for (int i = count - 1; i >= 0; i--)
      if (filled[i].wave == wave) waves->wavelets[waves->count++] = filled[i];
}

/* Adds one wavelet's part of a packet of the fan.  Its share of a block is one stretch and is cut
 * as a whole block is.  So words that go on in a step have arrived in their own wave. */
static hyla_status add_packet(const struct waves *waves, int index, uint32_t target,
                              const struct hy_schedule *fan, const struct hy_packet *packet,
                              struct hy_schedule *out) {
  const struct wavelet *wavelet = &waves->wavelets[index];
  int step = packet->step == 0 ? wavelet->wave : waves->waves + index + packet->step;
  uint32_t across = hy_deposit(packet->across, target);
  for (int64_t i = 0; i < packet->count; i++) {
    const struct hy_piece *piece = &fan->pieces[packet->first + i];
    uint32_t start = wavelet->from * waves->lists->parts;
    uint32_t share = wavelet->to - wavelet->from;
    struct hy_piece cut = {.block = target,
                           .run = 1,
                           .from = start + share * piece->from,
                           .to = start + share * piece->to};
    TRY(hy_schedule_add(out, step, across, packet->action, cut));
  }
  return HYLA_OK;
}

/* Everything that the node does for one target: O.C. SEND 3 in the subcube between the root and
 * the target, once for each wavelet of that distance. */
static hyla_status serve(const struct waves *waves, const struct hy_schedule *lists,
                         uint32_t target, uint32_t node, struct hy_schedule *out) {
  struct hy_generator fan = {.make = hy_make_fan, .dims = hy_popcount(target), .table = lists};
  struct hy_schedule inner;
  hy_schedule_init(&inner, out->base);
  hyla_status status = fan.make(&fan, hy_extract(node, target), &inner);
  for (int i = 0; i < waves->count; i++)
    for (int64_t j = 0; j < inner.packet_count && status == HYLA_OK; j++)
      if (waves->wavelets[i].distance == fan.dims)
        status = add_packet(waves, i, target, &inner, &inner.packets[j], out);
  hy_schedule_free(&inner);
  return status;
}

static hyla_status make_waves(const struct hy_generator *generator, uint32_t node,
                              struct hy_schedule *out) {
  const struct waves *waves = generator->table;
  int d = generator->dims;
  out->parts = waves->lists->parts * CUTS;
  out->steps = waves->waves + waves->count + d;
  out->batch = true;
  for (uint32_t target = 1; target >> d == 0; target++)
    if ((node & ~target) == 0) TRY(serve(waves, waves->lists, target, node, out));
  return HYLA_OK;
}

static const char *few_dimensions(const struct hy_collective *c) {
  return c->dims > 16 ? "it takes at most 16 dimensions" : NULL;
}

static hyla_status build(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct waves *waves = NULL;
  TRY(hy_recipe_table(recipe, 1, sizeof *waves, &waves));
  TRY(hy_fan_lists(recipe, c->dims, &waves->lists));
  if (c->dims > 0) fill_waves(c->dims, waves);
  hy_recipe_add(recipe, c, make_waves, waves);
  return HYLA_OK;
}

static struct hy_form form(const struct hy_collective *c) {
  int64_t d = c->dims;
  if (d == 0) return (struct hy_form){0, {0, 1}, 0, 1};
  return (struct hy_form){wave_count((int)d),
                          {((int64_t)1 << d) - 1, d},
                          0,
                          (int64_t)hy_common_multiple((int)d) * CUTS};
}

/* The blocks of a wavelet on a link from a node with `level' ones, the root being level 0.  All
 * links of a level carry the same. */
static double load(int d, const struct wavelet *wavelet, int level) {
  double words = (double)(wavelet->to - wavelet->from) / CUTS / d;
  for (int i = 0; i < wavelet->distance; i++) words *= (double)(d - i) / (i + 1);
  for (int i = 0; i < level; i++) words /= (double)(d - 1 - i) / (i + 1);
  return words;
}

static double wave_load(int d, const struct waves *waves, int wave) {
  double words = 0;
  for (int i = 0; i < waves->count; i++)
    if (waves->wavelets[i].wave == wave) words += load(d, &waves->wavelets[i], 0);
  return words;
}

/* Does no wavelet arrive after the root's last packet?  Each waits at every level for the one
 * before. */
static bool holds(const struct hy_collective *c) {
  const int d = c->dims;
  const double beta = (double)c->beta;
  const double block = (double)c->tau * (double)c->blocks.words;
  double free[HYLA_DIMS_MAX] = {0}, last = 0;
  struct waves waves = {.lists = NULL};
  int wave = -1;
  if (d == 0) return true;
  fill_waves(d, &waves);
  for (int i = 0; i < waves.count; i++) {
    const struct wavelet *wavelet = &waves.wavelets[i];
    if (wavelet->wave != wave) free[0] += beta + block * wave_load(d, &waves, wavelet->wave);
    wave = wavelet->wave;
    double now = free[0];
    for (int level = 1; level < wavelet->distance; level++)
      now = free[level] = fmax(now, free[level]) + load(d, wavelet, level) * block + beta;
    last = fmax(last, now);
  }
  return last <= free[0] * (1 + 1e-12);
}

/* The least tau m / beta for which the form holds, by dimensions from 3 on;
 * tests/formulas/closed_forms.c checks them.  k is explained in the formula's text, and given here
 * for the reader. */
static void letters(const struct hy_collective *c, struct hy_text *text) {
  static const char *const least[] = {"3", "24", "60/29", "15/8", "280/99", "4", "16"};
  const int d = c->dims, known = (int)(sizeof least / sizeof *least);
  hy_text_add(text, ", k = %lld", (long long)form(c).steps);
  if (d < 3) hy_text_add(text, ", c = 0");
  if (d >= 3 && d - 3 < known) hy_text_add(text, ", c = %s", least[d - 3]);
}

const struct hy_collective_variant hy_scatter_sw90_2 = {
    .base = {.name = "sw90-2", .reference = "stout-wagar-1990, DISTRIBUTE 2"},
    .applies = few_dimensions,
    .task = HY_TASK_SCATTER,
    .formula = "(2^d-1)/d tau m + k beta, k = least(k: sum(j = 1 ... k: d (d-1)^(j-1)) >= 2^d-1), "
               "tau m >= c beta",
    .asynchronous = true,
    .build = build,
    .form = form,
    .letters = letters,
    .holds = holds,
};
