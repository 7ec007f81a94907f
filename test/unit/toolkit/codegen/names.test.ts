import fc from 'fast-check'
import t from 'tap'
import { emitClient } from '../../../../src/toolkit/codegen/emit/client/emit-client.js'
import { emitTypes } from '../../../../src/toolkit/codegen/emit/emit-types.js'
import { createSource } from '../../../../src/toolkit/codegen/index.js'
import { labelName, typeName } from '../../../../src/toolkit/codegen/types/identifiers.js'
import { typeNames } from '../../../../src/toolkit/codegen/types/type-names.js'
import { ContractError } from '../../../../src/toolkit/contract/index.js'
import { codePoint } from '../../../support/code-point.js'
import { contractOf, methodOf, tool } from './fixtures.js'

t.test('a name equals its key where possible', async (t) => {
  const rows: readonly [string, string][] = [
    ['Block', 'Block'],
    ['block', 'block'],
    ['$x', '$x'],
    ['a-b', 'a_b'],
    ['a - b', 'a_b'],
    ['9lives', '_9lives'],
    ['', '_'],
    ['日本', '日本'],
    ['Größe in m²', 'Größe_in_m_'],
    ['цена-1', 'цена_1'],
    ['٣', '_٣'],
    ['𝒳', '_'],
    ['a𝒳 b', 'a_b'],
    ['\u200d', '_'],
    ['\ud800x', '_x'],
    ['string', 'string_'],
    ['class', 'class_'],
    ['Promise', 'Promise'],
    ['eval', 'eval_'],
    ['__proto__', '__proto__'],
  ]
  for (const [key, want] of rows) t.equal(typeName(key), want)
  t.equal(labelName('Promise'), 'Promise')
  t.equal(labelName('function'), 'function_')
})

t.test('every key becomes an identifier', async () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (key) =>
      /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(typeName(key)),
    ),
  )
})

t.test('two schemas with the same generated name are an error that names both places', async (t) => {
  const collide = (schemas: Record<string, object>) =>
    typeNames(contractOf({ components: { schemas: schemas as never } }))
  try {
    collide({ 'a-b': {}, 'a b': {}, c: {} })
    t.fail('no error')
  } catch (error) {
    if (!(error instanceof ContractError)) throw error
    t.same(error.problems, [
      {
        pointer: '#/components/schemas/a b',
        message:
          'would get the type name "a_b", which #/components/schemas/a-b already has: rename one of them, or give one a name in generate.names of the project’s settings',
      },
    ])
  }
  t.throws(() => collide({ string: {}, string_: {} }), ContractError)
  t.throws(
    () =>
      collide({ A: { properties: { b: {} } }, A_b: {}, C: { $ref: '#/components/schemas/A/properties/b' } }),
    ContractError,
  )
  t.equal(collide({ Foo: {}, foo: {} }).size, 2, 'names may differ in case alone')
})

t.test('a title that equals the type name is not repeated', async (t) => {
  const schemas = { Pet: { title: 'Pet', type: 'string' }, Dog: { title: 'A dog', type: 'string' } }
  const types = emitTypes(createSource(contractOf({ components: { schemas } }), tool))?.content ?? ''
  t.match(types, '/** @see #/components/schemas/Pet */\nexport type Pet')
  t.match(types, '/**\n * A dog\n * @see #/components/schemas/Dog\n */\nexport type Dog')
})

t.test('names in any alphabet are imported where they are used', async (t) => {
  const schemas = {
    日本: { type: 'string' },
    Größe: { type: 'object', properties: { цена: { $ref: '#/components/schemas/日本' } } },
  }
  const result = { $ref: '#/components/schemas/Größe' }
  const params = [{ name: '日本', required: true, schema: { $ref: '#/components/schemas/日本' } }]
  const source = createSource(
    contractOf({ methods: [methodOf(params, result)], components: { schemas } }),
    tool,
  )
  t.match(emitTypes(source)?.content, "readonly 'цена'?: 日本")
  t.match(
    emitClient(source)?.content,
    "import type { Größe, Params, ResultOf, Results, SentResults, 日本 } from './types.js'",
  )
  t.match(
    emitClient(source)?.content,
    'readonly m: (日本: 日本, ...options: OptionsOf<Kind>) => Returned<Kind, Größe>',
  )
})
