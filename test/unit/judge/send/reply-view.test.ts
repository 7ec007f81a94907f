import t from 'tap'
import { replyView } from '../../../../src/judge/send/reply-view.js'

const view = (text: string | undefined) =>
  replyView({ status: 200, headers: {}, bytes: new Uint8Array(), text })

t.test('ids keep their notation, one for each response', async (t) => {
  const table: readonly [text: string | undefined, ids: readonly (string | undefined)[]][] = [
    ['{"id":1}', ['1']],
    ['{"id":12345678901234567890123}', ['12345678901234567890123']],
    ['{"id":1.0}', ['1.0']],
    ['{"id":"\\u0061"}', ['"\\u0061"']],
    ['{"id":1,"id":2}', ['2']],
    ['{"result":{"id":7}}', [undefined]],
    ['{}', [undefined]],
    ['[{"id":1},{"id":-0},{},null]', ['1', '-0', undefined, undefined]],
    ['[]', []],
    ['7', [undefined]],
    ['{"id":1', []],
    ['', []],
    [undefined, []],
  ]
  for (const [text, ids] of table) t.strictSame(view(text).ids, ids, String(text))
})

t.test('a body that is invalid JSON or nested too deeply has no responses', async (t) => {
  for (const text of [undefined, '', '{', 'nul', '\uFEFF{}', '['.repeat(1_000_000), '{"a":'.repeat(10_000)]) {
    t.equal(view(text).json, undefined, String(text).slice(0, 20))
  }
  t.strictSame(view('null').json, null)
  t.ok(view(`${'['.repeat(512)}${']'.repeat(512)}`).json)
})

t.test('members of a response never reach a prototype', async (t) => {
  const { json } = view('{"__proto__":{"result":1}}')
  t.equal((json as { readonly result?: unknown }).result, undefined)
})
