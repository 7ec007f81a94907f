import { setTimeout as delay } from 'node:timers/promises'
import type { JudgedCall } from './calls.js'
import { answered, createJudge } from './judge.js'
import { type Callers, startCallers } from './load.js'
import { createScope } from './scope.js'
import { type Balancer, startWorld } from './world.js'

/** Options of a run. */
export interface OutageOptions {
  readonly balancers: readonly Balancer[]
  /** Rates of the users, in calls a second. */
  readonly rates: readonly number[]
  /** Seconds that users are active before the first outage. Each pair of rate and lead is one user. */
  readonly leads: readonly number[]
  /** Length of each outage, in seconds. */
  readonly outageSeconds: number
  /** Time between the two outages, in seconds. */
  readonly betweenSeconds: number
  /** Receives lines of progress. */
  readonly tell: (line: string) => void
}

/** Requests of one user. */
export interface OutageRow {
  readonly balancer: Balancer
  readonly perSecond: number
  readonly lead: number
  readonly requests: number
  /** Failed requests until shortly after the first outage, and from then on. */
  readonly refused: readonly [first: number, second: number]
}

/** Time after an outage in which requests still fail because of it, in milliseconds. */
const afterMs = 3_000

const chainId: JudgedCall = { method: 'eth_chainId', params: [], isTrue: (result) => result === '0x1f' }

/** Stops the database twice while users call each balancer at several rates, and counts their failed requests. */
export async function runOutages(options: OutageOptions): Promise<readonly OutageRow[]> {
  const judge = await createJudge()
  const rows: OutageRow[] = []
  for (const balancer of options.balancers) {
    const scope = createScope(options.tell)
    try {
      const world = await startWorld(scope, balancer, undefined)
      const users: { readonly perSecond: number; readonly lead: number; readonly url: string }[] = []
      for (const perSecond of options.rates)
        for (const lead of options.leads) {
          const { path } = await world.newKey(`user${users.length}`)
          users.push({ perSecond, lead, url: `${world.origin}${path}` })
        }
      const running: (readonly [user: (typeof users)[number], callers: Callers])[] = []
      const begin = (lead: number) => {
        for (const user of users)
          if (user.lead === lead)
            running.push([user, startCallers(user.url, user.perSecond, () => [chainId], judge)])
      }
      const failed = () =>
        running.map(([, { tally }]) => {
          const outcomes = [...tally.outcomes].filter(([outcome]) => outcome !== answered)
          return outcomes.reduce((sum, [, count]) => sum + count, 0)
        })
      const outage = async () => {
        await world.database().stop()
        await delay(options.outageSeconds * 1_000)
        await world.database().start()
      }
      const leads = [...options.leads].sort((one, other) => other - one)
      for (const [at, lead] of leads.entries()) {
        begin(lead)
        await delay((lead - (leads[at + 1] ?? 0)) * 1_000)
      }
      options.tell(`${balancer}: the first outage`)
      await outage()
      await delay(afterMs)
      const first = failed()
      await delay(options.betweenSeconds * 1_000 - afterMs)
      options.tell(`${balancer}: the second outage`)
      await outage()
      await delay(afterMs)
      await Promise.all(running.map(([, callers]) => callers.stop()))
      for (const [at, [{ perSecond, lead }, { tally }]] of running.entries()) {
        const all = failed()[at] ?? 0
        const refused = [first[at] ?? 0, all - (first[at] ?? 0)] as const
        for (const [outcome, count] of tally.outcomes)
          if (outcome !== answered) options.tell(`${perSecond} a second, ${lead} s: ${count} × ${outcome}`)
        rows.push({ balancer, perSecond, lead, requests: tally.requests, refused })
      }
    } finally {
      await scope.end()
    }
  }
  return rows
}

/** Returns the cells of a table of the rows, including its heading. */
export function outageTable(rows: readonly OutageRow[]): readonly (readonly string[])[] {
  const names = [...new Set(rows.map(({ balancer }) => balancer))]
  const kinds = [...new Set(rows.map(({ perSecond, lead }) => `${perSecond} ${lead}`))].sort(
    (one, other) => Number.parseFloat(one) - Number.parseFloat(other),
  )
  return [
    ['calls a second', 'seconds of use before', ...names.map((name) => `refused, ${name}`)],
    ...kinds.map((kind) => {
      const [perSecond = '', lead = ''] = kind.split(' ')
      const cells = names.map((name) => {
        const row = rows.find((one) => one.balancer === name && `${one.perSecond} ${one.lead}` === kind)
        return row === undefined ? '' : `${row.refused[0]} and ${row.refused[1]} of ${row.requests}`
      })
      return [perSecond, lead, ...cells]
    }),
  ]
}
