import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import t from 'tap'
import {
  notTestedText,
  type Report,
  type ReportFormat,
  readReport,
  renderReport,
  reportFormats,
  terminalReport,
} from '../../../../src/judge/index.js'
import { checksum } from '../../../../src/judge/report/json-report.js'
import { isObject, type JsonObject, type JsonValue } from '../../../../src/toolkit/contract/index.js'
import { startDeployment } from '../run/deployment.js'
import { library, missing } from '../run/library.js'
import { runSuite } from '../run/run-suite.js'
import { evidence, failure, report, result } from './sample-report.js'

const schema = JSON.parse(
  readFileSync(new URL('../../../../src/judge/report/report.schema.json', import.meta.url), 'utf8'),
) as JsonObject
const ajv = new Ajv()

const render = (format: ReportFormat, given: Report) =>
  renderReport(format, given, { again: ({ id }) => `npx concordat conform "$RPC_URL" --replay ${id}` })

const hostile = `<script>alert(1)</script>" onload='x' ]]> & \u0000\u001b[31m\u202e\ud800`

/** A report with a case of each verdict. Every text of the target is hostile. */
const every = report([
  result('a/pass', 'pass', { evidence: [evidence] }),
  result('a/tolerated', 'tolerated', { reason: hostile }),
  result('a/fail', 'fail', {
    ...failure,
    reason: hostile,
    findings: [{ where: '/result', expected: 'null', got: hostile }],
    evidence: [
      {
        ...evidence,
        request: { ...evidence.request, body: hostile, headers: { 'x-sent': hostile } },
        response: { status: 200, headers: { 'x-came': hostile }, body: hostile, altered: 'cut' },
        omitted: 3,
        curl: `curl ${hostile}`,
      },
    ],
  }),
  result('b/known', 'known-fail', { ...failure, reason: hostile }),
  result('b/stale', 'stale', { reason: hostile }),
  result('b/moved', 'inconclusive', { reason: hostile }),
  result('b/elsewhere', 'not-applicable', { reason: 'no key' }),
  result('c#c/later', 'not-run', { reason: 'a # and a \\' }),
  result('c#c/defect', 'harness-error', { reason: hostile }),
  result('c#c/slow', 'no-answer', { reason: 'no complete answer arrived', cause: 'no answer timeout' }),
  result('c#c/expired', 'fail', { ...failure, cause: 'other', expired: 'known to ada until 2020-01-01' }),
])

t.test('every format says first what was not tested', async (t) => {
  const covered = (names: readonly string[], total: number) => ({
    seen: total - names.length,
    total,
    never: names,
  })
  const given = report(
    [result('a/b', 'not-applicable', { lacks: { fixture: 'an-uncle', isOptional: false } })],
    {
      coverage: {
        methods: covered(['lend'], 4),
        members: covered(['/a', '/b', '/c', '/d'], 9),
        branches: covered([], 2),
        errors: covered([], 2),
        forms: covered(['in a batch'], 5),
      },
    },
  )
  const text =
    '2 of 3 rules (quota.spent, no.case), 1 of 4 methods (lend), 4 of 9 result members, 1 fixture (an-uncle), 1 of 5 forms of calls (in a batch)'
  t.equal(notTestedText(given), text)
  const [, first, second] = terminalReport(given, { colours: false, columns: undefined, again: () => '' })
  t.equal(first, `  Not tested: ${text}`)
  const complete = 'Completeness: 0 of 1 case judged; 1 not applicable'
  t.equal(second, `  ${complete}`)
  t.match(render('tap', given), `# ${complete}`)
  t.match(render('html', given), complete)
  t.equal(render('tap', given).split('\n')[1], `# Not tested: ${text}`)
  t.match(render('junit', given), /<properties>\n +<property name="not tested" value="2 of 3 rules /)
  t.match(render('html', given), `<p class="untested">Not tested: ${text}</p>`)
  t.match(render('markdown', given), `### Not tested\n\n- ${text.replaceAll('_', '\\_')}`)
  t.equal(JSON.parse(render('sarif', given)).runs[0].properties.notTested, text)
})

t.test('every format names the owner of an expired known failure', async (t) => {
  const expired = 'known to ada until 2027-01-30, now expired: an old node'
  const reason = `step 1: wrong; ${expired}`
  const given = report([
    result('a/b', 'fail', failure),
    result('a/c', 'fail', { ...failure, expired, reason }),
  ])
  for (const format of reportFormats) t.match(render(format, given), expired, format)
})

t.test('the JSON Schema of reports accepts this report and describes every member', async (t) => {
  t.equal(schema['$schema'], 'http://json-schema.org/draft-07/schema#')
  const validate = ajv.compile(schema)
  const deployment = await startDeployment(
    t,
    library({ lend: () => 'reset', book: () => ({ result: { title: 7 } }) }),
  )
  const lend = missing.replace('call: book', 'call: lend').replace('scenario:', 'effect: write\nscenario:')
  const ran = await runSuite(
    t,
    deployment.url,
    { 'books/one.yaml': missing, 'books/two.yaml': lend },
    { allow: ['write'] },
  )
  t.same(
    ran.cases.map(({ verdict }) => verdict),
    ['fail', 'no-answer'],
  )
  for (const given of [ran, every]) {
    t.ok(validate(JSON.parse(render('json', given))), JSON.stringify(validate.errors))
  }
  const visit = (value: JsonValue | undefined, place: string): void => {
    if (Array.isArray(value)) for (const [at, item] of value.entries()) visit(item, `${place}/${at}`)
    if (!isObject(value)) return
    for (const [name, inner] of Object.entries(value)) visit(inner, `${place}/${name}`)
    const properties = value['properties']
    for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
      const isTold = isObject(property) && (property['description'] ?? property['$ref']) !== undefined
      t.ok(isTold, `${place} ${name} is described`)
    }
  }
  visit(schema, '#')
})

t.test('a report contains the checksum of its content', async (t) => {
  const { sha256, ...rest } = JSON.parse(render('json', every)) as JsonObject
  t.equal(sha256, checksum(rest))
  t.not(sha256, checksum({ ...rest, milliseconds: 1 }))
})

t.test('JUnit: each group is a suite, with the outcome of each case and the replies as text', async (t) => {
  const xml = render('junit', every)
  t.match(
    xml,
    /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="Node access service 1.0.0" tests="11"/,
  )
  t.match(xml, '<testsuite name="a" tests="3" failures="1" errors="0" skipped="0" time="0.015"')
  t.match(xml, '<testsuite name="b" tests="4" failures="1" errors="0" skipped="3"')
  t.match(xml, '<testsuite name="c#c" tests="4" failures="1" errors="2" skipped="1"')
  t.match(xml, '<testcase classname="a" name="pass" time="0.005"/>')
  t.match(xml, '<skipped type="not-applicable" message="not applicable: no key"/>')
  t.match(xml, '<skipped type="known-fail" message="known to fail: ')
  t.match(xml, '<error type="harness-error" message="&lt;script&gt;')
  t.match(xml, '<error type="no-answer" message="no complete answer arrived">')
  t.match(xml, '  known     known to ada until 2020-01-01')
  t.match(xml, '<property name="target" value="https://rpc.example.net/•••••-T"/>')
  t.match(xml, '<property name="contract.sha256" value="5d1c0123456789abcdef"/>')
  t.match(
    xml,
    '<property name="coverage.rules" value="1 of 3 (1 only by cases that did not run, 1 without a case in this run)"/>',
  )
  t.match(xml, '<property name="rule logs.block-hash-excludes-range" value="1 failed (logs/a)"/>')
  t.match(xml, '<property name="parameter eth_getLogs filter" value="no case"/>')
  t.match(xml, 'again     npx concordat conform &quot;$RPC_URL&quot; --replay a/fail')
})

t.test('TAP: a strict TAP 14 parser reads every outcome', async (t) => {
  const tap = render('tap', every)
  t.match(tap, '# rule logs.block-hash-excludes-range: 1 failed (logs/a)')
  t.match(tap, '# rules covered: 1 of 3 (1 only by cases that did not run, 1 without a case in this run)')
  t.match(tap, '# parameter eth_getLogs filter: no case')
  const bin = fileURLToPath(new URL('../../../../node_modules/tap-parser/bin/cmd.cjs', import.meta.url))
  const parser = spawnSync(process.execPath, [bin, '--json', '--strict'], {
    input: tap,
    encoding: 'utf8',
  })
  const events = JSON.parse(parser.stdout) as readonly (readonly [string, ...unknown[]])[]
  interface Assert {
    readonly ok: boolean
    readonly name: string
    readonly skip: string | false
    readonly todo: string | false
    readonly diag?: { readonly findings?: readonly { readonly got: string }[]; readonly again?: string }
  }
  const asserts: Assert[] = []
  const collect = (list: typeof events): void => {
    for (const [kind, value] of list) {
      if (kind === 'assert') asserts.push(value as Assert)
      if (kind === 'child') collect(value as typeof events)
    }
  }
  collect(events)
  const extra = events.filter(([kind]) => kind === 'extra')
  t.same(extra, [], 'an empty input is not TAP')
  const outcomes = asserts.map(({ ok, name, skip, todo }) => [
    name.split(':')[0],
    ok,
    skip ? 'skip' : todo ? 'todo' : '',
  ])
  t.same(outcomes, [
    ['a/pass', true, ''],
    ['a/tolerated', true, ''],
    ['a/fail', false, ''],
    ['a', false, ''],
    ['b/known', false, 'todo'],
    ['b/stale', false, ''],
    ['b/moved', true, 'skip'],
    ['b/elsewhere', true, 'skip'],
    ['b', false, ''],
    ['c#c/later', true, 'skip'],
    ['c#c/defect', false, ''],
    ['c#c/slow', false, ''],
    ['c#c/expired', false, ''],
    ['c#c', false, ''],
  ])
  const failed = asserts.find(({ name }) => name.startsWith('a/fail'))
  t.match(failed?.diag, {
    findings: [
      { got: /^<script>alert\(1\)<\/script>" onload='x' \]\]> & \\u0000\\u001b\[31m\\u202e\\ud800$/ },
    ],
    again: 'npx concordat conform "$RPC_URL" --replay a/fail',
    answer: { status: 200 },
  })
})

t.test(
  'the HTML page escapes texts of the target, and its policy forbids further loading and scripts',
  async (t) => {
    const html = render('html', every)
    t.equal(html.split('<script>').length, 2, 'the only script is its own')
    t.notMatch(html, "onload='x'")
    t.notMatch(html.replace(/<meta[^>]*>/g, ''), /\b(?:src|href)="(?!#|data:)/)
    t.match(html, "default-src 'none'; img-src data:; style-src 'sha256-")
    t.match(html, '<title>2 of 6 cases failed, for 2 reasons: Node access service</title>')
    t.match(html, '(the beginning)')
    t.match(html, '3 more exchanges of this step are not in the report.')
    t.match(html, '<span class="verdict no-answer">without an answer</span>')
    t.match(html, '<p>known to ada until 2020-01-01</p>')
    for (const { id } of every.cases) t.match(html, `id="case:${id}"`)
    for (const { id } of every.rules) t.match(html, id)
  },
)

t.test('invisible characters appear only as their code in every format', async (t) => {
  for (const format of reportFormats.filter((format) => format !== 'json')) {
    const written = render(format, every)
    for (const unseen of ['\u0000', '\u001b', '\u202e', '\ud800']) t.notOk(written.includes(unseen), format)
  }
})

t.test('a successful page and an empty report have a clear headline', async (t) => {
  const headline = (given: Report) => /<p class="headline \w+">[^<]*/.exec(render('html', given))?.[0]
  const only = (verdict: Parameters<typeof result>[1]) => headline(report([result('a/b', verdict)]))
  t.equal(only('pass'), '<p class="headline good">All 1 case that ran passed')
  t.equal(only('known-fail'), '<p class="headline warn">No new failures; 1 failure already known')
  t.equal(only('no-answer'), '<p class="headline bad">1 case got no answer')
  t.equal(only('stale'), '<p class="headline bad">1 known failure must be removed from the list')
  t.equal(only('harness-error'), '<p class="headline bad">1 case could not be checked')
  t.equal(only('not-run'), '<p class="headline warn">No case was completed')
  const bare = report([], {
    rules: [],
    elements: [],
    target: { url: 'http://x/', network: undefined, head: undefined },
    mode: { allowed: ['read', 'write'], budget: null, perSecond: null, concurrency: 1 },
    requests: { http: 2, billed: 2, writes: 1, heldBack: 1, limited: 1, unanswered: 2 },
  })
  t.match(headline(bare), 'No case was completed')
  t.match(
    render('html', bare),
    'reading and write, no budget, 1 held back, limited 1 time, 2 without an answer',
  )
  t.match(render('tap', bare), '1..0')
  t.match(render('junit', bare), 'tests="0"')
})

t.test('a page stays below a megabyte, however many failures and bytes it describes', async (t) => {
  const body = 'x'.repeat(60_000)
  const large = { ...evidence, response: { status: 200, headers: {}, body, altered: undefined } }
  const cases = Array.from({ length: 600 }, (_, index) =>
    result(`group-${index % 20}/case-${index}`, index % 2 === 0 ? 'pass' : 'fail', {
      ...(index % 2 === 0 ? {} : { ...failure, cause: `cause ${index % 60}` }),
      evidence: [large, large, large],
    }),
  )
  const html = render('html', report(cases))
  t.ok(html.length < 1_200_000, `${html.length} characters`)
  t.match(html, 'characters more in the JSON report')
})

t.test('a report of the version before has no case that was given up, and is read', async (t) => {
  const { completeness: _, counts, ...rest } = report([result('a/b', 'pass')])
  const { 'gave-up': __, ...before } = counts
  const read = readReport(render('json', { ...rest, counts: before } as Report))
  t.match(read.counts, { pass: 1, 'gave-up': 0 })
  t.equal(read.completeness, undefined)
  t.match(render('tap', read), '# Completeness: 1 of 1 case judged')
})

t.test('the guide to the suite lists every format', async (t) => {
  const guide = readFileSync(new URL('../../../../conformance/README.md', import.meta.url), 'utf8')
  const [, table = ''] = /^\| format \|.*\n\|.*\n((?:\|.*\n)+)/m.exec(guide) ?? []
  t.same([...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name).sort(), [...reportFormats].sort())
})
