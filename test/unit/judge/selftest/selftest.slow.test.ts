import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { limits } from '../../../../generated/contract.js'
import { faults } from '../../../../lab/faults/index.js'
import { loadSuite } from '../../../../src/cli/conform/conform-suite.js'
import { startSelftestService } from '../../../../src/cli/selftest/selftest-service.js'
import { spendRequests } from '../../../../src/cli/selftest/spend-requests.js'
import { chainFunctions } from '../../../../src/judge/functions/index.js'
import type { Fault, FaultHooks, HttpReply } from '../../../../src/judge/index.js'
import { createChecks, type Scenario } from '../../../../src/judge/index.js'
import {
  composeFaults,
  isProven,
  onResult,
  runComposed,
  runSelftest,
} from '../../../../src/judge/selftest/index.js'
import { startFaultyService } from '../../../support/faulty-service.js'
import { gone, processesBelow } from '../../../support/processes.js'
import { chosen, isLong, longTest } from '../../../support/runs.js'
import { cleanEnvironment } from '../../../support/service.js'
import { until } from '../../../support/until.js'
import { runCommand } from '../../cli/conform/conform-harness.js'

/** The judge detects faults: a case about the rule notices each fault and explains it. */
const service = await startSelftestService()
t.teardown(() => service.stop())
const suite = await loadSuite()
const checks = createChecks(suite.contract)

function selftest(tried: readonly Fault[], scenarios: readonly Scenario[] = suite.scenarios, isFull = false) {
  return runSelftest({
    ...suite,
    contractSha256: suite.sha256,
    scenarios,
    checks,
    functions: chainFunctions,
    faults: tried,
    service,
    isFull,
    isWhole: true,
    unbreakable: new Set<string>(),
    signal: undefined,
    onOutcome: () => undefined,
  })
}

/**
 * The long form runs every fault. The short form groups faults by the changed part of an exchange and by the effect or
 * origin of their cases, and runs the one with the fewest cases of each group.
 */
const casesOf = ({ rule }: Fault) => suite.scenarios.filter(({ rules }) => rules.includes(rule))
const kindsOf = (fault: Fault) => [
  ...Object.keys(fault.begin()),
  ...casesOf(fault).flatMap(({ effect, origin }) => [effect, origin]),
]
const fewest = faults.toSorted((one, other) => casesOf(one).length - casesOf(other).length)
const triedFaults = isLong
  ? faults
  : faults.filter((fault) =>
      kindsOf(fault).some((kind) => fewest.find((other) => kindsOf(other).includes(kind)) === fault),
    )

t.test('every kind of fault is included', async (t) => {
  const hooks = triedFaults.flatMap((fault) => Object.keys(fault.begin()))
  t.same([...new Set(hooks)].sort(), ['answer', 'call', 'exchange', 'reply', 'request'])
  const cases = triedFaults.flatMap(casesOf)
  t.same([...new Set(cases.map(({ effect }) => effect))].sort(), ['read', 'spends-quota', 'write'])
  t.same([...new Set(cases.map(({ origin }) => origin))].sort(), ['derived', 'file'])
})

t.test('every fault is killed', async (t) => {
  const report = await selftest(triedFaults)
  t.same(report.broken, [], 'every case about one of the rules passes without a fault')
  t.same(
    report.faults.map(({ name }) => name),
    triedFaults.map(({ name }) => name),
  )
  for (const { name, rule, ruleText, verdict, killers, reason } of report.faults) {
    await t.test(name, async (t) => {
      t.equal(verdict, 'killed', reason ?? 'a case noticed it')
      t.match(ruleText, /^\S.*\.$/, 'the rule in words')
      const claiming = [...suite.scenarios, ...suite.invariants.invariants]
        .filter(({ rules }) => rules.includes(rule))
        .map(({ id }) => id)
      for (const killer of killers) {
        t.ok(claiming.includes(killer.id), `${killer.id} claims ${rule}`)
        t.match(killer.reason, /^(?:[\w-]+ was not found: )?\S.+: expected .+, got .+/s)
        t.ok(killer.findings.length > 0)
        for (const { where, expected, got } of killer.findings) {
          t.ok(where !== '' && expected !== '' && got !== '', `${where}: ${expected}, got ${got}`)
          t.not(expected, got)
        }
      }
    })
  }
  t.ok(isProven(report))
})

/** A fault of this test. */
const faultOf = (rule: string, hooks: ReturnType<Fault['begin']>): Fault => ({
  name: 'own',
  rule,
  description: 'Something is wrong.',
  begin: () => hooks,
})

t.test('an unnoticed fault survives, and the report explains why', async (t) => {
  const harmless = faultOf('identity.accounts-empty', {
    reply: (reply) => ({ ...reply, headers: [...reply.headers, 'x-harmless', 'yes'] }),
  })
  // The service itself breaks after the cases have passed without a fault.
  const gone = faultOf('identity.accounts-empty', {
    exchange: async (request, forward) => ({
      reply: { ...(await forward(request)), status: 502 },
      isChanged: false,
    }),
  })
  for (const [fault, reason] of [
    [faultOf('keys.creation', {}), 'no case claims the rule'],
    [
      faultOf('identity.accounts-empty', {
        call: (call) => (call.method === 'nope' ? { ...call, method: 'none' } : call),
      }),
      'no case that claims the rule sends what the fault changes',
    ],
    [harmless, 'every case that claims the rule passes with the fault'],
    [gone, 'cases that claim the rule fail although the fault changed nothing'],
  ] as const) {
    const report = await selftest([fault])
    t.match(report.faults, [{ verdict: 'survived', killers: [], reason }])
    t.equal(isProven(report), false)
  }
})

t.test('keys may be refused across the minute at which their count resets', async (t) => {
  const refusals = limits.refusedKeysPerAddressPerMinute / 2
  const minute = () => Math.floor(Date.now() / 60_000)
  // The service begins to count again with each minute of the clock: the fault is one such beginning, and allows no other.
  const report = await until(async () => {
    const begun = minute()
    const found = await selftest([
      {
        ...faultOf('keys.refusals-limited', {}),
        begin() {
          let refusal: HttpReply | undefined
          let left = refusals
          return {
            reply(reply) {
              if (reply.status === 401) refusal = reply
              if (reply.status !== 429 || refusal === undefined || left === 0) return reply
              left -= 1
              return refusal
            },
          }
        },
      },
    ])
    return minute() === begun && found
  })
  const reason = 'every case that claims the rule passes with the fault'
  t.match(report.faults, [{ verdict: 'survived', reason, passed: ['keys/refusals-limited'] }])
})

t.test('requests with the listed keys of a user do not spend the limit of the next user', async (t) => {
  const needs = new Set(['contracts-key'])
  const [first, second] = [await service.newUser(false, needs), await service.newUser(false, needs)]
  const quotaOf = async (url = '') => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
    const { headers } = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
  }
  const before = await quotaOf(second.keyUrls?.['contracts'])
  await spendRequests(first.keyUrls?.['contracts'] ?? '', 200)
  t.equal(await quotaOf(second.keyUrls?.['contracts']), before - 1)
})

t.test('a case that fails without a fault proves nothing', async (t) => {
  const scenarios = suite.scenarios.filter(({ id }) => id === 'identity/no-accounts')
  const [right] = scenarios
  if (right === undefined) return t.fail('the case is listed')
  const wrong = {
    ...right,
    steps: right.steps.map((step) => ({ ...step, expect: { result: ['0x'] } })),
  } as Scenario
  const report = await selftest(
    faults.filter(({ rule }) => rule === 'identity.accounts-empty'),
    [wrong],
  )
  t.match(report.broken, [{ id: right.id, verdict: 'fail', reason: /got an empty list/ }])
  t.match(report.faults, [{ verdict: 'survived', reason: /no case .* passes without the fault/ }])
  t.equal(isProven(report), false)
})

t.test('a case that no fault fails is named in a full run', async (t) => {
  const scenarios = suite.scenarios.filter(({ group }) => group === 'hashing')
  const some = faults.filter(({ rule }) => rule === 'hashing.keccak')
  const { idle } = await selftest(some, scenarios, true)
  t.ok(idle.includes('hashing/bytes-not-text'), 'its rule has no fault here')
  t.notOk(idle.includes('hashing/known-answers'), 'the fault fails it')
  t.same((await selftest(some, scenarios)).idle, [], 'a partial run says nothing about it')
})

t.test('composed faults are caught, missed or never exercised', async (t) => {
  const scenarios = suite.scenarios.filter(({ group }) => group === 'identity' || group === 'hashing')
  const named = (name: string, hooks: FaultHooks): Fault => ({
    ...faultOf('identity.accounts-empty', hooks),
    name,
  })
  const composed = composeFaults(
    [
      named(
        'wrong',
        onResult(['eth_accounts'], () => ['0x']),
      ),
      named('harmless', {
        reply: (reply) => ({ ...reply, headers: [...reply.headers, 'x-harmless', 'yes'] }),
      }),
      named(
        'elsewhere',
        onResult(['eth_getLogs'], () => null),
      ),
    ],
    undefined,
  ).filter(({ condition }) => condition === 'not-at-first')
  const report = await runComposed({
    ...suite,
    contractSha256: suite.sha256,
    ...{ scenarios, checks, functions: chainFunctions, faults: composed, service, repeat: 2 },
    ...{ signal: undefined, onOutcome: () => undefined },
  })
  t.same(
    report.faults.map(({ of, verdict }) => [of, verdict]),
    [
      ['wrong', 'caught'],
      ['harmless', 'missed'],
      ['elsewhere', 'never-exercised'],
    ],
  )
  t.match(report.faults[0]?.by, /^identity\//)
  t.same(report.broken, [])
})

t.test('an unreachable service is not a verdict', async (t) => {
  const broken = faultOf('identity.accounts-empty', {
    reply() {
      throw new TypeError('the fault is broken')
    },
  })
  await t.rejects(selftest([broken]), { name: 'SelftestTrouble', message: /own: the fault is broken/ })
})

/** The output of `concordat conform` through a proxy with some of the faults. */
const samples: Readonly<Record<string, readonly RegExp[]>> = {
  'id-digits-lost': [
    /✗ envelope\/id-digits/,
    /rule +answer\.id\n.*\n +about +envelope\.id-echoed/,
    /expected +\/id +123456789012345678901234567890, as it was sent/,
    /got +1\.2345678901234568e\+29/,
  ],
  'preflight-is-404': [
    /✗ http\.preflight\n +cases +2 cases with this cause: .*\bhttp\/preflight\b/,
    /rule +http\.preflight .*\n.*OPTIONS is answered with 204/,
    /expected +status +204/,
    /got +404/,
  ],
}

/** Runs `concordat conform` through a proxy, with the cases about a rule. */
async function conform(
  t: Pick<typeof import('tap').t, 'teardown' | 'notMatch'>,
  fault: Fault | undefined,
  rule: string,
) {
  const { url, revokedUrl } = await service.newUser(false, new Set(['revoked-key']))
  const proxy = await startFaultyService({ target: new URL(url).origin, fault })
  t.teardown(() => proxy.close())
  const there = (of = '') => `${proxy.origin}${new URL(of).pathname}`
  const args = [there(url), '--revoked-key', there(revokedUrl), '--only', rule]
  const got = await runCommand('conform', args)
  t.notMatch(got.out + got.err, new URL(url).pathname.slice(1), 'the key is not shown')
  return got
}

for (const [name, lines] of chosen(samples, { 'preflight-is-404': 'id-digits-lost' })) {
  t.test(`concordat conform fails with ${name}, and explains why`, async (t) => {
    const fault = faults.find((fault) => fault.name === name)
    const { code, out } = await conform(t, fault, fault?.rule ?? '')
    t.equal(code, 1, out)
    for (const line of lines) t.match(out, line)
    t.match(out, /\$ curl -s .*\$\{?RPC_URL/, 'a curl line')
    t.match(out, /again +npx concordat conform "\$RPC_URL" .*--replay /)
  })
}

t.test('concordat conform passes through the same proxy without a fault', async (t) => {
  const { code, out } = await conform(t, undefined, 'http.preflight')
  t.equal(code, 0, out)
})

t.test('concordat selftest shows the case that noticed each fault, and exits with 0', async (t) => {
  const { code, out, err } = await runCommand('selftest', ['--only', 'hashing.*'], cleanEnvironment())
  t.equal(err, '')
  t.match(out, /^ {2}killed {4}sha3-256-for-keccak-256 {2}by hashing\//m)
  t.match(out, /2 faults: 2 killed, 0 survived; (?:\d+ min )?\d+ m?s$/m)
  t.equal(code, 0)
})

longTest('concordat selftest that is stopped ends its service, and says that it is not done', async (t) => {
  const launcher = fileURLToPath(new URL('../../../../bin/concordat.js', import.meta.url))
  // Many faults, so that the run is interrupted before its end. Not all, because their cases run without a fault first.
  const child = spawn(process.execPath, [launcher, 'selftest', '--only', 'envelope.*'], {
    env: cleanEnvironment(),
  })
  const ended = once(child, 'close')
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const [first] = await once(child.stdout, 'data')
  // Suspended, so that it cannot finish while this process waits on a busy machine.
  child.kill('SIGSTOP')
  t.match(String(first), /^ {2}killed /)
  const below = await processesBelow(child.pid ?? 0)
  t.ok(
    below.some(({ command }) => command.includes('anvil')),
    'the chain of its service runs',
  )
  child.kill('SIGTERM')
  child.kill('SIGCONT')
  t.same(await ended, [2, null])
  t.match(errors, /^concordat selftest: stopped before all faults were tried\n$/)
  for (const { pid } of below) await gone(pid)
})
