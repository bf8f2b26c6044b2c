/* Private to lib/gemm: what the variants on three loops share.
 *
 * C(i, j) = sum over k of A(i, k) B(k, j).  Each cube dimension serves one of the
 * three loops, so the nodes are a 2^a x 2^b x 2^c array, and node (i, j, k)
 * multiplies one block of A by one of B.  A block of A is wanted by all 2^b nodes
 * along j.  Before, each of them holds a share of it: they are a team, and
 * gather the block; likewise B's along i.  The products along k are added, and
 * each member of that team gets a share of the sum.
 */
#ifndef HY_GEMM_TEAM_H
#define HY_GEMM_TEAM_H 1

#include "gemm/gemm.h"

/* ---------------------------------------------------------------- loops -- */

enum hy_loop { HY_LOOP_I, HY_LOOP_J, HY_LOOP_K, HY_LOOPS };

/* How many dimensions serve each loop, and which. */
struct hy_loops {
  int count[HY_LOOPS];
  uint8_t dim[HY_LOOPS][HYLA_DIMS_MAX];
};

/* Which dimensions, for given counts: those over which most entries stay where
 * they are when A, B and C lie split over i and jk, i and jk, ki and j. */
void hy_loops_place(const struct hy_gemm_problem *given, struct hy_loops *loops);
/* Sides that differ by one dimension at most; those left over go to the longest loops. */
void hy_loops_even(const struct hy_gemm_problem *given, struct hy_loops *loops);
/* An axis over the dimensions of one loop or of two, the first one's lowest;
 * HY_LOOPS for none. */
hyla_axis hy_loops_axis(const struct hy_loops *loops, hyla_code code, enum hy_loop fine,
                        enum hy_loop coarse);

/* ----------------------------------------------------------------- team -- */

/* The nodes that differ in `bits` bits of their part of an axis, from bit `low` on.
 * Each index that they hold has `across` entries side by side.  Together they hold,
 *   by intervals (the lowest bits): the indices of an interval, member x the x-th
 *     stretch of axis->block of them
 *   stacked: one after the other all that each member holds of the axis */
struct hy_team {
  const struct hy_axis *axis;
  int low;
  int bits;
  int node;
  int own; /* its number */
  bool stacked;
  bool limited; /* of its length a reach alone counts, the others are as if in no stretch */
  struct hy_reach limits;
};
struct hy_team hy_team_make(const struct hy_axis *axis, int bits, int node);
struct hy_team hy_team_stack(const struct hy_axis *axis, int low, int bits, int node);
/* Of a stacked team: member x's part of the axis; what all hold. */
int hy_team_part(const struct hy_team *team, int member);
int64_t hy_team_total(const struct hy_team *team);
/* What a team by intervals holds in round t of the axis' blocks: from where, how much. */
int64_t hy_team_from(const struct hy_team *team, int64_t round);
int64_t hy_team_length(const struct hy_team *team, int64_t round);
/* Where member x's stretch of so many indices begins, or what it holds in the stack. */
int64_t hy_team_before(const struct hy_team *team, int64_t length, int member);

/* Step 0 ... bits-1 of gathering data, across x length entries, of which each
 * member has its stretch in place: two messages. */
int hy_team_spread(const struct hy_team *team, int step, int64_t across, int64_t length,
                   size_t size, char *data, struct hy_message *messages);

/* -------------------------------------------------------------- product -- */

/* A node's product: C's own block or, where a team along k adds, one of its own
 * for the whole team, whose stretches become the shares. */
struct hy_product {
  struct hy_team team; /* along C's columns */
  int64_t rows, cols;
  char *data; /* of the team's; NULL where C's own block serves */
  char *work; /* half of it */
};
struct hy_product hy_product_make(const struct hy_gemm_problem *problem, int bits, int node);
hyla_status hy_product_take(const struct hy_gemm_task *task, struct hy_product *product);
void hy_product_free(hyla_cube *cube, struct hy_product *product);
/* Columns from ... to-1 := alpha A B, the first product, or += alpha A B, A's and B's
 * panels for the numbers start ... start+width-1 of k. */
void hy_product_add(const struct hy_gemm_task *task, const struct hy_product *product, bool first,
                    int64_t from, int64_t to, const struct hy_panel *a, const struct hy_panel *b,
                    int64_t start, int64_t width);
/* Adds along the team; C := beta C + share. */
hyla_status hy_product_finish(const struct hy_gemm_task *task, const struct hy_product *product);
/* C := beta C + share, rows x cols entries side by side. */
void hy_product_put(const struct hy_gemm_task *task, const char *share, int64_t rows, int64_t cols);

#endif
