import { readFile, writeFile } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { limits } from '../../generated/contract.js'
import { type LargeAnswer, startLargestNode } from '../support/largest-node.js'
import { startLogNode } from '../support/log-node.js'
import { paramsOf, type RequestBounds, readRequestBounds } from '../support/method-calls.js'
import { isLong } from '../support/runs.js'
import { startService } from '../support/service.js'

/**
 * The table of docs/reliability.md: the most that one request of each method can cause, tried with the largest body, and
 * with nodes that send the largest answers in every form.
 */
const mebibyte = 1_048_576

const [node, logNode] = [await startLargestNode('0x1e'), await startLogNode()]
const service = await startService({
  isHeapSmall: true,
  env: {
    CONCORDAT_NODES_TEST: logNode.url,
    CONCORDAT_NODES_MAIN: node.url,
    CONCORDAT_LOG_LEVEL: 'fatal',
  },
})
t.teardown(async () => {
  await service.stop()
  node.close()
  logNode.close()
})

const bounds = await readRequestBounds()
/** One method of each row in the short form. */
const methods = [...bounds].filter(
  ([name, own], at, all) =>
    name !== 'eth_getLogs' && (isLong || all.findIndex(([, each]) => each === own) === at),
)

const process = `/proc/${service.process.pid}`
const numberIn = async (file: string, name: string) =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(await readFile(`${process}/${file}`, 'utf8'))?.[1])

/** What a request caused, in mebibytes. */
interface Cost {
  /** Bytes that the service received or read from files. */
  readonly read: number
  /** Bytes of the answer. */
  readonly answer: number
  /** Its beginning. */
  readonly begins: string
  /** Growth of the resident size at its peak. */
  readonly grown: number
}

/** Sends a request with the largest body. */
async function costOf(url: string, method: string, params: readonly unknown[]): Promise<Cost> {
  // Resets the peak of the resident size (proc(5)).
  await writeFile(`${process}/clear_refs`, '5')
  const [resident, readBefore] = [await numberIn('status', 'VmRSS'), await numberIn('io', 'rchar')]
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }).padEnd(limits.bodyBytes),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  return {
    read: ((await numberIn('io', 'rchar')) - readBefore) / mebibyte,
    answer: bytes.length / mebibyte,
    begins: bytes.toString('utf8', 0, 100),
    grown: ((await numberIn('status', 'VmHWM')) - resident) / 1_024,
  }
}

/** A byte of the budget costs up to four bytes of the heap, whose young objects have 48 MiB of their own. */
const grownMost = ({ memoryMebibytes }: RequestBounds) => 4 * memoryMebibytes + 48

/** What is read besides the answers of nodes: the body, heads of messages, checks of nodes, and the database. */
const otherRead = limits.bodyBytes / mebibyte + 1

const hash = `0x${'05'.repeat(32)}`
const word = (value: number) => value.toString(16).padStart(64, '0')
const block = (filled: string) =>
  `"result":{"number":"0x5","hash":"${hash}","gasLimit":"0x67c280","transactions":[],"extraData":"${filled}"}`
/** The longest reason of a revert: each of its bytes needs two characters as data, and six in the message. */
const reasonBytes = limits.dataBytes - 68
const isBlockCall = (method: string) => /^eth_getBlockBy/.test(method)
const error = (code: number, message: string, data: string) =>
  `"error":{"code":${code},"message":"${message}","data":"${data}"}`

/** The forms of a node's answers. Blocks are found in most of them, so that further calls follow. */
const forms: Readonly<Record<string, LargeAnswer>> = {
  'large results': (method) => (isBlockCall(method) ? block('0xFILL') : '"result":"0xFILL"'),
  'large reverts': (method) =>
    isBlockCall(method)
      ? block('0xFILL')
      : error(
          3,
          'execution reverted',
          `0x08c379a0${word(32)}${word(reasonBytes)}${'01'.repeat(reasonBytes)}`,
        ),
  'large errors': (method) => (isBlockCall(method) ? block('0xFILL') : error(-32000, 'FILL', '0x')),
  'large refusals': (method) => (isBlockCall(method) ? block('0xFILL') : error(-32602, 'FILL', '0x')),
  'missing results': (method) => (isBlockCall(method) ? block('0xFILL') : '"result":null'),
  'answers without an end': () => 'endless',
}

let unique = 0
const own = (bytes: number) => `0x${(++unique).toString(16).padStart(2 * bytes, '0')}`

for (const [form, answer] of Object.entries(forms).slice(0, isLong ? undefined : 2))
  t.test(`${form} cost no more than the table states`, async (t) => {
    node.answer = answer
    for (const [name, stated] of methods) {
      for (const selected of isLong ? ['latest', '0x5', hash] : ['0x5']) {
        node.calls.length = 0
        const subject = { block: selected, blockHash: own(32), address: own(20), transactionHash: own(32) }
        const cost = await costOf(service.networks.main.url, name, paramsOf(name, subject))
        isWithin(t, `${name} at ${selected}`, cost, stated, node.calls.length)
      }
    }
  })

function isWithin(t: Test, what: string, cost: Cost, stated: RequestBounds, calls: number): void {
  const { read, answer, begins, grown } = cost
  const size = (mebibytes: number) => mebibytes.toFixed(1)
  t.comment(
    `${what}: ${calls} calls, ${size(read)} MiB read, ${size(answer)} sent, grown by ${size(grown)}; ${begins}`,
  )
  // The only node is asked again after an unusable answer.
  t.ok(calls <= 2 * stated.nodeCalls, `${what}: ${calls} attempts of ${stated.nodeCalls} calls`)
  const most = (calls * limits.nodeAnswerBytes) / mebibyte
  t.ok(read <= most + otherRead, `${what}: ${size(read)} MiB are read`)
  t.ok(answer <= (stated.answerMebibytes ?? 0), `${what}: ${size(answer)} MiB are sent`)
  t.ok(grown <= grownMost(stated), `${what}: the process grows by ${size(grown)} MiB`)
}

t.test('bytes from nodes are their calls, each as large as an answer may be', async (t) => {
  for (const [name, { nodeCalls, nodeMebibytes }] of methods)
    t.equal(nodeMebibytes, (nodeCalls * limits.nodeAnswerBytes) / mebibyte, name)
})

const logRange = (blocks: number) => [{ fromBlock: '0x0', toBlock: `0x${(blocks - 1).toString(16)}` }]

t.test('eth_getLogs reads the logs of a range at most twice, and does not hold them', async (t) => {
  const stated = bounds.get('eth_getLogs')
  if (stated === undefined) throw new TypeError('the table lacks eth_getLogs')
  const rows: readonly (readonly [what: string, blocks: number, logsInBlock: number])[] = [
    ['a short range with any number of logs', limits.blockSpanWithoutLogLimit, isLong ? 100 : 20],
    ['a long range with as many logs as are allowed', 2 * limits.logsPerAnswer, 1],
  ]
  for (const [what, blocks, count] of rows) {
    logNode.logs.clear()
    for (let at = 0; at < Math.min(blocks, limits.logsPerAnswer); at++) logNode.logs.set(at, count)
    const before = logNode.written()
    const { grown, answer } = await costOf(service.networks.test.url, 'eth_getLogs', logRange(blocks))
    const written = (logNode.written() - before) / mebibyte
    t.comment(
      `${what}: ${written.toFixed(1)} MiB from the node, ${answer.toFixed(1)} sent, grown by ${grown}`,
    )
    t.ok(answer > 1, `${what}: the logs are sent`)
    t.ok(written <= 2 * answer, `${what}: ${written} MiB from the node`)
    t.ok(grown <= grownMost(stated), `${what}: the process grows by ${grown} MiB`)
  }
})
