// The keyword `format` (draft-07 validation, section 7; 2020-12 validation, section 7).

import { isValidatedFormat } from '../../../contract/index.js'
import { code, type Keyword } from '../note-text.js'

/** Names the format, and says whether it is validated. */
export function formatNotes(value: Keyword): readonly string[] {
  const format = value('format')
  if (format === undefined) return []
  return [`Format: ${code(String(format))}${isValidatedFormat(format) ? '' : ', not validated'}.`]
}
