import type { KeySummary } from '../../keys/index.js'
import { notFound } from '../dashboard-error.js'
import type { DashboardKeys } from '../dashboard-services.js'
import type { OwnVisit } from '../visit.js'

/**
 * Finds the user's key that the path parameter `id` names. Every page about a key starts with it.
 * @throws DashboardError 404 for unknown keys and keys of other users
 */
export async function ownKey(
  keys: DashboardKeys,
  { params, user }: Pick<OwnVisit, 'params'> & { readonly user: Pick<OwnVisit['user'], 'userId'> },
): Promise<KeySummary> {
  const own = await keys.list({ userId: user.userId })
  const key = own.find(({ id }) => id === params['id'])
  if (key === undefined) throw notFound()
  return key
}
