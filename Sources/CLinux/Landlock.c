#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CLinux.h"

// The headers of Debian 12 know less than later kernels do.

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

struct ruleset {
  uint64_t files, ports;
};

struct path_rule {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));

struct port_rule {
  uint64_t allowed, port;
};

enum { create_version = 1, rule_path = 1, rule_port = 2 };

int clinux_landlock_version(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, create_version);
  return version > 0 ? (int)version : 0;
}

int clinux_landlock_make(uint64_t files, uint64_t ports) {
  struct ruleset ruleset = {files, ports};
  // Before the fourth version there is nothing behind the first field.
  size_t size = ports != 0 ? sizeof ruleset : sizeof ruleset.files;
  return (int)syscall(SYS_landlock_create_ruleset, &ruleset, size, 0);
}

int clinux_landlock_allow_below(int ruleset, int descriptor, uint64_t files) {
  struct path_rule rule = {files, descriptor};
  return (int)syscall(SYS_landlock_add_rule, ruleset, rule_path, &rule, 0);
}

int clinux_landlock_allow_port(int ruleset, unsigned port, uint64_t ports) {
  struct port_rule rule = {ports, port};
  return (int)syscall(SYS_landlock_add_rule, ruleset, rule_port, &rule, 0);
}

int clinux_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

int clinux_landlock_enter(int ruleset) { return (int)syscall(SYS_landlock_restrict_self, ruleset, 0); }
