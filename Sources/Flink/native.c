/* What Flink's operator calls of the C library, and what waits for its moment.
 *
 * A part is a run of the program and the lines that have come for it and whose moment has not: they happen in the order of
 * (time, source, arrival), when the watermark says that nothing earlier will come. Times are nanoseconds since time 0. A part
 * is used by one thread at a time. */
#include <jni.h>
#include <stdlib.h>
#include <string.h>
#include "frp.h"

typedef struct { int64_t time; uint64_t number; size_t offset; int32_t source, length; } Line;

typedef struct {
  frp_run run;
  int32_t *ports, port_count;
  Line *lines;
  size_t count, room;
  uint8_t *text;
  size_t text_size, text_room;
  uint64_t number;
  int is_sorted;
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

/* Looks the inputs up, by their names with a line break behind each, and watches every output. */
static int connect(JNIEnv *env, Part *part, jbyteArray inputs) {
  jsize size = (*env)->GetArrayLength(env, inputs);
  jbyte *names = (*env)->GetByteArrayElements(env, inputs, NULL);
  int32_t status = FRP_OK, port;
  part->ports = calloc((size_t)size + 1, sizeof *part->ports);
  part->port_count = 0;
  for (jsize start = 0, end; status == FRP_OK && part->ports != NULL && start < size; start = end + 1) {
    for (end = start; end < size && names[end] != '\n';) end++;
    status = frp_input(part->run, (uint8_t *)names + start, end - start, &part->ports[part->port_count++]);
  }
  (*env)->ReleaseByteArrayElements(env, inputs, names, JNI_ABORT);
  for (port = 0; status == FRP_OK; port++)
    if (frp_watch(part->run, port) != FRP_OK) break; /* there are no more */
  return status == FRP_OK && part->ports != NULL;
}

static void drop(Part *part) {
  if (part->run != 0) frp_release(part->run);
  free(part->ports), free(part->lines), free(part->text), free(part);
}

NATIVE(jlong, open)(JNIEnv *env, jclass class, jlong program, jbyteArray inputs, jdouble epoch, jlong seed) {
  (void)class;
  Part *part = calloc(1, sizeof *part);
  if (part == NULL) return no_memory(env), 0;
  part->is_sorted = 1;
  if (frp_open((frp_program)program, NULL, 0, (uint64_t)seed, &part->run) != FRP_OK) {
    refuse(env, (uint64_t)program, "the run does not open");
  } else if (frp_set_epoch(part->run, epoch) != FRP_OK || !connect(env, part, inputs)) {
    refuse(env, part->run, "the run does not begin");
  } else {
    if (frp_start(part->run) != FRP_OK) part->counts[2]++;
    return (jlong)(intptr_t)part;
  }
  drop(part);
  return 0;
}

static int keep(Part *part, int64_t time, int32_t source, const uint8_t *text, int32_t length) {
  if (!grow((void **)&part->lines, &part->room, part->count + 1, sizeof *part->lines) ||
      !grow((void **)&part->text, &part->text_room, part->text_size + (size_t)length, 1))
    return 0;
  if (part->count > 0) {
    Line *last = &part->lines[part->count - 1];
    if (time < last->time || (time == last->time && source < last->source)) part->is_sorted = 0;
  }
  part->lines[part->count++] = (Line){time, part->number++, part->text_size, source, length};
  memcpy(part->text + part->text_size, text, (size_t)length);
  part->text_size += (size_t)length;
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
  if (x->source != y->source) return x->source < y->source ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

static void advance(Part *part, int64_t time) {
  if (frp_advance_nanoseconds(part->run, time) == FRP_FAULT) part->counts[2]++;
}

/* Lets happen what is due up to `time`: lines at their moments, and what the program waits for. Gives whether there was any. */
static int release(Part *part, int64_t time) {
  if (!part->is_sorted) qsort(part->lines, part->count, sizeof *part->lines, order), part->is_sorted = 1;
  size_t done = 0;
  double due;
  int is_due = frp_next_wake_up(part->run, &due) == FRP_OK && due * 1e9 <= (double)time + 1e3;
  for (; done < part->count && part->lines[done].time <= time; done++) {
    Line *line = &part->lines[done];
    advance(part, line->time);
    int32_t status = frp_send_json(part->run, part->ports[line->source], part->text + line->offset, line->length);
    part->counts[status == FRP_OK ? 0 : status == FRP_FAULT ? 2 : 1]++;
  }
  if (is_due || done > 0) advance(part, time);
  if (done == 0) return is_due;
  /* What still waits moves to the front. */
  uint8_t *old = part->text;
  Line *lines = part->lines;
  size_t left = part->count - done, size = 0;
  if (left == 0) {
    part->text_size = 0;
  } else {
    for (size_t i = done; i < part->count; i++) size += (size_t)lines[i].length;
    uint8_t *text = malloc(size ? size : 1);
    if (text == NULL) return -1;
    size = 0;
    for (size_t i = done; i < part->count; i++) {
      memcpy(text + size, old + lines[i].offset, (size_t)lines[i].length);
      lines[i].offset = size, size += (size_t)lines[i].length;
    }
    memmove(lines, lines + done, left * sizeof *lines);
    free(old);
    part->text = text, part->text_size = size, part->text_room = size ? size : 1;
  }
  part->count = left;
  return 1;
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

/* All of a part: the lines that wait, each with its source before it, a source of -1, and the run's snapshot. */
NATIVE(jbyteArray, save)(JNIEnv *env, jclass class, jlong handle) {
  (void)class;
  Part *part = (Part *)(intptr_t)handle;
  size_t size = 4, at = 0;
  for (size_t i = 0; i < part->count; i++) size += 16 + (size_t)part->lines[i].length;
  ptrdiff_t more = 1 << 12;
  int32_t status;
  do {
    if (!grow((void **)&buffer, &buffer_room, size + (size_t)more, 1)) return no_memory(env), NULL;
    status = frp_snapshot(part->run, buffer + size, (ptrdiff_t)(buffer_room - size), &more);
  } while (status == FRP_TOO_SMALL);
  if (status != FRP_OK) return refuse(env, part->run, "the state cannot be kept"), NULL;
  for (size_t i = 0; i < part->count; i++) {
    Line *line = &part->lines[i];
    memcpy(buffer + at, &line->source, 4), memcpy(buffer + at + 4, &line->time, 8);
    memcpy(buffer + at + 12, &line->length, 4), memcpy(buffer + at + 16, part->text + line->offset, (size_t)line->length);
    at += 16 + (size_t)line->length;
  }
  int32_t none = -1;
  memcpy(buffer + at, &none, 4);
  return array(env, buffer, size + (size_t)more);
}

/* A part of what was saved; `next`, where it is not 0, is the program that takes over. */
NATIVE(jlong, restore)(
  JNIEnv *env, jclass class, jlong program, jlong next, jbyteArray inputs, jlong seed, jbyteArray state) {
  (void)class;
  Part *part = calloc(1, sizeof *part);
  if (part == NULL) return no_memory(env), 0;
  part->is_sorted = 1;
  jsize size = (*env)->GetArrayLength(env, state), at = 0;
  uint8_t *bytes = (uint8_t *)(*env)->GetByteArrayElements(env, state, NULL);
  int fits = bytes != NULL;
  while (fits) {
    int32_t source, length;
    int64_t time;
    if (!(fits = size - at >= 4)) break;
    memcpy(&source, bytes + at, 4);
    if (source < 0) break;
    if (!(fits = size - at >= 16)) break;
    memcpy(&time, bytes + at + 4, 8), memcpy(&length, bytes + at + 12, 4);
    fits = length >= 0 && length <= size - at - 16 && keep(part, time, source, bytes + at + 16, length);
    if (fits) at += 16 + length;
  }
  int32_t status = FRP_UNUSABLE_SNAPSHOT;
  if (fits)
    status = frp_open_restored((frp_program)program, NULL, 0, (uint64_t)seed, bytes + at + 4, size - at - 4, &part->run);
  if (bytes != NULL) (*env)->ReleaseByteArrayElements(env, state, (jbyte *)bytes, JNI_ABORT);
  if (status != FRP_OK) {
    refuse(env, (uint64_t)program, "the state cannot be used");
  } else if (next != 0 && frp_replace(part->run, (frp_program)next) != FRP_OK) {
    refuse(env, part->run, "the changed program cannot take over");
  } else if (!connect(env, part, inputs)) {
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
