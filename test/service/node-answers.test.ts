import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { post, startService } from '../support/service.js'
import { until } from '../support/until.js'

/** Answers of a node, and the caller's answers: status, code and message (the contract's `x-failures`). */
let reply = { status: 200, text: '' }
const node = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  const { id, method } = JSON.parse(body)
  const known: Record<string, unknown> = { eth_chainId: '0x1f', eth_blockNumber: '0x10' }
  response.writeHead(method in known ? 200 : reply.status, { 'content-type': 'application/json' })
  if (method in known) response.end(JSON.stringify({ jsonrpc: '2.0', id, result: known[method] }))
  else response.end(reply.text.replace('ID', String(id)))
}).listen(0, '127.0.0.1')
await once(node, 'listening')
const { port } = node.address() as AddressInfo
const address = `http://127.0.0.1:${port}`
const service = await startService({
  env: { CONCORDAT_NODES_TEST: `${address}/secret-path`, CONCORDAT_NODES_MAIN: address },
})
t.teardown(async () => {
  node.close()
  node.closeAllConnections()
  await service.stop()
})
const { url } = service.networks.test

const error = (code: number, message: string, data?: unknown) =>
  `{"jsonrpc":"2.0","id":ID,"error":${JSON.stringify({ code, message, data })}}`
const result = (value: unknown) => `{"jsonrpc":"2.0","id":ID,"result":${JSON.stringify(value)}}`
const nobody = `0x${'00'.repeat(20)}`
/** Each request uses its own account, so that no answer comes from the cache. */
let accounts = 0
const freshAccount = () => `0x${(++accounts).toString(16).padStart(40, '0')}`
const balance = ['eth_getBalance', freshAccount, 'latest'] as const
const call = ['eth_call', { to: nobody }, 'latest'] as const
/** Nine members of one byte each, which resemble a legacy transaction. */
const send = ['eth_sendRawTransaction', `0xc9${'80'.repeat(6)}1b0101`] as const
/** `Error("no")`, ABI-encoded. */
const no = `0x08c379a0${'20'.padStart(64, '0')}${'2'.padStart(64, '0')}${'6e6f'.padEnd(64, '0')}`

interface Row {
  readonly what: string
  readonly asked: readonly [string, ...unknown[]]
  readonly says: string
  readonly nodeStatus?: number
  readonly status: number
  readonly gets: object
}

const rows: readonly Row[] = [
  {
    what: 'a revert, as geth says it',
    asked: call,
    says: error(3, 'execution reverted: no', no),
    status: 200,
    gets: { error: { code: 3, message: 'execution reverted: no', data: no } },
  },
  {
    what: 'a revert, as Rootstock says it',
    asked: call,
    says: error(-32015, 'VM Exception while processing transaction: revert no'),
    status: 200,
    gets: { error: { code: 3, message: 'execution reverted: no', data: '0x' } },
  },
  {
    what: 'a refused transaction: the node’s wording',
    asked: send,
    says: error(-32010, 'the sender is poor'),
    status: 200,
    gets: { error: { code: -32003, message: 'the sender is poor' } },
  },
  {
    what: 'a transaction that is not yet available: the zero hash',
    asked: send,
    says: result(null),
    status: 200,
    gets: { result: `0x${'0'.repeat(64)}` },
  },
  {
    what: 'quantities with leading zeros and capitals',
    asked: balance,
    says: result('0x00AB'),
    status: 200,
    gets: { result: '0xab' },
  },
  {
    what: 'a method that no node has',
    asked: balance,
    says: error(-32601, 'no such method'),
    status: 200,
    gets: { error: { code: -32603 } },
  },
  {
    what: 'that parameters are invalid, which the contract has accepted',
    asked: balance,
    says: error(-32602, 'too many arguments'),
    status: 502,
    gets: { error: { code: -32603 } },
  },
  {
    what: 'that a call is invalid, which the contract has accepted',
    asked: call,
    says: error(-32602, 'unknown member'),
    status: 502,
    gets: { error: { code: -32603 } },
  },
  {
    what: 'that a transaction is invalid: the node’s wording',
    asked: send,
    says: error(-32602, 'invalid sender'),
    status: 200,
    gets: { error: { code: -32003, message: 'invalid sender' } },
  },
  {
    what: 'no JSON',
    asked: balance,
    says: '<html>',
    status: 502,
    gets: { error: { code: -32603 } },
  },
  {
    what: 'a result of another kind',
    asked: balance,
    says: result({ a: 1 }),
    status: 502,
    gets: { error: { code: -32603 } },
  },
  {
    what: 'null for a result that is never null',
    asked: ['web3_clientVersion'],
    says: result(null),
    status: 502,
    gets: { error: { code: -32603 } },
  },
  {
    what: 'an error page',
    asked: balance,
    nodeStatus: 500,
    says: 'oops at /srv/node.js:1',
    status: 502,
    gets: { error: { code: -32603 } },
  },
  {
    what: 'that the answer to a call is over its limit',
    asked: ['eth_call', { to: `0x${'22'.repeat(20)}` }, 'latest'],
    says: '{"id":ID,"error":{"code":-32012,"message":"Response size limit of 1000000 bytes exceeded"}}',
    status: 502,
    gets: { error: { code: -32603 } },
  },
  {
    what: 'too much at the moment',
    asked: balance,
    nodeStatus: 429,
    says: '',
    status: 503,
    gets: { error: { code: -32002 } },
  },
  {
    what: 'a JSON-RPC answer with HTTP 400',
    asked: balance,
    nodeStatus: 400,
    says: result('0x5'),
    status: 200,
    gets: { result: '0x5' },
  },
  {
    what: 'an error with the id "null"',
    asked: call,
    nodeStatus: 400,
    says: '{"id":"null","error":{"code":3,"message":"execution reverted"}}',
    status: 200,
    gets: { error: { code: 3 } },
  },
  {
    what: 'a result with the id "null", which may be the answer to another call',
    asked: balance,
    says: '{"id":"null","result":"0x5"}',
    status: 502,
    gets: { error: { code: -32603 } },
  },
]

t.test('callers get these answers for answers of the node', async (t) => {
  for (const { what, asked, says, nodeStatus = 200, status, gets } of rows) {
    reply = { status: nodeStatus, text: says }
    const [method, ...params] = asked
    const request = () => ({
      jsonrpc: '2.0',
      id: 'own',
      method,
      params: params.map((param) => (param === freshAccount ? freshAccount() : param)),
    })
    const answer = await post(url, request())
    t.equal(answer.status, status, what)
    t.match(answer.json, { jsonrpc: '2.0', id: 'own', ...gets }, what)
    t.equal(answer.headers.get('access-control-allow-origin'), '*', what)
    t.equal(answer.headers.get('retry-after') !== null, status === 503, `${what}: Retry-After`)
    t.notMatch(
      answer.text,
      new RegExp(`:${port}|secret-path|/srv|cause|stack`),
      `${what}: no internal details`,
    )
    const batch = await post(url, [request()])
    t.equal(batch.status, 200, `${what}, in a batch`)
    t.match(batch.json, [{ jsonrpc: '2.0', id: 'own', ...gets }], `${what}, in a batch`)
  }
})

t.test('without a node: 503 with Retry-After, not ready, and an error in the log', async (t) => {
  node.close()
  node.closeAllConnections()
  const params = [freshAccount(), 'latest']
  const answer = await post(url, { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params })
  t.equal(answer.status, 503)
  t.match(answer.json, { id: 1, error: { code: -32002 } })
  t.match(answer.headers.get('retry-after'), /^[1-5]$/)
  t.notMatch(answer.text, `:${port}`)
  t.equal(
    (await post(url, { jsonrpc: '2.0', id: 1, method: 'eth_chainId' })).status,
    200,
    'local answers still work',
  )
  const ready = await until(async () => {
    const response = await fetch(`${service.origin}/readyz`)
    const { status, networks } = await response.json()
    const isWithout = networks.test === 'no node' && networks.main === 'no node'
    return isWithout && { code: response.status, status }
  })
  t.same(ready, { code: 200, status: 'degraded' }, 'another process would have no node either')
  t.ok(await service.said('err', 'No node is available'))
})
