/* Inputs made from a corpus by blind changes, for systems without libFuzzer; also plays inputs
 * again.
 *
 *   mutate READER FOLDER SECONDS SEED   inputs for this time; the current one is READER.last, which
 *                                       is removed at the end
 *   mutate READER FILE...               these inputs, once each
 *
 * A reader that fails aborts; then READER.last is the input that caused it. */
#include "random.h"
#include "readers.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIZE_MOST = 4096, SEEDS_MOST = 256, CHANGES_MOST = 6 };

struct input {
  size_t size;
  uint8_t bytes[SIZE_MOST];
};

struct corpus {
  int count;
  struct input *seed;
};

static bool load(const char *path, struct input *input) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return false;
  input->size = fread(input->bytes, 1, SIZE_MOST, file);
  fclose(file);
  return true;
}

/* The files of a folder, in the order of their names, so that a seed gives the same inputs
 * everywhere. */
static bool load_folder(const char *folder, struct corpus *corpus) {
  struct dirent **names;
  int count = scandir(folder, &names, NULL, alphasort);
  corpus->seed = calloc(SEEDS_MOST, sizeof *corpus->seed);
  if (count < 0 || corpus->seed == NULL) return false;
  for (int i = 0; i < count; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
    if (names[i]->d_name[0] != '.' && corpus->count < SEEDS_MOST)
      corpus->count += load(path, &corpus->seed[corpus->count]);
    free(names[i]);
  }
  free(names);
  return corpus->count > 0;
}

/* Moves the bytes behind a place to open or close a gap of `gap' bytes; false: no room. */
static bool shift(struct input *input, size_t place, int64_t gap) {
  size_t size = (size_t)((int64_t)input->size + gap);
  if (gap > 0 && size > SIZE_MOST) return false;
  if (gap < 0 && place + (size_t)-gap > input->size) return false;
  size_t from = gap > 0 ? place : place + (size_t)-gap;
  size_t to = gap > 0 ? place + (size_t)gap : place;
  memmove(input->bytes + to, input->bytes + from, input->size - from);
  input->size = size;
  return true;
}

static void change(uint64_t *state, const struct corpus *corpus, struct input *input) {
  static const char letters[] = "0123456789 \n\r\t%.,-+:=x@[]{}()'\"eEdDnaif#kMG";
  enum { BYTE, BIT, LETTER, INSERT, DROP, COPY, SPLICE, CUT, HOW };
  size_t place = random_below(state, input->size + 1), length = 1 + random_below(state, 8);
  uint8_t *at = &input->bytes[place];
  switch (random_below(state, HOW)) {
  case BYTE:
    if (place < input->size) *at = (uint8_t)random_next(state);
    return;
  case BIT:
    if (place < input->size) *at ^= (uint8_t)(1 << random_below(state, 8));
    return;
  case LETTER:
    if (place < input->size) *at = (uint8_t)letters[random_below(state, sizeof letters - 1)];
    return;
  case INSERT:
    if (shift(input, place, 1)) *at = (uint8_t)letters[random_below(state, sizeof letters - 1)];
    return;
  case DROP: shift(input, place, -(int64_t)length); return;
  case COPY: {
    size_t from = random_below(state, input->size + 1);
    if (from + length <= input->size && place + length <= input->size)
      memmove(at, input->bytes + from, length);
    return;
  }
  case SPLICE: {
    const struct input *other = &corpus->seed[random_below(state, (size_t)corpus->count)];
    size_t from = random_below(state, other->size + 1), rest = other->size - from;
    if (place + rest > SIZE_MOST) return;
    memcpy(at, other->bytes + from, rest);
    input->size = place + rest;
    return;
  }
  case CUT: input->size = place; return;
  }
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A file that outlives this process, with the bytes of the current input; -1: none. */
static int open_last(const char *path) { return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666); }

static bool keep_last(int fd, const struct input *input) {
  return pwrite(fd, input->bytes, input->size, 0) == (ssize_t)input->size &&
         ftruncate(fd, (off_t)input->size) == 0;
}

static int mutate(const struct reader *reader, const char *folder, double seconds, uint64_t seed) {
  struct corpus corpus = {0};
  char path[64];
  snprintf(path, sizeof path, "%s.last", reader->name);
  int fd = open_last(path);
  struct input *last = calloc(1, sizeof *last);
  if (fd < 0 || last == NULL || !load_folder(folder, &corpus)) {
    fprintf(stderr, "mutate: %s has no inputs, or %s cannot be written\n", folder, path);
    return 2;
  }
  int64_t count = 0;
  uint64_t state = seed;
  double begin = seconds_now(), now = begin;
  for (; now - begin < seconds; count++) {
    *last = corpus.seed[random_below(&state, (size_t)corpus.count)];
    for (size_t changes = random_below(&state, CHANGES_MOST); changes > 0; changes--)
      change(&state, &corpus, last);
    if (!keep_last(fd, last)) return 2;
    reader_play(reader, last->bytes, last->size);
    if (count % 64 == 0) now = seconds_now();
  }
  printf("%s: %lld inputs in %.0f s, seed %llu: nothing found\n", reader->name, (long long)count,
         now - begin, (unsigned long long)seed);
  close(fd);
  unlink(path);
  free(last);
  free(corpus.seed);
  return 0;
}

static int play(const struct reader *reader, int count, char **paths) {
  struct input *input = calloc(1, sizeof *input);
  int missing = input == NULL;
  for (int i = 0; i < count && input != NULL; i++) {
    bool there = load(paths[i], input);
    if (!there) fprintf(stderr, "mutate: cannot read %s\n", paths[i]);
    if (there) reader_play(reader, input->bytes, input->size);
    missing += !there;
  }
  free(input);
  return missing > 0 ? 2 : 0;
}

int main(int argc, char **argv) {
  const struct reader *reader = argc > 2 ? reader_find(argv[1]) : NULL;
  char *end = NULL;
  if (reader == NULL) {
    fprintf(stderr, "usage: mutate READER FOLDER SECONDS SEED, or mutate READER FILE...; readers:");
    for (int i = 0; reader_at(i) != NULL; i++) fprintf(stderr, " %s", reader_at(i)->name);
    fputc('\n', stderr);
    return 2;
  }
  double seconds = argc == 5 ? strtod(argv[3], &end) : 0;
  if (argc == 5 && end != argv[3] && *end == '\0')
    return mutate(reader, argv[2], seconds, strtoull(argv[4], NULL, 10));
  return play(reader, argc - 2, argv + 2);
}
