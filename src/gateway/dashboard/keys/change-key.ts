import { OperatorError } from '../../util/index.js'
import { notFound } from '../dashboard-error.js'

/**
 * Runs a change of a key.
 * @returns the error if the input is invalid or the key was changed meanwhile; undefined if the change succeeded
 * @throws DashboardError 404 if the key has been deleted
 */
export async function changeKey(change: () => Promise<unknown>): Promise<OperatorError | undefined> {
  try {
    await change()
    return undefined
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    if (error.code === 'invalid_input' || error.code === 'key_changed') return error
    throw error.code === 'key_unknown' ? notFound() : error
  }
}
