#define _GNU_SOURCE
#include "CSQLite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

// A VFS that is SQLite's own for Unix, but for the names it opens: those of open databases and of their journals, by way of a
// descriptor of their directory (`/proc/self/fd/7/shop.db`), which is not resolved any further. The second one is for whoever only
// looks: it locks nothing, since a lock for writing takes a file that may be written, opens files to read them, and removes none.

static const char vfs_name[] = "frp-held";
static const char looking_name[] = "frp-looking";

// Databases that are open.
struct held {
  struct held *next;
  sqlite3 *database;
  char path[];
};
static struct held *all;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static sqlite3_vfs *base(sqlite3_vfs *vfs) { return vfs->pAppData; }

static bool is_beside(const char *path, const char *database) {
  size_t length = strlen(database);
  if (strncmp(path, database, length) != 0) return false;
  const char *rest = path + length;
  return *rest == 0 || strcmp(rest, "-journal") == 0 || strcmp(rest, "-wal") == 0 || strcmp(rest, "-shm") == 0;
}

static bool is_held(const char *path) {
  bool found = false;
  pthread_mutex_lock(&mutex);
  for (struct held *held = all; held != NULL && !found; held = held->next) found = is_beside(path, held->path);
  pthread_mutex_unlock(&mutex);
  return found;
}

// One without a name is for what does not fit into memory; it is told to stay there (temp_store).
static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
  file->pMethods = NULL;
  if (path == NULL || !is_held(path)) return SQLITE_CANTOPEN;
  return base(vfs)->xOpen(base(vfs), path, file, flags, out);
}

static int delete_file(sqlite3_vfs *vfs, const char *path, int sync) {
  return is_held(path) ? base(vfs)->xDelete(base(vfs), path, sync) : SQLITE_IOERR_DELETE;
}

static int open_to_read(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
  flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
  return open_file(vfs, path, file, flags, out);
}

static int delete_nothing(sqlite3_vfs *vfs, const char *path, int sync) {
  (void)vfs, (void)path, (void)sync;
  return SQLITE_IOERR_DELETE;
}

static int access_file(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
  *result = 0;
  return is_held(path) ? base(vfs)->xAccess(base(vfs), path, flags, result) : SQLITE_OK;
}

static int full_name(sqlite3_vfs *vfs, const char *path, int capacity, char *full) {
  (void)vfs;
  if ((int)strlen(path) >= capacity) return SQLITE_CANTOPEN;
  strcpy(full, path);
  return SQLITE_OK;
}

// SQLite would open /dev/urandom.
static int randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  (void)vfs;
  ssize_t filled = getrandom(bytes, (size_t)count, 0);
  return filled < 0 ? 0 : (int)filled;
}

static sqlite3_vfs vfs, looking;

static void fill(sqlite3_vfs *vfs, const char *base, const char *name) {
  sqlite3_vfs *system = sqlite3_vfs_find(base);
  if (system == NULL) return;
  *vfs = *system;
  vfs->pNext = NULL;
  vfs->zName = name;
  vfs->pAppData = system;
  vfs->xOpen = open_file;
  vfs->xDelete = delete_file;
  vfs->xAccess = access_file;
  vfs->xFullPathname = full_name;
  vfs->xRandomness = randomness;
}

static void register_vfs(void) {
  fill(&vfs, "unix", vfs_name);
  if (vfs.zName != NULL) sqlite3_vfs_register(&vfs, 0);
  fill(&looking, "unix-none", looking_name);
  looking.xOpen = open_to_read;
  looking.xDelete = delete_nothing;
  if (looking.zName != NULL) sqlite3_vfs_register(&looking, 0);
}

static void forget(struct held *gone) {
  pthread_mutex_lock(&mutex);
  struct held **place = &all;
  while (*place != NULL && *place != gone) place = &(*place)->next;
  if (*place != NULL) *place = gone->next;
  pthread_mutex_unlock(&mutex);
  free(gone);
}

static int open_held(
    int directory, const char *name, const char *query, int flags, const char *vfs_name, sqlite3 **database) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_vfs);
  size_t capacity = strlen(name) + 64;
  struct held *held = calloc(1, sizeof *held + capacity);
  char *uri = query != NULL ? malloc(capacity + strlen(query)) : NULL;
  *database = NULL;
  if (held == NULL || (query != NULL && uri == NULL)) {
    free(held);
    free(uri);
    return SQLITE_NOMEM;
  }
  snprintf(held->path, capacity, "/proc/self/fd/%d/%s", directory, name);
  pthread_mutex_lock(&mutex);
  held->next = all;
  all = held;
  pthread_mutex_unlock(&mutex);
  if (uri != NULL) {
    sprintf(uri, "file:%s%s", held->path, query);
    flags |= SQLITE_OPEN_URI;
  }
  int code = sqlite3_open_v2(uri != NULL ? uri : held->path, database, flags | SQLITE_OPEN_NOMUTEX, vfs_name);
  free(uri);
  held->database = *database;
  if (*database == NULL) forget(held);
  return code;
}

int csqlite_open(int directory, const char *name, int flags, sqlite3 **database) {
  return open_held(directory, name, NULL, flags, vfs_name, database);
}

int csqlite_look(int directory, const char *name, bool has_log, sqlite3 **database) {
  const char *query = has_log ? NULL : "?immutable=1";
  int code = open_held(directory, name, query, SQLITE_OPEN_READONLY, looking_name, database);
  // Else what is in the log is brought into the database, and the log removed.
  if (*database != NULL) sqlite3_db_config(*database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
  return code;
}

void csqlite_close(sqlite3 *database) {
  sqlite3_close_v2(database);
  pthread_mutex_lock(&mutex);
  struct held *held = all;
  while (held != NULL && held->database != database) held = held->next;
  pthread_mutex_unlock(&mutex);
  if (held != NULL) forget(held);
}

// VACUUM attaches a database without a name.
static int authorize(
    void *context, int action, const char *first, const char *second, const char *schema, const char *trigger) {
  (void)context, (void)second, (void)schema, (void)trigger;
  if (action == SQLITE_ATTACH && first != NULL && *first != 0) return SQLITE_DENY;
  return SQLITE_OK;
}

void csqlite_defend(sqlite3 *database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
  sqlite3_set_authorizer(database, authorize, NULL);
}

int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, bytes != NULL ? bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes != NULL ? bytes : "", count, SQLITE_TRANSIENT);
}
