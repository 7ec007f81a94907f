import t from 'tap'
import { parseMessage } from '../../../src/rpc/index.js'

const DEPTH = 64
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

t.test('an unreadable body and a body that is nested too deeply are distinguished', async (t) => {
  const cases: { name: string; text: string; want: 'parseError' | 'tooDeep' | 'read' }[] = [
    { name: 'nothing', text: '', want: 'parseError' },
    { name: 'spaces', text: ' \n', want: 'parseError' },
    { name: 'half an object', text: '{"id":1', want: 'parseError' },
    { name: 'a byte order mark', text: '\ufeff{}', want: 'parseError' },
    { name: 'two values', text: '{}{}', want: 'parseError' },
    { name: 'single quotes', text: "{'id':1}", want: 'parseError' },
    { name: 'a comment', text: '{} // x', want: 'parseError' },
    { name: 'NaN', text: '{"id":NaN}', want: 'parseError' },
    { name: 'a raw line break in a string', text: '"\n"', want: 'parseError' },
    { name: 'closing brackets only', text: ']]]', want: 'parseError' },
    { name: 'an unclosed string', text: `"${'['.repeat(DEPTH + 1)}`, want: 'parseError' },
    { name: 'a backslash at the end', text: '"\\', want: 'parseError' },
    { name: 'a scalar', text: '7', want: 'read' },
    { name: 'space around', text: ' \t\r\n[] ', want: 'read' },
    { name: 'exactly at the depth limit', text: nested(DEPTH), want: 'read' },
    { name: 'one level deeper', text: nested(DEPTH + 1), want: 'tooDeep' },
    {
      name: 'one level deeper, by objects',
      text: `${'{"a":'.repeat(DEPTH + 1)}1${'}'.repeat(DEPTH + 1)}`,
      want: 'tooDeep',
    },
    { name: 'too deep and incomplete', text: '['.repeat(DEPTH + 1), want: 'tooDeep' },
    { name: 'brackets in a string', text: `"${'['.repeat(DEPTH + 1)}"`, want: 'read' },
    { name: 'brackets after an escaped quote', text: `"\\"${'{'.repeat(DEPTH + 1)}"`, want: 'read' },
    { name: 'brackets after an escaped backslash', text: `["\\\\",${nested(DEPTH)}]`, want: 'tooDeep' },
    { name: 'many side by side', text: `[${'[],'.repeat(DEPTH * 2)}[]]`, want: 'read' },
  ]
  for (const { name, text, want } of cases) {
    const message = parseMessage(text, DEPTH)
    t.equal(typeof message === 'string' ? message : 'read', want, name)
  }
})

t.test('values and members are counted before a body is parsed', async (t) => {
  const cases: { text: string; count: number }[] = [
    { text: '7', count: 1 },
    { text: '"a,b:{[7"', count: 1 },
    { text: '-1.5e+3', count: 1 },
    { text: '[]', count: 1 },
    { text: '{}', count: 1 },
    { text: '[1,-2,0.5,1e3,1E3,true,false,null,"",[],{}]', count: 12 },
    { text: ' [ 1 ,\t2\r\n, "3" ] ', count: 4 },
    { text: '{"a":1}', count: 3 },
    { text: '{"a":{"b":[true]},"c":"\\"d"}', count: 8 },
    { text: '{"a":1,"a":1}', count: 5 },
    { text: `[${'[],'.repeat(999)}[]]`, count: 1_001 },
    { text: `[${'0,'.repeat(999)}0]`, count: 1_001 },
    { text: `{${'"":0,'.repeat(999)}"":0}`, count: 2_001 },
  ]
  for (const { text, count } of cases) {
    t.type(parseMessage(text, DEPTH, count), 'object', `${text.slice(0, 50)} at the limit`)
    t.equal(parseMessage(text, DEPTH, count - 1), 'tooManyValues', `${text.slice(0, 50)} beyond the limit`)
    t.type(parseMessage(text, DEPTH), 'object', 'without a limit')
  }
  t.equal(parseMessage('['.repeat(9), 8, 9), 'tooDeep')
  t.equal(parseMessage('['.repeat(9), 9, 8), 'tooManyValues')
  t.equal(parseMessage('['.repeat(9), 9, 9), 'parseError')
})

t.test('5 MiB of opening brackets is refused without parsing and without recursion', async (t) => {
  const begun = process.cpuUsage()
  t.equal(parseMessage('['.repeat(5_242_880), DEPTH), 'tooDeep')
  t.ok(process.cpuUsage(begun).user < 100_000, 'within a tenth of a second of processor time')
})

t.test('ids keep their notation only where parsing would change it', async (t) => {
  const cases: { text: string; want: readonly (string | undefined)[] | undefined }[] = [
    { text: '{"id":1}', want: undefined },
    { text: '{"id":9007199254740991}', want: undefined },
    { text: '{"id":9007199254740992}', want: ['9007199254740992'] },
    { text: '{"id":-9007199254740993}', want: ['-9007199254740993'] },
    { text: '{"id":12345678901234567890123}', want: ['12345678901234567890123'] },
    { text: '{"id":-0}', want: ['-0'] },
    { text: '{"id":0}', want: undefined },
    { text: '{"id":1.0}', want: ['1.0'] },
    { text: '{"id":1e2}', want: ['1e2'] },
    { text: '{"id":1E2}', want: ['1E2'] },
    { text: '{"id":1e999}', want: ['1e999'] },
    { text: '{"id":true}', want: undefined },
    { text: '{"id":"1.0"}', want: undefined },
    { text: '{"id":1,"params":["a.b","E"]}', want: undefined },
    { text: '{"id":1,"params":[1.5]}', want: ['1'] },
    { text: ' { "id" : 1.0 } ', want: ['1.0'] },
    { text: '{"\\u0069\\u0064":1.0}', want: ['1.0'] },
    { text: '{"i\\u0064":1.0,"\\u0069\\u0064x":2}', want: ['1.0'] },
    { text: '{"id":1.0,"id":2}', want: ['2'] },
    { text: '{"id":2,"id":1.0}', want: ['1.0'] },
    { text: '{"params":{"id":1.5},"id":3}', want: ['3'] },
    { text: '{"id":3,"params":{"id":1.5}}', want: ['3'] },
    { text: '{"a":"\\"id\\":1.5","id":1.0}', want: ['1.0'] },
    { text: '{"a":[{"]":"}"}],"id":1.0}', want: ['1.0'] },
    {
      text: '[{"id":1},{"id":1.0},7,[{"id":5}],{},"x",{"id":-0}]',
      want: ['1', '1.0', undefined, undefined, undefined, undefined, '-0'],
    },
    { text: '[ {"id":1e0} , {"id" :\n2 } ]', want: ['1e0', '2'] },
    { text: '{"__proto__":{"id":1.0}}', want: undefined },
    { text: '[]', want: undefined },
    { text: '1.5', want: undefined },
    { text: `{"id":"${'\\ud800'.repeat(1_000)}"}`, want: undefined },
    { text: `{"id":"${'\\ud800'.repeat(1_001)}"}`, want: [`"${'\\ud800'.repeat(1_001)}"`] },
  ]
  for (const { text, want } of cases) {
    const message = parseMessage(text, DEPTH)
    t.same(typeof message === 'string' ? message : message.rawIds, want, text)
  }
})
