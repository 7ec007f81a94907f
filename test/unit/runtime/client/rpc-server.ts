import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { createRpcClient } from '../../../../src/runtime/client/index.js'

/** A key as long as real ones. It must not appear in any message. */
export const key = 'k3yK3yK3yK3yK3yK3yK3yK3yK3yK3y-T'

/** A received request; `sent` is its parsed body. */
export interface Came {
  readonly sent: { readonly id?: number; readonly method: string; readonly params: unknown }
  readonly batch: readonly { readonly id?: number; readonly method: string; readonly params: unknown }[]
  readonly request: IncomingMessage
}

/** Answers over a real socket with the test's function. */
export type Answer = (came: Came, response: ServerResponse) => void

/** A server at a URL with a key; it is closed when the test ends. */
export async function serve(t: Test, answer: Answer) {
  const all: Came[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const json = JSON.parse(body)
    const came = { sent: json, batch: Array.isArray(json) ? json : [], request }
    all.push(came)
    answer(came, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  t.teardown(close)
  return { origin, url: `${origin}/${key}`, all, close, server }
}

/** Answers JSON with any status and headers. */
export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(value))
  }
}

/** The untyped call function of the client, so that tests can inspect its result. */
type Call = (...given: readonly unknown[]) => Promise<unknown>
type Item = (...given: readonly unknown[]) => { readonly method: string; readonly params: unknown }

/** A hand-written client of the contract below, like a generated one. */
export interface SmallClient {
  readonly add: Call
  readonly named: Call
  readonly either: Call
  readonly nothing: Call
  readonly seen: Call
  readonly batch: (
    build: (call: Readonly<Record<'add' | 'named' | 'seen', Item>>) => readonly object[],
    options?: object,
  ) => Promise<readonly { readonly status: string; readonly value?: unknown; readonly reason?: unknown }[]>
}

export const contract = {
  methods: {
    add: { params: [['a', 1], 'b', 'c'] },
    named: { params: ['a', 'b'], paramStructure: 'by-name' },
    either: { params: ['a', 'b'], paramStructure: 'either', errors: ['late'] },
    nothing: { paramStructure: 'by-name' },
    seen: { params: ['a'], notification: true },
  },
  errors: { refused: 7, early: 8, late: 8 },
} as const

export function clientOf(url: string, options?: object): SmallClient {
  return createRpcClient<SmallClient>(url, contract, options)
}

/** The error with which a promise rejects; undefined when it resolves. */
export function caught(sent: Promise<unknown>): Promise<unknown> {
  return sent.then(
    () => undefined,
    (error: unknown) => error,
  )
}
