import fc from 'fast-check'
import t from 'tap'
import { labelName, typeName, typeNames } from '../../../src/codegen/type-names.js'
import { ContractError } from '../../../src/contract/index.js'
import { contractOf } from './fixtures.js'

t.test('a name is the key wherever that can be', async (t) => {
  const rows: readonly [string, string][] = [
    ['Block', 'Block'],
    ['block', 'block'],
    ['$x', '$x'],
    ['a-b', 'a_b'],
    ['a - b', 'a_b'],
    ['9lives', '_9lives'],
    ['', '_'],
    ['日本', '_'],
    ['string', 'string_'],
    ['class', 'class_'],
    ['Promise', 'Promise_'],
    ['__proto__', '__proto__'],
  ]
  for (const [key, want] of rows) t.equal(typeName(key), want)
  t.equal(labelName('Promise'), 'Promise')
  t.equal(labelName('function'), 'function_')
})

t.test('every key gives an identifier', async () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (key) => /^[A-Za-z_$][\w$]*$/.test(typeName(key))))
})

t.test('two schemas that would get one name are an error that names both places', async (t) => {
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
        message: 'would be called "a_b", as is #/components/schemas/a-b',
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
