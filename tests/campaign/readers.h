/* Readers of bytes from any source, one a row, for programs that try many inputs. */
#ifndef CAMPAIGN_READERS_H
#define CAMPAIGN_READERS_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the bytes and checks the result; a fault is printed, and the process aborts. */
typedef void campaign_read(const uint8_t *bytes, size_t size);

campaign_read read_matrix_market; /* in two sizes of chunks, which must agree */
campaign_read read_gzip;          /* compressed here, it must give the same as the plain text */
campaign_read read_npy;           /* the header, and as many elements as there are */
campaign_read read_parts;         /* heads of members of archives and of variables of MAT files, and
                                   * what is compressed to its end */
campaign_read read_matrix;        /* of either format, by all nodes of a virtual cube */
campaign_read read_machine;
campaign_read read_wisdom;
campaign_read read_state;   /* by a factorization that continues; the first byte chooses the method,
                             * the number of nodes, and the sums that are corrected before */
campaign_read read_layout;  /* for three cubes; a good layout comes back from its text */
campaign_read read_words;   /* HYLA_VARIANT, HYLA_COLLECTIVE */
campaign_read read_numbers; /* the environment's numbers */
campaign_read read_options; /* a command line: the first byte chooses the subcommand, each line is
                             * an argument */

struct reader {
  const char *name;
  campaign_read *read;
};

/* The i-th of all, from 0; NULL beyond the last.  By its name; NULL: unknown. */
const struct reader *reader_at(int i);
const struct reader *reader_find(const char *name);

/* Reads the bytes; no descriptor may stay open. */
void reader_play(const struct reader *reader, const uint8_t *bytes, size_t size);

/* Prints a reader's fault and aborts, unless the condition holds. */
void reader_expect(bool condition, const char *what, const char *message);
/* The same for a message: not empty, without control characters. */
void reader_expect_message(const char *message);

#endif
