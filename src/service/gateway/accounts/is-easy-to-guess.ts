import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })

/** Characters that are checked. The duration of a check grows with the square of the length. */
const checkedCharacters = 64

/** Words about this service, which attackers would try first. */
const ownWords = ['concordat', 'rootstock', 'jsonrpc']

/**
 * Returns true if zxcvbn rates a password as too weak, such as a common word, a sequence or a part of the address.
 * @param email the account's address
 * @param minimumScore lowest zxcvbn score, 0 to 4, of a password that is accepted
 */
export function isEasyToGuess(password: string, email: string, minimumScore: number): boolean {
  const known = [...ownWords, email, ...email.split(/[@.+_-]/)].filter((word) => word.length > 2)
  return zxcvbn.check(password.slice(0, checkedCharacters), known).score < minimumScore
}
