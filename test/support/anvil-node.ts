import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonValue } from '../../src/runtime/rpc/index.js'
import { findAnvil } from '../../src/service/gateway/dev-chain/anvil/anvil-binary.js'
import { startAnvil } from '../../src/service/gateway/dev-chain/anvil/anvil-process.js'
import type { NodeSettings } from '../../src/service/gateway/nodes/index.js'

/** A JSON-RPC response of anvil. */
interface Answer {
  readonly id: number
  readonly result?: JsonValue
  readonly error?: { readonly code: number; readonly message: string }
}

/** An anvil process. */
export interface Anvil {
  readonly url: string
  /** Calls anvil directly, without the proxy. Rejects with anvil's error. */
  ask(method: string, ...params: JsonValue[]): Promise<JsonValue>
  stop(): Promise<void>
}

/** A call that reached a proxy. */
export interface ProxiedCall {
  readonly id: number
  readonly method: string
}

/** A proxy in front of anvil. It forwards and counts calls, and can alter their responses. */
export interface AnvilNode {
  /** Rewrites a response of anvil. Without this function the proxy forwards responses unchanged. */
  alter: ((method: string, answer: Answer) => Answer) | undefined
  /** While true, the proxy closes every connection. */
  isDown: boolean
  /** Answers a request in place of anvil when it returns true. */
  intercept: ((calls: readonly ProxiedCall[], response: ServerResponse) => boolean) | undefined
  /** Number of calls of a method that reached the proxy. */
  asked(method: string): number
  settings(changes?: Partial<NodeSettings>): NodeSettings
  close(): Promise<void>
}

/** The chain of `concordat start`, and anvil without its settings. */
export { startEmbeddedChain } from '../../src/service/gateway/dev-chain/embedded-chain.js'
export const startBareAnvil = (...args: readonly string[]) => startAnvil(findAnvil(), args)

/** Starts an anvil whose blocks depend only on its calls: two instances with equal calls have equal blocks. */
export async function startChain(...args: readonly string[]): Promise<Anvil> {
  const fixed = ['--chain-id', '31', '--timestamp', '1700000000', '--hardfork', 'cancun', '--base-fee', '0']
  const { url, stop } = await startAnvil(findAnvil(), [...fixed, ...args])
  const ask = async (method: string, ...params: JsonValue[]) => {
    const { result, error } = await forward(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    if (error !== undefined) throw new TypeError(`${method}: ${error.message}`)
    return result ?? null
  }
  await ask('anvil_setBlockTimestampInterval', 30)
  return { url, ask, stop }
}

/** Starts a proxy before an anvil. */
export async function startAnvilNode(anvil: Anvil): Promise<AnvilNode> {
  const counts = new Map<string, number>()
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const body = JSON.parse(text)
    const calls: readonly ProxiedCall[] = Array.isArray(body) ? body : [body]
    for (const { method } of calls) counts.set(method, (counts.get(method) ?? 0) + 1)
    if (node.isDown) {
      response.destroy()
      return
    }
    if (node.intercept?.(calls, response) === true) return
    const answer = await forward(anvil.url, text).catch(() => undefined)
    if (answer === undefined) {
      response.destroy()
      return
    }
    const altered = (one: Answer) => {
      const method = calls.find(({ id }) => id === one.id)?.method ?? ''
      return node.alter?.(method, one) ?? one
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(answer) ? answer.map(altered) : altered(answer)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const own = {
    name: `node-${port}`,
    url: `http://127.0.0.1:${port}`,
    weight: 1,
    headers: {},
    timeoutMs: 60_000,
  }
  const node: AnvilNode = {
    alter: undefined,
    isDown: false,
    intercept: undefined,
    asked: (method) => counts.get(method) ?? 0,
    settings: (changes) => ({ ...own, ...changes }),
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return node
}

/** Makes a node report a head that differs from anvil's by some blocks. */
export function shiftHead(node: AnvilNode, blocks: number): void {
  const shifted = (value: JsonValue | undefined) => `0x${(Number(value) + blocks).toString(16)}`
  node.alter = (method, answer) =>
    method === 'eth_blockNumber' ? { ...answer, result: shifted(answer.result) } : answer
}

async function forward(url: string, body: string) {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body })).json()
}
