import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { limits } from '../../generated/contract.js'
import { methods } from '../../generated/methods.js'
import { validators } from '../../generated/validators.js'
import type { JsonObject, JsonValue } from '../../src/runtime/rpc/index.js'
import {
  isObject,
  type NodeReply,
  recordedAnswers,
  recordedBlock,
  startRecordedNode,
  stateMethods,
} from '../support/recorded-node.js'
import { isLong } from '../support/runs.js'
import { post, runConcordat, startService } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Every recorded exchange of a live Rootstock node, through the service. */
const node = await startRecordedNode()
const env = { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: node.url, CONCORDAT_LOG_LEVEL: 'silent' }
const service = await startService({ env })
t.teardown(async () => {
  await service.stop()
  node.close()
})
const { url } = service.networks.test

/** Returns what is wrong with an answer of the service; undefined if nothing is. */
type Promised = (answer: NodeReply) => string | undefined

const error =
  (code: number, message?: string, data?: JsonValue): Promised =>
  (answer) =>
    answer.error?.code === code &&
    (message === undefined || answer.error.message === message) &&
    (data === undefined || answer.error.data === data)
      ? undefined
      : `expected the error ${code} ${message ?? ''}`
const equals =
  (result: JsonValue): Promised =>
  (answer) =>
    JSON.stringify(answer.result) === JSON.stringify(result)
      ? undefined
      : `expected ${JSON.stringify(result)}`
const anyResult: Promised = ({ result }) =>
  result === undefined || result === null ? 'expected a result' : undefined
const atLeast =
  (gas: number): Promised =>
  ({ result }) =>
    Number(result) >= gas ? undefined : `expected at least ${gas}`

/** A call at a block whose form the node does not know runs with another form, and may revert. */
const resultOrRefusal: Promised = ({ result, error: { code } = { code: 0 } }) =>
  result !== undefined || code === 3 || code === -32003
    ? undefined
    : 'expected a result, a revert or a refusal'

/** Members of the node that callers do not receive, and members that they receive in addition, by kind of object. */
const hidden = new Set<string>()
const added = new Set<string>()

/** Compares a result with the node's, whose members may be hidden, and null while pending. */
function sameAs(
  given: JsonValue,
  result: JsonValue | undefined,
  kind: string,
  isPending: boolean,
): string | undefined {
  if (Array.isArray(given)) {
    if (!Array.isArray(result) || result.length !== given.length) return 'another number of entries'
    return given
      .map((entry, at) => sameAs(entry, result[at], kind, isPending))
      .find((problem) => problem !== undefined)
  }
  if (!isObject(given)) {
    const isNull = isPending && result === null && /blockHash|blockNumber|transactionIndex/.test(kind)
    return result === given || isNull ? undefined : `${kind}: expected ${JSON.stringify(given)}`
  }
  if (!isObject(result)) return `${kind}: expected an object`
  for (const name of Object.keys(result)) if (given[name] === undefined) added.add(`${kind}.${name}`)
  for (const [name, value = null] of Object.entries(given)) {
    if (result[name] === undefined) hidden.add(`${kind}.${name}`)
    else {
      const inner = sameAs(
        value,
        result[name],
        name === 'transactions' || name === 'logs' ? name : `${kind}.${name}`,
        isPending,
      )
      if (inner !== undefined) return inner
    }
  }
  return undefined
}

/** The answer that the contract promises for a recorded call. */
function promised(method: string, params: readonly JsonValue[], reply: NodeReply): Promised {
  if (!(method in methods)) return error(-32601)
  const { params: named } = methods[method as keyof typeof methods]
  // Null for an optional parameter counts as absent.
  const isNullAbsent = params.at(-1) === null && named[params.length - 1]?.required === false
  const given = isNullAbsent ? params.slice(0, -1) : [...params]
  if (validators[method as keyof typeof validators].params(given).length > 0) return error(-32602)
  if (isNullAbsent) return anyResult
  const [first, second] = params
  if (method === 'eth_accounts') return equals([])
  if (method === 'eth_chainId') return equals('0x1f')
  if (method === 'net_version') return equals('31')
  if (method === 'eth_blockNumber') return equals('0xd00')
  if (method === 'web3_sha3' && reply.error !== undefined) return anyResult
  if (
    isObject(first) &&
    first['data'] !== undefined &&
    first['input'] !== undefined &&
    first['data'] !== first['input']
  )
    return error(-32602)
  if (method === 'eth_sendRawTransaction' && reply.error !== undefined) {
    if (/^0x(?:|00|c0|1234)$/.test(String(first))) return error(-32602)
    const type = Number(String(first).slice(0, 4))
    if (type < 0x80)
      return error(
        -32003,
        `transaction type 0x${type} is not supported, only legacy transactions (0x0): send gasPrice instead of maxFeePerGas`,
      )
    // The service refuses a transaction for another network itself.
    const [, chain] = /^Invalid chainId: (\d+)$/.exec(reply.error.message) ?? []
    if (chain !== undefined)
      return error(-32003, `invalid chain id for signer: have ${chain === '31' ? 33 : chain} want 31`)
    return error(-32003, reply.error.message)
  }
  if (method === 'eth_getLogs') return promisedLogs(first, reply)
  const selector = method === 'eth_getStorageAt' ? params[2] : stateMethods.has(method) ? second : first
  const isMissing = selector !== undefined && selector !== 'pending' && recordedBlock(selector) === undefined
  const isLookup = /^eth_get(?:Block|Uncle|TransactionBy|TransactionReceipt)/.test(method)
  // The node reads a hash of zeros as the number 0.
  const isFound = (reply.result ?? null) !== null && !/^0x0{64}$/.test(String(selector))
  if (stateMethods.has(method) && isMissing && !isFound) return error(-32001)
  if (method === 'eth_estimateGas') return promisedEstimate(first as JsonObject, reply)
  if (reply.error?.code === -32015) return error(3, undefined, reply.error.data ?? '0x')
  if (reply.error?.code === -32011) return error(-32002)
  if (isLookup && reply.error !== undefined && (isMissing || /Index$/.test(method))) return equals(null)
  if (reply.error !== undefined) return method === 'eth_call' ? resultOrRefusal : anyResult
  const isRewritten = isObject(first) && (first['input'] !== undefined || Object.values(first).includes(null))
  if (isRewritten) return anyResult
  if (first === 'pending' && /Count|AndIndex/.test(method)) return ofPending(method, second)
  if (reply.result === null || reply.result === undefined) return isLookup ? equals(null) : anyResult
  return ({ result }) => sameAs(reply.result ?? null, result, kindOf(method), first === 'pending')
}

const kindOf = (method: string) =>
  /BlockBy/.test(method) ? 'block' : /Receipt/.test(method) ? 'receipt' : 'transaction'

/** The recorded pending block has one transaction, which the node does not count. */
function ofPending(method: string, index: JsonValue | undefined): Promised {
  if (method === 'eth_getBlockTransactionCountByNumber') return equals('0x1')
  if (method === 'eth_getUncleCountByBlockNumber') return equals('0x0')
  return index === '0x0' ? anyResult : equals(null)
}

function promisedEstimate(call: JsonObject, reply: NodeReply): Promised {
  const bytes = Buffer.from(String(call['data'] ?? call['input'] ?? '0x').slice(2), 'hex')
  const ofData = bytes.reduce((sum, byte) => sum + (byte === 0 ? limits.zeroByteGas : limits.dataByteGas), 0)
  const intrinsic = limits.transactionGas + ((call['to'] ?? null) === null ? limits.creationGas : 0) + ofData
  const isEnough = reply.result !== undefined && Number(reply.result) >= intrinsic
  return isEnough ? equals(reply.result ?? null) : atLeast(intrinsic)
}

/** Ranges are asked in parts, so only answers by block hash and refusals are compared. */
function promisedLogs(filter: JsonValue | undefined, reply: NodeReply): Promised {
  const { fromBlock, toBlock, blockHash } = filter as JsonObject
  if (blockHash !== undefined && typeof fromBlock === 'string') return error(-32602)
  if (fromBlock === '0x16' && toBlock === '0x1') return error(-32602)
  if (blockHash === undefined || reply.result === undefined)
    return ({ result }) => (Array.isArray(result) ? undefined : 'expected a list')
  return ({ result }) => sameAs(reply.result ?? null, result, 'logs', false)
}

/** Number of requests at once. */
const atOnce = 16

const calls = recordedAnswers.flatMap(({ calls: named, ...reply }) =>
  named.map(([method, params]) => ({ method, params, reply })),
)

t.test('every recorded exchange is answered as the contract promises', async (t) => {
  t.ok(calls.length > 1_000)
  const check = async ({ method, params, reply }: (typeof calls)[number]) => {
    const { json, status } = await post(url, { jsonrpc: '2.0', id: 7, method, params })
    const what = `${method} ${JSON.stringify(params).slice(0, 200)}`
    const problem = promised(method, params, reply)(json)
    if (problem !== undefined)
      t.fail(what, {
        problem,
        json: JSON.stringify(json).slice(0, 300),
        reply: JSON.stringify(reply).slice(0, 300),
      })
    if (status !== (json.error?.code === -32002 ? 504 : 200)) t.fail(`${what}: status ${status}`)
    if (json.error === undefined)
      t.strictSame(validators[method as keyof typeof validators].result(json.result), [], what)
    else t.notMatch(json.error.message, /Internal server error/, what)
  }
  for (let at = 0; at < calls.length; at += atOnce) await Promise.all(calls.slice(at, at + atOnce).map(check))
})

t.test('callers receive every member of the node, and only stated members in addition', async (t) => {
  t.strictSame([...hidden].sort(), [])
  t.strictSame([...added].sort(), ['logs.removed', 'transaction._id'])
})

/** Every how many recorded calls the short form sends. */
const step = isLong ? 1 : 8

t.test('conform judges the recorded exchanges without a false alarm', async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'recorded'))
  // The recordings have two heads, so the block latest itself is left out.
  const sent = calls.filter(
    ({ method, params }, at) => method in methods && at % step === 0 && params[0] !== 'latest',
  )
  for (const [at, { method, params }] of sent.entries()) {
    const { json } = await post(url, { jsonrpc: '2.0', id: 7, method, params })
    const expect = json.error === undefined ? { result: json.result } : { error: { code: json.error.code } }
    const scenario = `The recorded call ${at} has the same answer in each form.`
    const file = { scenario, rule: 'envelope.version', steps: [{ call: method, params, expect }] }
    await writeFile(join(folder, 'recorded', `call-${at}.yaml`), JSON.stringify(file))
  }
  const args = ['--scenarios', folder, '--only', 'recorded/*', '--allow', 'write']
  const { out, code } = await runConcordat(['conform', url, ...args])
  t.equal(code, 0, out)
  t.match(out, new RegExp(` ${sent.length.toLocaleString('en').replace(',', '.')} passed`))
})
