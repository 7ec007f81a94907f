import t from 'tap'
import { faults } from '../../../../lab/faults/index.js'
import { keysCommand } from '../../../../src/cli/keys/keys.js'
import type { Fault } from '../../../../src/judge/index.js'
import type { JsonObject, JsonValue } from '../../../../src/runtime/rpc/index.js'
import { connectControl } from '../../../../src/service/gateway/index.js'
import { developmentAccounts } from '../../../support/development-chain.js'
import { startFaultyService } from '../../../support/faulty-service.js'
import { call, startService } from '../../../support/service.js'
import { until } from '../../../support/until.js'
import { type Asked, embeddedExchanges, failing, hex, lists, signed } from './fault-exchanges.js'
import { provokedBy } from './faults-provoked-by.js'

/** Each fault makes exactly its described change, independently of scenarios. */
const service = await startService()
t.teardown(() => service.stop())
const url = service.networks.test.url
const key = new URL(url).pathname.slice(1)
const exchanges = await embeddedExchanges(url)
const listedKeys: Readonly<Record<string, string>> = Object.fromEntries(
  await Promise.all(
    Object.entries(lists).map(async ([name, access]) => [
      name,
      await newKey(service.data, `${name}@lists.example`, name, { access }),
    ]),
  ),
)

/** Creates a key and changes it. */
async function newKey(
  data: string,
  user: string,
  name: string,
  changes: JsonObject,
  network = 'test',
): Promise<string> {
  const control = await connectControl(data)
  if (control === undefined) throw new Error('the service does not answer its control socket')
  try {
    const made = await control.run('keys.create', { user, network, name })
    const { id, text } = made as unknown as { readonly id: string; readonly text: string }
    await control.run('keys.set', { id, ...changes })
    return text
  } finally {
    control.close()
  }
}

/** Status, headers and body, without variable parts. */
async function answerOf(origin: string, to: string, { verb, path = '/KEY', headers, body }: Asked) {
  const response = await fetch(`${origin}${path.replace('KEY', to)}`, {
    method: verb ?? 'POST',
    // The faults read answers, so these are not compressed.
    headers: { 'content-type': 'application/json', 'accept-encoding': 'identity', ...headers },
    ...(body === undefined ? {} : { body }),
  })
  // Parts that differ between replies prove nothing.
  const shown = [...response.headers]
    .filter(([name]) => name !== 'date' && name !== 'x-request-id')
    .join('\n')
  const inHours = shown.replace(/;t=(\d+)/, (_, seconds) => `;t=${Math.round(Number(seconds) / 3_600)} h`)
  return `${response.status}\n${inHours}\n${await response.text()}`
}

type Test = Pick<typeof import('tap').t, 'equal' | 'not' | 'match' | 'rejects'>

/** Faults whose exchange differs each time, with the check of each. `at` is behind the proxy. */
const ofItsOwn: Readonly<Record<string, (t: Test, at: string) => Promise<unknown>>> = {
  async 'reverts-charged-twice'(t, at) {
    const left = async (method: string, ...params: readonly JsonValue[]) => {
      const { headers } = await fetch(at, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      return Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
    }
    const before = await left('eth_chainId')
    t.equal(await left('eth_call', failing, 'latest'), before - 2)
  },
  async 'head-missing-beside-other-calls'(t, at) {
    const latest = () => call(at, 'eth_getBlockByNumber', 'latest', false)
    t.not(await latest(), null, 'alone')
    const answers = await Promise.all(Array.from({ length: 20 }, latest))
    t.equal(answers.includes(null), true, 'beside others')
  },
  async 'sent-transaction-has-another-hash'(t, at) {
    const { raw, hash } = await transfer()
    t.not(await send(at, raw), hash)
    t.match(await transactionOf(url, hash), { hash })
  },
  async 'zero-hash-for-every-transaction'(t, at) {
    const { raw, hash } = await transfer()
    t.match(await send(at, raw), /^0x0{64}$/)
    t.match(await transactionOf(at, hash), { hash })
  },
  async 'transaction-sent-twice'(t, at) {
    const { raw, hash } = await transfer()
    await t.rejects(send(at, raw), /-32003/)
    t.match(await transactionOf(at, hash), { hash })
  },
  async 'sent-transaction-not-found-at-once'(t, at) {
    const { raw, hash } = await transfer()
    t.equal(await send(at, raw), hash)
    t.equal(await transactionOf(at, hash), null)
    t.match(await transactionOf(at, hash), { hash })
  },
  async 'failed-transaction-is-a-refusal'(t, at) {
    const { raw, hash } = await transfer(0, failing)
    await t.rejects(send(at, raw), /-32003/)
    t.match(await receiptOf(url, hash), { status: '0x0' })
  },
  async 'null-lookups-remembered'(t, at) {
    const { raw, hash } = await transfer()
    t.equal(await transactionOf(at, hash), null)
    t.equal(await send(at, raw), hash)
    t.equal(await transactionOf(at, hash), null)
    t.match(await transactionOf(url, hash), { hash })
  },
  async 'equal-ids-in-flight-share-an-answer'(t, at) {
    // The identity contract.
    const to = '0x0000000000000000000000000000000000000004'
    const echoed = (data: string) => call(at, 'eth_call', { to, data }, 'latest')
    t.equal(await echoed('0x01'), '0x01', 'alone')
    // The first answer may come before the second request.
    await until(async () => {
      const [first, second] = await Promise.all([echoed('0x02'), echoed('0x03')])
      return first === second
    })
  },
  async 'pending-count-kept'(t, at) {
    const before = await countOf(at)
    await send(at, (await transfer()).raw)
    t.equal(await countOf(at), before)
    t.not(await countOf(at, 'latest'), before)
  },
  async 'receipt-never-comes'(t, at) {
    const { raw, hash } = await transfer()
    await send(at, raw)
    await until(() => receiptOf(url, hash))
    t.equal(await receiptOf(at, hash), null)
  },
  async 'receipt-while-pending'(t, at) {
    const { hash, follow } = await waitingTransfer()
    t.equal(await receiptOf(url, hash), null)
    t.match(await receiptOf(at, hash), { transactionHash: hash })
    await follow()
  },
  async 'pending-transaction-has-a-position'(t, at) {
    const { hash, follow } = await waitingTransfer()
    t.match(await transactionOf(url, hash), { transactionIndex: null })
    t.match(await transactionOf(at, hash), { transactionIndex: '0x0' })
    await follow()
  },
  async 'network-not-served-refused-alike'(t) {
    const fault = faults.find(({ name }) => name === 'network-not-served-refused-alike')
    const alone = await startService({ isChainless: true, env: { CONCORDAT_NETWORKS: 'test' } })
    const proxy = await startFaultyService({ target: alone.origin, fault })
    const unserved = await newKey(alone.data, 'other@lists.example', 'other', {}, 'main')
    const asked = exchanges['chainId'] ?? {}
    t.match(await answerOf(alone.origin, unserved, asked), /^401\n.*does not serve the main network/s)
    t.match(await answerOf(proxy.origin, unserved, asked), /^401\n.*This API key is not accepted/s)
    await proxy.close()
    await alone.stop()
  },
  async 'refusals-not-limited'(t) {
    const fault = faults.find(({ name }) => name === 'refusals-not-limited')
    const limited = await startService({ isChainless: true })
    const proxy = await startFaultyService({ target: limited.origin, fault })
    const refused = (origin: string) => answerOf(origin, key, exchanges['unknown key'] ?? {})
    const minute = () => Math.floor(Date.now() / 60_000)
    // The service begins to count again with each minute of the clock.
    await until(async () => {
      const begun = minute()
      for (let tries = 0; tries < 61; tries++) t.match(await refused(proxy.origin), /^401/)
      const last = await refused(limited.origin)
      if (minute() === begun) t.match(last, /^429/)
      return minute() === begun
    })
    await proxy.close()
    await limited.stop()
  },
}

/** The parts that a fault does not change, other than `protocol`; undefined when it changes everything. */
const leavesAlone: Readonly<Record<string, string | undefined>> = {
  'protocol-version-in-decimal': 'chainId',
  'id-becomes-a-string': 'string id',
  'id-of-another-request': 'string id',
  'result-and-error-both-there': 'OPTIONS',
  'answer-without-version': 'OPTIONS',
  'cors-header-missing': undefined,
  'results-are-plain-text': 'unknown key',
  'answers-always-compressed': 'OPTIONS',
  'limit-headers-not-exposed': undefined,
}

t.test('each fault has a unique name and an exchange that shows it', async (t) => {
  const names = faults.map(({ name }) => name)
  t.same([...new Set(names)], names)
  t.same(Object.keys(provokedBy).sort(), names.filter((name) => !(name in ofItsOwn)).sort())
})

const isOfQuota = ({ rule }: Fault) => rule.startsWith('quota.')

for (const fault of faults.filter((fault) => !isOfQuota(fault) && !(fault.name in ofItsOwn))) {
  t.test(`${fault.name}: ${fault.description}`, async (t) => {
    const proxy = await startFaultyService({ target: service.origin, fault })
    t.teardown(() => proxy.close())
    const asked = [provokedBy[fault.name] ?? []].flat()
    const other = fault.name in leavesAlone ? leavesAlone[fault.name] : 'protocol'
    for (const [index, name] of asked.entries()) {
      const [direct, got] = await bothWays(proxy.origin, name)
      if (index === asked.length - 1) t.not(got, direct, `${name} is changed`)
      else t.equal(got, direct, `${name} is unchanged`)
    }
    t.ok(proxy.changes() > 0, 'by the fault')
    if (other !== undefined) {
      const [direct, got] = await bothWays(proxy.origin, other)
      t.equal(got, direct, `${other} is unchanged`)
    }
    t.same(proxy.troubles(), [])
  })
}

/** The reply of the service, and that through the proxy, without the remaining requests. */
async function bothWays(origin: string, name: string) {
  const asked = exchanges[name] ?? {}
  const to = (asked.list && listedKeys[asked.list]) ?? key
  const withoutLeft = (text: string) => text.replace(/;r=\d+/, '')
  return [
    withoutLeft(await answerOf(service.origin, to, asked)),
    withoutLeft(await answerOf(origin, to, asked)),
  ]
}

/** Transfers from an account without other uses, in the order of their nonces. */
const { address: spender } = developmentAccounts[9]
const countOf = (at: string, tag = 'pending') => call(at, 'eth_getTransactionCount', spender, tag)
const receiptOf = (at: string, hash: string) => call(at, 'eth_getTransactionReceipt', hash)
const transactionOf = (at: string, hash: string) => call(at, 'eth_getTransactionByHash', hash)
const send = (at: string, raw: string) => call(at, 'eth_sendRawTransaction', raw)

async function transfer(later = 0, members: JsonObject = {}) {
  const nonce = hex(Number(await countOf(url)) + later)
  return signed({ ...members, nonce, gasPrice: await call(url, 'eth_gasPrice') })
}

/** A transaction that waits for the previous one; `follow` sends that one. */
async function waitingTransfer() {
  const [first, later] = [await transfer(), await transfer(1)]
  await send(url, later.raw)
  return { hash: later.hash, follow: () => send(url, first.raw) }
}

for (const [name, shows] of Object.entries(ofItsOwn)) {
  t.test(`${name} shows in calls of its own`, async (t) => {
    const fault = faults.find((fault) => fault.name === name)
    const proxy = await startFaultyService({ target: service.origin, fault })
    t.teardown(() => proxy.close())
    await shows(t, `${proxy.origin}/${key}`)
    t.same(proxy.troubles(), [])
  })
}

t.test('faults of the limit', async (t) => {
  const limited = await startService({ isChainless: true, env: { CONCORDAT_LIMIT_REQUESTS_PER_DAY: '3' } })
  t.teardown(() => limited.stop())

  /** Creates a user with two keys, and a third key with a limit of one request. */
  let users = 0
  const newUser = async () => {
    const email = `user${users++}@example.com`
    const out: string[] = []
    const io = { out: (line: string) => out.push(line), err: () => undefined, env: {} }
    for (const name of ['first', 'second']) {
      const made = ['--user', email, '--network', 'test', '--name', name, '--data', limited.data]
      await keysCommand(['create', ...made], io)
    }
    const keys = out.map((line) => new URL(line).pathname.slice(1))
    return [...keys, await newKey(limited.data, email, 'limited', { dailyLimit: 1 })]
  }
  const lastAnswer = async (origin: string, names: readonly string[]) => {
    const [first = '', ...others] = await newUser()
    let last = ''
    for (const name of names) {
      const other = others[['second key', 'limited key'].indexOf(name)]
      last = await answerOf(origin, other ?? first, exchanges[other ? 'chainId' : name] ?? {})
    }
    return last
  }

  for (const fault of faults.filter((fault) => isOfQuota(fault) && !(fault.name in ofItsOwn))) {
    await t.test(`${fault.name}: ${fault.description}`, async (t) => {
      const proxy = await startFaultyService({ target: limited.origin, fault })
      t.teardown(() => proxy.close())
      const names = [provokedBy[fault.name] ?? []].flat()
      const direct = await lastAnswer(limited.origin, names)
      t.not(await lastAnswer(proxy.origin, names), direct, 'the last reply is changed')
      const options = await answerOf(limited.origin, 'x', { verb: 'OPTIONS' })
      t.equal(await answerOf(proxy.origin, 'x', { verb: 'OPTIONS' }), options, 'OPTIONS is unchanged')
      t.same(proxy.troubles(), [])
    })
  }
})
