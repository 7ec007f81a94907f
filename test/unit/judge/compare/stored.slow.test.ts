import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { UsageError } from '../../../../src/cli/io.js'
import { main } from '../../../../src/cli/main.js'
import type { CaseResult, Report } from '../../../../src/judge/index.js'
import { jsonReport } from '../../../../src/judge/report/json-report.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { type Answer, type Call, ownKey, startDeployment } from '../run/deployment.js'

const example = (value: unknown, name = String(value)) => ({
  name,
  params: [{ name: 'which', value }],
  result: { name: 'r', value: null },
})

/** Entries by number, by `last`, or by hash. */
const contract = {
  openrpc: '1.3.2',
  info: {
    title: 'Register',
    version: '1.0.0',
    'x-http': { paths: ['/{key}'] },
    'x-head': {
      method: 'entry',
      params: ['last'],
      number: '$.result.number',
      hash: '$.result.hash',
      moving: ['last'],
    },
  },
  methods: [
    {
      name: 'entry',
      'x-effect': 'read',
      params: [{ name: 'which', required: true, schema: { type: 'string' } }],
      result: { name: 'entry', schema: {} },
      examples: ['last', '0x2', '0xb'].map((which) => example(which)),
    },
    {
      name: 'by-hash',
      'x-effect': 'read',
      params: [{ name: 'which', required: true, schema: { type: 'string', pattern: '^h' } }],
      result: { name: 'entry', schema: {} },
      examples: [example('h2')],
    },
  ],
}

/** Entries up to a head, with a size. */
const register =
  (head: number, others: (call: Call) => Answer | undefined = () => undefined) =>
  (call: Call): Answer => {
    const other = others(call)
    if (other !== undefined) return other
    const which = call.params.length === 1 ? call.params[0] : undefined
    if (typeof which !== 'string' || (call.method === 'by-hash' && !which.startsWith('h')))
      return { error: { code: -32602, message: 'Which?' } }
    if (!['entry', 'by-hash'].includes(call.method)) return { error: { code: -32601, message: 'Unknown' } }
    const number = which === 'last' ? head : Number(which.replace('h', ''))
    const isThere = Number.isInteger(number) && number <= head
    return { result: isThere ? { number: `0x${number.toString(16)}`, hash: `h${number}`, size: 7 } : null }
  }

/** Runs a command with the contract. */
async function run(t: Test, command: string, args: readonly string[], document: object = contract) {
  const file = join(await temporaryFolder(t), 'register.json')
  await writeFile(file, JSON.stringify(document))
  const [out, err]: [string[], string[]] = [[], []]
  const io = { out: (line: string) => out.push(line), err: (line: string) => err.push(line), env: {} }
  const code = await main([command, ...args, '--contract', file], io).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error
    err.push(error.message)
    return 2
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

/** Runs the suite against a service and returns the file of its report. */
async function recorded(t: Test, script: (call: Call) => Answer, only = 'derived/*') {
  const file = join(await temporaryFolder(t), 'before.json')
  const { url } = await startDeployment(t, script)
  await run(t, 'conform', [url, '--only', only, '--report', `json=${file}`])
  return file
}

/** Writes a report whose cases are changed, beside the given one, and returns its file. */
async function changed(file: string, name: string, change: (result: CaseResult) => CaseResult) {
  const { sha256: _, ...report }: Report & { sha256: string } = JSON.parse(await readFile(file, 'utf8'))
  const other = join(dirname(file), `changed-${name}`)
  await writeFile(other, jsonReport({ ...report, cases: report.cases.map(change) }))
  return other
}

/** Compares and returns what did not agree, by comparison and method. */
async function compared(t: Test, a: string, b: string, ...args: readonly string[]) {
  const file = join(await temporaryFolder(t), 'differences.json')
  const result = await run(t, 'compare', [a, b, '--report', `json=${file}`, ...args])
  const json = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'))
  const requests: readonly { comparison: string; methods: string[]; params: unknown[]; reason?: string }[] =
    json.requests ?? []
  const apart = requests.filter(({ comparison }) => comparison !== 'alike')
  return {
    ...result,
    json,
    apart: apart.map(
      ({ comparison, methods, params }) => `${comparison} ${methods} ${JSON.stringify(params)}`,
    ),
    reasons: apart.map(({ reason }) => reason),
  }
}

const idsOf = (json: { requests: { case: string; comparison: string }[] }, kind: string) =>
  json.requests
    .filter(({ comparison }) => comparison === kind)
    .map((one) => one.case)
    .toSorted()

const sized = (size: number) =>
  register(9, ({ method, params: [which] }) =>
    method === 'entry' && which === '0x2' ? { result: { number: '0x2', hash: 'h2', size } } : undefined,
  )

t.test('a report stands for a deployment, on either side', async (t) => {
  const before = await recorded(t, sized(7))
  const now = await startDeployment(t, sized(8))
  const { code, out, apart, json } = await compared(t, before, now.url)
  t.equal(code, 1, out)
  t.same(apart, ['different entry [["0x2"]]'])
  t.match(json.a, { stored: { file: before, started: /^20/ }, requests: { http: 0 } })
  t.match(out, /^ {2}A {10}\S+before\.json of 20\d\d-\d\d-\d\d .* UTC, http:\S+ +head 9$/m)
  t.match(
    out,
    /\n +A +7\n +B +8\n +\$ curl -s "\$URL_B" [^\n]*\n +again +npx concordat compare \S+before\.json "\$URL_B"/,
  )
  t.notMatch(out, /URL_A/)
  t.notMatch(out + JSON.stringify(json), ownKey)
  t.notOk(
    now.requests.some(({ headers }) => String(headers).includes('•')),
    'no hidden header is sent',
  )
  const reversed = await compared(t, now.url, before)
  t.equal(reversed.code, 1)
  t.same(reversed.apart, apart)
  t.equal((await compared(t, before, (await startDeployment(t, sized(7))).url)).code, 0)
})

t.test('two reports are compared without a request', async (t) => {
  const [before, after] = [await recorded(t, sized(7)), await recorded(t, sized(8))]
  t.equal((await compared(t, before, before)).code, 0)
  const { code, apart } = await compared(t, before, after)
  t.equal(code, 1)
  t.same(apart, ['different entry [["0x2"]]'])
  const part = await recorded(t, sized(7), 'derived/entry/example-0x2')
  const only = ['--only', 'derived/*/example-*', '--require-complete']
  for (const [a, b] of [
    [part, after],
    [after, part],
  ] as const) {
    const lost = await compared(t, a, b, ...only)
    t.same(
      lost.apart.toSorted(),
      [...apart, 'not-run by-hash []', 'not-run entry []', 'not-run entry []'],
      'calls of either report are listed',
    )
    t.same([...new Set(lost.reasons)].filter(Boolean), [`${part} has no answer to this call`])
  }
  const equal = await recorded(t, sized(8), 'derived/entry/example-0x2')
  t.equal((await compared(t, equal, after, ...only)).code, 3)
})

t.test('an answer of one report alone is listed, also in a case that both have', async (t) => {
  const after = await recorded(t, register(9), 'derived/entry/example-*')
  const before = await changed(after, 'before.json', (result) =>
    result.id === 'derived/entry/example-0x2'
      ? { ...result, evidence: [], verdict: 'not-applicable', reason: 'it lacks data' }
      : result,
  )
  const only = ['--only', 'derived/entry/example-*']
  t.same((await compared(t, before, after, ...only)).reasons, [`${before} has no answer to this call`])
  t.same((await compared(t, after, before, ...only)).reasons, [`${before} has no answer to this call`])
  const stopped = await changed(after, 'stopped.json', (result) => ({
    ...result,
    ...(result.id === 'derived/entry/example-0x2' && { verdict: 'gave-up', reason: 'it fell silent' }),
  }))
  const { code, apart, reasons } = await compared(t, after, stopped, ...only)
  t.same([code, apart, reasons], [1, ['unanswered entry []'], ['it fell silent']])
})

t.test('stored cases that the suite does not have are listed', async (t) => {
  const { url } = await startDeployment(t, register(9))
  const before = await changed(await recorded(t, register(9)), 'before.json', (result) => ({
    ...result,
    id: result.id.replace('derived/entry/example-', 'gone/'),
  }))
  const gone = ['0x2', '0xb', 'last'].map((name) => `gone/${name}`)
  for (const b of [url, before]) {
    const { code, json, out, err } = await compared(t, before, b, '--require-complete')
    t.equal(code, 3, out + err)
    t.same(idsOf(json, 'not-run'), gone)
    t.match(out, / {2}3 not run +the suite does not have this case {2}\(gone\/last, gone\/0x2, gone\/0xb\)/)
    t.equal((await compared(t, before, b)).code, 0)
  }
  const without = await compared(t, before, url, '--only', 'derived/by-hash/*', '--require-complete')
  t.same([without.code, without.apart], [0, []], 'cases that --only does not select are left out')
  const asked = await compared(t, before, url, '--only', 'derived/*/example-*', '--require-complete')
  t.equal(asked.code, 3)
  t.same(
    idsOf(asked.json, 'not-run'),
    ['0x2', '0xb', 'last'].map((name) => `derived/entry/example-${name}`),
  )
  t.same(new Set(asked.reasons), new Set(['no report has this case']))
})

t.test('a request that a report does not contain as a whole is not sent', async (t) => {
  const complete = await recorded(t, register(9), 'derived/entry/example-*')
  const alterations: Readonly<Record<string, Partial<CaseResult['evidence'][number]['request']>>> = {
    'derived/entry/example-0x2': { altered: 'cut', body: '{"jsonrpc":"2.0","id":1,… (the first 30 of 90)' },
    'derived/entry/example-0xb': {
      altered: 'redacted',
      body: '{"jsonrpc":"2.0","id":1,"method":"entry","params":["•••••"]}',
    },
  }
  const before = await changed(complete, 'before.json', (result) => ({
    ...result,
    evidence: result.evidence.map((one) => ({
      ...one,
      request: { ...one.request, ...alterations[result.id] },
    })),
  }))
  const now = await startDeployment(t, register(9))
  const { code, reasons } = await compared(t, before, now.url, '--require-complete')
  t.equal(code, 3)
  t.same(reasons.toSorted(), [
    'a long request is truncated in the report',
    'a secret in a request is redacted',
  ])
  t.notOk(now.requests.some(({ body }) => body.includes('•')))
})

t.test('a difference that another head may explain is inconclusive', async (t) => {
  const before = await recorded(t, register(9))
  const rows = [
    ['a later head', register(12), 0, ['inconclusive entry [["0xb"]]', 'inconclusive entry [["last"]]']],
    [
      'state that only one has',
      register(12, ({ params: [which] }) =>
        which === '0x2' ? { error: { code: -1, message: 'gone' } } : undefined,
      ),
      0,
      ['inconclusive entry [["0x2"]]', 'inconclusive entry [["0xb"]]', 'inconclusive entry [["last"]]'],
    ],
    [
      'another entry',
      register(12, ({ params: [which] }) =>
        which === 'h2' ? { error: { code: -1, message: 'gone' } } : undefined,
      ),
      1,
      ['different by-hash [["h2"]]', 'inconclusive entry [["0xb"]]', 'inconclusive entry [["last"]]'],
    ],
  ] as const
  for (const [name, script, code, apart] of rows) {
    const found = await compared(t, before, (await startDeployment(t, script)).url, '--only', '*/example-*')
    t.same(found.apart.toSorted(), apart, name)
    t.equal(found.code, code, name)
  }
  const later = await compared(t, before, await recorded(t, register(12)), '--require-complete')
  t.equal(later.code, 3)
  t.match(later.reasons, [
    /the call depends on the head, which differed or moved: A 0x9 \(h9\), B 0xc \(h12\)/,
  ])
})

t.test('a head that moved during the run of a report is no head', async (t) => {
  let head = 9
  const moving = await recorded(t, (call) => register(call.params[0] === 'last' ? head++ : head)(call))
  const { apart, out } = await compared(t, moving, (await startDeployment(t, register(9))).url)
  t.ok(apart.includes('inconclusive entry [["last"]]'), out)
  t.match(out, /before\.json of .*head 9$/m)
  t.notOk(
    apart.some((one) => one.startsWith('different')),
    'nor are later entries different',
  )
})

t.test('a report that cannot be compared is refused with the reason', async (t) => {
  const before = await recorded(t, register(9))
  const folder = await temporaryFolder(t)
  const [other, none] = [join(folder, 'other.json'), join(folder, 'none.json')]
  await writeFile(other, '{}')
  const replaced = register(9, ({ params: [which] }) =>
    which === 'last' || which === '0x9' ? { result: { number: '0x9', hash: 'other', size: 7 } } : undefined,
  )
  const elsewhere = (await startDeployment(t, replaced)).url
  const empty = await changed(before, 'empty.json', (result) => ({ ...result, evidence: [] }))
  const renamed = await changed(before, 'renamed.json', (result) => ({ ...result, id: `other/${result.id}` }))
  for (const [a, b, told, ...args] of [
    [other, elsewhere, /other\.json: not a report of concordat conform/],
    [none, elsewhere, /none\.json: the file does not exist/],
    [before, elsewhere, /A and B serve different chains; use --only/],
    [before, await recorded(t, replaced), /A and B serve different chains; use --only/],
    [empty, before, /changed-empty\.json: it has no answers$/],
    [before, before, /no case and no rule matches "invariants\/\*"/, '--only', 'invariants/*'],
    [before, renamed, /changed-renamed\.json: made with other cases; --scenarios names their folder$/],
  ] as const) {
    const { code, err } = await compared(t, a, b, ...args)
    t.equal(code, 2, err)
    t.match(err, told)
  }
  const newer = { ...contract, info: { ...contract.info, version: '2.0.0' } }
  const { code, err } = await run(t, 'compare', [before, before], newer)
  t.equal(code, 2)
  t.match(
    err,
    /before\.json: made with another contract \(Register 1\.0\.0, sha256 \w{12}…\) than Register 2\.0\.0/,
  )
})
