/* The cube: making it over a link, agreeing on it, describing it. */
#include "cube/trace.h"
#include "cube/window.h"
#include "hyla_lab.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

hyla_cube hy_cube_seed(struct hy_link *link, const struct hy_base *books,
                       const hyla_options *options) {
  hyla_cube cube = {.base = *books, .session.call = "hyla_cube_create", .network.link = link};
  cube.base.rank = link->rank;
  cube.base.log_level = options->log_level;
  cube.base.memory_limit = options->memory;
  cube.base.relieve = hy_windows_relieve;
  cube.ranks.all = link->ranks;
  cube.dims = hy_log2_floor((uint32_t)link->ranks);
  if (cube.dims > HYLA_DIMS_MAX) cube.dims = HYLA_DIMS_MAX;
  cube.nodes = 1 << cube.dims;
  cube.address = link->rank < cube.nodes ? link->rank : -1;
  cube.network.ledger.dims = cube.dims;
  cube.network.timeout = options->timeout;
  cube.session.private_memory = options->private_memory;
  cube.session.check_results = options->check_results;
  cube.session.checkpoint_every = options->checkpoint_every;
  cube.session.delimiter = hy_delimiter(options->delimiter);
  cube.session.reproducible = options->reproducible;
  /* Kept memory saves real time, which a virtual cube does not measure; and virtual nodes share one
   * process. */
  cube.session.keep_limit = link->kind->reach == NULL ? options->memory_kept : 0;
  return cube;
}

static hyla_status copy_text(struct hy_base *base, const char *text, char **copy) {
  if (text == NULL || text[0] == '\0') return HYLA_OK;
  size_t size = strlen(text) + 1;
  TRY(hy_alloc(base, (int64_t)size, 1, copy));
  memcpy(*copy, text, size);
  return HYLA_OK;
}

/* The part of making a cube that this rank does alone: options, and memory. */
static hyla_status allocate_memory(hyla_cube *cube, const hyla_options *options, hyla_cube **made) {
  TRY(hy_alloc(&cube->base, 1, sizeof **made + cube->network.link->size, made));
  TRY(hy_options_check(&cube->base, options));
  if (options->check_messages) TRY(hy_checks_create(cube));
  TRY(hy_array_make(cube, options->array));
  TRY(hy_shapes_make(cube, options->network));
  cube->network.ledger = hy_ledger_empty(cube);
  TRY(copy_text(&cube->base, options->variant, &cube->session.forced));
  TRY(copy_text(&cube->base, options->checkpoint, &cube->session.checkpoint));
  return copy_text(&cube->base, options->collective, &cube->session.collective);
}

/* Collective, agreed upon.  Virtual nodes share one BLAS, which node 0 starts.  The number of
 * threads is fixed, because the bits of a product depend on it. */
static hyla_status start_blas(hyla_cube *cube, int threads) {
  const bool started = cube->network.link->kind->reach != NULL && cube->address != 0;
  if (threads == 0 && (cube->ranks.all > 1 || cube->session.reproducible)) threads = 1;
  TRY(hy_agree(cube, started ? HYLA_OK : hy_blas_start(&cube->base, threads)));
  cube->session.threads = hy_blas_threads();
  if (cube->network.link->kind->reach != NULL) return HYLA_OK;
  return hy_agree(cube, hy_team_create(&cube->base, cube->session.threads, &cube->session.team));
}

/* Tries a window, so that hyla_cube_describe can say how memory is shared, and keeps nothing. */
static hyla_status try_window(hyla_cube *cube) {
  struct hy_window *window = NULL;
  TRY(hy_window_create(cube, 1, &window));
  hy_window_destroy(cube, &window);
  hy_windows_drop(cube);
  return HYLA_OK;
}

/* The machine as the ranks on the most crowded cores see it.  Collective, agreed upon. */
static hyla_status take_machine(hyla_cube *cube, const hyla_options *options) {
  enum { WHOLE = 1000 };
  const struct hy_link *link = cube->network.link;
  TRY(hy_machine_get(cube, options->machine, &cube->session.machine));
  if (link->machine != NULL) {
    cube->session.machine = *link->machine;
    return HYLA_OK;
  }
  int64_t share = WHOLE;
  if (link->cores > 0) share = hy_max(share, INT64_C(1) * WHOLE * link->crowd / link->cores);
  TRY(hy_agree(cube, hy_cube_max(cube, &share, 1)));
  cube->ranks.share = (double)share / WHOLE;
  cube->session.machine = hy_machine_on(&cube->session.machine,
                                        hy_log2_floor((uint32_t)cube->nodes), cube->ranks.share);
  return HYLA_OK;
}

/* Collective, agreed upon.  Rank 0 chooses the array of the nodes, which then learn again who
 * shares memory; 0 x 0: they stay a cube. */
static hyla_status choose_array(hyla_cube *cube, hy_array_chooser *choose) {
  uint32_t sides[2] = {0, 0};
  const bool here = cube->network.link->rank == 0;
  TRY(hy_agree(cube, here ? choose(cube, &sides[0], &sides[1]) : HYLA_OK));
  int64_t told[] = {sides[0], sides[1]};
  TRY(hy_agree(cube, hy_cube_max(cube, told, 2)));
  if (told[0] == 0) return HYLA_OK;
  hy_array_put(cube, (uint32_t)told[0], (uint32_t)told[1]);
  cube->network.ledger = hy_ledger_empty(cube);
  hy_free(&cube->base, &cube->ranks.member);
  return hy_hosts_find(cube);
}

/* Frees everything but the struct itself. */
static void let_go(hyla_cube *cube) {
  hy_windows_drop(cube);
  hy_free(&cube->base, &cube->network.trace);
  hy_team_destroy(&cube->base, &cube->session.team);
  hy_free(&cube->base, &cube->session.forced);
  hy_free(&cube->base, &cube->session.checkpoint);
  hy_free(&cube->base, &cube->session.collective);
  if (cube->session.input > 0) close(cube->session.input);
  cube->session.input = 0;
  hy_free(&cube->base, &cube->ranks.member);
  hy_free(&cube->base, &cube->ranks.shapes.network);
  if (cube->network.link != NULL) hy_free(&cube->base, &cube->network.link->numbers);
  hy_wisdom_destroy(&cube->base, &cube->session.wisdom);
  if (cube->network.link != NULL)
    cube->network.link->kind->destroy(&cube->network.link, cube->network.broken);
}

/* Moves the cube into its memory, and the link behind it if the link may move. */
static void settle(hyla_cube *made, const hyla_cube *seed) {
  *made = *seed;
  if (seed->network.link == NULL) return;
  if (seed->network.link->size > 0)
    made->network.link = memcpy(made + 1, seed->network.link, seed->network.link->size);
  made->network.link->base = &made->base;
}

hyla_status hy_cube_over(struct hy_link *link, const struct hy_base *books,
                         const hyla_options *options, hy_array_chooser *choose, hyla_cube **cube) {
  hyla_cube seed = hy_cube_seed(link, books, options);
  hyla_cube *made = NULL;
  link->base = &seed.base;
  hyla_status mine = cube != NULL ? allocate_memory(&seed, options, &made)
                                  : hy_fail(&seed.base, HYLA_ARGUMENT,
                                            "hyla_cube_create: the place for the cube is NULL");
  hyla_status status = hy_enter(&seed, mine, hy_options_fingerprint(options), "hyla_cube_create");
  /* All ranks have now agreed on checked messages. */
  link->checked = status == HYLA_OK && options->check_messages;
  if (status == HYLA_OK) status = hy_hosts_find(&seed);
  if (status == HYLA_OK) status = take_machine(&seed, options);
  if (status == HYLA_OK && choose != NULL && hy_array_is_open(&seed, options))
    status = choose_array(&seed, choose);
  if (status == HYLA_OK) status = hy_wisdom_open(&seed, options);
  if (status == HYLA_OK) status = try_window(&seed);
  if (status == HYLA_OK) status = start_blas(&seed, options->threads);
  if (status == HYLA_OK) status = hy_trace_open(&seed, options->trace);
  if (status != HYLA_OK) {
    let_go(&seed);
    seed.network.broken = true; /* the cube now serves only for its message */
  }
  if (made == NULL) return status;
  settle(made, &seed);
  *cube = made;
  return status;
}

/* Makes a cube without a link that only tells why it failed; no cube if there is no memory.  Rank
 * 0, as far as a rank is known, has address 0, because programs let that node print the message. */
static void keep_message(struct hy_base *books, hyla_cube **cube) {
  struct hy_base base = *books;
  base.fail_at = 0;
  hyla_cube *made = NULL;
  if (cube == NULL || hy_alloc(&base, 1, sizeof *made, &made) != HYLA_OK) return;
  *made = (hyla_cube){.base = base,
                      .session.call = "hyla_cube_create",
                      .address = base.rank == 0 ? 0 : -1,
                      .network.broken = true};
  *cube = made;
}

hyla_status hy_cube_make(MPI_Comm comm, const hyla_options *options, int64_t fail_at,
                         hy_array_chooser *choose, hyla_cube **cube) {
  if (cube != NULL) *cube = NULL;
  hyla_options defaults;
  hyla_options_init(&defaults);
  if (options == NULL) options = &defaults;
  struct hy_base books = {.fail_at = fail_at, .log_level = options->log_level};
  double limit = options->timeout >= 0 ? options->timeout : defaults.timeout;
  struct hy_link_mpi link;
  hyla_status status = hy_link_mpi_init(comm, limit, &books, &link);
  if (status != HYLA_OK) {
    keep_message(&books, cube);
    return status;
  }
  return hy_cube_over(&link.link, &books, options, choose, cube);
}

void hy_cube_give_up(hyla_cube *cube) {
  let_go(cube);
  cube->network.broken = true;
}

/* Writes the trace, if ranks have agreed on anything since its file was written. */
static hyla_status end_trace(hyla_cube *cube) {
  const struct hy_link *link = cube->network.link;
  if (!cube->network.traced || cube->network.broken || link == NULL || hy_link_over(link))
    return HYLA_OK;
  if (cube->ranks.agreements == cube->network.traces) return HYLA_OK;
  hyla_status status = hy_agree(cube, hy_trace_write(cube));
  if (status != HYLA_OK) hy_log(&cube->base, 1, "hyla_cube_destroy: %s", cube->base.message);
  return status;
}

hyla_status hyla_cube_write_trace(hyla_cube *cube) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = HYLA_OK;
  if (!cube->network.traced)
    mine =
        hy_fail(&cube->base, HYLA_ARGUMENT,
                "hyla_cube_write_trace: the cube was made without a trace; give the option trace "
                "or HYLA_TRACE");
  TRY(hy_enter(cube, mine, 0, "hyla_cube_write_trace"));
  hyla_status status = hy_agree(cube, hy_trace_write(cube));
  cube->network.traces = cube->ranks.agreements;
  return status;
}

hyla_status hyla_cube_destroy(hyla_cube **cube) {
  if (cube == NULL || *cube == NULL) return HYLA_OK;
  struct hy_link *link = (*cube)->network.link;
  if (link != NULL && !(*cube)->network.broken && !hy_link_over(link)) {
    /* The next communicator could receive an alarm that is left over; see the link's destroy. */
    (void)hy_alarm_listen(*cube);
    (*cube)->network.broken = link->alarm.status != HYLA_OK;
  }
  hyla_status status = end_trace(*cube);
  let_go(*cube);
  struct hy_base books = (*cube)->base;
  hy_free(&books, cube);
  if (books.bytes_now != 0)
    hy_log(&books, 1, "hyla_cube_destroy: %lld bytes of its matrices and plans were not freed",
           (long long)books.bytes_now);
  return status;
}

int hyla_cube_dims(const hyla_cube *cube) { return cube != NULL ? cube->dims : 0; }
int hyla_cube_nodes(const hyla_cube *cube) { return cube != NULL ? cube->nodes : 0; }
int hyla_cube_address(const hyla_cube *cube) {
  return cube != NULL && cube->address >= 0 ? cube->base.rank : -1;
}

int hyla_cube_guests(const hyla_cube *cube) {
  return cube != NULL ? cube->ranks.all - cube->nodes : 0;
}

const char *hyla_cube_message(const hyla_cube *cube) {
  return cube != NULL ? cube->base.message : "";
}

/* The networks on which collectives of all ranks may run. */
static void describe_shapes(const hyla_cube *cube, struct hy_text *text) {
  const struct hy_cube_shapes *shapes = &cube->ranks.shapes;
  if (!shapes->given) return;
  hy_text_add(text, "collectives: all %d ranks, on%s", cube->ranks.all,
              shapes->cube ? " the cube" : "");
  for (int i = 0; i < shapes->count; i++) {
    hy_text_add(text, "%s", shapes->cube || i > 0 ? ", " : " ");
    hy_network_name(&shapes->network[i], text);
  }
  hy_text_add(text, "\n");
}

size_t hyla_cube_describe(const hyla_cube *cube, char *text, size_t capacity) {
  struct hy_text out = {.text = text, .capacity = text != NULL ? capacity : 0};
  if (out.capacity > 0) text[0] = '\0';
  if (cube == NULL) return 0;
  hy_text_add(&out, "nodes: %d\n", cube->nodes);
  hy_text_add(&out, "array: %dx%d\n", hy_array_rows(cube), cube->nodes / hy_array_rows(cube));
  hy_text_add(&out, "dimensions: %d\n", cube->dims);
  hy_text_add(&out, "guests: %d\n", hyla_cube_guests(cube));
  if (cube->ranks.idle[0] != '\0') hy_text_add(&out, "idle: %s\n", cube->ranks.idle);
  describe_shapes(cube, &out);
  if (cube->network.link != NULL) cube->network.link->kind->describe(cube->network.link, &out);
  hy_text_add(&out, "blas: %s\n", hy_blas_name());
  hy_text_add(&out, "threads: %d\n", cube->session.threads);
  hy_hosts_advise(cube, &out);
  const hyla_machine *machine = &cube->session.machine;
  hy_text_add(&out, "machine: %s, alpha %.3g s, beta %.3g s, gamma %.3g s\n", machine->name,
              machine->alpha, machine->beta, machine->gamma);
  if (cube->address < 0)
    hy_text_add(&out, "memory: none, this rank is a guest\n");
  else if (cube->session.why_private[0] != '\0')
    hy_text_add(&out, "memory: private, %s\n", cube->session.why_private);
  else if (cube->ranks.members > 1)
    hy_text_add(&out, "memory: windows shared by %d nodes of this machine\n", cube->ranks.members);
  else
    hy_text_add(&out, "memory: private, no other node is on this machine\n");
  hy_text_add(&out, "kept: %lld bytes of memory given back, at most %lld\n",
              (long long)cube->session.kept_bytes, (long long)cube->session.keep_limit);
  return out.length;
}

hyla_status hyla_text_write(hyla_cube *cube, const char *path, hyla_text_writer *write,
                            const void *arg) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct hy_base *base = &cube->base;
  CHECK(base, path != NULL && path[0] != '\0' && write != NULL, ARGUMENT,
        "hyla_text_write: the path or the writer is missing");
  struct hy_text_file *file = NULL;
  TRY(hy_text_open(base, path, &file));
  bool whole = write(arg, file->stream);
  hyla_status status = hy_text_close(base, whole, &file);
  CHECK(base, whole, MEMORY, "cannot write %s: out of memory", hy_path_shown(path));
  return status;
}

double hyla_cube_clock(const hyla_cube *cube) {
  return cube != NULL && cube->network.link != NULL
             ? cube->network.link->kind->clock(cube->network.link)
             : 0;
}

hyla_status hyla_cube_barrier(hyla_cube *cube) {
  return hy_enter(cube, HYLA_OK, 0, "hyla_cube_barrier");
}

hyla_status hyla_cube_ledger(const hyla_cube *cube, hyla_ledger *ledger) {
  if (cube == NULL || ledger == NULL) return HYLA_ARGUMENT;
  *ledger = cube->network.ledger;
  return HYLA_OK;
}

hyla_status hyla_cube_ledger_clear(hyla_cube *cube) {
  if (cube == NULL) return HYLA_ARGUMENT;
  cube->network.ledger = hy_ledger_empty(cube);
  return HYLA_OK;
}

hyla_status hyla_cube_checkpoints(const hyla_cube *cube, hyla_checkpoints *checkpoints) {
  if (cube == NULL || checkpoints == NULL) return HYLA_ARGUMENT;
  *checkpoints = cube->session.checkpoints;
  return HYLA_OK;
}

const struct hy_kernels *hy_cube_kernels(const hyla_cube *cube, hyla_type type) {
  return hy_cube_dry(cube) ? hy_kernels_dry(type) : hy_kernels_of(type);
}

hyla_status hy_cube_afford(hyla_cube *cube, int64_t bytes) {
  int64_t most = cube->address >= 0 ? bytes : 0;
  double sum = 0;
  if (hy_cube_dry(cube)) return HYLA_OK;
  TRY(hy_agree(cube, hy_cube_max_sum(cube, &most, &sum, 1)));
  const bool together = hy_shares_tables(cube); /* simulated nodes are one process */
  if (!cube->ranks.one_host && !together)
    sum = (double)bytes * (double)hy_max(1, cube->ranks.members);
  const bool asks = together ? cube->address == 0 : cube->address >= 0;
  return hy_agree(cube, asks ? hy_afford(&cube->base, bytes, sum) : HYLA_OK);
}

hyla_status hyla_cube_afford(hyla_cube *cube, int64_t bytes) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = HYLA_OK;
  if (bytes < 0)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT, "hyla_cube_afford: %lld bytes; give 0 or more",
                   (long long)bytes);
  TRY(hy_enter(cube, mine, 0, "hyla_cube_afford"));
  return hy_cube_afford(cube, bytes);
}

hyla_status hy_need_data(hyla_cube *cube, const char *call) {
  CHECK(&cube->base, !hy_cube_dry(cube), UNSUPPORTED,
        "%s: a dry simulation has no data; simulate it with data", call);
  return HYLA_OK;
}
