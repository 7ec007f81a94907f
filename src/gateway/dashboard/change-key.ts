import { OperatorError } from '../store/operator-error.js'
import { notFound } from './dashboard-error.js'

/**
 * Changes a key.
 * @returns why what was typed is refused; undefined where it was taken
 * @throws DashboardError 404 where the key was deleted meanwhile
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
