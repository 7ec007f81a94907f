import t from 'tap'
import type { CaseResult } from '../../../../src/judge/index.js'
import { judgeSecrets } from '../../../../src/judge/oracles/every-answer.js'
import { createSecretLeaks } from '../../../../src/judge/oracles/secret-leaks.js'
import { createEvidenceMaker } from '../../../../src/judge/record/evidence.js'
import type { Evidence } from '../../../../src/judge/report/index.js'
import type { Exchange } from '../../../../src/judge/send/exchange.js'
import { contractOf } from '../checks/fixtures.js'

const key = 'Xk29fjQ0zLm48ApQ7rTb1Y-T'
const given = {
  values: [key, 'rootstock', 'q'.repeat(16), 'z'.repeat(15)],
  headers: {
    authorization: `Bearer ${'s'.repeat(20)}`,
    'x-caller': 'c'.repeat(20),
    origin: 'https://dapp.example',
  },
}
const make = createEvidenceMaker({ redact: (text) => text, ownUrl: 'http://x/', headers: {} })

/** An exchange with these headers and texts of the answer and the request. */
function exchange(body: string, headers: Record<string, string> = {}, sent = '{}'): Exchange {
  const outgoing = {
    verb: 'POST',
    url: `http://x/${key}`,
    headers: {},
    body: Buffer.from(sent),
    methods: [],
    billed: 1,
    builtIn: false,
    effect: 'read',
  } as const
  const reply = { status: 200, headers, bytes: Buffer.from(body), text: body }
  return { outgoing, reply, trouble: undefined, milliseconds: 1 }
}

function caseOf(id: string, rule: string, evidence: readonly Evidence[]): CaseResult {
  const none = { reason: undefined, cause: undefined, findings: [], ids: [], head: undefined }
  const common = { group: 'g', scenario: 'S.', effect: 'read', verdict: 'pass' } as const
  return { id, rules: [rule], evidence, billed: 1, milliseconds: 1, ...common, ...none }
}

const contract = contractOf({
  info: { title: 'T', version: '1', 'x-http': { rules: { secrets: 'keys.hidden' } } },
})

/** Cases that failed after these exchanges, each in a case of its own. */
function failedOf(exchanges: readonly Exchange[], { rules = ['a', 'b', 'c'], of = contract } = {}) {
  const leaks = createSecretLeaks(given, make)
  for (const one of exchanges) leaks.see(one)
  const cases = exchanges.map((one, at) =>
    caseOf(`g/${at}`, rules[at] ?? '', [leaks.evidence({ step: 1, exchange: one })]),
  )
  return judgeSecrets(of, cases, leaks)
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ id, reason }) => `${id}: ${reason}`)
}

t.test('a secret of 16 characters counts, a shorter one can occur by chance', async (t) => {
  t.equal(failedOf([exchange(`"${'q'.repeat(16)}"`)]).length, 1)
  t.strictSame(failedOf([exchange(`"${'z'.repeat(15)}"`)]), [])
})

t.test('a secret in a body or a header fails the run with a result of its own', async (t) => {
  const leaking = [
    exchange(`{"error":{"message":"no ${key}"}}`),
    exchange(`{"error":{"message":"no ${key.toLowerCase()}"}}`),
    exchange(`{"error":{"message":"no ${encodeURIComponent(`%${key}`)}"}}`),
    exchange(Buffer.from(key).toString('hex')),
    exchange('{}', { location: `/${key}/` }),
    exchange('{}', { 'x-debug': 's'.repeat(20) }),
    exchange('c'.repeat(20)),
  ]
  for (const one of leaking)
    t.match(
      failedOf([exchange('{}'), one]),
      [/^invariants\/no-secrets: step 1 of g\/1: /],
      String(one.reply?.text),
    )
  t.match(failedOf([exchange('{}'), leaking[0] as Exchange, leaking[4] as Exchange]), [
    /and in 1 more answers/,
  ])
})

t.test('echoes that a contract may state, and short texts, are no failure', async (t) => {
  t.same(
    failedOf([
      exchange('{}', { 'access-control-allow-origin': 'https://dapp.example', 'x-caller': 'c'.repeat(20) }),
      exchange('"rootstock"'),
      exchange(`{"id":"${key}"}`, {}, `{"id":"${key}"}`),
    ]),
    [],
  )
})

t.test('the case about the rule fails, if it has passed', async (t) => {
  const leaking = exchange(key)
  t.match(failedOf([leaking, exchange('{}')], { rules: ['a', 'keys.hidden'] }), [/^g\/1: step 1 of g\/0: /])
  const without = contractOf({ info: { title: 'T', version: '1' } })
  t.match(failedOf([leaking, exchange('{}')], { rules: ['a', 'keys.hidden'], of: without }), [
    /^invariants\/no-secrets: /,
  ])
})

t.test('an answer that no case has kept fails the run, too', async (t) => {
  const leaks = createSecretLeaks(given, make)
  leaks.see(exchange(key))
  const [other, own] = judgeSecrets(contract, [caseOf('g/0', 'a', [])], leaks)
  t.equal(other?.verdict, 'pass', 'no other case is blamed')
  t.match(own, {
    id: 'invariants/no-secrets',
    rules: ['keys.hidden'],
    verdict: 'fail',
    findings: [{ where: 'body' }],
    evidence: [{ shared: true }],
  })
})
