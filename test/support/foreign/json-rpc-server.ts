import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** A refusal with an error code. */
export class Refusal extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export type Params = Readonly<Record<string, unknown>>
export type Methods = Readonly<Record<string, (params: Params) => unknown>>

/** How a service builds its answers. */
export interface Habits {
  /** Changes the id of a request before it is returned. */
  readonly echo?: (id: unknown) => unknown
  /** Orders the answers of a batch. */
  readonly order?: (answers: readonly object[]) => readonly object[]
  /** Changes an answer. */
  readonly shape?: (answer: Readonly<Record<string, unknown>>) => object
}

/** Starts a JSON-RPC service over HTTP with Node.js alone. Parameters are by name. */
export async function startJsonRpc(t: Test, methods: Methods, habits: Habits = {}): Promise<string> {
  const { echo = (id) => id, order = (answers) => answers, shape = (answer) => answer } = habits
  const failure = (code: number, message: string, id: unknown, data?: unknown) =>
    shape({ jsonrpc: '2.0', error: { code, message, ...(data === undefined ? {} : { data }) }, id })
  const answer = (call: unknown): object | undefined => {
    if (typeof call !== 'object' || call === null || Array.isArray(call))
      return failure(-32600, 'Invalid Request', null)
    const { jsonrpc, method, params = {}, id } = call as Params
    const isId = id === undefined || id === null || typeof id === 'string' || typeof id === 'number'
    if (
      jsonrpc !== '2.0' ||
      typeof method !== 'string' ||
      !isId ||
      typeof params !== 'object' ||
      params === null
    )
      return failure(-32600, 'Invalid Request', isId ? (id ?? null) : null)
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined
    let result: object
    try {
      if (run === undefined) throw new Refusal(-32601, 'Method not found')
      if (Array.isArray(params) && params.length > 0) throw new Refusal(-32602, 'Invalid params')
      result = shape({ jsonrpc: '2.0', result: run(params as Params), id: echo(id) })
    } catch (error) {
      const { code, message, data } = error instanceof Refusal ? error : new Refusal(-32603, 'Internal error')
      result = failure(code, message, echo(id), data)
    }
    return id === undefined ? undefined : result
  }
  const respond = (body: string): object | undefined => {
    let sent: unknown
    try {
      sent = JSON.parse(body)
    } catch {
      return failure(-32700, 'Parse error', null)
    }
    if (!Array.isArray(sent)) return answer(sent)
    if (sent.length === 0) return failure(-32600, 'Invalid Request', null)
    const answers = sent.map(answer).filter((one) => one !== undefined)
    return answers.length === 0 ? undefined : order(answers)
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const answered = respond(Buffer.concat(chunks).toString('utf8'))
    if (answered === undefined) return void response.writeHead(204).end()
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answered))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** Reads an integer parameter. */
export function integer(params: Params, name: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const value = params[name]
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
    throw new Refusal(-32602, 'Invalid params')
  return value
}

/** Reads a text parameter. */
export function text(params: Params, name: string, longest: number, shortest = 0): string {
  const value = params[name]
  if (typeof value !== 'string' || [...value].length > longest || [...value].length < shortest)
    throw new Refusal(-32602, 'Invalid params')
  return value
}

/** Refuses parameters that the method does not have. */
export function only(params: Params, ...names: readonly string[]): void {
  if (Object.keys(params).some((name) => !names.includes(name))) throw new Refusal(-32602, 'Invalid params')
}
