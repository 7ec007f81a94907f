import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })

/** The time of a check grows with the square of the length: more characters than these are not looked at. */
const mostCharacters = 64

/** Words that somebody who guesses passwords of this service tries first. */
const ownWords = ['concordat', 'rootstock', 'jsonrpc']

/**
 * True for a common password, a repetition, a sequence, and one made from the address.
 * @param email the account's address
 * @param minimumScore lowest zxcvbn score, 0 to 4, of a password that is accepted
 */
export function isEasyToGuess(password: string, email: string, minimumScore: number): boolean {
  const known = [...ownWords, email, ...email.split(/[@.+_-]/)].filter((word) => word.length > 2)
  return zxcvbn.check(password.slice(0, mostCharacters), known).score < minimumScore
}
