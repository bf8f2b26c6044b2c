/* Checked messages: whoever sends a piece sends a check after it, the piece's number among those
 * between the two ranks on its stream, a sum over its bytes and their CRC; whoever takes the piece
 * takes the check too and compares them.  So a piece that was lost, damaged, doubled or overtaken
 * by another one is COMMUNICATION and never taken for data, whatever the network below lets pass.
 *
 * Numbers are given where pieces are posted, which on one stream happens in the same order on
 * both sides; what is given back of loans comes in any order and has the loan's number.  The sum
 * is hy_fingerprint, begun with the number: each of its steps takes eight bytes and can be undone,
 * so errors within one step's bytes always show; others hide with a probability of some 2^-64.  Of
 * the CRC, zlib's of 32 bits, no two bits hide, wherever they are, and no burst of 32.
 *
 * What is read in place does not travel and is not checked; its notice is. */
#include "cube/link.h"

#include <zlib.h>

enum { STREAMS = 2 }; /* that have numbers: data, control */

hyla_status hy_checks_create(hyla_cube *cube) {
  struct hy_link *link = cube->link;
  return hy_alloc(&cube->base, 2 * STREAMS * link->ranks, sizeof *link->numbers, &link->numbers);
}

static int64_t next_number(struct hy_link *link, int peer, enum hy_stream stream, bool out) {
  return ++link->numbers[2 * (STREAMS * peer + (int)stream) + out];
}

static uint64_t sum_of(const struct hy_check *check) {
  return hy_fingerprint((uint64_t)check->number + 1, check->piece, (size_t)check->bytes);
}

static uint64_t crc_of(const struct hy_check *check) {
  return check->bytes > 0 ? crc32_z(0, check->piece, (z_size_t)check->bytes) : 0;
}

hyla_status hy_check_post(struct hy_link *link, int peer, int tag, struct hy_check *check) {
  enum hy_stream stream = (enum hy_stream)(tag % HY_STREAMS);
  if (stream != HY_GIVE_BACK) check->number = next_number(link, peer, stream, check->out);
  int at = tag + HY_CHECKS;
  if (check->out) {
    check->told[0] = (uint64_t)check->number;
    check->told[1] = sum_of(check);
    check->told[2] = crc_of(check);
    TRY(link->kind->send(link, peer, at, check->told, sizeof check->told, &check->request));
  } else {
    TRY(link->kind->recv(link, peer, at, check->told, sizeof check->told, &check->request));
  }
  check->busy = true;
  return HYLA_OK;
}

hyla_status hy_check_test(struct hy_link *link, struct hy_check *check) {
  struct hy_moment end = {0};
  bool done = false;
  int64_t bytes = check->out ? -1 : (int64_t)sizeof check->told;
  TRY(link->kind->test(link, &check->request, bytes, &done, &end));
  check->busy = !done;
  return HYLA_OK;
}

hyla_status hy_check_compare(const struct hy_link *link, int peer, const struct hy_check *check) {
  if (check->out) return HYLA_OK;
  CHECK(link->base, check->told[0] == (uint64_t)check->number, COMMUNICATION,
        "message %lld from rank %d to rank %d is lost, came twice or was overtaken: the check of "
        "number %lld came in its place",
        (long long)check->number, peer, link->rank, (long long)check->told[0]);
  const bool whole = check->told[1] == sum_of(check) && check->told[2] == crc_of(check);
  CHECK(link->base, whole, COMMUNICATION,
        "message %lld from rank %d to rank %d, of %lld bytes, is not what was sent: it is damaged, "
        "or another one",
        (long long)check->number, peer, link->rank, (long long)check->bytes);
  return HYLA_OK;
}
