/* hyla_collective: the papers' collective operations on a program's own buffers.
 *
 * It includes hyla.h, whose conventions hold here too.  An operation is planned once, which picks
 * the variant and takes all memory, and then run on any buffers any number of times:
 *   message    what travels, and between whom
 *   reduction  how elements are combined
 *   plans      one call an operation
 *   runs       a plan on buffers
 *
 * Buffers follow MPI's conventions.  Of the P ranks of a subcube, numbered from 0, with B a
 * message of `count` elements, a rank gives `send' and gets `receive':
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
 * Of P B the x-th B is for rank x, or from it; by `counts' the blocks of scatter, gather, allgather
 * and reduce-scatter differ in length and lie one behind the other, as MPI's Scatterv, Gatherv,
 * Allgatherv and Reduce_scatter have them.  What a rank neither gives nor gets may be NULL and
 * is not looked at; what no message is for is left as it was (the blocks of the other ranks of a
 * partial broadcast or exchange, of an exchange's ranks too far away).  send is not changed.  The
 * two must not overlap.  MPI_IN_PLACE stands, as MPI has it, for send of allgather, partial,
 * allreduce, reduce-scatter, exchange, permute, partial exchange and gather, window, K bands, of
 * reduce and gather on the root: what is given stands in receive, where it is replaced; of a
 * broadcast on the root, so that all name one buffer alike;
 * and for receive of scatter on the root, whose block stays in send.
 */
#ifndef HYLA_COLLECTIVE_H
#define HYLA_COLLECTIVE_H 1

#include <hyla.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------- message -- */

/* What one rank has for another one, and on which subcubes.  All global.
 *   count    elements, from 0
 *   size     bytes of an element, from 1; of reductions by hyla_combination 0 will do
 *   apart    a mask of cube dimensions: ranks whose addresses differ in these are in different
 *            subcubes, each of which does the operation on its own, all at once.  0: one, the cube
 *   variant  a name that `hyla info' lists under the operation; NULL or "": hyla_options.collective
 *            or else the fastest on the cube's machine
 *   counts   of scatter, gather, allgather and reduce-scatter: the elements of each rank's block, P
 *            numbers from 0, the same in all subcubes; `count' is not looked at.  NULL: as `count'
 */
typedef struct hyla_message {
  int64_t count;
  size_t size;
  uint32_t apart;
  const char *variant;
  const int64_t *counts;
} hyla_message;

/* Local.  How many ranks the subcubes have that `apart' leaves, and the number of this one in its
 * own: the bits of its address that are not apart; that of MPI_Comm_split with the address & apart
 * for a colour.  -1 on a guest, for NULL, and for a mask of more than the cube. */
HYLA_API int hyla_subcube_ranks(const hyla_cube *cube, uint32_t apart);
HYLA_API int hyla_subcube_rank(const hyla_cube *cube, uint32_t apart);

/* ------------------------------------------------------------ reduction -- */

/* Numbers that the library combines itself. */
typedef enum hyla_number {
  HYLA_NUMBER_FLOAT,
  HYLA_NUMBER_DOUBLE,
  HYLA_NUMBER_COMPLEX,
  HYLA_NUMBER_DOUBLE_COMPLEX,
  HYLA_NUMBER_INT32,
  HYLA_NUMBER_INT64
} hyla_number;

/* Sums and products of integers are those modulo 2^32 or 2^64.  The largest and the smallest are
 * of real numbers only; of any NaN they are NaN. */
typedef enum hyla_combination {
  HYLA_COMBINE_SUM,
  HYLA_COMBINE_PRODUCT,
  HYLA_COMBINE_MAX,
  HYLA_COMBINE_MIN
} hyla_combination;

/* A user's own: into[i] := into[i] combined with from[i], count elements.  It must be associative;
 * where the order counts, what `from' has is of ranks with larger numbers.  It must not call the
 * library. */
typedef void hyla_combine(void *into, const void *from, int64_t count, const void *arg);

/* How elements are combined.
 *   number, by   the library's own; not looked at where there is a function
 *   combine, arg the caller's function, NULL for none, and what it is given; local, but all ranks
 *                have one or none; arg must outlive the plan
 *   ordered      elements are combined in the order of the ranks' numbers, neighbours first, in one
 *                tree of pairs whatever the root, the variant and the count: functions need not be
 *                commutative, and sums have the same bits.  Only variants that keep it are taken;
 *                of a reduce-scatter those of an all-reduction, of which every rank keeps its
 *                block */
typedef struct hyla_reduction {
  hyla_number number;
  hyla_combination by;
  hyla_combine *combine;
  const void *arg;
  bool ordered;
} hyla_reduction;

/* ---------------------------------------------------------------- plans -- */

/* Collective, all of these.  All arguments are global, root a number in each subcube.  The caller
 * owns *plan; hyla_plan_variant, _cost, _seconds, _candidate, _explain and _destroy are for it, and
 * it is run by hyla_plan_run_on.  What is pointed to is copied, but for reduction->arg.
 * The cost's words are elements; its memory, which is taken here, is what the variant takes and,
 * where the caller's buffers have no room for what passes through: a message on the other ranks of
 * a reduction, P of them on those of a gather or scatter and on all of a reduce-scatter, a partial
 * exchange and a partial gather, W on the ranks outside a window, one in permutations on ranks that
 * are not sent to and where lengths are rounded up.
 * ARGUMENT, MISMATCH, UNSUPPORTED (the message gives each variant's reason), MEMORY,
 * COMMUNICATION, TIMEOUT, BROKEN. */

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

/* Rank x sends a message to every rank for which active[x], one flag a rank; P flags.
 * Varvarigos 1992, 3.6. */
HYLA_API hyla_status hyla_partial_plan(hyla_cube *cube, const hyla_message *message,
                                       const bool *active, hyla_plan **plan);

/* Rank x, if active[x], has a message for each rank; of the gather, every rank has one for each
 * rank x for which active[x].  One flag a rank; P flags.  The variant matched is planned on every
 * rank in about as many operations as messages cross links.  Varvarigos 1992, 3.7. */
HYLA_API hyla_status hyla_partial_exchange_plan(hyla_cube *cube, const hyla_message *message,
                                                const bool *active, hyla_plan **plan);
HYLA_API hyla_status hyla_partial_gather_plan(hyla_cube *cube, const hyla_message *message,
                                              const bool *active, hyla_plan **plan);

/* Each of the first W = 2^dims ranks of a subcube, 0 <= dims <= its dimensions, has a message for
 * all of these; the links of the other ranks, which take part, serve too.  It pays where these
 * have nothing of their own to send.  Varvarigos 1992, 3.8. */
HYLA_API hyla_status hyla_window_plan(hyla_cube *cube, const hyla_message *message, int dims,
                                      hyla_plan **plan);

/* Collective.  Where each rank knows of itself alone whether it is active: how many ranks of its
 * subcube that have smaller numbers are (its own rank among the active ones, if it is one), and how
 * many of all; apart as in hyla_message, a global argument, active local.  -1 and 0 on guests.  It
 * takes d exchanges of a number over the d dimensions of a subcube; nothing is allocated.
 * Varvarigos 1992, 3.6.1.
 * ARGUMENT, MISMATCH, UNSUPPORTED (a dry simulation), COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_active_ranks(hyla_cube *cube, uint32_t apart, bool active, int *before,
                                       int *all);

/* Every rank has a message for each.  phases: of the variant multiphase, the dimensions of each of
 * its phases, which sum up to those of a subcube, each from 1; phase_count 0: the best for the
 * machine.  Nicol and Bokhari 1994; Stout and Wagar 1990, COMPLETE EXCHANGE; Bertsekas et al. 1991,
 * section 4; Varvarigos 1992, 2.4. */
HYLA_API hyla_status hyla_exchange_plan(hyla_cube *cube, const hyla_message *message,
                                        const int *phases, int phase_count, hyla_plan **plan);

/* The same in a neighbourhood: for each rank whose number differs from the own one in `nearest' to
 * `farthest' bits, 0 <= nearest <= farthest and 1 <= farthest, which may be beyond the subcube.
 * Varvarigos 1992, chapter 2, theorem 5. */
HYLA_API hyla_status hyla_exchange_near_plan(hyla_cube *cube, const hyla_message *message,
                                             int nearest, int farthest, hyla_plan **plan);

/* The same by tags: for each rank whose number XOR the own one is t, for all t for which tags[t],
 * one flag a rank of a subcube; P flags.  It takes as many steps as tags share a bit, or as one has
 * bits, where these are more, and no exchange of such tags takes fewer.  Varvarigos 1992,
 * chapter 2, theorem 5. */
HYLA_API hyla_status hyla_exchange_tags_plan(hyla_cube *cube, const hyla_message *message,
                                             const bool *tags, hyla_plan **plan);

/* The same within a band: for each rank whose column is at most 2^b from the own one, round the
 * circle of all P, 0 <= b < the dimensions of a subcube (0 where it has none): of a banded matrix
 * of 2^(b+1) + 1 diagonals.  hyla_band_column tells which column a rank has, hyla_band_rank who has
 * a column; -1 for what there is not.  Local.  Varvarigos 1992, theorem 6. */
HYLA_API hyla_status hyla_exchange_band_plan(hyla_cube *cube, const hyla_message *message, int b,
                                             hyla_plan **plan);
HYLA_API int hyla_band_column(int ranks, int b, int rank);
HYLA_API int hyla_band_rank(int ranks, int b, int column);

/* The same of several banded matrices at once, 1 <= matrices <= 20, the blocks of one behind those
 * of the other; and of a broadcast: of each matrix every rank has one message for all ranks whose
 * columns are within the band.  Matrix j's columns lie with the bits of the ranks' numbers rotated
 * left by j b places, as hyla_bands_column and hyla_bands_rank tell, so that d / b matrices share
 * the cube's dimensions.  Planned on every rank in about as many operations as messages cross
 * links; by `negotiated', which takes the fewest steps, in many more.  Varvarigos 1992, 2.7. */
HYLA_API hyla_status hyla_exchange_bands_plan(hyla_cube *cube, const hyla_message *message, int b,
                                              int matrices, hyla_plan **plan);
HYLA_API hyla_status hyla_broadcast_bands_plan(hyla_cube *cube, const hyla_message *message, int b,
                                               int matrices, hyla_plan **plan);
HYLA_API int hyla_bands_column(int ranks, int b, int matrix, int rank);
HYLA_API int hyla_bands_rank(int ranks, int b, int matrix, int column);

/* Rank x sends its message to rank to[x], to none where that is -1; P numbers, no two of them the
 * same rank.  What no variant serves as it is goes by one that takes any whole permutation, with
 * lengths rounded up.  Stout and Wagar 1990, INVERSION, PERMUTED SEND, O.C. SEND, ARBITRARY SEND,
 * section 10 (turns of an array of ranks); Johnsson 1987, theorems 4.1 to 4.4. */
HYLA_API hyla_status hyla_permute_plan(hyla_cube *cube, const hyla_message *message, const int *to,
                                       hyla_plan **plan);

/* The same with every message going `places' places on round the circle, modulo P, which may be
 * negative: BINARY, of the ranks by their numbers; GRAY, of those of the Gray code, rank
 * x ^ x >> 1 at place x, so that neighbours on the circle are neighbours on the cube.
 * Johnsson 1987, section 3.1.4. */
HYLA_API hyla_status hyla_rotate_plan(hyla_cube *cube, const hyla_message *message, hyla_code code,
                                      int64_t places, hyla_plan **plan);

/* ----------------------------------------------------------------- runs -- */

/* Collective.  Runs a plan of this page on buffers as the table above has them, local arguments of
 * any alignment that the elements allow.  Nothing is allocated.  After a failure receive holds
 * nothing to be relied on.
 * ARGUMENT (also: a buffer is NULL where there is something to give or to get, they overlap,
 * MPI_IN_PLACE where it cannot be), MISMATCH, COMMUNICATION, TIMEOUT, BROKEN. */
HYLA_API hyla_status hyla_plan_run_on(hyla_cube *cube, hyla_plan *plan, const void *send,
                                      void *receive);

#ifdef __cplusplus
}
#endif

#endif
