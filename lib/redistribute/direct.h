/* Private to this folder: lists of shared indices, exchange lists and copies. */
#ifndef HY_DIRECT_H
#define HY_DIRECT_H 1

#include "redistribute/redistribute.h"

/* Runs at regular distances that two axes share.  Run i has `length' consecutive indices; they are
 * the local indices from here + i here_step on at one side, and from there + i there_step on at the
 * other.  Two block-cyclic axes share few progressions, however long the axes are. */
struct hy_progression {
  int32_t length, count;
  int32_t here, here_step;
  int32_t there, there_step;
};

/* The indices that one part of an axis shares with each part q of another axis of the same length.
 * Part q has entries[q] of them, in the progressions start[q] ... start[q + 1] - 1.  Progressions
 * ascend on both sides; the positions of a mirrored axis in storage descend, entry by entry. */
struct hy_intersection {
  const struct hy_axis *axis; /* NULL if made by hy_intersection_gather */
  int part;                   /* this node's part of the axis */
  int32_t *start;             /* number of parts of the other axis, + 1 */
  int32_t *entries;
  struct hy_progression *progression;
};

/* Local.  A guest (part -1) shares nothing.  The axis must outlive the shares, whose memory belongs
 * to the owner (hy_alloc_for).  MEMORY. */
hyla_status hy_intersection_create(struct hy_base *base, void *owner, const struct hy_axis *axis,
                                   int part, const struct hy_axis *other,
                                   struct hy_intersection *shares);

/* Local.  gather makes the same from any walk over indices.  The walk calls gather_run for each
 * run, with its part or class q, in ascending order on both sides.  It runs twice: to count, then
 * to write. */
struct hy_gathering;
typedef void hy_gather_walk(const void *arg, const struct hy_gathering *gathering);
void hy_gather_run(const struct hy_gathering *gathering, int q, int64_t length, int64_t here,
                   int64_t there);
/* The same for positions that may descend, from those of the first index on (`..._falls'). */
void hy_gather_transposed(const struct hy_gathering *gathering, int q, int64_t length, int64_t here,
                          bool here_falls, int64_t there, bool there_falls);
hyla_status hy_intersection_gather(struct hy_base *base, void *owner, int parts,
                                   hy_gather_walk *walk, const void *arg,
                                   struct hy_intersection *shares);

/* The entries that one node gives to and takes from every other node in one transfer.  Rows and
 * columns are those of the target. */
struct hy_exchange_list {
  int dims; /* of the cube */
  struct hy_sides sides;
  enum hy_part part; /* of the target */
  int node;          /* -1 on guests */
  struct hy_operand from, to;
  const hyla_matrix *source; /* decides what peers can read in place; NULL: from.in_place does */
  size_t size;               /* of an entry */
  /* This node's part of `from' with all parts of `to', and its part of `to' with those of
   * `from'. */
  struct hy_intersection give_rows, give_cols;
  struct hy_intersection take_rows, take_cols;
};

/* The exchange list of a transfer on this node, without its intersections. */
struct hy_exchange_list hy_exchange_list_of(const hyla_transfer *transfer);
/* Local.  Makes the intersections of a list whose other members are set.  They point into the list,
 * which must not move afterwards, and belong to the owner.  MEMORY. */
hyla_status hy_exchange_list_create(struct hy_base *base, void *owner,
                                    struct hy_exchange_list *list);
/* The number of entries that go to a node and come from one; the node itself: entries that stay. */
int64_t hy_exchange_list_out(const struct hy_exchange_list *list, int peer);
int64_t hy_exchange_list_in(const struct hy_exchange_list *list, int peer);
/* Do this node and the peer read each other's entries in place? */
bool hy_exchange_list_in_place(const struct hy_exchange_list *list, int peer);
/* pack: puts the entries for a peer, after op and alpha, to `out'.  unpack: puts the entries that
 * have come from it to their places.  scratch: as in struct hy_copy. */
void hy_exchange_list_pack(const struct hy_exchange_list *list, const hyla_transfer *transfer,
                           int peer, char *scratch, char *out);
void hy_exchange_list_unpack(const struct hy_exchange_list *list, const hyla_transfer *transfer,
                             int peer, const char *in);
/* mark: sets a bit for each step s in which one of several exchange lists of a node may have
 * entries for node ^ s or from it; step 0 is the node itself.  marks: hy_exchange_list_marks(dims)
 * zeros.  steps: the number of marked steps; lists them in ascending order unless `steps' is
 * NULL. */
void hy_exchange_lists_mark(const struct hy_exchange_list *lists, int count, uint64_t *marks);
int64_t hy_exchange_list_steps(int dims, const uint64_t *marks, int32_t *steps);
static inline int hy_exchange_list_marks(int dims) {
  return (int)hy_ceil_div(INT64_C(1) << dims, 64);
}
/* The packing buffer of a step: the incoming message begins behind the outgoing one, aligned for
 * any type; and the length of both. */
static inline int64_t hy_packing_in(int64_t out) {
  const int64_t align = _Alignof(double _Complex);
  return hy_ceil_div(out, align) * align;
}
static inline int64_t hy_packing_bytes(int64_t out, int64_t in) {
  return in > 0 ? hy_packing_in(out) + in : out;
}
/* The bytes of all lists that go packed to a peer and come from it. */
void hy_exchange_lists_packed(const struct hy_exchange_list *lists, int count, int peer,
                              int64_t *out, int64_t *in);

/* Which positions of a progression's indices one side of a copy uses. */
enum hy_side_layout {
  HY_HERE,
  HY_THERE,
  HY_PACKED, /* one behind the other, from the first progression on */
  HY_TILE    /* one behind the other, from the beginning of a tile on */
};

/* Positions on one axis of a source and a target array. */
struct hy_positions {
  const struct hy_intersection *shares;
  const struct hy_progression *progression;
  int progressions;
  int64_t first; /* the number of entries at the beginning that are left out */
  int64_t entries;
  enum hy_side_layout from, to;
};
/* All entries of one part or class; all entries shared with a node's part of another axis. */
struct hy_positions hy_positions_of(const struct hy_intersection *shares, uint32_t class,
                                    enum hy_side_layout from, enum hy_side_layout to);
struct hy_positions hy_positions_with(const struct hy_intersection *shares,
                                      const struct hy_axis *other, int peer,
                                      enum hy_side_layout from, enum hy_side_layout to);
/* The position here or there of an entry, which counts from 0; the number of entries below a
 * position. */
int64_t hy_positions_at(const struct hy_positions *positions, enum hy_side_layout side,
                        int64_t entry);
int64_t hy_positions_below(const struct hy_positions *positions, enum hy_side_layout side,
                           int64_t limit);
/* The number of entries at these rows and columns that are in a part of the matrix.  Rows and
 * columns are intersections along axes. */
int64_t hy_positions_in_part(const struct hy_positions *rows, const struct hy_positions *cols,
                             enum hy_part part);

/* How a copy treats the entries.  op: none or a transposition (hy_without_turn), as the places say
 * how a turn mirrors.  stream: the target is larger than the caches and is written past them. */
struct hy_copy {
  const struct hy_kernels *k;
  hyla_operation op;
  double _Complex alpha;
  bool stream;
  char *scratch; /* hy_copy_scratch(op) entries; for bands HY_STAGE bytes */
};
enum { HY_STAGE = 1 << 17, HY_COPY_TILE = 64 }; /* TILE: rows and columns copied together */
int64_t hy_copy_scratch(hyla_operation op);
/* The bytes of scratch that these transfers need, done one after the other. */
int64_t hy_direct_scratch(const hyla_transfer *transfers, int count);

/* target := alpha op(source), at some rows and columns of the target.  With a transposing op,
 * rows->from are columns of the source and cols->from its rows. */
void hy_copy_positions(const struct hy_copy *copy, const struct hy_positions *rows,
                       const struct hy_positions *cols, const void *source, int64_t ld_source,
                       void *target, int64_t ld_target);
/* The same for the entries of the target that are in a part of the matrix; rows and columns are
 * intersections along axes.  A packed part is stored rectangle by rectangle. */
void hy_copy_part(const struct hy_copy *copy, enum hy_part part, const struct hy_positions *rows,
                  const struct hy_positions *cols, const void *source, int64_t ld_source,
                  void *target, int64_t ld_target);

/* Rows of a target that come from one array. */
struct hy_band {
  struct hy_positions rows;
  const void *source;
  int64_t ld;
};
/* hy_copy_positions from several sources that have the same columns.  rows: of the target. */
void hy_copy_bands(const struct hy_copy *copy, const struct hy_band *bands, int count,
                   const struct hy_positions *cols, int64_t rows, void *target, int64_t ld_target);

/* For a banded matrix (hy_redistribution): the largest distance, on the circle of all parts, of two
 * parts of an axis that exchange entries of the band. */
int64_t hy_band_reach(const struct hy_axis *axis, int64_t width);
/* The least b for which 2^b is at least that distance and every part is on its hy_banded_node; -1
 * if no b serves. */
int hy_band_exponent(const struct hy_axis *axis, int dims, int64_t width);
/* Are the parts of two nodes at most 2^b apart? */
bool hy_band_between(const struct hy_axis *axis, int b, int one, int other);

#endif
