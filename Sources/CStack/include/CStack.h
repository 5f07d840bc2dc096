// What the runtime needs and Swift cannot say: the thread's own stack, memory that may be refused, and memory for code.

#ifndef CSTACK_H
#define CSTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Calls `found` with every word from `low` up to, not including, `high` that stands on this thread's stack above this
/// call, or in a register that its callers still need. False, and nothing is called, where the stack that this thread runs
/// on is not the one that the system knows of: a coroutine's. Cost: O(depth of the stack).
bool cs_stack_words(
    uintptr_t low, uintptr_t high, void (*_Nonnull found)(void *_Nullable context, uintptr_t word),
    void *_Nullable context);

/// Where this thread's stack lies; false where the system does not say. Cost: O(1), but for a thread's first time.
bool cs_thread_stack(uintptr_t *_Nonnull start, uintptr_t *_Nonnull end);

/// `realloc`, or `malloc` of a null pointer, for callers who know what to do where the system refuses: NULL then, and what
/// was there stays. `free` gives it back. Everybody else's `malloc` may end the process (CRefusal).
void *_Nullable cs_reallocate(void *_Nullable memory, size_t bytes);

/// Whether this thread is in `cs_reallocate`.
bool cs_may_be_refused(void);

/// A copy of machine code that can be read and run, and not be written; NULL where the system refuses that. It was never writable
/// where it lies, unless the system has no files without names: then it was before it could be run.
const void *_Nullable cs_map_code(const void *_Nonnull code, size_t bytes);

/// Gives it back.
void cs_unmap_code(const void *_Nonnull code, size_t bytes);

#endif
