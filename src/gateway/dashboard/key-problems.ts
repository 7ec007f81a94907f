import type { FormProblems } from './parts/form.js'

/** How messages of refused input begin, by the field that they are about. */
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
 * Says beside the right field why keys refused what was typed.
 * @param message of the refusal
 * @param field that it is about where its words name none; the whole form by default
 */
export function problemOf(message: string, field = ''): FormProblems {
  const named = fieldsByWords.find(([words]) => message.startsWith(words))?.[1] ?? field
  // Entries of a list that are wrong, each on a line.
  return { [named]: `${message.replaceAll('; "', ';\n"')}.` }
}
