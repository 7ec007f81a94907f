import fc from 'fast-check'
import t from 'tap'
import { compilePattern, isUnsafePattern } from '../../../src/contract/index.js'
import { linearMatcher } from '../../../src/contract/linear-matcher.js'
import { runs } from '../../support/runs.js'

/** Patterns of short texts, so that RegExp decides them quickly. */
const { pattern } = fc.letrec<{ pattern: string; part: string; group: string }>((tie) => ({
  pattern: fc
    .array(fc.array(tie('part'), { maxLength: 3 }), { minLength: 1, maxLength: 3 })
    .map((options) => options.map((parts) => parts.join('')).join('|')),
  part: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      '\\w',
      '\\D',
      '\\s',
      '\\u0061',
      '[\\ude00]',
      '\\.',
      '😀',
      '\\p{L}',
    ),
    fc.constantFrom('^', '$', '\\b', '\\B'),
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?=', '(?!', '(?<=', '(?<!', '(?<n>'), tie('pattern'))
      .map(([open, inner]) => `${open}${inner})`),
    fc
      .tuple(tie('group'), fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '+?', '{0}'))
      .map(([inner, count]) => `${inner}${count}`),
  ),
  group: fc.oneof(
    fc.constantFrom('a', '.', '[^a]', '\\w', '😀'),
    tie('pattern').map((inner) => `(${inner})`),
  ),
}))
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', ' ', '\n', '.', '1', 'é', '😀'), maxLength: 6 })

t.test('an unsafe pattern matches what RegExp matches', async () => {
  fc.assert(
    fc.property(
      pattern,
      fc.array(text, { maxLength: 6 }),
      fc.constantFrom('u', ''),
      (source, texts, flags) => {
        let expression: RegExp
        try {
          expression = new RegExp(source, flags)
        } catch {
          return // a group name that is used twice
        }
        const match = linearMatcher(source, flags)
        // V8 finds empty matches within a pair of surrogates, where ECMA-262 has no position.
        const findsEmpty = source.includes('\\B') || source.includes('(?')
        for (const one of findsEmpty ? texts.map((each) => each.replaceAll('😀', 'é')) : texts) {
          if (match(one) !== expression.test(one)) throw new Error(`${expression} ${JSON.stringify(one)}`)
        }
      },
    ),
    { numRuns: runs(8_000) },
  )
})

t.test('texts on which RegExp would not end are decided', async (t) => {
  const rows: readonly [pattern: string, text: string, isMatch: boolean][] = [
    ['^(?:(?:[a-z ]+)+)+!$', 'a'.repeat(2_000), false],
    ['^(?:(?:[a-z ]+)+)+!$', `${'a'.repeat(2_000)}!`, true],
    ['(?=(x+x+)+y)x', 'x'.repeat(2_000), false],
    ['(?<=(x+x+)+y)x', 'x'.repeat(2_000), false],
    ['^(?:\\w*){1000000}$', '-'.repeat(60), false],
    ['(.*)*😀{3}', '😀'.repeat(60), true],
    ['\\-(a*)*$', `-${'a'.repeat(60)}b`, false],
  ]
  for (const [source, one, isMatch] of rows) {
    t.ok(isUnsafePattern(source), source)
    t.equal(compilePattern(source, 'u').test(one), isMatch, source)
  }
})

t.test('an unsafe pattern with backreferences is refused', async (t) => {
  t.throws(() => compilePattern('^(a+)+\\1$', 'u'), { message: /backreferences/ })
})
