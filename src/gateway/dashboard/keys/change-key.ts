import { OperatorError } from '../../util/index.js'
import { notFound } from '../dashboard-error.js'

/**
 * Runs a change of a key.
 * @returns why the input is invalid; undefined if the change succeeded
 * @throws DashboardError 404 if the key has been deleted
 */
export async function changeKey(change: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await change()
    return undefined
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    if (error.code === 'invalid_input') return error.message
    throw error.code === 'key_unknown' ? notFound() : error
  }
}
