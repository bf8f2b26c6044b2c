/* Compares the words (arguments) with which ranks were started, before there is a cube: over a link
 * alone, without memory.  Rank 0's words go to all ranks, and each compares its own with them.  The
 * lowest rank with other words reports it. */
#include "cube/cube.h"
#include "cube/link.h"

#include <string.h>

/* WORDS_MOST: characters of words that travel.  SHOWN: characters that a message shows. */
enum { WORDS_MOST = 4096, SHOWN = 180 };

/* Words as they travel.  The number is the fingerprint of the whole text, whatever its length. */
struct words {
  uint64_t number;
  char text[WORDS_MOST];
};

static void put_words(struct words *words, const char *text) {
  *words = (struct words){.number = hy_fingerprint(0, text, strlen(text))};
  snprintf(words->text, sizeof words->text, "%s", text);
}

/* Where a message begins to show two texts: at the first word that differs, if one text is long. */
static size_t first_shown(const char *one, const char *other) {
  size_t at = 0;
  if (strlen(one) <= SHOWN && strlen(other) <= SHOWN) return 0;
  while (one[at] != '\0' && one[at] == other[at]) at++;
  while (at > 0 && one[at - 1] != ' ') at--;
  return at;
}

static hyla_status compare(hyla_cube *cube, const char *text) {
  struct words mine, first;
  put_words(&mine, text);
  first = mine;
  TRY(hy_control_spread(cube, 0, &first, sizeof first));
  if (mine.number == first.number) return hy_agree(cube, HYLA_OK);
  const size_t at = first_shown(mine.text, first.text);
  const char *cut = at > 0 ? "... " : "";
  return hy_agree(cube, hy_fail(&cube->base, HYLA_ARGUMENT,
                                "started with `%s%.*s', but rank 0 with `%s%.*s'; give all ranks "
                                "the same words",
                                cut, SHOWN, mine.text + at, cut, SHOWN, first.text + at));
}

/* The cube serves for messages alone. */
static hyla_status agree_over(struct hy_link *link, const struct hy_base *books,
                              const hyla_options *options, const char *words,
                              struct hy_base *after) {
  hyla_cube cube = hy_cube_seed(link, books, options);
  hyla_status mine = HYLA_OK;
  link->base = &cube.base;
  if (words == NULL) mine = hy_fail(&cube.base, HYLA_ARGUMENT, "hyla_words_agree: words is NULL");
  hyla_status status = hy_enter(&cube, mine, 0, "hyla_words_agree");
  if (status == HYLA_OK) status = compare(&cube, words);
  *after = cube.base;
  link->kind->destroy(&cube.network.link, cube.network.broken);
  return status;
}

hyla_status hyla_words_agree(MPI_Comm comm, const hyla_options *options, const char *words,
                             char *message, size_t capacity) {
  hyla_options defaults;
  hyla_options_init(&defaults);
  if (options == NULL) options = &defaults;
  struct hy_base books = {.log_level = options->log_level};
  const double limit = options->timeout >= 0 ? options->timeout : defaults.timeout;
  struct hy_link_mpi link;
  hyla_status status = hy_link_mpi_init(comm, limit, &books, &link);
  if (status == HYLA_OK) status = agree_over(&link.link, &books, options, words, &books);
  if (status != HYLA_OK && message != NULL && capacity > 0)
    snprintf(message, capacity, "%s", books.message);
  return status;
}
