/* A network between virtual ranks that injects faults into messages as it is told.
 *
 * The ranks are coroutines in the caller's thread, which take turns in a drawn order.  Messages
 * without faults arrive at once and exactly once, and messages between two ranks arrive in order.
 * Time is virtual: it stands still while a rank can continue, and advances when all wait, so that
 * watchdogs wake as on a real network. */
#ifndef CAMPAIGN_NETWORK_H
#define CAMPAIGN_NETWORK_H 1

#include "cube/link.h"

/* Faults of a transfer, or of the rank that sends it.
 *   LOST       it never arrives
 *   DOUBLED    it arrives twice
 *   DAMAGED    one bit is flipped
 *   SHORT      its last byte is missing
 *   OVERTAKEN  it arrives after the next one between the two ranks
 *   LATE       it arrives after this many seconds, with all that follow between the two ranks
 *   CUT        from it on nothing arrives between the two ranks any more
 *   DEAD       from it on its sender neither sends nor receives
 *   STOPPED    its sender stands still for this many seconds */
enum fault_kind { LOST, DOUBLED, DAMAGED, SHORT, OVERTAKEN, LATE, CUT, DEAD, STOPPED, FAULT_KINDS };
const char *fault_name(enum fault_kind kind);

struct fault {
  enum fault_kind kind;
  int64_t at; /* the transfer, counted from 1 in the order in which they are sent */
  double seconds;
  uint64_t bit; /* for DAMAGED, modulo all bits */
  /* The outcome: did that transfer occur, between which ranks, in which stream? */
  bool met;
  int from, to, tag;
  enum hy_stream stream;
};

enum { RANKS_MOST = 16, FAULTS_MOST = 3 };

/* A run of a program by all ranks.  Given: */
struct run {
  int ranks;
  const hyla_options *options;
  bool one_host; /* they may share memory */
  uint64_t seed; /* for the turns */
  int faults;
  struct fault fault[FAULTS_MOST];
  hyla_status (*body)(hyla_cube *cube, void *arg);
  void *arg;
  /* The outcome.  sent: transfers that faults may hit; if messages are checked, only those of ranks
   * that check.  hung: ranks wait long after the time limit. */
  int64_t sent;
  bool hung;
  double seconds;
  hyla_status status[RANKS_MOST];
  bool broken[RANKS_MOST];  /* the rank's cube said so at the end */
  int64_t left[RANKS_MOST]; /* bytes that were not released */
  char message[RANKS_MOST][HY_MESSAGE_MAX];
};

/* False if there is no memory for it. */
bool network_run(struct run *run);

#endif
