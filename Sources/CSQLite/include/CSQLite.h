// SQLite, with what Swift cannot call, and a way to open a file that is found beneath a directory that is held.

#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>
#include <stdbool.h>

/// Opens a name in a directory, which stays open as long as the connection: neither links nor a renamed directory lead it
/// elsewhere. Its journals are beside it; every other file (ATTACH, VACUUM INTO) is refused. To be closed by
/// `csqlite_close` in any case. A code of SQLite.
int csqlite_open(int directory, const char *_Nonnull name, int flags, sqlite3 *_Nullable *_Nonnull database);

/// The same to look at one that nobody else has, in a way that changes nothing in the directory, which may lie on a read-only file system: no file
/// is made, written or removed, also when it is closed. To be used with exclusive locks, which are none here. Without a log the
/// database alone counts: SQLite would make one.
int csqlite_look(int directory, const char *_Nonnull name, bool has_log, sqlite3 *_Nullable *_Nonnull database);

/// Closes it; nothing may be under way.
void csqlite_close(sqlite3 *_Nonnull database);

/// Refuses what may corrupt a database or trust what is written in it, and what could look at other files.
void csqlite_defend(sqlite3 *_Nonnull database);

/// Binds bytes, which are copied.
int csqlite_bind_text(sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, sqlite3_uint64 count);
int csqlite_bind_blob(sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, sqlite3_uint64 count);

#endif
