import type { Method } from '../../contract/index.js'
import { quote } from '../text.js'
import { typeOf } from './schema-type.js'
import type { TypeWriter } from './type-writer.js'

/** Returns the result type itself if it is short, otherwise a lookup in `Results`. */
export function resultType(writer: TypeWriter, { name, result }: Method): string {
  if (!result) return 'void'
  const trial = { ...writer, used: new Set<string>() }
  const { text } = typeOf(trial, result.schema)
  if (text.includes('\n') || text.length > 60) {
    writer.used.add('Results')
    return `Results[${quote(name)}]`
  }
  for (const word of trial.used) writer.used.add(word)
  return text
}
