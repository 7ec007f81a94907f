import t from 'tap'
import { type Answer, type Call, ownKey, startDeployment } from './deployment.js'
import { head, judged, missing, only } from './library.js'
import { libraryContract } from './library-contract.js'
import { runSuite } from './run-suite.js'

t.test('a valid answer passes and keeps no evidence', async (t) => {
  const { result, report } = await judged(t, missing)
  t.match(result, { verdict: 'pass', reason: undefined, evidence: [], findings: [], billed: 1 })
  t.equal(report.counts.pass, 1)
  t.match(report.target, { network: 'north', head })
  t.match(report.requests, { http: 2, billed: 2, writes: 0 })
})

t.test('an invalid answer fails with the expectation, the reply, both heads and the exchange', async (t) => {
  const { result } = await judged(t, missing, { book: () => ({ result: { title: 'Ghost' } }) })
  t.match(result, {
    verdict: 'fail',
    reason: /^step 1: \/result: expected null, got /,
    head: { before: head, after: head },
    findings: [{ where: '/result', expected: 'null' }],
    evidence: [{ step: 1, response: { status: 200, body: /"Ghost"/ } }],
  })
  t.match(result.evidence[0]?.request.body, /"method":"book","params":\[7\]/)
})

interface BrokenAnswer {
  readonly name: string
  readonly book: (call: Call) => Answer
  readonly where: string
  readonly got: RegExp
}

const brokenAnswers: readonly BrokenAnswer[] = [
  {
    name: 'invalid JSON',
    book: () => ({ status: 502, body: '<html>Bad gateway</html>' }),
    where: 'body',
    got: /HTTP 502 with a body that is not JSON: .*Bad gateway/,
  },
  {
    name: 'another id',
    book: () => ({ body: '{"jsonrpc":"2.0","id":999999,"result":null}' }),
    where: '/id',
    got: /^999999$/,
  },
  {
    name: 'the id as a string',
    book: ({ id }) => ({ body: `{"jsonrpc":"2.0","id":"${id}","result":null}` }),
    where: '/id',
    got: /^"\d+"$/,
  },
  {
    name: 'no version',
    book: ({ id }) => ({ body: `{"id":${id},"result":null}` }),
    where: 'body',
    got: /^\{"id":\d+,"result":null\}$/,
  },
  {
    name: 'a result with HTTP 500',
    book: ({ id }) => ({ status: 500, body: `{"jsonrpc":"2.0","id":${id},"result":null}` }),
    where: 'status',
    got: /500/,
  },
  {
    name: 'an error of a call with HTTP 500',
    book: ({ id }) => ({
      status: 500,
      body: `{"jsonrpc":"2.0","id":${id},"error":{"code":-32602,"message":"no such shelf"}}`,
    }),
    where: 'status',
    got: /500/,
  },
  {
    name: 'an error that the method does not declare',
    book: () => ({ error: { code: -32050, message: 'odd' } }),
    where: '/error/code',
    got: /-32050/,
  },
  {
    name: 'a result that violates the schema',
    book: () => ({ result: { title: 12 } }),
    where: '/result/title',
    got: /12/,
  },
]

for (const { name, book, where, got } of brokenAnswers) {
  t.test(`an answer with ${name} fails, although the case does not mention it`, async (t) => {
    const text = `
scenario: A book can be asked for.
steps:
  - call: book
    params: [1]
    capture: { title: $ }
  - call: book
    params: [2]
    expect: { result: null }
`
    const { result } = await judged(t, text, { book })
    t.equal(result.verdict, 'fail')
    t.match(result.reason, /^step 1: /, 'the case ends at the failing step')
    const finding = result.findings.find((finding) => finding.where === where)
    t.match(finding?.got, got, JSON.stringify(result.findings))
  })
}

t.test('raw bytes that are a request are answered with its id, or with null', async (t) => {
  const text = (id: string) => `
scenario: A refusal.
steps:
  - raw: '{"jsonrpc":"2.0","id":${id},"method":"book","params":[7]}'
    expect: { status: 400, error: { code: -32602 } }
`
  const refusal = (id: string) => ({
    book: () => ({
      status: 400,
      body: `{"jsonrpc":"2.0","id":${id},"error":{"code":-32602,"message":"no such shelf"}}`,
    }),
  })
  for (const [sent, came, verdict] of [
    ['12345678901234567890', '12345678901234567890', 'pass'],
    ['12345678901234567890', 'null', 'pass'],
    ['12345678901234567890', '12345678901234567000', 'fail'],
    ['1', '"1"', 'fail'],
    ['[]', 'null', 'pass'],
  ] as const) {
    const { result } = await judged(t, text(sent), refusal(came))
    t.equal(result.verdict, verdict, `${sent}, answered with ${came}: ${result.reason}`)
  }
})

t.test('a broken connection is described as a missing answer', async (t) => {
  const { result, report } = await judged(t, missing, { book: () => 'reset' })
  t.match(result, { verdict: 'no-answer', reason: /closed the connection before the whole answer arrived/ })
  t.match(result.evidence[0], { response: undefined, trouble: /\w/ })
  t.notMatch(JSON.stringify(report), ownKey)
})

t.test('a late answer is a missing answer', async (t) => {
  const { result } = await judged(t, missing, { book: () => 'silence' }, { timeoutMilliseconds: 300 })
  t.match(result, { verdict: 'no-answer', reason: /No complete answer arrived within 0\.3 s/ })
})

const tolerant = `${missing}    tolerate:
      - expect: { error: { code: -32602 } }
        reason: old libraries refuse what they do not have
        depends-on: implementation
`

t.test('a tolerated deviation gets its own verdict with the reason', async (t) => {
  const refuse = () => ({ error: { code: -32602, message: 'none' } })
  const { result } = await judged(t, tolerant, { book: refuse })
  t.match(result, { verdict: 'tolerated', reason: 'old libraries refuse what they do not have' })
  const { result: other } = await judged(t, tolerant, {
    book: () => ({ error: { code: -32002, message: 'x' } }),
  })
  t.equal(other.verdict, 'fail', 'another deviation fails')
})

t.test('captures of a step are available to later steps, and an empty capture fails', async (t) => {
  const text = `
scenario: The newest book is told by its number.
steps:
  - call: book
    params: [1]
    capture: { title: $.result.title, shelf: $.result.shelf }
  - call: book
    params: ['\${shelf - 1}']
    expect: { result: { title: '\${title}', shelf: 2 } }
  - call: book
    params: [5]
    capture: { title: $.result.title }
    expect: { result: null }
`
  const { result, deployment } = await judged(t, text)
  t.match(result, {
    verdict: 'fail',
    reason: /^step 3: \$\.result\.title: expected a value to capture as "title", got result null/,
  })
  t.match(deployment.requests[2]?.body, /"params":\[1\]/)
})

t.test('a header is captured as a number, and a step repeats until its condition holds', async (t) => {
  const text = `
scenario: The limit falls to nothing.
steps:
  - call: book
    params: [1]
    capture-header: { left: { name: RateLimit, pattern: 'r=(\\d+)' } }
  - call: book
    params: [2]
    repeat-until: { expect: { error: {} }, at-most: '\${left + 1}' }
    expect: { error: { code: -32602 } }
`
  let left = 4
  const book = ({ id }: Call): Answer => {
    left--
    const headers = { RateLimit: `"daily";r=${left}` }
    if (left >= 0) return { headers, body: `{"jsonrpc":"2.0","id":${id},"result":null}` }
    return { error: { code: -32602, message: 'spent' } }
  }
  const passing = await judged(t, text, { book })
  t.equal(passing.result.verdict, 'pass', String(passing.result.reason))
  t.equal(passing.result.billed, 5)
  left = 4
  const frozen = (call: Call): Answer => {
    const answer = book(call)
    left = 4
    return answer
  }
  const { result } = await judged(t, text, { book: frozen })
  t.match(result, { verdict: 'fail', findings: [{ where: 'repeat-until', got: 'none' }] })
  t.match(result.evidence.length, 5, 'the first step, and the first two and last two repetitions')
})

t.test('a batch is judged response by response, in order', async (t) => {
  const text = `
scenario: Two books at once.
steps:
  - batch:
      - { call: book, params: [1] }
      - { call: book, params: [9] }
    expect: { items: [{ result: { $has: { title: Emma } } }, { result: null }] }
`
  const { result, report } = await judged(t, text)
  t.match(result, { verdict: 'pass', billed: 2 })
  t.equal(report.requests.http, 2)
  const swap = await startDeployment(t, ({ method, got }) => {
    if (method === 'newest') return { result: head }
    const ids = [...got.body.matchAll(/"id":(\d+)/g)].map(([, id]) => id)
    const answer = (id: string | undefined, result: unknown) => ({ jsonrpc: '2.0', id: Number(id), result })
    return { body: JSON.stringify([answer(ids[1], null), answer(ids[0], { title: 'Emma' })]) }
  })
  t.match(only(await runSuite(t, swap.url, { 'books/one.yaml': text })), { verdict: 'pass' })
  const { info } = libraryContract
  const http = { ...info['x-http'], rules: { batchOrder: 'books.title' } }
  const ordered = { contract: { ...libraryContract, info: { ...info, 'x-http': http } } }
  const swapped = only(await runSuite(t, swap.url, { 'books/one.yaml': text }, ordered))
  t.match(swapped, { verdict: 'fail' })
  t.ok(swapped.findings.some(({ where }) => where === '/items/0/id'))
  const short = await startDeployment(t, ({ method, id }) =>
    method === 'newest' ? { result: head } : { body: `[{"jsonrpc":"2.0","id":${id},"result":null}]` },
  )
  const one = only(await runSuite(t, short.url, { 'books/one.yaml': text }))
  t.ok(one.findings.some(({ expected }) => expected === 'a list of 2 answers, one per call'))
})

t.test('raw bytes are sent unchanged, and their reply is checked against the envelope', async (t) => {
  const text = `
scenario: What is no JSON is refused.
steps:
  - raw: ['{"jsonrpc":', { repeat: ' ', times: '\${limit.shelfLength}' }, { hex: ff }]
    headers: { content-type: text/plain, x-shelf: '\${network.title}' }
    path: /v2/{key}
    expect: { status: 400, id: 'null', error: { code: -32602 } }
`
  const body = '{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no"}}'
  const { result, deployment } = await judged(t, text, { '': () => ({ status: 400, body }) })
  t.equal(result.verdict, 'pass', String(result.reason))
  const sent = deployment.requests[1]
  t.match(sent, {
    path: `/v2/${ownKey}`,
    headers: { 'content-type': 'text/plain', 'x-shelf': 'North branch' },
  })
  t.equal(sent?.body, '{"jsonrpc":   \ufffd')
  const { result: odd } = await judged(t, text, { '': () => ({ status: 400, body: '{"error":{}}' }) })
  t.equal(odd.verdict, 'fail')
})

t.test('a function computes the expected value, and its error is reported with the step', async (t) => {
  const text = `
scenario: The title is in capital letters elsewhere.
steps:
  - call: book
    params: [1]
    capture: { title: $.result.title }
  - compute: upperCase
    params: ['\${title}']
    capture: { upper: $ }
  - call: book
    params: ['\${upper}']
    expect: { result: null }
`
  const functions = { upperCase: ([text]: readonly unknown[]) => String(text).toUpperCase() }
  const { result, deployment } = await judged(t, text, {}, { functions })
  t.equal(result.verdict, 'pass', String(result.reason))
  t.match(deployment.requests.at(-1)?.body, '"EMMA"')
  const refusing = () => {
    throw new TypeError('takes hexadecimal text')
  }
  const refused = await judged(t, text, {}, { functions: { upperCase: refusing } })
  t.match(refused.result, { verdict: 'harness-error', reason: 'step 2: upperCase: takes hexadecimal text' })
  const without = await judged(t, text)
  t.match(without.result, { verdict: 'harness-error', reason: /^step 2: unknown function "upperCase"/ })
})
