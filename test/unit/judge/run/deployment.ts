import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** A request as a deployment received it. */
export interface Got {
  readonly verb: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** An answered call; `id` is its original JSON text. */
export interface Call {
  readonly method: string
  readonly params: readonly unknown[]
  readonly id: string
  readonly got: Got
}

/** The scripted reply of a service: a result, an error, or plain HTTP. */
export type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string }
  | 'reset'
  | 'silence'

/** A scripted service. */
export interface Deployment {
  readonly origin: string
  /** Its URL, with a key of the network `north`. */
  readonly url: string
  readonly requests: readonly Got[]
  /** The called methods, in order. */
  readonly methods: () => readonly string[]
}

/** A key of the network `north`. */
export const ownKey = 'Qq7Ww8Ee9Rr1Tt2Yy3Uu4Ii5Oo6Pp0-N'

/** Starts a service that answers each call by a script, and batches call by call. */
export async function startDeployment(
  t: Test,
  answer: (call: Call) => Answer | Promise<Answer>,
): Promise<Deployment> {
  const requests: Got[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const got: Got = {
      verb: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    }
    requests.push(got)
    await respond(got, response, answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    url: `${origin}/${ownKey}`,
    requests,
    methods: () =>
      requests.flatMap(({ body }) => [...body.matchAll(/"method":"(\w+)"/g)].map(([, name = '']) => name)),
  }
}

async function respond(got: Got, response: ServerResponse, answer: (call: Call) => Answer | Promise<Answer>) {
  const texts = got.body.startsWith('[') ? got.body.slice(1, -1).split(/(?<=\}),(?=\{"jsonrpc")/) : [got.body]
  const answers = await Promise.all(
    texts.map(async (text) => ({ text, answer: await answer(callOf(text, got)) })),
  )
  const first = answers[0]?.answer
  if (first === 'silence') return
  if (first === 'reset') return void response.socket?.resetAndDestroy()
  if (first !== undefined && 'body' in first) {
    response.writeHead(first.status ?? 200, { 'content-type': 'application/json', ...first.headers })
    return void response.end(first.body)
  }
  const bodies = answers.map(({ text, answer }) => {
    const id = callOf(text, got).id
    return `{"jsonrpc":"2.0","id":${id},${JSON.stringify(answer).slice(1)}`
  })
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(got.body.startsWith('[') ? `[${bodies.join(',')}]` : bodies.join(''))
}

function callOf(text: string, got: Got): Call {
  const id = /"id":("[^"]*"|[^,}]+)/.exec(text)?.[1] ?? 'null'
  try {
    const { method = '', params = [] } = JSON.parse(text) as { method?: string; params?: unknown[] }
    return { method, params, id, got }
  } catch {
    return { method: '', params: [], id: 'null', got }
  }
}
