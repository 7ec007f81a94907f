import { randomUUID } from 'node:crypto'
import * as parts from '../../src/service/gateway/quota/quota.js'

/** State of a user's own limit, flat. */
export interface Taken {
  readonly admitted: number
  /** True when the limit refused requests. */
  readonly isRefusing: boolean
  readonly limit: number
  readonly remaining: number
  readonly used: number
  readonly secondsToReset: number
  readonly resetAt: Date
}
/** Dependencies of a user quota. */
export type QuotaOptions = Omit<parts.QuotaOptions, 'store' | 'replicaId'> & {
  readonly store: { readonly db: parts.QuotaOptions['store']['db'] }
}

/** Number of admitted requests. */
export const sum = (all: readonly Taken[]) => all.reduce((total, { admitted }) => total + admitted, 0)

/** A timeout of lease requests that no slow machine reaches. */
export const leaseTimeoutMs = 600_000

/** A quota with user ids as its subject, for keys without limits of their own. */
export function createUserQuota(options: QuotaOptions) {
  const quota = parts.createQuota({
    leaseTimeoutMs,
    ...options,
    replicaId: `rep_${randomUUID()}`,
    store: { ...options.store, server: undefined },
  })
  const flat = ({ admitted, standings, refusing }: Awaited<ReturnType<typeof quota.take>>): Taken => {
    const [own] = standings
    return { ...own, admitted, isRefusing: refusing !== undefined, resetAt: new Date(own.resetAt) }
  }
  return {
    take(userId: string, n: number): Taken | Promise<Taken> {
      const taken = quota.take({ id: 'key', userId, dailyLimit: null, monthlyLimit: null }, n)
      return taken instanceof Promise ? taken.then(flat) : flat(taken)
    },
    setLimitPerDay: quota.setLimitPerDay,
    returnRecalled: quota.returnRecalled,
    flush: quota.flush,
    close: () => quota.close(),
  }
}
/** The quota of users. */
export type UserQuota = ReturnType<typeof createUserQuota>
