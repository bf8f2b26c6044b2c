/* hyla_collective: the papers' collective operations on a program's own buffers.
 *
 * It includes hyla.h, whose conventions hold here too.  An operation is planned once, which chooses
 * the variant and takes all memory, and is then run on any buffers any number of times:
 *   message    the data of one rank for another, and the subcubes
 *   reduction  how elements are combined
 *   plans      one call for each operation
 *   runs       a plan on buffers
 *
 * Buffers follow MPI's conventions.  A subcube has P ranks, numbered from 0.  On a cube that was
 * made with hyla_options.network there are no subcubes: all P ranks of the communicator take part,
 * guests too, whatever P is, and their numbers are their ranks there.  B is a message of `count`
 * elements.  A rank gives `send' and gets `receive':
 *   operation       send                 receive                    MPI's
 *   broadcast       root: B              the others: B              Bcast
 *   reduce          B                    root: B                    Reduce
 *   scatter         root: P B            B                          Scatter
 *   gather          B                    root: P B                  Gather
 *   allgather       B                    P B                        Allgather
 *   reduce-scatter  P B                  B                          Reduce_scatter_block
 *   allreduce       B                    B                          Allreduce
 *   exchange        P B                  P B                        Alltoall
 *   partial         active ranks: B      P B                        Allgatherv
 *   permute         who sends: B         who is sent to: B          Sendrecv
 *   partial exchange  active ranks: P B  P B                        Alltoallv
 *   partial gather  P B                  active ranks: P B          Alltoallv
 *   window          its W ranks: B       its W ranks: W B           Allgather
 *   exchange, K bands   K P B            K P B                      Alltoallv, K times
 *   broadcast, K bands  K B              K P B                      Allgatherv, K times
 * In P B the x-th B is for rank x, or from it.  With `counts' the blocks of scatter, gather,
 * allgather and reduce-scatter have different lengths and lie one behind the other, as in MPI's
 * Scatterv, Gatherv, Allgatherv and Reduce_scatter.
 * A buffer that a rank does not use may be NULL and is not read.  Parts of receive for which there
 * is no message stay unchanged (as blocks of ranks that are not active, or too far away).  send is
 * not changed.  The two must not overlap.
 * MPI_IN_PLACE may replace send, as in MPI: in allgather, partial, allreduce, reduce-scatter,
 * exchange, permute, partial exchange and gather, window and K bands; in reduce and gather on the
 * root.  The data are then in receive and are replaced there.  In broadcast it may replace send on
 * the root, so that all ranks name one buffer alike.  In scatter it may replace receive on the
 * root, whose block stays in send. */
#ifndef HYLA_COLLECTIVE_H
#define HYLA_COLLECTIVE_H 1

#include <hyla.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------- message -- */

/* The data of one rank for another, and the subcubes.  All global.
 *   count    elements, from 0
 *   size     bytes of an element, from 1; may be 0 for reductions by hyla_combination
 *   apart    a mask of cube dimensions: ranks whose addresses differ in these are in different
 *            subcubes, which do the operation independently at the same time.  0: the whole cube;
 *            nothing else with hyla_options.network
 *   variant  a name that `hyla info' lists under the operation; NULL or "": that of
 *            hyla_options.collective, or else the fastest on the cube's machine.  With
 *            hyla_options.network also a name that `hyla explain collective --network' lists,
 *            alone or with its network, as in torus:3x4/split
 *   counts   for scatter, gather, allgather and reduce-scatter: the elements of each rank's block,
 *            P numbers from 0, the same in all subcubes; `count' is then not read.  NULL: all
 *            blocks have `count' elements */
typedef struct hyla_message {
  int64_t count;
  size_t size;
  uint32_t apart;
  const char *variant;
  const int64_t *counts;
} hyla_message;

/* Local.  ranks: the number of ranks in each subcube for `apart'.  rank: this rank's number in its
 * own, made of its address bits outside `apart'; it is the number that MPI_Comm_split gives with
 * the colour address & apart.  -1 on a guest, for NULL, and for a mask beyond the cube.  With
 * hyla_options.network and apart = 0: the number of all ranks, and this rank's in the communicator;
 * with another mask -1. */
HYLA_API int hyla_subcube_ranks(const hyla_cube *cube, uint32_t apart);
HYLA_API int hyla_subcube_rank(const hyla_cube *cube, uint32_t apart);

/* ------------------------------------------------------------ reduction -- */

/* Types of numbers that the library can combine itself. */
typedef enum hyla_number {
  HYLA_NUMBER_FLOAT,
  HYLA_NUMBER_DOUBLE,
  HYLA_NUMBER_COMPLEX,
  HYLA_NUMBER_DOUBLE_COMPLEX,
  HYLA_NUMBER_INT32,
  HYLA_NUMBER_INT64
} hyla_number;

/* Sums and products of integers are modulo 2^32 or 2^64.  MAX and MIN are for real numbers only,
 * and give NaN if any number is NaN. */
typedef enum hyla_combination {
  HYLA_COMBINE_SUM,
  HYLA_COMBINE_PRODUCT,
  HYLA_COMBINE_MAX,
  HYLA_COMBINE_MIN
} hyla_combination;

/* A user's function: into[i] := into[i] combined with from[i] for count elements.  It must be
 * associative; `from' comes from ranks with larger numbers.  It must not call the library. */
typedef void hyla_combine(void *into, const void *from, int64_t count, const void *arg);

/* How elements are combined.
 *   number, by   the library's own combination; not used if `combine' is set
 *   combine, arg the caller's function, or NULL, and its argument.  Both are local, but either all
 *                ranks have a function or none has; arg must outlive the plan
 *   ordered      elements are combined in the order of the ranks' numbers, neighbours first, in one
 *                tree of pairs, whatever the root, the variant and the count.  So functions need
 *                not be commutative, and sums have the same bits.  Only variants that keep this
 *                order are chosen.  A reduce-scatter then runs as an all-reduction, and every rank
 *                keeps its block of the result.  On networks that are no cubes what the ranks give
 *                is gathered, P times as much, and then combined */
typedef struct hyla_reduction {
  hyla_number number;
  hyla_combination by;
  hyla_combine *combine;
  const void *arg;
  bool ordered;
} hyla_reduction;

/* ---------------------------------------------------------------- plans -- */

/* All of these are collective.  All arguments are global; root is a number in each subcube.  The
 * caller owns *plan, which serves hyla_plan_variant, _cost, _seconds, _candidate, _explain and
 * _destroy; hyla_plan_run_on runs it.  The arguments are copied, except for reduction->arg.  The
 * cost's words are elements.  Its memory, which is taken here, is the variant's own, and room for
 * data that pass through ranks whose buffers have none: a message on the other ranks of a
 * reduction; P messages on those of a gather or scatter, and on all of a reduce-scatter, a partial
 * exchange and a partial gather; W messages on the ranks outside a window; one in permutations on
 * ranks that receive nothing or whose lengths are rounded up.
 * What only a cube has is UNSUPPORTED with hyla_options.network: exchanges near by, by tags and in
 * bands, windows, phases, rotations in Gray code unless P is a power of two.
 * ARGUMENT, MISMATCH, UNSUPPORTED (the message gives each variant's reason), MEMORY, COMMUNICATION,
 * TIMEOUT, BROKEN. */

/* References: Stout and Wagar 1990, BROADCAST 1 to 4, DISTRIBUTE 1 and 2, HISTOGRAM, COMPLETE
 * BROADCAST; Bertsekas et al. 1991, sections 2 and 3. */
HYLA_API hyla_status hyla_broadcast_plan(hyla_cube *cube, const hyla_message *message, int root,
                                         hyla_plan **plan);
HYLA_API hyla_status hyla_reduce_plan(hyla_cube *cube, const hyla_message *message,
                                      const hyla_reduction *reduction, int root, hyla_plan **plan);
HYLA_API hyla_status hyla_scatter_plan(hyla_cube *cube, const hyla_message *message, int root,
                                       hyla_plan **plan);
HYLA_API hyla_status hyla_gather_plan(hyla_cube *cube, const hyla_message *message, int root,
                                      hyla_plan **plan);
HYLA_API hyla_status hyla_allgather_plan(hyla_cube *cube, const hyla_message *message,
                                         hyla_plan **plan);
HYLA_API hyla_status hyla_reduce_scatter_plan(hyla_cube *cube, const hyla_message *message,
                                              const hyla_reduction *reduction, hyla_plan **plan);
HYLA_API hyla_status hyla_allreduce_plan(hyla_cube *cube, const hyla_message *message,
                                         const hyla_reduction *reduction, hyla_plan **plan);

/* Every rank x with active[x] sends a message to all ranks.  active: P flags, one for each rank.
 * Varvarigos 1992, 3.6. */
HYLA_API hyla_status hyla_partial_plan(hyla_cube *cube, const hyla_message *message,
                                       const bool *active, hyla_plan **plan);

/* exchange: every rank x with active[x] has a message for each rank.  gather: every rank has a
 * message for each rank x with active[x].  active: P flags, one for each rank.  Variant matched is
 * planned on every rank in about as many operations as messages cross links.  Varvarigos 1992,
 * 3.7. */
HYLA_API hyla_status hyla_partial_exchange_plan(hyla_cube *cube, const hyla_message *message,
                                                const bool *active, hyla_plan **plan);
HYLA_API hyla_status hyla_partial_gather_plan(hyla_cube *cube, const hyla_message *message,
                                              const bool *active, hyla_plan **plan);

/* Each of the first W = 2^dims ranks of a subcube, 0 <= dims <= its dimensions, has a message for
 * all of these.  The other ranks take part, so that their links are used too; it pays if they have
 * nothing of their own to send.  Varvarigos 1992, 3.8. */
HYLA_API hyla_status hyla_window_plan(hyla_cube *cube, const hyla_message *message, int dims,
                                      hyla_plan **plan);

/* Collective.  Counts active ranks, when each rank knows only whether it is active itself.  before:
 * the number of active ranks in the subcube with smaller numbers, which is an active rank's own
 * number among them.  all: the number of active ranks.  -1 and 0 on guests that take no part.
 * apart: as in hyla_message, global; of an array's sides (hyla_options.array) whole ones.  active:
 * local.  Takes d exchanges of a number over the d dimensions of a subcube, along a side of s nodes
 * s - 1, with hyla_options.network of two numbers, and no memory.  Varvarigos
 * 1992, 3.6.1.
 * ARGUMENT, MISMATCH, UNSUPPORTED (a dry simulation), COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_active_ranks(hyla_cube *cube, uint32_t apart, bool active, int *before,
                                       int *all);

/* Every rank has a message for each rank.  phases: for variant multiphase, the number of dimensions
 * of each of its phases, from 1, with the subcube's dimensions as their sum; phase_count 0: the
 * best ones for the machine.  Nicol and Bokhari 1994; Stout and Wagar 1990, COMPLETE EXCHANGE;
 * Bertsekas et al. 1991, section 4; Varvarigos 1992, 2.4. */
HYLA_API hyla_status hyla_exchange_plan(hyla_cube *cube, const hyla_message *message,
                                        const int *phases, int phase_count, hyla_plan **plan);

/* The same in a neighbourhood: for each rank whose number differs from the own one in `nearest' to
 * `farthest' bits, 0 <= nearest <= farthest and 1 <= farthest, which may exceed the subcube's
 * dimensions.  Varvarigos 1992, chapter 2, theorem 5. */
HYLA_API hyla_status hyla_exchange_near_plan(hyla_cube *cube, const hyla_message *message,
                                             int nearest, int farthest, hyla_plan **plan);

/* The same by tags: for each rank whose number XOR the own one is a t with tags[t].  tags: P flags,
 * one for each rank of a subcube.  The number of steps is the larger one of two: the most tags that
 * share a bit, and the most bits of a tag.  No exchange with these tags takes fewer.  Varvarigos
 * 1992, chapter 2, theorem 5. */
HYLA_API hyla_status hyla_exchange_tags_plan(hyla_cube *cube, const hyla_message *message,
                                             const bool *tags, hyla_plan **plan);

/* The same within a band: for each rank whose column is at most 2^b from the own one, on the circle
 * of all P columns, 0 <= b < the dimensions of a subcube (b = 0 if it has none), as for a banded
 * matrix of 2^(b+1) + 1 diagonals.  Local: hyla_band_column gives a rank's column, hyla_band_rank
 * the rank of a column; -1 outside.  Varvarigos 1992, theorem 6. */
HYLA_API hyla_status hyla_exchange_band_plan(hyla_cube *cube, const hyla_message *message, int b,
                                             hyla_plan **plan);
HYLA_API int hyla_band_column(int ranks, int b, int rank);
HYLA_API int hyla_band_rank(int ranks, int b, int column);

/* exchange: the same for several banded matrices at once, 1 <= matrices <= 20, with the blocks of
 * one behind those of the other.  broadcast: for each matrix every rank has one message for all
 * ranks whose columns are within the band.  The columns of matrix j lie with the bits of the ranks'
 * numbers rotated left by j b places, so that d / b matrices share the cube's dimensions; local:
 * hyla_bands_column and hyla_bands_rank.  Planned on every rank in about as many operations as
 * messages cross links; variant `negotiated', which takes the fewest steps, takes many more
 * operations.  Varvarigos 1992, 2.7. */
HYLA_API hyla_status hyla_exchange_bands_plan(hyla_cube *cube, const hyla_message *message, int b,
                                              int matrices, hyla_plan **plan);
HYLA_API hyla_status hyla_broadcast_bands_plan(hyla_cube *cube, const hyla_message *message, int b,
                                               int matrices, hyla_plan **plan);
HYLA_API int hyla_bands_column(int ranks, int b, int matrix, int rank);
HYLA_API int hyla_bands_rank(int ranks, int b, int matrix, int column);

/* Rank x sends its message to rank to[x], or to none if to[x] is -1.  to: P numbers, all different
 * except for -1.  If no variant serves a permutation as it is, one for complete permutations sends
 * it, with lengths rounded up.  Stout and Wagar 1990, INVERSION, PERMUTED SEND, O.C.
 * SEND, ARBITRARY SEND, section 10 (turns of an array of ranks); Johnsson 1987, theorems 4.1 to
 * 4.4. */
HYLA_API hyla_status hyla_permute_plan(hyla_cube *cube, const hyla_message *message, const int *to,
                                       hyla_plan **plan);

/* The same with every message moved by `places' places on a circle, modulo P; places may be
 * negative.  BINARY: the circle is that of the ranks' numbers.  GRAY: rank x ^ x >> 1 is at place
 * x, so that neighbours on the circle are neighbours on the cube.  Johnsson 1987, section 3.1.4. */
HYLA_API hyla_status hyla_rotate_plan(hyla_cube *cube, const hyla_message *message, hyla_code code,
                                      int64_t places, hyla_plan **plan);

/* ----------------------------------------------------------------- runs -- */

/* Collective.  Runs a plan of this header on buffers according to the table above; they are local
 * arguments with any alignment that the elements allow.  Nothing is allocated.  After a failure the
 * contents of receive are undefined.
 * ARGUMENT (also: a buffer is NULL although the rank uses it, the buffers overlap, MPI_IN_PLACE is
 * not allowed), MISMATCH, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_plan_run_on(hyla_cube *cube, hyla_plan *plan, const void *send,
                                      void *receive);

#ifdef __cplusplus
}
#endif

#endif
