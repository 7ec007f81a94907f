import { join } from 'node:path'
import t from 'tap'
import { ContractError, type JsonValue, loadContract } from '../../../../../src/toolkit/contract/index.js'
import { contractOf, documentOf, inFolder, methodOf, write } from '../../codegen/fixtures.js'

/** The problems of a schema in another file, which the meta-schema does not check. */
async function problems(schema: JsonValue): Promise<readonly string[]> {
  return inFolder(async (dir) => {
    const document = documentOf({ methods: [methodOf([], { $ref: 'other.json#/X' })] })
    await write(dir, { path: 'openrpc.json', content: JSON.stringify(document) })
    await write(dir, { path: 'other.json', content: JSON.stringify({ X: schema }) })
    try {
      await loadContract(join(dir, 'openrpc.json'))
      return []
    } catch (error) {
      if (!(error instanceof ContractError)) throw error
      return error.problems.map(({ pointer, message }) => `${pointer}: ${message}`)
    }
  })
}

t.test('an invalid keyword is an error at its place, in every file', async (t) => {
  const rows: readonly [JsonValue, readonly string[]][] = [
    [{ type: 'string', minLength: 0, pattern: '' }, []],
    [{ type: ['string', 'null'], enum: [], nullable: true }, []],
    [
      { items: [{}], dependencies: { a: ['b'], c: {}, d: true }, properties: { type: {}, required: true } },
      [],
    ],
    [
      { type: 'foo' },
      [
        '/type: "type" must be "null", "boolean", "object", "array", "number", "string", "integer", or a list of these',
      ],
    ],
    [{ type: [] }, ['/type: "type" must be ']],
    [{ exclusiveMinimum: true }, ['/exclusiveMinimum: "exclusiveMinimum" must be a number']],
    [{ required: true }, ['/required: "required" must be a list of names']],
    [{ enum: 'a' }, ['/enum: "enum" must be a list of values']],
    [{ items: [] }, ['/items: "items" must be a schema or a list of schemas']],
    [{ minLength: -1 }, ['/minLength: "minLength" must be a non-negative integer']],
    [{ maxItems: 1.5 }, ['/maxItems: "maxItems" must be a non-negative integer']],
    [{ properties: [] }, ['/properties: "properties" must be an object of schemas']],
    [{ properties: { a: 5 } }, ['/properties: "properties" must be an object of schemas']],
    [{ anyOf: [] }, ['/anyOf: "anyOf" must be a list of at least one schema']],
    [{ allOf: {} }, ['/allOf: "allOf" must be a list of at least one schema']],
    [{ not: [] }, ['/not: "not" must be a schema']],
    [{ multipleOf: 0 }, ['/multipleOf: "multipleOf" must be a number greater than 0']],
    [
      { dependencies: { a: 5 } },
      ['/dependencies: "dependencies" must be an object of schemas and lists of names'],
    ],
    [{ nullable: 'yes' }, ['/nullable: "nullable" must be true or false']],
    [{ $ref: 5 }, ['/$ref: "$ref" must be a string']],
    [{ allOf: [{ items: { minimum: '5' } }] }, ['/allOf/0/items/minimum: "minimum" must be a number']],
    [
      { pattern: 5, format: {} },
      ['/pattern: "pattern" must be a string', '/format: "format" must be a string'],
    ],
  ]
  for (const [schema, want] of rows) {
    const found = await problems(schema)
    t.equal(found.length, want.length, String(JSON.stringify(schema)))
    for (const [at, text] of want.entries())
      t.ok(found[at]?.startsWith(`other.json#/X${text}`), String(found[at]))
  }
})

t.test('a reference to a place that is not a schema is an error', async (t) => {
  const components = {
    schemas: { A: { properties: { a: {} } } },
    errors: { E: { code: 1, message: 'x' } },
    contentDescriptors: { D: { name: 'd', schema: {} } },
  }
  const load = ($ref: string) =>
    contractOf({ methods: [methodOf([{ name: 'p', schema: {} }], { items: { $ref } })], components })
  const others = ['#', '#/info', '#/methods', '#/methods/0', '#/methods/0/params', '#/methods/0/params/0']
  for (const ref of [
    ...others,
    '#/methods/0/result',
    '#/components',
    '#/components/schemas',
    '#/components/errors/E',
    '#/components/contentDescriptors/D',
  ])
    t.throws(() => load(ref), { message: `#/methods/0/result/schema/items: "${ref}" is not a schema` }, ref)
  for (const ref of [
    '#/components/schemas/A',
    '#/components/schemas/A/properties/a',
    '#/methods/0/params/0/schema',
    '#/methods/0/result/schema',
    '#/components/contentDescriptors/D/schema',
  ])
    t.doesNotThrow(() => load(ref), ref)
})
