import t from 'tap'
import { fillTemplate } from '../../../../src/cli/init/fill-template.js'

t.test('names, sections and their lines', async (t) => {
  const rows: readonly [template: string, filled: string][] = [
    ['a {{name}} b', 'a {{none}} b'],
    ['{{#yes}}a{{/yes}}{{^yes}}b{{/yes}}{{#no}}c{{/no}}{{^no}}d{{/no}}{{#none}}e{{/none}}', 'ad'],
    ['a\n{{#yes}}\nb\n{{/yes}}\n{{#no}}\nc\n{{/no}}\nd\n', 'a\nb\nd\n'],
    ['{{#no}}\na\n{{/no}}\n', ''],
    ['${name} { with: { a: 0 }}', '${name} { with: { a: 0 }}'],
  ]
  // A value with the notation of templates stays as it is.
  const values = { name: '{{none}}', none: '', yes: true, no: false }
  for (const [template, filled] of rows) t.equal(fillTemplate(template, values), filled)
  t.throws(() => fillTemplate('{{other}}', values), /unknown name other/)
})
