/* Private to lib/gemm: an operand spread along an axis of the array.
 *
 * The nodes of a row of the array have the same rows of op(A), each node other columns: op(A) is
 * spread along the row.  op(B) is spread along the columns of the array; so may C be.  An operand
 * offers the moves along its axis that the algorithms use:
 *   rotate     its blocks go round the ring of the nodes, or are exchanged
 *   broadcast  a panel goes from its owner to the other nodes
 *   gather     a panel is joined, on all nodes, from the shares that the nodes have
 *   reduce     the nodes' summands for a panel are added on the panel's owner
 * The loops of the algorithms do not see:
 *   access in place  if the nodes can read one another's blocks, these are lent once, in one step,
 *                    and read where they lie; nothing else travels
 *   ragged blocks    blocks of different lengths, on arrays whose sides differ
 *   triangles        a triangular factor sends only the entries in its triangle
 * All functions are collective over the nodes along the axis unless they are marked local. */
#ifndef HY_GEMM_SPLIT_OPERAND_H
#define HY_GEMM_SPLIT_OPERAND_H 1

#include "gemm/panelling.h"
#include "gemm/step.h"

struct hy_split_operand;

/* Local.  Operand A, B or C of a problem as it lies, along its rows or its columns; then its use:
 *   ring    rotations round a ring of `places' nodes, with `panels' panels of k in all.  The nodes
 *             along the axis are one such ring, or several, each with its own stretch of k
 *   parts   of a ring that has been made: every panel is cut into `parts' parts, at most
 *             HYLA_DIMS_MAX, which go round the ring on different ways.  One ring, no triangles;
 *             blocks travel also if they could be read in place
 *   panels  broadcasts of the panels of a cut.  which: the operand's axis in the cut.  The cut must
 *             outlive the operand, and must have its list if a factor is triangular
 *   sums    reductions of C onto the panels of a cut
 *   shares  all-gathers, in `rounds' rounds, of panels whose columns are in shares on the nodes
 *             that differ in the `bits' lowest bits of their part of the columns
 *   stack   one all-gather of everything on the nodes that differ in `bits' bits of their part,
 *             from bit `low' on. brought: the node puts its share to `own'; otherwise its share is
 *             its block
 *   planes  moves stretches of k from the face of an array to its planes along the dimensions
 *             `along'.  The operand lies in blocks that are unions of the `finest' equal panels of
 *             k
 *   trees   panels passed on along trees (tree_pipeline.h) */
enum hy_operand_name { HY_A, HY_B, HY_C };
hyla_status hy_split_operand_create(void *owner, const struct hy_gemm_problem *problem,
                                    enum hy_operand_name name, bool rows,
                                    struct hy_split_operand **operand);
void hy_split_operand_on_ring(struct hy_split_operand *s, int places, int panels);
void hy_split_operand_in_parts(struct hy_split_operand *s, int parts);
void hy_split_operand_in_panels(struct hy_split_operand *s, const struct hy_panelling *panelling,
                                int which);
void hy_split_operand_of_sums(struct hy_split_operand *s, const struct hy_panelling *panelling,
                              int which);
void hy_split_operand_in_shares(struct hy_split_operand *s, int bits, int64_t rounds);
void hy_split_operand_in_stack(struct hy_split_operand *s, int low, int bits, bool brought);
void hy_split_operand_on_planes(struct hy_split_operand *s, uint32_t along, int finest);
/* Local.  The memory of a run. */
hyla_status hy_split_operand_allocate(struct hy_split_operand *s, const struct hy_gemm_task *task);

/* begin, before a run: lends the node's block, or puts it where it can be sent from.  end, after
 * the run: waits until the block has come back. */
hyla_status hy_split_operand_begin(struct hy_split_operand *s);
hyla_status hy_split_operand_end(struct hy_split_operand *s);

/* Rotations.  The panels of k have the numbers 0 ... panels-1.  Each node begins with the first
 * panel of its block. */
int hy_split_operand_first(const struct hy_split_operand *s); /* the node's first panel; local */
/* The panel that is here, and its indices of k.  It stays valid while a step brings the next
 * one. */
hyla_status hy_split_operand_here(struct hy_split_operand *s, struct hy_panel *panel);
struct hy_indices hy_split_operand_indices(const struct hy_split_operand *s);
/* Local.  The same for any panel. */
struct hy_indices hy_split_operand_panel(const struct hy_split_operand *s, int number);
/* After the step, panel + by (modulo the number of panels) is here, or panel ^ bits.  If that panel
 * is in another block, the blocks change places: the messages are added to the step. */
void hy_split_operand_rotate(struct hy_split_operand *s, int by, struct hy_step *step);
void hy_split_operand_exchange(struct hy_split_operand *s, int bits, struct hy_step *step);

/* A set-up over links.  Before the run's other steps the blocks change places as a rotation or an
 * exchange would have them do, but from neighbour to neighbour, each on a way of its own, in
 * `packets' packets that follow one another.  Blocks that are rotated by Gray code take the ways of
 * hy_rotation_disjoint, on up to 2^6 nodes; blocks that are exchanged cross their dimensions in
 * ascending order.  So no two packets need the same link at the same time.
 *   plan      local, when the spread is on its ring
 *   steps     the number of steps; local
 *   messages  the largest number of messages in one step; local
 *   pass      adds the messages of step t; to be called once even if there are no steps */
hyla_status hy_split_operand_plan_rotation(struct hy_split_operand *s, int by, int packets);
hyla_status hy_split_operand_plan_exchange(struct hy_split_operand *s, int bits, int packets);
int hy_split_operand_route_steps(const struct hy_split_operand *s);
int64_t hy_split_operand_route_messages(const struct hy_split_operand *s);
void hy_split_operand_route_pass(struct hy_split_operand *s, int t, struct hy_step *step);

/* Rotations in parts: the same for part p of the panels.  here: the part; indices: its indices;
 * exchange: sets the panel whose part is here after the step. */
struct hy_panel hy_split_operand_part_here(const struct hy_split_operand *s, int p); /* local */
struct hy_indices hy_split_operand_part_indices(const struct hy_split_operand *s,
                                                int p); /* local */
void hy_split_operand_part_exchange(struct hy_split_operand *s, int p, int bits,
                                    struct hy_step *step);

/* Brings the owner's panel of the cut to every node; it stays valid until the next call. */
hyla_status hy_split_operand_broadcast(struct hy_split_operand *s,
                                       const struct hy_index_panel *panel, struct hy_panel *out);
/* Local.  The stretch of the other axis in which the panel may be nonzero; the panel has no data
 * elsewhere. */
struct hy_reach hy_split_operand_reach(const struct hy_split_operand *s,
                                       const struct hy_index_panel *panel);

/* Gathering.  Local.  round: the node's indices of k in a round.  gathered: the panel of a round,
 * which may still be arriving; it stays valid until the round after the next one begins.  begin:
 * puts the node's own share in its place. */
struct hy_indices hy_split_operand_round(const struct hy_split_operand *s, int64_t round);
struct hy_panel hy_split_operand_gathered(const struct hy_split_operand *s, int64_t round);
void hy_split_operand_gather_begin(struct hy_split_operand *s, int64_t round);
/* Gathers a whole round at once by the variant that was asked for; does nothing if none was. */
hyla_status hy_split_operand_gather_whole(struct hy_split_operand *s, int64_t round);
/* Without such a variant: steps is the number of steps of a round (local).  gather adds the
 * messages of one step: the node exchanges everything gathered so far with its neighbour, so the
 * data double in each step. */
int hy_split_operand_gather_steps(const struct hy_split_operand *s);
void hy_split_operand_gather(struct hy_split_operand *s, int64_t round, int number,
                             struct hy_step *step);

/* A stack.
 *   gather  gathers all shares
 *   start   starts gathering; then call `next' until it says -1
 *   next    gives the members, by their number in the bits, in the order in which their shares
 *           come: this member's share is here, and more shares are on their way
 *   at      a member's share, from an index of k on; it stays valid */
char *hy_split_operand_stack_own(struct hy_split_operand *s); /* local */
hyla_status hy_split_operand_stack_gather(struct hy_split_operand *s);
hyla_status hy_split_operand_stack_start(struct hy_split_operand *s);
hyla_status hy_split_operand_stack_next(struct hy_split_operand *s, int *member);
struct hy_panel hy_split_operand_stack_at(const struct hy_split_operand *s, int member,
                                          int64_t index); /* local */

/* Planes.  plane: the stretch of k of the node's plane.  to_planes: adds the messages that cross
 * one bit of the planes' number; call it for all bits, the highest first, to go from the face to
 * the planes. over_plane: then brings the plane's stretch to all nodes along the axis. */
struct hy_indices hy_split_operand_plane(const struct hy_split_operand *s); /* local */
void hy_split_operand_to_planes(struct hy_split_operand *s, int bit, struct hy_step *step);
hyla_status hy_split_operand_over_plane(struct hy_split_operand *s);
/* Local, once the stretch is here.  It is stored in panels of `chunk' indices; at: the panel that
 * begins at `from', a multiple of `chunk'. */
int64_t hy_split_operand_plane_chunk(const struct hy_split_operand *s);
struct hy_panel hy_split_operand_plane_at(const struct hy_split_operand *s, int64_t from);

/* reduce: the owner's panel of C += the sum of the data that the nodes have put, without gaps, to
 * `summand'. */
char *hy_split_operand_summand(struct hy_split_operand *s); /* local */
hyla_status hy_split_operand_reduce(struct hy_split_operand *s, const struct hy_index_panel *panel);

/* Local.  Says how the panels or sums called `what' travel, if they do.  NULL: says nothing. */
void hy_split_operand_explain(const struct hy_split_operand *s, const char *what,
                              struct hy_text *text);

#endif
