import fc from 'fast-check'
import t from 'tap'
import { code, literal, literalKey, quote } from '../../../../src/toolkit/codegen/index.js'
import { docComment, memberName } from '../../../../src/toolkit/codegen/text.js'
import type { JsonValue } from '../../../../src/toolkit/contract/index.js'
import { oneLine } from '../../../../src/toolkit/text/index.js'
import { codePoint } from '../../../support/code-point.js'

/** Evaluates generated text as JavaScript. */
const evaluate = (text: string): unknown => new Function(`'use strict'; return (${text})`)()

t.test('any quoted string evaluates to itself, in ASCII quotes and one line', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (text) => {
      const quoted = quote(text)
      return evaluate(quoted) === text && /^(['"]).*\1$/.test(quoted) && !/[\n\r\u2028\u2029]/.test(quoted)
    }),
  )
  t.equal(quote('plain'), "'plain'")
  t.equal(quote("the node's"), '"the node\'s"')
  t.equal(quote('both \' and "'), "'both \\' and \"'")
})

t.test('any JSON value written as a literal evaluates to itself, with own members only', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as JsonValue
      return JSON.stringify(evaluate(literal(plain))) === JSON.stringify(plain)
    }),
  )
  t.equal(evaluate(literal(JSON.parse('1e400'))), Number.POSITIVE_INFINITY)
  t.equal(evaluate(literal(JSON.parse('-1e400'))), Number.NEGATIVE_INFINITY)
  const hostile = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"a b":[]}') as JsonValue
  const back = evaluate(literal(hostile)) as Record<string, unknown>
  t.same(Object.keys(back), ['__proto__', 'constructor', 'a b'])
  t.equal(Object.getPrototypeOf(back), Object.prototype)
})

t.test('member names are quoted where necessary', async (t) => {
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
  t.equal(docComment(['@ts-ignore']), '/**\n * @ts-ignore\n */\n', 'no directive for the compiler')
})

t.test('long text in a comment is wrapped without changes', async (t) => {
  const words = (length: number, word = 'word') => Array.from({ length }, () => word).join(' ')
  const rows: readonly [string, readonly string[]][] = [
    [words(30), [words(21), words(9)]],
    [`- list: ${words(30)}`, [`- list: ${words(19)}`, `  ${words(11)}`]],
    [`${words(19)} \`code of several words\` end`, [`${words(19)} \`code of several words\``, 'end']],
    [words(40, '@tag'), [words(40, '@tag')]],
    [`${words(21)} - no list, # no heading`, [`${words(21)} -`, 'no list, # no heading']],
    [`| ${words(30)} |`, [`| ${words(30)} |`]],
    [`\`\`\`\n${words(30)}\n\`\`\``, ['```', words(30), '```']],
    ['x'.repeat(200), ['x'.repeat(200)]],
  ]
  for (const [text, lines] of rows) {
    const want =
      lines.length === 1
        ? `/** ${lines[0]} */\n`
        : `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`
    t.equal(docComment([text]), want)
  }
})

t.test('code spans and single lines', async (t) => {
  t.equal(code('a'), '`a`')
  t.equal(code('a`b``c'), '``` a`b``c ```')
  t.equal(oneLine(' a\n\u2028b\t c\u0007 '), 'a b c')
})
