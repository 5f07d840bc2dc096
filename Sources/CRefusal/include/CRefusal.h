// How a process ends whose system has no more memory for it: with a sentence and the code of a fault.
//
// Swift's arrays, texts and dictionaries cannot be refused memory: they abort. So whoever links this has a `malloc` and its like that, where
// the system refuses and the caller is not in `cs_reallocate`, says so and ends the process. It is for programs
// (frp), not for libraries: a host has its own ways.

#ifndef CREFUSAL_H
#define CREFUSAL_H

#endif
