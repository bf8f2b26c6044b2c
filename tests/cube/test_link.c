/* Messages between nodes: any size, many at once, loans, the ledger, and the result if two ranks do
 * different things. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 8
#include "cube/cube.h"
#include "cube/link.h"
#include "tests/harness/cube.h"
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20 };

/* A byte that tells message, sender, receiver and place apart. */
static unsigned char pattern(int from, int to, int message, int64_t i) {
  uint64_t x = (uint64_t)i * 2654435761u + (uint64_t)(from * 1009 + to * 9176 + message * 77);
  return (unsigned char)(x >> 7 ^ x >> 19);
}

static unsigned char *filled(int from, int to, int message, int64_t bytes) {
  unsigned char *data = malloc((size_t)bytes + 1);
  assert_non_null(data);
  for (int64_t i = 0; i < bytes; i++) data[i] = pattern(from, to, message, i);
  return data;
}

static void assert_pattern(const unsigned char *data, int from, int to, int message,
                           int64_t bytes) {
  int64_t wrong = 0;
  for (int64_t i = 0; i < bytes; i++) wrong += data[i] != pattern(from, to, message, i);
  assert_int_equal(wrong, 0);
}

static void every_size_arrives(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const int64_t sizes[] = {0,     1,         2,         7919,      PIECE - 1,
                                  PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE, 2500009};
  int address = cube->address, nodes = cube->nodes;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    int64_t bytes = sizes[s];
    harness_note("%lld bytes round the ring", (long long)bytes);
    int to = (address + 1) % nodes, from = (address + nodes - 1) % nodes;
    unsigned char *out = filled(address, to, 0, bytes);
    unsigned char *in = calloc((size_t)bytes + 1, 1);
    struct hy_message ring[] = {
        {.verb = HY_SEND, .peer = to, .bytes = bytes, .data = out},
        {.verb = HY_RECV, .peer = from, .bytes = bytes, .data = in},
    };
    assert_int_equal(hy_link_step(cube, ring, 2), HYLA_OK);
    if (address >= 0) assert_pattern(in, from, address, 0, bytes);
    assert_int_equal(in[bytes], 0);
    free(out);
    free(in);
  }
  assert_int_equal(hy_link_step(cube, NULL, 0), HYLA_OK);
  assert_int_equal(hyla_cube_barrier(cube), HYLA_OK);
  hyla_cube_destroy(&cube);
}

enum { EACH = 3, MANY = 2 * 8 * EACH };

static void many_messages_keep_their_order(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  int me = cube->address;
  int64_t sizes[8][8][EACH];
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      for (int k = 0; k < EACH; k++) {
        bool large = harness_draw(0, 9) == 0;
        sizes[i][j][k] = large ? harness_draw(PIECE, 5 * PIECE / 2) : harness_draw(0, 300);
      }
  struct hy_message messages[MANY];
  int count = 0;
  for (int peer = 0; me >= 0 && peer < cube->nodes; peer++)
    for (int k = 0; k < EACH; k++) {
      int64_t out = sizes[me][peer][k], in = sizes[peer][me][k];
      messages[count++] = (struct hy_message){
          .verb = HY_SEND, .peer = peer, .bytes = out, .data = filled(me, peer, k, out)};
      messages[count++] = (struct hy_message){
          .verb = HY_RECV, .peer = peer, .bytes = in, .data = calloc((size_t)in + 1, 1)};
    }
  /* Two starts are in flight at once; the waits are in pieces and in reverse order. */
  int half = count / 3;
  assert_int_equal(hy_link_start(cube, messages, half), HYLA_OK);
  assert_int_equal(hy_link_start(cube, messages + half, count - half), HYLA_OK);
  for (int i = count - 1; i >= 0; i--)
    assert_int_equal(hy_link_wait(cube, &messages[i], 1), HYLA_OK);
  for (int i = 0; i < count; i++) {
    const struct hy_message *m = &messages[i];
    if (m->verb == HY_RECV) assert_pattern(m->data, m->peer, me, i / 2 % EACH, m->bytes);
    free(m->data);
  }
  assert_int_equal(hyla_cube_barrier(cube), HYLA_OK);
  hyla_cube_destroy(&cube);
}

/* Blocks shift round the ring; every rank lends and borrows at the same time.  The lender
 * overwrites its block as soon as the loan is returned. */
static void shift_loans(hyla_cube *cube, bool named, int64_t bytes) {
  int me = cube->address, nodes = cube->nodes;
  int64_t offset = bytes / 3;
  struct hy_window *window = NULL;
  assert_int_equal(hy_window_create(cube, me >= 0 ? bytes + offset : 0, &window), HYLA_OK);
  bool shared = me >= 0 && hy_window_peer(window, (me + nodes - 1) % nodes) != NULL;
  int to = (me + 1) % nodes, from = (me + nodes - 1) % nodes;
  unsigned char *scratch = calloc((size_t)bytes + 1, 1);
  for (int round = 0; round < 5 && me >= 0; round++) {
    unsigned char *block = (unsigned char *)hy_window_data(window) + offset;
    for (int64_t i = 0; i < bytes; i++) block[i] = pattern(me, to, round, i);
    const struct hy_window *where = named ? window : NULL;
    struct hy_message shift[] = {
        {.verb = HY_BORROW, .peer = from, .bytes = bytes, .data = scratch, .window = where},
        {.verb = HY_LEND, .peer = to, .bytes = bytes, .data = block, .window = where},
    };
    assert_int_equal(hy_link_start(cube, shift, 2), HYLA_OK);
    assert_int_equal(hy_link_wait(cube, &shift[0], 1), HYLA_OK);
    assert_pattern(shift[0].seen, from, me, round, bytes);
    bool in_place = (const unsigned char *)shift[0].seen != scratch;
    assert_int_equal(in_place, named && shared && bytes > 0);
    if (in_place)
      assert_ptr_equal(shift[0].seen, (const char *)hy_window_peer(window, from) + offset);
    assert_int_equal(hy_link_return(cube, &shift[0], 1), HYLA_OK);
    assert_null(shift[0].seen);
    assert_int_equal(hy_link_wait(cube, &shift[1], 1), HYLA_OK);
  }
  free(scratch);
  hy_window_destroy(cube, &window);
}

static void loans_come_and_go_back(void **state) {
  (void)state;
  static const int64_t sizes[] = {0, 1, 7919, 3000017};
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t before = cube->base.bytes_now;
    for (int named = 0; named < 2; named++)
      for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        harness_note("private %d, window %d, %lld bytes", private_memory, named,
                     (long long)sizes[s]);
        shift_loans(cube, named, sizes[s]);
      }
    assert_int_equal(cube->base.bytes_now, before);
    assert_int_equal(hyla_cube_barrier(cube), HYLA_OK);
    hyla_cube_destroy(&cube);
  }
}

/* One block is lent to all, and returned in another order than it was lent. */
static void a_block_may_be_lent_to_many(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  enum { BYTES = 10007 };
  struct hy_window *window = NULL;
  assert_int_equal(hy_window_create(cube, 2 * BYTES, &window), HYLA_OK);
  struct hy_message messages[4 * 8];
  int count = 0, me = cube->address;
  unsigned char *block = hy_window_data(window);
  for (int64_t i = 0; me >= 0 && i < 2 * BYTES; i++) block[i] = pattern(me, 0, 0, i);
  for (int peer = 0; me >= 0 && peer < cube->nodes; peer++)
    for (int part = 0; part < 2; part++)
      messages[count++] = (struct hy_message){.verb = HY_LEND,
                                              .peer = peer,
                                              .bytes = BYTES,
                                              .data = block + part * BYTES,
                                              .window = window};
  int lent = count;
  for (int peer = 0; me >= 0 && peer < cube->nodes; peer++)
    for (int part = 0; part < 2; part++)
      messages[count++] = (struct hy_message){
          .verb = HY_BORROW, .peer = peer, .bytes = BYTES, .data = malloc(BYTES), .window = window};
  assert_int_equal(hy_link_start(cube, messages, count), HYLA_OK);
  assert_int_equal(hy_link_wait(cube, messages + lent, count - lent), HYLA_OK);
  for (int i = count - 1; i >= lent; i--) {
    const unsigned char *seen = messages[i].seen;
    int64_t skip = (i - lent) % 2 * BYTES;
    for (int64_t b = 0; b < BYTES; b += 97)
      assert_int_equal(seen[b], pattern(messages[i].peer, 0, 0, skip + b));
    assert_int_equal(hy_link_return(cube, &messages[i], 1), HYLA_OK);
    free(messages[i].data);
  }
  assert_int_equal(hy_link_wait(cube, messages, lent), HYLA_OK);
  assert_int_equal(hyla_cube_barrier(cube), HYLA_OK);
  hy_window_destroy(cube, &window);
  hyla_cube_destroy(&cube);
}

static void the_ledger_counts_what_travels(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  hyla_ledger expected = {.dims = cube->dims}, ledger;
  char out[100] = {0}, in[100];
  assert_int_equal(hyla_cube_ledger(cube, &ledger), HYLA_OK);
  assert_memory_equal(&ledger, &expected, sizeof ledger);
  int me = cube->address;
  for (int peer = 0; me >= 0 && peer < cube->nodes; peer++) {
    /* Peers are taken by exclusive or, so all pairs exchange. */
    int other = me ^ peer;
    int64_t bytes = 10 + peer;
    assert_int_equal(hy_exchange(cube, other, out, bytes, in, bytes), HYLA_OK);
    assert_int_equal(hy_exchange(cube, other, out, 0, in, 0), HYLA_OK);
    if (hy_popcount((uint32_t)peer) == 1) {
      expected.messages[hy_lowest((uint32_t)peer)]++;
      expected.bytes[hy_lowest((uint32_t)peer)] += bytes;
    } else if (peer != 0) {
      expected.far_messages++;
      expected.far_bytes += bytes;
    }
    expected.steps += peer != 0;
  }
  assert_int_equal(hyla_cube_barrier(cube), HYLA_OK);
  assert_int_equal(hyla_cube_ledger(cube, &ledger), HYLA_OK);
  assert_memory_equal(&ledger, &expected, sizeof ledger);
  assert_int_equal(hyla_cube_ledger_clear(cube), HYLA_OK);
  assert_int_equal(hyla_cube_ledger(cube, &ledger), HYLA_OK);
  expected = (hyla_ledger){.dims = cube->dims};
  assert_memory_equal(&ledger, &expected, sizeof ledger);
  assert_int_equal(hyla_cube_ledger(cube, NULL), HYLA_ARGUMENT);
  assert_int_equal(hyla_cube_ledger(NULL, &ledger), HYLA_ARGUMENT);
  assert_int_equal(hyla_cube_ledger_clear(NULL), HYLA_ARGUMENT);
  hyla_cube_destroy(&cube);
}

static void an_exchange_with_itself_copies(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  char out[] = "unchanged", in[sizeof out] = "";
  assert_int_equal(hy_exchange(cube, cube->address, out, sizeof out, in, sizeof in), HYLA_OK);
  assert_string_equal(in, cube->address >= 0 ? out : "");
  hyla_cube_destroy(&cube);
}

/* Node 1 expects another size than node 0 sends. */
static void differing_sizes_break_the_cube(void **state) {
  (void)state;
  static const int64_t pairs[][2] = {{100, 50}, {50, 100}, {PIECE + 100, 100}, {PIECE + 9, PIECE}};
  if (harness_ranks() < 2) return;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    hyla_cube *cube = cube_open(false);
    int64_t sent = pairs[i][0], expected = pairs[i][1];
    harness_note("%lld sent, %lld expected", (long long)sent, (long long)expected);
    char *data = calloc(2 * PIECE, 1);
    cube->network.timeout = cube->address == 1 ? 0.3 : 20;
    if (cube->address == 0) {
      struct hy_message m = {.verb = HY_SEND, .peer = 1, .bytes = sent, .data = data};
      hyla_status status = hy_link_step(cube, &m, 1);
      /* The message left without waiting for its receiver, or node 1 has already reported the
       * fault. */
      assert_true(status == HYLA_OK || status == HYLA_COMMUNICATION);
      if (status != HYLA_OK) assert_non_null(strstr(hyla_cube_message(cube), "(rank 1)"));
    } else if (cube->address == 1) {
      struct hy_message m = {.verb = HY_RECV, .peer = 0, .bytes = expected, .data = data};
      hyla_status status = hy_link_step(cube, &m, 1);
      assert_int_equal(status, HYLA_COMMUNICATION);
      assert_non_null(strstr(hyla_cube_message(cube), "from rank 0"));
      assert_int_equal(hy_link_start(cube, &m, 1), HYLA_BROKEN);
      assert_int_equal(hy_link_wait(cube, &m, 1), HYLA_BROKEN);
      assert_int_equal(hy_link_return(cube, &m, 1), HYLA_BROKEN);
      assert_int_equal(hyla_cube_barrier(cube), HYLA_BROKEN);
      struct hy_window *window = NULL;
      assert_int_equal(hy_window_create(cube, 1, &window), HYLA_BROKEN);
      assert_null(window);
    }
    harness_barrier();
    hyla_cube_destroy(&cube);
    free(data);
  }
}

static void impossible_messages_are_refused(void **state) {
  (void)state;
  for (int trial = 0; trial < 4; trial++) {
    harness_note("trial %d", trial);
    hyla_cube *cube = cube_open(false);
    struct hy_window *window = NULL;
    assert_int_equal(hy_window_create(cube, 10, &window), HYLA_OK);
    char bytes[2] = {0};
    struct hy_message m = {.verb = HY_SEND, .bytes = 1, .data = bytes};
    if (trial == 0) m.peer = -1;
    if (trial == 1) m.peer = cube->nodes;
    if (trial == 2) m.bytes = -1;
    if (trial == 3) { /* a loan that lies in no window, or only partly in one */
      m = (struct hy_message){.verb = HY_LEND, .bytes = 6, .window = window};
      m.peer = cube->address ^ 1;
      if (cube->address >= 0) m.data = (char *)hy_window_data(window) + 5;
    }
    bool noticed = cube->address >= 0 && (trial < 3 || harness_ranks() > 1);
    if (noticed) {
      assert_int_equal(hy_link_start(cube, &m, 1), HYLA_ARGUMENT);
      assert_int_equal(hy_link_start(cube, NULL, 0), HYLA_BROKEN);
    }
    hy_window_destroy(cube, &window);
    hyla_cube_destroy(&cube);
  }
}

/* ---------------------------------------------------------------- waits -- */

enum { US = 1000, MS = 1000 * US };

/* A wait that polls each microsecond, in vain until `length' has passed; leaving the core takes
 * `yield' or `nap'.  Returns the time until the core was left first; -1: it was not. */
static int64_t wait_for(struct hy_wait *wait, int64_t *clock, int64_t length, int64_t yield,
                        int64_t nap, enum hy_leave *how) {
  const int64_t end = *clock + length, began = *clock;
  int64_t first = -1;
  *how = HY_KEEP;
  for (int64_t polls = 0; *clock < end; polls++, *clock += US) {
    const enum hy_leave step = hy_wait_decide(wait, polls, *clock);
    const int64_t took = step == HY_YIELD ? yield : nap;
    if (step == HY_KEEP) continue;
    if (first < 0) {
      first = *clock - began;
      *how = step;
    }
    *clock += took;
    hy_wait_left(wait, step, took);
  }
  return first;
}

/* Alone on the core, a rank polls for 50 us.  If another process keeps the core for 4 ms, it polls
 * longer, and naps afterwards; no longer if polling longer is in vain; and 50 us again some time
 * after that process has ended. */
static void a_core_is_kept_for_as_long_as_leaving_it_takes(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  struct hy_wait wait = {0};
  enum hy_leave how;
  int64_t clock = 12345;
  for (int i = 0; i < 20; i++) {
    assert_int_equal(wait_for(&wait, &clock, 40 * US, US, 70 * US, &how), -1);
    assert_int_equal(wait_for(&wait, &clock, 200 * US, US, 70 * US, &how), 50 * US);
    assert_int_equal(how, HY_YIELD);
  }
  assert_int_equal(wait_for(&wait, &clock, 100 * US, 4 * MS, 70 * US, &how), 50 * US);
  for (int i = 0; i < 20; i++)
    assert_int_equal(wait_for(&wait, &clock, 400 * US, 4 * MS, 70 * US, &how), -1);
  assert_true(wait_for(&wait, &clock, 5 * MS, 4 * MS, 70 * US, &how) >= 400 * US);
  assert_int_equal(how, HY_NAP);
  for (int i = 0; i < 20; i++) wait_for(&wait, &clock, 20 * MS, 4 * MS, 4 * MS, &how);
  assert_int_equal(wait_for(&wait, &clock, 20 * MS, 4 * MS, 4 * MS, &how), 50 * US);
  for (int i = 0; i < 20; i++) wait_for(&wait, &clock, 20 * MS, US, 70 * US, &how);
  assert_int_equal(wait_for(&wait, &clock, 200 * US, US, 70 * US, &how), 50 * US);
  assert_int_equal(how, HY_YIELD);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_size_arrives),
      cmocka_unit_test(many_messages_keep_their_order),
      cmocka_unit_test(loans_come_and_go_back),
      cmocka_unit_test(a_block_may_be_lent_to_many),
      cmocka_unit_test(the_ledger_counts_what_travels),
      cmocka_unit_test(an_exchange_with_itself_copies),
      cmocka_unit_test(differing_sizes_break_the_cube),
      cmocka_unit_test(impossible_messages_are_refused),
      cmocka_unit_test(a_core_is_kept_for_as_long_as_leaving_it_takes),
  };
  harness_on_a_cube();
  return harness_run(tests, sizeof tests / sizeof *tests);
}
