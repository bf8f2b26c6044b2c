/* Private to lib/gemm: an operand spread along an axis of the array.
 *
 * The nodes of a row of the array have the same rows of op(A), each other columns: op(A) is
 * spread along the row.  op(B) is spread along the columns of the array; so may C be.  Along
 * its axis an operand can do what the algorithms are made of:
 *   rotate     its blocks go round the ring of the nodes, or are exchanged
 *   broadcast  a panel goes from the node that has it to the others
 *   gather     a panel is joined from the shares that the nodes have, on all of them
 *   reduce     what each node has to add to a panel goes to the node that has it
 * The loops of the algorithms need not know of
 *   access in place  where the nodes can read one another's blocks these are lent once, in one
 *                    step, and read where they stand; nothing else travels
 *   ragged blocks    of different lengths, on arrays whose sides differ
 *   triangles        of a triangular factor only what has entries in the triangle travels
 * All functions are collective over the nodes along the axis unless they are marked local.
 */
#ifndef HY_GEMM_SPREAD_H
#define HY_GEMM_SPREAD_H 1

#include "gemm/cut.h"
#include "gemm/step.h"

struct hy_spread;

/* Local.  Operand A, B or C of a problem as it lies, along its rows or its columns; then what
 * it is for:
 *   ring    rotations round a ring of so many nodes, with so many panels of k in all.  The
 *           nodes along the axis are such a ring, or several, each with a stretch of k
 *   parts   of a ring that has been made: all panels are cut into so many parts, at most
 *           HYLA_DIMS_MAX, that go round it each on its own way.  One ring, no triangles;
 *           blocks travel also where they could be read in place
 *   panels  broadcasts of the panels of a cut.  which: of the cut's axes the operand's.  The cut
 *           outlives it, and lists what it cuts if a factor is triangular
 *   sums    reductions of C onto the panels of a cut
 *   shares  all-gathers, in so many rounds, of panels whose columns are in shares on the nodes
 *           that differ in so many of the lowest bits of their part of the columns
 *   stack   one all-gather of all that the nodes have that differ in so many bits of their part,
 *           from bit `low` on.  brought: what the node has to give is put to `own`, else it is its
 *           block
 *   planes  stretches of k from the face of an array, where the operand lies in blocks that are
 *           unions of the `finest` equal panels of k, to its planes along so many dimensions
 *   trees   panels passed on along trees (tree_pipeline.h) */
enum hy_operand_name { HY_A, HY_B, HY_C };
hyla_status hy_spread_create(const struct hy_gemm_problem *problem, enum hy_operand_name name,
                             bool rows, struct hy_spread **spread);
void hy_spread_on_ring(struct hy_spread *spread, int places, int panels);
void hy_spread_in_parts(struct hy_spread *spread, int parts);
void hy_spread_in_panels(struct hy_spread *spread, const struct hy_cut *cut, int which);
void hy_spread_of_sums(struct hy_spread *spread, const struct hy_cut *cut, int which);
void hy_spread_in_shares(struct hy_spread *spread, int bits, int64_t rounds);
void hy_spread_in_stack(struct hy_spread *spread, int low, int bits, bool brought);
void hy_spread_on_planes(struct hy_spread *spread, uint32_t along, int finest);
/* Local.  The memory of a run. */
hyla_status hy_spread_take(struct hy_spread *spread, const struct hy_gemm_task *task);
void hy_spread_destroy(hyla_cube *cube, struct hy_spread **spread);

/* Before a run: lends the node's block, or puts it where it can be sent from; after it: waits
 * until the block has come back. */
hyla_status hy_spread_begin(struct hy_spread *spread);
hyla_status hy_spread_end(struct hy_spread *spread);

/* Rotations.  The panels of k are the numbers 0 ... panels-1; to begin with each node has the
 * first one of its block here. */
int hy_spread_first(const struct hy_spread *spread); /* that panel; local */
/* The panel that is here, and its indices of k.  It stays while a step brings the next one. */
hyla_status hy_spread_here(struct hy_spread *spread, struct hy_panel *panel);
struct hy_indices hy_spread_indices(const struct hy_spread *spread);
struct hy_indices hy_spread_panel(const struct hy_spread *spread, int number); /* of any; local */
/* After the step panel + by, modulo their number, is here, or panel ^ bits.  If that is in
 * another block the blocks change places: the messages are added to the step. */
void hy_spread_rotate(struct hy_spread *spread, int by, struct hy_step *step);
void hy_spread_exchange(struct hy_spread *spread, int bits, struct hy_step *step);

/* A set-up over links: blocks change places as one of these would have them do before anything
 * else, from neighbour to neighbour on ways of their own, each in so many packets that follow one
 * another.  Rotated by Gray code they take the ways of hy_rotation_disjoint, on up to
 * 2^6 nodes, exchanged the dimensions in ascending order: so no two packets want a link at a time.
 * plan: local, when the spread is on its ring.  steps, and the messages of one of them at most:
 * local.  pass: adds the messages of step t; called once also where there are no steps. */
hyla_status hy_spread_plan_rotation(struct hy_spread *spread, int by, int packets);
hyla_status hy_spread_plan_exchange(struct hy_spread *spread, int bits, int packets);
int hy_spread_route_steps(const struct hy_spread *spread);
int64_t hy_spread_route_messages(const struct hy_spread *spread);
void hy_spread_route_pass(struct hy_spread *spread, int t, struct hy_step *step);

/* Rotations in parts.  The same for part p of the panels: of what is here, its indices, and the
 * panel that it has here after the step. */
struct hy_panel hy_spread_part_here(const struct hy_spread *spread, int p);      /* local */
struct hy_indices hy_spread_part_indices(const struct hy_spread *spread, int p); /* local */
void hy_spread_part_exchange(struct hy_spread *spread, int p, int bits, struct hy_step *step);

/* The owner's panel of the cut on every node, until the next one is asked for. */
hyla_status hy_spread_broadcast(struct hy_spread *spread, const struct hy_cut_panel *panel,
                                struct hy_panel *out);
/* Local.  Where along the other axis the panel may have other entries than 0; what is
 * elsewhere is not there. */
struct hy_reach hy_spread_reach(const struct hy_spread *spread, const struct hy_cut_panel *panel);

/* Gathering.  Of a round: the node's indices of k; their panel, gathered or being so, which stays
 * until the round after the next one begins; puts the node's own share in its place.  Local. */
struct hy_indices hy_spread_round(const struct hy_spread *spread, int64_t round);
struct hy_panel hy_spread_gathered(const struct hy_spread *spread, int64_t round);
void hy_spread_gather_begin(struct hy_spread *spread, int64_t round);
/* All of a round at once, by the variant that was asked for; nothing where none was. */
hyla_status hy_spread_gather_whole(struct hy_spread *spread, int64_t round);
/* Else: steps of a round, local; the messages of one of them are added to the step: what the node
 * has, from the first share to twice as many each time, changes places with its neighbour's. */
int hy_spread_gather_steps(const struct hy_spread *spread);
void hy_spread_gather(struct hy_spread *spread, int64_t round, int number, struct hy_step *step);

/* A stack.  Gathers it; or start, and next until it is -1: the members, by their number in the
 * bits, in the order in which what they have comes; it is here, and more is on its way.  at: a
 * member's share, from an index of k on; it stays. */
char *hy_spread_stack_own(struct hy_spread *spread); /* local */
hyla_status hy_spread_stack_gather(struct hy_spread *spread);
hyla_status hy_spread_stack_start(struct hy_spread *spread);
hyla_status hy_spread_stack_next(struct hy_spread *spread, int *member);
struct hy_panel hy_spread_stack_at(const struct hy_spread *spread, int member,
                                   int64_t index); /* local */

/* Planes.  The node's: its stretch of k.  From the face to the planes, all bits of their number,
 * the highest first: what crosses a bit is added to the step.  Then, in the plane, its stretch from
 * where it has come to all nodes along the axis. */
struct hy_indices hy_spread_plane(const struct hy_spread *spread); /* local */
void hy_spread_to_planes(struct hy_spread *spread, int bit, struct hy_step *step);
hyla_status hy_spread_over_plane(struct hy_spread *spread);
/* Local.  The stretch when it is there, from a multiple of `chunk` on: so many of its indices are
 * one panel. */
int64_t hy_spread_plane_chunk(const struct hy_spread *spread);
struct hy_panel hy_spread_plane_at(const struct hy_spread *spread, int64_t from);

/* The owner's panel of C += the sum of what the nodes have put, without gaps, to `summand`. */
char *hy_spread_summand(struct hy_spread *spread); /* local */
hyla_status hy_spread_reduce(struct hy_spread *spread, const struct hy_cut_panel *panel);

/* Local.  What of k the ring has. */
struct hy_indices hy_spread_stretch(const struct hy_spread *spread);
/* Local.  How the panels, or sums, of `what` travel, where they do; NULL: nothing. */
void hy_spread_explain(const struct hy_spread *spread, const char *what, struct hy_text *text);

#endif
