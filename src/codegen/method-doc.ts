import type { Method } from '../contract/index.js'
import { schemaNotes } from './schema-notes.js'

/** What the documentation of a method says: summary, description, and its parameters with what their types cannot say. */
export function methodDoc({
  summary,
  description,
  deprecated,
  params,
}: Method): readonly (string | undefined)[] {
  return [
    summary,
    description === summary ? undefined : description,
    ...params.map((param) => {
      const words = [param.description ?? param.summary ?? '', ...schemaNotes(param.schema.schema)]
      return words.join('') === ''
        ? undefined
        : `- ${param.name}: ${words.filter((word) => word !== '').join(' ')}`
    }),
    deprecated ? '@deprecated' : undefined,
  ]
}
