import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import type { HandlerCall } from '../../../src/runtime/rpc/index.js'
import { createFetchHandler } from '../../../src/runtime/server/fetch/index.js'
import { createService, defaultLimits, type Limits } from '../../../src/runtime/server/index.js'
import { mountWebSocket } from '../../../src/runtime/server/web-socket/index.js'
import { until } from '../../support/until.js'
import { method } from '../../unit/runtime/server/calculator.js'
import { methods as directed, isAnything, isNumber } from './connection-harness.js'
import { call } from './server-harness.js'
import { listening } from './transport-harness.js'

const methods = {
  four: method('four', [], { result: isAnything }),
  wait: method('wait', [], { result: isAnything }),
  double: directed.double,
  quadruple: method('quadruple', [{ name: 'value', check: isNumber }]),
}

interface ClientMethods {
  readonly double: { readonly params: { readonly value: number }; readonly result: number }
}

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

const memoryBytes = 1_000_000
/** A body of this size needs memory, and more than a quarter of it. */
const large = 400_000

/** A service whose callers share it. Its method `wait` returns when the test lets it. */
function create(limits: Partial<Limits> = {}, bodyBytes = memoryBytes) {
  const waiting: (() => void)[] = []
  const service = createService<string>({
    methods,
    handlers: {
      four: () => 4,
      wait: () => new Promise<number>((resolve) => waiting.push(() => resolve(4))),
      quadruple: async ({ value }: { value: number }, _: string, { peer }: HandlerCall<ClientMethods>) =>
        2 * (await peer.request('double', { value })),
    },
    limits: { ...defaultLimits, ...limits },
    sharing: {
      caller: (user) => user,
      memory: { bodyBytes, queuedBytes: bodyBytes, answerBytes: bodyBytes },
    },
  })
  return { service, waiting }
}

/** A server of such a service. `connect` opens a connection of a user. */
async function serve(t: Test, limits?: Partial<Limits>, bodyBytes?: number) {
  const { service, waiting } = create(limits, bodyBytes)
  const server = createHttpServer()
  const context = ({ url = '' }: { readonly url?: string | undefined }) => url
  const endpoint = mountWebSocket(server, { service, context, path: '*' })
  const origin = await listening(t, server)
  t.teardown(() => endpoint.close())
  const connect = async (user: string) => {
    const socket = new WebSocket(`ws://${origin}/${user}`)
    t.teardown(() => socket.terminate())
    const received: Message[] = []
    socket.on('message', (data) => received.push(JSON.parse(String(data))))
    await once(socket, 'open')
    return {
      socket,
      received,
      send: (text: string) => socket.send(text),
      find: (test: (message: Message) => unknown) => until(() => received.find(test)),
    }
  }
  return { connect, service, waiting }
}

t.test('all connections of a caller share its places, and other callers have their own', async (t) => {
  const { connect, waiting, service } = await serve(t, { requestsAtOncePerUser: 1, queuedRequestsPerUser: 1 })
  const [first, second, other] = [await connect('ada'), await connect('ada'), await connect('bob')]
  first.send(call('wait', [], 1))
  await until(() => waiting.length === 1)
  second.send(call('four', [], 2))
  await until(() => service.queued() === 1)
  first.send(call('four', [], 3))
  t.match(await first.find(({ id }) => id === 3), { error: { code: -32005 } }, 'the queue is full')
  other.send(call('four', [], 4))
  t.match(await other.find(({ id }) => id === 4), { result: 4 })
  t.same(second.received, [], 'the second call waits for the place')
  waiting[0]?.()
  t.match(await first.find(({ id }) => id === 1), { result: 4 })
  t.match(await second.find(({ id }) => id === 2), { result: 4 })
})

t.test('a disconnect frees the places and the memory of waiting calls', async (t) => {
  const { connect, waiting, service } = await serve(t, { requestsAtOncePerUser: 1 })
  const [first, second] = [await connect('ada'), await connect('ada')]
  first.send(call('wait', [], 1))
  await until(() => waiting.length === 1)
  second.send(call('four', [], 2).padEnd(large))
  await until(() => service.queued() === 1)
  second.socket.terminate()
  await until(() => service.queued() === 0)
  waiting[0]?.()
  await first.find(({ id }) => id === 1)
  first.send(call('four', [], 3).padEnd(memoryBytes))
  t.match(await first.find(({ id }) => id === 3), { result: 4 }, 'the whole memory is free')
})

t.test('responses of the caller need no place, however large they are', async (t) => {
  const { connect } = await serve(t, { requestsAtOncePerUser: 1 })
  const { send, find, received } = await connect('ada')
  for (const size of [0, large]) {
    received.length = 0
    send(call('quadruple', [3], size))
    const asked = await find(({ method }) => method === 'double')
    send(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result: 6 }).padEnd(size))
    t.match(await find(({ id }) => id === size), { result: 12 })
  }
})

t.test('large messages share memory, and a refused one is answered with its id', async (t) => {
  const { connect, waiting } = await serve(t)
  const [first, second, other] = [await connect('ada'), await connect('ada'), await connect('bob')]
  first.send(call('wait', [], 1).padEnd(large))
  await until(() => waiting.length === 1)
  second.send(call('four', [], 2).padEnd(large))
  t.match(await second.find(({ id }) => id === 2), { error: { message: /large/i } })
  second.send(call('four', [], 3))
  t.match(await second.find(({ id }) => id === 3), { result: 4 }, 'small messages need no memory')
  other.send(call('four', [], 4).padEnd(large))
  t.match(await other.find(({ id }) => id === 4), { result: 4 })
  waiting[0]?.()
  await first.find(({ id }) => id === 1)
  second.send(call('four', [], 5).padEnd(large))
  t.match(await second.find(({ id }) => id === 5), { result: 4 }, 'the answer has freed the memory')
})

t.test('a connection receives many large messages, which wait for the pace of all bodies', async (t) => {
  const { connect } = await serve(t, {}, 100 * memoryBytes)
  const { send, received } = await connect('ada')
  const ids = Array.from({ length: 12 }, (_, at) => at + 1)
  for (const id of ids) send(call('four', [], id).padEnd(large))
  await until(() => received.length === ids.length)
  t.same(
    received.map(({ id, result }) => [Number(id), result]).sort(([a = 0], [b = 0]) => Number(a) - Number(b)),
    ids.map((id) => [id, 4]),
  )
})

t.test('a handler of the Fetch standard frees the memory of a body with its answer', async (t) => {
  const { service } = create()
  const handle = createFetchHandler({ service, context: () => 'ada' })
  const headers = { 'content-type': 'application/json', 'content-length': String(memoryBytes) }
  for (const id of [1, 2, 3]) {
    const body = call('four', [], id).padEnd(memoryBytes)
    const answer = await handle(new Request('http://localhost/', { method: 'POST', headers, body }))
    t.match(await answer.json(), { id, result: 4 })
  }
})
