/* Checked messages.  The sender of a piece sends a check after it: the number of the piece between
 * the two ranks on its stream, a sum over its bytes, and their CRC.  The receiver of the piece
 * takes the check too and compares.  So a piece that was lost, damaged, doubled or overtaken by
 * another one gives COMMUNICATION and is never taken for data, whatever the network lets pass.
 *
 * Pieces get their numbers when they are posted, which happens in the same order on both sides of a
 * stream.  Returns of loans come in any order and carry the loan's number.  The sum is
 * hy_fingerprint, started with the piece's number.  Each of its steps takes eight bytes and can be
 * undone, so errors within the bytes of one step always show; other errors hide with a probability
 * of about 2^-64.  The CRC is zlib's, of 32 bits: it always shows two wrong bits, wherever they
 * are, and any burst of 32.
 *
 * A loan that is read in place does not travel, so only its notice is checked. */
#include "cube/link.h"

#include <zlib.h>

enum { STREAMS = 2 }; /* that have numbers: data, control */

hyla_status hy_checks_create(hyla_cube *cube) {
  struct hy_link *link = cube->network.link;
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
  return HYLA_OK;
}

hyla_status hy_check_test(struct hy_link *link, struct hy_check *check, bool *done) {
  struct hy_moment end = {0};
  int64_t bytes = check->out ? -1 : (int64_t)sizeof check->told;
  return link->kind->test(link, &check->request, bytes, done, &end);
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
