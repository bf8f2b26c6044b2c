/* Second door of the room cube, for networks: what a network must be able to do, and the machinery
 * that moves messages over it.
 *
 * A network is a table of functions, one table for each kind (MPI, the simulator).  It moves single
 * transfers between ranks of the communicator, guests included.  Everything else (pieces, loans,
 * waiting, the watchdog, agreement) stands above it and is the same for all kinds.  No function of
 * the table may block. */
#ifndef HY_LINK_H
#define HY_LINK_H 1

#include "cube/cube.h"

/* into := into merged with from.  The result must not depend on the order of merges. */
typedef void hy_merge(void *into, const void *from, int64_t bytes);

/* A rank's place in a new numbering (-1: none) and its neighbours there: along axes, closed or not,
 * or by their numbers if axes is 0. */
struct hy_topology {
  int place, axes;
  bool closed;
  int side[HYLA_DIMS_MAX], neighbours, neighbour[3];
};

struct hy_link_kind {
  /* Starts one transfer of at most link->piece bytes.  Transfers between two ranks with one tag
   * match in the order they are started. */
  hyla_status (*send)(struct hy_link *link, int rank, int tag, const void *data, int64_t bytes,
                      void **request);
  hyla_status (*recv)(struct hy_link *link, int rank, int tag, void *data, int64_t bytes,
                      void **request);
  /* Has the transfer ended?  COMMUNICATION if a receive got another number of bytes than `bytes'
   * (-1 for a send).  end: raised to the virtual time of the end, if clocks are virtual. */
  hyla_status (*test)(struct hy_link *link, void **request, int64_t bytes, bool *done,
                      struct hy_moment *end);
  /* This rank has waited for a message that ended at that time.  NULL for real clocks. */
  void (*reach)(struct hy_link *link, const struct hy_moment *end);
  /* This rank has computed this number of real double operations.  NULL for real clocks. */
  void (*compute)(struct hy_link *link, double operations);
  /* Passes on hy_observe_begin (packet -1), hy_observe_need and hy_observe_pass (message 0, bytes);
   * returns the number of a message to itself.  NULL without an observer. */
  int64_t (*observe)(struct hy_link *link, int64_t packet, int64_t message, int64_t bytes);
  /* Passes on hy_part.  NULL if nobody reports it. */
  void (*part)(struct hy_link *link, const char *name);
  /* Gives up a transfer.  It must not write to its buffer afterwards, if the network can prevent
   * that.  lingers: it may still do so, or read it, at any time later. */
  void (*cancel)(struct hy_link *link, void **request);
  bool lingers;
  /* Nothing moved in this number of polls.  Leaves the core to others, for longer as polls grow.
   * from: the only rank whose message can help; -1: any message may help. */
  hyla_status (*idle)(struct hy_link *link, int64_t polls, int from);
  /* The size of the first message from a rank with this tag (-1: any tag) that has no receive yet;
   * -1 if there is no such message. */
  int64_t (*probe)(struct hy_link *link, int rank, int tag);
  /* Seconds, real or virtual. */
  double (*clock)(struct hy_link *link);
  /* A meeting of all ranks, for networks within one process; NULL if ranks merge by messages over
   * the dimensions.  join: gives this rank's contribution.  joined: have all ranks come?  Then
   * `merged' becomes the merge of all contributions. */
  hyla_status (*join)(struct hy_link *link, const void *mine, int64_t bytes, hy_merge *merge,
                      int64_t *meeting);
  bool (*joined)(struct hy_link *link, int64_t meeting, void *merged, int64_t bytes);
  /* Plays a script once all its members have come, see cube.h; NULL for real clocks. */
  hyla_status (*play)(struct hy_link *link, const struct hy_script *script, bool *played);
  /* Rehearsals, see cube.h; NULL for real clocks.  rehearses: may rehearsals together send this
   * number of messages?  begin: sets this rank's clock and links to 0, keeps their state in *kept,
   * and lets messages carry no data; false: out of memory.  end: restores the state. */
  bool (*rehearses)(const struct hy_link *link, int64_t messages);
  bool (*rehearsal_begin)(struct hy_link *link, void **kept);
  void (*rehearsal_end)(struct hy_link *link, void *kept);
  /* The seconds rehearsed under a number other than 0, one place for all nodes; NULL: no rehearsal.
   * keep: keeps them, if there is room. */
  const double *(*rehearsed)(const struct hy_link *link, uint64_t number);
  void (*rehearsal_keep)(struct hy_link *link, uint64_t number, double seconds);
  /* One place for objects that all nodes make alike, see hy_shared_table; NULL if ranks have
   * separate memory. */
  void *(*shared_table)(struct hy_link *link, uint64_t number);
  bool (*shared_table_keep)(struct hy_link *link, uint64_t number, void *thing, hy_end *end);
  /* Communicators for the user; NULL for links without communicators.
   * renumber  collective: of the ranks that have a place other than -1, numbered by it
   * connect   collective over the numbered one: a communicator with the topology
   * release   local: frees what the two have made; broken: as in destroy
   * Both give MPI_COMM_NULL on the other ranks and after a failure. */
  hyla_status (*renumber)(struct hy_link *link, int place, MPI_Comm *comm);
  hyla_status (*connect)(struct hy_link *link, const struct hy_topology *topology,
                         MPI_Comm numbered, MPI_Comm *comm);
  void (*release)(MPI_Comm *comm, bool broken);
  /* Writes "key: value" lines for hyla_cube_describe. */
  void (*describe)(struct hy_link *link, struct hy_text *text);
  /* Has the network ended?  Then only clock, describe and destroy may be called.  NULL if it cannot
   * end. */
  bool (*over)(void);
  /* Ends the link; collective.  broken: transfers may still be under way. */
  void (*destroy)(struct hy_link **link, bool broken);
};

/* The message of a rank that gives up to its neighbours. */
struct hy_alarm {
  int64_t status;     /* HYLA_OK: no alarm came */
  int64_t rank;       /* the neighbour that sent it */
  int64_t agreements; /* agreements that its rank had completed */
  char message[HY_MESSAGE_MAX];
  uint64_t sum; /* over the fields above, as they were sent */
};

/* Where a rank runs.
 * host   equal for ranks that may share memory; 0: this rank shares none
 * start  the start of the host's kernel, which tells clones apart; 0: it could not be read
 * cores  bit i mod 256 is set for each core i that the rank may run on */
enum { HY_CORE_WORDS = 4 };
struct hy_place {
  uint64_t host, start, cores[HY_CORE_WORDS];
};

/* The fields that all kinds have; the struct of a kind begins with it. */
struct hy_link {
  const struct hy_link_kind *kind;
  size_t size;          /* of the kind's struct, which moves into the cube; 0: it stays in place */
  struct hy_base *base; /* the cube's, for messages */
  int ranks, rank;
  const hyla_machine *machine; /* that of virtual nodes; NULL: that of the options */
  int64_t piece;               /* the largest transfer */
  int tags;                    /* tags run from 0 to tags - 1; at least 32767 */
  struct hy_place place;
  int watchdog;             /* polls without news between looks at the clock and for alarms */
  int crowd;                /* ranks on this host, this one included */
  int cores;                /* cores that these may run on together; 0: one each */
  struct hy_message *first; /* messages in flight, in the order of their starts */
  int64_t loans;            /* loans made so far */
  bool checked;             /* a check follows each piece */
  int64_t *numbers;         /* of pieces so far, by peer, stream and direction; owned by the cube */
  int alarms;               /* alarms that have arrived and not been read; -1: not known */
  double leaves;            /* virtual time at which the next transfer leaves; negative: at once */
  int64_t packet;           /* packet of that transfer; see hy_message */
  struct hy_alarm alarm;    /* the alarm with the fewest agreements */
};

/* How this rank waits if ranks have a core each; zeros at first.  All times are in nanoseconds.
 * step     before poll number `polls' (from 0) of a wait: keeps the core, or leaves it for a while
 * crowded  the same for ranks that share cores
 * decide, left  the parts of a step, without a clock: what to do now; how long it took */
enum hy_leave { HY_KEEP, HY_YIELD, HY_NAP, HY_SLEEP };
struct hy_wait {
  int64_t began, last; /* the present wait: its first step; its latest step that kept the core */
  int64_t keeps;       /* how long it keeps the core */
  int64_t left;        /* its steps that left the core */
  int64_t cost;        /* recent time of such a step */
  int64_t worth;       /* how long keeping pays, by earlier waits; 0: there were none */
  int naps;            /* steps that still sleep instead of yielding, since the core was lost */
};
void hy_wait_step(struct hy_wait *wait, int64_t polls);
void hy_wait_crowded(int64_t polls);
enum hy_leave hy_wait_decide(struct hy_wait *wait, int64_t polls, int64_t now);
void hy_wait_left(struct hy_wait *wait, enum hy_leave how, int64_t took);

/* The link over MPI. */
struct hy_link_mpi {
  struct hy_link link; /* first */
  MPI_Comm comm;       /* a duplicate that hyla owns */
  struct hy_wait wait;
};

/* Collective over comm, which is duplicated.  books gets the rank, and the message of a failure.
 * limit: seconds to wait for the other ranks; 0: for ever.  Memory is agreed upon later, over the
 * link. */
hyla_status hy_link_mpi_init(MPI_Comm comm, double limit, struct hy_base *books,
                             struct hy_link_mpi *link);

/* Local.  The communicator of a Fortran handle; MPI_COMM_WORLD for NULL. */
MPI_Comm hy_link_comm(const MPI_Fint *handle);

/* Local.  The Fortran handle of a communicator. */
MPI_Fint hy_link_handle(MPI_Comm comm);

/* Local.  Has another MPI's launcher started this process, so that it is the only rank of its world
 * while others run beside it?  ranks: of MPI_COMM_WORLD; library: MPI's name for itself; launcher:
 * the right launcher.  ARGUMENT with both names. */
hyla_status hy_launcher_check(struct hy_base *base, int ranks, const char *library,
                              const char *launcher);

/* The guest of this node, -1 if it has none; the rank of the node whose guest this rank is. */
static inline int hy_guest_of(const hyla_cube *cube) {
  const int guest = cube->address < 0 ? -1 : hy_rank_at(cube, cube->address) + cube->nodes;
  return guest >= 0 && guest < cube->ranks.all ? guest : -1;
}
static inline int hy_partner_of(const hyla_cube *cube) {
  return cube->network.link->rank - cube->nodes;
}

/* Agreement and alarms go by ranks: the first 2^k ranks, as many as there are, are joined as a
 * cube, and rank r of them has rank r + 2^k, if there is one, beside it.  core: 2^k.  beside: the
 * other rank of such a pair; -1: there is none. */
static inline int hy_core(const hyla_cube *cube) {
  return 1 << hy_min(hy_log2_floor((uint32_t)cube->ranks.all), HYLA_DIMS_MAX);
}
static inline int hy_beside(const hyla_cube *cube, int rank) {
  const int core = hy_core(cube), other = rank < core ? rank + core : rank - core;
  return other < cube->ranks.all ? other : -1;
}

/* Has the network below ended? */
static inline bool hy_link_over(const struct hy_link *link) {
  return link->kind->over != NULL && link->kind->over();
}

/* Streams of messages between two ranks.  Messages of different streams never match.  A tag is a
 * number times HY_STREAMS plus the stream. */
enum hy_stream { HY_DATA, HY_CONTROL, HY_GIVE_BACK, HY_ALARM };
/* The checks of the first three streams have streams of their own, HY_CHECKS higher. */
enum { HY_CHECKS = HY_ALARM + 1, HY_STREAMS = HY_CHECKS + HY_ALARM };

/* Is the message a loan that is read in place? */
bool hy_flight_in_place(const struct hy_message *message);

/* Starts one message on a stream, without counting it.  `peer' is a rank, so that guests can be
 * reached. */
hyla_status hy_flight_start(hyla_cube *cube, struct hy_message *message, enum hy_stream stream);

/* The tag of a message of this number of bytes, or of the return of a loan of this number. */
int hy_flight_tag(const struct hy_link *link, enum hy_stream stream, int64_t number);

/* Starts the return of a loan that was read in place; does nothing for others. */
hyla_status hy_flight_give_back(hyla_cube *cube, struct hy_message *message);

/* Waits until all messages have ended or, if `any', until one more has.  A failure breaks the
 * cube. */
hyla_status hy_flight_wait(hyla_cube *cube, struct hy_message *messages, int count, bool any);
hyla_status hy_flight_poll(hyla_cube *cube);

/* The checks of pieces; local.
 * create   takes memory for the numbers, in the cube's books
 * post     piece, bytes and out are set; for a returned loan the number too; tag: the piece's
 * test     *done: has the check arrived or left?
 * compare  called when both the piece and its check have arrived */
hyla_status hy_checks_create(hyla_cube *cube);
hyla_status hy_check_post(struct hy_link *link, int peer, int tag, struct hy_check *check);
hyla_status hy_check_test(struct hy_link *link, struct hy_check *check, bool *done);
hyla_status hy_check_compare(const struct hy_link *link, int peer, const struct hy_check *check);

/* Local.  BROKEN after a failure of communication. */
hyla_status hy_cube_usable(hyla_cube *cube);
/* Gives up everything in flight because of the failure in the cube's message.  Tells this rank's
 * neighbours, except one rank (-1: all), that it gives up, and why.  Nothing more is sent. */
void hy_cube_break(hyla_cube *cube, int except);
/* Has a neighbour given up?  Then this rank does too: the cube is broken, and the neighbour's
 * status is returned. */
hyla_status hy_alarm_listen(hyla_cube *cube);

/* Sends and receives `bytes' on the control stream, with one rank; out or in may be NULL. */
hyla_status hy_control(hyla_cube *cube, int rank, const void *out, void *in, int64_t bytes);
/* Collective over nodes and guests: `mine', at most HY_MERGE_BYTES, becomes the merge of all ranks'
 * data.  theirs: scratch of the same size. */
enum { HY_MERGE_BYTES = 2048 };
hyla_status hy_control_merge(hyla_cube *cube, void *mine, void *theirs, int64_t bytes,
                             hy_merge *merge);
/* Collective.  Sends the data of one rank, which may be a guest, to all ranks. */
hyla_status hy_control_spread(hyla_cube *cube, int origin, void *data, int64_t bytes);

/* Collective, agreed upon: reads the wisdom that the options name. */
hyla_status hy_wisdom_open(hyla_cube *cube, const hyla_options *options);

/* Finds the ranks that share this one's host: sets link->crowd, link->cores, cube->ranks.members
 * and cube->ranks.member. */
hyla_status hy_hosts_find(hyla_cube *cube);

/* Local.  How to keep most of `cores' cores busy: a power of two of ranks with `threads' BLAS
 * threads each; among equally good ways the one with most ranks.  cores > 0. */
struct hy_start {
  int ranks, threads;
};
struct hy_start hy_best_start(int cores);

/* Local.  Adds a line "better: ..." that says how to start on this host, if ranks are left over or
 * cores idle; otherwise nothing. */
void hy_hosts_advise(const hyla_cube *cube, struct hy_text *text);

#endif
