/* Door of the room cube: the cube object, messages between its ranks, agreement,
 * windows.
 *
 * Inside the library a rank is named by its cube address, 0 ... 2^d-1.  Guests
 * (ranks beyond 2^d) have address -1: they take part in hy_enter, hy_agree and
 * hy_tell_guests only, and return at once from everything else here.
 *
 * All calls on this page except those marked local are collective over the
 * subcube they name.  None takes messages from "any source": the order of
 * arrival never changes a result.
 */
#ifndef HY_CUBE_H
#define HY_CUBE_H 1

#include "address/address.h"
#include "base/base.h"
#include "local/local.h"
#include "machine/machine.h"

struct hy_link;  /* one rank's end of the network: MPI or the simulator */
struct hy_trace; /* what this rank did, for trace viewers */

struct hyla_cube {
  struct hy_base base;
  int dims;
  int nodes;   /* 2^dims */
  int address; /* -1 on a guest */
  int ranks;   /* nodes and guests */
  bool broken; /* communication failed: nothing more is sent */
  double timeout;
  int threads;          /* of BLAS */
  struct hy_team *team; /* as many; NULL: the caller alone, as on virtual nodes */
  bool private_memory;
  bool check_results;
  hyla_faults faults; /* that these checks have found */
  char *checkpoint;   /* the folder of states, owned; NULL: there are none */
  double checkpoint_every;
  hyla_checkpoints checkpoints;
  bool reproducible;        /* plans choose among fixed variants alone */
  char *forced;             /* options' variant text, owned; NULL when none */
  char *collective;         /* likewise, of collectives */
  double share;             /* ranks on a core where they are most, at least 1 */
  hyla_machine machine;     /* as it is on this cube */
  bool measure;             /* plans are measured for which wisdom has nothing */
  bool wise;                /* plans ask wisdom */
  struct hy_wisdom *wisdom; /* rank 0's; NULL elsewhere */
  hyla_ledger ledger;
  _Atomic int64_t operations; /* done; other threads may read it */
  struct hy_link *link;       /* NULL: of a counting cube */
  bool stage;                 /* of a rehearsal */
  bool unpriced;     /* of a stage: what is made is what is rehearsed, whose cost nobody asks for */
  hyla_cost counted; /* of a counting cube: what is neither sent nor memory; lent in bytes */
  const char *call;  /* the public call that runs, and how many starts it has made: for messages */
  int64_t step;
  bool one_host; /* can each node map every other one's memory?  The same on all ranks */
  int members; /* nodes whose memory this rank can map, itself among them; 0: not known, a guest */
  int *member; /* their addresses, ascending */
  int64_t agreements;     /* completed so far, the same on all ranks */
  int64_t windows;        /* made so far: the next window's number, the same on all ranks */
  struct hy_window *kept; /* given back, in no order; for windows to come */
  int64_t kept_bytes;     /* of this rank's parts, at most keep_limit; not in the books */
  int64_t keep_limit;
  struct hy_trace *trace;           /* NULL: nobody asks, or this is a guest */
  bool traced;                      /* a trace was asked for; the same on all ranks */
  int64_t traces;                   /* agreements when its file was written; likewise */
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
/* Collective, agreed upon, before anything is taken: have the machines the memory that their nodes
 * want?  bytes: this node's.  OK in dry simulations.  MEMORY. */
hyla_status hy_cube_afford(hyla_cube *cube, int64_t bytes);

/* hyla_cube_create but for what rooms above check of the options.  For tests: allocation
 * number fail_at of this rank fails (0: none). */
hyla_status hy_cube_make(MPI_Comm comm, const hyla_options *options, int64_t fail_at,
                         hyla_cube **cube);

/* Collective.  After a failure all but the cube's message goes. */
void hy_cube_give_up(hyla_cube *cube);

/* Local.  The cube over a link as far as agreement needs it; takes no memory.  hy_cube_over's
 * first stage. */
hyla_cube hy_cube_seed(struct hy_link *link, const struct hy_base *books,
                       const hyla_options *options);

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

/* ------------------------------------------------------------- faults -- */

/* What a check of a result has come to. */
enum hy_finding { HY_UNDAMAGED, HY_CORRECTED, HY_DAMAGED };

/* Collective over nodes and guests; the status is this rank's.  *worst: of all ranks' findings;
 * what the first node that has it says of it is kept and told by all.  Guests find nothing. */
enum { HY_FAULT_MAX = sizeof((hyla_faults *)NULL)->text };
hyla_status hy_finding_merge(hyla_cube *cube, enum hy_finding mine, const char text[HY_FAULT_MAX],
                             enum hy_finding *worst);
/* Local.  A check ends with that on all ranks: counts it, and DAMAGED has what was said for its
 * message. */
hyla_status hy_finding_end(hyla_cube *cube, bool damaged, enum hy_finding worst);

/* ------------------------------------------------------------ windows -- */

/* Memory of which every node of the cube holds a part, and in which ranks of
 * one machine can read each other's part in place.  Zeroed, unless it is private; aligned
 * to 2 MiB where a part is that large, to a page otherwise. */
struct hy_window;

/* Collective over cube and guests.  bytes: local, the size of this rank's part (0 on guests).
 * Falls back to private memory on all ranks where shared memory cannot be had
 * on one; MEMORY when even that fails. */
hyla_status hy_window_create(hyla_cube *cube, int64_t bytes, struct hy_window **window);
/* The same in memory that no other rank can read, which takes a small part of the
 * time where the machine has huge pages for private memory only.  Its entries are not set. */
hyla_status hy_window_create_private(hyla_cube *cube, int64_t bytes, struct hy_window **window);
/* Local: keeps the memory for the next window of the same size, within the cube's limit, or
 * unmaps; then the memory goes when the last rank has let go. */
void hy_window_destroy(hyla_cube *cube, struct hy_window **window);
/* Local: this rank's part; a peer's part, NULL when it cannot be read in place. */
void *hy_window_data(const struct hy_window *window);
const void *hy_window_peer(const struct hy_window *window, int peer);
/* Local, the same on all ranks: may it be read by others at all?  NULL may not. */
bool hy_window_shared(const struct hy_window *window);

/* ----------------------------------------------------------- messages -- */

enum hy_verb {
  HY_SEND,   /* data goes out; reusable after hy_link_wait */
  HY_RECV,   /* data comes in */
  HY_LEND,   /* a peer may read data until it gives it back; hy_link_wait waits for that */
  HY_BORROW, /* after hy_link_wait `seen` points at the lent bytes: the lender's
                memory where window allows, else a copy in data */
};

/* When a message ended, in virtual time, and which one it was of all that an observed simulation
 * sends; 0: none of these. */
struct hy_moment {
  double when;
  int64_t message;
};

/* What a link that checks keeps of a piece in flight; see check.c. */
struct hy_check {
  void *request;
  bool busy;
  bool out;
  const void *piece;
  int64_t bytes;    /* that sum and CRC go over; 0 where there are no data */
  int64_t number;   /* of the piece */
  uint64_t told[3]; /* number, sum and CRC, as they travel */
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
  struct hy_check check[2];
  bool bare; /* it has no data: a dry cube's */
  int64_t notice[4];
  struct hy_moment end; /* in the simulator */
  bool reached;         /* this rank has waited for it, where somebody wants to know */
  double began;         /* of a trace: its start, and its number among those to or from its peer */
  int32_t number;
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
  bool timed;     /* on a simulated cube it leaves when it was ready, once its link is free; */
  double leaves;  /* else now */
  int64_t packet; /* of a timed one: which of the run's that leave when they are ready */
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
/* For messages that keep no steps.  start_one: as start, but no step is counted.  wait_any: until
 * one more of the messages, of which some may not have been started, has ended; nothing if all
 * have. */
hyla_status hy_link_start_one(hyla_cube *cube, struct hy_message *message);
hyla_status hy_link_wait_any(hyla_cube *cube, struct hy_message *messages, int count);
static inline bool hy_message_ended(const struct hy_message *message) {
  return message->flight.ended == message->flight.wanted;
}
/* Local.  For who observes a simulation: what packets that leave when they are ready wait for;
 * nothing on other cubes.  begin: from this node's clock on they leave.  need: the packet waits for
 * a message.  pass: it goes to this node itself, and takes no time; returns the number of it. */
void hy_note_begin(hyla_cube *cube);
void hy_note_need(hyla_cube *cube, int64_t packet, int64_t message);
int64_t hy_note_pass(hyla_cube *cube, int64_t packet, int64_t bytes);
/* Local.  This node has ended a part of an operation.  The report of a simulation tells when; other
 * cubes ignore it.  name: static. */
void hy_part(hyla_cube *cube, const char *name);

/* Looks once after all that is in flight, without waiting. Messages move on only while
 * their ranks are in here, so long computations call it now and then. */
hyla_status hy_link_poll(hyla_cube *cube);

/* start and wait together, for SEND and RECV. */
hyla_status hy_link_step(hyla_cube *cube, struct hy_message *messages, int count);

/* Swaps buffers with one peer (which may be this rank: a copy). */
hyla_status hy_exchange(hyla_cube *cube, int peer, const void *out, int64_t out_bytes, void *in,
                        int64_t in_bytes);

/* Local. Says that so many operations on entries of `size` bytes are done here: on a
 * simulated cube this node's clock moves on by their time. Called beside every computation
 * that counts in a cost's flops. */
void hy_compute(hyla_cube *cube, int64_t flops, size_t size, bool complex_type);

/* ----------------------------------------------------- MPI's own calls -- */

/* MPI's own collective over all ranks, for comparison: words of 8 bytes, `words' of them a block;
 * sums of unsigned integers.  from: what is given, which need not be there where nothing is; into:
 * what is got, where from and into are as MPI has them, a broadcast's root gives from `into'. */
enum hy_peer_operation {
  HY_PEER_BROADCAST,
  HY_PEER_REDUCE,
  HY_PEER_ALLREDUCE,
  HY_PEER_SCATTER,
  HY_PEER_GATHER,
  HY_PEER_ALLGATHER,
  HY_PEER_REDUCE_SCATTER,
  HY_PEER_EXCHANGE,
  HY_PEER_EXCHANGE_SOME,
  HY_PEER_ALLGATHER_SOME,
  HY_PEER_PERMUTE
};
struct hy_peer_call {
  enum hy_peer_operation operation;
  int root;
  int64_t words;
  const uint64_t *from;
  uint64_t *into;
  const int *to, *of, *at; /* of some: words to and from each rank, and where they stand */
  int target, source;      /* of a permutation; -1: none */
};
/* check: local, the same on all ranks; UNSUPPORTED on virtual cubes, with guests and for more than
 * MPI counts.  run: collective over the cube, after check; it blocks in MPI, and nothing ends it
 * where a rank does not come.  COMMUNICATION. */
hyla_status hy_peer_check(hyla_cube *cube, int64_t words);
hyla_status hy_peer_run(hyla_cube *cube, const struct hy_peer_call *call);

/* ----------------------------------------------------------- counting -- */

/* A counting cube stands in for a cube, as one node of it sees it: what runs there is
 * counted and not done.  It is dry, its messages end where they start, and nobody else
 * need run.  So the cost of a program is that of its own steps, on any rank.  Local, all of this.
 * begin  *counting becomes it; its books go on from the cube's, so that memory other than
 *        data's (hy_alloc) is taken and counted as the cube's
 * end    gives the books back, a failure's message with them, and says what was counted,
 *        in words of `size` bytes */
void hy_count_begin(const hyla_cube *cube, int node, hyla_cube *counting);
hyla_cost hy_count_end(hyla_cube *cube, const hyla_cube *counting, size_t size);
/* So many entries are copied or added here; gone over by products here; read from memory here,
 * once.  Called where a cost counts them. */
void hy_count_copied(hyla_cube *cube, int64_t entries);
void hy_count_touched(hyla_cube *cube, int64_t entries);
void hy_count_read(hyla_cube *cube, int64_t entries);
/* A rehearsal: on a simulated cube that takes times a program is run before it is planned, without
 * data and on clocks of its own, by all nodes, and its time is what it will take.
 * can    local, the same on all ranks: is this such a cube, and may rehearsals send so many
 *        messages?
 * begin  *stage stands in for the cube as a counting cube does, but its messages travel
 * end    status: this rank's of the rehearsal; seconds: of the slowest node; the books as by
 *        hy_count_end.  Also after a failure.
 * The last two are collective, end is agreed upon.
 * known, keep  local: the seconds of a rehearsal that was made before under this number, which says
 *        all that its time depends on but for the cube's own options; 0: nobody says */
bool hy_can_rehearse(const hyla_cube *cube, int64_t messages);
hyla_status hy_rehearsal_begin(hyla_cube *cube, hyla_cube *stage, void **kept);
hyla_status hy_rehearsal_end(hyla_cube *cube, hyla_cube *stage, void *kept, hyla_status status,
                             double *seconds);
bool hy_rehearsal_known(const hyla_cube *cube, uint64_t number, double *seconds);
void hy_rehearsal_keep(hyla_cube *cube, uint64_t number, double seconds);
/* Local.  What all nodes make alike and then only read: on a simulated cube the first that asks
 * makes it and the others find it by a number, which says all that it depends on.
 * common  NULL: nobody has made it, or this rank has its memory for itself
 * keep    until the simulation ends, with `end`; false: it is not kept and stays the caller's */
typedef void hy_end(void *thing);
void *hy_common(const hyla_cube *cube, uint64_t number);
bool hy_common_keep(hyla_cube *cube, uint64_t number, void *thing, hy_end *end);
/* In which every node reads every part, on a counting cube. */
struct hy_window *hy_window_counted(void);

#endif
