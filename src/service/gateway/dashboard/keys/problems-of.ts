import { InvalidProperties } from '../../keys/index.js'
import type { FormProblems } from '../parts/form.js'

/** First words of validation messages about public keys, and the form field that they belong to. */
const fieldsByWords: readonly (readonly [words: string, field: string])[] = [
  ['A public key needs an id', 'jwtId'],
  ['A public key with the id', 'jwtId'],
  ['The public key', 'jwtPublicKey'],
  ['The audience', 'jwtAudience'],
]

/** Assigns the reasons why a key's input is invalid to form fields; to the whole form if they name none. */
export function problemsOf(error: Error): FormProblems {
  if (error instanceof InvalidProperties)
    return Object.fromEntries(Object.entries(error.reasons).map(([field, reason]) => [field, shown(reason)]))
  const field = fieldsByWords.find(([words]) => error.message.startsWith(words))?.[1] ?? ''
  return { [field]: shown(error.message) }
}

/** Each invalid entry of a list gets its own line. */
const shown = (reason: string) => `${reason.replaceAll('; "', ';\n"')}.`
