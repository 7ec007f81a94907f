import type { UserLimits } from '../accounts/index.js'
import type { DashboardLimits } from './dashboard-services.js'

/** Returns the limits of a user: those of the service, or the lower ones that an operator set. */
export function ownLimits(
  limits: DashboardLimits,
  { limits: { dailyLimit, keyLimit } }: { readonly limits: UserLimits },
): DashboardLimits {
  const { requestsPerUserPerDay, keysPerUser } = limits
  return {
    ...limits,
    requestsPerUserPerDay: Math.min(requestsPerUserPerDay, dailyLimit ?? requestsPerUserPerDay),
    keysPerUser: Math.min(keysPerUser, keyLimit ?? keysPerUser),
  }
}
