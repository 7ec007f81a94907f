import t from 'tap'
import { formats, type JsonObject, type JsonValue } from '../../../../src/toolkit/contract/index.js'
import {
  lengthsOutside,
  listedValues,
  listLength,
  numbersOutside,
  scalarsWithin,
} from '../../../../src/toolkit/values/index.js'

const letters = (count: number) => 'a'.repeat(count)
const digits = (count: number) => '1'.repeat(count)

t.test('numbers at the bounds of a schema, also where no whole number fits', async (t) => {
  const rows: readonly [JsonObject, readonly number[]][] = [
    [{ minimum: 5 }, [5, 6]],
    [{ minimum: 0.25 }, [0.25, 1.25]],
    [{ minimum: 0 }, [0, 1]],
    [{ exclusiveMinimum: 5 }, [6, 5.5]],
    [{ exclusiveMinimum: 0.25 }, [1.25, 0.75]],
    [{ exclusiveMinimum: 0, maximum: 0.75 }, [1, 0.5, 0.75]],
    [{ maximum: 9 }, [9]],
    [{ exclusiveMaximum: 9 }, [8, 8.5]],
    [{ exclusiveMaximum: -0.25 }, [-1.25, -0.75]],
    [{ multipleOf: 3 }, [3]],
    [{ type: 'integer' }, [1]],
    [{ type: 'number', minimum: -1 }, [-1, 0, 1]],
    [{ minimum: '5', maximum: null, multipleOf: [3] }, []],
    [{ type: 'boolean' }, []],
    [{}, []],
  ]
  for (const [schema, want] of rows) t.strictSame(scalarsWithin(schema), want, JSON.stringify(schema))
})

t.test('texts of the shortest length, of letters and of digits', async (t) => {
  const rows: readonly [JsonObject, readonly string[]][] = [
    [{ type: 'string' }, ['a', '1']],
    [{ minLength: 0 }, ['', '']],
    [{ minLength: 3 }, ['aaa', '111']],
    [{ type: 'string', minLength: 2 }, ['aa', '11', 'a', '1']],
    [{ minLength: 200 }, [letters(200), digits(200)]],
    [{ minLength: 201 }, []],
    [{ minLength: '3' }, []],
    [{ format: 'date', minLength: 1 }, ['2020-01-31', 'a', '1']],
    [{ format: 'unknown' }, []],
  ]
  for (const [schema, want] of rows) t.strictSame(scalarsWithin(schema), want, JSON.stringify(schema))
})

t.test('a text of each format has it, also where plain letters do not fit', async (t) => {
  t.ok(Object.keys(formats).length > 9)
  for (const [name, isValid] of Object.entries(formats)) {
    const samples = scalarsWithin({ format: name, type: 'string' })
    t.ok(samples.map(String).some(isValid), `${name}: ${samples.join(', ')}`)
  }
})

t.test('listed values begin with the constant', async (t) => {
  const rows: readonly [JsonObject | boolean, readonly JsonValue[]][] = [
    [{ const: 1, enum: [3, 4], examples: [2] }, [1, 2, 3, 4]],
    [{ const: null }, [null]],
    [{ const: false }, [false]],
    [{ enum: [null, 'a'] }, [null, 'a']],
    [{ examples: 'no list' }, []],
    [{}, []],
    [true, []],
    [false, []],
  ]
  for (const [schema, want] of rows) t.strictSame(listedValues(schema), want, JSON.stringify(schema))
})

t.test('lists have the least number of items, and one if none is stated', async (t) => {
  const rows: readonly [JsonObject, number | undefined][] = [
    [{ items: {} }, 1],
    [{ items: false }, 1],
    [{ prefixItems: [{}] }, 1],
    [{ items: {}, minItems: 0 }, 0],
    [{ minItems: 2 }, 2],
    [{ minItems: 200 }, 200],
    [{ minItems: 201 }, undefined],
    [{ minItems: '2', items: {} }, undefined],
    [{ maxItems: 2 }, undefined],
    [{}, undefined],
  ]
  for (const [schema, want] of rows) t.equal(listLength(schema), want, JSON.stringify(schema))
})

t.test('numbers just outside of schemas, each once', async (t) => {
  const rows: readonly [readonly JsonObject[], low: readonly number[], high: readonly number[]][] = [
    [[{ minimum: 1, maximum: 9 }], [0], [10]],
    [[{ exclusiveMinimum: 0.5, exclusiveMaximum: 1.5 }], [0.5], [1.5]],
    [[{ minimum: 0.5, maximum: 1.5 }], [-0.5], [2.5]],
    [[{ minimum: 1 }, { minimum: 3, exclusiveMinimum: 1 }, { minimum: 1 }], [0, 2, 1], []],
    [[{ maximum: 9 }, { exclusiveMaximum: 7 }], [], [10, 7]],
    [[{ minimum: '1', maximum: null }], [], []],
    [[], [], []],
  ]
  for (const [schemas, low, high] of rows)
    t.strictSame(numbersOutside(schemas), { low, high }, JSON.stringify(schemas))
})

t.test('lengths just outside of schemas, unless they are negative or too long', async (t) => {
  const rows: readonly [readonly JsonObject[], low: readonly number[], high: readonly number[]][] = [
    [[{ minLength: 2, maxLength: 9 }], [1], [10]],
    [[{ minLength: 1, maxLength: 0 }], [0], [1]],
    [[{ minLength: 0 }], [], []],
    [[{ maxLength: 99 }], [], [100]],
    [[{ maxLength: 100 }], [], []],
    [[{ maxLength: 101 }, { maxLength: 5 }, { maxLength: 5 }], [], [6]],
    [[{ minItems: 2, maxItems: 9 }], [], []],
  ]
  for (const [schemas, low, high] of rows)
    t.strictSame(lengthsOutside(schemas, 'Length', 100), { low, high }, JSON.stringify(schemas))
  t.strictSame(lengthsOutside([{ minItems: 2, maxItems: 9, minLength: 5 }], 'Items', 10), {
    low: [1],
    high: [10],
  })
})
