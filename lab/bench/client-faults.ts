/** Compares clients in four scenarios: many reads, a spent limit, a hanging server, and an endpoint that dies. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@concordat/node-access'
import { readContracts } from '@concordat/node-access/contracts'
import { createFailoverClient } from '@concordat/node-access/failover'
import * as ethers from 'ethers'
import * as viem from 'viem'

/** Timeout of a call in milliseconds, for every client. */
const timeout = 1_000
/** Time limit of a scenario, in milliseconds. */
const longest = 10_000
const address = '0x00000000000000000000000000000000c0ffee01'
const abi = [
  { type: 'function', name: 'value', stateMutability: 'view', inputs: [], outputs: [{ type: 'uint256' }] },
] as const

/** A different account for each call, because ethers sends equal calls only once. */
const account = (at: number) => `0x${(at + 1).toString(16).padStart(40, '0')}` as const

interface Answered {
  readonly id?: number
  readonly method: string
}

type Mode = 'answer' | 'spent' | 'hang'

/** Starts a node of the test network that counts its requests. */
async function startNode() {
  const node = { mode: 'answer' as Mode, requests: 0, calls: 0 }
  const answer = (response: ServerResponse, sent: readonly Answered[], isBatch: boolean) => {
    if (node.mode === 'hang') return
    const isSpent = node.mode === 'spent'
    const items = sent.map(({ id, method }) =>
      isSpent
        ? { jsonrpc: '2.0', id, error: { code: -32005, message: 'Limit exceeded' } }
        : { jsonrpc: '2.0', id, result: method === 'eth_call' ? `0x${'1'.padStart(64, '0')}` : '0x1f' },
    )
    response.writeHead(isSpent ? 429 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isBatch ? items : items[0]))
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const sent = JSON.parse(body)
    node.requests += 1
    node.calls += [sent].flat().length
    answer(response, [sent].flat(), Array.isArray(sent))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return Object.assign(node, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close })
}

/** The clients of the comparison, on one URL or several. */
const clients = {
  ours: (urls: readonly string[]) => {
    const options = { timeoutMilliseconds: timeout }
    const [first = ''] = urls
    const client = urls.length > 1 ? createFailoverClient(urls, options) : createClient(first, options)
    return {
      page: (count: number) =>
        readContracts(client, (read) =>
          Array.from({ length: count }, () => read({ abi, address, functionName: 'value' })),
        ),
      call: (at: number): Promise<unknown> => client.eth_getBalance(account(at), 'latest'),
      end: () => undefined,
    }
  },
  viem: (urls: readonly string[]) => {
    const transports = urls.map((url) => viem.http(url, { batch: true, timeout }))
    const [first = viem.http()] = transports
    const client = viem.createPublicClient({
      transport: transports.length > 1 ? viem.fallback(transports) : first,
    })
    return {
      page: (count: number) =>
        Promise.all(
          Array.from({ length: count }, () => client.readContract({ abi, address, functionName: 'value' })),
        ),
      call: (at: number): Promise<unknown> => client.getBalance({ address: account(at) }),
      end: () => undefined,
    }
  },
  ethers: (urls: readonly string[]) => {
    const network = ethers.Network.from(31)
    const providers = urls.map((url) => {
      const request = new ethers.FetchRequest(url)
      request.timeout = timeout
      return new ethers.JsonRpcProvider(request, network, { staticNetwork: network, cacheTimeout: -1 })
    })
    const [first] = providers
    const provider =
      providers.length > 1 ? new ethers.FallbackProvider(providers, network, { quorum: 1 }) : first
    const contract = new ethers.Contract(address, abi as unknown as ethers.InterfaceAbi, provider ?? null)
    return {
      page: (count: number) =>
        Promise.all(Array.from({ length: count }, () => contract.getFunction('value').staticCall())),
      call: async (at: number): Promise<unknown> => provider?.getBalance(account(at)),
      end: () => {
        for (const one of providers) one.destroy()
      },
    }
  },
} as const

const scenarios = ['20 contract reads', 'a spent limit', 'a hanging server', 'an endpoint that dies'] as const

/** What a client did in a scenario. */
export interface Outcome {
  readonly scenario: string
  readonly client: string
  readonly text: string
}

/** Runs every scenario with every client. */
export async function clientFaults(): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const scenario of scenarios)
    for (const [name, create] of Object.entries(clients)) {
      const nodes = [await startNode(), ...(scenario === 'an endpoint that dies' ? [await startNode()] : [])]
      const client = create(nodes.map(({ url }) => url))
      const before = process.cpuUsage()
      const started = performance.now()
      const outcome = await Promise.race([run(scenario, client, nodes), late()])
      const { user, system } = process.cpuUsage(before)
      const [requests, calls] = (['requests', 'calls'] as const).map((key) =>
        nodes.reduce((sum, node) => sum + node[key], 0),
      )
      const seconds = ((performance.now() - started) / 1_000).toFixed(1)
      const milliseconds = ((user + system) / 1_000).toFixed(0)
      const text = `${outcome}; requests: ${requests}, calls: ${calls}; ${seconds} s; ${milliseconds} ms of processor time`
      outcomes.push({ scenario, client: name, text })
      client.end()
      for (const node of nodes) node.close()
    }
  return outcomes
}

type Nodes = readonly Awaited<ReturnType<typeof startNode>>[]
type RunClient = ReturnType<(typeof clients)[keyof typeof clients]>

async function run(scenario: (typeof scenarios)[number], client: RunClient, nodes: Nodes): Promise<string> {
  const [node] = nodes
  if (node === undefined) return 'no node'
  if (scenario === '20 contract reads') return `${(await client.page(20)).length} values`
  if (scenario === 'an endpoint that dies') {
    const outcomes: boolean[] = []
    for (let sent = 0; sent < 100; sent += 10) {
      if (sent === 50) node.close()
      const ten = await Promise.allSettled(Array.from({ length: 10 }, (_, at) => client.call(sent + at)))
      outcomes.push(...ten.map(({ status }) => status === 'fulfilled'))
    }
    return `${outcomes.filter(Boolean).length} of 100 answered`
  }
  node.mode = scenario === 'a spent limit' ? 'spent' : 'hang'
  return client.call(0).then(
    () => 'answered',
    () => 'rejected',
  )
}

const late = (): Promise<string> =>
  new Promise((resolve) => setTimeout(resolve, longest, `nothing within ${longest / 1_000} s`).unref())
