import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import t, { type Test } from 'tap'
import { hashOfBlock, logText, startLogNode } from '../support/log-node.js'
import { post, type RunningService, startService } from '../support/service.js'

/** Log answers of every size, with a test node behind the service. */
const megabyte = 1024 * 1024

async function start(t: Pick<Test, 'teardown'>) {
  const node = await startLogNode()
  const other = await startLogNode()
  const service = await startService({
    isHeapSmall: true,
    env: {
      CONCORDAT_NODES_TEST: `${node.url},${other.url}`,
      CONCORDAT_NODES_MAIN: node.url,
      CONCORDAT_METRICS_PORT: '0',
    },
  })
  t.teardown(async () => {
    node.close()
    other.close()
    await service.stop()
  })
  return { node, other, service, url: service.networks.test.url }
}

const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
const getLogs = (filter: object, id = 1) => ({ jsonrpc: '2.0', id, method: 'eth_getLogs', params: [filter] })

/** Sends a call and returns the response after its headers, with an unread body. */
async function open(url: string, body: object): Promise<IncomingMessage> {
  const sent = request(url, { method: 'POST', headers: { 'content-type': 'application/json' } })
  sent.end(JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}

/** Expected size and digest of the answer for these logs. */
function wanted(blocks: readonly (readonly [block: number, count: number])[]) {
  const hash = createHash('sha256').update('{"jsonrpc":"2.0","id":1,"result":[')
  let size = 0
  let isFirst = true
  for (const [block, count] of blocks) {
    for (let index = 0; index < count; index++) {
      const text = `${isFirst ? '' : ','}${logText(block, index)}`
      isFirst = false
      size += text.length
      hash.update(text)
    }
  }
  return { size, digest: hash.update(']}').digest('hex') }
}

async function digest(response: IncomingMessage): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of response) hash.update(chunk)
  return hash.digest('hex')
}

/** Memory of a process in bytes, current or peak. */
async function memory({ process }: RunningService, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${process.pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
}

/** The peak memory after a reset, because the peak at the start was higher (proc(5), clear_refs). */
async function memoryFromNow(service: RunningService): Promise<number> {
  await writeFile(`/proc/${service.process.pid}/clear_refs`, '5')
  return memory(service, 'VmRSS')
}

const count = 170_000
const whole = wanted([[7, count]])

const shared = start(t)

/** The service of most tests, with nodes that are still empty. */
async function fresh() {
  const parts = await shared
  for (const node of [parts.node, parts.other]) {
    node.logs.clear()
    node.cutAfter = undefined
  }
  return parts
}

t.test('100 MB of logs are streamed while the process grows by less than 64 MB', async (t) => {
  const { node, other, service, url } = await fresh()
  t.ok(whole.size > 100 * megabyte, `${whole.size} bytes`)
  for (const { logs } of [node, other]) logs.set(7, count).set(8, 100)
  const filter = { fromBlock: '0x7', toBlock: '0x7' }
  await digest(await open(url, getLogs({ blockHash: hashOfBlock(8) })))
  const before = await memoryFromNow(service)
  const response = await open(url, getLogs(filter))
  t.equal(response.statusCode, 200)
  t.equal(response.headers['content-length'], undefined)
  t.match(response.headers, { 'transfer-encoding': 'chunked', 'content-type': 'application/json' })
  t.equal(await digest(response), whole.digest)
  const grown = (await memory(service, 'VmHWM')) - before
  t.comment(`grown by ${grown / megabyte} MB`)
  t.ok(grown < 64 * megabyte, `grown by ${grown} bytes`)
})

t.test('a slow caller slows the node down, and receives everything', async (t) => {
  const { node, other, service, url } = await start(t)
  for (const { logs } of [node, other]) logs.set(7, count).set(8, 100)
  await digest(await open(url, getLogs({ blockHash: hashOfBlock(8) })))
  const before = await memoryFromNow(service)
  const response = await open(url, getLogs({ fromBlock: '0x7', toBlock: '0x7' }))
  const written = () => node.written() + other.written()
  // A service that still read the large answer would do so between its other answers.
  for (let last = -1; last !== written(); ) {
    last = written()
    for (let other = 0; other < 50; other++) await post(url, chainId)
  }
  t.ok(written() < 48 * megabyte, `the node has written ${written()} bytes`)
  const grown = (await memory(service, 'VmHWM')) - before
  t.ok(grown < 64 * megabyte, `grown by ${grown} bytes`)
  t.equal(await digest(response), whole.digest)
})

/** Metrics of eth_getLogs on the test network, by outcome. */
async function outcomes(service: RunningService): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(service.metrics ?? '')).text()
  const lines = text.matchAll(/^concordat_\w*requests_total\{(.*method="eth_getLogs".*)\} (\d+)$/gm)
  return Object.fromEntries(
    [...lines].map(([, labels = '', number]) => [
      /outcome="(\w+)"/.exec(labels)?.[1] ?? labels,
      Number(number),
    ]),
  )
}

t.test(
  'a failure during streaming closes the connection without the last chunk, and is counted',
  async (t) => {
    const { node, other, service, url } = await fresh()
    for (const one of [node, other]) {
      one.logs.set(7, count).set(8, 10)
      one.cutAfter = 100_000
    }
    const response = await open(url, getLogs({ blockHash: hashOfBlock(7) }))
    t.equal(response.statusCode, 200)
    await t.rejects(digest(response), { code: 'ECONNRESET' })
    t.equal(response.complete, false)
    t.match(await outcomes(service), { unavailable: 1 })

    node.cutAfter = 5
    other.cutAfter = undefined
    const healed = await post(url, getLogs({ blockHash: hashOfBlock(8) }))
    t.equal(healed.json.result.length, 10, 'unsent logs come from the other node')
  },
)

t.test('in a batch nothing is streamed', async (t) => {
  const { node, other, url } = await fresh()
  for (const { logs } of [node, other]) logs.set(7, 30_000).set(8, 10)
  const large = getLogs({ blockHash: hashOfBlock(7) }, 1)
  const { status, json } = await post(url, [large, getLogs({ blockHash: hashOfBlock(8) }, 2)])
  t.equal(status, 200)
  t.match(json[0], { id: 1, error: { code: -32602, message: /call the method alone/ } })
  t.equal(json[1].result.length, 10)
  const alone = await open(url, large)
  t.equal(alone.headers['content-length'], undefined, 'a single call is')
  t.equal(await digest(alone), wanted([[7, 30_000]]).digest)
})

t.test(
  'a batch whose logs find no memory is answered with the error for an overloaded service',
  async (t) => {
    const { node, other, url } = await fresh()
    for (const { logs } of [node, other]) logs.set(7, 25_000).set(8, 10)
    const calls = [7, 8].map((block, at) => getLogs({ blockHash: hashOfBlock(block) }, at + 1))
    const [large] = calls
    const unread = await open(url, large ?? {})
    const { status, json } = await post(url, calls)
    t.equal(status, 200)
    t.match(json[0], { id: 1, error: { code: -32002, message: 'The service is overloaded' } })
    t.equal(json[1].result.length, 10, 'a small answer needs none')
    t.equal(await digest(unread), wanted([[7, 25_000]]).digest)
    const [first, second] = (await post(url, calls)).json
    t.equal(first.result.length, 25_000, 'the memory is free again')
    t.equal(second.result.length, 10)
  },
)

t.test('16 MiB are held in memory, and have a length', async (t) => {
  const { node, other, url } = await fresh()
  for (const { logs } of [node, other]) logs.set(7, 25_000)
  const response = await open(url, getLogs({ blockHash: hashOfBlock(7) }))
  t.ok(Number(response.headers['content-length']) > 15 * megabyte)
  t.equal(await digest(response), wanted([[7, 25_000]]).digest)
})

t.test("ranges are split around nodes' limits, down to a block that no node answers", async (t) => {
  const { node, other, url } = await fresh()
  for (const one of [node, other]) {
    one.mostBlocks = 500
    one.mostLogs = 300
    for (let block = 1_000; block < 9_000; block += 8) one.logs.set(block, 5)
  }
  const blocks = [...node.logs]
  const range = { fromBlock: '0x3e8', toBlock: '0x2327' }
  t.equal(await digest(await open(url, getLogs(range))), wanted(blocks).digest)

  node.logs.set(2_000, 301)
  other.logs.set(2_000, 301)
  other.mostLogs = 1_000
  const { json } = await post(url, getLogs({ fromBlock: '0x7d0', toBlock: '0x7d8' }))
  t.equal(json.result.length, 306, 'another node answers the block')
  other.mostLogs = 300
  const refused = await post(url, getLogs({ fromBlock: '0x7d0', toBlock: '0x7d8' }))
  t.match(refused.json.error, { code: -32602, message: /address or topics/ })
})
