/* Fingerprints: numbers that are equal for equal sequences of bytes, and almost never for
 * others. */
#include "base/base.h"

#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t stir(uint64_t fingerprint, uint64_t word) {
  fingerprint = (fingerprint ^ word) + UINT64_C(0x9e3779b97f4a7c15);
  fingerprint *= UINT64_C(0xbf58476d1ce4e5b9);
  return fingerprint ^ fingerprint >> 29;
}

/* Takes eight bytes at a time, because the simulator fingerprints all that is sent.  The last word
 * is followed by the number of its bytes. */
uint64_t hy_fingerprint(uint64_t fingerprint, const void *bytes, size_t size) {
  const char *byte = bytes;
  uint64_t word;
  for (; size >= sizeof word; size -= sizeof word, byte += sizeof word) {
    memcpy(&word, byte, sizeof word);
    fingerprint = stir(fingerprint, word);
  }
  if (size == 0) return fingerprint;
  word = 0;
  memcpy(&word, byte, size);
  return stir(stir(fingerprint, word), size);
}

uint64_t hy_drawn_number(void) {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number) return number;
  struct timespec now; /* getrandom has no numbers yet just after the kernel's start */
  clock_gettime(CLOCK_REALTIME, &now);
  const pid_t process = getpid();
  number = hy_fingerprint(hy_host_number(), &now, sizeof now);
  return hy_fingerprint(number, &process, sizeof process);
}

uint64_t hy_host_number(void) {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  uint64_t number = hy_fingerprint(1, name, sizeof name);
  struct stat place;
  if (stat("/proc/self/ns/pid", &place) == 0)
    number = hy_fingerprint(number, &place.st_ino, sizeof place.st_ino);
  return number != 0 ? number : 1;
}

uint64_t hy_start_number(void) {
  char start[64] = "";
  int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  ssize_t length = fd >= 0 ? read(fd, start, sizeof start) : 0;
  if (fd >= 0) close(fd);
  return length > 0 ? hy_fingerprint(1, start, (size_t)length) : 0;
}
