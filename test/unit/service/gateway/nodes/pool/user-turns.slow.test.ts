import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import type { JsonValue } from '../../../../../../src/runtime/rpc/index.js'
import type {
  NodeAnswer,
  NodeCallOptions,
  Upstream,
  UpstreamOptions,
} from '../../../../../../src/service/gateway/nodes/index.js'
import { logText } from '../../../../../support/log-node.js'
import { callersOf } from '../../../../../support/node-callers.js'
import {
  type NodeServer,
  type NodeServerRequest,
  sendAnswers,
  startNodeServer,
} from '../../../../../support/node-server.js'
import { until } from '../../../../../support/until.js'
import { address, unchecked, upstreamOf } from '../../../../../support/upstream-of.js'

/** A call of unknown cost, and one of constant cost. */
type Method = 'eth_call' | 'eth_getBalance'

const methods: readonly Method[] = ['eth_call', 'eth_getBalance']

/** A node that holds requests of these methods. */
interface Holding extends NodeServer {
  /** The numbers in the held requests, in the order of their arrival. */
  held(): number[][]
  /** Answers the held request with this number. */
  release(number: number): void
}

const numberOf = (param: JsonValue | undefined) => Number(`0x${String(param).slice(-8)}`)

const resultOf = (method: Method, param: JsonValue | undefined) =>
  `0x${numberOf(param)
    .toString(16)
    .padStart(method === 'eth_call' ? 64 : 1, '0')}`

async function startHolding(method: Method): Promise<Holding> {
  const held: { numbers: number[]; request: NodeServerRequest; response: ServerResponse }[] = []
  const node = await startNodeServer({
    fault(request, response) {
      if (request.calls[0]?.method !== method) return false
      const numbers = request.calls.map(({ params }) => numberOf(params[0]))
      held.push({ numbers, request, response })
      response.on('close', () =>
        held.splice(0, held.length, ...held.filter((one) => one.response !== response)),
      )
      return true
    },
  })
  return Object.assign(node, {
    held: () => held.map(({ numbers }) => numbers),
    release(number: number) {
      const one = held.find(({ numbers }) => numbers.includes(number))
      if (one !== undefined)
        sendAnswers(one.request, one.response, ({ params }) => ({ result: resultOf(method, params[0]) }))
    },
  })
}

const waitMs = 600_000

/** The upstream of nodes with eight connections; one user gets four. */
async function startUpstream(t: Test, nodes: readonly NodeServer[], options: Partial<UpstreamOptions> = {}) {
  const upstream = upstreamOf(t, nodes, {
    timeoutMs: waitMs,
    settings: { ...unchecked, connections: 8, smallTryMs: waitMs, gatherMs: 0 },
    ...options,
  })
  await until(() => upstream.status().every(({ state }) => state === 'ok'))
  return upstream
}

/** Calls with the numbers from `from` on, each with callers of its own. Failures are ignored. */
function ask(
  upstream: Upstream,
  method: string,
  user: string | readonly string[],
  from: number,
  count: number,
  options: NodeCallOptions = {},
) {
  const answered: number[] = []
  const calls = Array.from({ length: count }, (_, at) => {
    const callers = callersOf(...[user].flat())
    const answer = upstream.call(method, [address(from + at), 'latest'], { ...options, callers })
    answer.then(
      () => answered.push(from + at),
      () => {},
    )
    return { callers, answer: answer.catch((error: unknown): NodeAnswer | unknown => error) }
  })
  return { calls, answered, queued: () => calls.filter(({ callers }) => callers.queued > 0).length }
}

/** Waits for some turns of the event loop. */
const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}

t.test('one user gets half of the connections, and every other user finds a free one', async (t) => {
  for (const method of methods) {
    const node = await startHolding(method)
    const upstream = await startUpstream(t, [node])
    // More calls of constant cost fit in a request.
    const many = method === 'eth_call' ? 40 : 2_000
    const first = ask(upstream, method, 'first', 0, many)
    await until(() => node.held().length === 4)
    await until(() => first.queued() === (method === 'eth_call' ? 36 : 1_800))
    ask(upstream, method, 'second', 3_000, many)
    await until(() => node.held().some(([number = 0]) => number >= 3_000))
    ask(upstream, method, 'third', 6_000, many)
    await until(() => node.held().some(([number = 0]) => number >= 6_000))
    ask(upstream, method, 'fourth', 9_000, 1)
    await until(() => node.held().some(([number = 0]) => number >= 9_000))
    t.equal(node.held().length, 8, method)
  }
})

t.test('one user never has more than the maximum, however many connections are free', async (t) => {
  const node = await startHolding('eth_call')
  const upstream = await startUpstream(t, [node], {
    settings: { ...unchecked, connections: 8, connectionsOfUser: 2, smallTryMs: waitMs, gatherMs: 0 },
  })
  const first = ask(upstream, 'eth_call', 'first', 0, 20)
  await until(() => node.held().length === 2 && first.queued() === 18)
  await turns()
  const second = ask(upstream, 'eth_call', 'second', 100, 20)
  await until(() => node.held().length === 4 && second.queued() === 18)
  await turns()
  t.strictSame(node.held().flat(), [0, 1, 100, 101])
  t.strictSame([first.queued(), second.queued()], [18, 18])
})

t.test('users take turns, and the calls of a user keep their order', async (t) => {
  const node = await startHolding('eth_call')
  const upstream = await startUpstream(t, [node])
  ask(upstream, 'eth_call', 'first', 0, 20)
  await until(() => node.held().length === 4)
  ask(upstream, 'eth_call', 'second', 100, 20)
  await until(() => node.held().length === 6)
  t.strictSame(node.held().flat(), [0, 1, 2, 3, 100, 101])
  const order: number[] = []
  // The next calls start when the first user has fewer requests than there are free connections.
  for (let next = 0; next < 8; next++) {
    const before = node.held().flat()
    node.release(before[0] ?? -1)
    await until(
      () =>
        !node
          .held()
          .flat()
          .includes(before[0] ?? -1),
    )
    await turns()
  }
  for (const { calls } of node.requests.filter(({ calls }) => calls[0]?.method === 'eth_call'))
    order.push(...calls.map(({ params }) => numberOf(params[0])))
  const of = (from: number) => order.filter((number) => number >= from && number < from + 100)
  for (const from of [0, 100]) {
    t.strictSame(
      of(from),
      of(from).toSorted((a, b) => a - b),
      'in their order',
    )
  }
  t.ok(of(100).length >= 4, `${order}`)
})

t.test('waiting calls of constant cost share requests round robin', async (t) => {
  const node = await startHolding('eth_getBalance')
  const upstream = await startUpstream(t, [node], {
    settings: { ...unchecked, connections: 2, smallTryMs: waitMs, gatherMs: 0 },
  })
  // The only connection that one user may have, and the last one.
  ask(upstream, 'eth_getBalance', 'first', 0, 1)
  await until(() => node.held().length === 1)
  ask(upstream, 'eth_getBalance', 'second', 100, 1)
  await until(() => node.held().length === 2)
  const waiting = [
    ask(upstream, 'eth_getBalance', 'first', 1, 200),
    ask(upstream, 'eth_getBalance', 'third', 300, 3),
    ask(upstream, 'eth_getBalance', 'fourth', 400, 2),
  ]
  await until(() => waiting.every(({ queued, calls }) => queued() === calls.length))
  node.release(100)
  await until(() => node.held().length === 2 && node.held()[1]?.includes(300))
  t.strictSame(node.held()[1], [300, 400, 301, 401, 302], 'the first user has its connection already')
})

t.test('an answered call makes room for the next one of its user', async (t) => {
  for (const method of methods) {
    const node = await startNodeServer()
    const upstream = await startUpstream(t, [node])
    const { calls, queued } = ask(upstream, method, 'user', 1, 300)
    const answers = await Promise.all(calls.map(({ answer }) => answer))
    t.strictSame(
      answers.map((answer) => Number((answer as { result: string }).result)),
      calls.map((_, at) => at + 1),
    )
    t.equal(queued(), 0)
    t.equal(upstream.status()[0]?.inFlight, 0)
  }
})

t.test('calls whose callers have disconnected keep their turns until the node answers', async (t) => {
  for (const method of methods) {
    const node = await startHolding(method)
    const upstream = await startUpstream(t, [node])
    const leaving = new AbortController()
    const left = ask(upstream, method, 'user', 0, method === 'eth_call' ? 20 : 400, {
      signal: leaving.signal,
    })
    await until(() => node.held().length === 4 && left.queued() > 0)
    const [first = [], ...others] = node.held()
    const staying = ask(upstream, method, 'user', 1_000, 1)
    await until(() => staying.queued() === 1)
    leaving.abort(new DOMException('left', 'AbortError'))
    for (const { answer } of left.calls) t.match(await answer, { name: 'AbortError' })
    t.equal(left.queued(), 0, 'calls that were not sent leave the queue')
    await turns()
    t.strictSame(node.held(), [first, ...others], 'the node works on these')
    t.equal(staying.queued(), 1)
    const other = ask(upstream, method, 'other', 2_000, 1)
    await until(() => node.held().length === 5)
    node.release(first[0] ?? -1)
    await until(() => node.held().flat().includes(1_000))
    t.strictSame(node.held(), [...others, [2_000], [1_000]])
    node.release(1_000)
    node.release(2_000)
    await until(() => staying.answered.length === 1 && other.answered.length === 1)
    t.equal(upstream.status()[0]?.inFlight, 0)
  }
})

t.test('a call whose caller has disconnected ends at its deadline', async (t) => {
  const node = await startHolding('eth_call')
  const upstream = await startUpstream(t, [node], { timeoutMs: 2_000 })
  const caller = new AbortController()
  const left = ask(upstream, 'eth_call', 'user', 0, 1, { signal: caller.signal })
  await until(() => node.held().length === 1)
  caller.abort(new DOMException('left', 'AbortError'))
  for (const { answer } of left.calls) t.match(await answer, { name: 'AbortError' })
  await until(() => node.held().length === 0)
  t.equal(upstream.status()[0]?.failures, 0)
})

t.test('a call of several users counts for the one who fares best', async (t) => {
  const node = await startHolding('eth_call')
  const upstream = await startUpstream(t, [node])
  const busy = ask(upstream, 'eth_call', 'busy', 0, 20)
  await until(() => node.held().length === 4 && busy.queued() === 16)
  ask(upstream, 'eth_call', ['busy', 'idle'], 100, 1)
  await until(() => node.held().some(([number]) => number === 100))
  ask(upstream, 'eth_call', ['busy'], 200, 1)
  await turns()
  t.equal(node.held().length, 5)
})

t.test('callers who read their logs slowly leave connections to others', async (t) => {
  const node = await startNodeServer({
    fault({ calls: [call] }, response) {
      if (call?.method !== 'eth_getLogs') return false
      response.end(`{"jsonrpc":"2.0","id":${call.id},"result":[${logText(7, 0)}]}`)
      return true
    },
  })
  const upstream = await startUpstream(t, [node])
  let begun = 0
  let goOn = () => {}
  const reading = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const receiver = {
    take: () => {
      begun++
      return reading
    },
    restart: () => false,
  }
  const slow = ask(upstream, 'eth_getLogs', 'slow', 0, 20, { logs: receiver })
  await until(() => begun === 4 && slow.queued() === 16)
  const other = ask(upstream, 'eth_call', 'other', 100, 1)
  await until(() => other.answered.length === 1)
  t.equal(begun, 4)
  goOn()
  await until(() => slow.answered.length === 20)
})

t.test('calls of the service itself go first, and checks need no turn', async (t) => {
  const node = await startHolding('eth_call')
  const upstream = await startUpstream(t, [node])
  for (const user of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) ask(upstream, 'eth_call', user, 0, 1)
  await until(() => node.held().length === 8)
  const user = ask(upstream, 'eth_call', 'i', 100, 1)
  await until(() => user.queued() === 1)
  ask(upstream, 'eth_call', [], 200, 1)
  t.equal(await upstream.ready(), 'ok')
  node.release(0)
  await until(() => node.held().some(([number]) => number === 200))
  t.equal(user.queued(), 1)
})

t.test('a hung node delays only the calls that it received', async (t) => {
  for (const method of methods) {
    const hung = await startHolding(method)
    const other = await startNodeServer()
    const upstream = await startUpstream(t, [hung, other])
    const count = method === 'eth_call' ? 200 : 2_000
    const { answered, queued } = ask(upstream, method, 'user', 1, count)
    await until(() => answered.length + hung.held().flat().length === count)
    t.ok(answered.length > 0)
    t.ok(hung.held().length <= 4, `${hung.held().length} requests`)
    t.equal(queued(), 0)
    const next = ask(upstream, method, 'next', 5_000, 1)
    await until(() => next.answered.length === 1)
  }
})

t.test('calls that wait at a node go elsewhere when it fails', async (t) => {
  const failing = await startHolding('eth_call')
  const other = await startHolding('eth_call')
  const upstream = await startUpstream(t, [failing, other], {
    settings: { ...unchecked, checkEveryMs: 20, checkAgainMs: 10, connections: 8, retryMs: waitMs },
  })
  const user = ask(upstream, 'eth_call', 'user', 0, 40)
  await until(() => failing.held().length === 4 && other.held().length === 4 && user.queued() === 32)
  await failing.close()
  await until(() => upstream.status()[0]?.state === 'unreachable' && upstream.status()[0]?.inFlight === 0)
  await until(() => upstream.status()[1]?.inFlight === 40)
  await upstream.close()
  await Promise.all(user.calls.map(({ answer }) => answer))
  t.equal(user.queued(), 0, 'closing rejects the waiting calls')
})

t.test('a call that waits for its turn until its deadline is not a failure of the node', async (t) => {
  const node = await startHolding('eth_call')
  const upstream = await startUpstream(t, [node], { timeoutMs: 2_000 })
  const user = ask(upstream, 'eth_call', 'user', 0, 400)
  const answers = await Promise.all(user.calls.map(({ answer }) => answer))
  for (const answer of answers) t.match(answer, { code: -32002, httpStatus: 504 })
  const failures = upstream.status()[0]?.failures ?? 0
  t.ok(failures >= 4 && failures < 400, `${failures} calls were sent`)
})
