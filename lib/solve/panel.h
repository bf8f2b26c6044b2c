/* Private to lib/solve: panels on their way along a subcube, from the rank that makes one to
 * all others.
 *
 * By recursive doubling: neighbours only, 2^c - 1 messages in c steps.  A panel is lent, not
 * sent: where the lender's memory can be read in place, the last rank on each path computes
 * straight from there; ranks that pass it on take a copy.  Lending returns at once, so the
 * maker goes on with its own work, and a slot is waited for only when it is needed again.
 * What a panel's bytes mean is its user's business.
 *
 * Where another broadcast was asked for, the panel goes by its schedule: its first step starts
 * as early, the others are taken when the panel is wanted. */
#ifndef HY_SOLVE_PANEL_H
#define HY_SOLVE_PANEL_H 1

#include "collective/collective.h"
#include "local/local.h"

/* Panels that may be in flight: the one in use, the one made ahead, and the one before, which
 * a slower rank may still be reading. */
enum { HY_PANEL_SLOTS = 3 };

/* With what a panel's message may begin: has its maker failed? */
struct hy_panel_header {
  int64_t status; /* HYLA_OK, or the verdict */
  int64_t column; /* the failing one, from 1; 0: none */
};
enum { HY_PANEL_HEADER = 64 }; /* bytes */

struct hy_panel_slot {
  char *data;       /* room for a panel */
  const char *seen; /* where to read it */
  int64_t bytes;
  int root;        /* the maker */
  uint32_t number; /* of this rank, counted from it */
  bool borrowed;
  int messages; /* in flight: one borrow, or loans */
  struct hy_message message[HYLA_DIMS_MAX];
};

struct hy_panels {
  hyla_cube *cube;
  uint32_t dims;                /* of the subcube */
  size_t size;                  /* bytes of a word */
  struct hy_window *window;     /* the slots */
  const struct hy_group *group; /* by whose schedule they travel; NULL: lent by doubling */
  struct hy_panel_slot slot[HY_PANEL_SLOTS];
  /* Does the member at a node want the panels that are on their way?  NULL: all do.  Lent panels
   * go to those alone, and to whom they come through; the user asks hy_panels_reach. */
  bool (*wants)(const void *arg, int node);
  const void *arg;
};

/* Collective over cube and guests; agreed upon.  bytes: local, of a slot, a multiple of 64.
 * group: a broadcast over the subcube, for panels as long as these; serves where it has
 * schedules, and outlives them. */
hyla_status hy_panels_create(const struct hy_group *group, int64_t bytes, struct hy_panels *panels);
/* Local.  The same on a counting cube. */
struct hy_panels hy_panels_counted(hyla_cube *counting, const struct hy_group *group);
void hy_panels_destroy(struct hy_panels *panels);
/* Local.  Is there a neighbour whose panels are not read in place? */
bool hy_panels_travel(const struct hy_panels *panels);

/* Local.  Does a panel from `root` come to this rank? */
bool hy_panels_reach(const struct hy_panels *panels, int root);

/* Panel number `index` goes through slot index mod HY_PANEL_SLOTS.  None of these agrees.
 * open     on the maker: waits until the slot is free; the panel is to be filled in at ->data
 * lend     on the maker: sends it on its way; returns at once
 * expect   everywhere but on the maker, `root`, where it does nothing: gets ready for it;
 *          returns at once.  bytes: as the maker says, the same on all
 * receive  everywhere: waits for a panel that was expected or, on the maker, opened; passes
 *          it on
 * close    everywhere: it is no longer read here.  What is lent stays lent until the slot is
 *          needed
 * finish   waits for all that is lent */
hyla_status hy_panels_open(struct hy_panels *panels, int64_t index, int64_t bytes,
                           struct hy_panel_slot **slot);
hyla_status hy_panels_lend(struct hy_panels *panels, struct hy_panel_slot *slot);
hyla_status hy_panels_expect(struct hy_panels *panels, int64_t index, int root, int64_t bytes);
hyla_status hy_panels_receive(struct hy_panels *panels, int64_t index, struct hy_panel_slot **slot);
hyla_status hy_panels_close(struct hy_panels *panels, struct hy_panel_slot *slot);
hyla_status hy_panels_finish(struct hy_panels *panels);

/* Local.  What one panel of so many words costs the rank of a number, counted from the
 * maker; in_place: where panels are read in place. */
hyla_cost hy_panels_cost(const struct hy_group *group, uint32_t number, int64_t words,
                         bool in_place);

/* Rows of a panel, copied for products with them (local.h): once a panel. */
struct hy_packed_rows {
  const struct hy_packed *products; /* NULL: BLAS' */
  size_t size;                      /* bytes of an entry */
  char *entries;
  int64_t panel; /* whose they are; -1: nobody's */
};
/* Local.  Those of panel number `index', m x k, copied by the team. */
const char *hy_packed_rows_of(struct hy_packed_rows *rows, struct hy_team *team, int64_t index,
                              int m, int k, const void *a, int lda);

#endif
