import fc from 'fast-check'
import t from 'tap'
import { emitValidators } from '../../../../src/toolkit/codegen/validators/emit-validators.js'
import { compilePattern, isUnsafePattern } from '../../../../src/toolkit/contract/index.js'
import { linearPattern, patternTree } from '../../../../src/toolkit/contract/linear-matcher.js'
import { runs } from '../../../support/runs.js'
import { contractOf, emitted, loadValidators, methodOf } from '../codegen/fixtures.js'

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

/** The matcher that validators.js contains if a schema needs it. */
async function generatedMatcher(): Promise<typeof linearPattern> {
  const contract = contractOf({ methods: [methodOf([{ name: 'a', schema: { pattern: '^(a+)+$' } }])] })
  const code = `${emitted(emitValidators, contract)}export { linearPattern }`
  return (await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)).linearPattern
}

t.test('an unsafe pattern matches what RegExp matches, also in generated code', async () => {
  const generated = await generatedMatcher()
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
        const tree = patternTree(source, flags)
        const [own, other] = [linearPattern(tree, flags), generated(tree, flags)]
        // V8 finds empty matches within a pair of surrogates, where ECMA-262 has no position.
        const findsEmpty = source.includes('\\B') || source.includes('(?')
        for (const one of findsEmpty ? texts.map((each) => each.replaceAll('😀', 'é')) : texts) {
          const isMatch = expression.test(one)
          if (own.test(one) !== isMatch || other.test(one) !== isMatch)
            throw new Error(`${expression} ${JSON.stringify(one)}`)
        }
      },
    ),
    { numRuns: runs(8_000) },
  )
})

/** Length of texts for which RegExp needs minutes even where its time grows with the square only. */
const long = 300_000

t.test('texts on which RegExp would not end are decided, also by generated validators', async (t) => {
  const rows: readonly [pattern: string, text: string, isMatch: boolean][] = [
    ['^(?:(?:[a-z ]+)+)+!$', 'a'.repeat(long), false],
    ['^(?:(?:[a-z ]+)+)+!$', `${'a'.repeat(long)}!`, true],
    ['(?=(x+x+)+y)x', 'x'.repeat(long), false],
    ['(?<=(x+x+)+y)x', 'x'.repeat(long), false],
    ['^(?:\\w*){1000000}$', '-'.repeat(60), false],
    ['(.*)*😀{3}', '😀'.repeat(60), true],
    ['\\-(a*)*$', `-${'a'.repeat(60)}b`, false],
    ['^(?<name>a+)+$', `${'a'.repeat(long)}b`, false],
    ['^(\\p{L}+)+$', `${'é'.repeat(long)}1`, false],
    ['[a-z]+!', 'a'.repeat(long), false],
    ['^0x([1-9a-f]+[0-9a-f]*|0)$', `0x${'1'.repeat(long)}g`, false],
  ]
  const patterns = [...new Set(rows.map(([source]) => source))]
  const schemaOf = (source: string) => ({ type: 'string', pattern: source })
  const contract = contractOf({
    methods: [methodOf(patterns.map((source, at) => ({ name: `p${at}`, schema: schemaOf(source) })))],
  })
  const validators = await loadValidators(contract)
  for (const [source, one, isMatch] of rows) {
    t.ok(isUnsafePattern(source), source)
    t.equal(compilePattern(source, 'u').test(one), isMatch, source)
    const params = patterns.map((other) => (other === source ? one : undefined))
    t.equal(validators['m']?.params(params).length, isMatch ? 0 : 1, source)
  }
})

t.test('names of members are matched in linear time, too', async (t) => {
  const schema = {
    type: 'object',
    patternProperties: { '^(a+)+$': { type: 'null' } },
    propertyNames: { pattern: '(b*)*$' },
    additionalProperties: false,
  }
  const validators = await loadValidators(contractOf({ methods: [methodOf([{ name: 'a', schema }])] }))
  const problemsOf = (name: string) =>
    validators['m']?.params([{ [name]: null }]).map(({ path, rule }) => `${path} ${rule}`)
  t.same(problemsOf('aaa'), [])
  t.same(problemsOf(`${'a'.repeat(100_000)}!`), ['/0 additionalProperties'])
})

t.test('patterns whose time grows linearly are left to RegExp', async (t) => {
  for (const source of [
    '^0x[0-9a-f]+$',
    '^(?:a|b+c)',
    '[0-9]{4}',
    'abc',
    '^a*!',
    '^(a|b)*$',
    '^[a-z]+(-[a-z]+)*$',
    '(',
  ])
    t.notOk(isUnsafePattern(source), source)
})

t.test('texts are tested by RegExp where a group of a few characters is repeated', async (t) => {
  const isOfRegExp = (source: string) => !Object.hasOwn(compilePattern(source, 'u'), 'test')
  for (const source of ['^0x(?:[0-9a-f]{2})*$', '^(?:ab)+$', '^(?<digit>[0-9])?$'])
    t.ok(isOfRegExp(source), source)
  for (const source of [
    '^(?:a|aa)*$',
    '^(?:a+)*$',
    '^(?:a{2,3})*$',
    '^(?:a{20})*a{20}$',
    '(?:ab)*$',
    '^(?:(a)*)*$',
  ])
    t.notOk(isOfRegExp(source), source)
})

t.test('an unsafe pattern that cannot be matched in linear time is refused', async (t) => {
  for (const source of ['^(a+)+\\1$', '^(b)(?<a>a+)+\\k<a>$'])
    t.throws(() => compilePattern(source, 'u'), { message: /backreferences/ }, source)
  t.throws(() => compilePattern('^(?:(a+)+b?){9999}$', 'u'), { message: /too large repetitions/ })
})
