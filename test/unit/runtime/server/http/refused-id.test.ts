import { once } from 'node:events'
import { createServer as createNodeServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import t from 'tap'
import { RpcError } from '../../../../../src/runtime/rpc/index.js'
import { createFetchHandler } from '../../../../../src/runtime/server/fetch/index.js'
import {
  createHttpServer,
  createNodeHandler,
  createService,
} from '../../../../../src/runtime/server/index.js'
import { createCalculator, methods } from '../calculator.js'

const refusal = new RpcError({ code: -32016, message: 'no', httpStatus: 401 })

/** How a context refuses. */
const refusals = {
  'at once': () => {
    throw refusal
  },
  'by a promise': () => Promise.reject(refusal),
  // The lookup of a key takes a turn of the event loop.
  'after a turn of the event loop': () => new Promise<string>((_, reject) => setImmediate(reject, refusal)),
}
const call = '{"jsonrpc":"2.0","id":18446744073709551617,"method":"add","params":[1,2]}'
const refused = (id: string) => ({
  status: 401,
  text: `{"jsonrpc":"2.0","id":${id},"error":{"code":-32016,"message":"no"}}`,
})

const ways = [true, false].flatMap((fastLane) =>
  Object.entries(refusals).map(([when, context]) => ({ fastLane, when, context })),
)
for (const { fastLane, when, context } of ways) {
  t.test(`a request refused ${when}, ${fastLane ? 'with' : 'without'} the fast lane`, async (t) => {
    const service = createService({
      methods,
      handlers: createCalculator(),
      envelope: { idRequired: true },
      onError: () => undefined,
    })
    const server = await createHttpServer({ service, context, fastLane }).listen({ port: 0 })
    t.teardown(() => server.close())
    const url = new URL(server.url)

    /** Sends a body in pieces, each after the one before has left. */
    const send = (pieces: readonly string[], length: number, type = 'application/json') =>
      new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
        const headers = { 'content-type': type, 'content-length': length }
        const sent = httpRequest(url, { method: 'POST', headers }, async (response) => {
          let text = ''
          for await (const piece of response.setEncoding('utf8')) text += piece
          resolve({ status: response.statusCode, text })
          sent.destroy()
        })
        sent.on('error', reject)
        for (const piece of pieces) sent.write(piece)
        if (pieces.join('').length === length) sent.end()
      })
    t.same(await send([call], call.length), refused('18446744073709551617'), 'has the id of a small body')
    t.same(await send([call.slice(0, 40)], call.length), refused('null'), 'waits for no byte')
    t.same(await send([`[${call}]`], call.length + 2), refused('null'), 'a batch has no id')
    t.same(await send(['{'], 1), refused('null'), 'no JSON')
    const large = call.padEnd(20_000)
    t.same(await send([large], large.length), refused('null'), 'a large body is not read')
    t.same(
      await send([call], call.length, 'text/plain'),
      refused('null'),
      'a body of another type is not read',
    )
  })
}

for (const [when, context] of Object.entries(refusals)) {
  t.test(`a request of the Fetch standard refused ${when}`, async (t) => {
    const service = createService({ methods, handlers: createCalculator(), onError: () => undefined })
    const handle = createFetchHandler({ service, context })
    /** Sends a body that ends after its pieces only if it has its length. */
    const send = async (text: string, length: number, type = 'application/json') => {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(text))
          if (text.length === length) controller.close()
        },
      })
      const sent = { 'content-type': type, 'content-length': String(length) }
      const init = { method: 'POST', headers: sent, body, duplex: 'half' } as const
      const response = await handle(new Request('http://localhost/', init))
      return { status: response.status, text: await response.text() }
    }
    t.same(await send(call, call.length), refused('18446744073709551617'), 'has the id of a small body')
    t.same(await send(call.slice(0, 40), call.length), refused('null'), 'waits for no byte')
    const large = call.padEnd(20_000)
    t.same(await send(large, large.length), refused('null'), 'a large body is not read')
    t.same(await send(call, call.length, 'text/plain'), refused('null'), 'a body of another type is not read')
  })
}

t.test('a request that is refused early has the id of a small body on each transport', async (t) => {
  const refuseEarly = () => ({ admitted: 0, error: refusal })
  const service = createService({ methods, handlers: createCalculator(), refuseEarly })
  const server = await createHttpServer({ service }).listen({ port: 0 })
  t.teardown(() => server.close())
  const sent = { 'content-type': 'application/json', 'content-length': String(call.length) }
  const init = { method: 'POST', headers: sent, body: call }
  for (const response of [
    await fetch(server.url, init),
    await createFetchHandler({ service })(new Request('http://localhost/', init)),
  ])
    t.same({ status: response.status, text: await response.text() }, refused('18446744073709551617'))
})

t.test('a refused request has the id of a body that a framework has read', async (t) => {
  const service = createService({ methods, handlers: createCalculator() })
  const app = express().use(express.text({ type: '*/*' }))
  app.use(createNodeHandler({ service, context: refusals['at once'] }))
  const server = createNodeServer(app).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: call }
  const response = await fetch(`http://127.0.0.1:${port}/`, init)
  t.same({ status: response.status, text: await response.text() }, refused('18446744073709551617'))
})
