import { matchesPattern } from '../../judge/index.js'
import type { Contract } from '../../toolkit/contract/index.js'
import { UsageError } from '../io.js'

/**
 * Returns the names of the methods that match a pattern.
 * @param option name of the option, for the message
 * @throws UsageError if no method matches
 */
export function methodsMatching(
  option: string,
  pattern: string,
  { methods }: Pick<Contract, 'methods'>,
): readonly string[] {
  const names = methods.map(({ name }) => name).filter((name) => matchesPattern(pattern, name))
  if (names.length === 0) throw new UsageError(`${option} ${pattern}: no method of the contract matches`)
  return names
}

/**
 * Returns a function that returns true for the methods that `--assume-read` declares read-only.
 * @throws UsageError if a pattern matches no method
 */
export function assumedToRead(
  { assumeRead }: { readonly assumeRead: readonly string[] },
  contract: Pick<Contract, 'methods'>,
): (method: string) => boolean {
  const names = new Set(assumeRead.flatMap((pattern) => methodsMatching('--assume-read', pattern, contract)))
  return (method) => names.has(method)
}
