// A byte of the executable's own data that says whether a program stands behind it. Who copies the executable changes it in
// the copy; whoever runs that reads it without a call of the system.

#define _GNU_SOURCE

#include "CLinux.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { length = 32 };

const unsigned char clinux_sign_set = '1';

// Volatile, so that no compiler knows what is in it; in the data, so that there is one of it in the file.
static volatile unsigned char sign[length] __attribute__((used)) = "frp: a program stands behind: 0";

bool clinux_sign_is_set(void) { return sign[length - 2] == clinux_sign_set; }

long clinux_sign_place(int executable) {
  // What comes before the byte, without a second copy of it in the file.
  unsigned char words[length - 2];
  for (int index = 0; index < length - 2; index++) words[index] = sign[index];
  struct stat status;
  if (fstat(executable, &status) != 0 || status.st_size < length) return -1;
  size_t size = (size_t)status.st_size;
  void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, executable, 0);
  if (bytes == MAP_FAILED) return -1;
  unsigned char *found = memmem(bytes, size, words, sizeof words);
  long place = found ? found - (unsigned char *)bytes + (long)sizeof words : -1;
  munmap(bytes, size);
  return place;
}
