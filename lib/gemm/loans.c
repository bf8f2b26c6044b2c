/* Loans along an axis: blocks of a matrix read where they stand.
 *
 * Every node lends its block to all others along the axis in one step, and
 * returns what it borrowed when the product is done.  A notice of a loan says
 * that the block is ready, its return that the owner may write to it again; no
 * entry is copied, and the ledger counts a block as many entries as it has, of a
 * triangular matrix those in its triangle.
 */
#include "gemm/gemm.h"

struct hy_loans {
  const hyla_matrix *matrix;
  bool rows;
  int parts;
  int own;
  int64_t *bytes;              /* of each part's block */
  bool *came;                  /* the part's block has been waited for */
  struct hy_message *messages; /* parts borrows, by part, then as many loans */
};

/* What counts of the block that a part along one axis has, on the node's line. */
static int64_t entries(const struct hy_operand *x, bool rows, enum hy_part part, int node,
                       int along) {
  const struct hy_wedge block = {
      .part = part,
      .rows = rows ? hy_indices_in(&x->row, along) : hy_indices_of(&x->row, node),
      .cols = rows ? hy_indices_of(&x->col, node) : hy_indices_in(&x->col, along)};
  return hy_wedge_entries(&block);
}

hyla_status hy_loans_create(const struct hy_gemm_factor *factor, bool rows, enum hy_part part,
                            struct hy_loans **loans) {
  const hyla_matrix *matrix = factor->matrix;
  const struct hy_operand x = hy_operand_of(matrix, factor->op);
  struct hy_base *base = &matrix->cube->base;
  struct hy_loans *new = NULL;
  *loans = NULL;
  TRY(hy_alloc(base, 1, sizeof *new, &new));
  *loans = new;
  new->matrix = matrix;
  new->rows = rows == (factor->op == HYLA_NONE);
  new->parts = new->rows ? matrix->row.parts : matrix->col.parts;
  new->own = new->rows ? matrix->row_part : matrix->col_part;
  TRY(hy_alloc(base, new->parts, sizeof *new->bytes, &new->bytes));
  for (int along = 0; along < new->parts; along++)
    new->bytes[along] =
        entries(&x, rows, part, matrix->cube->address, along) * (int64_t)matrix->k->size;
  TRY(hy_alloc(base, new->parts, sizeof *new->came, &new->came));
  return hy_alloc(base, 2 * new->parts, sizeof *new->messages, &new->messages);
}

void hy_loans_destroy(hyla_cube *cube, struct hy_loans **loans) {
  if (*loans == NULL) return;
  hy_free(&cube->base, &(*loans)->bytes);
  hy_free(&cube->base, &(*loans)->came);
  hy_free(&cube->base, &(*loans)->messages);
  hy_free(&cube->base, loans);
}

hyla_status hy_loans_open(struct hy_loans *loans) {
  const hyla_matrix *x = loans->matrix;
  const struct hy_axis *along = loans->rows ? &x->row : &x->col;
  for (int part = 0; part < loans->parts; part++) {
    int peer = hy_node_along(along, x->cube->address, part);
    struct hy_message *borrow = &loans->messages[part];
    struct hy_message *lend = &loans->messages[loans->parts + part];
    *borrow = (struct hy_message){.verb = HY_BORROW, .peer = peer, .window = x->window};
    *lend =
        (struct hy_message){.verb = HY_LEND, .peer = peer, .window = x->window, .data = x->local};
    /* Nothing is lent to oneself. */
    if (part != loans->own) {
      borrow->bytes = loans->bytes[part];
      lend->bytes = loans->bytes[loans->own];
    }
    loans->came[part] = part == loans->own;
  }
  return hy_link_start(x->cube, loans->messages, 2 * loans->parts);
}

hyla_status hy_loans_block(struct hy_loans *loans, int part, struct hy_panel *block) {
  const hyla_matrix *x = loans->matrix;
  if (!loans->came[part]) TRY(hy_link_wait(x->cube, &loans->messages[part], 1));
  loans->came[part] = true;
  block->op = HYLA_NONE;
  if (part == loans->own) {
    block->data = x->local;
    block->ld = x->ld;
  } else {
    block->data = loans->messages[part].seen;
    block->ld = hy_matrix_peer_ld(x, loans->rows ? part : x->row_part);
  }
  return HYLA_OK;
}

hyla_status hy_loans_close(struct hy_loans *loans) {
  hyla_cube *cube = loans->matrix->cube;
  for (int part = 0; part < loans->parts; part++)
    if (!loans->came[part]) TRY(hy_link_wait(cube, &loans->messages[part], 1));
  TRY(hy_link_return(cube, loans->messages, loans->parts));
  return hy_link_wait(cube, loans->messages + loans->parts, loans->parts);
}
