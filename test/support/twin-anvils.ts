import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { findAnvil } from '../../src/service/gateway/dev-chain/anvil/anvil-binary.js'
import { type AnvilProcess, startAnvil } from '../../src/service/gateway/dev-chain/anvil/anvil-process.js'

/** One node of a pair: an anvil behind a proxy that forwards transactions to the other one. */
export interface TwinNode {
  readonly url: string
  readonly anvil: AnvilProcess
  /** Calls that reached the node. */
  calls: number
  /** Kills the anvil and its proxy: connections are closed, new ones refused. */
  kill(): Promise<void>
}

/**
 * Starts two anvils with identical chains. Both start at the same time, mine a block for each transaction with equal
 * intervals, and receive the same transactions in the same order. The proxy replaces the peer network, which anvil
 * lacks; everything else is two real nodes.
 */
export async function startTwinAnvils(chainId: number): Promise<readonly [TwinNode, TwinNode]> {
  const settings = [
    '--chain-id',
    `${chainId}`,
    '--timestamp',
    '1700000000',
    '--hardfork',
    'cancun',
    '--base-fee',
    '0',
  ]
  const anvils = await Promise.all(
    [0, 1].map(() => startAnvil(findAnvil(), [...settings, '--order', 'fifo', '--prune-history', '128'])),
  )
  for (const { url } of anvils) await ask(url, call('anvil_setBlockTimestampInterval', 30))
  let sent = Promise.resolve()

  /** Forwards a request to one anvil, and each transaction to all running ones, one at a time. */
  async function forward(own: AnvilProcess, body: string): Promise<string> {
    if (!body.includes('eth_sendRawTransaction')) return ask(own.url, body)
    const before = sent
    let done = () => {}
    sent = new Promise((resolve) => {
      done = resolve
    })
    await before
    try {
      const [answer] = await Promise.all([
        ask(own.url, body),
        ...anvils.filter((anvil) => anvil !== own).map(({ url }) => ask(url, body).catch(() => '')),
      ])
      return answer
    } finally {
      done()
    }
  }

  const start = async (anvil: AnvilProcess): Promise<TwinNode> => {
    const server: Server = createServer(async (request, response) => {
      node.calls++
      let text = ''
      for await (const chunk of request.setEncoding('utf8')) text += chunk
      try {
        const answer = await forward(anvil, text)
        response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
      } catch {
        response.destroy()
      }
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const node: TwinNode = {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      anvil,
      calls: 0,
      async kill() {
        await anvil.stop()
        server.closeAllConnections()
        server.close()
      },
    }
    return node
  }
  const [a, b] = anvils
  if (a === undefined || b === undefined) throw new TypeError('two anvils')
  return [await start(a), await start(b)]
}

const call = (method: string, ...params: unknown[]) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

async function ask(url: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body })).text()
}
