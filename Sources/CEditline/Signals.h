// Signals that concern the terminal, inside this module.

#ifndef CEDITLINE_SIGNALS_H
#define CEDITLINE_SIGNALS_H

/// From now on the terminal is given back when a signal ends or stops the process.
void cei_signals_watch(void);
/// While an entry is typed: another size of the screen, stopping and going on are noted.
void cei_signals_begin(void);
/// Puts back what these signals did before.
void cei_signals_end(void);
/// Readable when something was noted since `cei_signals_answer`.
int cei_signals_descriptor(void);
/// Does what was noted; whether what is being typed has to be drawn again.
int cei_signals_answer(void);
/// Gives the terminal back as it was, stops the process, and takes the terminal again once it goes on.
void cei_suspend(void);

#endif
