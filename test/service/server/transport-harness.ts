import { once } from 'node:events'
import { createServer as createHttpServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import type { Test } from 'tap'
import { WebSocket } from 'ws'
import { mountRpc, rpcServerOptions } from '../../../src/runtime/server/fastify/index.js'
import { createFetchHandler } from '../../../src/runtime/server/fetch/index.js'
import { createNodeHandler, type RpcService } from '../../../src/runtime/server/index.js'
import { serveStdio } from '../../../src/runtime/server/stdio/index.js'
import { mountWebSocket } from '../../../src/runtime/server/web-socket/index.js'

/**
 * Sends a message and resolves to the text of its answer; undefined if there is none.
 * @param isSilent true if no answer is expected; a connection then waits for that of the next call
 */
export type Ask = (message: string | Uint8Array, isSilent?: boolean) => Promise<string | undefined>

type Service = RpcService<undefined>

const headers = { 'content-type': 'application/json' }

async function posted(url: string, body: string | Uint8Array): Promise<string | undefined> {
  const response = await fetch(url, { method: 'POST', headers, body: body as BodyInit })
  return (await response.text()) || undefined
}

/** Listens on a free port and returns the origin. */
export async function listening(t: Test, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const sentinel = '"the end of the answer"'

/** Asks over a connection. A call with an id of its own follows a message without an answer. */
function askInOrder(write: (message: string | Uint8Array) => void): {
  readonly ask: Ask
  receive(message: string): void
} {
  let received: (message: string) => void = () => undefined
  return {
    async ask(message, isSilent) {
      const answer = new Promise<string>((resolve) => {
        received = resolve
      })
      write(message)
      if (isSilent) write(`{"jsonrpc":"2.0","id":${sentinel},"method":"get_data"}`)
      const text = await answer
      return isSilent && text.includes(`"id":${sentinel}`) ? undefined : text
    },
    receive: (message) => received(message),
  }
}

/** Splits a stream into the messages of a framing. */
function splitMessages(framing: 'newline' | 'content-length', receive: (message: string) => void) {
  let text = ''
  const pattern = framing === 'newline' ? /^(.*)\n/ : /^Content-Length: (\d+)\r\n\r\n/
  return (chunk: Buffer): void => {
    text += chunk.toString('latin1')
    for (let head = pattern.exec(text); head !== null; head = pattern.exec(text)) {
      const bytes = framing === 'newline' ? (head[1] ?? '').length : Number(head[1])
      const from = framing === 'newline' ? 0 : head[0].length
      if (text.length < from + bytes) return
      receive(Buffer.from(text.slice(from, from + bytes), 'latin1').toString())
      text = text.slice(framing === 'newline' ? head[0].length : from + bytes)
    }
  }
}

function overStdio(framing: 'newline' | 'content-length') {
  return async (t: Test, service: Service): Promise<Ask> => {
    const input = new PassThrough()
    const output = new PassThrough()
    const served = serveStdio({ service, context: undefined, framing, input, output })
    t.teardown(async () => {
      input.end()
      await served
    })
    const { ask, receive } = askInOrder((message) => {
      const bytes = Buffer.from(message)
      if (framing === 'newline') input.write(Buffer.concat([bytes, Buffer.from('\n')]))
      else input.write(Buffer.concat([Buffer.from(`Content-Length: ${bytes.length}\r\n\r\n`), bytes]))
    })
    output.on('data', splitMessages(framing, receive))
    return ask
  }
}

/** Every transport of the server, with the framework that it is for. */
export const transports: Readonly<Record<string, (t: Test, service: Service) => Promise<Ask>>> = {
  async fetch(_, service) {
    const handle = createFetchHandler({ service })
    return async (message) => {
      const request = new Request('http://localhost/', { method: 'POST', headers, body: message as BodyInit })
      return (await (await handle(request)).text()) || undefined
    }
  },
  async hono(_, service) {
    const app = new Hono()
    const handle = createFetchHandler({ service })
    app.all('/rpc', ({ req }) => handle(req.raw))
    return async (message) => {
      const response = await app.request('/rpc', { method: 'POST', headers, body: message as BodyInit })
      return (await response.text()) || undefined
    }
  },
  async node(t, service) {
    const origin = await listening(t, createHttpServer(createNodeHandler({ service })))
    return (message) => posted(`http://${origin}/`, message)
  },
  async express(t, service) {
    const app = express()
    app.all('/rpc', createNodeHandler({ service }))
    app.use(express.json())
    const origin = await listening(t, createHttpServer(app))
    return (message) => posted(`http://${origin}/rpc`, message)
  },
  async fastify(t, service) {
    const app = Fastify(rpcServerOptions(service))
    mountRpc(app, { service, path: '/rpc' })
    t.teardown(() => app.close())
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    return (message) => posted(`${url}/rpc`, message)
  },
  async 'web-socket'(t, service) {
    const server = createHttpServer()
    const endpoint = mountWebSocket(server, { service, path: '/ws' })
    t.teardown(() => endpoint.close())
    const socket = new WebSocket(`ws://${await listening(t, server)}/ws`)
    const { ask, receive } = askInOrder((message) => socket.send(message))
    socket.on('message', (data) => receive(String(data)))
    await once(socket, 'open')
    return ask
  },
  'stdio with newlines': overStdio('newline'),
  'stdio with Content-Length': overStdio('content-length'),
}
