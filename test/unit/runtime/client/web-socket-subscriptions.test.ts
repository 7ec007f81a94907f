import { once } from 'node:events'
import t, { type Test } from 'tap'
import type {
  ConnectOptions,
  Gap,
  SubscriptionOptions,
} from '../../../../src/runtime/client/web-socket/index.js'
import { until } from '../../../support/until.js'
import { generatedConnect, startCounters, ws } from './web-socket-server.js'

const connect = await generatedConnect(t)
const soon = { delayMilliseconds: 5, maxDelayMilliseconds: 20, attempts: 1_000 }

async function connected(t: Test, options: ConnectOptions = {}) {
  const server = await startCounters(t)
  const client = await connect(server.url, { ...ws, ...options })
  t.teardown(() => client.close_())
  return { server, client }
}

/** A subscription to a topic that the server has confirmed, and its first item. */
async function watching(t: Test, subscription: SubscriptionOptions = {}, options: ConnectOptions = {}) {
  const { server, client } = await connected(t, options)
  const items = client.watch('news', subscription)
  const first = items.next()
  await once(server.events, 'watch')
  return { server, client, items, first }
}

t.test('an iteration yields all items, and ends when the server ends it', async (t) => {
  const { client } = await connected(t)
  const items: number[] = []
  for await (const item of client.count({ to: 300 })) items.push(item)
  t.same(
    items,
    Array.from({ length: 300 }, (_, at) => at + 1),
  )
})

t.test('subscriptions of one notification do not mix', async (t) => {
  const { client } = await connected(t)
  const read = async (to: number) => {
    const items: number[] = []
    for await (const item of client.count({ to })) items.push(item)
    return items.length
  }
  t.same(await Promise.all([5, 50, 1, 0].map(read)), [5, 50, 1, 0])
})

t.test('nothing is subscribed before the iteration, and break unsubscribes', async (t) => {
  const { server, client } = await connected(t)
  const unused = client.watch('unused')
  await client.math.add(1, 2)
  t.equal(server.watching(), 0)
  t.same(await unused.return?.(), { done: true, value: undefined })
  t.same(await unused.next(), { done: true, value: undefined })
  server.events.once('watch', () => setImmediate(() => server.publish(7)))
  for await (const item of client.watch('news')) {
    t.equal(item, 7)
    break
  }
  await once(server.events, 'unwatch')
  t.equal(server.watching(), 0)
})

t.test('a refused subscription rejects the iteration', async (t) => {
  const { client } = await connected(t)
  await t.rejects(client.watch('a topic that is too long').next(), { code: -32602, method: 'watch' })
})

t.test('a signal ends the iteration with its reason', async (t) => {
  const controller = new AbortController()
  const { server, first, items, client } = await watching(t, { signal: controller.signal })
  const reason = new Error('enough')
  const ended = once(server.events, 'unwatch')
  controller.abort(reason)
  await t.rejects(first, reason)
  t.same(await items.next(), { done: true, value: undefined }, 'the error is thrown once')
  await ended
  await t.rejects(client.watch('news', { signal: controller.signal }).next(), reason, 'aborted before')
})

t.test('ending an iteration before the server has confirmed unsubscribes', async (t) => {
  const { server, client } = await connected(t)
  const items = client.watch('news')
  const first = items.next()
  const ended = once(server.events, 'unwatch')
  await items.return?.()
  t.same(await first, { done: true, value: undefined })
  await ended
})

t.test('several calls of next get the items in order', async (t) => {
  const { server, items, first } = await watching(t)
  const more = [first, items.next(), items.next()]
  for (const item of [1, 2, 3]) server.publish(item)
  t.same(
    (await Promise.all(more)).map(({ value }) => value),
    [1, 2, 3],
  )
})

for (const [sent, isFull] of [
  [3, false],
  [4, true],
] as const) {
  t.test(`a buffer of three with ${sent} items`, async (t) => {
    const publishAll = async ({ server, first, client }: Awaited<ReturnType<typeof watching>>) => {
      server.publish(0)
      await first
      for (let item = 1; item <= sent; item++) server.publish(item)
      // The answer follows the notifications.
      for (let at = 0; at < 3; at++) await client.math.add(1, 2)
    }

    t.test('without onGap', async (t) => {
      const watched = await watching(t, { bufferItems: 3 })
      await publishAll(watched)
      const { items } = watched
      t.same(
        [await items.next(), await items.next(), await items.next()].map(({ value }) => value),
        [1, 2, 3],
      )
      if (isFull)
        await t.rejects(items.next(), { message: /watch: more than 3 items wait .* increase bufferItems/ })
      else t.equal(watched.server.watching(), 1)
    })

    t.test('with onGap', async (t) => {
      const gaps: Gap[] = []
      const watched = await watching(t, { bufferItems: 3, onGap: (gap) => gaps.push(gap) })
      await publishAll(watched)
      t.same(gaps, [], 'the gap is reported in its place')
      const { items } = watched
      t.equal((await items.next()).value, isFull ? 2 : 1)
      t.same(gaps, isFull ? ['overflow'] : [])
      t.equal((await items.next()).value, isFull ? 3 : 2)
      t.same(gaps, isFull ? ['overflow'] : [], 'once')
    })
  })
}

t.test('bufferItems must be greater than 0', async (t) => {
  const { client } = await connected(t)
  t.throws(() => client.watch('news', { bufferItems: 0 }), RangeError)
})

t.test('with onGap, an iteration survives servers that are killed and restarted', async (t) => {
  const log: unknown[] = []
  const onGap = (gap: Gap) => log.push(gap)
  const { server, client, items, first } = await watching(t, { onGap }, { reconnect: soon })
  server.publish(1)
  log.push((await first).value)
  let port = server
  for (const item of [2, 3]) {
    const next = items.next()
    await port.kill()
    port = await startCounters(t, server.port)
    await once(port.events, 'watch')
    await until(() => log.length === 2 * item - 2)
    port.publish(item)
    log.push((await next).value)
  }
  t.same(log, [1, 'reconnect', 2, 'reconnect', 3])
  const ended = once(port.events, 'unwatch')
  await items.return?.()
  await ended
  t.equal(client.state, 'open')
})

t.test('items before the loss are delivered before the gap', async (t) => {
  const log: unknown[] = []
  const { server, client, items, first } = await watching(
    t,
    { onGap: (gap) => log.push(gap) },
    { reconnect: soon },
  )
  for (const item of [1, 2, 3]) server.publish(item)
  await first
  for (let at = 0; at < 3; at++) await client.math.add(1, 2)
  await server.kill()
  const again = await startCounters(t, server.port)
  await once(again.events, 'watch')
  again.publish(4)
  for (let at = 0; at < 3; at++) log.push((await items.next()).value)
  t.same(log, [2, 3, 'reconnect', 4])
})

t.test('an iteration that begins while no connection is open subscribes once', async (t) => {
  for (const subscription of [{}, { onGap: (gap: Gap) => t.fail(`a gap: ${gap}`) }]) {
    const { server, client } = await connected(t, { reconnect: soon })
    await server.kill()
    await until(() => client.state === 'reconnecting')
    const items = client.watch('news', subscription)
    const first = items.next()
    const again = await startCounters(t, server.port)
    await once(again.events, 'watch')
    await client.math.add(1, 2)
    t.equal(again.watching(), 1)
    again.publish(1)
    again.publish(2)
    t.same([(await first).value, (await items.next()).value], [1, 2])
    const ended = once(again.events, 'unwatch')
    await items.return?.()
    await ended
    t.equal(again.watching(), 0)
  }
})

t.test('without onGap, or without reconnecting, a lost connection ends the iteration', async (t) => {
  for (const [subscription, reconnect] of [
    [{}, soon],
    [{ onGap: () => undefined }, false],
  ] as const) {
    const { server, items, first } = await watching(t, subscription, { reconnect })
    server.publish(1)
    await first
    const next = items.next()
    const failed = t.rejects(next, {
      ...{ name: 'TransportError', kind: 'network', method: 'watch' },
      message: /the connection was lost/,
    })
    await server.kill()
    await failed
    t.same(await items.next(), { done: true, value: undefined })
  }
})

t.test('a subscription that the new server refuses ends the iteration with its error', async (t) => {
  const { server, client } = await connected(t, { reconnect: soon })
  const items = client.count({ to: 1_000_000 }, { onGap: () => undefined, bufferItems: 10 })
  t.equal((await items.next()).value, 1)
  await server.kill()
  await startCounters(t, server.port, { refuse: true })
  const ended = async () => {
    for (;;) if ((await items.next()).done) return
  }
  await t.rejects(ended(), { code: -32602, method: 'count' })
})

t.test('an error of onGap ends the iteration', async (t) => {
  const error = new Error('no gaps here')
  const { server, items, first } = await watching(
    t,
    {
      onGap() {
        throw error
      },
    },
    { reconnect: soon },
  )
  server.publish(1)
  await first
  const next = items.next()
  await server.kill()
  const again = await startCounters(t, server.port)
  await t.rejects(next, error)
  await until(() => again.watching() === 0)
})
