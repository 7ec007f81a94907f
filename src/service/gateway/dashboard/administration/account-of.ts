import type { AccountSummary } from '../../accounts/index.js'
import { notFound } from '../dashboard-error.js'
import type { DashboardServices } from '../dashboard-services.js'
import type { OwnVisit } from '../visit.js'

/**
 * Finds the account of a path.
 * @throws DashboardError 404 for an unknown account
 */
export async function accountOf(
  { administration }: DashboardServices,
  { params }: OwnVisit,
): Promise<AccountSummary> {
  const account = await administration.account(params['id'] ?? '')
  if (account === undefined) throw notFound()
  return account
}
