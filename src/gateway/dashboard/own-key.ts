import type { KeySummary } from '../keys/key-summary.js'
import { notFound } from './dashboard-error.js'
import type { DashboardKeys } from './dashboard-services.js'
import type { OwnVisit } from './visit.js'

/**
 * The key that a path names by `:id`, where it is the visitor's: every page about a key begins here.
 * @throws DashboardError 404, the same for a key that is another's and for one that never was
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
