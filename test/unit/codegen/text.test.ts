import fc from 'fast-check'
import t from 'tap'
import { code } from '../../../src/codegen/schema-notes.js'
import { docComment, literal, literalKey, memberName, oneLine, quote } from '../../../src/codegen/text.js'
import type { JsonValue } from '../../../src/contract/index.js'

/** Evaluates generated text as JavaScript would read it. */
const evaluate = (text: string): unknown => new Function(`'use strict'; return (${text})`)()

t.test('any string, quoted, is that string, in ASCII quotes and one line', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const quoted = quote(text)
      return evaluate(quoted) === text && /^'.*'$/.test(quoted) && !/[\n\r\u2028\u2029]/.test(quoted)
    }),
  )
})

t.test('any JSON value, written as a literal, is that value, with its own members only', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as JsonValue
      return JSON.stringify(evaluate(literal(plain))) === JSON.stringify(plain)
    }),
  )
  const hostile = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"a b":[]}') as JsonValue
  const back = evaluate(literal(hostile)) as Record<string, unknown>
  t.same(Object.keys(back), ['__proto__', 'constructor', 'a b'])
  t.equal(Object.getPrototypeOf(back), Object.prototype)
})

t.test('names of members', async (t) => {
  t.equal(memberName('a_1$'), 'a_1$')
  t.equal(memberName('1'), "'1'")
  t.equal(memberName(''), "''")
  t.equal(literalKey('__proto__'), "['__proto__']")
})

t.test('no text ends its comment', async (t) => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('*', '/', '\\', '\n', '\r', '\u2028', 'a', '@', '`') }),
      (text) => {
        const comment = docComment([text, text])
        return comment === '' || (comment.indexOf('*/') === comment.length - 3 && comment.startsWith('/**'))
      },
    ),
  )
  t.equal(docComment([]), '')
  t.equal(docComment([undefined, ' ']), '')
  t.equal(docComment(['one']), '/** one */\n')
  t.equal(docComment(['one\r\n\r\ntwo\u0000', '@x']), '/**\n * one\n *\n * two\n * @x\n */\n')
  t.equal(docComment(['a */ b']), '/** a *\\/ b */\n')
})

t.test('code spans and single lines', async (t) => {
  t.equal(code('a'), '`a`')
  t.equal(code('a`b``c'), '``` a`b``c ```')
  t.equal(oneLine(' a\n\u2028b\t c\u0007 '), 'a b c')
})
