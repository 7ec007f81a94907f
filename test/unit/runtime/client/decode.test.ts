import { isTransportError } from '@concordat/client'
import fc from 'fast-check'
import t from 'tap'
import { quantities } from '../../../../generated/decoded.js'
import { examples } from '../../../../generated/examples.js'
import { createCodec, type QuantityTable } from '../../../../src/runtime/client/index.js'
import { createClient } from '../../../../src/service/node-access/index.js'
import { createDecodePlans } from '../../../../src/toolkit/codegen/types/decode-plan.js'
import { typeNames } from '../../../../src/toolkit/codegen/types/type-names.js'
import type { JsonValue } from '../../../../src/toolkit/contract/index.js'
import { createValues } from '../../../../src/toolkit/values/index.js'
import { runs } from '../../../support/runs.js'
import { ownContract } from '../../toolkit/codegen/fixtures.js'
import { caught, serve } from './rpc-server.js'

const contract = await ownContract()
const address = '0x00000000000000000000000000000000c0ffee01'

/**
 * The wire form of a decoded result.
 * @param wire the value that was decoded; its JSON numbers stay numbers
 */
function encoded(value: unknown, wire: unknown): unknown {
  if (typeof wire === 'number') return value
  if (typeof value === 'bigint' || typeof value === 'number') return `0x${value.toString(16)}`
  if (Array.isArray(value)) return value.map((item, at) => encoded(item, Object(wire)[at]))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, encoded(item, Object(wire)[name])]),
  )
}

/** A codec whose results are the parameters of the contract, as a list. */
const { planOf, named } = createDecodePlans(contract, typeNames(contract))
const table = contract.methods.map(({ name, params }) => [
  name,
  { result: { tuple: params.map(({ schema }) => planOf(schema) ?? []) } },
])
const schemas = createDecodePlans(contract, typeNames(contract))
for (const { params } of contract.methods) for (const { schema } of params) schemas.planOf(schema)
const paramsDecoder = createCodec<unknown>({
  methods: Object.fromEntries(table),
  schemas: { ...named(), ...schemas.named() },
} as QuantityTable)

/** Canonical wire form: quantities of parameters may have upper-case digits, and positions in storage leading zeros. */
const canonical = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (_, item) =>
    typeof item === 'string' ? item.toLowerCase().replace(/^0x0+(?=.)/, '0x') : item,
  )

interface Shown {
  readonly method: string
  readonly name: string
  readonly params: unknown
  readonly result?: JsonValue
}
const all = Object.entries(examples).flatMap(([method, list]) =>
  list.map((example) => ({ method, ...example }) as Shown),
)

t.test('results of all examples: encoding the decoded result gives the wire form', (t) => {
  for (const { method, name, result } of all) {
    if (result !== undefined) t.strictSame(encoded(quantities.result(method, result), result), result, name)
  }
  t.end()
})

t.test('parameters of all examples: encoding the decoded parameters gives the wire form', (t) => {
  for (const { method, name, params } of all) {
    t.strictSame(quantities.params(method, params as never), params, `${name}: the wire form is accepted`)
    const decoded = paramsDecoder.result(method, params as JsonValue) as readonly unknown[]
    t.strictSame(canonical(quantities.params(method, decoded)), canonical(params), name)
  }
  t.end()
})

t.test('blocks, transactions, receipts and logs have the documented types', (t) => {
  const decoded = (method: string, name: string) => {
    const found = all.find((example) => example.method === method && example.name === name)
    return quantities.result(method, found?.result) as Record<string, unknown>
  }
  const kinds = (value: object, kind: string) =>
    Object.entries(value).flatMap(([name, item]) => (typeof item === kind ? [name] : []))
  const receipt = decoded('eth_getTransactionReceipt', 'eth_getTransactionReceipt-creation')
  t.strictSame(kinds(receipt, 'bigint').sort(), [
    'blockNumber',
    'cumulativeGasUsed',
    'effectiveGasPrice',
    'gasUsed',
  ])
  t.strictSame(kinds(receipt, 'number').sort(), ['status', 'transactionIndex', 'type'])
  const [log] = decoded('eth_getLogs', 'eth_getLogs-range') as unknown as [object]
  t.strictSame(kinds(log, 'bigint'), ['blockNumber'])
  t.strictSame(kinds(log, 'number').sort(), ['logIndex', 'transactionIndex'])
  const full = all.find(({ result }) => typeof Object(result).transactions?.[0] === 'object')
  const block = quantities.result('eth_getBlockByNumber', full?.result) as {
    readonly transactions: readonly [object]
  }
  t.strictSame(kinds(block, 'number'), [])
  t.strictSame(kinds(block, 'bigint').sort(), [
    ...['cumulativeDifficulty', 'difficulty', 'gasLimit', 'gasUsed', 'minimumGasPrice', 'number', 'paidFees'],
    ...['size', 'timestamp', 'totalDifficulty'],
  ])
  const [transaction] = block.transactions
  t.strictSame(kinds(transaction, 'bigint').sort(), ['blockNumber', 'gas', 'gasPrice', 'v', 'value'])
  t.strictSame(kinds(transaction, 'number').sort(), ['nonce', 'transactionIndex', 'type'])
  t.end()
})

t.test('any valid result: encoding the decoded result gives the wire form', (t) => {
  const { valid } = createValues(contract, { varied: true })
  for (const { name, result } of contract.methods) {
    if (!result) continue
    fc.assert(
      fc.property(valid([result.schema]), (value) => {
        try {
          t.strictSame(encoded(quantities.result(name, value), value), value)
        } catch (error) {
          // Only a quantity above 2^53 cannot be a number.
          if (!isTransportError(error, 'invalid')) throw error
          fc.pre(false)
        }
      }),
      { numRuns: runs(40), maxSkipsPerRun: 1_000 },
    )
  }
  t.end()
})

t.test('parameters at and beyond the limits', (t) => {
  const call = (value: unknown) => quantities.params('eth_call', [{ to: address, value }, 'latest'])
  for (const [value, wire] of [
    [0, '0x0'],
    [-0, '0x0'],
    [0n, '0x0'],
    [255, '0xff'],
    [2 ** 53 - 1, '0x1fffffffffffff'],
    [2n ** 256n - 1n, `0x${'f'.repeat(64)}`],
    ['0x1', '0x1'],
    [null, null],
    [undefined, undefined],
  ]) {
    t.strictSame(call(value), [{ to: address, value: wire }, 'latest'], String(value))
  }
  const refused = (problem: string) => ({
    name: 'RangeError',
    message: `eth_call: the parameter "call" at /value ${problem}. Use a whole number from 0, of at most 256 bits.`,
  })
  t.throws(() => call(-1), refused('is negative'))
  t.throws(() => call(-1n), refused('is negative'))
  t.throws(() => call(0.5), refused('is not a whole number'))
  t.throws(() => call(Number.NaN), refused('is not a whole number'))
  t.throws(() => call(Number.POSITIVE_INFINITY), refused('is not a whole number'))
  t.throws(() => call(2 ** 53), refused('exceeds the safe integers; pass it as a bigint'))
  t.throws(() => call(2n ** 256n), refused('is longer than 256 bits'))
  t.throws(
    () => quantities.params('eth_getBalance', [address, -1]),
    /eth_getBalance: the parameter "blockSelector" is/,
  )
  t.end()
})

t.test('parameters are not changed, and those without quantities are passed on', (t) => {
  const filter = Object.freeze({ fromBlock: 1n, toBlock: 'latest' })
  t.strictSame(quantities.params('eth_getLogs', [filter]), [{ fromBlock: '0x1', toBlock: 'latest' }])
  t.strictSame(filter, { fromBlock: 1n, toBlock: 'latest' })
  const params = ['0x00']
  t.equal(quantities.params('eth_sendRawTransaction', params), params)
  t.strictSame(quantities.params('eth_unknown', [1n]), [1n])
  t.strictSame(quantities.result('eth_unknown', '0x1'), '0x1')
  t.strictSame(quantities.params('constructor', [1n]), [1n])
  t.end()
})

t.test('a number in a result that exceeds the safe integers is invalid', (t) => {
  t.equal(quantities.result('eth_getTransactionCount', '0x1fffffffffffff'), 2 ** 53 - 1)
  try {
    quantities.result('eth_getTransactionByHash', { nonce: '0x20000000000000', value: '0x20000000000000' })
    t.fail('the nonce is too large')
  } catch (error) {
    t.ok(isTransportError(error, 'invalid'))
    t.match(error, {
      method: 'eth_getTransactionByHash',
      message: /^eth_getTransactionByHash: the result at \/nonce is invalid: exceeds the safe integers/,
      problem: { path: '/nonce', rule: 'x-decode' },
    })
  }
  for (const other of [null, 'latest', '0x', 7, true]) {
    t.equal(quantities.result('eth_getBalance', other), other, 'other values stay as they are')
  }
  t.end()
})

t.test('a client with decoded values sends and returns them in calls, batches and requests', async (t) => {
  const results: Readonly<Record<string, JsonValue>> = {
    eth_getBalance: '0x1000000000000000000',
    eth_getTransactionCount: '0x7',
    eth_blockNumber: '0x10',
  }
  const answerOf = ({ id, method }: { readonly id?: number; readonly method: string }) => ({
    jsonrpc: '2.0',
    id,
    result: results[method],
  })
  const { url, all } = await serve(t, ({ sent, batch }, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(batch.length > 0 ? batch.map(answerOf) : answerOf(sent)))
  })
  const client = createClient(url, { decode: quantities })
  const sent = () => {
    const { sent, batch } = all.at(-1) ?? { sent: undefined, batch: [] }
    return (batch.length > 0 ? batch : [sent]).map((request) => request?.params)
  }
  t.equal(await client.eth_getBalance(address, 16n), 2n ** 72n)
  t.strictSame(sent(), [[address, '0x10']])
  const { request } = client as unknown as { request: (method: string, params: object) => Promise<unknown> }
  t.equal(await request('eth_getTransactionCount', [address, 3]), 7)
  t.strictSame(sent(), [[address, '0x3']])
  const outcomes = await client.batch((call) => [call.eth_getBalance(address, 1), call.eth_blockNumber()])
  t.strictSame(
    outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value),
    [2n ** 72n, 16n],
  )
  t.strictSame(sent(), [[address, '0x1'], []])
  const together = [client.eth_blockNumber(), client.eth_getTransactionCount(address, 5)] as const
  t.strictSame(await Promise.all(together), [16n, 7])
  t.match(await caught(client.eth_getBalance(address, -1n)), { name: 'RangeError', message: /blockSelector/ })
  t.equal(await createClient(url).eth_getBalance(address), '0x1000000000000000000')
})

t.test('a position in storage is a number, a bigint or its text', async (t) => {
  const address = '0x00000000000000000000000000000000c0ffee01'
  const padded = `0x${'0'.repeat(63)}1`
  for (const [given, sent] of [
    [5, '0x5'],
    [2n ** 255n, `0x8${'0'.repeat(63)}`],
    [padded, padded],
  ] as const)
    t.strictSame(quantities.params('eth_getStorageAt', [address, given, 'latest'] as never), [
      address,
      sent,
      'latest',
    ])
})
