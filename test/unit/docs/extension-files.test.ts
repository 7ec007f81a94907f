import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import t from 'tap'
import type { JsonObject } from '../../../src/toolkit/contract/index.js'
import { extensionFiles } from '../../../src/toolkit/lint/extension-files.js'
import { ownExtensions } from '../../../src/toolkit/lint/own-extensions.js'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const files = extensionFiles()
const guide = files['docs/extensions.md'] ?? ''
const schema = JSON.parse(files['docs/openrpc.schema.json'] ?? '') as JsonObject
const ajv = new Ajv({ strict: false, validateFormats: false })
const validate = ajv.compile(schema)

t.test('the guide and the schema for editors are current (npm run generate)', async (t) => {
  for (const [path, text] of Object.entries(files)) t.equal(read(path), text, path)
})

t.test('the example of each extension has its form, and is in the guide', async (t) => {
  const examples = [...guide.matchAll(/^```json\n(.*?)\n```$/gms)].map(([, json = '']) => JSON.parse(json))
  for (const { name, example, schema: form } of ownExtensions) {
    t.ok(ajv.validate(form as JsonObject, example), name)
    t.ok(
      examples.some((shown) => JSON.stringify(shown) === JSON.stringify({ [name]: example })),
      name,
    )
  }
})

t.test('the schema accepts the contracts of the repository', async (t) => {
  const examples = ['examples/backend/openrpc.json', 'test/fixtures/contracts/shared-errors.json']
  for (const path of ['openrpc.json', ...examples]) t.ok(validate(JSON.parse(read(path))), path)
})

t.test('the schema refuses wrong values of extensions, without fetching anything', async (t) => {
  const method = { name: 'm', params: [], result: { name: 'r', schema: {} } }
  const document = (parts: object, info: object = {}) => ({
    ...{ openrpc: '1.3.2', info: { title: 'T', version: '1.0.0', ...info } },
    methods: [{ ...method, ...parts }],
  })
  t.ok(validate(document({ 'x-effect': 'read', 'x-own': 1 })))
  t.notOk(validate(document({ 'x-effect': 'reads' })))
  t.notOk(validate(document({ errors: [{ code: 1, message: 'm', 'x-http-status': 99 }] })))
  t.ok(validate(document({ errors: [{ code: 1, message: 'm', 'x-http-status': 429 }] })))
  t.notOk(validate(document({}, { 'x-limits': { bodyBytes: 5 } })))
  t.notOk(validate(document({ params: [{ name: 'p', schema: { type: 'text' } }] })))
  const elsewhere = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"#][^"]*)"/g)].map(([, to]) => to)
  t.same([...new Set(elsewhere)], ['http://json-schema.org/draft-07/schema#'])
})
