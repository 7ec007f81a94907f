import fc from 'fast-check'
import t from 'tap'
import { readTemplate, type Template } from '../../../../src/toolkit/codegen/emit/runtime-expressions.js'
import type { JsonValue } from '../../../../src/toolkit/contract/index.js'
import { runs } from '../../../support/runs.js'

/** Short form of a template: expressions as `<root path>`, constants unchanged. */
function short(template: Template | string): unknown {
  if (typeof template === 'string') return { unread: template }
  if ('constant' in template) return template.constant
  if ('expression' in template)
    return `<${template.expression.root} ${JSON.stringify(template.expression.path)}>`
  if ('text' in template)
    return template.text
      .map((part) => (typeof part === 'string' ? part : short({ expression: part })))
      .join('|')
  if ('list' in template) return template.list.map(short)
  return Object.fromEntries(template.members.map(([name, item]) => [name, short(item)]))
}

t.test('valid and invalid expressions', async (t) => {
  const rows: readonly [JsonValue, unknown][] = [
    ['${result}', '<result []>'],
    ['${result.owner.name}', '<result ["owner","name"]>'],
    ['${ result . owner }', '<result ["owner"]>'],
    ['${result[0].id}', '<result [0,"id"]>'],
    [`\${result['a b']["c'd"].e-f}`, '<result ["a b","c\'d","e-f"]>'],
    ['${result.0}', '<result ["0"]>'],
    ['${result.__proto__}', '<result ["__proto__"]>'],
    ['${params.id}', '<params ["id"]>'],
    ['$result.owner', '<result ["owner"]>'],
    ['$params.a', '<params ["a"]>'],
    ['/users/${result.id}/x', '/users/|<result ["id"]>|/x'],
    ['${result.a}${params.b}', '<result ["a"]>|<params ["b"]>'],
    ['plain', 'plain'],
    ['', ''],
    ['$', '$'],
    ['$resultant', '$resultant'],
    ['$result of it', '$result of it'],
    ['a $result.b', 'a $result.b'],
    ['${params}', { unread: '${params}' }],
    ['${params[0]}', { unread: '${params[0]}' }],
    ['${results.a}', { unread: '${results.a}' }],
    ['${result..a}', { unread: '${result..a}' }],
    ['${result.a(1)}', { unread: '${result.a(1)}' }],
    ['${result', { unread: '${result' }],
    ['${process.exit()}', { unread: '${process.exit()}' }],
    ['a ${result.a} ${', { unread: ' ${' }],
    [5, 5],
    [null, null],
    [
      { a: 1, b: [true] },
      { a: 1, b: [true] },
    ],
    [
      { a: { b: '${result.c}' }, d: [1, '${params.e}'] },
      { a: { b: '<result ["c"]>' }, d: [1, '<params ["e"]>'] },
    ],
    [{ a: ['${nothing}'] }, { unread: '${nothing}' }],
  ]
  for (const [value, want] of rows) t.same(short(readTemplate(value)), want, JSON.stringify(value))
})

t.test('any value is parsed, and one without expressions stays unchanged', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as JsonValue
      const text = JSON.stringify(plain)
      return text.includes('$') || JSON.stringify(short(readTemplate(plain))) === text
    }),
  )
  const near = fc.array(fc.constantFrom('$', '{', '}', 'result', 'params', '.', '[', ']', "'", 'a', '0', ' '))
  fc.assert(
    fc.property(near, (parts) => readTemplate(parts.join('')) !== undefined),
    { numRuns: runs(2000) },
  )
})
