/** The clients that `npm run bench -- clients` compares. Each sends the same call to the same server. */

/** Sends `eth_getBalance` for an address and returns the result as the server sent it. */
export type Call = (address: `0x${string}`) => Promise<unknown>

/** Time-out of a call in milliseconds, for ours and for plain `fetch`. */
const timeoutMilliseconds = 30_000
const method = 'eth_getBalance'

/** The clients by name. Each loads only its own library. */
export const peers = {
  'ours, batching': (url: string) => ours(url, true),
  'ours, no batching': (url: string) => ours(url, false),
  'ours, node:http, batching': (url: string) => ours(url, true, true),
  'ours, node:http, no batching': (url: string) => ours(url, false, true),
  'plain fetch': fetching,
  'viem, batching': (url: string) => viem(url, true),
  'viem, no batching': (url: string) => viem(url, false),
  'ethers, batching': (url: string) => ethers(url, {}),
  'ethers, no batching': (url: string) => ethers(url, { batchMaxCount: 1 }),
  'web3.js': web3,
  '@open-rpc/client-js': clientJs,
} as const satisfies Readonly<Record<string, (url: string) => Call | Promise<Call>>>

/** The name of a client. */
export type PeerName = keyof typeof peers

async function ours(url: string, batch: boolean, isNodeFetch = false): Promise<Call> {
  const { createClient } = await import('@concordat/node-access')
  const { createNodeFetch } = await import('@concordat/node-access/node')
  const options = { batch, timeoutMilliseconds, fetch: isNodeFetch ? createNodeFetch() : undefined }
  const client = createClient(url, options)
  return (address) => client.eth_getBalance(address, 'latest')
}

/** `fetch` with a signal that aborts after the time-out, as in most hand-written clients. */
function fetching(url: string): Call {
  const headers = { 'content-type': 'application/json' }
  let id = 0
  return async (address) => {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), timeoutMilliseconds)
    try {
      id += 1
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: [address, 'latest'] })
      const answer = await fetch(url, { method: 'POST', headers, body, signal: controller.signal })
      const { result } = (await answer.json()) as { readonly result: unknown }
      return result
    } finally {
      clearTimeout(timer)
    }
  }
}

async function viem(url: string, batch: boolean): Promise<Call> {
  const { createPublicClient, http } = await import('viem')
  const client = createPublicClient({ transport: http(url, { batch, timeout: timeoutMilliseconds }) })
  return (address) => client.request({ method, params: [address, 'latest'] })
}

async function ethers(url: string, options: { readonly batchMaxCount?: number }): Promise<Call> {
  const { JsonRpcProvider } = await import('ethers')
  const provider = new JsonRpcProvider(url, undefined, options)
  return (address) => provider.send(method, [address, 'latest'])
}

async function web3(url: string): Promise<Call> {
  const { Web3 } = await import('web3')
  const { requestManager } = new Web3(url)
  return (address) => requestManager.send({ method, params: [address, 'latest'] })
}

async function clientJs(url: string): Promise<Call> {
  const { Client, HTTPTransport, RequestManager } = await import('@open-rpc/client-js')
  const client = new Client(new RequestManager([new HTTPTransport(url)]))
  return (address) => client.request({ method, params: [address, 'latest'] })
}
