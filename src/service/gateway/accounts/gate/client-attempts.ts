import { createHmac } from 'node:crypto'
import { clientPrefixOf } from '../../keys/index.js'
import type { Database } from '../../store/index.js'
import { type AttemptRule, countInWindow } from './count-in-window.js'

/**
 * Counts attempts per client and action, and those of all clients of an IPv6 site, each in its window.
 */
export interface ClientAttempts {
  /**
   * Counts an attempt. An attempt that the client's limit refuses does not count for its site, so that one client cannot
   * use up the attempts of its neighbours.
   * @returns seconds until the client may try again, or undefined if the attempt is allowed
   */
  count(address: string, action: string, rule: AttemptRule): Promise<number | undefined>
}

/**
 * Creates the count, which all replicas share through the database.
 * @param secret key of the hashes that stand for clients in the table
 * @param siteTimes factor between the limit of a site (a /48) and that of a client (an IPv4 address or a /64)
 */
export function createClientAttempts(db: Database, secret: string, siteTimes: number): ClientAttempts {
  const count = (counted: string, action: string, rule: AttemptRule) => {
    const digest = createHmac('sha256', secret).update(counted).digest('base64url')
    return countInWindow(db, `client|${digest}|${action}`, rule)
  }

  return {
    async count(address, action, rule) {
      const { client, site } = clientPrefixOf(address)
      const wait = await count(client, action, rule)
      if (wait !== undefined || site === undefined) return wait
      return count(site, action, { ...rule, max: rule.max * siteTimes })
    },
  }
}
