/* The verifier finds faults: at least one is planted for each rule, in schedules that are sound
 * without it. */
#include "tests/formulas/paper.h"

static const struct hy_paper_machine all_ports = {.tau = 1, .beta = 1};

/* A generator that makes another one's schedule and spoils it. */
struct spoiler {
  const struct hy_generator *sound;
  void (*spoil)(struct hy_schedule *schedule, uint32_t node);
};

static hyla_status make_spoiled(const struct hy_generator *generator, uint32_t node,
                                struct hy_schedule *out) {
  const struct spoiler *spoiler = generator->table;
  TRY(spoiler->sound->make(spoiler->sound, node, out));
  spoiler->spoil(out, node);
  return HYLA_OK;
}

static enum hy_fault fault_of(const struct hy_generator *generator,
                              const struct hy_collective *contract,
                              const struct hy_paper_machine *machine) {
  struct hy_base base = {0};
  struct hy_verify_report report;
  assert_int_equal(hy_verify(generator, contract, machine, &base, &report), HYLA_OK);
  assert_int_equal(base.bytes_now, 0);
  return report.fault;
}

/* A broadcast in a 3-cube, sound until it is spoiled; returns the fault that the verifier finds. */
static enum hy_fault spoil_broadcast(void (*spoil)(struct hy_schedule *, uint32_t)) {
  struct hy_generator sound = {hy_doubling_broadcast, .dims = 3};
  struct hy_collective contract = {.task = HY_TASK_BROADCAST, .dims = 3, .blocks = {.words = 5}};
  struct spoiler spoiler = {&sound, spoil};
  struct hy_generator spoiled = {make_spoiled, .dims = 3, .table = &spoiler};
  paper_sound(&sound, &contract, &all_ports);
  return fault_of(&spoiled, &contract, &all_ports);
}

/* Both ends of the last step's packet between 0 and 1 go over two dimensions. */
static void to_a_far_node(struct hy_schedule *schedule, uint32_t node) {
  for (int64_t i = 0; i < schedule->packet_count; i++)
    if (schedule->packets[i].step == 2 && (node == 0 || node == 7)) schedule->packets[i].across = 7;
  if (node == 1 || node == 6) schedule->packet_count--;
}

static void out_of_the_cube(struct hy_schedule *schedule, uint32_t node) {
  if (node == 0) schedule->packets[0].across = 8;
}

static void packets_go_to_neighbours(void **state) {
  (void)state;
  assert_int_equal(spoil_broadcast(to_a_far_node), HY_NOT_NEIGHBOUR);
  assert_int_equal(spoil_broadcast(out_of_the_cube), HY_NOT_NEIGHBOUR);
}

static void send_too_early(struct hy_schedule *schedule, uint32_t node) {
  /* The link 4 - 6 is used in step 1; now also earlier, when 4 has nothing to send. */
  struct hy_piece piece = {.run = 1, .from = 0, .to = 1};
  if (node == 6) assert_int_equal(hy_schedule_add(schedule, 0, 2, HY_OUT, piece), HYLA_OK);
  if (node == 4) assert_int_equal(hy_schedule_add(schedule, 0, 2, HY_IN, piece), HYLA_OK);
}

static void words_are_held_before_they_are_sent(void **state) {
  (void)state;
  assert_int_equal(spoil_broadcast(send_too_early), HY_NOT_HELD);
}

static void forget_to_receive(struct hy_schedule *schedule, uint32_t node) {
  if (node == 5) schedule->packet_count--;
}

static void forget_to_send(struct hy_schedule *schedule, uint32_t node) {
  if (node == 4) schedule->packet_count--;
}

static void send_a_part(struct hy_schedule *schedule, uint32_t node) {
  schedule->parts = 2;
  for (int64_t i = 0; i < schedule->piece_count; i++)
    schedule->pieces[i].to = node == 4 && i == 2 ? 1 : 2;
}

static void what_is_sent_is_received(void **state) {
  (void)state;
  assert_int_equal(spoil_broadcast(forget_to_receive), HY_UNMATCHED);
  assert_int_equal(spoil_broadcast(forget_to_send), HY_UNMATCHED);
  assert_int_equal(spoil_broadcast(send_a_part), HY_UNMATCHED);
}

static void drop_both_ends(struct hy_schedule *schedule, uint32_t node) {
  if (node >= 6) schedule->packet_count--;
}

static void everything_is_delivered(void **state) {
  (void)state;
  assert_int_equal(spoil_broadcast(drop_both_ends), HY_NOT_DELIVERED);
}

/* Words in the wrong place: two blocks of an all-gather change places. */
static void swap_blocks(struct hy_schedule *schedule, uint32_t node) {
  if (node != 3) return;
  for (int64_t i = 0; i < schedule->packet_count; i++)
    if (schedule->packets[i].step == 0 && schedule->packets[i].action == HY_IN)
      schedule->pieces[schedule->packets[i].first].block = 1;
}

static void in_the_right_place(void **state) {
  (void)state;
  struct hy_generator sound = {hy_doubling_allgather, .dims = 2};
  struct hy_collective contract = {.task = HY_TASK_ALLGATHER, .dims = 2, .blocks = {.words = 2}};
  struct spoiler spoiler = {&sound, swap_blocks};
  struct hy_generator spoiled = {make_spoiled, .dims = 2, .table = &spoiler};
  paper_sound(&sound, &contract, &all_ports);
  assert_int_equal(fault_of(&spoiled, &contract, &all_ports), HY_NOT_HELD);
}

/* A sum in which one contribution is added twice, and another one never. */
static void add_twice(struct hy_schedule *schedule, uint32_t node) {
  (void)node;
  for (int64_t i = 0; i < schedule->packet_count; i++) schedule->packets[i].across = 1;
}

static void sums_hold_every_contribution_once(void **state) {
  (void)state;
  struct hy_generator sound = {hy_doubling_allreduce, .dims = 2};
  struct hy_collective contract = {.task = HY_TASK_ALLREDUCE, .dims = 2, .blocks = {.words = 2}};
  struct spoiler spoiler = {&sound, add_twice};
  struct hy_generator spoiled = {make_spoiled, .dims = 2, .table = &spoiler};
  paper_sound(&sound, &contract, &all_ports);
  assert_int_equal(fault_of(&spoiled, &contract, &all_ports), HY_NOT_DELIVERED);
}

/* A node sends its word to both neighbours, who both send it on to 3 at once. */
static hyla_status make_meeting(const struct hy_generator *generator, uint32_t node,
                                struct hy_schedule *out) {
  (void)generator;
  struct hy_piece piece = {.run = 1, .from = 0, .to = 1};
  for (uint32_t bit = 1; bit <= 2; bit <<= 1) {
    if (node == 0) TRY(hy_schedule_add(out, 0, bit, HY_OUT, piece));
    if (node == bit) TRY(hy_schedule_add(out, 0, bit, HY_IN, piece));
    if (node == bit) TRY(hy_schedule_add(out, 1, 3 ^ bit, HY_OUT, piece));
    if (node == 3) TRY(hy_schedule_add(out, 1, bit, HY_IN, piece));
  }
  return HYLA_OK;
}

static void a_word_is_received_once_a_step(void **state) {
  (void)state;
  struct hy_generator meeting = {make_meeting, .dims = 2};
  struct hy_collective contract = {.task = HY_TASK_BROADCAST, .dims = 2, .blocks = {.words = 1}};
  assert_int_equal(fault_of(&meeting, &contract, &all_ports), HY_OVERWRITTEN);
}

static void one_port_is_one_port(void **state) {
  (void)state;
  struct hy_generator base = {hy_doubling_broadcast, .dims = 3};
  struct hy_generator spread = hy_symmetrize(&base);
  struct hy_generator gather = hy_reverse(&spread, HY_ADD);
  struct hy_collective contract = {.task = HY_TASK_BROADCAST, .dims = 3, .blocks = {.words = 3}};
  struct hy_paper_machine one_port = {.one_port = true};
  paper_sound(&base, &contract, &one_port);
  paper_sound(&spread, &contract, &all_ports);
  assert_int_equal(fault_of(&spread, &contract, &one_port), HY_PORT_TAKEN);
  contract.task = HY_TASK_REDUCE;
  assert_int_equal(fault_of(&gather, &contract, &one_port), HY_PORT_TAKEN);
}

/* Broadcasts along a tree that is given as links, to be replicated. */
struct tree_link {
  int step;
  uint32_t from;
  uint32_t bit;
};

struct link_list {
  int count;
  const struct tree_link *links;
};

static hyla_status make_links(const struct hy_generator *generator, uint32_t node,
                              struct hy_schedule *out) {
  const struct link_list *list = generator->table;
  struct hy_piece piece = {.run = 1, .from = 0, .to = 1};
  for (int i = 0; i < list->count; i++) {
    const struct tree_link *link = &list->links[i];
    if (link->from == node) TRY(hy_schedule_add(out, link->step, link->bit, HY_OUT, piece));
    if ((link->from ^ link->bit) == node)
      TRY(hy_schedule_add(out, link->step, link->bit, HY_IN, piece));
  }
  return HYLA_OK;
}

/* Bertsekas et al. 1991, Fig. 2: three steps from one node are not three steps from all of them if
 * a step has two links of one dimension; moving the link 000 -> 010 to the first step repairs
 * it. */
static void a_step_with_two_links_of_a_kind_cannot_be_replicated(void **state) {
  (void)state;
  struct tree_link links[] = {{0, 0, 1}, {1, 0, 2}, {0, 0, 4}, {1, 1, 2},
                              {1, 4, 1}, {2, 2, 4}, {2, 3, 4}};
  struct link_list list = {7, links};
  struct hy_generator one = {make_links, .dims = 3, .table = &list};
  struct hy_generator all = hy_complete(&one, false);
  struct hy_collective broadcast = {.task = HY_TASK_BROADCAST, .dims = 3, .blocks = {.words = 1}};
  struct hy_collective allgather = {.task = HY_TASK_ALLGATHER, .dims = 3, .blocks = {.words = 1}};
  assert_int_equal(paper_sound(&one, &broadcast, &all_ports).steps, 3);
  assert_int_equal(fault_of(&all, &allgather, &all_ports), HY_LINK_TAKEN);
  links[1].step = 0; /* 000 -> 010 */
  links[5].step = 1; /* 010 -> 110 then need not wait */
  assert_int_equal(paper_sound(&one, &broadcast, &all_ports).steps, 3);
  assert_int_equal(paper_sound(&all, &allgather, &all_ports).steps, 3);
}

/* Circuits hold all links of their path: 0 -> 3 goes by way of 1. */
static hyla_status make_circuits(const struct hy_generator *generator, uint32_t node,
                                 struct hy_schedule *out) {
  struct hy_piece piece = {.run = 1, .from = 0, .to = 1};
  uint32_t across = generator->root;
  if (node == 0) TRY(hy_schedule_add(out, 0, 1, HY_OUT, piece));
  if (node == 1) TRY(hy_schedule_add(out, 0, 1, HY_IN, piece));
  for (uint32_t from = 0; from < 2; from++) {
    uint32_t bits = from == 0 ? across : 2;
    if (node == from) TRY(hy_schedule_add(out, 1, bits, HY_OUT, piece));
    if (node == (from ^ bits)) TRY(hy_schedule_add(out, 1, bits, HY_IN, piece));
  }
  return HYLA_OK;
}

static void circuits_do_not_share_links(void **state) {
  (void)state;
  struct hy_paper_machine circuits = {.circuits = true};
  struct hy_collective contract = {.task = HY_TASK_BROADCAST, .dims = 3, .blocks = {.words = 1}};
  /* 1 -> 3 and 0 -> 1 -> 3 -> 7 share the link 1 -> 3; 0 -> 2 -> 6 does not use it. */
  struct hy_generator bad = {make_circuits, .dims = 3, .root = 7};
  struct hy_generator good = {make_circuits, .dims = 3, .root = 6};
  assert_int_equal(fault_of(&bad, &contract, &circuits), HY_LINK_TAKEN);
  assert_int_equal(fault_of(&good, &contract, &circuits), HY_NOT_DELIVERED);
}

/* An all-gather round a ring: in step t a node sends on the block of the node t behind it, over its
 * port 0, and gets the next one over its port 1. */
static hyla_status make_round(const struct hy_generator *generator, uint32_t node,
                              struct hy_schedule *out) {
  const uint32_t nodes = generator->network->nodes;
  for (uint32_t t = 0; t + 1 < nodes; t++) {
    struct hy_piece piece = {.block = (node + nodes - t) % nodes, .run = 1, .from = 0, .to = 1};
    TRY(hy_schedule_add(out, (int)t, 1, HY_OUT, piece));
    piece.block = (node + nodes - t - 1) % nodes;
    TRY(hy_schedule_add(out, (int)t, 2, HY_IN, piece));
  }
  return HYLA_OK;
}

static void send_the_other_way(struct hy_schedule *schedule, uint32_t node) {
  if (node == 2) schedule->packets[0].across = 2;
}

static void send_twice(struct hy_schedule *schedule, uint32_t node) {
  if (node != 2) return;
  struct hy_packet again = schedule->packets[0];
  schedule->packets[2].step = 0;
  schedule->packets[2].across = again.across;
  schedule->packets[2].first = again.first;
}

static void over_two_ports(struct hy_schedule *schedule, uint32_t node) {
  if (node == 2) schedule->packets[0].across = 3;
}

/* On networks that are no cubes a packet names its own node's port. */
static void links_are_those_of_the_network(void **state) {
  (void)state;
  struct hy_network ring, line;
  assert_null(hy_network_read(&ring, "ring:5"));
  assert_null(hy_network_read(&line, "line:5"));
  struct hy_generator sound = {make_round, .dims = 1, .numbered = true, .network = &ring};
  struct hy_collective contract = {
      .task = HY_TASK_ALLGATHER, .dims = 1, .network = &ring, .blocks = {.words = 3}};
  const struct hy_verify_report report = paper_sound(&sound, &contract, &all_ports);
  assert_int_equal(report.steps, 4);
  assert_int_equal(report.count.messages[0], 20);
  assert_int_equal(report.count.words[0], 60);
  assert_int_equal(report.count.messages[1], 0);
  static const struct {
    void (*spoil)(struct hy_schedule *, uint32_t);
    enum hy_fault fault;
  } plants[] = {{send_the_other_way, HY_UNMATCHED},
                {send_twice, HY_LINK_TAKEN},
                {over_two_ports, HY_NOT_NEIGHBOUR}};
  for (size_t i = 0; i < sizeof plants / sizeof *plants; i++) {
    struct spoiler spoiler = {&sound, plants[i].spoil};
    struct hy_generator spoiled = {make_spoiled, .dims = 1, .table = &spoiler, .network = &ring};
    assert_int_equal(fault_of(&spoiled, &contract, &all_ports), plants[i].fault);
  }
  /* Nothing joins the ends of a line: node 0 gets what nobody sends. */
  sound.network = contract.network = &line;
  assert_int_equal(fault_of(&sound, &contract, &all_ports), HY_UNMATCHED);
}

static void every_fault_has_a_text(void **state) {
  (void)state;
  for (enum hy_fault fault = HY_SOUND; fault <= HY_NOT_DELIVERED; fault++)
    assert_true(hy_fault_text(fault)[0] != 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packets_go_to_neighbours),
      cmocka_unit_test(words_are_held_before_they_are_sent),
      cmocka_unit_test(what_is_sent_is_received),
      cmocka_unit_test(everything_is_delivered),
      cmocka_unit_test(in_the_right_place),
      cmocka_unit_test(sums_hold_every_contribution_once),
      cmocka_unit_test(a_word_is_received_once_a_step),
      cmocka_unit_test(one_port_is_one_port),
      cmocka_unit_test(a_step_with_two_links_of_a_kind_cannot_be_replicated),
      cmocka_unit_test(circuits_do_not_share_links),
      cmocka_unit_test(links_are_those_of_the_network),
      cmocka_unit_test(every_fault_has_a_text),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
