import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type Dispatcher, errors, Pool } from 'undici'
import { limits } from '../../generated/contract.js'
import { startShippedHaproxy } from '../support/haproxy.js'
import { startShippedNginx } from '../support/nginx.js'
import { type NodeServer, sendAnswers, startNodeServer } from '../support/node-server.js'
import { startPostgres } from '../support/postgres.js'
import { isLong } from '../support/runs.js'
import { post, type RunningService, runConcordat, startService } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

/**
 * Two replicas on one PostgreSQL server behind nginx and HAProxy with the shipped files. A refusal of one user, a failed
 * network or a stopped replica must not fail the calls of others.
 */
const postgres = await startPostgres(t)
const folder = await temporaryFolder(t)
const node = await startNodeServer({ chainId: '0x1e' })
t.teardown(() => node.close())
const settings = {
  DATABASE_URL: await postgres.createDatabase('service'),
  CONCORDAT_SECRET: 'the secret that these replicas share',
  // No node of the test network listens.
  CONCORDAT_NODES_TEST: 'http://127.0.0.1:9',
  CONCORDAT_NODES_MAIN: node.url,
  CONCORDAT_TUNING_QUEUED_REQUESTS: '10',
  CONCORDAT_LOG_LEVEL: 'error',
}
const start = async (at: number, metricsPort = '0', ...args: string[]): Promise<RunningService> => {
  const env = { ...settings, CONCORDAT_METRICS_PORT: metricsPort }
  const service = await startService({ env, data: join(folder, `${at}`), args })
  t.teardown(() => service.stop('SIGKILL'))
  return service
}
const [first, second] = await Promise.all([start(1), start(2)])
const replicas = [first, second]
/** Starts a stopped replica at its addresses. */
const restart = async (at: 0 | 1) => {
  const { origin = '', metrics = '' } = replicas[at] ?? {}
  replicas[at] = await start(at + 1, new URL(metrics).port, '--port', new URL(origin).port)
}
const origins = replicas.map(({ origin }) => origin)
const nginx = await startShippedNginx(t, origins)
const haproxy = await startShippedHaproxy(t, replicas)
const balancers = [nginx.origin, haproxy]
const nameOf = (origin: string) => (origin === haproxy ? 'HAProxy' : 'nginx')

/** Creates a user with a key, and returns its path. */
async function newPath(user: string, network = 'main'): Promise<string> {
  const owner = ['--user', `${user}@example.com`, '--network', network, '--name', user]
  const { code, out, err } = await runConcordat(['keys', 'create', ...owner, '--json'], settings)
  if (code !== 0) throw new TypeError(err)
  return new URL(JSON.parse(out).url).pathname
}
/** The paths of several users, because the calls of all tests together would spend the daily limit of one. */
const bystander: string[] = []
const addBystander = async () => bystander.push(await newPath(`bystander${bystander.length}`))

/**
 * Waits until a balancer uses both replicas for the bystanders. It adds bystanders meanwhile, because the calls of a
 * key go to one replica. On a busy machine, a replica can miss a check, and then loses its keys for a moment. HAProxy
 * uses a started replica after its next check.
 */
async function usesBoth(origin: string): Promise<void> {
  const isUsed = async () => {
    const places = await placesOf(origin, bystander)
    return [...replicas.keys()].every((replica) => places.includes(replica))
  }
  while (!(await isUsed())) await addBystander()
}

/** The replicas, by number, that answer the calls of some paths. */
async function placesOf(origin: string, paths: readonly string[]): Promise<readonly number[]> {
  const places: number[] = []
  for (const path of paths) {
    const before = await Promise.all(replicas.map(answeredBy))
    await post(`${origin}${path}`, balance())
    const after = await Promise.all(replicas.map(answeredBy))
    places.push(after.findIndex((count, at) => count > (before[at] ?? 0)))
  }
  return places
}

/** Number of calls that a replica has answered. */
async function answeredBy({ metrics = '' }: RunningService): Promise<number> {
  const text = await (await fetch(metrics)).text()
  const counts = text.matchAll(/^concordat_requests_total\{.*\} (\d+)$/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

let calls = 0
/** A call that only a node can answer, and that no other call shares. */
const balance = () => {
  calls += 1
  const params = [`0x${calls.toString(16).padStart(40, '0')}`, 'latest']
  return { jsonrpc: '2.0', id: calls, method: 'eth_getBalance', params }
}

/** Failed calls that show enough. */
const mostWrong = 1_000

/** Concurrent callers of each balancer. */
const callersEach = 6

/** The forms of a path. */
const formsOf = (path: string) => [path, `/v2${path}`, `/json-rpc${path}`, `${path}/`, `${path}?of=a-query`]

/**
 * Calls through balancers, all of them by default, on kept connections, until the function says so, or until many calls
 * have failed. HAProxy closes the connection of a call that it is just connecting to a replica when it marks that one
 * down. Such a call is sent again. A replica that fails once closes at most one call of a caller.
 * @returns the answers that are not results, and the number of results
 */
async function callUntil(
  paths: readonly string[],
  isOver: (answered: number) => boolean,
  through = balancers,
) {
  const wrong: string[] = []
  let answered = 0
  const pools = through.map((origin) => ({ origin, pool: new Pool(origin, { connections: callersEach }) }))
  const callOn = async ({ origin, pool }: (typeof pools)[number]) => {
    let mayBeClosed = origin === haproxy
    const send = async (request: Dispatcher.RequestOptions) => {
      try {
        return await pool.request(request)
      } catch (error) {
        if (!mayBeClosed || !(error instanceof errors.SocketError)) throw error
        mayBeClosed = false
        return pool.request(request)
      }
    }
    while (!isOver(answered) && wrong.length < mostWrong) {
      try {
        const headers = { 'content-type': 'application/json' }
        const path = paths[calls % paths.length] ?? ''
        const request = { method: 'POST', path, headers, body: JSON.stringify(balance()) } as const
        const { statusCode, body } = await send(request)
        const text = await body.text()
        if (statusCode === 200 && text.includes('"result"')) answered += 1
        else wrong.push(`${nameOf(origin)}: ${statusCode} ${text}`)
      } catch (error) {
        wrong.push(`${nameOf(origin)}: ${error}`)
      }
    }
  }
  await Promise.all(pools.flatMap((each) => Array.from({ length: callersEach }, () => callOn(each))))
  await Promise.all(pools.map(({ pool }) => pool.close()))
  return { wrong, answered }
}

/** Calls until the work is done, and some calls longer. */
async function callDuring(t: Test, work: () => Promise<unknown>) {
  let isDone = false
  let [atOnce, after] = [0, 0]
  const done = work().finally(() => {
    isDone = true
  })
  const outcome = await callUntil(bystander, (answered) => {
    if (!isDone) after = answered
    atOnce = answered
    return isDone && atOnce - after > 200
  })
  await done
  t.comment(`${outcome.answered} answered, ${outcome.wrong.length} lost`)
  t.same(
    [...new Set(outcome.wrong)].slice(0, 5),
    [],
    `nothing of ${outcome.answered + outcome.wrong.length} is lost`,
  )
  return outcome
}

/** Sends a request through each balancer in turn until the load that it accompanies has seen enough of it. */
async function repeat(times: number, send: (origin: string) => Promise<unknown>): Promise<void> {
  for (let sent = 0; sent < times; sent++) await send(balancers[sent % balancers.length] ?? '')
}

const times = isLong ? 1_000 : 30

while (bystander.length < 4) await addBystander()
for (const origin of balancers) await usesBoth(origin)

t.test('the calls of a key go to one replica, in whichever form of the path', async (t) => {
  for (const origin of balancers)
    for (const path of bystander) {
      // A replica that answers no check in time, on a busy machine, is left for a moment.
      await until(async () => new Set(await placesOf(origin, formsOf(path))).size === 1)
    }
  t.pass(`${bystander.length} keys`)
})

t.test('a network without nodes takes no replica from the other network', async (t) => {
  const path = await newPath('dead', 'test')
  await callDuring(t, () =>
    repeat(times, async (origin) => {
      const { status, json } = await post(`${origin}${path}`, balance())
      t.match({ status, json }, { status: 503, json: { error: { code: -32002, message: /No node/ } } })
    }),
  )
})

/** Lets each `eth_call` of the node wait until the returned function is called. */
function hold(node: NodeServer) {
  const waiting: (() => void)[] = []
  let isHeld = true
  node.fault = (request, response) => {
    if (request.calls[0]?.method !== 'eth_call') return false
    const answer = () => sendAnswers(request, response, () => ({ result: '0x1234' }))
    if (isHeld) waiting.push(answer)
    else answer()
    return true
  }
  return {
    held: () => waiting.length,
    release() {
      isHeld = false
      for (const answer of waiting.splice(0)) answer()
    },
  }
}
/** A call that the node holds, and that no other call shares. */
const slowCall = () => {
  const { params, ...call } = balance()
  return { ...call, method: 'eth_call', params: [{ to: params[0] }, 'latest'] }
}

t.test('a user whose large bodies are refused takes no replica from the others', async (t) => {
  const path = await newPath('large')
  const { held: count, release } = hold(node)
  const send = (origin: string, size: number) =>
    post(`${origin}${path}`, JSON.stringify(slowCall()).padEnd(size))
  let isOver = false
  /** Keeps a body of this size in the service: the node's time-out ends each call. Returns if the first one is refused. */
  const keep = async (origin: string, size: number) => {
    for (let isFirst = true; !isOver; isFirst = false) {
      const { status } = await send(origin, size)
      if (status === 429 && isFirst) return
      if (status === 429) await delay(500)
    }
  }
  // Each size until one is refused: less memory than the smallest size is left.
  const kept: Promise<unknown>[] = []
  for (const origin of origins)
    for (const size of [limits.bodyBytes, limits.bodyBytes / 8, limits.bodyBytes / 64])
      for (let refused = false; !refused; ) {
        const before = count()
        const done = keep(origin, size).then(() => {
          refused = true
        })
        kept.push(done)
        await until(() => refused || count() > before)
      }
  await callDuring(t, async () => {
    // A body is accepted at times, in the moment when the time-out has ended another one.
    for (let refused = 0, sent = 0; refused < Math.min(times, 100); sent++) {
      const answer = await send(balancers[sent % balancers.length] ?? '', limits.bodyBytes / 32)
      if (answer.status === 504) continue
      refused += 1
      t.match(answer, { status: 429, json: { error: { code: -32005 } } })
      t.equal(answer.headers.get('retry-after'), '1')
    }
  })
  isOver = true
  release()
  await Promise.all(kept)
})

t.test('when all replicas are overloaded, callers get the answers of the service', async (t) => {
  const { release } = hold(node)
  const path = await newPath('many')
  const refused = new Map<string, number>()
  let isOver = false
  // More than the user's places and the queue of each replica.
  const each = limits.requestsAtOncePerUser + 10 + 2
  const sent = origins.flatMap((origin) =>
    Array.from({ length: each }, async () => {
      for (;;) {
        const { status } = await post(`${origin}${path}`, slowCall())
        if (status === 504 && !isOver) continue
        if (status === 503) refused.set(origin, (refused.get(origin) ?? 0) + 1)
        return status
      }
    }),
  )
  await until(() => origins.every((origin) => refused.get(origin) === 2))
  await callDuring(t, () =>
    repeat(times, async (origin) => {
      const { status, json } = await post(`${origin}${path}`, slowCall())
      // On a busy machine, the node's time-out ends calls, and this one may get the place of another.
      if (status === 504) return
      const message = 'Too many requests are waiting'
      t.match({ status, json }, { status: 503, json: { error: { code: -32002, message } } })
    }),
  )
  isOver = true
  release()
  const statuses = await Promise.all(sent)
  t.same([...new Set(statuses)].sort(), [200, 503], 'every call that waited is answered')
})

t.test('a replica that stops loses no call, neither those in flight nor those that follow', async (t) => {
  const { held: count, release } = hold(node)
  // HAProxy cannot send a large body twice.
  const inFlight = [slowCall, () => JSON.stringify(slowCall()).padEnd(limits.bodyBytes / 64)].flatMap(
    (body) => balancers.flatMap((origin) => bystander.map((path) => post(`${origin}${path}`, body()))),
  )
  await until(() => count() === inFlight.length)
  await callDuring(t, async () => {
    const stopped = replicas[0]?.stop()
    await until(() =>
      fetch(`${origins[0]}/readyz`).then(
        () => false,
        () => true,
      ),
    )
    // HAProxy checks a replica four times a second, and its checks must not end these calls. The replica itself ends them
    // ten seconds after the signal, also on a busy machine.
    await delay(1_000)
    release()
    t.equal(await stopped, 0)
    await restart(0)
  })
  t.same(
    (await Promise.all(inFlight)).map(({ status }) => status),
    inFlight.map(() => 200),
  )
})

t.test('a killed replica loses no call: those in flight are sent to the other one', async (t) => {
  for (const origin of balancers) await usesBoth(origin)
  const { held: count, release } = hold(node)
  const inFlight = balancers.flatMap((origin) =>
    bystander.flatMap(formsOf).map((path) => post(`${origin}${path}`, slowCall())),
  )
  await until(() => count() === inFlight.length)
  await callDuring(t, async () => {
    await replicas[1]?.stop('SIGKILL')
    release()
    await restart(1)
  })
  t.same(
    (await Promise.all(inFlight)).map(({ status }) => status),
    inFlight.map(() => 200),
  )
})

t.test('HAProxy sends the calls of a replica that hangs to the other one', async (t) => {
  await usesBoth(haproxy)
  const { held: count, release } = hold(node)
  const inFlight = [...bystander, ...bystander].map((path) => post(`${haproxy}${path}`, slowCall()))
  await until(() => count() === inFlight.length)
  const hung = replicas[0]?.process
  const hungAt = performance.now()
  hung?.kill('SIGSTOP')
  release()
  // Every caller ends with a call that was answered, so this also waits for those whose call went to the hung replica.
  const { wrong } = await callUntil(bystander, (answered) => answered >= 200, [haproxy])
  const statuses = (await Promise.all(inFlight)).map(({ status }) => status)
  t.comment(`the last caller was answered after ${Math.round(performance.now() - hungAt)} ms`)
  hung?.kill('SIGCONT')
  t.same(wrong, [])
  t.same(
    statuses,
    inFlight.map(() => 200),
  )
  await usesBoth(haproxy)
})

t.test(
  'without a replica, callers get a JSON-RPC error, and the first replica that starts is used',
  async (t) => {
    const urls = balancers.flatMap((origin) => bystander.map((path) => `${origin}${path}`))
    await Promise.all(replicas.map((replica) => replica.stop('SIGKILL')))
    for (const url of urls) {
      const { status, json } = await post(url, balance())
      t.match(
        { status, json },
        { status: 503, json: { error: { message: 'The service cannot be reached' } } },
      )
    }
    await restart(0)
    // nginx tries each replica at once, and HAProxy those whose check succeeds.
    for (const path of bystander) t.match(await post(`${nginx.origin}${path}`, balance()), { status: 200 })
    for (const url of urls) await until(async () => (await post(url, balance())).status === 200)
  },
)
