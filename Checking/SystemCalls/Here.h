// What the files of this module share.

#ifndef HERE_H
#define HERE_H

#include <sys/types.h>

#include "CSystemCalls.h"

enum { descriptors = 1024 };

// The system of this thread; NULL also while it is answering, so that what it calls is the kernel's.
extern _Thread_local const struct simulated_system *here;
extern bool is_simulated[descriptors];

// Whether this process is a copy, and the descriptor one that it shares with the simulated system.
bool is_of_copy(int descriptor);

// What a copy does by the system of the process it was copied from.
ssize_t ask_to_write(int descriptor, const void *bytes, size_t count);
int ask_to_sync(int descriptor);

#endif
