/* Door of layer 4, comm: the cube object, messages between its ranks,
 * collectives over subcubes, agreement.
 *
 * Inside the library a rank is named by its cube address, 0 ... 2^d-1.  Guests
 * (ranks beyond 2^d) have address -1: they take part in hy_enter, hy_agree and
 * hy_tell_guests only, and return at once from everything else here.
 *
 * All calls on this page except those marked local are collective over the
 * subcube they name.  None takes messages from "any source": the order of
 * arrival never changes a result.
 */
#ifndef HY_COMM_H
#define HY_COMM_H 1

#include "base/base.h"
#include "cube/cube.h"
#include "local/local.h"
#include "plan/plan.h"

struct hy_link; /* one rank's end of the network: MPI or the simulator */

struct hyla_cube {
  struct hy_base base;
  int dims;
  int nodes;   /* 2^dims */
  int address; /* -1 on a guest */
  int ranks;   /* nodes and guests */
  bool broken; /* communication failed: nothing more is sent */
  double timeout;
  int threads;
  bool private_memory;
  char *forced;             /* options' variant text, owned; NULL when none */
  double share;             /* ranks on a core where they are most, at least 1 */
  hyla_machine machine;     /* as it is on this cube */
  bool measure;             /* plans are measured for which wisdom has nothing */
  bool wise;                /* plans ask wisdom */
  struct hy_wisdom *wisdom; /* rank 0's; NULL elsewhere */
  hyla_ledger ledger;
  struct hy_link *link;
  const char *call; /* the public call that runs, and how many starts it has made: for messages */
  int64_t step;
  bool one_host; /* can each node map every other one's memory?  The same on all ranks */
  int members; /* nodes whose memory this rank can map, itself among them; 0: not known, a guest */
  int *member; /* their addresses, ascending */
  int64_t agreements; /* completed so far, the same on all ranks */
  int64_t windows;    /* made so far: the next window's number, the same on all ranks */
  char why_private[HY_MESSAGE_MAX]; /* why the last window was not shared; "" when it was */
};

/* Local.  In a dry simulation there are counts and times but no data: matrices lie
 * at addresses without memory (hy_alloc_data), kernels and copies do nothing, and
 * messages of hy_link_start, collectives included, carry no bytes.  What decides by
 * data refuses with hy_need_data: UNSUPPORTED. */
static inline bool hy_cube_dry(const hyla_cube *cube) { return cube->base.nowhere != NULL; }
/* Local.  Can every node be expected to read what the others put into windows to be made? */
static inline bool hy_in_place_expected(const hyla_cube *cube) {
  return !cube->private_memory && cube->one_host;
}
const struct hy_kernels *hy_cube_kernels(const hyla_cube *cube, hyla_type type);
hyla_status hy_need_data(hyla_cube *cube, const char *call);

/* The same as hyla_cube_create, for tests: allocation number fail_at of this
 * rank fails (0: none). */
hyla_status hy_cube_make(MPI_Comm comm, const hyla_options *options, int64_t fail_at,
                         hyla_cube **cube);

/* Collective.  The cube over any network; hy_cube_make does it over MPI.  The
 * link is ended with the cube, or here on failure; one that has a size is copied
 * into the cube's memory.  books: what the link's memory was booked in; copied. */
hyla_status hy_cube_over(struct hy_link *link, const struct hy_base *books,
                         const hyla_options *options, hyla_cube **cube);

/* Collective; agreed upon.  The machine of that name or file ("", NULL: the default),
 * the same on all ranks as rank 0 reads it. */
hyla_status hy_machine_get(hyla_cube *cube, const char *text, hyla_machine *machine);

/* Collective; the status is this rank's.  What wisdom has for a key: the variant's name,
 * "" when it has nothing; adds what was measured.  For cubes that are wise; name, key,
 * variant and seconds are the same on all ranks. */
enum { HY_NAME_MAX = 64 };
hyla_status hy_recall(hyla_cube *cube, const char *key, char name[HY_NAME_MAX], double *seconds);
hyla_status hy_remember(hyla_cube *cube, const char *key, const char *variant, double seconds);

/* Local.  Checks the environment variables and the options' ranges. */
hyla_status hy_options_check(struct hy_base *base, const hyla_options *options);

/* ---------------------------------------------------------- agreement -- */

/* A fingerprint of global arguments: start with 0, add each argument's bytes. */
uint64_t hy_fingerprint(uint64_t fingerprint, const void *bytes, size_t size);

/* The first and the last statement of every public collective call.
 * hy_enter: `mine` is this rank's verdict on its arguments; if all say OK and
 * all fingerprints and calls are equal the call goes on, otherwise every rank
 * returns the same status and message (the lowest failing rank's, which it names
 * unless all nodes fail; MISMATCH when only fingerprints differ).  hy_agree: the
 * same for a verdict alone.  `call` is a static string.  With a broken cube both
 * return at once: hy_agree a failure of `mine`, which is the one that broke the
 * cube, otherwise BROKEN. */
hyla_status hy_enter(hyla_cube *cube, hyla_status mine, uint64_t fingerprint, const char *call);
hyla_status hy_agree(hyla_cube *cube, hyla_status mine);

/* Gives every guest the bytes that its partner node holds.  data, bytes: on
 * nodes and guests alike. */
hyla_status hy_tell_guests(hyla_cube *cube, void *data, int64_t bytes);

/* hyla_cube_max between hy_enter and hy_agree: over nodes and guests, the status is
 * this rank's. */
hyla_status hy_cube_max(hyla_cube *cube, int64_t *values, int count);
/* The same, and sums[i] becomes the sum over the nodes of values[i]. */
hyla_status hy_cube_max_sum(hyla_cube *cube, int64_t *values, double *sums, int count);

/* ------------------------------------------------------------ windows -- */

/* Memory of which every node of the cube holds a part, and in which ranks of
 * one machine can read each other's part in place.  Zeroed; aligned to 2 MiB
 * where a part is that large, to a page otherwise. */
struct hy_window;

/* Collective over cube and guests.  bytes: local, the size of this rank's part (0 on guests).
 * Falls back to private memory on all ranks where shared memory cannot be had
 * on one; MEMORY when even that fails. */
hyla_status hy_window_create(hyla_cube *cube, int64_t bytes, struct hy_window **window);
/* The same in memory that no other rank can read, which takes a small part of the
 * time where the machine has huge pages for private memory only. */
hyla_status hy_window_create_private(hyla_cube *cube, int64_t bytes, struct hy_window **window);
/* Local: unmaps; the memory goes when the last rank has let go. */
void hy_window_destroy(hyla_cube *cube, struct hy_window **window);
/* Local: this rank's part; a peer's part, NULL when it cannot be read in place. */
void *hy_window_data(const struct hy_window *window);
const void *hy_window_peer(const struct hy_window *window, int peer);

/* ----------------------------------------------------------- messages -- */

enum hy_verb {
  HY_SEND,   /* data goes out; reusable after hy_link_wait */
  HY_RECV,   /* data comes in */
  HY_LEND,   /* a peer may read data until it gives it back; hy_link_wait waits for that */
  HY_BORROW, /* after hy_link_wait `seen` points at the lent bytes: the lender's
                memory where window allows, else a copy in data */
};

/* What the link keeps of a message in flight.  A message travels as a row of
 * pieces, of which two are under way at a time. */
struct hy_flight {
  struct hy_message *next; /* started after this one and still in flight */
  int tag;
  char *data; /* what travels: the message's bytes or, for a loan in place, the notice */
  int64_t bytes;
  int64_t pieces;
  int64_t posted; /* pieces handed to the network */
  int64_t ended;  /* transfers done */
  int64_t wanted; /* transfers that complete the message */
  void *request[2];
  int64_t length[2];
  bool busy[2];
  int64_t notice[4];
  double when; /* virtual time of its end, in the simulator */
};

/* One message.  Messages between two ranks match in the order they are started.
 * Of a pair, LEND goes with BORROW and SEND with RECV, with equal bytes and the
 * same window.  A message stays where it is in memory from start to the end of
 * wait, a borrow to the end of return; set what is not the link's own and zero
 * the rest. */
struct hy_message {
  enum hy_verb verb;
  int peer;
  int64_t bytes;
  void *data;                     /* BORROW: scratch of `bytes`, used when there is no window */
  const struct hy_window *window; /* LEND, BORROW: where the lender's data lies; NULL: travels */
  const void *seen;               /* BORROW: output of hy_link_wait */
  struct hy_flight flight;
};

/* Starts messages; waits until all of those given are done (yielding the core
 * when ranks outnumber cores; TIMEOUT after the cube's limit without progress);
 * gives borrowed blocks back, after which `seen` must not be read.
 *
 * 0 messages are fine.  Each start counts as one step of the ledger, each SEND
 * and LEND as one message; what has no bytes or goes to this rank itself counts
 * as nothing.  A message without bytes does not travel.
 *
 * A wait may name some of the messages of a start, and those of several starts
 * may be in flight; each started message is waited for once.  A rank that lends
 * and borrows at once (a shift along a ring) starts both, waits for the borrows,
 * works, returns them, and only then waits for the loans: while it waits for
 * some, all that are in flight move on.
 *
 * A failure breaks the cube: what is in flight is given up, and later calls
 * return BROKEN. */
hyla_status hy_link_start(hyla_cube *cube, struct hy_message *messages, int count);
hyla_status hy_link_wait(hyla_cube *cube, struct hy_message *messages, int count);
hyla_status hy_link_return(hyla_cube *cube, struct hy_message *messages, int count);
/* Looks once after all that is in flight, without waiting: what travels as messages
 * moves on only while its ranks are in here, so long computations call it now and then. */
hyla_status hy_link_poll(hyla_cube *cube);

/* start and wait together, for SEND and RECV. */
hyla_status hy_link_step(hyla_cube *cube, struct hy_message *messages, int count);

/* Swaps buffers with one peer (which may be this rank: a copy). */
hyla_status hy_exchange(hyla_cube *cube, int peer, const void *out, int64_t out_bytes, void *in,
                        int64_t in_bytes);

/* Local.  So many operations on entries of `size` bytes are done here: on a
 * simulated cube this node's clock moves on by their time.  Called beside every
 * computation that counts in a cost's flops. */
void hy_compute(hyla_cube *cube, int64_t flops, size_t size, bool complex_type);

/* -------------------------------------------------------- collectives -- */

/* Over the subcube of this rank spanned by the dimensions in the mask `dims`.
 * root: an address; its bits outside dims do not count.  Each runs a schedule
 * of recursive doubling, one step a dimension; long all-reductions halve the
 * data first (two steps a dimension, the same bits).  Nothing is allocated. */

/* data on root goes to every member. */
hyla_status hy_broadcast(hyla_cube *cube, uint32_t dims, int root, void *data, int64_t bytes);

/* into := into combined with from, count entries.  Where the order matters
 * `from` comes from the member with the larger number.  Called in dry simulations
 * too, for what it computes: there it must not touch the data. */
typedef void hy_combine(void *into, const void *from, int64_t count, const void *arg);

/* data on root := the members' data combined, in a fixed tree; the others' data
 * is used up.  work: as large as data.  all: the same result, bit for bit, on
 * every member. */
hyla_status hy_reduce(hyla_cube *cube, uint32_t dims, int root, void *data, int64_t count,
                      size_t size, hy_combine *combine, const void *arg, void *work);
hyla_status hy_allreduce(hyla_cube *cube, uint32_t dims, void *data, int64_t count, size_t size,
                         hy_combine *combine, const void *arg, void *work);

/* data holds the members' blocks in member order; member x's starts at
 * offsets[x] and ends at offsets[x + 1] (bytes; 2^|dims| + 1 offsets, the same
 * on all).  On entry each holds its own block, afterwards all. */
hyla_status hy_allgather(hyla_cube *cube, uint32_t dims, void *data, const int64_t *offsets);

/* ------------------------------------------------ planned collectives -- */

/* What a collective starts from and must lead to; x and s are members. */
enum hy_task {
  HY_TASK_BROADCAST,      /* root's words on every member */
  HY_TASK_REDUCE,         /* the members' words combined on root */
  HY_TASK_ALLREDUCE,      /* on every member; hy_allreduce alone */
  HY_TASK_SCATTER,        /* root's block x on x */
  HY_TASK_GATHER,         /* x's block x on root */
  HY_TASK_ALLGATHER,      /* on every member */
  HY_TASK_REDUCE_SCATTER, /* block x of the combination on x */
  HY_TASK_PARTIAL,        /* active x's block x on every member */
  HY_TASK_EXCHANGE,       /* s's block x becomes x's block s */
  HY_TASK_PERMUTE,        /* s's words on to[s] */
};

/* How blocks lie in the buffer, in words: block b from offsets[b] to
 * offsets[b + 1], or, where offsets is NULL, from b * words to (b + 1) * words.
 * One block for broadcast, reductions and permutations, else one a member.
 *
 * Of permutations and exchanges `words` may be the room for a block, of which not
 * every one is filled (offsets is NULL then): member s has sources[s] words, to
 * exchange sources[s] targets[x] for member x; they stand at the block's start. */
struct hy_blocks {
  int64_t words;
  const int64_t *offsets;
  const int64_t *sources; /* NULL: all blocks are full; must outlive a plan */
  const int64_t *targets; /* NULL in permutations */
};

/* A collective that is asked for: the same on all members of the subcube. */
struct hy_collective {
  enum hy_task task;
  int dims;                /* of the subcube */
  uint32_t root;           /* a member, of broadcast, reduce, scatter, gather */
  struct hy_blocks blocks; /* its arrays must outlive a plan */
  int groups;              /* of pipelined variants; 0: the best for tau and beta */
  int64_t tau;             /* time of a word and of a packet's start; both 0: the machine's */
  int64_t beta;
  const uint8_t *active; /* of the partial all-gather: 2^dims flags */
  const int32_t *to;     /* of the permutation: where a member's words go, -1 nowhere */
  int nearest;           /* of the exchange: only nodes at a distance from nearest to */
  int farthest;          /* farthest exchange; 0: all */
  int band;              /* of the exchange: b + 1, when only columns at most 2^b apart round
                            the circle exchange, each on its hy_banded_node; 0: all */
  const uint8_t *phases; /* of the multiphase exchange: their dimensions, dims in all; */
  int phase_count;       /* 0: the best equi-partition for tau and beta */
};

/* A collective with its variant chosen and its schedule and memory made.  Every
 * member's buffer has room for all blocks, each in its place.  variant: NULL or
 * "" for the options' one or the fastest on the cube's machine.  size: bytes of
 * a word.  Collective over the subcube `dims`; the status is this rank's own. */
struct hy_collective_plan;
hyla_status hy_collective_create(hyla_cube *cube, uint32_t dims,
                                 const struct hy_collective *collective, size_t size,
                                 const char *variant, struct hy_collective_plan **plan);
/* The two halves of create: all but the memory of a run; that. */
hyla_status hy_collective_make(hyla_cube *cube, uint32_t dims,
                               const struct hy_collective *collective, size_t size,
                               const char *variant, struct hy_collective_plan **plan);
hyla_status hy_collective_take(hyla_cube *cube, struct hy_collective_plan *plan);
hyla_status hy_collective_run(hyla_cube *cube, const struct hy_collective_plan *plan, void *data,
                              hy_combine *combine, const void *arg);
void hy_collective_destroy(hyla_cube *cube, struct hy_collective_plan **plan);
/* Local.  The variant's name; what this rank sends; the seconds predicted for the busiest
 * node; why the variant was chosen. */
const char *hy_collective_variant(const struct hy_collective_plan *plan);
hyla_cost hy_collective_cost(const struct hy_collective_plan *plan);
double hy_collective_seconds(const struct hy_collective_plan *plan);
void hy_collective_explain(const struct hy_collective_plan *plan, struct hy_text *text);

#endif
