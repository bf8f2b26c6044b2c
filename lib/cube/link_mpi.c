/* The link over MPI; the only file that moves data by MPI.
 *
 * MPI's own waits spin and never yield, which costs milliseconds a message when ranks outnumber
 * cores.  So nothing here blocks in MPI: communication is started and tested, and between the tests
 * other ranks get the core.
 *
 * Our duplicate of the communicator returns errors.  But MPICH reports failures between start and
 * test to the handler of MPI_COMM_WORLD, so a receive must never be too small for its message.  The
 * tag, which contains the size, ensures that. */
#include "cube/link.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* An MPI_Request is stored in the room of a pointer. */
_Static_assert(sizeof(MPI_Request) <= sizeof(void *), "MPI_Request does not fit");

static struct hy_link_mpi *own(struct hy_link *link) { return (struct hy_link_mpi *)(void *)link; }

static hyla_status failed(struct hy_base *base, const char *what, int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  text[strcspn(text, "\n")] = '\0';
  return hy_fail(base, HYLA_COMMUNICATION, "%s failed: %.300s", what, text);
}

static hyla_status send(struct hy_link *link, int rank, int tag, const void *data, int64_t bytes,
                        void **request) {
  MPI_Request handle;
  int code = MPI_Isend(data, (int)bytes, MPI_BYTE, rank, tag, own(link)->comm, &handle);
  if (code != MPI_SUCCESS) return failed(link->base, "MPI_Isend", code);
  memcpy(request, &handle, sizeof handle);
  return HYLA_OK;
}

static hyla_status recv(struct hy_link *link, int rank, int tag, void *data, int64_t bytes,
                        void **request) {
  MPI_Request handle;
  int code = MPI_Irecv(data, (int)bytes, MPI_BYTE, rank, tag, own(link)->comm, &handle);
  if (code != MPI_SUCCESS) return failed(link->base, "MPI_Irecv", code);
  memcpy(request, &handle, sizeof handle);
  return HYLA_OK;
}

static hyla_status test(struct hy_link *link, void **request, int64_t bytes, bool *done,
                        struct hy_moment *end) {
  (void)end;
  MPI_Request handle;
  memcpy(&handle, request, sizeof handle);
  MPI_Status status;
  int flag = 0;
  int code = MPI_Test(&handle, &flag, &status);
  memcpy(request, &handle, sizeof handle);
  if (code != MPI_SUCCESS) return failed(link->base, "a transfer", code);
  *done = flag != 0;
  if (!flag || bytes < 0) return HYLA_OK;
  int got = 0;
  MPI_Get_count(&status, MPI_BYTE, &got);
  CHECK(link->base, got == bytes, COMMUNICATION,
        "rank %d sent %d bytes where %lld were expected: the ranks do different things",
        status.MPI_SOURCE, got, (long long)bytes);
  return HYLA_OK;
}

static int64_t probe(struct hy_link *link, int rank, int tag) {
  MPI_Status status;
  int found = 0, bytes = 0;
  if (tag < 0) tag = MPI_ANY_TAG;
  if (MPI_Iprobe(rank, tag, own(link)->comm, &found, &status) != MPI_SUCCESS) return -1;
  if (found) MPI_Get_count(&status, MPI_BYTE, &bytes);
  return found ? bytes : -1;
}

static void cancel(struct hy_link *link, void **request) {
  (void)link;
  MPI_Request handle;
  memcpy(&handle, request, sizeof handle);
  if (handle == MPI_REQUEST_NULL) return;
  MPI_Cancel(&handle);
  MPI_Request_free(&handle);
}

static hyla_status idle(struct hy_link *link, int64_t polls, int from) {
  (void)from;
  if (link->crowd > link->cores)
    hy_wait_crowded(polls);
  else
    hy_wait_step(&own(link)->wait, polls);
  return HYLA_OK;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double clock_now(struct hy_link *link) {
  (void)link;
  return seconds();
}

/* Gives the ranks of a numbering their neighbours, along axes or by number. */
static int add_topology(MPI_Comm numbered, const struct hy_topology *t, MPI_Comm *comm) {
  int closed[HYLA_DIMS_MAX];
  for (int i = 0; i < t->axes; i++) closed[i] = t->closed;
  if (t->axes > 0) return MPI_Cart_create(numbered, t->axes, t->side, closed, 0, comm);
  return MPI_Dist_graph_create_adjacent(numbered, t->neighbours, t->neighbour, MPI_UNWEIGHTED,
                                        t->neighbours, t->neighbour, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                        0, comm);
}

static hyla_status renumber(struct hy_link *link, int place, MPI_Comm *comm) {
  MPI_Comm numbered = MPI_COMM_NULL;
  int code = MPI_Comm_split(own(link)->comm, place >= 0 ? 0 : MPI_UNDEFINED, place >= 0 ? place : 0,
                            &numbered);
  *comm = code == MPI_SUCCESS ? numbered : MPI_COMM_NULL;
  return code == MPI_SUCCESS ? HYLA_OK : failed(link->base, "MPI_Comm_split", code);
}

static hyla_status connect(struct hy_link *link, const struct hy_topology *topology,
                           MPI_Comm numbered, MPI_Comm *comm) {
  MPI_Comm connected = MPI_COMM_NULL;
  *comm = MPI_COMM_NULL;
  if (numbered == MPI_COMM_NULL) return HYLA_OK;
  int code = add_topology(numbered, topology, &connected);
  if (code != MPI_SUCCESS) return failed(link->base, "making a topology", code);
  MPI_Comm_set_errhandler(connected, MPI_ERRORS_ARE_FATAL); /* MPI's default */
  *comm = connected;
  return HYLA_OK;
}

/* MPI's own name and version, in one line. */
static void get_version(char version[MPI_MAX_LIBRARY_VERSION_STRING]) {
  int length = 0;
  MPI_Get_library_version(version, &length);
  version[length] = '\0';
  for (char *at = version; *at != '\0'; at++)
    if (*at == '\t') *at = ' ';
  version[strcspn(version, "\n")] = '\0';
}

static void describe(struct hy_link *link, struct hy_text *text) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  get_version(version);
  hy_text_add(text, "mpi: %s\n", version);
  hy_text_add(text, "cores: %d for %d rank%s on this machine\n", link->cores, link->crowd,
              link->crowd == 1 ? "" : "s");
}

static bool over(void) {
  int ended = 0;
  MPI_Finalized(&ended);
  return ended != 0;
}

/* MPI_Finalize calls this for each communicator that free_at_the_end has attached to
 * MPI_COMM_SELF. */
static int free_kept(MPI_Comm self, int key, void *kept, void *none) {
  (void)self, (void)key, (void)none;
  MPI_Comm comm;
  memcpy(&comm, &kept, sizeof comm);
  return MPI_Comm_free(&comm);
}

static void free_at_the_end(MPI_Comm comm) {
  int key = MPI_KEYVAL_INVALID;
  void *kept = NULL;
  memcpy(&kept, &comm, sizeof comm);
  if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_kept, &key, NULL) != MPI_SUCCESS) return;
  MPI_Comm_set_attr(MPI_COMM_SELF, key, kept);
  MPI_Comm_free_keyval(&key);
}

/* A communicator that is freed with unmatched messages passes its number, and the messages, to the
 * next communicator.  So that of a broken link is kept until MPI_Finalize. */
static void release(MPI_Comm *comm, bool broken) {
  if (*comm == MPI_COMM_NULL || over()) return;
  if (broken)
    free_at_the_end(*comm);
  else
    MPI_Comm_free(comm);
  *comm = MPI_COMM_NULL;
}

static void destroy(struct hy_link **link, bool broken) {
  release(&own(*link)->comm, broken);
  *link = NULL;
}

/* On SimGrid's hosts work takes its operations at the host's speed, as on a virtual cube; what this
 * machine takes for it does not count. */
#if defined(SMPI_H)
static void compute(struct hy_link *link, double operations) {
  (void)link;
  smpi_execute_flops(operations);
}
#endif

static const struct hy_link_kind kind = {
    .send = send,
    .recv = recv,
    .test = test,
#if defined(SMPI_H)
    .compute = compute,
#endif
    .cancel = cancel,
    .lingers = true,
    .idle = idle,
    .probe = probe,
    .clock = clock_now,
    .renumber = renumber,
    .connect = connect,
    .release = release,
    .describe = describe,
    .over = over,
    .destroy = destroy,
};

static int largest_tag(MPI_Comm comm) {
  int *value = NULL, known = 0;
  MPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &known);
  return known ? *value : 32767; /* the least that MPI promises */
}

/* MPI's name for the host tells simulated hosts apart, which share a process. */
static uint64_t host_of_process(void) {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  return hy_fingerprint(hy_host_number(), name, (size_t)length);
}

static struct hy_place place_of_process(void) {
  struct hy_place place = {.host = host_of_process(), .start = hy_start_number()};
  const size_t bits = 64, all = bits * HY_CORE_WORDS;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    CPU_ZERO(&set);
    for (long core = 0; core < sysconf(_SC_NPROCESSORS_ONLN); core++) CPU_SET((size_t)core, &set);
  }
  for (size_t core = 0; core < CPU_SETSIZE; core++)
    if (CPU_ISSET(core, &set)) place.cores[core % all / bits] |= UINT64_C(1) << core % bits;
  return place;
}

static hyla_status fail_to_duplicate(struct hy_base *books, int code) {
  return failed(books,
                "hyla_cube_create: duplicating the communicator (MPI has some 2,000, and a cube "
                "takes one until it is destroyed)",
                code);
}

/* Waits until the communicator is duplicated. */
static hyla_status finish(struct hy_base *books, MPI_Request *request, double limit) {
  double start = seconds();
  for (int64_t polls = 0;; polls++) {
    int done = 0;
    int code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) return fail_to_duplicate(books, code);
    if (done) return HYLA_OK;
    hy_wait_crowded(polls);
    CHECK(books, limit <= 0 || polls % 64 != 0 || seconds() - start < limit, TIMEOUT,
          "hyla_cube_create on rank %d: not all ranks came within %g s", books->rank, limit);
  }
}

/* Makes MPI return errors to the caller; returns the handler before. */
static MPI_Errhandler return_errors(MPI_Comm comm) {
  MPI_Errhandler before;
  MPI_Comm_get_errhandler(comm, &before);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return before;
}

static void restore_errors(MPI_Comm comm, MPI_Errhandler before) {
  MPI_Comm_set_errhandler(comm, before);
  MPI_Errhandler_free(&before);
}

/* SimGrid's MPI, in which all ranks come, cannot duplicate without waiting. */
#if defined(SMPI_H)
static int start_duplicate(MPI_Comm comm, MPI_Comm *copy, MPI_Request *request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Comm_dup(comm, copy);
}
#else
static int start_duplicate(MPI_Comm comm, MPI_Comm *copy, MPI_Request *request) {
  return MPI_Comm_idup(comm, copy, request);
}
#endif

/* MPI cannot give up a duplication, and may write the handle whenever the last rank comes.  So
 * after a timeout the handle's place is not freed.  A rank without memory for the place waits
 * without limit. */
static hyla_status duplicate(MPI_Comm comm, double limit, struct hy_base *books, MPI_Comm *copy) {
  MPI_Comm *place = malloc(sizeof *place);
  MPI_Request request;
  int code = start_duplicate(comm, place != NULL ? place : copy, &request);
  if (code != MPI_SUCCESS) {
    free(place);
    return fail_to_duplicate(books, code);
  }
  hyla_status status = HYLA_OK;
  if (request != MPI_REQUEST_NULL) status = finish(books, &request, place != NULL ? limit : 0);
  if (status == HYLA_OK && place != NULL) *copy = *place;
  if (status != HYLA_TIMEOUT) free(place);
  return status;
}

static bool usable(MPI_Comm comm) {
  int ready = 0, inter = 0;
  MPI_Initialized(&ready);
  if (!ready || over() || comm == MPI_COMM_NULL) return false;
  return MPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && !inter;
}

/* The launchers of this MPI. */
#if defined(OPEN_MPI)
static const char launcher[] = "mpiexec.openmpi or srun --mpi=pmix";
#elif defined(MPICH_VERSION)
static const char launcher[] = "mpiexec.mpich or srun --mpi=pmi2";
#else
static const char launcher[] = "its mpiexec or srun";
#endif

static hyla_status check_launcher(struct hy_base *books) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int ranks = 1;
  get_version(version);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return hy_launcher_check(books, ranks, version, launcher);
}

MPI_Comm hy_link_comm(const MPI_Fint *handle) {
  return handle != NULL ? MPI_Comm_f2c(*handle) : MPI_COMM_WORLD;
}

MPI_Fint hy_link_handle(MPI_Comm comm) { return MPI_Comm_c2f(comm); }

hyla_status hy_link_mpi_init(MPI_Comm comm, double limit, struct hy_base *books,
                             struct hy_link_mpi *link) {
  CHECK(books, usable(comm), ARGUMENT,
        "hyla_cube_create needs a communicator that is no intercommunicator, between MPI_Init "
        "and MPI_Finalize");
  MPI_Comm_rank(comm, &books->rank);
  TRY(check_launcher(books));
  MPI_Comm copy = MPI_COMM_NULL;
  /* MPI has a few thousand communicators.  When none is left it calls the error handler of comm or
   * of MPI_COMM_WORLD, which by default ends the program. */
  MPI_Errhandler of_comm = return_errors(comm), of_world = return_errors(MPI_COMM_WORLD);
  hyla_status status = duplicate(comm, limit, books, &copy);
  restore_errors(MPI_COMM_WORLD, of_world);
  restore_errors(comm, of_comm);
  TRY(status);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  MPI_Comm_set_name(copy, "hyla");
  *link = (struct hy_link_mpi){.comm = copy};
  link->link = (struct hy_link){.kind = &kind,
                                .size = sizeof *link,
                                .base = books,
                                .rank = books->rank,
                                .piece = 1 << 20,
                                .tags = largest_tag(copy),
                                .watchdog = 64,
                                .alarms = -1,
                                .place = place_of_process()};
  MPI_Comm_size(copy, &link->link.ranks);
  return HYLA_OK;
}
