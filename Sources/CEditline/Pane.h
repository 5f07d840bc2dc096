// What the editor needs of the pane, inside this module.

#ifndef CEDITLINE_PANE_H
#define CEDITLINE_PANE_H

/// How many rows at the top of the screen are the pane's.
int cei_pane_rows(void);
/// Whether rows are taken, also where the screen is too small at present.
int cei_pane_is_taken(void);
/// Gives the whole screen back to scrolling, for another program or at the end. Only writes; may run in a handler.
void cei_pane_release(void);
/// Takes the rows again after `cei_pane_release`.
void cei_pane_restore(void);
/// Notices another size of the terminal; then the rows are taken and drawn anew.
void cei_pane_check_size(void);

#endif
