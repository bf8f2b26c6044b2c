/* Teams: blocks gathered from their shares, and products added into shares, by
 * recursive doubling and halving.  See team.h.
 *
 * The bits of a part number are taken one by one: an all-gather joins what two
 * nodes hold that differ in bit 0, then 1, ...; an addition splits by the
 * highest bit first.  Bit t of the part number is the address bit axis.dim[t],
 * also in Gray code, in which the nodes that agree in all higher bits hold the
 * same stretch of parts. */
#include "gemm/team.h"

struct hy_team hy_team_make(const struct hy_axis *axis, int bits, int node) {
  int own = hy_part_of(axis, node) & ((1 << bits) - 1);
  return (struct hy_team){.axis = axis, .bits = bits, .node = node, .own = own};
}

struct hy_team hy_team_stack(const struct hy_axis *axis, int low, int bits, int node) {
  int own = hy_part_of(axis, node) >> low & ((1 << bits) - 1);
  return (struct hy_team){
      .axis = axis, .low = low, .bits = bits, .node = node, .own = own, .stacked = true};
}

int hy_team_part(const struct hy_team *team, int member) {
  return hy_part_of(team->axis, team->node) + (member - team->own) * (1 << team->low);
}

int64_t hy_team_total(const struct hy_team *team) {
  return hy_team_before(team, team->axis->n, 1 << team->bits);
}

int64_t hy_team_from(const struct hy_team *team, int64_t round) {
  int64_t part = hy_part_of(team->axis, team->node) - team->own;
  return hy_min(team->axis->n, (round * team->axis->parts + part) * team->axis->block);
}

int64_t hy_team_length(const struct hy_team *team, int64_t round) {
  int64_t all = team->axis->block << team->bits;
  return hy_min(team->axis->n - hy_team_from(team, round), all);
}

int64_t hy_team_before(const struct hy_team *team, int64_t length, int member) {
  if (!team->stacked) {
    int64_t at = hy_min(length, member * team->axis->block);
    if (!team->limited) return at;
    const struct hy_reach *limits = &team->limits;
    return hy_max(limits->from, hy_min(limits->from + limits->count, at));
  }
  int64_t held = 0;
  for (int x = 0; x < member; x++) held += hy_held(team->axis, hy_team_part(team, x));
  return held;
}

/* Members first ... first + 2^step - 1, of which the node is one, and the same
 * number that the peer over bit `step` stands for. */
struct halves {
  int peer;
  int64_t mine, mine_length;
  int64_t theirs, theirs_length;
};

static struct halves halves_at(const struct hy_team *team, int step, int64_t length) {
  int run = 1 << step, first = team->own & -run, other = first ^ run;
  int64_t mine = hy_team_before(team, length, first);
  int64_t theirs = hy_team_before(team, length, other);
  return (struct halves){team->node ^ 1 << team->axis->code.dim[team->low + step], mine,
                         hy_team_before(team, length, first + run) - mine, theirs,
                         hy_team_before(team, length, other + run) - theirs};
}

static struct hy_message message(enum hy_verb verb, int peer, void *data, int64_t entries,
                                 size_t size) {
  return (struct hy_message){
      .verb = verb, .peer = peer, .bytes = entries * (int64_t)size, .data = data};
}

int hy_team_spread(const struct hy_team *team, int step, int64_t across, int64_t length,
                   size_t size, char *data, struct hy_message *messages) {
  if (step >= team->bits) return 0;
  struct halves at = halves_at(team, step, length);
  char *in = data + at.theirs * across * (int64_t)size;
  char *out = data + at.mine * across * (int64_t)size;
  messages[0] = message(HY_RECV, at.peer, in, at.theirs_length * across, size);
  messages[1] = message(HY_SEND, at.peer, out, at.mine_length * across, size);
  return 2;
}

/* -------------------------------------------------------------- product -- */

struct hy_product hy_product_make(const struct hy_gemm_problem *problem, int bits, int node) {
  const struct hy_operand *c = &problem->c;
  struct hy_product product = {.team = hy_team_make(&c->col, bits, node)};
  product.rows = hy_held_at(&c->row, node);
  product.cols = bits > 0 ? hy_team_length(&product.team, 0) : hy_held_at(&c->col, node);
  return product;
}

/* Entries of the product and of what is received at a time. */
static int64_t data_entries(const struct hy_product *p) {
  return p->team.bits == 0 ? 0 : p->rows * p->cols;
}

static int64_t work_entries(const struct hy_product *p) {
  if (p->team.bits == 0) return 0;
  return p->rows * halves_at(&p->team, p->team.bits - 1, p->cols).mine_length;
}

hyla_status hy_product_take(const struct hy_gemm_task *task, struct hy_product *p) {
  struct hy_base *base = &task->problem.cube->base;
  size_t size = task->problem.kernels->size;
  if (p->team.bits == 0) return HYLA_OK;
  TRY(hy_alloc_data(base, data_entries(p), size, &p->data));
  return hy_alloc_data(base, work_entries(p), size, &p->work);
}

void hy_product_free(hyla_cube *cube, struct hy_product *p) {
  hy_free(&cube->base, &p->data);
  hy_free(&cube->base, &p->work);
}

static struct hy_leaf leaf_of(const struct hy_gemm_problem *problem, const struct hy_product *p,
                              int64_t from, int64_t to, int64_t start, int64_t width) {
  const struct hy_operand *c = &problem->c;
  struct hy_leaf leaf = {.rows = hy_indices_of(&c->row, p->team.node),
                         .cols = hy_indices_of(&c->col, p->team.node),
                         .inner = hy_interval(start, width)};
  if (p->team.bits > 0) leaf.cols = hy_interval(hy_team_from(&p->team, 0), p->cols);
  leaf.cols.first += from;
  leaf.cols.count = to - from;
  return leaf;
}

void hy_product_add(const struct hy_gemm_task *task, const struct hy_product *p, bool first,
                    int64_t from, int64_t to, const struct hy_panel *a, const struct hy_panel *b,
                    int64_t start, int64_t width) {
  const hyla_matrix *c = task->c;
  /* The first product also sets what is to be added to, whatever its width. */
  if (width == 0 && !first) return;
  struct hy_leaf leaf = leaf_of(&task->problem, p, from, to, start, width);
  struct hy_panel part = hy_panel_at(b, 0, from, c->k->size);
  leaf.a = a;
  leaf.b = &part;
  leaf.beta = !first ? 1 : p->data == NULL ? task->beta : 0;
  leaf.ld = p->data == NULL ? c->ld : p->rows;
  leaf.data = (p->data == NULL ? c->local : p->data) + from * leaf.ld * (int64_t)c->k->size;
  hy_leaf_multiply(task, &leaf);
}

void hy_product_put(const struct hy_gemm_task *task, const char *share, int64_t rows,
                    int64_t cols) {
  const hyla_matrix *c = task->c;
  const struct hy_kernels *k = c->k;
  if (rows == 0 || cols == 0) return;
  hy_count_copied(c->cube, rows * cols);
  if (task->beta == 0) {
    k->copy(HYLA_NONE, (int)rows, (int)cols, 1, share, (int)rows, c->local, (int)c->ld);
    return;
  }
  for (int64_t j = 0; j < cols && task->beta != 1; j++)
    k->scale((int)rows, task->beta, hy_at(c, 0, j), 1);
  k->add((int)rows, (int)cols, share, (int)rows, c->local, (int)c->ld);
  hy_compute(c->cube, rows * cols, k->size, k->complex_type);
}

hyla_status hy_product_finish(const struct hy_gemm_task *task, const struct hy_product *p) {
  const struct hy_kernels *k = task->problem.kernels;
  hyla_cube *cube = task->problem.cube;
  if (p->team.bits == 0) return HYLA_OK;
  for (int step = p->team.bits - 1; step >= 0; step--) {
    struct halves at = halves_at(&p->team, step, p->cols);
    char *mine = p->data + at.mine * p->rows * (int64_t)k->size;
    char *theirs = p->data + at.theirs * p->rows * (int64_t)k->size;
    struct hy_message messages[] = {
        message(HY_RECV, at.peer, p->work, at.mine_length * p->rows, k->size),
        message(HY_SEND, at.peer, theirs, at.theirs_length * p->rows, k->size)};
    TRY(hy_link_step(cube, messages, 2));
    int rows = (int)p->rows, cols = (int)at.mine_length;
    if (rows == 0 || cols == 0) continue;
    k->add(rows, cols, p->work, rows, mine, rows);
    hy_count_copied(cube, p->rows * at.mine_length);
    hy_compute(cube, p->rows * at.mine_length, k->size, k->complex_type);
  }
  int64_t own = hy_team_before(&p->team, p->cols, p->team.own);
  int64_t cols = hy_team_before(&p->team, p->cols, p->team.own + 1) - own;
  hy_product_put(task, p->data + own * p->rows * (int64_t)k->size, p->rows, cols);
  return HYLA_OK;
}
