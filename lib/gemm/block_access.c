/* Nodes read blocks of other nodes where these lie.
 *
 * Every node lends its block to all other nodes along the axis in one step, and gives the borrowed
 * blocks back when the product is done.  The notice of a loan says that the block is ready; its
 * return says that the owner may write to the block again.  No entry is copied.  The ledger counts
 * the entries of a lent block; for a triangular matrix only those in its triangle. */
#include "gemm/split_operand_body.h"

struct hy_block_access {
  const hyla_matrix *matrix;
  hyla_operation op;
  bool rows; /* of the stored matrix */
  int parts;
  int own;
  int64_t *bytes;              /* of each part's block */
  bool *came;                  /* has the loan of the part's block arrived? */
  struct hy_message *messages; /* a borrow for each part, by part, then as many loans */
};

hyla_status hy_block_access_create(void *owner, const struct hy_gemm_factor *factor, bool rows,
                                   enum hy_part part, struct hy_block_access **access) {
  const hyla_matrix *matrix = factor->matrix;
  const struct hy_operand x = hy_operand_of(matrix, factor->op);
  struct hy_base *base = &matrix->cube->base;
  int node = matrix->cube->address;
  struct hy_block_access *new = NULL;
  TRY(hy_alloc_for(base, owner, 1, sizeof *new, access));
  new = *access;
  new->matrix = matrix;
  new->op = factor->op;
  new->rows = rows == (factor->op == HYLA_NONE);
  new->parts = new->rows ? matrix->row.parts : matrix->col.parts;
  new->own = new->rows ? matrix->row_part : matrix->col_part;
  TRY(hy_alloc_for(base, owner, new->parts, sizeof *new->bytes, &new->bytes));
  for (int along = 0; along < new->parts; along++) { /* the entries that count */
    const struct hy_triangle_block block = {
        .part = part,
        .rows = rows ? hy_indices_in(&x.row, along) : hy_indices_of(&x.row, node),
        .cols = rows ? hy_indices_of(&x.col, node) : hy_indices_in(&x.col, along)};
    new->bytes[along] = hy_triangle_block_entries(&block) * (int64_t)matrix->k->size;
  }
  TRY(hy_alloc_for(base, owner, new->parts, sizeof *new->came, &new->came));
  return hy_alloc_for(base, owner, 2 * new->parts, sizeof *new->messages, &new->messages);
}

hyla_status hy_block_access_open(struct hy_block_access *access) {
  const hyla_matrix *x = access->matrix;
  const struct hy_axis *along = access->rows ? &x->row : &x->col;
  for (int part = 0; part < access->parts; part++) {
    int peer = hy_node_along(along, x->cube->address, part);
    struct hy_message *borrow = &access->messages[part];
    struct hy_message *lend = &access->messages[access->parts + part];
    *borrow = (struct hy_message){.verb = HY_BORROW, .peer = peer, .window = x->window};
    *lend =
        (struct hy_message){.verb = HY_LEND, .peer = peer, .window = x->window, .data = x->local};
    /* A node lends nothing to itself. */
    if (part != access->own) {
      borrow->bytes = access->bytes[part];
      lend->bytes = access->bytes[access->own];
    }
    access->came[part] = part == access->own;
  }
  return hy_link_start(x->cube, access->messages, 2 * access->parts);
}

hyla_status hy_block_access_block(struct hy_block_access *access, int part,
                                  struct hy_panel *block) {
  const hyla_matrix *x = access->matrix;
  if (!access->came[part]) TRY(hy_link_wait(x->cube, &access->messages[part], 1));
  access->came[part] = true;
  block->op = access->op;
  if (part == access->own) {
    block->data = x->local;
    block->ld = x->ld;
  } else {
    block->data = access->messages[part].seen;
    block->ld = hy_matrix_peer_ld(x, access->rows ? part : x->row_part);
  }
  return HYLA_OK;
}

hyla_status hy_block_access_close(struct hy_block_access *access) {
  hyla_cube *cube = access->matrix->cube;
  for (int part = 0; part < access->parts; part++)
    if (!access->came[part]) TRY(hy_link_wait(cube, &access->messages[part], 1));
  TRY(hy_link_return(cube, access->messages, access->parts));
  return hy_link_wait(cube, access->messages + access->parts, access->parts);
}
