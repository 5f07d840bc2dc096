// What a collector that looks at the thread's own stack needs and Swift cannot say.

#ifndef CSTACK_H
#define CSTACK_H

#include <stdbool.h>
#include <stdint.h>

/// Calls `found` with every word from `low` up to, not including, `high` that stands on this thread's stack above this
/// call, or in a register that its callers still need. False, and nothing is called, where the stack that this thread runs
/// on is not the one that the system knows of: a coroutine's. Cost: O(depth of the stack).
bool cs_stack_words(
    uintptr_t low, uintptr_t high, void (*_Nonnull found)(void *_Nullable context, uintptr_t word),
    void *_Nullable context);

#endif
