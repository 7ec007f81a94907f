import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { type JsonValue, parseContract } from '../../../../src/toolkit/contract/index.js'
import { lintContract, lintRules } from '../../../../src/toolkit/lint/index.js'
import { runs } from '../../../support/runs.js'
import { fixturePath, inFolder, write } from '../codegen/fixtures.js'
import { extensionRows } from './extension-rows.js'
import { type Files, methods, result } from './lint-documents.js'
import { ruleRows } from './rule-rows.js'
import { schemaRuleRows } from './schema-rule-rows.js'

/** The findings in a document and its files, one line each. */
async function problems(document: JsonValue | string, files: Files = {}) {
  return inFolder(async (dir) => {
    const content = typeof document === 'string' ? document : JSON.stringify(document, null, 2)
    await write(dir, { path: 'openrpc.json', content })
    for (const [path, text] of Object.entries(files)) await write(dir, { path, content: text })
    const found = await lintContract(join(dir, 'openrpc.json'))
    return found.map(({ rule, severity, pointer, message }) => `${severity} ${rule} ${pointer}: ${message}`)
  })
}

const rows = [...ruleRows, ...schemaRuleRows, ...extensionRows]

t.test('each rule reports its own mistakes and nothing else', async (t) => {
  for (const [name, document, want, files] of rows) {
    const found = await problems(document, files)
    t.same(
      found.map((line, at) => line.slice(0, want[at]?.length)),
      want,
      name,
    )
  }
})

t.test('lint reports the mistakes of any damaged document and never fails', async (t) => {
  const whole: JsonValue = JSON.parse(await readFile(fixturePath('pet-store'), 'utf8'))
  const broken = fc
    .tuple(fc.infiniteStream(fc.nat()), fc.jsonValue({ maxDepth: 2 }))
    .map(([choices, value]) => replaced(whole, choices, value as JsonValue))
  await fc.assert(
    fc.asyncProperty(broken, async (document) => {
      const found = await problems(document)
      t.ok(found.length > 0 || isDeepStrictEqual(parseContract(JSON.stringify(document)).document, document))
    }),
    { numRuns: runs(25) },
  )
})

/** A document with a replaced value, at most five levels deep. */
function replaced(whole: JsonValue, choices: Iterator<number>, value: JsonValue, depth = 5): JsonValue {
  const keys = typeof whole === 'object' && whole !== null ? Object.keys(whole) : []
  const key = keys[(choices.next().value ?? 0) % keys.length]
  if (depth === 0 || key === undefined) return value
  const copy = structuredClone(whole) as { [name: string]: JsonValue }
  copy[key] = replaced(copy[key] ?? null, choices, value, depth - 1)
  return copy
}

t.test('a slow machine reports no pattern as unsafe', async (t) => {
  let time = 0
  // Each reading of this clock is an hour later.
  t.intercept(Date, 'now', { value: () => (time += 3_600_000) })
  t.same(await problems(methods(result({ type: 'string', pattern: '^0x(0|[1-9a-f][0-9a-f]{0,63})$' }))), [])
})

t.test('every rule has a test here', async (t) => {
  const tried = new Set(rows.flatMap(([, , want]) => want.map((line) => line.split(' ')[1])))
  t.same(
    lintRules.map(({ name }) => name).filter((name) => !tried.has(name)),
    [],
  )
})

t.test('rule names are unique, and each rule has a description', async (t) => {
  t.equal(new Set(lintRules.map(({ name }) => name)).size, lintRules.length)
  for (const { name, summary } of lintRules) t.match(summary, /^[A-Z].*\.$/, name)
})

t.test('findings have line and column in their own file', async (t) => {
  await inFolder(async (dir) => {
    await write(dir, {
      path: 'openrpc.yaml',
      content: `openrpc: 1.3.2
info: { title: T, version: '1' }
methods:
  - name: m
    params: []
    errors: [{ code: 1, message: x }]
    examples: [{ name: e, params: [], result: { name: r, value: 5 } }]
    result: { name: r, schema: { $ref: 'parts/text.json#/Text' } }
`,
    })
    await write(dir, {
      path: 'parts/text.json',
      content: '{\n  "Text": { "type": "string",\n    "minLenght": 1 }\n}',
    })
    const found = await lintContract(dir)
    t.same(
      found.map(({ rule, file, line, column }) => [rule, file, line, column]),
      [
        ['example-violates-schema', '', 7, 65],
        ['unknown-keyword', 'parts/text.json', 3, 18],
      ],
    )
  })
})
