import t from 'tap'
import { createChecks } from '../../../../src/judge/index.js'
import type { JsonValue } from '../../../../src/toolkit/contract/index.js'
import { contractOf, shown } from './fixtures.js'

const checked = (schemas: { readonly [key: string]: JsonValue }, value: JsonValue) => {
  const checks = createChecks(contractOf({ components: { schemas } }))
  return shown(checks.schema('/components/schemas/Root', value))
}

t.test('300,000 errors of one value are reported by the first ten', async (t) => {
  const bounds = [1, 2, 3, 4, 5, 6].map((minimum) => ({ minimum }))
  const list = { type: 'array', items: { allOf: bounds } }
  const zeros = Array.from({ length: 49_000 }, () => 0)
  for (const Root of [list, { anyOf: [{ type: 'string' }, list] }]) {
    const problems = checked({ Root }, zeros)
    t.equal(problems.length, 10)
    t.equal(problems[0], '/0 must be at least 1')
  }
  const mistyped = checked({ Root: { items: { type: 'string', minimum: 1, not: {} } } }, zeros)
  t.equal(mistyped[0], '/0 must be text')
})

t.test('nested compositions are checked once a level', async (t) => {
  const Root = {
    anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/components/schemas/Root' } }],
  }
  let value: JsonValue = 1
  for (let depth = 0; depth < 60; depth++) value = [value]
  t.same(checked({ Root }, value), [`${'/0'.repeat(60)} must be text or a list of Root`])
})
