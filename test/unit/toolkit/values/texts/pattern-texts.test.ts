import fc from 'fast-check'
import t from 'tap'
import { compilePattern, formats } from '../../../../../src/toolkit/contract/index.js'
import { createValues, seededValue } from '../../../../../src/toolkit/values/index.js'
import { formatTexts } from '../../../../../src/toolkit/values/texts/format-texts.js'
import { hasTexts, patternTexts } from '../../../../../src/toolkit/values/texts/pattern-texts.js'
import { runs } from '../../../../support/runs.js'
import { contractOf } from '../../codegen/fixtures.js'

const sampled = (texts: fc.Arbitrary<string> | undefined) =>
  texts === undefined ? undefined : fc.sample(texts, { seed: 1, numRuns: 40 })

const patterns: readonly string[] = [
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
  '^\\p{Lu}\\p{Script=Greek}\\P{L}$',
  '^[\\p{L}\\d]{3}$',
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
  '^(?:(?:(?:a*)*)*)*$',
  '^(?:(?:[a-z ]+)+)*!$',
]

t.test('texts of a pattern match it', async (t) => {
  for (const pattern of patterns) {
    const texts = sampled(patternTexts(pattern)) ?? []
    const matching = texts.filter((text) => compilePattern(pattern, 'u').test(text))
    // Lookarounds are left to the caller's check.
    const isTried = /\(\?<?[=!]/.test(pattern)
    const isGood = isTried ? matching.length > 5 : matching.length === 40
    t.ok(isGood, `${pattern}: ${JSON.stringify(texts[0])}`)
    t.ok(hasTexts(pattern))
  }
})

t.test('no text is made for patterns that fast-check cannot read or would never finish', async (t) => {
  const rows = [
    '^(a+)-\\1$',
    '^(?<word>[a-c]{2})\\k<word>$',
    '^(?!a(b)c)d$',
    '^[^\\x00-\\x7f]{2}$',
    '[^\\s\\S]',
    '^a{1000000000}$',
    '^(?:a{1000}){1000}$',
    '^(?:a?){1000000000}$',
    '^(?:(?:(?:(?:(?:(?:a*)*)*)*)*)*)*$',
  ]
  for (const pattern of rows) t.equal(hasTexts(pattern), false, pattern.slice(0, 40))
  t.ok(hasTexts(''), 'any text matches an empty pattern')
  t.ok(hasTexts('^(?!a(b)c)'), 'words match this one')
})

t.test('texts of a pattern have the length that is asked for', async (t) => {
  const rows: readonly (readonly [pattern: string, least: number, most: number])[] = [
    ['^[a-z]+$', 40, 40],
    ['^(?:ab)+$', 10, 11],
    ['^a{2,5}b{0,9}$', 14, 14],
    ['^(?:[a-z]{3}|[a-z]{7})$', 7, 7],
    ['^(?:[a-z]+\\.)+[a-z]{2,}$', 30, 32],
    ['^(?:a?b?)*$', 6, 9],
    ['^[a-f]{64}$', 2, 100],
  ]
  for (const [pattern, least, most] of rows) {
    const texts = patternTexts(pattern, { least, most })
    const found = texts && fc.sample(texts, { seed: 1, numRuns: runs(1_000) })
    const good = (found ?? []).filter(
      (text) => text.length >= least && text.length <= most && new RegExp(pattern).test(text),
    )
    t.ok(good.length > 3, `${pattern}: ${good.length}, such as ${good[0]}`)
  }
})

t.test('texts of random patterns match them', async (t) => {
  const atom = fc.constantFrom('a', '[b-d]', '\\d', '.', '\\w', '[^x]', '(?:ef|g)', '(h)', '\\.')
  const sign = fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?')
  const part = fc.tuple(atom, sign).map(([one, other]) => one + other)
  const sequence = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''))
  const choice = fc.array(sequence, { minLength: 1, maxLength: 3 }).map((all) => `^(?:${all.join('|')})$`)
  fc.assert(
    fc.property(choice, (pattern) => {
      const texts = sampled(patternTexts(pattern))
      return texts?.every((text) => compilePattern(pattern, 'u').test(text)) ?? false
    }),
    { numRuns: 30 },
  )
  t.pass('each of them')
})

t.test('texts of a format are of that format', async (t) => {
  for (const format of Object.keys(formats)) {
    const texts = sampled(formatTexts(format)) ?? ['none']
    t.same(
      texts.filter((text) => formats[format]?.(text) !== true),
      [],
      `${format}: ${texts[0]}`,
    )
  }
  t.equal(formatTexts('colour'), undefined)
  t.equal(formatTexts('constructor'), undefined)
})

t.test('a pattern that backtracks exponentially gives texts, and near misses end', (t) => {
  const A = { type: 'string', maxLength: 1000, pattern: '^(?:(?:x+)+)+$' }
  const contract = contractOf({ components: { schemas: { A } } })
  const [located] = contract.schemas
  if (located === undefined) throw new Error('no schema')
  const values = createValues(contract, { varied: true })
  t.match(seededValue(values.valid([located]), 'a'), /^x+$/)
  const { value } = seededValue(values.nearlyValid(located), 'a')
  t.notMatch(JSON.stringify(value), /^"x{1,1000}"$/)
  t.end()
})
