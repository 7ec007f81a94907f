import type { FormProblems } from '../parts/form.js'

/** First words of validation messages, and the form field that they belong to. */
const fieldsByWords: readonly (readonly [words: string, field: string])[] = [
  ['The name', 'name'],
  ['The description', 'description'],
  ['The network', 'network'],
  ['The use case', 'useCase'],
  ['The node service', 'nodeService'],
  ['The daily limit', 'dailyLimit'],
  ['The monthly limit', 'monthlyLimit'],
  ['A public key needs an id', 'jwtId'],
  ['A public key with the id', 'jwtId'],
  ['The public key', 'jwtPublicKey'],
  ['The audience', 'jwtAudience'],
]

/**
 * Assigns a validation message of the keys to a form field.
 * @param message validation message
 * @param field field for messages that name none; the whole form by default
 */
export function problemOf(message: string, field = ''): FormProblems {
  const named = fieldsByWords.find(([words]) => message.startsWith(words))?.[1] ?? field
  // Each invalid entry of a list gets its own line.
  return { [named]: `${message.replaceAll('; "', ';\n"')}.` }
}
