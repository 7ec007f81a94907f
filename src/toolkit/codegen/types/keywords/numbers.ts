// Keywords for numbers: `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum` and `multipleOf` (draft-07 validation,
// section 6.2; 2020-12 validation, section 6.2). Types cannot express them.

import { type Keyword, range } from '../note-text.js'

/** Describes the constraints of numbers. */
export function numberNotes(value: Keyword): readonly string[] {
  const note = (name: string, words: string) => (value(name) === undefined ? '' : `${words} ${value(name)}.`)
  return [
    range('Value', value('minimum'), value('maximum')),
    note('exclusiveMinimum', 'More than'),
    note('exclusiveMaximum', 'Less than'),
    note('multipleOf', 'A multiple of'),
  ]
}
