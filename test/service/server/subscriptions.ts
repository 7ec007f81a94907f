import { once } from 'node:events'
import t from 'tap'
import { WebSocket } from 'ws'
import { type HandlerCall, RpcError } from '../../../src/runtime/rpc/index.js'
import { createService } from '../../../src/runtime/server/index.js'
import { until } from '../../support/until.js'
import { method } from '../../unit/runtime/server/calculator.js'
import {
  type Count,
  connect,
  counter,
  create,
  id,
  isAnything,
  isNumber,
  isText,
  methods,
  withExtensions,
} from './connection-harness.js'
import { call } from './server-harness.js'

t.test('the answer comes first, then every item in order, then the end', async (t) => {
  const ends: string[] = []
  const { send, received, find } = await connect(t, create(counter(ends)).service)
  send(call('count', [3]))
  await find(({ method }) => method === 'ended')
  const subscription = received[0]?.result
  t.match(subscription, /^0x[1-9a-f][0-9a-f]{31}$/)
  t.match(received, [
    { id: 1 },
    ...[1, 2, 3].map((result) => ({ method: 'counted', params: { subscription, result } })),
    { method: 'ended', params: { subscription } },
  ])
  t.equal(received.length, 5)
  t.same(ends, ['done'])
})

t.test('a subscription ends on unsubscribe, and its id is unknown afterwards', async (t) => {
  const ends: string[] = []
  const { send, find, received } = await connect(t, create(counter(ends)).service)
  send(call('count', [10], 1))
  await find(({ params }) => params?.result === 10)
  send(call('stop', [received[0]?.result], 2))
  t.equal((await find(({ id }) => id === 2)).result, true)
  await until(() => ends.length > 0)
  t.same(ends, ['aborted'])
  send(call('stop', [received[0]?.result], 3))
  t.equal((await find(({ id }) => id === 3)).result, false)
  t.notOk(received.some(({ method }) => method === 'ended'))
})

t.test('subscriptions and calls end on disconnect', async (t) => {
  const ends: string[] = []
  const { service, aborted, waiting, reports } = create(counter(ends))
  const { send, find, socket } = await connect(t, service)
  send(`[${call('count', [10], 1)},${call('count', [11], 2)}]`)
  await find(({ params }) => params?.result === 11)
  send(call('wait', []))
  await until(() => waiting.length > 0)
  socket.terminate()
  await until(() => ends.length === 2 && aborted.length === 1)
  t.same([ends, aborted], [['aborted', 'aborted'], ['AbortError']])
  t.same(reports, [])
})

t.test('a refused subscription is an error, and an invalid item ends it and is reported', async (t) => {
  const refused = create(() => Promise.reject(new RpcError({ code: 9, message: 'No' })))
  const one = await connect(t, refused.service)
  one.send(call('count', [1]))
  t.match(await one.find(({ id }) => id === 1), { error: { code: 9 } })
  const broken = create(async function* () {
    yield 1
    yield 'no number'
  })
  const two = await connect(t, broken.service)
  two.send(call('count', [1]))
  await until(() => broken.reports.length > 0)
  t.match(broken.reports, [{ method: 'count', cause: { message: /must be a number/ } }])
  two.send(call('quadruple', ['x'], 2))
  await two.find(({ id }) => id === 2)
  t.equal(two.received.filter(({ method }) => method === 'counted').length, 1)
})

t.test('a subscription whose id no caller learns does not start', async (t) => {
  const started: number[] = []
  const count: Count = async function* ({ to }) {
    started.push(to)
    yield to
  }
  const { service, reports } = create(count)
  const { send, find, received } = await connect(t, service)
  send(JSON.stringify({ jsonrpc: '2.0', method: 'count', params: [1] }))
  send(`[${JSON.stringify({ jsonrpc: '2.0', method: 'count', params: [2] })},${call('count', [3], 3)}]`)
  await find(({ method }) => method === 'ended')
  t.same(started, [3], 'notifications do not subscribe')
  t.equal(received.length, 3, 'the answer, the item and the end')
  t.same(reports, [])

  const narrow = {
    ...methods,
    count: {
      ...methods.count,
      validateResult: () => [{ path: '', rule: 'maxLength', message: 'is too long' }],
    },
  }
  const refusing = create(count, { methods: narrow })
  const other = await connect(t, refusing.service)
  other.send(call('count', [4], 4))
  t.match(await other.find((message) => message.id === 4), { error: { code: -32603 } })
  other.send(call('stop', ['0x1'], 5))
  await other.find((message) => message.id === 5)
  t.same(started, [3], 'the handler is not called')
  t.match(refusing.reports, [{ method: 'count', problems: [{ message: 'is too long' }] }])
})

t.test('a failing iterable ends its subscription only, and the caller is notified', async (t) => {
  const count: Count = ({ to }) => ({
    [Symbol.asyncIterator]: () => ({
      next: () => (to === 1 ? Promise.reject(new Error('broken')) : new Promise(() => undefined)),
      return() {
        throw new Error('no cleanup')
      },
    }),
  })
  const { service, reports } = create(count)
  const { send, find, socket } = await connect(t, service)
  send(call('count', [1], 1))
  const { result } = await find((message) => message.id === 1)
  t.match(await find(({ method }) => method === 'ended'), { params: { subscription: result } })
  send(call('count', [2], 2))
  const second = await find((message) => message.id === 2)
  send(call('stop', [second.result], 3))
  t.equal((await find((message) => message.id === 3)).result, true, 'cleanup that throws does no harm')
  send(call('count', [2], 4))
  await find((message) => message.id === 4)
  socket.terminate()
  await once(socket, 'close')
  t.match(reports, [{ method: 'count', cause: { message: 'broken' } }])
})

t.test('a disconnect while a subscription is prepared ends it', async (t) => {
  const events: string[] = []
  let prepared = (): void => undefined
  const count = ((_: object, __: undefined, { signal }: HandlerCall) => {
    signal.addEventListener('abort', () => events.push('aborted'))
    events.push('called')
    return new Promise((resolve) => {
      prepared = () =>
        resolve({
          [Symbol.asyncIterator]: () => ({
            next: async () => events.push('next'),
            return: async () => events.push('returned'),
          }),
        })
    })
  }) as unknown as Count
  const { socket, send } = await connect(t, create(count).service)
  send(call('count', [1], 1))
  await until(() => events.length > 0)
  socket.terminate()
  await until(() => events.includes('aborted'))
  prepared()
  await until(() => events.includes('returned'))
  t.same(events, ['called', 'aborted', 'returned'])
})

t.test('a subscription ends by its own unsubscribe method, on its own connection', async (t) => {
  const both = {
    ...methods,
    watch: withExtensions(method('watch', [{ name: 'to', check: isNumber }], { result: isText }), {
      'x-subscription': { notification: 'counted', unsubscribe: 'unwatch' },
    } as const),
    unwatch: method('unwatch', [id], { result: isAnything }),
  }
  const handlers = { count: counter([]), watch: counter([]), quadruple: () => 1, wait: () => null }
  const service = createService<undefined>({ methods: both, handlers: handlers as never })
  const one = await connect(t, service as never)
  const two = await connect(t, service as never)
  one.send(call('count', [10], 1))
  const { result } = await one.find((message) => message.id === 1)
  two.send(call('stop', [result], 2))
  t.equal((await two.find((message) => message.id === 2)).result, false, 'another connection')
  one.send(call('unwatch', [result], 3))
  t.equal((await one.find((message) => message.id === 3)).result, false, 'another method')
  one.send(call('stop', [result], 4))
  t.equal((await one.find((message) => message.id === 4)).result, true)
})

t.test('1,000 subscriptions of one connection end with it', async (t) => {
  const ends: string[] = []
  const { send, socket, received } = await connect(t, create(counter(ends)).service)
  for (let at = 0; at < 1_000; at++) send(call('count', [10], at))
  await until(() => received.filter(({ params }) => params?.result === 10).length === 1_000)
  t.equal(new Set(received.map(({ params }) => params?.subscription)).size, 1_001)
  socket.terminate()
  await until(() => ends.length === 1_000)
  t.same(new Set(ends), new Set(['aborted']))
})

t.test('a slow reader gets items one by one, and is disconnected when it reads nothing', async (t) => {
  const ends: string[] = []
  let delivered = 0
  const count: Count = async function* (_, __, { signal }) {
    try {
      for (; !signal.aborted; delivered++) yield 0.5
    } finally {
      ends.push('ended')
    }
  }
  const { service } = create(count, { limits: { answerStallSeconds: 1 } })
  const { send, socket, endpoint } = await connect(t, service)
  socket.pause()
  send(call('count', [1]))
  const [own] = await until(() => endpoint.connections.size > 0 && [...endpoint.connections])
  let highest = 0
  await until(() => {
    highest = Math.max(highest, own?.bufferedAmount ?? 0)
    return ends.length > 0
  })
  t.ok(delivered > 0)
  t.ok(highest < 100_000, `${highest} bytes wait in the process`)
  await until(() => endpoint.connections.size === 0)
})

t.test('an iterable without pauses leaves the event loop to others', async (t) => {
  let turn = 0
  let immediate = setImmediate(function next() {
    turn += 1
    immediate = setImmediate(next)
  })
  t.teardown(() => clearImmediate(immediate))
  const turns: number[] = []
  const count: Count = async function* ({ to }) {
    for (let at = 1; at <= to; at++) {
      turns.push(turn)
      yield at
    }
  }
  const { send, find } = await connect(t, create(count).service)
  send(call('count', [100]))
  await find(({ method }) => method === 'ended')
  t.equal(new Set(turns).size, 100, 'each item is read in another turn')
})

t.test('slow readers are disconnected, and quick ones get every item in order', async (t) => {
  let ended = 0
  const count: Count = async function* ({ to }, _, { signal }) {
    try {
      for (let at = 1; at <= to || to === 0; at++) yield at
    } finally {
      ended += Number(signal.aborted)
    }
  }
  const { service } = create(count, { limits: { answerStallSeconds: 1 } })
  const { send, find, received, endpoint, origin } = await connect(t, service)
  const slow = Array.from({ length: 3 }, () => new WebSocket(`ws://${origin}/ws`))
  for (const socket of slow) {
    t.teardown(() => socket.terminate())
    await once(socket, 'open')
    socket.pause()
    socket.send(call('count', [0]))
  }
  let waiting = 0
  const look = setInterval(() => {
    for (const { bufferedAmount } of endpoint.connections) waiting = Math.max(waiting, bufferedAmount)
  })
  t.teardown(() => clearInterval(look))
  const items = 2_000
  send(call('count', [items]))
  await find(({ method }) => method === 'ended')
  const numbers = received.flatMap(({ params }) => params?.result ?? [])
  t.same(
    numbers,
    Array.from({ length: items }, (_, at) => at + 1),
  )
  await until(() => endpoint.connections.size === 1)
  await until(() => ended === slow.length)
  t.ok(waiting < 1_000, `${waiting} bytes of a connection wait: at most one notification`)
})
