import t from 'tap'
import { isPackageName } from '../../../../../src/toolkit/codegen/index.js'

const rows: readonly (readonly [name: string, isValid: boolean])[] = [
  ['orders', true],
  ['@acme/orders', true],
  ['@acme/orders.v2_x', true],
  ['0-9~', true],
  ['x'.repeat(214), true],
  ['x'.repeat(215), false],
  ['', false],
  ['Orders', false],
  ['@acme', false],
  ['@/orders', false],
  ['@acme/', false],
  ['@acme/a/b', false],
  ['acme/orders', false],
  ['.orders', false],
  ['_orders', false],
  ['@acme/.orders', false],
  ['or ders', false],
  ["or'ders", false],
  ['orders\n', false],
  ['ördérs', false],
  ['node_modules', false],
  ['favicon.ico', false],
]

t.test("npm's rules for names of new packages", async (t) => {
  for (const [name, isValid] of rows) t.equal(isPackageName(name), isValid, JSON.stringify(name))
})
