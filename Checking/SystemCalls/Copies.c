// fork(2) in a simulated system. The copy is one of the kernel's, so it has the memory of its moment; what it writes it asks the process for
// that it was copied from, over a socket that stands at the numbers of all its simulated descriptors. So that one says when each call happens.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "Here.h"

// Of a call of the copy; the bytes to write stand behind it.
struct request {
  bool writes;
  int descriptor;
  size_t count;
};

static bool is_copy;
// The copy of this process, which has one at most.
static struct {
  pid_t number;
  int socket;
  bool has_ended;
} copy;

static bool move(bool sends, int socket, void *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t moved = sends ? send(socket, (char *)bytes + done, count - done, MSG_NOSIGNAL)
                          : recv(socket, (char *)bytes + done, count - done, 0);
    if (moved <= 0) return false;
    done += (size_t)moved;
  }
  return true;
}

// MARK: The copy's side

bool is_of_copy(int descriptor) {
  return is_copy && descriptor >= 0 && descriptor < descriptors && is_simulated[descriptor];
}

static long ask(struct request request, const void *bytes) {
  long answer;
  if (!move(true, request.descriptor, &request, sizeof request) ||
      !move(true, request.descriptor, (void *)bytes, request.count) ||
      !move(false, request.descriptor, &answer, sizeof answer)) {
    _exit(1);
  }
  if (answer >= 0) return answer;
  errno = (int)-answer;
  return -1;
}

ssize_t ask_to_write(int descriptor, const void *bytes, size_t count) {
  return ask((struct request){.writes = true, .descriptor = descriptor, .count = count}, bytes);
}

int ask_to_sync(int descriptor) { return (int)ask((struct request){.descriptor = descriptor}, NULL); }

// MARK: The other side

pid_t fork(void) {
  pid_t (*fork_of_kernel)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
  const struct simulated_system *system = here;
  if (system == NULL) return fork_of_kernel();
  here = NULL;
  long refusal = system->fork(system->context);
  int ends[2];
  if (refusal == 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) refusal = -errno;
  pid_t made = refusal == 0 ? fork_of_kernel() : -1;
  if (made == 0) {
    for (int number = 0; number < descriptors; number++) {
      if (is_simulated[number]) dup2(ends[1], number);
    }
    is_copy = true;
    return 0;
  }
  here = system;
  if (refusal != 0) {
    errno = (int)-refusal;
    return -1;
  }
  syscall(SYS_close, ends[1]);
  copy.number = made;
  copy.socket = ends[0];
  copy.has_ended = false;
  return made;
}

bool simulated_serve(const struct simulated_system *system) {
  struct request request;
  if (copy.number <= 0 || copy.has_ended) return false;
  copy.has_ended = !move(false, copy.socket, &request, sizeof request);
  if (copy.has_ended) return false;
  char *bytes = malloc(request.count + 1);
  if (bytes == NULL || !move(false, copy.socket, bytes, request.count)) abort();
  long answer = request.writes ? system->write(system->context, request.descriptor, bytes, request.count, -1)
                               : system->sync(system->context, request.descriptor);
  free(bytes);
  // One that was killed meanwhile hears nothing.
  move(true, copy.socket, &answer, sizeof answer);
  return true;
}

pid_t waitpid(pid_t process, int *status, int options) {
  if (here == NULL || process != copy.number) return (pid_t)syscall(SYS_wait4, process, status, options, NULL);
  if ((options & WNOHANG) != 0 && !copy.has_ended) return 0;
  pid_t found = (pid_t)syscall(SYS_wait4, process, status, options & ~WNOHANG, NULL);
  syscall(SYS_close, copy.socket);
  copy.number = 0;
  return found;
}
