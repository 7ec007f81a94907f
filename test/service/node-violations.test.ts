import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { post, startService } from '../support/service.js'

const hash = (digit: string) => `0x${digit.repeat(64)}`
/** Answers of a node about blocks by hash, as text, because some of them need JSON.parse. */
const blocks: Readonly<Record<string, string>> = {
  [hash('1')]: `{"number":"0x10","hash":"${hash('1')}"}`,
  [hash('2')]: `{"number":"0x10","hash":"${hash('2')}"}`,
  [hash('3')]:
    `{"number":"0x10","hash":"${hash('3')}","extra":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
  [hash('4')]: `{"number":"0x10","hash":"${hash('4')}","paidFees":"0x0"}`,
  [hash('7')]: `{"number":"0x10","hash":"${hash('7')}","baseFeePerGas":"0x7"}`,
  [hash('6')]: `{"number":"0x10","hash":"${hash('6')}","baseFeePerGas":"0x7","withdrawals":[]}`,
}
const log = JSON.stringify({
  ...{ address: `0x${'1'.repeat(40)}`, topics: [], data: '0x', blockNumber: '0x10', blockHash: hash('1') },
  ...{ transactionHash: hash('2'), transactionIndex: '0x0', logIndex: '0x0', removed: false },
  '"\nextra"': 1,
})
const node = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  const { id, method, params } = JSON.parse(body)
  const known: Record<string, string> = { eth_chainId: '"0x1f"', eth_blockNumber: '"0x10"' }
  if (method === 'eth_getLogs') known[method] = `[${log}]`
  const result = known[method] ?? blocks[params[0]] ?? 'null'
  response.end(
    params[0] === hash('5')
      ? `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"m","data":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}}`
      : `{"jsonrpc":"2.0","id":${id},"result":${result}}`,
  )
}).listen(0, '127.0.0.1')
await once(node, 'listening')
const address = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
const service = await startService({
  env: { CONCORDAT_NODES_TEST: address, CONCORDAT_NODES_MAIN: address, CONCORDAT_METRICS_PORT: '0' },
})
t.teardown(async () => {
  node.close()
  node.closeAllConnections()
  await service.stop()
})

const block = (digit: string) =>
  post(service.networks.test.url, {
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_getBlockByHash',
    params: [hash(digit), false],
  })

t.test('a block without merged-mining members is returned, counted, and logged once', async (t) => {
  for (const digit of ['1', '2', '4']) {
    const { status, json } = await block(digit)
    t.equal(status, 200)
    t.match(json, { id: 1, result: { number: '0x10', hash: hash(digit) } })
  }
  const metrics = await (await fetch(service.metrics ?? '')).text()
  t.match(metrics, /^concordat_contract_violations_total\{network="test",node="test-1"\} 3$/m)
  const told = await service.said('err', /"missing":\[[^\]]*"hashForMergedMining","cumulativeDifficulty"\]/)
  const lines = told.split('\n').filter((line) => line.includes('"missing"'))
  t.equal(lines.length, 2, 'once for each set of members')
  t.match(JSON.parse(lines[0] ?? ''), { level: 40, network: 'test', node: 'test-1' })
})

t.test('members that the contract does not list are counted by name, and logged once', async (t) => {
  for (const digit of ['6', '7']) {
    const { result } = (await block(digit)).json
    t.notOk('baseFeePerGas' in result || 'withdrawals' in result)
  }
  const logs = { jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [{ blockHash: hash('1') }] }
  t.strictSame(Object.keys((await post(service.networks.test.url, logs)).json.result[0]), [
    ...Object.keys(JSON.parse(log)).slice(0, -1),
  ])
  const metrics = await (await fetch(service.metrics ?? '')).text()
  const counts = metrics.split('\n').filter((line) => line.startsWith('concordat_dropped_members_total'))
  t.strictSame(counts, [
    'concordat_dropped_members_total{network="test",member="Block.baseFeePerGas"} 2',
    'concordat_dropped_members_total{network="test",member="Block.withdrawals"} 1',
    'concordat_dropped_members_total{network="test",member="Log.\\"\\nextra\\""} 1',
  ])
  const told = await service.said('err', /"member":"Log/)
  const lines = told.split('\n').filter((line) => line.includes('"member"'))
  t.strictSame(
    lines.map((line) => JSON.parse(line).member),
    ['Block.baseFeePerGas', 'Block.withdrawals', 'Log."\nextra"'],
  )
  t.match(JSON.parse(lines[0] ?? ''), { level: 40, network: 'test', node: 'test-1' })
})

t.test('a block or an error that is nested too deeply is an invalid answer: 502', async (t) => {
  for (const digit of ['3', '5']) {
    const { status, json } = await block(digit)
    t.equal(status, 502, digit)
    t.match(json, { id: 1, error: { code: -32603 } })
  }
  t.equal((await block('1')).status, 200)
})
