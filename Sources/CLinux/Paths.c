#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CLinux.h"

const int clinux_o_path = O_PATH;

int clinux_open_beneath(int directory, const char *path, int flags, unsigned mode, bool links) {
  struct open_how how = {
      .flags = (unsigned)(flags | O_CLOEXEC),
      .mode = flags & O_CREAT ? mode : 0,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | (links ? 0 : RESOLVE_NO_SYMLINKS),
  };
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

int clinux_open_entry(int directory, const char *name, int flags, unsigned mode) {
  return openat(directory, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
}

long clinux_read_link(int descriptor, char *target, unsigned long capacity) {
  return readlinkat(descriptor, "", target, capacity);
}
