import t from 'tap'
import { faults } from '../../../../lab/faults/index.js'
import type { Fault } from '../../../../src/judge/index.js'
import { onResult } from '../../../../src/judge/index.js'
import { startFaultyService } from '../../../support/faulty-service.js'
import { isLong } from '../../../support/runs.js'
import { sharedService } from '../../../support/shared-service.js'
import { runCommand } from './conform-harness.js'

/** Two deployments of the service: the same one behind two proxies, one of which applies a fault. */
const service = await sharedService()
const { url } = service.networks.test

async function compare(t: typeof import('tap').t, fault: Fault | undefined, args: readonly string[] = []) {
  const proxy = await startFaultyService({ target: service.origin, fault })
  t.teardown(() => proxy.close())
  const other = `${proxy.origin}${new URL(url).pathname}`
  const got = await runCommand('compare', [url, other, '--report', 'json=-', ...args])
  t.notMatch(got.out + got.err, new URL(url).pathname.slice(1), 'the key is never shown')
  return { ...got, report: got.out === '' ? undefined : JSON.parse(got.out) }
}

const faultNamed = (name: string) => {
  const fault = faults.find((fault) => fault.name === name)
  if (fault === undefined) throw new TypeError(`no fault ${name}`)
  return fault
}

t.test('two replicas of the service are equal', async (t) => {
  // The short form compares the cases that cover everything that can be sent: calls, batches, raw bytes and other
  // verbs.
  const short = ['blocks/*', 'logs-filter/*', 'batch/*', 'envelope/*', 'http/*', '!http/slow-body']
  const chosen = isLong ? [] : short.flatMap((only) => ['--only', only])
  const { code, err, report } = await compare(t as never, undefined, chosen)
  t.equal(code, 0, err)
  t.match(report.counts, { different: 0, unanswered: 0 })
  t.ok(report.counts.alike > (isLong ? 300 : 50), `${report.counts.alike} requests`)
  t.match(report.pinned, { number: /^0x/, hash: /^0x[0-9a-f]{64}$/ })
})

t.test('a replica with a fault differs only in that fault', async (t) => {
  const { code, report } = await compare(t as never, faultNamed('sha3-256-for-keccak-256'), [
    ...['--only', 'hashing/*', '--only', 'uncles/*'],
  ])
  t.equal(code, 1)
  const found = report.requests.filter(({ comparison }: { comparison: string }) => comparison !== 'alike')
  const different = found.filter(({ comparison }: { comparison: string }) => comparison === 'different')
  t.ok(different.length > 0)
  t.ok(different.every(({ methods }: { methods: string[] }) => methods.includes('web3_sha3')))
  t.equal(report.counts.unanswered, 0)
})

t.test('a value that may move is compared within a stated tolerance', async (t) => {
  const dearer: Fault = {
    name: 'dearer',
    rule: 'identity.gas-price',
    description: 'The gas price is 5 % higher.',
    begin: () =>
      onResult(['eth_gasPrice'], (price) => `0x${((BigInt(String(price)) * 105n) / 100n).toString(16)}`),
  }
  const chosen = ['--only', 'identity/gas-price']
  for (const [args, code] of [
    [[], 0],
    [['--tolerate', 'eth_gasPrice=10%'], 0],
    [['--tolerate', 'eth_gas*=1%'], 1],
  ] as const) {
    const got = await compare(t as never, dearer, [...chosen, ...args])
    t.equal(got.code, code, `${args.join(' ')}: ${got.err}`)
  }
  const { code, err } = await runCommand('compare', [url, url, '--tolerate', 'eth_gasPrice'])
  t.equal(code, 2)
  t.match(err, /--tolerate needs PATTERN=AMOUNT, such as eth_gasPrice=10%/)
  for (const [option, given] of [
    ['--tolerate', 'eth_gasprice=10%'],
    ['--assume-read', 'eth_gasprice'],
  ] as const) {
    const misspelt = await runCommand('compare', [url, url, option, given])
    t.equal(misspelt.code, 2)
    t.match(misspelt.err, `${option} eth_gasprice: no method of the contract matches`)
  }
})

t.test('a replica with a lagging head is compared at the common block', async (t) => {
  const lagging: Fault = {
    name: 'lagging',
    rule: 'blocks.latest',
    description: 'The head is five blocks behind.',
    begin: () => ({
      call: (call) => {
        const params = JSON.stringify(call.params ?? []).replaceAll('"latest"', '"0x97a"')
        return params.includes('0x97a') ? { ...call, params: JSON.parse(params) } : call
      },
    }),
  }
  const { code, err, report } = await compare(t as never, lagging, [
    '--only',
    'state/*',
    '--only',
    'blocks/*',
    '--only',
    'null-lookups/*',
  ])
  t.equal(report?.pinned?.number, '0x97a', err)
  t.match(report.counts, { different: 0, unanswered: 0 })
  t.ok(report.counts.alike > 20, JSON.stringify(report.counts))
  t.equal(code, 0)
})

t.test('the two networks of the service are not comparable', async (t) => {
  const { code, err } = await runCommand('compare', [url, service.networks.main.url])
  t.equal(code, 2)
  t.match(err, /A serves the network test, B serves main; use --only to compare selected calls anyway/)
  const chosen = await runCommand('compare', [
    url,
    service.networks.main.url,
    '--only',
    'hashing/known-answers',
  ])
  t.equal(chosen.code, 0, chosen.out + chosen.err)
})
