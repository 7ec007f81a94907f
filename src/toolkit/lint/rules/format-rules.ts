import {
  formats,
  isObject,
  isValidatedFormat,
  joinPointer,
  member,
  reachableSchemas,
} from '../../contract/index.js'
import type { LintProblem, LintRule, LintSubject } from '../lint-rule.js'

/** Rules about formats (JSON Schema draft-07 validation, section 7.3). */
export const formatRules: readonly LintRule[] = [
  {
    name: 'unknown-format',
    severity: 'warning',
    summary: 'Schemas use only formats that are validated. Other formats are documentation.',
    check: unknownFormats,
  },
]

function unknownFormats({ contract }: LintSubject): readonly LintProblem[] {
  const known = Object.keys(formats).sort().join(', ')
  return reachableSchemas(contract, () => undefined).flatMap(({ schema, pointer }) => {
    const format = isObject(schema) ? member(schema, 'format') : undefined
    if (format === undefined || isValidatedFormat(format)) return []
    const message = `${JSON.stringify(format)} is not validated: use other keywords, or one of ${known}`
    return [{ pointer: joinPointer(pointer, 'format'), message }]
  })
}
