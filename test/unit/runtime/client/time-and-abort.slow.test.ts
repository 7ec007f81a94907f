import { getEventListeners, once } from 'node:events'
import t from 'tap'
import { TransportError } from '../../../../src/runtime/client/index.js'
import { type Answer, caught, clientOf, json, serve } from './rpc-server.js'

const silent: Answer = () => undefined
/** Sends the head and half of the body, then stalls. */
const half: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"jsonrpc":"2.0",')
}

t.test('an incomplete answer times out, and the connection is closed', async (t) => {
  for (const [name, answer] of Object.entries({ silent, half })) {
    const { url, all, origin } = await serve(t, answer)
    const found = await caught(clientOf(url, { timeoutMilliseconds: 1500 }).add(1, 2))
    t.ok(found instanceof TransportError, name)
    t.match(
      found,
      { kind: 'timeout', method: 'add', message: `${origin} within 1500 ms. Try again, or increase` },
      name,
    )
    const socket = all[0]?.request.socket
    if (socket && !socket.destroyed) await once(socket, 'close')
    t.ok(socket?.destroyed, `${name}: the server sees the disconnect`)
  }
})

t.test("a call's timeout overrides the client's", async (t) => {
  const { url } = await serve(t, half)
  const patient = clientOf(url)
  await t.rejects(patient.add(1, 2, 3, { timeoutMilliseconds: 40 }), { kind: 'timeout', message: /40 ms/ })
  const late = await caught(patient.batch((call) => [call.add(1)], { timeoutMilliseconds: 40 }))
  t.match(late, { kind: 'timeout', method: undefined })
  await t.rejects(patient.add(1, 2, 3, { timeoutMilliseconds: Number.NaN }), { name: 'RangeError' })
})

t.test('Infinity, and timeouts longer than a timer allows, wait without a limit', async (t) => {
  const { url } = await serve(t, json({ jsonrpc: '2.0', id: 1, result: 'here' }))
  for (const timeoutMilliseconds of [Number.POSITIVE_INFINITY, 2 ** 31]) {
    t.equal(await clientOf(url, { timeoutMilliseconds }).add(1), 'here')
  }
})

t.test("an aborted signal rejects with the signal's reason at every stage", async (t) => {
  const reasons = [undefined, new Error('enough'), 'a word']
  for (const reason of reasons) {
    for (const [name, answer] of Object.entries({ silent, half })) {
      const controller = new AbortController()
      const { url, all, server } = await serve(t, (came, response) => {
        answer(came, response)
        controller.abort(reason)
      })
      const found = await caught(clientOf(url).add(1, 2, 3, { signal: controller.signal }))
      t.ok(found === controller.signal.reason, `${name}: ${String(found)}`)
      t.equal(all.length, 1)
      t.ok(server.listening)
    }
  }
})

t.test("the caller's reason is returned unchanged, and a custom fetch never receives it", async (t) => {
  const { url } = await serve(t, silent)
  const reason = Object.assign(new Error('enough'), { mine: { a: 1 } })
  const before = { ...Object.getOwnPropertyDescriptors(reason) }
  const controller = new AbortController()
  let seen: AbortSignal | undefined
  const spy = (address: string, request: RequestInit) => {
    seen = request.signal ?? undefined
    return fetch(address, request)
  }
  const sent = clientOf(url, { fetch: spy }).add(1, 2, 3, { signal: controller.signal })
  controller.abort(reason)
  t.ok((await caught(sent)) === reason)
  await new Promise((resolve) => setImmediate(resolve))
  t.same(Object.getOwnPropertyDescriptors(reason), before)
  t.match(seen?.reason, { name: 'AbortError' })
})

t.test('an aborted signal sends nothing', async (t) => {
  const { url, all } = await serve(t, silent)
  const signal = AbortSignal.abort('before')
  const client = clientOf(url)
  for (const sent of [
    () => client.add(1, 2, 3, { signal }),
    () => client.seen(1, { signal }),
    () => client.batch((call) => [call.add(1)], { signal }),
  ]) {
    t.equal(await caught(sent()), 'before')
  }
  t.same(all, [])
})

t.test('the call rejects even when a custom fetch ignores the signal', async (t) => {
  const never = () => new Promise<never>(() => undefined)
  const client = clientOf('http://127.0.0.1/', { fetch: never, timeoutMilliseconds: 40 })
  t.match(await caught(client.add(1)), { kind: 'timeout' })
  const controller = new AbortController()
  const sent = client.add(1, 2, 3, { signal: controller.signal, timeoutMilliseconds: 60_000 })
  controller.abort('enough')
  t.equal(await caught(sent), 'enough')
})

t.test('many calls may share a signal, without a warning and with one listener while they run', async (t) => {
  const { url } = await serve(t, ({ sent }, response) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id: sent.id, result: 1 })),
  )
  const { signal } = new AbortController()
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  const client = clientOf(url)
  const sent = Array.from({ length: 20 }, () => client.add(1, 2, 3, { signal }))
  t.equal(getEventListeners(signal, 'abort').length, 1)
  await Promise.all(sent)
  t.equal(getEventListeners(signal, 'abort').length, 0)
  t.same(warnings, [])
})
