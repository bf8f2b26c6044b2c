/* Private to lib/gemm: an index that two matrices share, cut into panels.
 *
 * The index (k on A's columns and B's rows, for instance) may lie differently on
 * the two.  A panel is a set of its numbers that is multiplied at a time.  Short blocks
 * join in one panel, so local products run at full speed whatever the blocks' size.
 *
 *   Panels that travel: one part of the first axis and one part of the second hold all
 *     of at most 256 numbers.
 *   Panels in place, where a node can read all blocks of both factors: one of the axes
 *     leads, and a panel is one stretch of an owner's block on it.  Where that is one
 *     stretch on the other axis too the panel is as long as that goes, and nothing is
 *     copied; otherwise the other factor's numbers, whoever holds them, are copied
 *     together, at most as many as BLAS multiplies at best (hy_kernels_depth).
 */
#ifndef HY_GEMM_CUT_H
#define HY_GEMM_CUT_H 1

#include "gemm/gemm.h"

/* Numbers that lie next to each other on both axes. */
struct hy_cut_piece {
  int part[2];   /* the owners */
  int64_t at[2]; /* the first one's place in the owner's block */
  int64_t length;
  int64_t next; /* of the same panel; -1: the last */
};

struct hy_cut_panel {
  int64_t width;
  int64_t first; /* piece */
  int64_t last;
  bool whole[2];  /* one interval of one owner's block */
  int64_t listed; /* where its numbers begin in the list */
};

struct hy_cut {
  const struct hy_axis *axis[2];
  int64_t piece_count;
  int64_t panel_count;
  struct hy_cut_piece *pieces;
  struct hy_cut_panel *panels;
  int64_t *list; /* the numbers of one panel after the other; NULL: not made */
};

/* Panels that travel.  The axes must outlive the cut.  Destroy it also after a failure. */
hyla_status hy_cut_create(struct hy_base *base, const struct hy_axis *first,
                          const struct hy_axis *second, struct hy_cut *cut);
/* Panels in place, on the axis that leads to less work: across[x] entries stand beside
 * each number of axis x.  width: of a panel that is copied together, at most; 1 or more. */
hyla_status hy_cut_create_in_place(struct hy_base *base, const struct hy_axis *first,
                                   const struct hy_axis *second, const int64_t across[2],
                                   int64_t width, struct hy_cut *cut);
/* The part of an axis that holds a panel or, if several do, its first number. */
static inline int hy_cut_owner(const struct hy_cut *cut, const struct hy_cut_panel *panel,
                               int axis) {
  return cut->pieces[panel->first].part[axis];
}
void hy_cut_destroy(struct hy_base *base, struct hy_cut *cut);

/* Makes the list of numbers.  A panel's; without the list only their count is true. */
hyla_status hy_cut_list(struct hy_base *base, struct hy_cut *cut);
struct hy_indices hy_cut_indices(const struct hy_cut *cut, const struct hy_cut_panel *panel);

/* An axis over the dimensions and code of `carrier`, in blocks that fit those of
 * `like`, an axis of the same index that stays as it is. */
struct hy_axis hy_cut_like(const hyla_axis *carrier, const struct hy_axis *like);

/* A factor whose panels are brought to all nodes along the axis that is cut: by
 * broadcasts from the owners or, where nodes can read one another's blocks, by one
 * loan of each; then a panel is copied only if it is not one stretch of the block.
 * Of a triangular factor, for which the cut must have its list, the entries in the
 * triangle alone are sent or lent. */
struct hy_feed {
  const struct hy_cut *cut;
  int which; /* of the cut's axes */
  const struct hy_operand *operand;
  enum hy_part part;
  int node;
  bool rows; /* the index counts the factor's rows, else its columns */
  bool in_place;
  int64_t across; /* entries of the node along the other axis */
  char *buffer;
  struct hy_loans *loans;
  struct hy_group group; /* of what travels */
};
struct hy_feed hy_feed_make(const struct hy_cut *cut, int which, const struct hy_operand *x,
                            enum hy_part part, bool rows, int node);
hyla_status hy_feed_take(struct hy_feed *feed, const struct hy_gemm_factor *factor);
void hy_feed_free(hyla_cube *cube, struct hy_feed *feed);
hyla_status hy_feed_begin(struct hy_feed *feed);
/* The panel in reach, until the next one is asked for. */
hyla_status hy_feed_panel(struct hy_feed *feed, const struct hy_cut_panel *panel,
                          const struct hy_gemm_factor *factor, struct hy_panel *out);
hyla_status hy_feed_end(struct hy_feed *feed);
/* How the panels of `what` travel, where they do. */
void hy_feed_explain(const struct hy_feed *feed, const char *what, struct hy_text *text);
/* Where along the other axis the panel may have other entries than 0; only these are there. */
struct hy_reach hy_feed_reach(const struct hy_feed *feed, const struct hy_cut_panel *panel);

#endif
