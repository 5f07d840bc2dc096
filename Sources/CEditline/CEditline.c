#define _GNU_SOURCE
#include "CEditline.h"

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

static EditLine *editor;
static HistoryW *entries;
static ce_hooks hooks;
static int has_colours;
static int was_interrupted;
static wchar_t prompt_text[256];
static char *last_text;
static wchar_t *prefill;
/// What ^C did before the editor took it over.
static struct sigaction outer_interrupt;

// Private keys that stand for libedit's own commands, so that a function of ours can end in one of them.
#define KEY_SUBMIT L"\033[99~"
#define KEY_UP L"\033[98~"
#define KEY_DOWN L"\033[97~"

// MARK: Text

static char *to_utf8(const wchar_t *text, size_t count) {
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

static wchar_t *to_wide(const char *text) {
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

static char *line_text(int *cursor) {
  const LineInfoW *info = el_wline(editor);
  if (cursor) *cursor = (int)(info->cursor - info->buffer);
  return to_utf8(info->buffer, (size_t)(info->lastchar - info->buffer));
}

static wchar_t *prompt_hook(EditLine *unused) {
  (void)unused;
  return prompt_text;
}

// MARK: Places on the screen

static int columns(void) {
  struct winsize size;
  if (ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

/// The visible width of the prompt: what stands between markers \1 takes no room.
static int prompt_width(void) {
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
static void advance(const wchar_t *text, const wchar_t *end, int width, int *row, int *column) {
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
  const LineInfoW *info = el_wline(editor);
  int row = 0, column = prompt_width(), width = columns();
  advance(info->buffer, info->cursor, width, &row, &column);
  if (row > 0) printf("\033[%dA", row);
  printf("\r");
}

/// Draws what is being typed once more, in colours, over itself. Lines that wrap are left plain.
static void paint(void) {
  if (!has_colours) return;
  const LineInfoW *info = el_wline(editor);
  if (info->lastchar == info->buffer) return;
  int row = 0, column = prompt_width(), width = columns();
  for (const wchar_t *c = info->buffer; c < info->lastchar; c++) {
    if (*c == L'\n') {
      column = 0;
      continue;
    }
    int w = wcwidth(*c);
    if (w < 0) return;
    column += w;
    if (column >= width) return;
  }
  char *text = line_text(NULL);
  char *coloured = hooks.paint(hooks.context, text);
  free(text);
  if (!coloured) return;
  row = 0;
  column = prompt_width();
  advance(info->buffer, info->cursor, width, &row, &column);
  if (row > 0) printf("\033[%dA", row);
  printf("\r\033[%dC", prompt_width());
  if (prompt_width() == 0) printf("\r");
  int last = 0;
  for (const char *c = coloured; *c; c++) {
    if (*c == '\n') {
      fputs("\r\n", stdout);
      last++;
    } else {
      putchar(*c);
    }
  }
  fputs("\033[0m\r", stdout);
  if (last > row) printf("\033[%dA", last - row);
  if (column > 0) printf("\033[%dC", column);
  fflush(stdout);
  free(coloured);
}

// MARK: Keys

/// Lets the program go on. While it does, ^C is a signal again, with its meaning outside of the editor: a program that
/// takes too long can be stopped although no key is read.
static int go_on(void) {
  struct termios editing, running;
  struct sigaction editors;
  int is_terminal = tcgetattr(0, &editing) == 0;
  if (is_terminal) {
    running = editing;
    running.c_lflag |= ISIG | NOFLSH;
    running.c_cc[VINTR] = 3;
    running.c_cc[VQUIT] = _POSIX_VDISABLE;
    running.c_cc[VSUSP] = _POSIX_VDISABLE;
    sigaction(SIGINT, &outer_interrupt, &editors);
    tcsetattr(0, TCSANOW, &running);
  }
  int wait = hooks.idle(hooks.context);
  if (is_terminal) {
    tcsetattr(0, TCSANOW, &editing);
    sigaction(SIGINT, &editors, NULL);
  }
  return wait;
}

/// Waits for a key; meanwhile the program goes on.
static int next_key(EditLine *unused, wchar_t *key) {
  (void)unused;
  mbstate_t state = {0};
  int is_painted = 0;
  for (;;) {
    struct pollfd input = {0, POLLIN, 0};
    if (poll(&input, 1, 0) == 0 && mbsinit(&state)) {
      if (!is_painted) paint();
      is_painted = 1;
      int wait = go_on();
      if (poll(&input, 1, wait) <= 0) continue;
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
    return 1;
  }
}

/// Opens a line, two columns further in for every bracket that is open before the cursor; at least `least`.
static void open_line(size_t least) {
  const LineInfoW *info = el_wline(editor);
  wchar_t text[64] = L"\n";
  int depth = 0, is_text = 0;
  for (const wchar_t *c = info->buffer; c < info->cursor; c++) {
    if (*c == L'"' && (c == info->buffer || c[-1] != L'\\')) is_text = !is_text;
    if (is_text) continue;
    if (*c == L'{' || *c == L'(' || *c == L'[') depth++;
    if (*c == L'}' || *c == L')' || *c == L']') depth--;
  }
  if (is_text) depth = 0, least = 0;
  size_t columns = depth < 1 ? 0 : depth > 20 ? 40 : (size_t)depth * 2;
  if (columns < least) columns = least;
  wmemset(text + 1, L' ', columns);
  text[columns + 1] = 0;
  el_winsertstr(editor, text);
}

static unsigned char on_return(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  char *text = line_text(NULL);
  int is_done = hooks.is_complete(hooks.context, text);
  free(text);
  if (is_done) {
    el_wpush(editor, KEY_SUBMIT);
    return CC_NORM;
  }
  open_line(2);
  return CC_REFRESH;
}

/// A line after a finished definition begins another one; any other goes on with what is there, further in.
static unsigned char on_new_line(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  const LineInfoW *info = el_wline(editor);
  char *text = to_utf8(info->buffer, (size_t)(info->cursor - info->buffer));
  open_line(hooks.is_complete(hooks.context, text) ? 0 : 2);
  free(text);
  return CC_REFRESH;
}

static unsigned char on_interrupt(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  was_interrupted = 1;
  el_wpush(editor, KEY_SUBMIT);
  return CC_NORM;
}

static unsigned char on_up(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  const LineInfoW *info = el_wline(editor);
  int has_line_above = 0;
  for (const wchar_t *c = info->buffer; c < info->cursor; c++) has_line_above |= *c == L'\n';
  el_wpush(editor, has_line_above ? L"\033[96~" : KEY_UP);
  return CC_NORM;
}

static unsigned char on_down(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  const LineInfoW *info = el_wline(editor);
  int has_line_below = 0;
  for (const wchar_t *c = info->cursor; c < info->lastchar; c++) has_line_below |= *c == L'\n';
  el_wpush(editor, has_line_below ? L"\033[95~" : KEY_DOWN);
  return CC_NORM;
}

static unsigned char on_line_start(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  const LineInfoW *info = el_wline(editor);
  const wchar_t *c = info->cursor;
  while (c > info->buffer && c[-1] != L'\n') c--;
  el_cursor(editor, (int)(c - info->cursor));
  return CC_REFRESH;
}

static unsigned char on_line_end(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  const LineInfoW *info = el_wline(editor);
  const wchar_t *c = info->cursor;
  while (c < info->lastchar && *c != L'\n') c++;
  el_cursor(editor, (int)(c - info->cursor));
  return CC_REFRESH;
}

/// Bracketed paste: everything up to the end mark goes in at once and means nothing.
static unsigned char on_paste(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  static const wchar_t mark[] = L"\033[201~";
  size_t capacity = 1024, count = 0;
  wchar_t *text = malloc(capacity * sizeof(wchar_t));
  wchar_t next;
  while (next_key(editor, &next) == 1) {
    if (count + 2 > capacity) text = realloc(text, (capacity *= 2) * sizeof(wchar_t));
    text[count++] = next == L'\r' ? L'\n' : (next == L'\t' ? L' ' : next);
    if (count >= 6 && wmemcmp(text + count - 6, mark, 6) == 0) {
      count -= 6;
      break;
    }
  }
  while (count > 0 && text[count - 1] == L'\n') count--;
  text[count] = 0;
  el_winsertstr(editor, text);
  free(text);
  return CC_REFRESH;
}

static unsigned char on_complete(EditLine *unused, int key) {
  (void)unused;
  (void)key;
  int cursor = 0;
  char *text = line_text(&cursor);
  ce_completion answer = hooks.complete(hooks.context, text, cursor);
  free(text);
  unsigned char result = CC_REFRESH;
  if (answer.insertion) {
    if (answer.replaced > 0) el_deletestr(editor, answer.replaced);
    wchar_t *insertion = to_wide(answer.insertion);
    el_winsertstr(editor, insertion);
    free(insertion);
  }
  if (answer.listing) {
    const LineInfoW *info = el_wline(editor);
    int here = 0, last = 0, column = prompt_width(), width = columns();
    advance(info->buffer, info->cursor, width, &here, &column);
    column = prompt_width();
    advance(info->buffer, info->lastchar, width, &last, &column);
    for (int i = here; i <= last; i++) fputs("\n", stdout);
    fputs("\r", stdout);
    fputs(answer.listing, stdout);
    fflush(stdout);
    result = CC_REDISPLAY;
  }
  if (!answer.insertion && !answer.listing) result = CC_REFRESH_BEEP;
  free(answer.insertion);
  free(answer.listing);
  return result;
}

// MARK: The editor

static void bind_keys(void) {
  el_wset(editor, EL_ADDFN, L"frp-return", L"finish the entry, or open a line", on_return);
  el_wset(editor, EL_ADDFN, L"frp-new-line", L"open a line", on_new_line);
  el_wset(editor, EL_ADDFN, L"frp-interrupt", L"drop the entry", on_interrupt);
  el_wset(editor, EL_ADDFN, L"frp-complete", L"complete a name", on_complete);
  el_wset(editor, EL_ADDFN, L"frp-paste", L"take a pasted block", on_paste);
  el_wset(editor, EL_ADDFN, L"frp-up", L"line above, or earlier entry", on_up);
  el_wset(editor, EL_ADDFN, L"frp-down", L"line below, or later entry", on_down);
  el_wset(editor, EL_BIND, KEY_SUBMIT, L"ed-newline", NULL);
  el_wset(editor, EL_BIND, KEY_UP, L"ed-prev-history", NULL);
  el_wset(editor, EL_BIND, KEY_DOWN, L"ed-next-history", NULL);
  el_wset(editor, EL_BIND, L"\033[96~", L"ed-prev-line", NULL);
  el_wset(editor, EL_BIND, L"\033[95~", L"ed-next-line", NULL);
  el_wset(editor, EL_BIND, L"^M", L"frp-return", NULL);
  el_wset(editor, EL_BIND, L"^J", L"frp-return", NULL);
  el_wset(editor, EL_BIND, L"\033\r", L"frp-new-line", NULL);
  el_wset(editor, EL_BIND, L"\033\n", L"frp-new-line", NULL);
  el_wset(editor, EL_BIND, L"^C", L"frp-interrupt", NULL);
  el_wset(editor, EL_BIND, L"^I", L"frp-complete", NULL);
  el_wset(editor, EL_BIND, L"^R", L"em-inc-search-prev", NULL);
  el_wset(editor, EL_BIND, L"\033[200~", L"frp-paste", NULL);
  el_wset(editor, EL_BIND, L"\033[A", L"frp-up", NULL);
  el_wset(editor, EL_BIND, L"\033[B", L"frp-down", NULL);
  el_wset(editor, EL_BIND, L"\033OA", L"frp-up", NULL);
  el_wset(editor, EL_BIND, L"\033OB", L"frp-down", NULL);
  el_wset(editor, EL_BIND, L"\033[3~", L"ed-delete-next-char", NULL);
  el_wset(editor, EL_ADDFN, L"frp-line-start", L"to the start of the line", on_line_start);
  el_wset(editor, EL_ADDFN, L"frp-line-end", L"to the end of the line", on_line_end);
  static const wchar_t *const starts[] = {L"^A", L"\033[H", L"\033OH", L"\033[1~"};
  static const wchar_t *const ends[] = {L"^E", L"\033[F", L"\033OF", L"\033[4~"};
  for (int i = 0; i < 4; i++) {
    el_wset(editor, EL_BIND, starts[i], L"frp-line-start", NULL);
    el_wset(editor, EL_BIND, ends[i], L"frp-line-end", NULL);
  }
  el_wset(editor, EL_BIND, L"\033[1;5D", L"ed-prev-word", NULL);
  el_wset(editor, EL_BIND, L"\033[1;5C", L"em-next-word", NULL);
  el_wset(editor, EL_BIND, L"^W", L"ed-delete-prev-word", NULL);
}

int ce_open(const char *program, ce_hooks given, int colours) {
  if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1) setlocale(LC_CTYPE, "C.UTF-8");
  hooks = given;
  has_colours = colours;
  editor = el_init(program, stdin, stdout, stderr);
  if (!editor) return 0;
  entries = history_winit();
  HistEventW event;
  history_w(entries, &event, H_SETSIZE, 10000);
  history_w(entries, &event, H_SETUNIQUE, 1);
  el_wset(editor, EL_EDITOR, L"emacs");
  el_wset(editor, EL_SIGNAL, 1);
  el_wset(editor, EL_PROMPT_ESC, prompt_hook, (wchar_t)1);
  el_wset(editor, EL_HIST, history_w, entries);
  el_wset(editor, EL_GETCFN, next_key);
  el_wset(editor, EL_SETTY, L"-d", L"-isig", NULL);
  bind_keys();
  el_source(editor, NULL);
  fputs("\033[?2004h", stdout);
  fflush(stdout);
  return 1;
}

void ce_close(void) {
  if (!editor) return;
  fputs("\033[?2004l", stdout);
  fflush(stdout);
  el_end(editor);
  history_wend(entries);
  editor = NULL;
  entries = NULL;
  free(last_text);
  last_text = NULL;
}

ce_outcome ce_read(const char *prompt, const char **text) {
  wchar_t *wide = to_wide(prompt);
  wcsncpy(prompt_text, wide, sizeof prompt_text / sizeof *prompt_text - 1);
  free(wide);
  was_interrupted = 0;
  if (prefill) {
    el_wpush(editor, prefill);
    free(prefill);
    prefill = NULL;
  }
  int count = 0;
  sigaction(SIGINT, NULL, &outer_interrupt);
  const wchar_t *line = el_wgets(editor, &count);
  free(last_text);
  last_text = NULL;
  if (was_interrupted) return CE_INTERRUPTED;
  if (!line || count <= 0) return CE_END;
  while (count > 0 && line[count - 1] == L'\n') count--;
  last_text = to_utf8(line, (size_t)count);
  *text = last_text;
  return CE_ENTRY;
}

void ce_remember(const char *text) {
  if (!entries) return;
  wchar_t *wide = to_wide(text);
  HistEventW event;
  history_w(entries, &event, H_ENTER, wide);
  free(wide);
}

void ce_print_above(const char *text) {
  if (!editor) return;
  go_to_top();
  fputs("\033[J", stdout);
  for (const char *c = text; *c; c++) {
    if (*c == '\n') putchar('\r');
    putchar(*c);
  }
  fflush(stdout);
  el_wset(editor, EL_REFRESH);
}

void ce_replace_row_above(const char *text) {
  if (!editor) return;
  go_to_top();
  printf("\033[1A\033[2K%s\r\n\033[J", text);
  fflush(stdout);
  el_wset(editor, EL_REFRESH);
}

void ce_prefill(const char *text) {
  free(prefill);
  prefill = to_wide(text);
}

int ce_width(unsigned int scalar) {
  int width = wcwidth((wchar_t)scalar);
  return width < 0 ? 1 : width;
}
