// libedit behind a few plain functions: text, the screen after a resize, waiting for keys, and the editor itself.

#define _GNU_SOURCE
#include "Editor.h"
#include "Pane.h"
#include "Signals.h"

#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

EditLine *cei_editor;
HistoryW *cei_entries;
ce_hooks cei_hooks;
int cei_was_interrupted;
int cei_is_adjusting;
/// ^X ^E was pressed: the entry goes to `$EDITOR`.
int cei_is_for_editor;
int cei_is_vi;
int cei_has_typed;
int cei_earlier;
double cei_suspended_seconds;
wchar_t cei_prompt_text[256];
static char *last_text;
wchar_t *cei_prefill;
/// The terminal as it was when the editor was opened.
struct termios cei_outer_terminal;

// MARK: Text

char *cei_to_utf8(const wchar_t *text, size_t count) {
  char *result = malloc(count * MB_CUR_MAX + 1);
  size_t length = 0;
  mbstate_t state = {0};
  for (size_t i = 0; i < count; i++) {
    size_t n = wcrtomb(result + length, cei_original(text[i]), &state);
    if (n == (size_t)-1) {
      result[length++] = '?';
      memset(&state, 0, sizeof state);
    } else {
      length += n;
    }
  }
  result[length] = 0;
  return result;
}

wchar_t *cei_to_wide(const char *text) {
  size_t bytes = strlen(text);
  wchar_t *result = malloc((bytes + 1) * sizeof(wchar_t));
  size_t count = 0;
  mbstate_t state = {0};
  while (bytes > 0) {
    size_t n = mbrtowc(&result[count], text, bytes, &state);
    if (n == 0 || n == (size_t)-1 || n == (size_t)-2) {
      result[count] = L'?';
      n = 1;
      memset(&state, 0, sizeof state);
    }
    result[count] = cei_stand_in(result[count]);
    count++;
    text += n;
    bytes -= n;
  }
  result[count] = 0;
  return result;
}

char *cei_line_text(int *cursor) {
  const LineInfoW *info = el_wline(cei_editor);
  if (cursor) *cursor = (int)(info->cursor - info->buffer);
  return cei_to_utf8(info->buffer, (size_t)(info->lastchar - info->buffer));
}

static wchar_t *prompt_hook(EditLine *unused) {
  (void)unused;
  return cei_prompt_text;
}

// MARK: Places on the screen

/// Puts the cursor at the first row of what is being typed, at the left margin.
static void go_to_top(void) {
  const LineInfoW *info = el_wline(cei_editor);
  int row, column;
  cei_place(info->cursor, cei_columns(), &row, &column);
  if (row > 0) printf("\033[%dA", row);
  printf("\r");
}

/// After a resize terminals differ in what they show: some break lines anew, some bring back rows that had scrolled
/// away. Unless nothing but one row can be concerned, everything below the pane is drawn again.
static void redraw(void) {
  const LineInfoW *info = el_wline(cei_editor);
  int row, column, width = cei_columns();
  cei_place(info->lastchar, width, &row, &column);
  int first = cei_pane_rows() + 1, last = cei_rows();
  printf("\033[?25l");
  for (int i = first; i <= last; i++) printf("\033[%d;1H\033[2K", i);
  printf("\033[%d;1H", first);
  char *above = cei_hooks.redraw(cei_hooks.context, width, last - first - row);
  if (above) {
    for (const char *c = above; *c; c++) {
      if (*c == '\n') putchar('\r');
      putchar(*c);
    }
  }
  free(above);
  fputs("\033[?25h", stdout);
  fflush(stdout);
  el_wset(cei_editor, EL_REFRESH);
}

/// Draws again what is being typed, and all below the pane if that can be concerned.
static void draw_again(int columns) {
  cei_forget_paint();
  const LineInfoW *info = el_wline(cei_editor);
  int rows, column;
  cei_place(info->lastchar, columns, &rows, &column);
  if (cei_pane_is_taken() || rows > 0) {
    redraw();
    return;
  }
  fputs("\r\033[J", stdout);
  fflush(stdout);
  el_wset(cei_editor, EL_REFRESH);
}

/// Follows the screen where its size has changed.
static void follow_size(void) {
  static int columns, rows;
  int old_columns = columns, old_rows = rows;
  columns = cei_columns();
  rows = cei_rows();
  if (old_columns == 0 || (columns == old_columns && rows == old_rows)) return;
  cei_pane_check_size();
  el_resize(cei_editor);
  draw_again(columns < old_columns ? columns : old_columns);
}

// MARK: Keys

/// Lets the program go on. While it does, ^C is a signal again, with its meaning outside of the editor: a program that
/// takes too long can be stopped although no key is read.
static int go_on(void) {
  struct termios editing, running;
  int is_terminal = tcgetattr(0, &editing) == 0;
  if (is_terminal) {
    running = editing;
    running.c_lflag |= ISIG | NOFLSH;
    running.c_cc[VINTR] = 3;
    running.c_cc[VQUIT] = _POSIX_VDISABLE;
    running.c_cc[VSUSP] = _POSIX_VDISABLE;
    tcsetattr(0, TCSANOW, &running);
  }
  int wait = cei_hooks.idle(cei_hooks.context);
  if (is_terminal) tcsetattr(0, TCSANOW, &editing);
  return wait;
}

/// Some of libedit's commands leave the cursor outside of the entry, where the next one would change what is not the
/// entry's.
static void keep_cursor_inside(void) {
  const LineInfoW *info = el_wline(cei_editor);
  if (info->cursor > info->lastchar) el_cursor(cei_editor, 1);
  if (info->cursor < info->buffer) el_cursor(cei_editor, -1);
}

/// Nothing was typed: does what is due, and waits. Whether a key is CE_INTERRUPT_KEY.
static int wait_for_key(struct pollfd *inputs) {
  if (cei_signals_answer()) draw_again(cei_columns());
  follow_size();
  cei_paint();
  int wait = go_on();
  // What was shown above has drawn the entry again, without its colours.
  cei_paint();
  fflush(stdout);
  if (wait != CE_INTERRUPT_KEY) poll(inputs, 2, wait);
  return wait == CE_INTERRUPT_KEY;
}

/// What is on the screen beside the entry goes before a key changes the entry, and what the entry was is kept.
static void begin_key(void) {
  cei_unpaint();
  cei_note_state();
}

/// Whether an escape begins no sequence: nothing follows it at once.
static int is_alone(void) {
  enum { PATIENCE = 60 };
  struct pollfd input = {0, POLLIN, 0};
  return poll(&input, 1, PATIENCE) == 0;
}

/// Waits for a key; meanwhile the program goes on. What is no UTF-8 is a question mark.
int cei_next_key(EditLine *unused, wchar_t *key) {
  (void)unused;
  enum { PART_PATIENCE = 100 };
  /// A byte that ended a character before its time is the beginning of the next.
  static char kept;
  static int has_kept;
  mbstate_t state = {0};
  keep_cursor_inside();
  for (;;) {
    char byte = kept;
    if (!has_kept) {
      struct pollfd inputs[] = {{0, POLLIN, 0}, {cei_signals_descriptor(), POLLIN, 0}};
      int is_part = !mbsinit(&state);
      fflush(stdout);
      int found = poll(inputs, 1, is_part ? PART_PATIENCE : 0);
      if (found < 0 && errno == EINTR) continue;
      if (found == 0 && is_part) {
        *key = L'?';
        begin_key();
        return 1;
      }
      if (found == 0) {
        if (!wait_for_key(inputs)) continue;
        *key = 3;
        begin_key();
        return 1;
      }
      ssize_t n = read(0, &byte, 1);
      if (n == 0) return 0;
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (n < 0) return -1;
    }
    has_kept = 0;
    int is_first = mbsinit(&state);
    size_t done = mbrtowc(key, &byte, 1, &state);
    if (done == (size_t)-2) continue;
    if (done == (size_t)-1) {
      *key = L'?';
      has_kept = !is_first;
      kept = byte;
    }
    if (*key >= 0x80 && *key < 0xA0) *key = L'?';
    *key = cei_stand_in(*key);
    if (*key == 27 && cei_is_adjusting && is_alone()) *key = KEY_ADJUST_BACK[0];
    cei_has_typed = 1;
    begin_key();
    return 1;
  }
}

// MARK: The editor

int ce_open(const char *program, ce_hooks given, int colours) {
  if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1) setlocale(LC_CTYPE, "C.UTF-8");
  cei_hooks = given;
  cei_has_colours = colours;
  tcgetattr(0, &cei_outer_terminal);
  FILE *output = cei_open_output();
  if (!output) return 0;
  cei_editor = el_init_fd(program, stdin, output, stderr, 0, 1, 2);
  if (!cei_editor) return 0;
  cei_entries = history_winit();
  HistEventW event;
  history_w(cei_entries, &event, H_SETSIZE, 10000);
  history_w(cei_entries, &event, H_SETUNIQUE, 1);
  el_wset(cei_editor, EL_PROMPT_ESC, prompt_hook, (wchar_t)1);
  el_wset(cei_editor, EL_HIST, history_w, cei_entries);
  el_wset(cei_editor, EL_GETCFN, cei_next_key);
  el_wset(cei_editor, EL_SETTY, L"-d", L"-isig", NULL);
  // What is typed before the next prompt waits for it: it is neither shown in the middle of an answer, nor are its keys
  // taken by the terminal's own editing of lines.
  el_wset(cei_editor, EL_SETTY, L"-x", L"-echo", L"-icanon", NULL);
  cei_bind_keys();
  cei_signals_watch();
  fputs("\033[?2004h", stdout);
  fflush(stdout);
  return 1;
}

void ce_close(void) {
  if (!cei_editor) return;
  ce_pane_resize(0);
  fputs("\033[?2004l", stdout);
  fflush(stdout);
  el_end(cei_editor);
  history_wend(cei_entries);
  cei_editor = NULL;
  cei_entries = NULL;
  free(last_text);
  last_text = NULL;
}

ce_outcome ce_read(const char *prompt, const char **text) {
  wchar_t *wide = cei_to_wide(prompt);
  wcsncpy(cei_prompt_text, wide, sizeof cei_prompt_text / sizeof *cei_prompt_text - 1);
  free(wide);
  cei_was_interrupted = 0;
  cei_is_for_editor = 0;
  cei_earlier = 0;
  cei_is_adjusting = 0;
  cei_forget_states();
  cei_forget_paint();
  // The text of an entry is put in by a command, so that vi's `.` and `u` know where it begins.
  if (cei_is_vi) el_wpush(cei_editor, KEY_COMMAND KEY_INSERT);
  if (cei_prefill) el_wpush(cei_editor, KEY_PREFILL);
  int count = 0;
  cei_signals_begin();
  const wchar_t *line = el_wgets(cei_editor, &count);
  fflush(stdout);
  cei_signals_end();
  free(last_text);
  last_text = NULL;
  if (cei_was_interrupted) return CE_INTERRUPTED;
  if (!line || count <= 0) return cei_is_for_editor ? CE_EDIT : CE_END;
  while (count > 0 && line[count - 1] == L'\n') count--;
  last_text = cei_to_utf8(line, (size_t)count);
  *text = last_text;
  return cei_is_for_editor ? CE_EDIT : CE_ENTRY;
}

void ce_remember(const char *text) {
  if (!cei_entries) return;
  wchar_t *wide = cei_to_wide(text);
  HistEventW event;
  history_w(cei_entries, &event, H_ENTER, wide);
  free(wide);
}

void ce_print_above(const char *text) {
  if (!cei_editor) return;
  go_to_top();
  fputs("\033[J", stdout);
  for (const char *c = text; *c; c++) {
    if (*c == '\n') putchar('\r');
    putchar(*c);
  }
  cei_forget_paint();
  el_wset(cei_editor, EL_REFRESH);
}

void ce_replace_row_above(const char *text) {
  if (!cei_editor) return;
  go_to_top();
  printf("\033[1A\033[2K%s\r\n\033[J", text);
  cei_forget_paint();
  el_wset(cei_editor, EL_REFRESH);
}

void ce_prefill(const char *text) {
  free(cei_prefill);
  cei_prefill = cei_to_wide(text);
}

double ce_take_suspended(void) {
  double seconds = cei_suspended_seconds;
  cei_suspended_seconds = 0;
  return seconds;
}

void ce_clear(void) {
  printf("\033[%d;1H\033[J", cei_pane_rows() + 1);
  fflush(stdout);
}

int ce_width(unsigned int scalar) {
  int width = wcwidth((wchar_t)scalar);
  return width < 0 ? 1 : width;
}
