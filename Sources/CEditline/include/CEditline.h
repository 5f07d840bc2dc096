// libedit's wide API behind a few plain functions. Its variadic calls cannot be made from Swift, and it may keep the
// pointers it is given, so names, prompts and hooks live here. Text crosses the border as UTF-8.
//
// One editor a process. Only the thread inside `ce_read` touches the terminal.

#ifndef CEDITLINE_H
#define CEDITLINE_H

#include <stddef.h>

/// What completion answers: how many characters before the cursor are replaced, by what, and what to list below.
/// Strings are freed by the editor.
typedef struct {
  int replaced;
  char *_Nullable insertion;
  char *_Nullable listing;
} ce_completion;

/// Hooks, called on the thread inside `ce_read`.
typedef struct {
  void *_Nullable context;
  /// Nothing was typed for a while, or the wait is over: do what is due. Answers how many milliseconds to wait at most,
  /// or CE_INTERRUPT_KEY if ^C came meanwhile and nothing had to be stopped: then it is a key.
  int (*_Nonnull idle)(void *_Nullable context);
  /// Whether the entry is finished (1), or Return should open another line (0).
  int (*_Nonnull is_complete)(void *_Nullable context, const char *_Nonnull text);
  ce_completion (*_Nonnull complete)(void *_Nullable context, const char *_Nonnull text, int cursor);
  /// The text with colours and nothing else changed, freed by the editor; NULL leaves it plain. The cursor is -1 once the
  /// entry is finished.
  char *_Nullable (*_Nonnull paint)(void *_Nullable context, const char *_Nonnull text, int cursor);
  /// How the text may go on, freed by the editor; NULL for nothing.
  char *_Nullable (*_Nonnull suggest)(void *_Nullable context, const char *_Nonnull text);
  /// The text with the number at the cursor made larger (1), smaller (-1), or what it was before that (0), and where the
  /// cursor is in it, freed by the editor; NULL where there is no number.
  char *_Nullable (*_Nonnull adjust)(void *_Nullable context, const char *_Nonnull text, int *_Nonnull cursor,
                                     int direction);
  /// The newest lines that were shown, each with its break, as many as fit so many rows; freed by the editor.
  char *_Nullable (*_Nonnull redraw)(void *_Nullable context, int columns, int rows);
} ce_hooks;

enum { CE_INTERRUPT_KEY = -1 };

/// CE_EDIT: an entry that is to be opened in an editor.
typedef enum { CE_ENTRY = 0, CE_END = 1, CE_INTERRUPTED = 2, CE_EDIT = 3 } ce_outcome;

/// Opens the editor on the process's own terminal. 0 where that is not possible.
int ce_open(const char *_Nonnull program, ce_hooks hooks, int colours);
/// Puts the terminal back.
void ce_close(void);
/// Reads an entry; `*text` is the editor's and valid until the next call.
ce_outcome ce_read(const char *_Nonnull prompt, const char *_Nullable *_Nonnull text);
/// Adds to the history that the arrow keys and ^R look through.
void ce_remember(const char *_Nonnull text);
/// Inside a hook: writes lines above what is being typed, which is drawn again below.
void ce_print_above(const char *_Nonnull text);
/// Inside a hook: writes one line over the line just above what is being typed.
void ce_replace_row_above(const char *_Nonnull text);
/// How many columns a character takes; 0 for marks that join the one before.
int ce_width(unsigned int scalar);
/// Text that the next `ce_read` starts with.
void ce_prefill(const char *_Nonnull text);

/// Ends the wait for a key, so that the idle hook is called. May be called in a signal handler, on any thread.
void ce_wake(void);

/// Between entries: lends the terminal to another program, as it was when the editor was opened (1), or takes it back.
void ce_lend(int lends);
/// Between entries: takes the whole screen (1), or gives it back as it was (0).
void ce_fill(int fills);
/// Clears the screen, between entries.
void ce_clear(void);
/// How many seconds the process was stopped by ^Z since this was last asked.
double ce_take_suspended(void);

/// How many rows a pane may have at present.
int ce_pane_room(void);
/// Between entries: takes so many rows at the top of the screen, or gives them back (0).
void ce_pane_resize(int rows);
/// Draws the rows of the pane that are not as they were; lines are divided by \n and fit the screen.
void ce_pane_draw(const char *_Nonnull text);

#endif
