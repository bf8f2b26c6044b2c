/* Private to this folder: the pieces of a redistribution. */
#ifndef HY_DIRECT_H
#define HY_DIRECT_H 1

#include "redistribute/redistribute.h"

/* Runs at regular distances that two axes share: run i is the `length` local indices from
 * here + i here_step on one side and from there + i there_step on the other. Two
 * block-cyclic axes share few progressions, however long they are. */
struct hy_progression {
  int32_t length, count;
  int32_t here, here_step;
  int32_t there, there_step;
};

/* What one part of an axis shares with each part q of another axis of the same length:
 * entries[q] indices. They are the progressions start[q] ... start[q + 1] - 1, ascending on
 * both sides; in storage a mirrored axis falls, entry by entry. */
struct hy_intersection {
  const struct hy_axis *axis; /* NULL: of another walk than along an axis */
  int part;                   /* of it: this node's */
  int32_t *start;             /* parts of the other axis + 1 */
  int32_t *entries;
  struct hy_progression *progression;
};

/* part -1 (a guest) shares nothing.  The axis must outlive the shares. */
hyla_status hy_intersection_create(struct hy_base *base, const struct hy_axis *axis, int part,
                                   const struct hy_axis *other, struct hy_intersection *shares);
void hy_intersection_destroy(struct hy_base *base, struct hy_intersection *shares);

/* The same from any walk over indices. The walk adds each run with its part or class q,
 * ascending on both sides. It is called twice: to count, then to write. */
struct hy_gathering;
typedef void hy_gather_walk(const void *arg, const struct hy_gathering *gathering);
void hy_gather_run(const struct hy_gathering *gathering, int q, int64_t length, int64_t here,
                   int64_t there);
/* The same where places may fall, from those of the first index on. */
void hy_gather_turned(const struct hy_gathering *gathering, int q, int64_t length, int64_t here,
                      bool here_falls, int64_t there, bool there_falls);
hyla_status hy_intersection_gather(struct hy_base *base, int parts, hy_gather_walk *walk,
                                   const void *arg, struct hy_intersection *shares);

/* What one node gives to and takes from every other in one transfer.  Rows and
 * columns are those of the target. */
struct hy_exchange_list {
  int dims;          /* of the cube */
  enum hy_part part; /* of the target */
  int node;          /* -1 on guests */
  struct hy_operand from, to;
  const hyla_matrix *source; /* that peers may read in place; NULL: from.in_place says it */
  size_t size;               /* of an entry */
  /* This node's part of from with all parts of to, and the other way round. */
  struct hy_intersection give_rows, give_cols;
  struct hy_intersection take_rows, take_cols;
};

/* The exchange list of a transfer on its own node, still without intersections. */
struct hy_exchange_list hy_exchange_list_of(const hyla_transfer *transfer);
/* Finds the intersections of a list whose other members are set; it then stays where it is. */
hyla_status hy_exchange_list_create(struct hy_base *base, struct hy_exchange_list *list);
void hy_exchange_list_destroy(struct hy_base *base, struct hy_exchange_list *list);
/* Entries that go to a node (to itself: that stay) and come from one. */
int64_t hy_exchange_list_out(const struct hy_exchange_list *list, int peer);
int64_t hy_exchange_list_in(const struct hy_exchange_list *list, int peer);
/* Does the peer read what goes to it in place, and this node what comes? */
bool hy_exchange_list_in_place(const struct hy_exchange_list *list, int peer);
/* Marks each step s in which one of several exchange lists of a node may have something
 * between it and node ^ s; step 0 is what stays. marks: hy_exchange_list_marks(dims) zeros.
 * Unless `steps` is NULL it lists the marked steps, ascending; returns how many there are. */
void hy_exchange_lists_mark(const struct hy_exchange_list *lists, int count, uint64_t *marks);
int64_t hy_exchange_list_steps(int dims, const uint64_t *marks, int32_t *steps);
/* Adds what several lists of one node cost it together.  marks: hy_exchange_list_marks(dims)
 * zeros. */
void hy_exchange_lists_cost(const struct hy_exchange_list *lists, int count, uint64_t *marks,
                            hyla_cost *cost);
static inline int hy_exchange_list_marks(int dims) {
  return (int)hy_ceil_div(INT64_C(1) << dims, 64);
}
/* The packing buffer of a step: where what comes in begins behind what goes out, aligned
 * for any type; how long it is. */
static inline int64_t hy_packing_in(int64_t out) {
  const int64_t align = _Alignof(double _Complex);
  return hy_ceil_div(out, align) * align;
}
static inline int64_t hy_packing_bytes(int64_t out, int64_t in) {
  return in > 0 ? hy_packing_in(out) + in : out;
}
/* Bytes of all lists that travel packed to and from a peer. */
void hy_exchange_lists_packed(const struct hy_exchange_list *lists, int count, int peer,
                              int64_t *out, int64_t *in);

/* Where the indices of a progression lie on one side of a copy. */
enum hy_lie {
  HY_HERE,
  HY_THERE,
  HY_PACKED, /* one after the other, from the first progression on */
  HY_TILE    /* the same, from where a tile begins */
};

/* Positions on one axis of a source and a target array. */
struct hy_places {
  const struct hy_intersection *shares;
  const struct hy_progression *progression;
  int progressions;
  int64_t first; /* of the progressions' entries; those before it are left out */
  int64_t entries;
  enum hy_lie from, to;
};
/* All of one part or class; all that is shared with a node's part of another axis. */
struct hy_places hy_places_of(const struct hy_intersection *shares, uint32_t class,
                              enum hy_lie from, enum hy_lie to);
struct hy_places hy_places_with(const struct hy_intersection *shares, const struct hy_axis *other,
                                int peer, enum hy_lie from, enum hy_lie to);
/* The position of an entry, from 0, here or there; how many entries come before a position. */
int64_t hy_places_at(const struct hy_places *places, enum hy_lie lie, int64_t entry);
int64_t hy_places_below(const struct hy_places *places, enum hy_lie lie, int64_t limit);
/* How many of the entries at rows and columns, which are intersections along axes, are in a
 * part. */
int64_t hy_places_in_part(const struct hy_places *rows, const struct hy_places *cols,
                          enum hy_part part);

/* What a copy does to the entries, and how.  op: no turn, which the places say (hy_without_turn).
 * stream: the target is larger than the caches and goes past them. */
struct hy_copy {
  const struct hy_kernels *k;
  hyla_operation op;
  double _Complex alpha;
  bool stream;
  char *scratch; /* hy_copy_scratch(op) entries; for bands HY_STAGE bytes */
};
enum { HY_STAGE = 1 << 17 };
int64_t hy_copy_scratch(hyla_operation op);
/* Bytes of it for these transfers, in turn. */
int64_t hy_direct_scratch(const hyla_transfer *transfers, int count);

/* target := alpha op(source), at some rows and columns of the target.  Under a
 * transposing op rows->from are columns of the source and cols->from its rows. */
void hy_copy_places(const struct hy_copy *copy, const struct hy_places *rows,
                    const struct hy_places *cols, const void *source, int64_t ld_source,
                    void *target, int64_t ld_target);
/* The same for the entries of the target that are in a part; rows and columns are
 * intersections along axes. Packed, the part lies rectangle by rectangle. */
void hy_copy_part(const struct hy_copy *copy, enum hy_part part, const struct hy_places *rows,
                  const struct hy_places *cols, const void *source, int64_t ld_source, void *target,
                  int64_t ld_target);

/* Rows of a target that come from one array. */
struct hy_band {
  struct hy_places rows;
  const void *source;
  int64_t ld;
};
/* The same for several sources that have the same columns.  rows: of the target. */
void hy_copy_bands(const struct hy_copy *copy, const struct hy_band *bands, int count,
                   const struct hy_places *cols, int64_t rows, void *target, int64_t ld_target);

/* For a banded matrix (hy_redistribution): how far apart, round the circle of all parts,
 * two parts of an axis can be that have entries of the band for each other. */
int64_t hy_band_reach(const struct hy_axis *axis, int64_t width);
/* The b for which every part lies on its hy_banded_node and 2^b is at least that far; -1 if
 * there is none. */
int hy_band_exponent(const struct hy_axis *axis, int dims, int64_t width);
/* Are the parts of two nodes at most 2^b apart? */
bool hy_band_between(const struct hy_axis *axis, int b, int one, int other);

#endif
