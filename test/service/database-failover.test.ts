import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Test } from 'tap'
import { limits } from '../../generated/contract.js'
import {
  type DatabaseCluster,
  type Killed,
  query,
  startDatabaseCluster,
} from '../support/database-cluster.js'
import { openGuide } from '../support/guide.js'
import { longTest } from '../support/runs.js'
import { post, type RunningService, runConcordat, startService } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

/**
 * Four replicas on PostgreSQL under Patroni, with the files of `deploy/database`: two connect through HAProxy, two through
 * pgbouncer. The primary is killed ten times while users call.
 */
const kills = 10
const parts: readonly Killed[] = ['machine', 'postgres', 'patroni']
/** Time of steady use after which a process has leases of their full size. */
const activeMs = 35_000
/** Rates of users far from their limit and near it, in requests a second. */
const requestsPerSecond = 25
const nearPerSecond = 1
/** Rates of users whose calls reach one replica, as behind the shipped files, in requests a second. */
const rates = [0.1, 0.25, 0.5, 1, 2, 5, 10]
const smallLimit = 400
const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }

type Environment = Readonly<Record<string, string>>

interface NewKey {
  readonly id: string
  readonly path: string
}

/** Creates a key for a user of its own, with a daily limit if one is given. */
async function newKey(env: Environment, name: string, limit?: number): Promise<NewKey> {
  const user = ['--user', `${name}@example.com`, '--network', 'test', '--name', name, '--json']
  const { id, url } = JSON.parse(await keys(env, 'create', ...user)) as { id: string; url: string }
  if (limit !== undefined) await keys(env, 'set', id, '--daily-limit', String(limit))
  return { id, path: new URL(url).pathname }
}

/** Runs `concordat keys`. @throws Error with the output of a failed command */
async function keys(env: Environment, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await runConcordat(['keys', ...args], env)
  if (code !== 0) throw new Error(err)
  return out
}

/** Creates keys, one after the other. @returns the paths of those that were acknowledged, and the number of others */
async function createKeys(env: Environment, name: string, ended: () => boolean) {
  const acknowledged: string[] = []
  const errors: string[] = []
  for (let at = 0; !ended(); at += 1) {
    await newKey(env, `${name}-${at}`).then(
      ({ path }) => acknowledged.push(path),
      (error: Error) => errors.push(error.message),
    )
    await delay(500)
  }
  return { acknowledged, errors }
}

/**
 * Calls replicas in turn at a constant rate.
 * @param onRefused receives the number of the replica, at each answer with another status than 200
 * @returns the answers by status, with an example of each refusal
 */
async function callSteadily(
  services: readonly RunningService[],
  path: string,
  rate: number,
  ended: () => boolean,
  onRefused: (replica: number) => void = () => undefined,
) {
  const statuses: Record<number, number> = {}
  const refusals: Record<number, unknown> = {}
  const calls: Promise<void>[] = []
  const send = async (replica: number) => {
    const { status, json } = await post(`${services[replica]?.origin}${path}`, call)
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status === 200) return
    refusals[status] ??= json
    onRefused(replica)
  }
  const began = performance.now()
  while (!ended()) {
    const due = ((performance.now() - began) * rate) / 1_000
    while (calls.length < due) calls.push(send(calls.length % services.length))
    await delay(1_000 / rate)
  }
  await Promise.all(calls)
  return { statuses, refusals }
}

/** The answers of calls that need a database which is away: nothing is guessed. */
function isFailClosed(t: Test, status: number, json: unknown): void {
  t.equal(status, 503)
  t.match(json, { error: { code: -32002, message: /cannot be checked/ } })
}

/** What the leases of replicas do after a kill. */
interface LeaseWatch {
  /** Begins at a kill. */
  begin(): void
  /** Counts a refused request of the active user. */
  readonly refused: (replica: number) => void
  /** Describes what each replica had at the kill and at least, the time to its next lease, and the refusals. */
  summary(): string
}

/** Reads the leased requests of replicas from their metrics, four times a second. Nearly all are those of the active user. */
function watchLeases(t: Test, services: readonly RunningService[]): LeaseWatch {
  const leased = services.map(() => 0)
  let killedAt = performance.now()
  let found: { atKill: number; least: number; grewAt: number; refusedAt: number[] }[] = []
  const read = async (replica: number) => {
    const response = await fetch(services[replica]?.metrics ?? '').catch(() => undefined)
    const now = Number(/^concordat_leased_requests (\d+)$/m.exec((await response?.text()) ?? '')?.[1])
    if (Number.isNaN(now)) return
    const seen = found[replica]
    if (seen !== undefined) {
      // The rest of other users' leases returns in small parts, and a lease of this user is a large one.
      if (now > (leased[replica] ?? 0) + 50) seen.grewAt ||= performance.now()
      if (seen.grewAt === 0) seen.least = Math.min(seen.least, now)
    }
    leased[replica] = now
  }
  const reading = setInterval(() => {
    for (const replica of services.keys()) read(replica).catch(() => undefined)
  }, 250)
  t.teardown(() => clearInterval(reading))
  const seconds = (at = 0) => `${((at - killedAt) / 1_000).toFixed(1)} s`
  return {
    begin() {
      killedAt = performance.now()
      found = leased.map((atKill) => ({ atKill, least: atKill, grewAt: 0, refusedAt: [] }))
    },
    refused: (replica) => found[replica]?.refusedAt.push(performance.now()),
    summary: () =>
      found
        .map(({ atKill, least, grewAt, refusedAt }) => {
          const refusals =
            refusedAt.length > 0
              ? `${refusedAt.length} refused, ${seconds(refusedAt[0])} to ${seconds(refusedAt.at(-1))}`
              : 'none refused'
          return `${atKill} leased, at least ${least}, more after ${grewAt > 0 ? seconds(grewAt) : 'this'}; ${refusals}`
        })
        .join(' | '),
  }
}

/** Two replicas that reach the database in one way, with their users. */
interface Side {
  readonly way: string
  readonly watch: LeaseWatch
  readonly env: Environment
  readonly services: readonly RunningService[]
  readonly active: NewKey
  readonly near: NewKey
  /** One for each of {@link rates}, in this order. */
  readonly rated: readonly NewKey[]
  /** Keys that no replica has seen, one for each kill. */
  readonly idle: readonly NewKey[]
}

/** Starts two replicas, and creates their users. */
async function startSide(t: Test, way: string, databaseUrl: string): Promise<Side> {
  const folder = await temporaryFolder(t)
  const env = {
    DATABASE_URL: databaseUrl,
    CONCORDAT_SECRET: 'the secret that these replicas share',
    // No node listens here, so the tests call methods that the service answers itself.
    CONCORDAT_NODES_TEST: 'http://127.0.0.1:9',
    CONCORDAT_NODES_MAIN: 'http://127.0.0.1:9',
    CONCORDAT_LOG_LEVEL: 'silent',
    CONCORDAT_METRICS_PORT: '0',
  }
  const services: RunningService[] = []
  for (const name of ['a', 'b']) {
    const service = await startService({ env, data: join(folder, name) })
    t.teardown(() => service.stop('SIGKILL'))
    services.push(service)
  }
  const active = await newKey(env, `${way}-active`)
  const near = await newKey(env, `${way}-near`, smallLimit)
  const rated = await Promise.all(rates.map((rate) => newKey(env, `${way}-rate-${rate}`)))
  const idle = await Promise.all(Array.from({ length: kills }, (_, at) => newKey(env, `${way}-idle-${at}`)))
  return { way, watch: watchLeases(t, services), env, services, active, near, rated, idle }
}

/** Kills the primary several times while users call, and prints the times to recovery. */
async function killPrimaries(t: Test, cluster: DatabaseCluster, sides: readonly Side[]): Promise<void> {
  for (let kill = 0; kill < kills; kill += 1) {
    await delay(activeMs)
    const part = parts[kill % parts.length] ?? 'machine'
    const killedAt = performance.now()
    const after = () => `${((performance.now() - killedAt) / 1_000).toFixed(1)} s`
    for (const { watch } of sides) watch.begin()
    const { hasSuccessor, restart } = await cluster.killPrimary(part)
    const unknown = sides.map(({ services, idle }) => post(`${services[0]?.origin}${idle[kill]?.path}`, call))
    await hasSuccessor()
    const found = [`new primary ${after()}`]
    for (const { way, env } of sides) {
      const write = () => query(env['DATABASE_URL'] ?? '', 'update replicas set seen_at = seen_at')
      const isWritten = () =>
        write().then(
          () => true,
          () => false,
        )
      await until(isWritten)
      found.push(`${way} ${after()}`)
    }
    restart()
    await cluster.whole()
    t.comment(`${kill + 1}. ${part} killed: ${found.join(', ')}, whole ${after()}`)
    for (const { way, watch } of sides) t.comment(`   ${way}: ${watch.summary()}`)
    for (const { status, json } of await Promise.all(unknown))
      if (status !== 200) isFailClosed(t, status, json)
  }
}

longTest('ten killed primaries: no lost key, no refused active user, no request over a limit', async (t) => {
  const guide = await openGuide('docs/operator.md', ['A database that fails over'])
  const cluster = await startDatabaseCluster(t, guide.commands())
  const sides = [
    await startSide(t, 'direct', cluster.direct),
    await startSide(t, 'pooled', cluster.pooled),
  ] as const
  let isOver = false
  const ended = () => isOver
  const loads = sides.map(({ services, active, near, rated, env, way, watch }) =>
    Promise.all([
      callSteadily(services, active.path, requestsPerSecond, ended, watch.refused),
      callSteadily(services, near.path, nearPerSecond, ended),
      createKeys(env, way, ended),
      Promise.all(
        rated.map(({ path }, at) => {
          const [service] = services.slice(at % services.length)
          return callSteadily(service === undefined ? [] : [service], path, rates[at] ?? 1, ended)
        }),
      ),
    ]),
  )
  await killPrimaries(t, cluster, sides)
  isOver = true
  for (const [at, { way, services, active, near }] of sides.entries()) {
    const [far, close, { acknowledged, errors }, byRate] = (await loads[at]) as Awaited<
      (typeof loads)[number]
    >
    const statuses: number[] = []
    for (const path of acknowledged)
      for (const { origin } of services) statuses.push((await post(`${origin}${path}`, call)).status)
    t.comment(`${way}: ${acknowledged.length} keys acknowledged; ${errors.length} not, because ${errors[0]}`)
    t.same([...new Set(statuses)], [200], `${way}: every acknowledged key works at each replica`)
    // Stopped services have written all counts.
    for (const service of services) await service.stop()
    const userOf = `(select user_id from api_keys where id = '${active.id}')`
    const { used, granted } = await countOf(cluster, userOf)
    t.comment(`${way}, far from the limit: ${JSON.stringify(far)}; ${granted - used} stranded in leases`)
    t.strictSame(Object.keys(far.statuses), ['200'], `${way}: no request of an active user is refused`)
    t.equal(used, far.statuses[200], `${way}: every request is counted once`)
    t.ok(granted < limits.requestsPerUserPerDay - 2_000, `${way}: the active user stayed far from the limit`)
    for (const [at, { statuses }] of byRate.entries()) {
      t.comment(`${way}, ${rates[at]} a second: ${JSON.stringify(statuses)}`)
      t.strictSame(
        Object.keys(statuses),
        ['200'],
        `${way}: no request of a user of ${rates[at]} a second is refused`,
      )
    }
    const nearCount = await countOf(cluster, `'${near.id}'`)
    t.comment(`${way}, near the limit: ${JSON.stringify(close)}`)
    t.equal(nearCount.used, close.statuses[200], `${way}: every request near the limit is counted once`)
    t.ok(nearCount.granted <= smallLimit, `${way}: never over the limit`)
    for (const [status, json] of Object.entries(close.refusals))
      if (status !== '429') isFailClosed(t, Number(status), json)
  }
})

/** The day's count of a user or key, given as SQL. */
async function countOf({ direct }: DatabaseCluster, subject: string) {
  const sql = `select used, granted from quota_counts where subject = ${subject} and period = 'day'`
  const [row] = await query(direct, sql)
  return row as { readonly used: number; readonly granted: number }
}
