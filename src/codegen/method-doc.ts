import type { Method } from '../contract/index.js'
import { schemaNotes } from './schema-notes.js'

type Doc = readonly (string | undefined)[]

/**
 * What the documentation of a method's implementation says: all that the contract says of it in words.
 * @param note what is to be said of it beside that
 */
export function methodDoc(method: Method, note?: string): Doc {
  const returns = resultWords(method)
  return [
    ...methodWords(method),
    note,
    ...paramsWords(method),
    returns === undefined ? undefined : `@returns ${returns}`,
    deprecation(method),
  ]
}

/** What the documentation of a method's parameters says: what the method is for, and each of them. */
export function paramsDoc(method: Method): Doc {
  return [method.summary ?? method.description, ...paramsWords(method), deprecation(method)]
}

/** What the documentation of a method's result says. */
export function resultDoc(method: Method): Doc {
  return [resultWords(method) ?? method.summary ?? method.description, deprecation(method)]
}

/** Summary and description, without a summary that the description only begins with again. */
export function methodWords({ summary, description }: Method): readonly string[] {
  const repeated = summary !== undefined && description?.startsWith(summary.replace(/\.$/, ''))
  return [repeated ? undefined : summary, description].filter((text) => text !== undefined)
}

/** Each parameter with what its type cannot say. */
function paramsWords({ params }: Method): Doc {
  return params.map((param) => {
    const words = [param.description ?? param.summary ?? '', ...schemaNotes(param.schema.schema)]
    return words.join('') === ''
      ? undefined
      : `- ${param.name}: ${words.filter((word) => word !== '').join(' ')}`
  })
}

function resultWords({ result }: Method): string | undefined {
  return result?.description ?? result?.summary
}

function deprecation({ deprecated }: Method): string | undefined {
  return deprecated ? '@deprecated' : undefined
}
