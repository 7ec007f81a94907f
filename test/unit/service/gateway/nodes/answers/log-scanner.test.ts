import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import type { JsonValue } from '../../../../../../src/runtime/rpc/index.js'
import { LogScanner } from '../../../../../../src/service/gateway/nodes/answers/log-scanner.js'
import { readLog } from '../../../../../../src/service/gateway/nodes/answers/log-text.js'
import { normaliseResult } from '../../../../../../src/service/gateway/nodes/index.js'
import { runs } from '../../../../../support/runs.js'

/** Reads a body in chunks: its logs, the text around them, and whether it is invalid. */
function scanned(body: string | Uint8Array, cuts: readonly number[] = []) {
  const bytes = Buffer.from(body)
  const scanner = new LogScanner()
  const logs: Buffer[] = []
  const left: Buffer[] = []
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  for (const [index, from] of places.entries())
    left.push(scanner.read(bytes.subarray(from, places[index + 1]), logs))
  return { logs, left: Buffer.concat(left).toString(), isRubbish: scanner.isRubbish }
}

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdefABCDEF'), { minLength: length, maxLength: length })
    .map((digits) => `0x${digits.join('')}`)

const quantity = fc.oneof(
  fc.nat(1_000_000).map((value) => `0x${value.toString(16)}`),
  fc.constantFrom('0x0', '0x00', '0x0a', '0xA', '0x1fffffffffffff'),
)

/** Logs as nodes write them, and invalid ones. */
const log = fc.record(
  {
    address: hex(8),
    blockHash: hex(8),
    blockNumber: quantity,
    data: fc.oneof(hex(0), hex(40), fc.string()),
    logIndex: fc.oneof(quantity, fc.nat(100)),
    topics: fc.array(fc.oneof(hex(8), fc.constant(null)), { maxLength: 4 }),
    transactionHash: fc.oneof(hex(8), fc.constant(null)),
    transactionIndex: quantity,
    removed: fc.boolean(),
    blockTimestamp: fc.oneof(quantity, fc.nat(), fc.string(), fc.constant({ a: [1] })),
    signature: fc.jsonValue(),
    'na"me\\': fc.oneof(fc.string(), fc.constant('}],"{[\\"')),
  },
  { requiredKeys: ['blockNumber', 'logIndex'] },
)

/** The value as JSON with other white space. */
const spaced = (value: JsonValue, indent: number) => JSON.stringify(value, null, indent)

/** An object with its members in another order. */
const shuffled = (value: JsonValue, seed: number): JsonValue =>
  Object.fromEntries(
    Object.entries(value as object).sort(([a], [b]) => ((a.length * seed) % 7) - ((b.length * seed) % 7)),
  )

t.test('streamed logs equal the result of JSON.parse in the contract’s form', async (t) => {
  const property = fc.property(
    fc.array(log, { maxLength: 6 }),
    fc.nat(6),
    fc.constantFrom(0, 0, 1, 3),
    fc.array(fc.nat(), { maxLength: 8 }),
    fc.dictionary(fc.constantFrom('id', 'jsonrpc', 'x"[', 'results', 'a\\'), fc.jsonValue()),
    fc.boolean(),
    (drawn, seed, indent, cuts, around, isFirst) => {
      const logs = drawn.map((one) => shuffled(one as JsonValue, seed))
      const answer = isFirst ? { result: logs, ...around } : { ...around, result: logs }
      const names = Object.keys(around)
      const found = scanned(spaced(answer as JsonValue, indent), cuts)
      // A name with a backslash could be any name, so only a parser can read it.
      if (names.some((name) => JSON.stringify(name).includes('\\')))
        return found.isRubbish || found.logs.length === logs.length
      const wanted = normaliseResult('eth_getLogs', [], JSON.parse(JSON.stringify(logs)))
      const read = found.logs.map((bytes) => readLog(bytes))
      const texts = read.map((one) => one && JSON.parse(Buffer.from(one.text).toString()))
      const left = JSON.parse(JSON.stringify({ ...answer, result: [] }))
      return !found.isRubbish && isDeepStrictEqual([texts, JSON.parse(found.left)], [wanted, left])
    },
  )
  t.doesNotThrow(() => fc.assert(property, { numRuns: runs(2000) }))
})

const plain = {
  address: '0xa1',
  blockHash: '0xb1',
  blockNumber: '0x10',
  data: '0x',
  logIndex: '0xa',
  topics: ['0xc1', '0xc2'],
  transactionHash: '0xd1',
  transactionIndex: '0x0',
  removed: false,
}
const read = (log: object | string) =>
  readLog(Buffer.from(typeof log === 'string' ? log : JSON.stringify(log)))
const textOf = (log: object | string) => {
  const found = read(log)
  return found && Buffer.from(found.text).toString()
}

t.test('a log in the contract’s form keeps its bytes', async (t) => {
  const bytes = Buffer.from(JSON.stringify(plain))
  t.equal(readLog(bytes)?.text, bytes)
  t.match(readLog(bytes), { block: 16, index: 10 })
  const spacious = `{ "blockNumber" : "0x1" ,\n"removed":true ,"logIndex":"0x0"\t}`
  t.equal(textOf(spacious), spacious)
  const timed = JSON.stringify({ blockTimestamp: '0x65', ...plain })
  t.equal(textOf(timed), timed)
})

t.test('a log without `removed` was not removed', async (t) => {
  const { removed, ...shorter } = plain
  t.equal(textOf(shorter), JSON.stringify(plain))
  t.equal(
    textOf('{"blockNumber":"0x1" ,"logIndex":"0x0" }'),
    '{"blockNumber":"0x1" ,"logIndex":"0x0" ,"removed":false}',
  )
})

t.test('members that the contract does not list are removed, wherever they are', async (t) => {
  const { address, ...rest } = plain
  const foreign = { signature: 'a' }
  for (const log of [
    { ...plain, ...foreign },
    { ...foreign, ...plain },
    { address, ...foreign, ...rest },
  ])
    t.equal(textOf(log), JSON.stringify(plain))
  t.same(JSON.parse(textOf({ ...plain, blockTimestamp: 1700000000 }) ?? ''), {
    ...plain,
    blockTimestamp: '0x6553f100',
  })
})

t.test('other notations are converted to the contract’s form', async (t) => {
  const cases: readonly [object | string, object][] = [
    [
      { ...plain, address: '0xA1', data: '0xFf' },
      { ...plain, data: '0xff' },
    ],
    [{ ...plain, blockNumber: '0x0010', logIndex: 10 }, plain],
    [{ ...plain, more: 'any"thing' }, plain],
    [JSON.stringify(plain).replace('"data"', '"d\\u0061ta"'), plain],
    [JSON.stringify(plain).replace('{', '{"logIndex":"0x7",'), plain],
  ]
  for (const [given, wanted] of cases) t.strictSame(JSON.parse(textOf(given) ?? ''), wanted)
})

t.test('invalid logs are refused', async (t) => {
  const { blockNumber: _, ...homeless } = plain
  const cases = [
    '{}',
    '{"a":}',
    '{"blockNumber":"0x1","logIndex":"0x0",}',
    '{"blockNumber":"0x1" "logIndex":"0x0"}',
    '{"removed":x,"blockNumber":"0x1","logIndex":"0x0"}',
    '{"blockNumber":"0x1","logIndex":"0x0","topics":["0x1",]}',
    `{"more":${'['.repeat(100_000)}${']'.repeat(100_000)},"blockNumber":"0x1","logIndex":"0x0"}`,
    homeless,
    { ...plain, logIndex: null },
    { ...plain, blockNumber: 'latest' },
    { ...plain, blockNumber: '0xffffffffffffffff' },
  ]
  for (const log of cases) t.equal(read(log), undefined, JSON.stringify(log).slice(0, 99))
})

t.test('bodies other than an answer with one list of objects are refused', async (t) => {
  const rubbish = [
    '{"result":[1]}',
    '{"result":["{}"]}',
    '{"result":[{}{}]}',
    '{"result":[,{}]}',
    '{"result":[{},]}',
    '{"result":[{},,{}]}',
    '{"result":[[]]}',
    '{"result":[],"result":[]}',
    '{"result":[{}],"resu\\u006ct":[]}',
  ]
  for (const body of rubbish) t.equal(scanned(body).isRubbish, true, body)
  const others = [
    '{"error":{"code":-32000,"message":"result\\":[{}]"}}',
    '[{"result":[{}]}]',
    '{"x":{"result":[{}]}}',
    '{"result":{"result":[{}]}}',
    '{"a":"result","b":[{}]}',
    'result [{}]',
    '"result"',
    '',
  ]
  for (const body of others) {
    const { logs, left, isRubbish } = scanned(body)
    t.strictSame([logs.length, left, isRubbish], [0, body, false], body)
  }
})

t.test('a log with repeated members is parsed, within its limit', async (t) => {
  const log = (times: number) => `{${'"removed":false,'.repeat(times)}"blockNumber":"0x10","logIndex":"0xa"}`
  const read = (times: number) => readLog(Buffer.from(log(times)))
  for (const times of [0, 1, 2, 50]) t.match(read(times), { block: 16, index: 10 }, `${times} times`)
  t.equal(String(read(50)?.text), '{"removed":false,"blockNumber":"0x10","logIndex":"0xa"}')
  t.match(read(62), { block: 16 })
  t.equal(read(63), undefined, 'more than 64 members')
})
