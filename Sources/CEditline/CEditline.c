// libedit behind a few plain functions: text, places on the screen, colours, waiting for keys, and the editor itself.

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
#include <sys/ioctl.h>
#include <unistd.h>

EditLine *cei_editor;
static HistoryW *entries;
ce_hooks cei_hooks;
static int has_colours;
int cei_was_interrupted;
/// ^X ^E was pressed: the entry goes to `$EDITOR`.
int cei_is_for_editor;
int cei_is_vi;
double cei_suspended_seconds;
static wchar_t prompt_text[256];
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
    size_t n = wcrtomb(result + length, text[i], &state);
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
  return prompt_text;
}

// MARK: Places on the screen

int cei_columns(void) {
  struct winsize size;
  if (ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

int cei_rows(void) {
  struct winsize size;
  if (ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) return size.ws_row;
  return 24;
}

/// The visible width of the prompt: what stands between markers \1 takes no room.
int cei_prompt_width(void) {
  int width = 0, hidden = 0;
  for (const wchar_t *c = prompt_text; *c; c++) {
    if (*c == 1) {
      hidden = !hidden;
    } else if (!hidden) {
      int w = wcwidth(*c);
      width += w > 0 ? w : 0;
    }
  }
  return width;
}

/// Moves (row, column) over `text`, as the terminal would.
void cei_advance(const wchar_t *text, const wchar_t *end, int width, int *row, int *column) {
  for (; text < end; text++) {
    if (*text == L'\n') {
      (*row)++;
      *column = 0;
      continue;
    }
    int w = wcwidth(*text);
    if (w < 0) w = 1;
    if (*column + w > width) {
      (*row)++;
      *column = 0;
    }
    *column += w;
    if (*column == width) {
      (*row)++;
      *column = 0;
    }
  }
}

/// Puts the cursor at the first row of what is being typed, at the left margin.
static void go_to_top(void) {
  const LineInfoW *info = el_wline(cei_editor);
  int row = 0, column = cei_prompt_width(), width = cei_columns();
  cei_advance(info->buffer, info->cursor, width, &row, &column);
  if (row > 0) printf("\033[%dA", row);
  printf("\r");
}

/// Whether what is being typed has only characters that the terminal shows as they are, and fits on the screen.
static int is_paintable(void) {
  const LineInfoW *info = el_wline(cei_editor);
  if (info->lastchar == info->buffer) return 0;
  for (const wchar_t *c = info->buffer; c < info->lastchar; c++) {
    if (*c != L'\n' && wcwidth(*c) < 0) return 0;
  }
  int row = 0, column = cei_prompt_width();
  cei_advance(info->buffer, info->lastchar, cei_columns(), &row, &column);
  return row < cei_rows() - cei_pane_rows() - 1;
}

/// Writes a text with colours over the same text without them, row by row as it was broken; the row it ends in.
static int write_over(const char *text, int column, int width) {
  int row = 0;
  mbstate_t state = {0};
  for (size_t left = strlen(text); left > 0;) {
    wchar_t c;
    size_t n = mbrtowc(&c, text, left, &state);
    if (n == 0 || n > left) return row;
    if (c == 27) {
      n = strcspn(text, "m") + 1;
    } else if (c == L'\n') {
      row++;
      column = 0;
      fputs("\r\n", stdout);
    } else {
      int w = wcwidth(c);
      if (column + w > width) {
        row++;
        column = 0;
        fputs("\r\n", stdout);
      }
      column += w;
    }
    if (c != L'\n') fwrite(text, 1, n, stdout);
    if (c != 27 && column == width) {
      row++;
      column = 0;
      fputs("\r\n", stdout);
    }
    text += n;
    left -= n;
  }
  return row;
}

/// Draws what is being typed once more, in colours, over itself.
static void paint(void) {
  if (!has_colours || !is_paintable()) return;
  char *text = cei_line_text(NULL);
  char *coloured = cei_hooks.paint(cei_hooks.context, text);
  free(text);
  if (!coloured) return;
  const LineInfoW *info = el_wline(cei_editor);
  int row = 0, column = cei_prompt_width(), width = cei_columns();
  cei_advance(info->buffer, info->cursor, width, &row, &column);
  fputs("\033[?25l", stdout);
  if (row > 0) printf("\033[%dA", row);
  fputs("\r", stdout);
  if (cei_prompt_width() > 0) printf("\033[%dC", cei_prompt_width());
  int last = write_over(coloured, cei_prompt_width(), width);
  fputs("\033[0m\r", stdout);
  if (last > row) printf("\033[%dA", last - row);
  if (last < row) printf("\033[%dB", row - last);
  if (column > 0) printf("\033[%dC", column);
  fputs("\033[?25h", stdout);
  fflush(stdout);
  free(coloured);
}

/// After a resize terminals differ in what they show: some break lines anew, some bring back rows that had scrolled
/// away. Unless nothing but one row can be concerned, everything below the pane is drawn again.
static void redraw(void) {
  const LineInfoW *info = el_wline(cei_editor);
  int row = 0, column = cei_prompt_width(), width = cei_columns();
  cei_advance(info->buffer, info->lastchar, width, &row, &column);
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
  const LineInfoW *info = el_wline(cei_editor);
  int rows = 0, column = cei_prompt_width();
  cei_advance(info->buffer, info->lastchar, columns, &rows, &column);
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

/// Waits for a key; meanwhile the program goes on.
int cei_next_key(EditLine *unused, wchar_t *key) {
  (void)unused;
  mbstate_t state = {0};
  int is_painted = 0;
  for (;;) {
    struct pollfd inputs[] = {{0, POLLIN, 0}, {cei_signals_descriptor(), POLLIN, 0}};
    if (poll(inputs, 1, 0) == 0 && mbsinit(&state)) {
      if (cei_signals_answer()) draw_again(cei_columns());
      follow_size();
      if (!is_painted) paint();
      is_painted = 1;
      int wait = go_on();
      if (wait == CE_INTERRUPT_KEY) {
        *key = 3;
        return 1;
      }
      if (poll(inputs, 2, wait) <= 0 || inputs[0].revents == 0) continue;
    }
    char byte;
    ssize_t n = read(0, &byte, 1);
    if (n == 0) return 0;
    if (n < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      return -1;
    }
    size_t done = mbrtowc(key, &byte, 1, &state);
    if (done == (size_t)-2) continue;
    if (done == (size_t)-1) {
      memset(&state, 0, sizeof state);
      *key = L'?';
    }
    if (done == 0) *key = 0;
    if (*key >= 0x80 && *key < 0xA0) *key = L'?';
    return 1;
  }
}

// MARK: The editor

int ce_open(const char *program, ce_hooks given, int colours) {
  if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1) setlocale(LC_CTYPE, "C.UTF-8");
  cei_hooks = given;
  has_colours = colours;
  tcgetattr(0, &cei_outer_terminal);
  cei_editor = el_init(program, stdin, stdout, stderr);
  if (!cei_editor) return 0;
  entries = history_winit();
  HistEventW event;
  history_w(entries, &event, H_SETSIZE, 10000);
  history_w(entries, &event, H_SETUNIQUE, 1);
  el_wset(cei_editor, EL_PROMPT_ESC, prompt_hook, (wchar_t)1);
  el_wset(cei_editor, EL_HIST, history_w, entries);
  el_wset(cei_editor, EL_GETCFN, cei_next_key);
  el_wset(cei_editor, EL_SETTY, L"-d", L"-isig", NULL);
  cei_bind_keys();
  cei_signals_watch_ends();
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
  history_wend(entries);
  cei_editor = NULL;
  entries = NULL;
  free(last_text);
  last_text = NULL;
}

ce_outcome ce_read(const char *prompt, const char **text) {
  wchar_t *wide = cei_to_wide(prompt);
  wcsncpy(prompt_text, wide, sizeof prompt_text / sizeof *prompt_text - 1);
  free(wide);
  cei_was_interrupted = 0;
  cei_is_for_editor = 0;
  if (cei_prefill) el_wpush(cei_editor, KEY_PREFILL);
  int count = 0;
  cei_signals_begin();
  const wchar_t *line = el_wgets(cei_editor, &count);
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
  if (!entries) return;
  wchar_t *wide = cei_to_wide(text);
  HistEventW event;
  history_w(entries, &event, H_ENTER, wide);
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
  fflush(stdout);
  el_wset(cei_editor, EL_REFRESH);
}

void ce_replace_row_above(const char *text) {
  if (!cei_editor) return;
  go_to_top();
  printf("\033[1A\033[2K%s\r\n\033[J", text);
  fflush(stdout);
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
