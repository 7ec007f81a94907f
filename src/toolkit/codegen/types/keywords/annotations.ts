// Keywords without constraints: `contentEncoding` and `contentMediaType` (draft-07 validation, section 8; 2020-12 validation,
// section 8), `readOnly`, `writeOnly` and `default` (draft-07 validation, section 10; 2020-12 validation, section 9), and
// `nullable` of OpenAPI.

import { code, type Keyword } from '../note-text.js'

/** Describes annotations. */
export function annotationNotes(value: Keyword): readonly string[] {
  const content = ['contentEncoding', 'contentMediaType'].flatMap((name) => {
    const text = value(name)
    return typeof text === 'string' ? [code(text)] : []
  })
  return [
    content.length > 0 ? `Content: ${content.join(', ')}, not validated.` : '',
    value('readOnly') === true ? 'Read only.' : '',
    value('writeOnly') === true ? 'Write only.' : '',
    value('nullable') === true ? "Null is also accepted (OpenAPI's `nullable`)." : '',
    value('default') === undefined ? '' : `Default: ${code(JSON.stringify(value('default')))}.`,
  ]
}
