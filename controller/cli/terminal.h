/* Where the output goes, and what it takes. */
#pragma once

#include "crd/base/strbuf.h"
#include "table.h"

enum written { WRITTEN_ALL, WRITTEN_CLOSED, WRITTEN_FAILED };

/* Width, character set and colours of standard output: COLUMNS, LC_ALL, LC_CTYPE, LANG, NO_COLOR, TERM. */
struct style terminal_style(void);
/* Whether the cursor of standard output can be moved. */
bool terminal_is_screen(void);
/* Writes OUT to standard output and empties it. CLOSED: the reader has gone, which is its right. */
enum written terminal_write(struct strbuf *out);
