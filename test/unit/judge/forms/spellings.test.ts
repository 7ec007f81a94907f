import t, { type Test } from 'tap'
import type { JsonValue } from '../../../../src/runtime/rpc/index.js'
import { type Answer, type Call, startDeployment } from '../run/deployment.js'
import { libraryContract } from '../run/library-contract.js'
import { runSuite } from '../run/run-suite.js'

const { info, methods, components } = libraryContract
const selector = { name: 'issue', required: true, schema: { $ref: '#/components/schemas/Issue' } }

/** A magazine, whose issues have numbers and hashes. */
const contract = {
  ...libraryContract,
  info: {
    ...info,
    'x-head': { ...info['x-head'], method: 'issue', params: ['last'], moving: ['last'] },
  },
  methods: [
    ...methods,
    {
      name: 'issue',
      'x-effect': 'read',
      params: [selector],
      result: { name: 'issue', schema: { $ref: '#/components/schemas/Head' } },
    },
    {
      name: 'title',
      'x-effect': 'read',
      params: [selector],
      result: { name: 'title', schema: { type: 'string' } },
      errors: [{ code: -32001, message: 'No issue' }],
    },
  ],
  components: {
    ...components,
    schemas: {
      ...components.schemas,
      Issue: {
        'x-spellings': {
          values: ['${number}', '${hash}', { hash: '${hash}' }, 'first', 'last'],
          rules: ['books.title'],
        },
      },
    },
  },
}

/** Issues 0x1 to 0x5. */
function issueOf(value: unknown, last = 5): number | undefined {
  if (value === 'first') return 1
  if (value === 'last') return last
  const text = typeof value === 'string' ? value : (value as { readonly hash?: string } | undefined)?.hash
  const number = Number(text?.replace(/^0x[ab]+/, '0x'))
  return number >= 1 && number <= last ? number : undefined
}

function magazine({ method, params: [value] }: Call, last = 5): Answer {
  const number = issueOf(value, last)
  if (number === undefined) return { error: { code: -32001, message: 'No issue' } }
  return method === 'issue'
    ? { result: { number: `0x${number}`, hash: `0xaaaa${number}` } }
    : { result: `Issue ${number}` }
}

const caseOf = (rule: string, issue: string, number: number) => `
scenario: An issue has a title.
rule: ${rule}
steps:
  - call: title
    params: ['${issue}']
    expect: { result: Issue ${number} }
`
/** Cases with names of which each chooses another form. */
const named = (text: string) =>
  Object.fromEntries([...'abcdefghijklmnopqrst'].map((name) => [`shelf/${name}.yaml`, text]))

async function run(
  t: Test,
  answer: (call: Call) => Answer,
  files: Readonly<Record<string, string>>,
  learned: readonly string[] = ['first', '0x1'],
  only?: readonly string[],
) {
  const deployment = await startDeployment(t, answer)
  const learn = `
scenario: Issues are found.
rule: books.title
follows-head: true
steps:
${learned.map((value) => `  - { call: issue, params: ['${value}'], expect: { result: { $has: { number: { $pattern: ^0x } } } } }`).join('\n')}
`
  const report = await runSuite(
    t,
    deployment.url,
    { 'shelf/0.yaml': learn, ...files },
    { contract, ...(only && { only }) },
  )
  const titles = deployment.requests.flatMap(({ body, path, headers }) => {
    const { method, params } = JSON.parse(body) as {
      readonly method: string
      readonly params: readonly JsonValue[]
    }
    const isSecond = path.startsWith('/v2/')
    const isCompressed = headers['accept-encoding'] === 'gzip'
    return method === 'title' ? [{ value: JSON.stringify(params[0]), isSecond, isCompressed }] : []
  })
  const sent = titles.map(({ value }) => value)
  return { report, sent, titles, failed: report.cases.filter(({ verdict }) => verdict === 'fail') }
}

t.test('a number travels in each spelling whose hash or tag an answer showed, at no cost', async (t) => {
  const files = named(caseOf('shelf.length', '0x1', 1))
  const { report, sent, failed } = await run(t, magazine, files)
  t.same(failed, [])
  t.equal(sent.length, Object.keys(files).length)
  t.same(new Set(sent), new Set(['"0x1"', '"0xaaaa1"', '{"hash":"0xaaaa1"}', '"first"']))
  const forms = report.cases.flatMap(({ evidence: [first] }) => first?.form?.split(', ') ?? [])
  for (const words of ['by hash', 'by {hash}', 'by first']) t.ok(forms.includes(words), words)
  t.ok(report.coverage?.forms?.never.includes('by last'))
  const unlearned = await run(t, magazine, files, ['0x2'])
  t.same(new Set(unlearned.sent), new Set(['"0x1"']), 'nothing is known about this number')
})

t.test('each spelling travels over each path, with and without compression', async (t) => {
  const { titles } = await run(t, magazine, named(caseOf('shelf.length', '0x1', 1)))
  const pairs = titles.flatMap(({ value, isSecond, isCompressed }) => [
    `${value} ${isSecond ? 'over the second path' : 'over the first path'}`,
    `${value} ${isCompressed ? 'compressed' : 'plain'}`,
  ])
  t.equal(new Set(pairs).size, 16, 'four spellings')
})

t.test('a case alone travels in the spelling of the whole run', async (t) => {
  const files = named(caseOf('shelf.length', '0x1', 1))
  const formOf = ({ cases }: Awaited<ReturnType<typeof run>>['report'], id: string) =>
    cases.find((one) => one.id === id)?.evidence[0]?.form
  const { report } = await run(t, magazine, files)
  for (const id of ['shelf/d', 'shelf/e', 'shelf/f', 'shelf/g']) {
    const alone = await run(t, magazine, files, undefined, ['shelf/0', id])
    t.equal(formOf(alone.report, id), formOf(report, id), id)
  }
})

t.test('a mistake of one spelling fails in this form, and other forms miss it', async (t) => {
  const wrong = (call: Call) =>
    call.method === 'title' && typeof call.params[0] === 'object' ? { result: 'Issue 5' } : magazine(call)
  const { failed } = await run(t, wrong, named(caseOf('shelf.length', '0x1', 1)))
  t.ok(failed.length > 0)
  for (const { findings, evidence, cause } of failed) {
    t.match(findings[0], { where: 'form', got: /by \{hash\}/ })
    t.match(cause, /^shelf\.length.*by \{hash\}/)
    t.match(evidence.at(-1)?.request.body, /"hash":"0xaaaa1"/, 'the failing call is shown as it was sent')
    t.match(evidence.at(-1)?.curl, /"hash":"0xaaaa1"/)
  }
  const { failed: missed } = await run(t, wrong, named(caseOf('shelf.length', '0x1', 1)), ['0x2'])
  t.same(missed, [])
})

t.test('a case about spellings keeps its own', async (t) => {
  const { sent } = await run(t, magazine, named(caseOf('books.title', '0x1', 1)))
  t.same(new Set(sent), new Set(['"0x1"']))
})

t.test('the head travels as its number and hash, also if it moves', async (t) => {
  let last = 3
  const moving = (call: Call) => magazine(call, call.method === 'title' ? ++last : last)
  const text = caseOf('shelf.length', 'last', 4).replace('Issue 4', '{ $pattern: ^Issue }')
  const { sent, failed } = await run(t, moving, named(text))
  t.same(failed, [])
  t.same(new Set(sent), new Set(['"last"', '"0x3"', '"0xaaaa3"', '{"hash":"0xaaaa3"}']))
})

t.test('a hash that was replaced since is no failure', async (t) => {
  let isReplaced = false
  const replacing = (call: Call): Answer => {
    if (call.method !== 'title') {
      return isReplaced ? { result: { number: '0x1', hash: '0xbbbb1' } } : magazine(call)
    }
    isReplaced = true
    const isOld = JSON.stringify(call.params).includes('0xaaaa1')
    return isOld ? { error: { code: -32001, message: 'No issue' } } : magazine(call)
  }
  const { failed } = await run(t, replacing, named(caseOf('shelf.length', '0x1', 1)))
  t.same(failed, [])
})
