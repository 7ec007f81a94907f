import t from 'tap'
import { generate, generateFiles } from '../../../../src/toolkit/codegen/index.js'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { contractOf, fileOf, loadFixture, loadModules, loadValidators, methodOf, tool } from './fixtures.js'

const integer = { type: 'integer' }
const param = (name: string, schema: JsonValue = integer, required = true) => ({ name, schema, required })
const value = (name: string, given: JsonValue) => ({ name, value: given })
const example = (params: readonly JsonObject[], parts: JsonObject = { result: value('r', 1) }) => ({
  name: 'e',
  params,
  ...parts,
})

/** The extension with the data schema of an error. */
const dataSchema = {
  openrpcExtension: '0.0.0-development',
  name: 'x-data-schema',
  version: '1.0.0',
  restricted: ['errorObject'],
  schema: {},
}

/** The lines of a method's only example, or the reason why it was omitted. */
function shown(
  params: readonly JsonObject[],
  result: JsonValue,
  one: JsonObject,
  parts: JsonObject = {},
): string {
  const { result: kept, ...rest } = methodOf(params, result, { ...parts, examples: [one] })
  const method = parts['notification'] === true ? rest : { ...rest, result: kept ?? null }
  const { notification: _, ...clean } = method as JsonObject
  const { files, leftOut } = generate(contractOf({ methods: [clean], 'x-extensions': [dataSchema] }), tool)
  const [problem] = leftOut
  if (problem)
    return `${problem.pointer.replace('#/methods/0/examples/0', '')}: ${problem.message.slice('the example is omitted: '.length)}`
  const text = fileOf(files, 'examples.ts')
  return text
    .slice(text.indexOf("name: 'e',") + 10, text.indexOf('} as const'))
    .replaceAll(/\s+/g, ' ')
    .replace(/, \}, \], $/, '')
    .trim()
}

t.test('an example is shown as it is sent', async (t) => {
  const two = [param('a'), param('b', { type: 'string' }, false)]
  const rows: readonly [string, string, string][] = [
    [
      'by position',
      shown(two, integer, example([value('x', 1), value('y', 'z')])),
      "params: [1, 'z'], result: 1",
    ],
    [
      'its names tell',
      shown(two, integer, example([value('b', 'z'), value('a', 1)])),
      "params: [1, 'z'], result: 1",
    ],
    ['optional ones left out', shown(two, integer, example([value('a', 1)])), 'params: [1], result: 1'],
    [
      'by name',
      shown(two, integer, example([value('a', 1)]), { paramStructure: 'by-name' }),
      'params: { a: 1 }, result: 1',
    ],
    [
      'either, with a gap',
      shown([param('a', integer, false), param('b')], integer, example([value('b', 1)]), {
        paramStructure: 'either',
      }),
      'params: { b: 1 }, result: 1',
    ],
    ['without a result', shown(two, integer, example([value('a', 1)], {})), 'params: [1]'],
    [
      'a notification',
      shown(two, integer, example([value('a', 1)], {}), { notification: true }),
      'params: [1]',
    ],
    [
      'an error, whose parameters may be wrong',
      shown(two, integer, example([value('a', 'wrong')], { error: { code: 5, message: 'no' } }), {
        errors: [{ code: 5, message: 'No' }],
      }),
      "params: ['wrong'], error: { code: 5, message: 'no' }",
    ],
  ]
  for (const [title, given, want] of rows) t.equal(given, want, title)
})

t.test('an invalid example is omitted and reported with its place', async (t) => {
  const wait = { code: 5, message: 'Wait', 'x-data-schema': { type: 'object', required: ['seconds'] } }
  const failing = (error: JsonValue) => shown([], integer, example([], { error }), { errors: [wait] })
  const rows: readonly [string, string, string][] = [
    [
      'a parameter',
      shown([param('a')], integer, example([value('a', 'x')])),
      '/params/0/value: must be of the type integer',
    ],
    [
      'inside a parameter',
      shown([param('a', { items: integer })], integer, example([value('a', [1, 'x'])])),
      '/params/0/value/1: must be of the type integer',
    ],
    [
      'the result',
      shown([], integer, example([], { result: value('r', 'x') })),
      '/result/value: must be of the type integer',
    ],
    ['too many', shown([], integer, example([value('a', 1)])), ': has 1 parameters, but the method takes 0'],
    ['too few', shown([param('a')], integer, example([])), ': has no value for the required parameter "a"'],
    [
      'another name, by name',
      shown([param('a')], integer, example([value('b', 1)]), { paramStructure: 'by-name' }),
      '/params/0/value: the method has no parameter "b"',
    ],
    [
      'a gap in a list',
      shown([param('a', integer, false), param('b')], integer, example([value('b', 1)])),
      ': has no value for "a", but has one for a later parameter',
    ],
    [
      'a result of a notification',
      shown([], integer, example([]), { notification: true }),
      ': shows a result, but the method has none',
    ],
    [
      'an unknown error',
      failing({ code: 6, message: 'x' }),
      '/error: the method declares no error with the code 6',
    ],
    [
      'an error without code',
      failing({ message: 'x' }),
      '/error: is not an error object: it needs an integer "code" and a "message"',
    ],
    [
      'data of an error',
      failing({ code: 5, message: 'x', data: {} }),
      '/error: the error\'s data lacks the required member "seconds"',
    ],
    [
      'an object without declared members',
      shown(
        [param('a', { type: 'object', properties: { b: {} } })],
        integer,
        example([value('a', { c: 1 })]),
      ),
      '/params/0/value: valid, but not assignable to the TypeScript type of its schema: name its members, or its "type", in the schema',
    ],
    [
      'a scalar for a schema that describes only members',
      shown([param('a', { properties: { b: {} } })], integer, example([value('a', 5)])),
      '/params/0/value: valid, but not assignable to the TypeScript type of its schema: name its members, or its "type", in the schema',
    ],
  ]
  for (const [title, given, want] of rows) t.equal(given, want, title)
  const text = fileOf(
    generateFiles(
      contractOf({
        methods: [methodOf([], integer, { examples: [example([], { result: value('r', '\n*/x') })] })],
      }),
      tool,
    ),
    'examples.ts',
  )
  t.match(text, '    // Omitted: #/methods/0/examples/0/result/value must be of the type integer\n')
})

t.test('a contract without examples has no examples file', async (t) => {
  const { files } = generate(contractOf({ methods: [methodOf([])] }), tool)
  t.notOk(files.some(({ path }) => path === 'examples.ts' || path === 'links.ts'))
})

t.test('all shown examples are valid', async (t) => {
  for (const name of ['pet-store', 'namespaces', 'hostile']) {
    const contract = await loadFixture(name)
    if (!contract.methods.some(({ examples }) => examples.length > 0)) continue
    const [module] = await loadModules(contract, ['examples.ts'])
    const validators = await loadValidators(contract)
    type Shown = { readonly params: unknown; readonly result?: unknown; readonly error?: unknown }
    for (const [method, list] of Object.entries(module?.['examples'] as Record<string, readonly Shown[]>)) {
      for (const { params, result, error } of list) {
        if (error === undefined) t.same(validators[method]?.params(params), [], `${method}: parameters`)
        if (result !== undefined) t.same(validators[method]?.result(result), [], `${method}: result`)
      }
    }
  }
})
