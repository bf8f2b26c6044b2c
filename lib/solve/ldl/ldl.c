/* L D L^H: P A P^T = L D L^H for Hermitian A, definite or not, by panels, right-looking.
 *
 * Layout: block-cyclic on any 2^r x 2^c array, binary or Gray, square blocks.
 * Pivots: Bunch and Kaufman's partial pivoting (ldl_pivot.c), of order 1 and 2; at most two columns
 *   are examined for each pivot.
 * Steps of a panel: its pivots are found, swapped and kept, one after another (ldl_panel.c,
 *   ldl_swap.c).  Each rank then updates its part of the lower triangle behind the panel by
 *   products.  Last, the panel's swaps are applied to the columns of L before it (ldl_rows.c), so
 *   that L's rows are final when the factorization ends.
 * Reference: Bunch, Kaufman 1977; delayed updates as in LAPACK's xLAHEF; the distribution is ours.
 * Panels and blocks: a panel begins where the one before it ended, not where a block begins; a
 *   pivot of order 2 may end a panel one column later.  Blocks determine only where entries lie.
 * Example on 4 nodes, 2 x 2, a panel of one column k: the nodes sum column k over the cube, each
 *   gets all of it, and all agree on the pivot.  Node (i, j) then keeps l in its rows and w = l d
 *   in the rows that stand for its columns, and updates A(i, j) -= l(i) w(j)^H without a further
 *   message.
 * Sums over the cube: at most three columns of the remaining matrix for each pivot.  Words: at most
 *   3 n^2 / 2 in them, on each rank.  Flops: n^3 / 3 on all ranks together, and those of the
 *   strips' corners.  Workspace: a panel's rows of L and of W, twice a panel's width of rows, three
 *   columns. */
#include "solve/ldl/ldl.h"

/* ------------------------------------------------------------ elimination -- */

/* The number of local columns that are updated at a time.  The update also writes the entries above
 * the diagonal in the strip's corner; nobody reads these. */
enum { STRIP_LEAST = 32 };

/* A := A - L W^H behind the panel, in the lower triangle.  The strips end in the same places for
 * all panels, so that a panel that ends later writes no more unused entries.  A pivot of order 2
 * may add a column to a panel: without data the corners count as if one did. */
static void update(const struct hy_ldl *f, const struct hy_ldl_panel *panel) {
  int64_t step = hy_max(STRIP_LEAST, hy_min(f->array.block, 2 * HY_LDL_PANEL));
  int64_t width = panel->width, end = 0;
  for (int64_t col = hy_ldl_cols_before(f, panel->first + width); col < f->local_cols; col = end) {
    end = hy_min((col / step + 1) * step, f->local_cols);
    int64_t count = end - col;
    int64_t row = hy_ldl_rows_before(f, f->col_index[col]), rows = f->local_rows - row;
    if (rows == 0) continue;
    f->k->gemm(HYLA_NONE, HYLA_CONJUGATE, (int)rows, (int)count, (int)width, -1,
               hy_ldl_lower(f, row, 0), (int)hy_max(1, f->local_rows), hy_ldl_across(f, col, 0),
               (int)hy_max(1, f->local_cols), 1, hy_at(f->a, row, col), (int)f->a->ld);
    int64_t corner = hy_ldl_rows_before(f, f->col_index[end - 1]) - row;
    hy_compute(f->cube, 2 * count * (rows * width + (f->k->dry ? corner : 0)), f->k->size,
               f->k->complex_type);
  }
}

/* Applies a panel's swaps to the columns before it.  Without data, the panel's own columns count
 * too: if pivots of order 2 make panels begin later, at most these columns have a swap. */
static hyla_status apply_later_swaps(const struct hy_ldl *f, const struct hy_ldl_panel *panel) {
  int64_t end = panel->first + panel->width;
  int64_t columns = hy_ldl_cols_before(f, f->k->dry ? end : panel->first);
  return hy_ldl_move(f, &f->rows_down, f->a, columns, panel->first, end, false);
}

hyla_status hy_ldl_eliminate(struct hy_ldl *f, int64_t *failed, hyla_status *pivot_status) {
  struct hy_ldl_panel panel = {0, 0};
  *pivot_status = HYLA_OK;
  f->d.largest = (struct hy_norm){0, 0};
  while (panel.first < f->n) {
    TRY(hy_ldl_make_panel(f, &panel, failed, pivot_status));
    if (*pivot_status != HYLA_OK) return HYLA_OK;
    update(f, &panel);
    TRY(apply_later_swaps(f, &panel));
    TRY(hy_link_poll(f->cube));
    panel = (struct hy_ldl_panel){panel.first + panel.width, 0};
  }
  return HYLA_OK;
}

/* ---------------------------------------------------------- the variant -- */

static hyla_status forward(void *state, hyla_operation op, hyla_matrix *x) {
  const struct hy_ldl *f = state;
  (void)op;
  if (f->cube->address < 0) return HYLA_OK;
  TRY(hy_ldl_permute(f, &f->rows_down, x, false));
  TRY(hy_triangular_run(&f->forward, x));
  return hy_ldl_divide(f, x);
}

static hyla_status backward(void *state, hyla_operation op, hyla_matrix *x) {
  const struct hy_ldl *f = state;
  (void)op;
  if (f->cube->address < 0) return HYLA_OK;
  TRY(hy_triangular_run(&f->backward, x));
  return hy_ldl_permute(f, &f->rows_across, x, true);
}

static hyla_status run(void *state) {
  struct hy_ldl *f = state;
  struct hy_base *base = &f->cube->base;
  hyla_status pivot_status = HYLA_OK;
  int64_t *pivot = &f->problem->factors->pivot;
  if (f->cube->address < 0) return HYLA_OK;
  TRY(hy_ldl_eliminate(f, pivot, &pivot_status));
  CHECK(base, pivot_status != HYLA_SINGULAR, SINGULAR,
        "the matrix is singular: column %lld of the remaining matrix is exactly zero",
        (long long)*pivot);
  CHECK(base, pivot_status != HYLA_NOT_FINITE, NOT_FINITE,
        "the candidates for pivot %lld are infinite or not numbers: entries of the matrix are, or "
        "products overflow",
        (long long)*pivot);
  struct hyla_matrix x;
  if (f->problem->rhs == NULL) return HYLA_OK;
  x = *f->problem->rhs;
  return forward(state, HYLA_NONE, &x);
}

static const struct hy_block_diagonal *diagonal(const void *state) {
  return &((const struct hy_ldl *)state)->d;
}

static void explain(const void *state, struct hy_text *text) {
  const struct hy_ldl *f = state;
  hy_subcube_explain(&f->columns, "columns and pivots", text);
  hy_subcube_explain(&f->rows_down, "rows that move", text);
  hy_text_add(text, "  the most that pivots can make it: two columns looked at and a swap for each "
                    "column\n");
}

static const struct hy_factor_traits SUBSTITUTIONS = {
    .solve = {{.run = forward}, {.run = backward, .at = HY_ALONG_COLUMNS}},
    .hermitian = true,
    .diagonal = diagonal};

const struct hy_variant hy_ldl_partial = {
    .name = "bunch-kaufman",
    .reference = "bunch-1977",
    .traits = &SUBSTITUTIONS,
    .applies = hy_factor_applies,
    .create = hy_ldl_create,
    .allocate = hy_ldl_allocate,
    .run = run,
    .explain = explain,
};
