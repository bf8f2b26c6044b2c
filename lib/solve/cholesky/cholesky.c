/* Cholesky: A = L L^H for Hermitian positive definite A, right-looking, blocked.
 *
 * Layout: block-cyclic on any 2^r x 2^c array, binary or Gray, square blocks.
 * For k = 0, 1, ...: the diagonal block is factored on one rank and broadcast down rank column
 * q_k, whose ranks solve for their rows of panel k; the panel is lent along the rank rows
 * (panel.c); in each rank column its members put together the panel's rows that stand for their
 * columns; every rank updates its part of the lower triangle (cholesky_update.c).  Panel k + 1
 * is brought up to date, factored and lent before the rest of update k, so that its way overlaps
 * with the products (look-ahead of one panel).
 * Reference: Johnsson 1987, section 6, for the layout and the elimination; look-ahead as in LU.
 *
 * The inverse of a problem that is one: cholesky_inverse.c.
 *
 * Steps a panel: r for the diagonal block, at most c for the panel, r for its rows.  Flops:
 * n^3 / 3 on all ranks together.
 * Workspace: three panels, two panels' rows more. */
#include "solve/cholesky/cholesky.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static struct hy_cholesky_panel panel_at(const struct hy_cholesky *c, int64_t index) {
  struct hy_cholesky_panel panel = {.at = hy_diagonal_block(&c->array, index)};
  const struct hy_diagonal_block *at = &panel.at;
  panel.rows = (int)hy_rows_behind(at);
  panel.row = at->row + at->rows - panel.rows;
  panel.ld = (int)hy_max(1, panel.rows);
  panel.bytes = HY_PANEL_HEADER + (int64_t)panel.rows * at->width * (int64_t)c->k->size;
  return panel;
}

/* ------------------------------------------------------- diagonal blocks -- */

static struct hy_panel_header *header_of(char *message) {
  return (struct hy_panel_header *)(void *)message;
}

/* Why a block could not be factored: Cholesky's algorithm column by column, for the first pivot
 * that is not above zero. */
static struct hy_panel_header find_failure(const struct hy_kernels *k, int width, char *block) {
  for (int j = 0; j < width; j++) {
    double pivot = creal(k->get(block, (int64_t)j * width + j));
    for (int l = 0; l < j; l++) {
      double _Complex entry = k->get(block, (int64_t)l * width + j);
      pivot -= creal(entry) * creal(entry) + cimag(entry) * cimag(entry);
    }
    if (!isfinite(pivot)) return (struct hy_panel_header){HYLA_NOT_FINITE, j + 1};
    if (pivot <= 0) return (struct hy_panel_header){HYLA_INDEFINITE, j + 1};
    for (int i = j + 1; i < width; i++) {
      double _Complex entry = k->get(block, (int64_t)j * width + i);
      for (int l = 0; l < j; l++)
        entry -=
            k->get(block, (int64_t)l * width + i) * conj(k->get(block, (int64_t)l * width + j));
      k->set(block, (int64_t)j * width + i, entry / sqrt(pivot));
    }
  }
  /* The numbers are on the edge, and LAPACK's sums fell on the other side. */
  return (struct hy_panel_header){HYLA_INDEFINITE, width};
}

/* Is a factor's diagonal finite?  A NaN or an infinity anywhere in a row of the lower triangle
 * comes to the diagonal. */
static bool is_finite(const struct hy_kernels *k, int width, const char *block) {
  for (int j = 0; j < width; j++)
    if (!isfinite(creal(k->get(block, (int64_t)j * width + j)))) return false;
  return true;
}

/* On the rank that has it. */
static void factor_block(struct hy_cholesky *c, const struct hy_diagonal_block *at) {
  const struct hy_kernels *k = c->k;
  int64_t width = at->width;
  char *own = hy_at(c->a, at->row, at->column), *block = c->diagonal + HY_PANEL_HEADER;
  struct hy_panel_header header = {HYLA_OK, 0};
  if (c->problem->n == 1 && !k->dry) k->set(&c->entry, 0, creal(k->get(own, 0))); /* alone */
  k->copy(HYLA_NONE, at->width, at->width, 1, own, (int)c->a->ld, block, at->width);
  int failed = k->potrf(at->width, block, at->width);
  hy_compute(c->cube, width * width * width / 3, k->size, k->complex_type);
  hy_count_copied(c->cube, 2 * width * width);
  if (k->dry) return;
  if (failed > 0 || !is_finite(k, at->width, block)) {
    k->copy(HYLA_NONE, at->width, at->width, 1, own, (int)c->a->ld, block, at->width);
    header = find_failure(k, at->width, block);
    header.column += at->first;
  } else {
    k->copy(HYLA_NONE, at->width, at->width, 1, block, at->width, own, (int)c->a->ld);
  }
  *header_of(c->diagonal) = header;
}

/* --------------------------------------------------------------- panels -- */

/* On q_k: the panel's rows are solved for, in place, and copied to the message. */
static void solve_rows(const struct hy_cholesky *c, const struct hy_cholesky_panel *panel) {
  const struct hy_kernels *k = c->k;
  const struct hy_diagonal_block *at = &panel->at;
  char *own = hy_at(c->a, panel->row, at->column);
  k->trsm(HYLA_RIGHT, HYLA_LOWER, HYLA_CONJUGATE, HYLA_ANY_DIAGONAL, panel->rows, at->width, 1,
          c->diagonal + HY_PANEL_HEADER, at->width, own, (int)c->a->ld);
  hy_compute(c->cube, (int64_t)panel->rows * at->width * at->width, k->size, k->complex_type);
  k->copy(HYLA_NONE, panel->rows, at->width, 1, own, (int)c->a->ld,
          panel->slot->data + HY_PANEL_HEADER, panel->ld);
  hy_count_copied(c->cube, (int64_t)panel->rows * at->width);
}

/* On q_k: panel k is made and sent on its way. */
static hyla_status make_panel(struct hy_cholesky *c, int64_t index) {
  struct hy_cholesky_panel panel = panel_at(c, index);
  const struct hy_diagonal_block *at = &panel.at;
  int64_t bytes = HY_PANEL_HEADER + (int64_t)at->width * at->width * (int64_t)c->k->size;
  TRY(hy_panels_open(&c->panels, index, panel.bytes, &panel.slot));
  if (at->top) factor_block(c, at);
  TRY(hy_group_broadcast(&c->diagonals, hy_column_root(&c->array, index), c->diagonal,
                         bytes / (int64_t)c->k->size));
  if (!c->k->dry) memcpy(panel.slot->data, c->diagonal, sizeof(struct hy_panel_header));
  if (c->k->dry || header_of(c->diagonal)->status == HYLA_OK) solve_rows(c, &panel);
  return hy_panels_lend(&c->panels, panel.slot);
}

static hyla_status expect_panel(struct hy_cholesky *c, int64_t index) {
  if (index >= c->end) return HYLA_OK;
  return hy_panels_expect(&c->panels, index, hy_row_root(&c->array, index),
                          panel_at(c, index).bytes);
}

/* The columns behind panel k: panel k + 1 is made while the team is at the others. */
static hyla_status use_together(struct hy_cholesky *c, const struct hy_cholesky_panel *panel,
                                const struct hy_cholesky_across *across,
                                const struct hy_diagonal_block *next) {
  struct hy_cholesky_update all = {.c = c,
                                   .panel = panel,
                                   .across = across,
                                   .first = across->column,
                                   .count = c->a->local_cols - across->column,
                                   .ahead = next->width};
  hy_cholesky_update_start(&all);
  hyla_status status = make_panel(c, next->index), end = hy_cholesky_update_finish(&all);
  return status != HYLA_OK ? status : end;
}

/* What panel k does to the columns behind it, those of panel k + 1 first. */
static hyla_status use_panel(struct hy_cholesky *c, const struct hy_cholesky_panel *panel) {
  struct hy_cholesky_across across;
  TRY(expect_panel(c, panel->at.index + 1));
  TRY(hy_cholesky_gather(c, panel, &across));
  int64_t column = across.column;
  if (column < c->a->local_cols) /* packed for the products */
    hy_count_copied(c->cube, (int64_t)panel->rows * panel->at.width);
  if (panel->at.index + 1 < c->end) {
    struct hy_diagonal_block next = hy_diagonal_block(&c->array, panel->at.index + 1);
    if (next.mine && c->packed.products != NULL && c->cube->team != NULL)
      return use_together(c, panel, &across, &next);
    if (next.mine) {
      TRY(hy_cholesky_update(c, panel, &across, column, next.width));
      TRY(make_panel(c, next.index));
      column += next.width;
    }
  }
  return hy_cholesky_update(c, panel, &across, column, c->a->local_cols - column);
}

/* Panels begin ... end-1 in turn. */
static hyla_status eliminate(struct hy_cholesky *c, int64_t begin, int64_t *failed,
                             hyla_status *verdict) {
  if (begin < c->end && hy_diagonal_block(&c->array, begin).mine) TRY(make_panel(c, begin));
  TRY(expect_panel(c, begin));
  for (int64_t index = begin; index < c->end && *verdict == HYLA_OK; index++) {
    struct hy_cholesky_panel panel = panel_at(c, index);
    TRY(hy_panels_receive(&c->panels, index, &panel.slot));
    if (!c->k->dry) {
      const struct hy_panel_header *header = (const void *)panel.slot->seen;
      *verdict = (hyla_status)header->status;
      *failed = header->column;
    }
    if (*verdict == HYLA_OK) TRY(use_panel(c, &panel));
    TRY(hy_panels_close(&c->panels, panel.slot));
  }
  return hy_panels_finish(&c->panels);
}

hyla_status hy_cholesky_eliminate(struct hy_cholesky *c, int64_t from, int64_t until,
                                  int64_t *failed, hyla_status *verdict) {
  *verdict = HYLA_OK;
  c->packed.panel = -1;
  c->end = hy_min(hy_ceil_div(until, c->array.block), c->array.count);
  c->array.start = from;
  hyla_status status = eliminate(c, from / c->array.block, failed, verdict);
  c->array.start = 0;
  return status;
}

/* Nothing is kept beside the factor. */
hyla_status hy_cholesky_resume(void *state, int64_t from) {
  (void)state, (void)from;
  return HYLA_OK;
}

/* ---------------------------------------------------------- the variant -- */

/* A system of order 1 needs no root: backward divides by A. */
static hyla_status forward(void *state, hyla_matrix *x) {
  const struct hy_cholesky *c = state;
  bool nothing = c->cube->address < 0 || c->problem->n == 1;
  return nothing ? HYLA_OK : hy_triangular_run(&c->forward, x);
}

static hyla_status backward(void *state, hyla_matrix *x) {
  const struct hy_cholesky *c = state;
  return c->cube->address < 0 ? HYLA_OK : hy_triangular_run(&c->backward, x);
}

hyla_status hy_cholesky_run(void *state) {
  struct hy_cholesky *c = state;
  const struct hy_substitutions *steps = c->steps;
  struct hy_base *base = &c->cube->base;
  hyla_status verdict = HYLA_OK;
  int64_t *pivot = &c->problem->factors->pivot;
  int64_t until = c->problem->until == 0 ? c->problem->n : c->problem->until;
  if (c->cube->address < 0) return HYLA_OK;
  TRY(hy_cholesky_eliminate(c, c->problem->from, until, pivot, &verdict));
  CHECK(base, verdict != HYLA_INDEFINITE, INDEFINITE,
        "the matrix is not positive definite: its leading block of order %lld is not",
        (long long)*pivot);
  TRY(hy_pivot_verdict(base, verdict, *pivot));
  struct hyla_matrix x;
  if (c->inverts) return hy_cholesky_inverse_run(c);
  if (c->problem->along == NULL || until < c->problem->n) return HYLA_OK;
  x = *c->problem->along;
  return steps->forward(state, &x);
}

hyla_cost hy_cholesky_price(const void *state) { return ((const struct hy_cholesky *)state)->cost; }

void hy_cholesky_explain(const void *state, struct hy_text *text) {
  const struct hy_cholesky *c = state;
  const struct {
    const char *what;
    const struct hy_group *group;
  } parts[] = {{"diagonal blocks", &c->diagonals},
               {"rows of panels", &c->rows},
               {"rows of the inverse of L", &c->inverse.spreads},
               {"what of them stands for rows", &c->inverse.crosses}};
  if (c->shares.schedules == NULL)
    hy_text_add(text,
                "  panels: broadcast by doubling, lent one ahead, as no other was asked for\n");
  else
    hy_group_explain(&c->shares, "panels", text);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i].group->choice.why == HY_ASKED)
      hy_group_explain(parts[i].group, parts[i].what, text);
}

static const struct hy_substitutions SUBSTITUTIONS = {.forward = forward,
                                                      .backward = backward,
                                                      .hermitian = true,
                                                      .inverts = true,
                                                      .resume = hy_cholesky_resume};

const struct hy_variant hy_cholesky_right = {
    .name = "right-looking",
    .reference = "johnsson-1987, section 6",
    .traits = &SUBSTITUTIONS,
    HY_CHOLESKY_OPERATIONS,
    .explain = hy_cholesky_explain,
};
