/* Redistribution, variant "waves": consecutive to cyclic storage or back, pipelined over all
 * dimensions at once.
 *
 * Method: waves.h says which element crosses which dimension when.  Letters: N indices in elements,
 * k dimensions of an axis, K dimensions of both axes, g packets.  Each dimension is crossed by g
 * packets of several waves, one behind the other; dimension j begins one step after dimension
 * j - 1.  From cyclic to consecutive storage time runs backwards.
 * Reference: Johnsson 1987, theorems 3.1 (one axis), 3.2 (both), 3.3 (under Gray code).
 * Layout: axes of b 2^n indices on 2^k parts, n > k, consecutive on one side and cyclic in blocks
 * of b on the other, with the same code on the same dimensions; an axis that is not converted has
 * one layout on both sides.  Steps: g + K - 1.  With packets of one element these are
 * N/2^(k+1) + k - 1 for one axis and 2^(2(n-k)-1) + 2k - 1 for two equal ones.
 * Words: half of a node's entries over each dimension.  All ports.
 * Memory: a node's entries once more, and the packets of a step. */
#include "redistribute/redistribute.h"
#include "redistribute/waves.h"

#include <math.h>
#include <string.h>

struct state {
  const struct hy_redistribution *problem;
  struct hy_waves waves;
  bool back;          /* from cyclic to consecutive storage */
  int64_t rows, cols; /* of an element: a block of entries */
  int64_t packet;     /* elements in a packet */
  int64_t groups;     /* packets over a link, g */
  hyla_cost cost;
  char *data;            /* the places, one element each */
  char *sent, *received; /* one packet for each dimension */
};

/* ------------------------------------------------------ does it apply -- */

/* Does each part have consecutive blocks of `unit', the same number of them? */
static bool is_consecutive(const struct hy_axis *axis, int64_t unit) {
  return axis->block * axis->parts == axis->total && axis->block % unit == 0;
}

/* The conversion of an axis: 1 to cyclic storage, -1 back, 0 none, 2 unsuitable. */
static int direction(const struct hy_axis *from, const struct hy_axis *to, int64_t *unit,
                     struct hy_wave_axis *wave) {
  *wave = (struct hy_wave_axis){0};
  *unit = 0;
  if (from->first != 0 || to->first != 0 || from->n != from->total || to->n != to->total) return 2;
  if (hy_axis_equal(from, to)) return 0;
  *unit = hy_min(from->block, to->block);
  int64_t count = from->total / *unit;
  bool same = from->code.dims == to->code.dims && from->code.code == to->code.code &&
              memcmp(from->code.dim, to->code.dim, (size_t)from->code.dims) == 0;
  bool gray = from->code.code == HYLA_GRAY;
  if (!same || (gray && (from->code.binary != 0 || to->code.binary != 0))) return 2;
  int n = count > 0 && count < INT64_C(1) << 31 ? hy_log2_floor((uint32_t)count) : 0;
  if (n <= from->code.dims || count * *unit != from->total || count != INT64_C(1) << n) return 2;
  wave->n = n;
  wave->k = from->code.dims;
  wave->gray = gray;
  memcpy(wave->dim, from->code.dim, (size_t)wave->k);
  if (to->block == *unit && is_consecutive(from, *unit)) return 1;
  return from->block == *unit && is_consecutive(to, *unit) ? -1 : 2;
}

/* Describes the conversion, without places; false if the variant does not serve it. */
static bool describe(const struct hy_redistribution *problem, struct state *s) {
  const hyla_transfer *t = &problem->transfers[0];
  struct hy_wave_axis axis[2];
  int64_t unit[2];
  int row = direction(&t->from->row, &t->to->row, &unit[0], &axis[0]);
  int col = direction(&t->from->col, &t->to->col, &unit[1], &axis[1]);
  if (row == 2 || col == 2 || row * col == -1 || (row == 0 && col == 0)) return false;
  if (t->from->unused_dims != 0 || t->to->unused_dims != 0) return false;
  *s = (struct state){.problem = problem, .waves = hy_waves_of(axis), .back = row + col < 0};
  s->rows = row != 0 ? unit[0] : t->from->local_rows;
  s->cols = col != 0 ? unit[1] : t->from->local_cols;
  return s->waves.bits < 30;
}

static const char *applies(const void *given) {
  const struct hy_redistribution *problem = given;
  struct state s;
  if (problem->count != 1) return "it moves one matrix at a time";
  if (hy_redistribution_cuts(problem)) return "it moves whole matrices";
  const hyla_transfer *t = &problem->transfers[0];
  if (t->op != HYLA_NONE || t->alpha != 1) return "it neither turns nor scales entries";
  return describe(problem, &s)
             ? NULL
             : "it needs all nodes, and an axis of b 2^n indices on 2^k parts, n > k, "
               "consecutive on the one side and cyclic, in blocks of b, on the other";
}

/* ------------------------------------------------------------ the plan -- */

static int64_t packet_bytes(const struct state *s) {
  return s->packet * s->rows * s->cols * (int64_t)s->problem->k->size;
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  (void)variant;
  const struct hy_redistribution *problem = given;
  const hyla_machine *machine = &problem->cube->session.machine;
  struct state *s = NULL;
  hyla_status status = hy_agree(problem->cube, hy_alloc(&problem->cube->base, 1, sizeof *s, &s));
  *state = s;
  TRY(status);
  (void)describe(problem, s);
  s->groups = 1;
  int64_t entries = s->rows * s->cols, dims = s->waves.dims;
  /* The g that minimizes (g + K - 1)(alpha + beta m / g), for m bytes over a link. */
  double bytes = ldexp((double)entries, s->waves.bits) * (double)problem->k->size, least = INFINITY;
  for (int i = 0; i <= s->waves.bits; i++) {
    double groups = ldexp(1, i);
    double time = (groups + (double)dims - 1) * (machine->alpha + machine->beta * bytes / groups);
    if (time >= least) continue;
    least = time;
    s->groups = INT64_C(1) << i;
  }
  s->packet = (INT64_C(1) << s->waves.bits) / s->groups;
  if (problem->cube->address < 0 || entries == 0) return HYLA_OK;
  s->cost = (hyla_cost){.steps = s->groups + dims - 1,
                        .messages = s->groups * dims,
                        .words = (dims * entries) << s->waves.bits,
                        .memory = s->waves.held * entries * (int64_t)problem->k->size +
                                  2 * dims * packet_bytes(s),
                        .copied = 2 * s->waves.held * entries};
  s->cost.copied += 2 * s->cost.words;
  return HYLA_OK;
}

static hyla_cost cost(const void *state) { return ((const struct state *)state)->cost; }

static hyla_status allocate(void *state) {
  struct state *s = state;
  hyla_cube *cube = s->problem->cube;
  size_t size = s->problem->k->size;
  int64_t entries = s->rows * s->cols;
  if (s->cost.steps == 0) return HYLA_OK;
  TRY(hy_waves_make(&cube->base, s, (uint32_t)cube->address, &s->waves));
  TRY(hy_alloc_data_for(&cube->base, s, s->waves.held * entries, size, &s->data));
  TRY(hy_alloc_data_for(&cube->base, s, s->waves.dims * packet_bytes(s), 1, &s->sent));
  return hy_alloc_data_for(&cube->base, s, s->waves.dims * packet_bytes(s), 1, &s->received);
}

/* -------------------------------------------------------------- the run -- */

/* Copies all elements from a matrix to their places, or back.  numbers: the element in each
 * place. */
static void copy_all(const struct state *s, const hyla_matrix *matrix, const int32_t *numbers,
                     bool in) {
  size_t size = s->problem->k->size, column = (size_t)s->rows * size;
  const struct hy_wave_axis *row = &s->waves.axis[0];
  int rows = row->n - row->k; /* bits of a number */
  char *place = s->data;
  for (int64_t p = 0; p < s->waves.held; p++) {
    int64_t l = (numbers[p] & ((1 << rows) - 1)) * s->rows, m = (numbers[p] >> rows) * s->cols;
    for (int64_t j = 0; j < s->cols; j++, place += column) {
      char *entries = hy_at(matrix, l, m + j);
      memcpy(in ? place : entries, in ? entries : place, column);
    }
  }
}

/* Copies a packet of waves from its places to a buffer, or back. */
static void copy_packet(const struct state *s, int j, int64_t group, char *packet, bool in) {
  size_t element = (size_t)(s->rows * s->cols) * s->problem->k->size;
  const int32_t *places = s->waves.places + ((int64_t)j << s->waves.bits) + group * s->packet;
  for (int64_t i = 0; i < s->packet; i++, packet += element) {
    char *place = s->data + (size_t)places[i] * element;
    memcpy(in ? place : packet, in ? packet : place, element);
  }
}

/* Sends the packets of one step: over dimension j the waves of group step - j. */
static hyla_status run_step(const struct state *s, int64_t step) {
  hyla_cube *cube = s->problem->cube;
  struct hy_message messages[2 * HYLA_DIMS_MAX];
  int count = 0, first = (int)hy_max(0, step - s->groups + 1);
  int last = (int)hy_min(step, s->waves.dims - 1);
  int64_t bytes = packet_bytes(s);
  bool dry = hy_cube_dry(cube);
  for (int j = first; j <= last; j++) {
    int peer = cube->address ^ 1 << hy_waves_dim(&s->waves, j);
    if (!dry) copy_packet(s, j, step - j, s->sent + j * bytes, false);
    messages[count++] = (struct hy_message){
        .verb = HY_SEND, .peer = peer, .bytes = bytes, .data = s->sent + j * bytes};
    messages[count++] = (struct hy_message){
        .verb = HY_RECV, .peer = peer, .bytes = bytes, .data = s->received + j * bytes};
  }
  TRY(hy_link_step(cube, messages, count));
  for (int j = first; j <= last && !dry; j++)
    copy_packet(s, j, step - j, s->received + j * bytes, true);
  return HYLA_OK;
}

static hyla_status run(void *state) {
  const struct state *s = state;
  const hyla_transfer *t = &s->problem->transfers[0];
  int64_t steps = s->cost.steps;
  if (steps == 0) return HYLA_OK;
  bool dry = hy_cube_dry(s->problem->cube);
  if (!dry) copy_all(s, t->from, s->back ? s->waves.last : s->waves.first, true);
  for (int64_t i = 0; i < steps; i++) TRY(run_step(s, s->back ? steps - 1 - i : i));
  if (!dry) copy_all(s, t->to, s->back ? s->waves.first : s->waves.last, false);
  return HYLA_OK;
}

/* Prints the theorem's count. */
static void explain_theorem(const struct state *s, struct hy_text *text) {
  const struct hy_wave_axis *row = &s->waves.axis[0], *col = &s->waves.axis[1];
  bool both = row->k > 0 && col->k > 0, alike = row->k == col->k && row->n == col->n;
  bool gray = row->gray || col->gray;
  int64_t half = INT64_C(1) << s->waves.bits;
  hy_text_add(text, "  published: %lld", (long long)(half + s->waves.dims - 1));
  if (!both)
    hy_text_add(text, " = N/2^(k+1) + k - 1 (johnsson-1987, theorem %s)", gray ? "3.3" : "3.1");
  else
    hy_text_add(text, " = %s (johnsson-1987, theorem%s)",
                alike ? "2^(2(n-k)-1) + 2k - 1" : "half of the elements of a node + k + k' - 1",
                gray ? "s 3.2 and 3.3" : " 3.2");
  const struct hy_wave_axis *one = row->k > 0 ? row : col;
  if (!both)
    hy_text_add(text, " steps of one element, N = 2^%d, k = %d\n", one->n, one->k);
  else if (alike)
    hy_text_add(text, " steps of one element, n = %d, k = %d\n", one->n, one->k);
  else
    hy_text_add(text, " steps of one element, 2^%d elements of a node, k = %d, k' = %d\n",
                s->waves.bits + 1, row->k, col->k);
}

static void explain(const void *state, struct hy_text *text) {
  const struct state *s = state;
  explain_theorem(s, text);
  hy_text_add(
      text,
      "  packets over each of %d dimensions: %lld, of %lld elements of %lld x %lld entries; "
      "steps: %lld\n",
      s->waves.dims, (long long)s->groups, (long long)s->packet, (long long)s->rows,
      (long long)s->cols, (long long)(s->groups + s->waves.dims - 1));
}

const struct hy_variant hy_redistribute_waves = {
    .name = "waves",
    .reference = "johnsson-1987, theorems 3.1 to 3.3",
    .applies = applies,
    HY_OPERATIONS,
    .cost = cost,
};
