import { OperatorError } from '../util/index.js'

/**
 * Runs a change whose input may be refused.
 * @returns the error if the input is invalid or the key was changed meanwhile; undefined if the change succeeded
 * @throws OperatorError `key_unknown` if the key has been deleted
 */
export async function refusedChange(change: () => Promise<unknown>): Promise<OperatorError | undefined> {
  try {
    await change()
    return undefined
  } catch (error) {
    const isOfInput =
      error instanceof OperatorError && (error.code === 'invalid_input' || error.code === 'key_changed')
    if (isOfInput) return error
    throw error
  }
}
