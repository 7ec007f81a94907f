import { randomUUID } from 'node:crypto'
import * as parts from '../../src/gateway/quota/quota.js'

/** How a user's own limit stands, flat. */
export interface Taken {
  readonly admitted: number
  readonly limit: number
  readonly remaining: number
  readonly used: number
  readonly secondsToReset: number
  readonly resetAt: Date
}
/** What it is made of. */
export type QuotaOptions = Omit<parts.QuotaOptions, 'store' | 'replicaId'> & {
  readonly store: { readonly db: parts.QuotaOptions['store']['db'] }
}

/** Requests that were admitted. */
export const sum = (all: readonly Taken[]) => all.reduce((total, { admitted }) => total + admitted, 0)

/** A quota asked for users by their id, whose keys have no limits of their own. */
export function createUserQuota(options: QuotaOptions) {
  const quota = parts.createQuota({
    ...options,
    replicaId: `rep_${randomUUID()}`,
    store: { ...options.store, server: undefined },
  })
  const flat = ({ admitted, standings }: Awaited<ReturnType<typeof quota.take>>): Taken => {
    const [own] = standings
    return { ...own, admitted, resetAt: new Date(own.resetAt) }
  }
  return {
    take(userId: string, n: number): Taken | Promise<Taken> {
      const taken = quota.take({ id: 'key', userId, dailyLimit: null, monthlyLimit: null }, n)
      return taken instanceof Promise ? taken.then(flat) : flat(taken)
    },
    setLimitPerDay: quota.setLimitPerDay,
    flush: quota.flush,
    close: () => quota.close(),
  }
}
/** The quota of users. */
export type UserQuota = ReturnType<typeof createUserQuota>
