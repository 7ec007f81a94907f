import fc from 'fast-check'
import t from 'tap'
import { compilePattern, formats } from '../../../src/contract/index.js'
import { formatText } from '../../../src/mock/make/format-text.js'
import { parsePattern } from '../../../src/mock/make/parse-pattern.js'
import { patternText } from '../../../src/mock/make/pattern-text.js'
import { createRandom } from '../../../src/mock/make/random.js'

const anyLength = { least: 0, most: Number.POSITIVE_INFINITY }

const patterns: readonly string[] = [
  '',
  '^$',
  'plain',
  '^a|b|cd$',
  '^(?:a|bc){2,3}$',
  '^[A-Za-z_][A-Za-z0-9_.-]*$',
  '^0x([1-9a-f][0-9a-f]{0,31}|0)$',
  '^[^/]+/[^/]+$',
  '^\\d{3}-\\w+\\s\\S+$',
  '^\\D\\W$',
  '^.{5}$',
  '^\\.\\*\\?\\[\\]\\(\\)\\{\\}\\|\\^\\$\\\\\\/$',
  '^\\x41\\u0042\\u{43}\\n\\t\\cA\\0$',
  '^(a+)-\\1$',
  '^(?<word>[a-c]{2})(?<other>x)\\k<word>$',
  '^\\p{Lu}\\p{Script=Greek}\\P{L}$',
  '^[\\p{L}\\d]{3}$',
  '^[^\\x00-\\x7f]{2}$',
  '^[\\u4e00-\\u9fff]+$',
  '^a*?b+?c??d{2}?e{1,}?$',
  '^[\\w\\-\\:]+$',
  '^[\\]\\[-]+$',
  '\\bword\\b',
  '^(?=.*\\d)(?=.*[a-z]).{8,12}$',
  '^(?!abc)[a-c]{3}$',
  '^x(?<=x)y(?<!z)$',
  '^😀{3}$',
  '^{a}$',
  '^(((((((((x)))))))))$',
]

t.test('a generated text matches its pattern', async (t) => {
  for (const pattern of patterns) {
    const random = createRandom(pattern)
    const expression = compilePattern(pattern, 'u')
    const texts = Array.from({ length: 40 }, () => patternText(pattern, anyLength, random, false) ?? '')
    const matching = texts.filter((text) => expression.test(text))
    // Patterns with lookaround need trial and error.
    const isTried = /\(\?<?[=!]/.test(pattern)
    t.ok(
      isTried ? matching.length > 5 : matching.length === texts.length,
      `${pattern}: ${JSON.stringify(texts[0])}`,
    )
  }
})

t.test('a generated text has the requested length where the pattern allows it', async (t) => {
  const rows: readonly (readonly [pattern: string, least: number, most: number])[] = [
    ['^[a-z]+$', 40, 40],
    ['^(?:ab)+$', 10, 11],
    ['^a{2,5}b{0,9}$', 14, 14],
    ['^(?:[a-z]{3}|[a-z]{7})$', 7, 7],
    ['^(?:[a-z]+\\.)+[a-z]{2,}$', 30, 32],
    ['^(?:a?b?)*$', 6, 9],
  ]
  for (const [pattern, least, most] of rows) {
    const random = createRandom(pattern)
    const texts = Array.from({ length: 30 }, () => patternText(pattern, { least, most }, random, false) ?? '')
    const good = texts.filter(
      (text) => text.length >= least && text.length <= most && new RegExp(pattern).test(text),
    )
    t.ok(good.length > 3, `${pattern}: ${good.length} of ${texts.length}, such as ${good[0]}`)
  }
})

t.test('no pattern makes a text that is too long, or takes too long', async (t) => {
  const rows: readonly (readonly [pattern: string, isMade: boolean])[] = [
    ['^a{1000000000}$', false],
    ['^(?:a{1000}){1000}$', false],
    ['^(?:(?:){1000000000}){1000000000}$', true],
    ['^(?:a?){1000000000}$', true],
    [`${'('.repeat(5_000)}${')'.repeat(5_000)}`, false],
    ['^(?:(?:(?:a*)*)*)*$', true],
  ]
  for (const [pattern, isMade] of rows) {
    const text = patternText(pattern, anyLength, createRandom(pattern), false)
    t.equal(text !== undefined, isMade, pattern.slice(0, 40))
    t.ok((text ?? '').length < 100_000)
  }
})

t.test('an invalid pattern is refused', async (t) => {
  for (const text of ['(', ')', 'a)', '(?:a', '(?<n>']) t.equal(parsePattern(text), undefined, text)
})

t.test('for random patterns, generated texts match', async (t) => {
  const atom = fc.constantFrom('a', '[b-d]', '\\d', '.', '\\w', '[^x]', '(?:ef|g)', '(h)', '\\.')
  const sign = fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?')
  const part = fc.tuple(atom, sign).map(([one, other]) => one + other)
  const sequence = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''))
  const choice = fc.array(sequence, { minLength: 1, maxLength: 3 }).map((all) => `^(?:${all.join('|')})$`)
  fc.assert(
    fc.property(choice, fc.string(), fc.boolean(), (pattern, seed, isWide) => {
      const text = patternText(pattern, anyLength, createRandom(seed), isWide)
      return text !== undefined && compilePattern(pattern, 'u').test(text)
    }),
  )
  t.pass('each text')
})

t.test('a generated text of a format is valid', async (t) => {
  for (const format of Object.keys(formats)) {
    for (let at = 0; at < 50; at++) {
      const text = formatText(format, createRandom(`${format} ${at}`))
      if (text === undefined || formats[format]?.(text) !== true) t.fail(`${format}: ${text}`)
    }
    t.pass(`${format}: ${formatText(format, createRandom(format))}`)
  }
  t.equal(formatText('colour', createRandom('x')), undefined)
  t.equal(formatText('constructor', createRandom('x')), undefined)
})
