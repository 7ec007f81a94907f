import t from 'tap'
import type { CaseResult } from '../../../../src/judge/index.js'
import { judgeHeaders } from '../../../../src/judge/oracles/every-answer.js'
import type { Evidence, Verdict } from '../../../../src/judge/report/index.js'
import { contractOf } from '../checks/fixtures.js'

const cors = { allowOrigin: '*', exposeHeaders: ['X-Left', 'Retry-After'] }
const rules = { contentType: 'http.type', cors: 'http.cors' }
const contract = contractOf({
  info: { title: 'T', version: '1', 'x-http': { contentType: 'application/json', cors, rules } },
})

const right = {
  'content-type': 'application/json; charset=utf-8',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after, x-left',
}

/** A reply with the correct headers and these changes; null removes a header. */
function answer(
  headers: Readonly<Record<string, string | null>> = {},
  {
    verb = 'POST',
    origin,
    body = '{}',
    shared,
  }: { verb?: string; origin?: string; body?: string; shared?: true } = {},
): Evidence {
  const all = Object.entries({ ...right, ...headers }).filter(([, value]) => value !== null)
  const sent = {
    verb,
    url: 'http://x/',
    headers: origin === undefined ? {} : { origin },
    body: '',
    altered: undefined,
  }
  const response = {
    status: 200,
    headers: Object.fromEntries(all) as Record<string, string>,
    body,
    altered: undefined,
  }
  return {
    step: 2,
    request: sent,
    response,
    trouble: undefined,
    omitted: undefined,
    shared,
    milliseconds: 1,
    curl: 'curl',
  }
}

function caseOf(
  id: string,
  rule: string,
  evidence: readonly Evidence[],
  verdict: Verdict = 'pass',
): CaseResult {
  const none = { reason: undefined, cause: undefined, findings: [], ids: [], head: undefined }
  const counts = { billed: 1, milliseconds: 1 }
  return {
    id,
    group: 'g',
    scenario: 'S.',
    rules: [rule],
    effect: 'read',
    verdict,
    evidence,
    ...none,
    ...counts,
  }
}

const failedOf = (cases: readonly CaseResult[]) =>
  judgeHeaders(contract, cases)
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ id, reason }) => `${id}: ${reason}`)

const about = [caseOf('http/cors', 'http.cors', [answer()]), caseOf('http/type', 'http.type', [answer()])]
const other = (...evidence: readonly Evidence[]) => [caseOf('books/one', 'books.title', evidence), ...about]

t.test('correct headers change no verdict', async (t) => {
  const cases = other(
    answer({ 'access-control-allow-origin': 'https://a.example' }, { origin: 'https://a.example' }),
    answer({ 'access-control-expose-headers': null }, { verb: 'OPTIONS' }),
    answer({ 'content-type': null }, { body: '' }),
  )
  t.equal(judgeHeaders(contract, cases), cases)
})

t.test('a wrong header fails only the case about its rule', async (t) => {
  const rows: readonly (readonly [Record<string, string | null>, string])[] = [
    [
      { 'content-type': null },
      'http/type: step 2 of books/one: header content-type: expected application/json, got absent',
    ],
    [
      { 'content-type': 'text/plain' },
      'http/type: step 2 of books/one: header content-type: expected application/json, got text/plain',
    ],
    [
      { 'access-control-allow-origin': null },
      'http/cors: step 2 of books/one: header access-control-allow-origin: expected *, got absent',
    ],
    [
      { 'access-control-allow-origin': 'https://b.example' },
      'http/cors: step 2 of books/one: header access-control-allow-origin: expected *, got https://b.example',
    ],
    [
      { 'access-control-expose-headers': 'X-Left' },
      'http/cors: step 2 of books/one: header access-control-expose-headers: expected X-Left, Retry-After, got X-Left',
    ],
  ]
  for (const [headers, wanted] of rows) t.same(failedOf(other(answer(headers))), [wanted])
})

t.test('many wrong replies are one failure with their number and the first one', async (t) => {
  const wrong = answer({ 'content-type': null })
  const judged = judgeHeaders(
    contract,
    other(wrong, wrong, answer({ 'content-type': null }, { shared: true })),
  )
  t.match(judged[2], {
    verdict: 'fail',
    reason: /, got absent, and in 1 more answers of the run$/,
    findings: [
      {
        where: 'header content-type',
        got: 'absent in step 2 of books/one, and in 1 more answers of the run',
      },
    ],
    evidence: [{}, { shared: true, curl: 'curl' }],
  })
  t.equal(judged[0]?.verdict, 'pass')
})

t.test('replies that may come from a proxy do not count, and a failed case stays unchanged', async (t) => {
  const wrong = answer({ 'content-type': null })
  t.same(failedOf([caseOf('books/one', 'books.title', [wrong], 'inconclusive'), ...about]), [])
  const failed = { ...caseOf('http/type', 'http.type', [wrong], 'fail'), reason: 'its own' }
  t.same(failedOf([failed]), ['http/type: its own'])
})

t.test('a contract without header rules requires no headers', async (t) => {
  const cases = other(answer({ 'content-type': null }))
  t.equal(judgeHeaders(contractOf(), cases), cases)
})
