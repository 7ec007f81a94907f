import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type HandlerCall, type JsonObject, type MethodTypes, RpcError } from '@concordat/rpc'
import t, { type Test } from 'tap'
import { loadMethods } from '../../../../src/cli/mock/mock-methods.js'
import { createService } from '../../../../src/runtime/server/index.js'
import { mountWebSocket } from '../../../../src/runtime/server/web-socket/index.js'
import { generate } from '../../../../src/toolkit/codegen/index.js'
import { parseContract } from '../../../../src/toolkit/contract/index.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { until } from '../../../support/until.js'
import { tool, write } from '../../toolkit/codegen/fixtures.js'
import { ws } from './web-socket-server.js'

/** What a handler of the client does once its signal has fired. */
type End = 'at once' | 'reason' | 'result' | 'own error'

const ends = ['reason', 'result', 'own error'] as const

/** A contract whose calls are cancelled by both sides with a notification. */
const documentOf = (cancels: object, others: object = {}) => ({
  openrpc: '1.3.2',
  info: { title: 'Questions', version: '1.0.0', ...others },
  components: { errors: { stopped: { code: -7, message: 'Stopped' } } },
  methods: [
    {
      name: 'ask',
      params: [{ name: 'how', required: true, schema: { type: 'string' } }],
      result: { name: 'answer', schema: {} },
    },
    {
      name: 'confirm',
      params: [{ name: 'how', required: true, schema: { type: 'string' } }],
      result: { name: 'answer', schema: {} },
      'x-direction': 'serverToClient',
    },
    cancels,
  ],
})

const lsp = {
  name: '$/cancelRequest',
  paramStructure: 'by-name',
  params: [{ name: 'id', required: true, schema: { type: ['integer', 'string'] } }],
  ...{ 'x-direction': 'both', 'x-cancels': { id: 'id' } },
}
const mcp = {
  name: 'notifications/cancelled',
  paramStructure: 'by-position',
  params: [
    { name: 'reason', schema: { type: 'string' } },
    { name: 'requestId', required: true, schema: { type: ['integer', 'string'] } },
  ],
  ...{ 'x-direction': 'serverToClient', 'x-cancels': { id: 'requestId', answer: 'none' } },
}

/** The generated client, as far as the tests call it. */
interface Client {
  ask(how: End, options?: object): Promise<unknown>
  close(): Promise<void>
}

/** Connects the generated client of a document with a server of its own, whose calls it can end. */
async function connected(t: Test, document: object) {
  const contract = parseContract(JSON.stringify(document))
  const { files } = generate(contract, tool, { only: ['types', 'client', 'web-socket'] })
  const folder = await temporaryFolder(t)
  await write(folder, { path: 'package.json', content: '{"type":"module"}' })
  for (const file of files) await write(folder, file)
  const { connect } = await import(pathToFileURL(join(folder, 'web-socket.ts')).href)

  const cancel = new Map<string, AbortController>()
  const service = createService({
    methods: await loadMethods(contract),
    handlers: {
      async ask({ how }: { how: End }, _: unknown, { peer }: HandlerCall<MethodTypes>) {
        const controller = new AbortController()
        cancel.set(how, controller)
        return peer.request('confirm', { how }, { signal: controller.signal }).catch(({ name }) => name)
      },
    } as never,
  })
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { connections } = mountWebSocket(server, { service, path: '/' })

  const sent: JsonObject[] = []
  const webSocket = (url: string) => {
    const socket = ws.webSocket(url)
    const send = socket.send.bind(socket)
    socket.send = (text: string) => {
      const message = JSON.parse(text)
      if (message.method === undefined) sent.push(message)
      send(text)
    }
    return socket
  }
  const signals = new Map<string, AbortSignal>()
  const errors: unknown[] = []
  const handlers = {
    confirm: ({ how }: { how: End }, { signal }: { signal: AbortSignal }) =>
      new Promise((resolve, reject) => {
        if (how === 'at once') resolve('answered')
        signals.set(how, signal)
        signal.addEventListener('abort', () => {
          if (how === 'result') resolve('partial')
          else if (how === 'own error') reject(new RpcError({ code: 9, message: 'Own' }))
          else reject(signal.reason)
        })
      }),
  }
  const client: Client = await connect(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
    ...{ webSocket, handlers, onHandlerError: (error: unknown) => void errors.push(error) },
  })
  t.teardown(async () => {
    await client.close()
    for (const socket of connections) socket.terminate()
    server.close()
  })
  const text = files.find(({ path }) => path === 'web-socket.ts')?.content ?? ''
  return { client, cancel, sent, signals, errors, text }
}

/** Lets the server cancel one call for each way in which a handler ends. */
async function cancelAll(pair: Awaited<ReturnType<typeof connected>>) {
  const asked = ends.map((how) => pair.client.ask(how))
  await until(() => pair.signals.size === ends.length)
  for (const how of ends) pair.cancel.get(how)?.abort()
  const answers = await Promise.all(asked)
  await until(() => [...pair.signals.values()].every(({ aborted }) => aborted))
  return answers
}

t.test('the server cancels its calls, and the client answers them', async (t) => {
  const pair = await connected(t, documentOf(lsp))
  t.same(await cancelAll(pair), Array(3).fill('AbortError'), 'the server awaits no answer')
  await until(() => pair.sent.length === 3)
  t.same(
    new Map(pair.sent.map(({ id, jsonrpc: _, ...answer }) => [id, answer])),
    new Map<unknown, object>([
      [1, { error: { code: -32800, message: 'Request cancelled' } }],
      [2, { result: 'partial' }],
      [3, { error: { code: 9, message: 'Own' } }],
    ]),
  )
  const reasons = [...pair.signals.values()].map(({ reason }) => [reason.name, reason.message])
  t.same(reasons, Array(3).fill(['AbortError', 'The server has cancelled the call']))
  t.same(pair.errors, [], 'a cancelled call is no failure of its handler')
  t.notMatch(pair.text.split('ClientHandlers')[1], 'cancelRequest', 'the notification needs no handler')
})

t.test('cancelled calls without an answer, by position', async (t) => {
  const pair = await connected(t, documentOf(mcp))
  await cancelAll(pair)
  t.equal(await pair.client.ask('at once'), 'answered')
  t.same(
    pair.sent.map(({ result }) => result),
    ['answered'],
  )
  t.same(pair.errors, [])
})

t.test('the contract names the error of cancelled calls, and one call alone is cancelled', async (t) => {
  const failures = { cancelled: { error: 'stopped', message: 'Stopped by the server' } }
  const pair = await connected(t, documentOf(lsp, { 'x-failures': failures }))
  const kept = pair.client.ask('result')
  kept.catch(() => undefined)
  pair.client.ask('reason').catch(() => undefined)
  await until(() => pair.signals.size === 2)
  pair.cancel.get('reason')?.abort()
  await until(() => pair.sent.length === 1)
  t.match(pair.sent, [{ error: { code: -7, message: 'Stopped by the server' } }])
  t.equal(pair.signals.get('result')?.aborted, false)
})
