import t from 'tap'
import { type NodeServer, startNodeServer } from '../support/node-server.js'
import { post, startService } from '../support/service.js'

/** Expensive requests and answers: each is refused by a limit of the contract, or answered. */

const [node, main] = [await startNodeServer(), await startNodeServer({ chainId: '0x1e' })]
const service = await startService({
  isHeapSmall: true,
  env: { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: main.url },
})
t.teardown(async () => {
  await service.stop()
  await node.close()
  await main.close()
})
const { url } = service.networks.test

const request = (method: string, params: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[${params}]}`
const send = (raw: string) => request('eth_sendRawTransaction', `"0x${raw}"`)

/** Lists nested around a string of zeros, with headers of three bytes each; this many bytes in all. */
function nested(levels: number, bytes: number): string {
  const header = (length: number) => `fa${length.toString(16).padStart(6, '0')}`
  const headers = Array.from({ length: levels }, (_, level) => header(bytes - 4 * (level + 1)))
  return headers.join('') + '00'.repeat(bytes - 4 * levels)
}

/** Returns a transaction of so many bytes: a list of nine fields, with zeros as data, and small v, r and s. */
function transaction(bytes: number): string {
  const length = (all: number) => all.toString(16).padStart(6, '0')
  return `fa${length(bytes - 4)}${'80'.repeat(5)}ba${length(bytes - 16)}${'00'.repeat(bytes - 16)}1b0101`
}

const to = `"to":"0x${'11'.repeat(20)}"`
const data = (bytes: number) => `"data":"0x${'00'.repeat(bytes)}"`
const tooLong = { code: -32602, data: [{ rule: 'maxLength' }] }
const noTransaction = { code: -32602, data: [{ path: '/0', rule: 'send-raw.well-formed' }] }

const refused: readonly (readonly [name: string, body: string, status: number, error: object])[] = [
  ['lists around a string, 2.5 MB', send(nested(300, 2_500_000)), 200, tooLong],
  ['lists around a string, at the limit', send(nested(30_000, 131_072)), 200, noTransaction],
  ['a list of 131,068 items', send(`fa01fffc${'80'.repeat(131_068)}`), 200, noTransaction],
  ['a transaction of a byte too many', send(transaction(131_073)), 200, tooLong],
  ['data of a byte too many', request('eth_call', `{${to},${data(524_289)}},"latest"`), 200, tooLong],
  [
    '400,000 members',
    request('eth_call', `{${Array.from({ length: 400_000 }, (_, at) => `"${at}":0`).join()}}`),
    413,
    { code: -32600 },
  ],
  ['2,500,000 lists', request('eth_getLogs', `[${'[],'.repeat(1_700_000)}[]]`), 413, { code: -32600 }],
]

t.test('requests beyond a limit are refused without asking a node', async (t) => {
  for (const [name, body, status, error] of refused)
    t.match(await post(url, body), { status, json: { error } }, name)
  const asked = node.requests.flatMap(({ calls }) => calls.map(({ method }) => method))
  t.same(
    // Checks of the node look at its head block. None of the refused calls does.
    asked.filter((method) => method !== 'eth_getBlockByNumber'),
    [],
  )
})

t.test('requests at a limit are sent to the node', async (t) => {
  const hash = `0x${'ab'.repeat(32)}`
  node.fault = ({ calls: [call] }, response) => {
    const results: Readonly<Record<string, string>> = { eth_sendRawTransaction: hash, eth_call: '0x' }
    const result = results[call?.method ?? '']
    if (result === undefined) return false
    response.end(JSON.stringify({ jsonrpc: '2.0', id: call?.id, result }))
    return true
  }
  const sent = transaction(131_072)
  t.match(await post(url, send(sent)), { json: { result: hash } })
  t.equal(node.requests.at(-1)?.calls[0]?.params[0], `0x${sent}`)
  t.match(await post(url, request('eth_call', `{${to},${data(524_288)}},"latest"`)), {
    json: { result: '0x' },
  })
})

/** Makes the node answer blocks by hash with a JSON text. */
function answerBlocks(of: NodeServer, result: string): void {
  of.fault = ({ calls: [call] }, response) => {
    if (call?.method !== 'eth_getBlockByHash') return false
    response.end(`{"jsonrpc":"2.0","id":${call.id},"result":${result}}`)
    return true
  }
}

t.test('an answer of a node beyond its limits is invalid', async (t) => {
  const block = (digit: string) => request('eth_getBlockByHash', `"0x${digit.repeat(64)}",true`)
  answerBlocks(node, `{"uncles":[${'"0x",'.repeat(99_000)}"0x"]}`)
  t.match(await post(url, block('a')), { status: 200, json: { result: { uncles: { length: 99_001 } } } })
  answerBlocks(node, `{"uncles":[${'"0x",'.repeat(100_000)}"0x"]}`)
  t.match(await post(url, block('b')), { status: 502, json: { error: { code: -32603 } } })
  answerBlocks(node, `{"extraData":"0x${'00'.repeat(4_194_304)}"}`)
  t.match(await post(url, block('c')), { status: 502, json: { error: { code: -32603 } } })
})
