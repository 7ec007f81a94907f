import { keccak_256 } from '@noble/hashes/sha3.js'
import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { failure } from '../../../../../generated/errors.js'
import type { JsonValue } from '../../../../../src/runtime/rpc/index.js'
import type { FailureEntry } from '../../../../../src/service/gateway/failures/failure-log.js'
import { createFailureLog } from '../../../../../src/service/gateway/failures/index.js'
import { KeyRefusal } from '../../../../../src/service/gateway/keys/index.js'
import { RequestEvent } from '../../../../../src/service/gateway/request/index.js'
import { RequestContext } from '../../../../../src/service/gateway/request/request-context.js'

const key = {
  id: 'key_1',
  userId: 'usr_1',
  network: 'test',
  dailyLimit: null,
  monthlyLimit: null,
  userDailyLimit: null,
  access: {},
} as const
const request = { method: 'POST', headers: { 'x-request-id': 'own-id' }, ip: '192.0.2.1' }
const minuteMs = 60_000

/** A log whose entries are collected, with a clock of the test. */
function openLog() {
  const written: FailureEntry[] = []
  const clock = { ms: 1_000 * minuteMs }
  const log = createFailureLog({
    limits,
    flushSeconds: 3_600,
    write: async ({ rows }) => void written.push(...rows),
    onError: () => undefined,
    now: () => clock.ms,
  })
  return {
    log,
    clock,
    async entries() {
      await log.flush()
      return written.splice(0)
    },
  }
}

const context = new RequestContext({
  key,
  network: { answer: () => null },
  origin: undefined,
  trace: undefined,
})
const eventOf = (
  method: string | undefined,
  params: JsonValue | undefined,
  error = failure('invalidParams'),
) =>
  new RequestEvent({
    ...{ context, request, status: 200, refusal: undefined },
    calls: [{ method, params, error, milliseconds: 2, ended: undefined }],
  })
const refusalOf = (rule: 'origins' | 'tokens') =>
  new RequestEvent({
    ...{ context: undefined, request, status: 403, calls: [] },
    refusal: failure('clientRefused', { cause: new KeyRefusal('key_1', rule) }),
  })

t.test('a failed call is noted with its request id and parameters, a result is not', async (t) => {
  const { log, entries } = openLog()
  const event = eventOf('eth_getBalance', ['nonsense', 'latest'])
  log.note(event)
  t.same(event.headers, { 'X-Request-Id': 'own-id' }, 'the answer has the id')
  const [call] = event.report.calls
  log.note(
    new RequestEvent({ ...event.report, calls: call === undefined ? [] : [{ ...call, error: undefined }] }),
  )
  const [entry, ...others] = await entries()
  t.match(entry, {
    ...{
      keyId: 'key_1',
      isRefused: false,
      method: 'eth_getBalance',
      code: -32602,
      message: 'Invalid params',
    },
    ...{ requestId: 'own-id', milliseconds: 2, params: { text: '["nonsense","latest"]', isPart: false } },
  })
  t.same(others, [])
})

t.test('a stream that fails after its beginning is noted at its end', async (t) => {
  const { log, entries } = openLog()
  const ended = Promise.resolve({ error: failure('nodeTooSlow'), milliseconds: 9 })
  const call = { method: 'eth_getLogs', params: [{}], error: undefined, milliseconds: 1, ended }
  log.note(new RequestEvent({ ...{ context, request, status: 200, refusal: undefined }, calls: [call] }))
  await new Promise(setImmediate)
  t.match(await entries(), [{ method: 'eth_getLogs', milliseconds: 9 }])
})

t.test('parameters are bounded, and cost no more when they are large', async (t) => {
  const { log, entries } = openLog()
  const most = limits.failureParamsBytes
  const exact = 'x'.repeat(most - '[""]'.length)
  const large = Array.from({ length: 40_000 }, () => ['ö'.repeat(100), { deep: [1, true, null] }])
  for (const params of [[exact], [`${exact}x`], large, ['ö'.repeat(most)], undefined])
    log.note(eventOf('eth_call', params))
  const texts = (await entries()).map(({ params }) => params)
  t.same(texts[0], { text: `["${exact}"]`, isPart: false }, 'exactly the bound')
  for (const params of texts.slice(1, 4)) {
    t.ok(params?.isPart)
    t.ok(Buffer.byteLength(params?.text ?? '') <= most)
    t.notMatch(params?.text, '\uFFFD')
  }
  t.equal(texts[4], undefined, 'no parameters')
})

t.test('a signed transaction is noted as its hash, and unknown methods without parameters', async (t) => {
  const { log, entries } = openLog()
  const signed = `0xf86a${'ab'.repeat(60)}`
  const hash = `0x${Buffer.from(keccak_256(Buffer.from(signed.slice(2), 'hex'))).toString('hex')}`
  const given: (readonly [string | undefined, JsonValue])[] = [
    ['eth_sendRawTransaction', [signed]],
    ['eth_sendRawTransaction', [signed.slice(2), signed]],
    ['eth_sendRawTransaction', { signedTransaction: signed }],
    [undefined, [signed]],
  ]
  for (const [method, params] of given) log.note(eventOf(method, params))
  const found = await entries()
  t.same(found[0]?.params, { text: `["${hash}"]`, isPart: true })
  t.same(
    found.map(({ method, params }) => [method, params === undefined]),
    [
      ['eth_sendRawTransaction', false],
      ['eth_sendRawTransaction', false],
      ['eth_sendRawTransaction', true],
      ['', true],
    ],
  )
  t.notMatch(JSON.stringify(found[0]), signed)
  t.match(found[1]?.params?.text, /^\["not bytes: \d+ characters"/)
})

t.test('whatever looks like a signed transaction is noted as its hash, wherever it stands', async (t) => {
  const { log, entries } = openLog()
  const hashOf = (hex: string) =>
    `0x${Buffer.from(keccak_256(Buffer.from(hex.replace(/^0x/i, ''), 'hex'))).toString('hex')}`
  const legacy = `0xf86a${'ab'.repeat(106)}`
  const typed = `0x02f9012c${'cd'.repeat(300)}`
  const largest = `0xf9${(4_000).toString(16).padStart(4, '0')}${'ef'.repeat(4_000)}`
  for (const signed of [legacy, typed, largest]) {
    const digits = signed.slice(2)
    const given: readonly (readonly [string, JsonValue])[] = [
      ['eth_sendRawTransaction', ['0x00', signed]],
      ['eth_call', [{ to: '0x01', data: signed }, 'latest']],
      ['eth_call', [{ deep: [[{ er: [signed] }]] }]],
      ['eth_call', [{ [signed]: 1 }]],
      ['eth_getBalance', [signed, 'latest']],
      ['eth_getBalance', [digits]],
      ['eth_getBalance', [digits.toUpperCase()]],
      ['eth_getBalance', [`{"raw":"${signed}"}`]],
    ]
    for (const [method, params] of given) log.note(eventOf(method, params))
    for (const { method, params } of await entries()) {
      t.notMatch(params?.text.toLowerCase(), digits.slice(0, 40), `${method} ${params?.text}`)
      t.match(params, { isPart: true })
      t.match(params?.text, hashOf(signed))
    }
  }
  for (const damaged of [`${legacy}00`, legacy.slice(0, -2), legacy.replace('0x', '0x0')]) {
    log.note(eventOf('eth_getBalance', [damaged]))
    const [entry] = await entries()
    t.type(entry?.params?.text, 'string')
    t.notMatch(entry?.params?.text, legacy.slice(4, 60), damaged)
  }
  const message = `could not decode ${legacy}: rlp`
  log.note(eventOf('eth_getBalance', ['x'], failure('invalidParams', { message })))
  t.equal((await entries())[0]?.message, `could not decode ${hashOf(legacy)}: rlp`)
})

t.test('other long values are noted as they are', async (t) => {
  const { log, entries } = openLog()
  const data = `0xa9059cbb${'00'.repeat(64)}`
  const hashes = Array.from({ length: 4 }, () => `0x${'f8'.repeat(32)}`)
  for (const params of [[{ data }], hashes]) {
    log.note(eventOf('eth_call', params))
    t.same((await entries())[0]?.params, { text: JSON.stringify(params), isPart: false })
  }
})

t.test('each minute has its first failures and one of each further kind', async (t) => {
  const { log, clock, entries } = openLog()
  const most = limits.failuresPerKeyPerMinute
  for (let n = 0; n < most + 40; n += 1) log.note(eventOf('eth_call', [n]))
  log.note(eventOf('eth_getLogs', ['rare']))
  log.note(eventOf('eth_getLogs', ['rare, again']))
  for (let n = 0; n < limits.refusalsPerKeyPerMinute + 20; n += 1) log.note(refusalOf('origins'))
  log.note(refusalOf('tokens'))
  const found = await entries()
  t.same(
    found.filter(({ method }) => method === 'eth_call').map(({ params }) => params?.text),
    Array.from({ length: most }, (_, n) => `[${n}]`),
  )
  t.match(
    found.filter(({ method }) => method === 'eth_getLogs'),
    [{ params: { text: '["rare"]' } }],
  )
  const refused = found.filter(({ isRefused }) => isRefused)
  t.equal(refused.length, limits.refusalsPerKeyPerMinute + 1)
  t.match(refused.at(-1), { method: 'tokens', params: undefined })
  clock.ms += minuteMs
  log.note(eventOf('eth_call', ['next minute']))
  t.equal((await entries()).length, 1)
})

t.test('entries wait for a database that does not answer, up to a bound', async (t) => {
  let isDown = true
  const written: FailureEntry[] = []
  const errors: unknown[] = []
  const log = createFailureLog({
    limits,
    flushSeconds: 3_600,
    async write({ rows }) {
      if (isDown) throw new Error('no database')
      written.push(...rows)
    },
    onError: (error) => errors.push(error),
  })
  log.note(eventOf('eth_call', ['before']))
  await log.flush()
  t.match(errors, [{ message: 'no database' }])
  for (let n = 0; n < 5_000; n += 1) log.note(eventOf(`eth_${n}`, ['during']))
  isDown = false
  await log.close()
  t.equal(written[0]?.params?.text, '["before"]')
  t.equal(written.length, 2_001)
})
