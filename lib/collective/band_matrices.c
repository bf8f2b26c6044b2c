/* Several banded matrices at once: their columns are exchanged for their rows.
 *
 * Column c of matrix j lies on hy_banded_node(c), with the node's number rotated left by j b.  So
 * the parts of d / b matrices that stay in a cube of b dimensions each use other dimensions, while
 * the parts that go round a ring may need links of any dimension.
 *   variant     method
 *   matched     shortest paths, links matched step by step (matching.c)
 *   negotiated  shortest paths, links negotiated for all steps at once (negotiate.c)
 * Reference: Varvarigos 1992, 2.7.
 * Steps: counted.  The paper's 2^(b+1) + 1 for d / b exchanges assumes that the rings' parts meet
 * no link more than 2^b + 1 times, which does not hold.  Negotiated paths take no more for b > 1;
 * for b = 1 and d > 3 no paths can (doc/theory.md).
 * All ports.  Memory: in place, and blocks for data that pass through.
 * Restriction: 0 <= b < d, messages of equal length; `negotiated' refuses too many of them. */
#include "collective/papers.h"

const char *hy_bands_refuse(const struct hy_collective *c) {
  bool band = 1 <= c->band && c->band <= c->dims;
  if (!band && c->dims > 0) return "it exchanges within a band of columns";
  return hy_equal_blocks(c);
}

int64_t hy_bands_width(const struct hy_collective *c) {
  if (c->dims == 0) return 1;
  return hy_min(INT64_C(1) << c->dims, (INT64_C(2) << (c->band - 1)) + 1);
}

/* A function that finds links for the messages. */
typedef hyla_status create_matching(struct hy_base *base, int dims, uint32_t blocks,
                                    const struct hy_block_move *block_moves, int64_t count,
                                    struct hy_matching **matching);

static hyla_status match_steps(struct hy_base *base, int dims, uint32_t blocks,
                               const struct hy_block_move *block_moves, int64_t count,
                               struct hy_matching **matching) {
  return hy_matching_create(base, dims, blocks, block_moves, count, NULL, matching);
}

static hyla_status match_all(struct hy_base *base, const struct hy_collective *c,
                             create_matching *create, struct hy_found **found) {
  const uint32_t nodes = 1u << c->dims;
  struct hy_matching *matching = NULL;
  struct hy_block_move *block_moves = NULL;
  int64_t count = 0;
  TRY(hy_alloc(base, hy_bands_width(c) * nodes * c->matrices, sizeof *block_moves, &block_moves));
  for (int j = 0; j < c->matrices; j++)
    for (uint32_t x = 0; x < nodes; x++)
      for (uint32_t y = 0; y < nodes; y++)
        if (hy_partners_of(c, j, x, y))
          block_moves[count++] =
              (struct hy_block_move){x, y, (uint32_t)j * nodes + y, (uint32_t)j * nodes + x};
  hyla_status status = create(base, c->dims, hy_collective_count(c), block_moves, count, &matching);
  if (matching != NULL) *found = &matching->found;
  hy_free(base, &block_moves);
  return status;
}

static hyla_status find_matched(struct hy_base *base, const struct hy_collective *c,
                                struct hy_found **found) {
  return match_all(base, c, match_steps, found);
}

static hyla_status find_negotiated(struct hy_base *base, const struct hy_collective *c,
                                   struct hy_found **found) {
  return match_all(base, c, hy_matching_negotiate, found);
}

/* Estimates the work.  Each message tries all steps of all ways over its b + 1 dimensions; there
 * are about 2^(b+1) of either. */
static const char *serves_few(const struct hy_collective *c) {
  const char *reason = hy_bands_refuse(c);
  if (reason != NULL || c->dims == 0) return reason;
  const int64_t messages = (hy_bands_width(c) << c->dims) * c->matrices, most = INT64_C(1) << 26;
  return c->band > 6 || messages > most >> (2 * c->band)
             ? "it has too many messages for its search for free links"
             : NULL;
}

/* The paper's claim, for at most d / b matrices. */
static struct hy_claim claim(const struct hy_collective *c) {
  const int b = c->band - 1;
  bool fits = c->dims > 0 && b > 0 && c->matrices * b <= c->dims;
  return (struct hy_claim){fits ? (INT64_C(2) << b) + 1 : -1, "2^(b+1) + 1",
                           "varvarigos-1992, section 2.7"};
}

const struct hy_collective_variant hy_band_exchange_matched = {
    .base = {.name = "matched", .reference = "varvarigos-1992, section 2.7"},
    .applies = hy_bands_refuse,
    .task = HY_TASK_BAND_EXCHANGE,
    .banded = true,
    .common = true,
    .make = hy_matching_schedule,
    .find = find_matched,
    .claim = claim,
};

const struct hy_collective_variant hy_band_exchange_negotiated = {
    .base = {.name = "negotiated", .reference = "varvarigos-1992, section 2.7"},
    .applies = serves_few,
    .task = HY_TASK_BAND_EXCHANGE,
    .banded = true,
    .common = true,
    .make = hy_matching_schedule,
    .find = find_negotiated,
    .claim = claim,
};
