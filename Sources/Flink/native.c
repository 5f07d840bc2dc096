/* What Flink's operator calls of the C library, and what waits for its moment.
 *
 * A part is a run of the program and the lines that have come for it and whose moment has not: they happen in the order of
 * (time, input, arrival), when the watermark says that nothing earlier will come. Times are nanoseconds since time 0. A part
 * is used by one thread at a time. */
#include <jni.h>
#include <stdlib.h>
#include <string.h>
#include "frp.h"

typedef struct { int64_t time; uint64_t number; size_t offset; int32_t length; } Line;

/* The lines of a source: those before `first` have happened, those before `sorted` are in order. */
typedef struct {
  int32_t port;
  Line *lines;
  size_t first, sorted, count, room;
  uint8_t *text;
  size_t text_size, text_room;
  uint64_t number;
} Queue;

typedef struct {
  frp_run run;
  Queue *queues; /* in the order of the inputs */
  int32_t queue_count;
  uint8_t *names; /* of the inputs, a line break behind each */
  int32_t names_size;
  jlong counts[3]; /* taken, no value of the input's type, faults */
} Part;

/* What is given back to Java, of this thread. */
static _Thread_local uint8_t *buffer;
static _Thread_local size_t buffer_room;

static int grow(void **at, size_t *room, size_t wanted, size_t size) {
  if (wanted <= *room) return 1;
  size_t next = *room ? *room : 64;
  while (next < wanted) next *= 2;
  void *made = realloc(*at, next * size);
  if (made == NULL) return 0;
  *at = made, *room = next;
  return 1;
}

static void fail(JNIEnv *env, const char *class, const char *text) {
  jclass type = (*env)->FindClass(env, class);
  if (type != NULL) (*env)->ThrowNew(env, type, text);
}

static void no_memory(JNIEnv *env) { fail(env, "java/lang/OutOfMemoryError", "no memory for the lines that wait"); }

/* Throws what the library says of a handle, after what was tried. */
static void refuse(JNIEnv *env, uint64_t handle, const char *what) {
  ptrdiff_t size = 0;
  frp_message(handle, NULL, 0, &size);
  size_t begun = strlen(what);
  char *words = calloc(1, begun + (size_t)size + 3);
  if (words == NULL) return no_memory(env);
  memcpy(words, what, begun);
  if (size > 0) memcpy(words + begun, ": ", 2), frp_message(handle, (uint8_t *)words + begun + 2, size, &size);
  fail(env, "java/lang/IllegalStateException", words);
  free(words);
}

static jbyteArray array(JNIEnv *env, const uint8_t *bytes, size_t size) {
  jbyteArray made = (*env)->NewByteArray(env, (jsize)size);
  if (made != NULL && size > 0) (*env)->SetByteArrayRegion(env, made, 0, (jsize)size, (const jbyte *)bytes);
  return made;
}

static jbyteArray message(JNIEnv *env, uint64_t handle) {
  ptrdiff_t size = 0;
  frp_message(handle, NULL, 0, &size);
  if (!grow((void **)&buffer, &buffer_room, (size_t)size, 1)) return no_memory(env), NULL;
  frp_message(handle, buffer, (ptrdiff_t)buffer_room, &size);
  return array(env, buffer, (size_t)size);
}

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_frp_flink_Native_##name

NATIVE(jlong, compile)(JNIEnv *env, jclass class, jbyteArray name, jbyteArray text) {
  (void)class;
  frp_program program = 0;
  jsize name_size = (*env)->GetArrayLength(env, name), size = (*env)->GetArrayLength(env, text);
  jbyte *name_bytes = (*env)->GetByteArrayElements(env, name, NULL), *bytes = (*env)->GetByteArrayElements(env, text, NULL);
  int32_t status = frp_compile((uint8_t *)name_bytes, name_size, (uint8_t *)bytes, size, &program);
  (*env)->ReleaseByteArrayElements(env, name, name_bytes, JNI_ABORT);
  (*env)->ReleaseByteArrayElements(env, text, bytes, JNI_ABORT);
  if (status == FRP_OK) return (jlong)program;
  refuse(env, program, "the program has errors");
  frp_release(program);
  return 0;
}

NATIVE(void, forget)(JNIEnv *env, jclass class, jlong program) {
  (void)env, (void)class;
  frp_release((uint64_t)program);
}

/* What has been shown is fetched after each call, however much a call lets happen: only the memory of a run bounds it. */
enum { LIMITS = 9 };
static const uint64_t limits[LIMITS] = {0, 0, 0, 0, 0, 0, 0, 0, UINT64_MAX};

/* A part without a run, with a queue for each name. */
static Part *make(JNIEnv *env, jbyteArray inputs) {
  jsize size = (*env)->GetArrayLength(env, inputs);
  Part *part = calloc(1, sizeof *part);
  if (part == NULL) return NULL;
  part->names = malloc((size_t)size + 1), part->queues = calloc((size_t)size + 1, sizeof *part->queues);
  if (part->names == NULL || part->queues == NULL) return free(part->names), free(part->queues), free(part), NULL;
  (*env)->GetByteArrayRegion(env, inputs, 0, size, (jbyte *)part->names);
  part->names_size = size;
  for (jsize i = 0; i < size; i++) part->queue_count += part->names[i] == '\n';
  return part;
}

/* Looks the inputs up, and watches every output. */
static int connect(Part *part) {
  int32_t start = 0, status = FRP_OK;
  for (int32_t i = 0; status == FRP_OK && i < part->queue_count; i++) {
    int32_t end = start;
    while (part->names[end] != '\n') end++;
    status = frp_input(part->run, part->names + start, end - start, &part->queues[i].port);
    start = end + 1;
  }
  for (int32_t port = 0; status == FRP_OK; port++)
    if (frp_watch(part->run, port) != FRP_OK) break; /* there are no more */
  return status == FRP_OK;
}

static void drop(Part *part) {
  if (part->run != 0) frp_release(part->run);
  for (int32_t i = 0; i < part->queue_count; i++) free(part->queues[i].lines), free(part->queues[i].text);
  free(part->queues), free(part->names), free(part);
}

NATIVE(jlong, open)(JNIEnv *env, jclass class, jlong program, jbyteArray inputs, jdouble epoch, jlong seed) {
  (void)class;
  Part *part = make(env, inputs);
  if (part == NULL) return no_memory(env), 0;
  if (frp_open((frp_program)program, limits, LIMITS, (uint64_t)seed, &part->run) != FRP_OK) {
    refuse(env, (uint64_t)program, "the run does not open");
  } else if (frp_set_epoch(part->run, epoch) != FRP_OK || !connect(part)) {
    refuse(env, part->run, "the run does not begin");
  } else {
    if (frp_start(part->run) != FRP_OK) part->counts[2]++;
    return (jlong)(intptr_t)part;
  }
  drop(part);
  return 0;
}

static int keep(Part *part, int64_t time, int32_t source, const uint8_t *text, int32_t length) {
  if (source < 0 || source >= part->queue_count) return 0;
  Queue *queue = &part->queues[source];
  if (!grow((void **)&queue->lines, &queue->room, queue->count + 1, sizeof *queue->lines) ||
      !grow((void **)&queue->text, &queue->text_room, queue->text_size + (size_t)length, 1))
    return 0;
  if (queue->sorted == queue->count && (queue->count == queue->first || queue->lines[queue->count - 1].time <= time))
    queue->sorted++;
  queue->lines[queue->count++] = (Line){time, queue->number++, queue->text_size, length};
  memcpy(queue->text + queue->text_size, text, (size_t)length);
  queue->text_size += (size_t)length;
  return 1;
}

/* Lines in a block: time (8 bytes), length (4), text. Gives whether they fit into the block and memory. */
static int take(Part *part, int32_t source, const uint8_t *block, size_t size) {
  for (size_t at = 0; at < size;) {
    int64_t time;
    int32_t length;
    if (size - at < 12) return 0;
    memcpy(&time, block + at, 8), memcpy(&length, block + at + 8, 4);
    if (length < 0 || (size_t)length > size - at - 12 || !keep(part, time, source, block + at + 12, length)) return 0;
    at += 12 + (size_t)length;
  }
  return 1;
}

NATIVE(void, add)(JNIEnv *env, jclass class, jlong handle, jint source, jbyteArray block) {
  (void)class;
  jsize size = (*env)->GetArrayLength(env, block);
  jbyte *bytes = (*env)->GetPrimitiveArrayCritical(env, block, NULL);
  int fits = bytes != NULL && take((Part *)(intptr_t)handle, source, (uint8_t *)bytes, (size_t)size);
  if (bytes != NULL) (*env)->ReleasePrimitiveArrayCritical(env, block, bytes, JNI_ABORT);
  if (!fits) no_memory(env);
}

static int order(const void *a, const void *b) {
  const Line *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

/* Puts what has come since in its place. Cost: what lies behind the earliest of it, which is what is allowed to be late. */
static void sort(Queue *queue) {
  if (queue->sorted == queue->count) return;
  int64_t least = queue->lines[queue->sorted].time;
  for (size_t i = queue->sorted; i < queue->count; i++)
    if (queue->lines[i].time < least) least = queue->lines[i].time;
  size_t low = queue->first, high = queue->sorted;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (queue->lines[middle].time <= least) low = middle + 1; else high = middle;
  }
  qsort(queue->lines + low, queue->count - low, sizeof *queue->lines, order);
  queue->sorted = queue->count;
}

/* Lets go of the lines that have happened, where they are most: the others move to the front. */
static int compact(Queue *queue) {
  size_t left = queue->count - queue->first, size = 0;
  if (queue->first <= left) return 1;
  for (size_t i = queue->first; i < queue->count; i++) size += (size_t)queue->lines[i].length;
  uint8_t *text = malloc(size + 1);
  if (text == NULL) return 0;
  size = 0;
  for (size_t i = 0; i < left; i++) {
    Line line = queue->lines[queue->first + i];
    memcpy(text + size, queue->text + line.offset, (size_t)line.length);
    line.offset = size, size += (size_t)line.length;
    queue->lines[i] = line;
  }
  free(queue->text);
  queue->text = text, queue->text_size = size, queue->text_room = size + 1;
  queue->first = 0, queue->count = queue->sorted = left;
  return 1;
}

static void advance(Part *part, int64_t time) {
  if (frp_advance_nanoseconds(part->run, time) == FRP_FAULT) part->counts[2]++;
}

/* The source whose line is next, of those up to `time`; at equal times the first. */
static Queue *next(Part *part, int64_t time) {
  Queue *found = NULL;
  for (int32_t i = 0; i < part->queue_count; i++) {
    Queue *queue = &part->queues[i];
    if (queue->first == queue->count || queue->lines[queue->first].time > time) continue;
    if (found == NULL || queue->lines[queue->first].time < found->lines[found->first].time) found = queue;
  }
  return found;
}

/* Lets happen what is due up to `time`: lines at their moments, and what the program waits for. Gives whether there was any;
 * -1 where there is no memory. */
static int release(Part *part, int64_t time) {
  double due;
  int any = frp_next_wake_up(part->run, &due) == FRP_OK && due * 1e9 <= (double)time + 1e3;
  for (int32_t i = 0; i < part->queue_count; i++) sort(&part->queues[i]);
  for (Queue *queue; (queue = next(part, time)) != NULL; any = 1) {
    Line *line = &queue->lines[queue->first++];
    advance(part, line->time);
    int32_t status = frp_send_json(part->run, queue->port, queue->text + line->offset, line->length);
    part->counts[status == FRP_OK ? 0 : status == FRP_FAULT ? 2 : 1]++;
  }
  if (any) advance(part, time);
  for (int32_t i = 0; i < part->queue_count; i++)
    if (!compact(&part->queues[i])) return -1;
  return any;
}

/* What outputs have shown, as lines of JSON. */
static jbyteArray shown(JNIEnv *env, Part *part) {
  ptrdiff_t size = 0;
  int32_t status = frp_poll(part->run, buffer, (ptrdiff_t)buffer_room, &size);
  if (status == FRP_TOO_SMALL) {
    if (!grow((void **)&buffer, &buffer_room, (size_t)size, 1)) return no_memory(env), NULL;
    status = frp_poll(part->run, buffer, (ptrdiff_t)buffer_room, &size);
  }
  return status == FRP_OK && size > 0 ? array(env, buffer, (size_t)size) : NULL;
}

/* Whether anything happened is told by `happened[0]`. */
NATIVE(jbyteArray, release)(JNIEnv *env, jclass class, jlong handle, jlong time, jbooleanArray happened) {
  (void)class;
  Part *part = (Part *)(intptr_t)handle;
  int any = release(part, time);
  if (any < 0) return no_memory(env), NULL;
  jboolean flag = any != 0;
  (*env)->SetBooleanArrayRegion(env, happened, 0, 1, &flag);
  return any ? shown(env, part) : NULL;
}

NATIVE(jbyteArray, finish)(JNIEnv *env, jclass class, jlong handle, jlong time) {
  (void)class;
  Part *part = (Part *)(intptr_t)handle;
  if (release(part, time) < 0) return no_memory(env), NULL;
  advance(part, time);
  if (frp_finish(part->run) == FRP_FAULT) part->counts[2]++;
  return shown(env, part);
}

/* All of a part: the size of the inputs' names and these, the lines that wait, each with its source before it, a source of -1,
 * and the run's snapshot. */
NATIVE(jbyteArray, save)(JNIEnv *env, jclass class, jlong handle) {
  (void)class;
  Part *part = (Part *)(intptr_t)handle;
  size_t size = 8 + (size_t)part->names_size, at = 0;
  for (int32_t source = 0; source < part->queue_count; source++) {
    Queue *queue = &part->queues[source];
    for (size_t i = queue->first; i < queue->count; i++) size += 16 + (size_t)queue->lines[i].length;
  }
  ptrdiff_t more = 1 << 12;
  int32_t status;
  do {
    if (!grow((void **)&buffer, &buffer_room, size + (size_t)more, 1)) return no_memory(env), NULL;
    status = frp_snapshot(part->run, buffer + size, (ptrdiff_t)(buffer_room - size), &more);
  } while (status == FRP_TOO_SMALL);
  if (status != FRP_OK) return refuse(env, part->run, "the state cannot be kept"), NULL;
  memcpy(buffer, &part->names_size, 4), memcpy(buffer + 4, part->names, (size_t)part->names_size);
  at = 4 + (size_t)part->names_size;
  for (int32_t source = 0; source < part->queue_count; source++) {
    Queue *queue = &part->queues[source];
    for (size_t i = queue->first; i < queue->count; i++) {
      Line *line = &queue->lines[i];
      memcpy(buffer + at, &source, 4), memcpy(buffer + at + 4, &line->time, 8);
      memcpy(buffer + at + 12, &line->length, 4), memcpy(buffer + at + 16, queue->text + line->offset, (size_t)line->length);
      at += 16 + (size_t)line->length;
    }
  }
  int32_t none = -1;
  memcpy(buffer + at, &none, 4);
  return array(env, buffer, size + (size_t)more);
}

/* Which source has the name that was the one of `old` of these; -1 where none has. */
static int32_t renamed(Part *part, const uint8_t *names, int32_t size, int32_t old) {
  int32_t start = 0, end, at = 0, source = 0;
  while (old-- > 0) {
    while (start < size && names[start] != '\n') start++;
    start++;
  }
  for (end = start; end < size && names[end] != '\n';) end++;
  for (; source < part->queue_count; source++) {
    int32_t stop = at;
    while (part->names[stop] != '\n') stop++;
    if (stop - at == end - start && memcmp(part->names + at, names + start, (size_t)(end - start)) == 0) return source;
    at = stop + 1;
  }
  return -1;
}

/* The lines that wait in what was saved; gives how many bytes they have, or -1. Those of an input that is no more are dropped. */
static int32_t wait_again(Part *part, const uint8_t *bytes, int32_t size) {
  int32_t names_size, at = 4;
  if (size < 4) return -1;
  memcpy(&names_size, bytes, 4);
  if (names_size < 0 || names_size > size - at) return -1;
  for (at += names_size; size - at >= 4;) {
    int32_t source, length;
    int64_t time;
    memcpy(&source, bytes + at, 4);
    if (source < 0) return at + 4;
    if (size - at < 16) return -1;
    memcpy(&time, bytes + at + 4, 8), memcpy(&length, bytes + at + 12, 4);
    if (length < 0 || length > size - at - 16) return -1;
    source = renamed(part, bytes + 4, names_size, source);
    if (source >= 0 && !keep(part, time, source, bytes + at + 16, length)) return -1;
    at += 16 + length;
  }
  return -1;
}

/* A part of what was saved; `next`, where it is not 0, is the program that takes over. */
NATIVE(jlong, restore)(
  JNIEnv *env, jclass class, jlong program, jlong next, jbyteArray inputs, jlong seed, jbyteArray state) {
  (void)class;
  Part *part = make(env, inputs);
  if (part == NULL) return no_memory(env), 0;
  jsize size = (*env)->GetArrayLength(env, state);
  uint8_t *bytes = (uint8_t *)(*env)->GetByteArrayElements(env, state, NULL);
  int32_t at = bytes != NULL ? wait_again(part, bytes, size) : -1, status = FRP_UNUSABLE_SNAPSHOT;
  if (at >= 0)
    status = frp_open_restored((frp_program)program, limits, LIMITS, (uint64_t)seed, bytes + at, size - at, &part->run);
  if (bytes != NULL) (*env)->ReleaseByteArrayElements(env, state, (jbyte *)bytes, JNI_ABORT);
  if (at < 0) {
    fail(env, "java/lang/IllegalStateException", "the state is damaged, or there is no memory for it");
  } else if (status != FRP_OK) {
    refuse(env, (uint64_t)program, "the state cannot be used");
  } else if (next != 0 && frp_replace(part->run, (frp_program)next) != FRP_OK) {
    refuse(env, part->run, "the changed program cannot take over");
  } else if (!connect(part)) {
    refuse(env, part->run, "the run does not go on");
  } else {
    return (jlong)(intptr_t)part;
  }
  drop(part);
  return 0;
}

/* What the library says of a part: after a program has taken over, what was kept. */
NATIVE(jbyteArray, message)(JNIEnv *env, jclass class, jlong handle) {
  (void)class;
  return message(env, ((Part *)(intptr_t)handle)->run);
}

/* Lines that were taken, lines that were none of the input's type, faults. */
NATIVE(jlongArray, counts)(JNIEnv *env, jclass class, jlong handle) {
  (void)class;
  jlongArray made = (*env)->NewLongArray(env, 3);
  if (made != NULL) (*env)->SetLongArrayRegion(env, made, 0, 3, ((Part *)(intptr_t)handle)->counts);
  return made;
}

NATIVE(void, close)(JNIEnv *env, jclass class, jlong handle) {
  (void)env, (void)class;
  drop((Part *)(intptr_t)handle);
}
