import { PassThrough } from 'node:stream'
import t, { type Test } from 'tap'
import {
  CancellationTokenSource,
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node'
import type { HandlerCall, JsonValue } from '../../../src/runtime/rpc/index.js'
import { RpcError } from '../../../src/runtime/rpc/index.js'
import { createService, type ErrorReport } from '../../../src/runtime/server/index.js'
import { type Framing, framings } from '../../../src/runtime/server/stdio/framing.js'
import { serveStdio } from '../../../src/runtime/server/stdio/index.js'
import { until } from '../../support/until.js'
import { method } from '../../unit/runtime/server/calculator.js'
import { connect, isAnything, withExtensions } from './connection-harness.js'
import { call } from './server-harness.js'

const byName = { structure: 'by-name', result: isAnything } as const

/** A contract whose calls are cancelled by a notification with one parameter. */
const cancelledBy = (name: string, id: string, answer: 'error' | 'none') => ({
  wait: method('wait', [{ name: 'how', check: isAnything, optional: true }], byName),
  ask: method('ask', [], byName),
  [name]: withExtensions(
    method(name, [{ name: id, check: isAnything, optional: true }], {
      structure: 'by-name',
      notification: true,
    }),
    { 'x-cancels': { id, answer }, 'x-direction': 'both' },
  ),
  prompt: withExtensions(method('prompt', [], byName), { 'x-direction': 'serverToClient' }),
})

interface ClientMethods {
  readonly prompt: { readonly params: Readonly<Record<never, never>>; readonly result: JsonValue }
}

/** A service whose calls wait for their signal, and then end as their parameter says. */
function waiting(methods: ReturnType<typeof cancelledBy>) {
  const calls: { readonly id: HandlerCall['id']; reason: string | undefined; end: () => void }[] = []
  const reports: ErrorReport<undefined>[] = []
  const codes: (number | undefined)[] = []
  const wait = ({ how }: { readonly how?: string }, _: undefined, { id, signal }: HandlerCall) =>
    new Promise<JsonValue>((resolve, reject) => {
      const own = { id, reason: undefined as string | undefined, end: () => resolve('ended') }
      calls.push(own)
      signal.addEventListener('abort', () => {
        own.reason = signal.reason.name
        if (how === 'result') resolve('partial')
        else if (how === 'error') reject(new RpcError({ code: -32801, message: 'Content modified' }))
        else reject(signal.reason)
      })
    })
  const ask = async (_: object, __: undefined, { peer, signal }: HandlerCall<ClientMethods>) =>
    peer.request('prompt', {}, { signal })
  const service = createService<undefined>({
    methods,
    handlers: { wait, ask },
    onError: (report) => void reports.push(report),
    onResponse: ({ error }) => void codes.push(error?.code),
  })
  return { service, calls, reports, codes }
}

type Waiting = ReturnType<typeof waiting>

/** Serves a pair of streams, which end with the test. */
function streams(t: Test, service: Waiting['service'], framing: Framing) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = serveStdio({ service, context: undefined, framing, input, output })
  t.teardown(() => {
    input.destroy()
    output.destroy()
    return served.catch(() => undefined)
  })
  return { input, output }
}

t.test('vscode-jsonrpc cancels a call, which is answered with -32800', async (t) => {
  const { service, calls, reports } = waiting(cancelledBy('$/cancelRequest', 'id', 'error'))
  const { input, output } = streams(t, service, 'content-length')
  const client = createMessageConnection(new StreamMessageReader(output), new StreamMessageWriter(input))
  client.listen()
  const cancelled = async (how: string) => {
    const source = new CancellationTokenSource()
    const answer = client.sendRequest('wait', { how }, source.token)
    const count = calls.length
    await until(() => calls.length > count)
    source.cancel()
    return answer
  }
  await t.rejects(cancelled('rejects'), { code: -32800, message: 'Request cancelled' })
  t.equal(await cancelled('result'), 'partial', 'a result is still an answer')
  await t.rejects(cancelled('error'), { code: -32801 }, 'an error of the handler is kept')
  t.same(
    calls.map(({ id, reason }) => [id, reason]),
    [0, 1, 2].map((id) => [id, 'AbortError']),
  )
  t.same(reports, [], 'a cancellation is no failure of the handler')
  client.dispose()
})

t.test('a cancelled call without an answer', async (t) => {
  const { service, calls, codes } = waiting(cancelledBy('notifications/cancelled', 'requestId', 'none'))
  const { send, received, find } = await connect(t, service)
  const cancel = (requestId: JsonValue) =>
    send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }))
  for (const [id, how] of [
    ['a', 'rejects'],
    ['b', 'result'],
    [3.0, 'error'],
    ['d', 'rejects'],
  ] as const)
    send(JSON.stringify({ jsonrpc: '2.0', id, method: 'wait', params: { how } }))
  await until(() => calls.length === 4)
  for (const id of ['unknown', null, {}, 'a', 'b', 3]) cancel(id)
  send(JSON.stringify({ jsonrpc: '2.0', id: null, method: 'wait' }))
  await until(() => calls.length === 5)
  send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: {} }))
  await until(() => calls.filter(({ reason }) => reason !== undefined).length === 3)
  calls[3]?.end()
  t.match(await find(({ id }) => id === 'd'), { result: 'ended' })
  cancel('d')
  send(call('unknown', [], 'e'))
  await find(({ id }) => id === 'e')
  t.same(received.map(({ id }) => id).sort(), ['d', 'e'], 'nothing else is sent')
  t.equal(codes.filter((code) => code === -32800).length, 3)
  t.same(
    calls.map(({ id, reason }) => [id, reason]),
    [
      ['a', 'AbortError'],
      ['b', 'AbortError'],
      [3, 'AbortError'],
      ['d', undefined],
      [null, undefined],
    ],
  )
})

t.test('one call of a batch is cancelled', async (t) => {
  for (const answer of ['error', 'none'] as const) {
    const { service, calls } = waiting(cancelledBy('cancel', 'id', answer))
    const { send, find } = await connect(t, service)
    const requests = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'wait' }))
    send(JSON.stringify(requests))
    await until(() => calls.length === 2)
    send(JSON.stringify([{ jsonrpc: '2.0', method: 'cancel', params: { id: 1 } }]))
    await until(() => calls[0]?.reason)
    calls[1]?.end()
    const all = (await find((message) => Array.isArray(message))) as unknown as readonly object[]
    t.match(all, [
      ...(answer === 'error' ? [{ id: 1, error: { code: -32800 } }] : []),
      { id: 2, result: 'ended' },
    ])
    t.equal(calls[1]?.reason, undefined)
  }
})

t.test('calls are cancelled while the connection is full, and while the server stops', async (t) => {
  const { service, calls } = waiting(cancelledBy('cancel', 'id', 'error'))
  const { send, find, endpoint } = await connect(t, service, { messagesAtOnce: 2 })
  const cancel = (id: number) => send(JSON.stringify({ jsonrpc: '2.0', method: 'cancel', params: { id } }))
  for (const id of [1, 2, 3]) send(JSON.stringify({ jsonrpc: '2.0', id, method: 'wait' }))
  // The third call is not in hand before one of the others ends.
  cancel(3)
  cancel(2)
  t.match(await find(({ id }) => id === 2), { error: { code: -32800 } })
  t.match(await find(({ id }) => id === 3), { error: { code: -32800 } })
  t.same(
    calls.map(({ id }) => id),
    [1, 2, 3],
  )
  const closed = endpoint.close()
  cancel(1)
  t.match(await find(({ id }) => id === 1), { error: { code: -32800 } })
  await closed
})

t.test('the server cancels its own calls of the client', async (t) => {
  const { service } = waiting(cancelledBy('cancel', 'id', 'error'))
  const { input, output } = streams(t, service, 'newline')
  const received: { readonly id?: number; readonly method?: string; readonly params?: object }[] = []
  output.on('data', (data) => {
    for (const line of String(data).trim().split('\n')) received.push(JSON.parse(line))
  })
  const send = (message: object) => input.write(framings.newline.write(Buffer.from(JSON.stringify(message))))
  send({ jsonrpc: '2.0', id: 'q', method: 'ask' })
  const prompt = await until(() => received.find((message) => message.method === 'prompt'))
  send({ jsonrpc: '2.0', method: 'cancel', params: { id: 'q' } })
  t.match(await until(() => received.find((message) => message.method === 'cancel')), {
    params: { id: prompt.id },
  })
  t.match(await until(() => received.find(({ id }) => String(id) === 'q')), { error: { code: -32800 } })
})

t.test('a method that cannot cancel calls is refused', async (t) => {
  const methods = cancelledBy('cancel', 'id', 'error')
  const { cancel } = methods
  if (cancel === undefined) return
  for (const wrong of [
    { ...cancel, notification: false },
    withExtensions(cancel, { 'x-cancels': { id: 'x' } }),
  ])
    t.throws(
      () => waiting({ ...methods, cancel: wrong } as typeof methods),
      /must name a parameter of a notification/,
    )
})
