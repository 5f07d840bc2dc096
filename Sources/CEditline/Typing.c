// What typing can be taken back to, and earlier entries that begin as the present one does.

#define _GNU_SOURCE
#include "Editor.h"

#include <stdlib.h>
#include <string.h>
#include <wctype.h>

void cei_replace(const wchar_t *text, int cursor) {
  const LineInfoW *info = el_wline(cei_editor);
  if (*text) {
    el_wreplacestr(cei_editor, text);
  } else {
    el_cursor(cei_editor, (int)(info->lastchar - info->cursor));
    el_deletestr(cei_editor, (int)(info->lastchar - info->buffer));
  }
  info = el_wline(cei_editor);
  el_cursor(cei_editor, cursor - (int)(info->cursor - info->buffer));
}

static wchar_t *copy(const wchar_t *text, size_t length) {
  wchar_t *result = malloc((length + 1) * sizeof(wchar_t));
  wmemcpy(result, text, length);
  result[length] = 0;
  return result;
}

// MARK: Undo

enum { MOST = 200, MOST_CHARACTERS = 1 << 22 };

static struct {
  wchar_t *text;
  size_t length;
  int cursor;
} states[MOST];
static int count;
static size_t characters;
/// Whether the last state was reached by typing a letter: all of a word is one state.
static int is_word;

static void drop(int index) {
  characters -= states[index].length;
  free(states[index].text);
  count--;
  memmove(states + index, states + index + 1, (size_t)(count - index) * sizeof *states);
}

void cei_forget_states(void) {
  while (count > 0) drop(count - 1);
  is_word = 0;
  cei_forget_search();
}

/// Whether a letter was typed behind the last state.
static int is_letter_more(const wchar_t *text, size_t length, int cursor) {
  size_t before = states[count - 1].length;
  int place = states[count - 1].cursor;
  if (length != before + 1 || cursor != place + 1 || !iswalnum((wint_t)text[place])) return 0;
  return wmemcmp(text, states[count - 1].text, (size_t)place) == 0 &&
         wmemcmp(text + cursor, states[count - 1].text + place, before - (size_t)place) == 0;
}

/// While ^R searches, libedit keeps what is looked for behind the entry, in a line of its own.
static int is_searching(const LineInfoW *info) {
  const wchar_t *line = info->lastchar;
  while (line > info->buffer && line[-1] != L'\n') line--;
  if (line == info->buffer || info->lastchar - line < 4 || (line[3] != L':' && line[3] != L'?')) return 0;
  return wmemcmp(line, L"bck", 3) == 0 || wmemcmp(line, L"fwd", 3) == 0;
}

void cei_note_state(void) {
  const LineInfoW *info = el_wline(cei_editor);
  if (is_searching(info)) return;
  size_t length = (size_t)(info->lastchar - info->buffer);
  int cursor = (int)(info->cursor - info->buffer);
  if (count > 0 && states[count - 1].length == length &&
      wmemcmp(states[count - 1].text, info->buffer, length) == 0) {
    states[count - 1].cursor = cursor;
    return;
  }
  int is_more = count > 0 && is_letter_more(info->buffer, length, cursor);
  if (is_more && is_word) drop(count - 1);
  is_word = is_more;
  while (count == MOST || (count > 0 && characters + length > MOST_CHARACTERS)) drop(0);
  states[count].text = copy(info->buffer, length);
  states[count].length = length;
  states[count].cursor = cursor;
  characters += length;
  count++;
}

int cei_undo(void) {
  // The last state is the present one.
  if (count < 2) return 0;
  drop(count - 1);
  is_word = 0;
  cei_replace(states[count - 1].text, states[count - 1].cursor);
  return 1;
}

// MARK: Earlier entries

/// What was typed when the search began, and what is shown in its place; how many entries back that is.
static wchar_t *sought, *shown;
static int depth;

void cei_forget_search(void) {
  free(sought);
  free(shown);
  sought = shown = NULL;
}

/// The nearest entry before or behind the one shown that begins with what is sought; NULL if there is none.
static wchar_t *find(int is_later) {
  HistEventW event;
  wchar_t *found = NULL;
  int place = 0, found_at = 0;
  for (int more = history_w(cei_entries, &event, H_FIRST); more >= 0;
       more = history_w(cei_entries, &event, H_NEXT), place++) {
    if (is_later ? place >= depth : found || place <= depth) {
      if (is_later || found) break;
      continue;
    }
    if (wcsncmp(event.str, sought, wcslen(sought)) != 0 || wcscmp(event.str, shown) == 0) continue;
    free(found);
    found = copy(event.str, wcslen(event.str));
    found_at = place;
  }
  if (found) depth = found_at;
  return found;
}

int cei_search(int is_later) {
  const LineInfoW *info = el_wline(cei_editor);
  size_t length = (size_t)(info->lastchar - info->buffer);
  int goes_on = shown && wcslen(shown) == length && wmemcmp(shown, info->buffer, length) == 0;
  if (!goes_on) {
    cei_forget_search();
    if (is_later || length == 0 || cei_earlier > 0) return 0;
    sought = copy(info->buffer, length);
    shown = copy(info->buffer, length);
    depth = -1;
  }
  wchar_t *found = find(is_later);
  if (!found && !is_later) {
    if (!goes_on) cei_forget_search();
    return goes_on;
  }
  free(shown);
  shown = found ? found : copy(sought, wcslen(sought));
  if (!found) depth = -1;
  cei_replace(shown, (int)wcslen(shown));
  return 1;
}
