// The keyword `unevaluatedItems` (2020-12 core, section 11.2).

import type { Keyword } from '../note-text.js'

/** Says whether a list has further items. */
export function unevaluatedNotes(value: Keyword): readonly string[] {
  return [value('unevaluatedItems') === false ? 'No further items.' : '']
}
