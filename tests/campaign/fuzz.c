/* Inputs made by clang's libFuzzer, guided by the code that they reach in the library.
 *
 *   HYLA_READER=NAME fuzz CORPUS -max_total_time=60
 *
 * tests/campaign/run starts it for every reader. */
#include "readers.h"

#include <stdio.h>
#include <stdlib.h>

/* libFuzzer's two calls. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct reader *reader;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  const char *name = getenv("HYLA_READER");
  reader = name != NULL ? reader_find(name) : NULL;
  if (reader != NULL) return 0;
  fprintf(stderr, "fuzz: HYLA_READER is none of:");
  for (int i = 0; reader_at(i) != NULL; i++) fprintf(stderr, " %s", reader_at(i)->name);
  fputc('\n', stderr);
  exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  reader_play(reader, bytes, size);
  return 0;
}
