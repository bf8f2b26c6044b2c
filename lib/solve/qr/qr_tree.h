/* Private to solve/qr: a panel that is factored whole, as Q and R, and turned into reflections. */
#ifndef HY_SOLVE_QR_TREE_H
#define HY_SOLVE_QR_TREE_H 1

#include "solve/qr/qr.h"

/* The panel at work, of w columns. */
struct hy_qr_tree {
  struct hy_qr *q;
  const struct hy_kernels *k;
  int w;
  int members, number; /* of the rank column */
  int levels;          /* of the tree that this rank takes part in, besides the fold */
  char *stack, *room, *tau;
  char *r, *m, *work; /* w x w */
  char *out, *in;     /* messages */
  char *lu;           /* of Q1 - D, and D behind it: the broadcast's message */
  char *s;            /* S of each chunk, then of each level, then of the fold */
  char *v;            /* V of each level and of the fold, which stands last */
};

/* open: local; in q->tree.  finish: once v has the panel's rows of Q, and r R, on all members: V, S
 * and q->upper, or the header's verdict; collective over the rank column. */
struct hy_qr_tree hy_qr_tree_open(struct hy_qr *q, const struct hy_diagonal_block *at);
hyla_status hy_qr_tree_finish(const struct hy_qr_tree *t, const struct hy_diagonal_block *at,
                              struct hy_panel_header *header, char *s, char *v, int ld);

#endif
