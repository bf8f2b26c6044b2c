/* Agreement: all ranks learn the lowest failing rank and its status, and whether all fingerprints
 * are equal.
 *
 * The first 2^k ranks are a cube.  Each further rank gives its verdict to the one beside it.  The
 * ranks of the cube merge their verdicts by swaps over one dimension after the other, and the
 * others get the result.  That takes k steps of one small record, or one meeting if a process holds
 * all nodes.  Only after a failure does a second round
 * carry the failing rank's message to all. */
#include "cube/trace.h"

#include <string.h>

struct agreement {
  int64_t status; /* of the lowest failing rank; HYLA_OK if no rank fails */
  int64_t rank;
  uint64_t low; /* the smallest and the largest fingerprint, and the ranks that have them */
  uint64_t high;
  int64_t low_rank, high_rank;
  int64_t failed; /* number of nodes that fail */
};

/* The result is the same whichever side merges, so both sides of a swap find the same. */
static void merge(void *mine, const void *theirs, int64_t bytes) {
  struct agreement *into = mine;
  const struct agreement *from = theirs;
  (void)bytes;
  into->failed += from->failed;
  bool worse = from->status != HYLA_OK && (into->status == HYLA_OK || from->rank < into->rank);
  if (worse) {
    into->status = from->status;
    into->rank = from->rank;
  }
  if (from->low < into->low || (from->low == into->low && from->low_rank < into->low_rank)) {
    into->low = from->low;
    into->low_rank = from->low_rank;
  }
  if (from->high > into->high || (from->high == into->high && from->high_rank < into->high_rank)) {
    into->high = from->high;
    into->high_rank = from->high_rank;
  }
}

/* Merges over all ranks at once.  A waiting rank also listens for alarms of ranks that gave up. */
static hyla_status meet(hyla_cube *cube, void *mine, int64_t bytes, hy_merge *merge_two) {
  struct hy_link *link = cube->network.link;
  int64_t meeting = 0;
  hyla_status status = link->kind->join(link, mine, bytes, merge_two, &meeting);
  while (status == HYLA_OK && !link->kind->joined(link, meeting, mine, bytes)) {
    /* An alarm that came early counts once this rank has completed the agreements that it names. */
    status = hy_alarm_listen(cube);
    if (status == HYLA_OK) status = link->kind->idle(link, 0, -1);
  }
  if (status != HYLA_OK && !cube->network.broken) hy_cube_break(cube, -1);
  return status;
}

static hyla_status merge_core(hyla_cube *cube, void *mine, void *theirs, int64_t bytes,
                              hy_merge *merge_two) {
  for (int bit = 1; bit < hy_core(cube); bit *= 2) {
    TRY(hy_control(cube, cube->network.link->rank ^ bit, mine, theirs, bytes));
    merge_two(mine, theirs, bytes);
  }
  return HYLA_OK;
}

hyla_status hy_control_merge(hyla_cube *cube, void *mine, void *theirs, int64_t bytes,
                             hy_merge *merge_two) {
  if (cube->network.link->kind->join != NULL) return meet(cube, mine, bytes, merge_two);
  const int rank = cube->network.link->rank, beside = hy_beside(cube, rank);
  if (rank >= hy_core(cube)) {
    TRY(hy_control(cube, beside, mine, NULL, bytes));
    return hy_control(cube, beside, NULL, mine, bytes);
  }
  if (beside >= 0) {
    TRY(hy_control(cube, beside, NULL, theirs, bytes));
    merge_two(mine, theirs, bytes);
  }
  TRY(merge_core(cube, mine, theirs, bytes, merge_two));
  return beside >= 0 ? hy_control(cube, beside, mine, NULL, bytes) : HYLA_OK;
}

/* Spreads over a binomial tree of the cube's ranks; each then passes the data to the one beside
 * it. */
hyla_status hy_control_spread(hyla_cube *cube, int origin, void *data, int64_t bytes) {
  const int core = hy_core(cube), root = origin % core;
  const int rank = cube->network.link->rank, beside = hy_beside(cube, rank);
  if (rank >= core) {
    if (rank == origin) TRY(hy_control(cube, beside, data, NULL, bytes));
    return hy_control(cube, beside, NULL, data, bytes);
  }
  if (beside == origin) TRY(hy_control(cube, origin, NULL, data, bytes));
  const int place = rank ^ root;
  for (int bit = 1; bit < core; bit *= 2) {
    if (place < bit)
      TRY(hy_control(cube, rank ^ bit, data, NULL, bytes));
    else if (place < 2 * bit)
      TRY(hy_control(cube, rank ^ bit, NULL, data, bytes));
  }
  return beside >= 0 ? hy_control(cube, beside, data, NULL, bytes) : HYLA_OK;
}

hyla_status hy_cube_usable(hyla_cube *cube) {
  CHECK(&cube->base, !cube->network.broken, BROKEN, "%s: the cube is broken by an earlier failure",
        cube->session.call);
  return HYLA_OK;
}

static hyla_status agree(hyla_cube *cube, hyla_status mine, uint64_t fingerprint);

/* Of counting cubes on which all ranks are at the same step. */
static hyla_status agree_together(hyla_cube *counting, hyla_status mine, uint64_t fingerprint) {
  hyla_cube *cube = counting->session.together;
  struct hy_base *from = &counting->base, *to = &cube->base;
  to->status = from->status;
  memcpy(to->message, from->message, sizeof to->message);
  hyla_status status = agree(cube, mine, fingerprint);
  from->status = to->status;
  memcpy(from->message, to->message, sizeof from->message);
  return status;
}

static hyla_status agree(hyla_cube *cube, hyla_status mine, uint64_t fingerprint) {
  struct hy_base *base = &cube->base;
  if (cube->session.together != NULL) return agree_together(cube, mine, fingerprint);
  if (hy_cube_counts(cube) || (cube->network.broken && mine != HYLA_OK)) return mine;
  TRY(hy_cube_usable(cube));
  CHECK(base, !hy_link_over(cube->network.link), BROKEN,
        "%s: MPI has ended, and the cube with it; call it before MPI_Finalize", cube->session.call);
  int64_t rank = base->rank;
  bool node_fails = cube->address >= 0 && mine != HYLA_OK;
  struct agreement all = {mine, rank, fingerprint, fingerprint, rank, rank, node_fails};
  struct agreement theirs;
  TRY(hy_control_merge(cube, &all, &theirs, sizeof all, merge));
  TRY(hy_alarm_listen(cube));
  cube->ranks.agreements++;
  CHECK(base, all.status != HYLA_OK || all.low == all.high, MISMATCH,
        "%s: ranks %lld and %lld differ in a global argument, or make different calls",
        cube->session.call, (long long)hy_min(all.low_rank, all.high_rank),
        (long long)hy_max(all.low_rank, all.high_rank));
  if (all.status == HYLA_OK) return HYLA_OK;
  if (all.rank == rank) {
    if (base->status != mine || base->message[0] == '\0')
      (void)hy_fail(base, mine, "%s: %s", cube->session.call, hyla_status_text(mine));
    /* If all nodes fail alike, the message names no rank. */
    if (all.failed < cube->nodes) hy_message_sign(base);
  }
  TRY(hy_control_spread(cube, (int)all.rank, base->message, HY_MESSAGE_MAX));
  base->status = (hyla_status)all.status;
  return base->status;
}

hyla_status hy_enter(hyla_cube *cube, hyla_status mine, uint64_t fingerprint, const char *call) {
  if (cube == NULL) return HYLA_ARGUMENT;
  cube->session.call = call;
  cube->session.step = 0;
  hy_log(&cube->base, 1, "%s", call);
  hy_trace_skip(cube);
  hyla_status status = agree(cube, mine, hy_fingerprint(fingerprint, call, strlen(call)));
  hy_trace_mark(cube, HY_SPAN_AGREE);
  return status;
}

hyla_status hy_agree(hyla_cube *cube, hyla_status mine) {
  if (cube == NULL) return HYLA_ARGUMENT;
  hy_trace_mark(cube, HY_SPAN_LOCAL);
  hyla_status status = agree(cube, mine, 0);
  hy_trace_mark(cube, HY_SPAN_AGREE);
  return status;
}

hyla_status hy_tell_guests(hyla_cube *cube, void *data, int64_t bytes) {
  TRY(hy_cube_usable(cube));
  if (hy_cube_counts(cube)) return HYLA_OK; /* there are no data */
  if (cube->address < 0) return hy_control(cube, hy_partner_of(cube), NULL, data, bytes);
  return hy_guest_of(cube) >= 0 ? hy_control(cube, hy_guest_of(cube), data, NULL, bytes) : HYLA_OK;
}

hyla_status hy_ask_guests(hyla_cube *cube, const void *mine, void *theirs, int64_t bytes) {
  TRY(hy_cube_usable(cube));
  if (cube->address < 0) return hy_control(cube, hy_partner_of(cube), mine, NULL, bytes);
  return hy_guest_of(cube) >= 0 ? hy_control(cube, hy_guest_of(cube), NULL, theirs, bytes)
                                : HYLA_OK;
}
