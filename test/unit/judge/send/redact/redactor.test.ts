import fc from 'fast-check'
import t from 'tap'
import { createRedactor, secretsOf } from '../../../../../src/judge/index.js'
import { codePoint } from '../../../../support/code-point.js'
import { isLong, runs } from '../../../../support/runs.js'

const key = 'abcdefghijklmnopqrstuvwxyz1234-T'
const hex = (code: number, width: number) => code.toString(16).padStart(width, '0')

/** Notations of a text. Each returns a text that contains the secret. */
const writings: Record<string, (text: string) => string> = {
  plainly: (text) => text,
  'percent-encoded where needed': (text) => encodeURIComponent(text),
  'percent-encoded altogether': (text) => [...Buffer.from(text)].map((byte) => `%${hex(byte, 2)}`).join(''),
  'percent-encoded in capitals': (text) =>
    [...Buffer.from(text)].map((byte) => `%${hex(byte, 2).toUpperCase()}`).join(''),
  'as in a form': (text) => new URLSearchParams({ a: text }).toString(),
  'as JSON': (text) => JSON.stringify(text),
  'as JSON in JSON in JSON': (text) => JSON.stringify(JSON.stringify(JSON.stringify(text))),
  'as \\u altogether': (text) => text.replaceAll(/[\s\S]/g, (one) => `\\u${hex(one.charCodeAt(0), 4)}`),
  'as \\U in capitals': (text) =>
    text.replaceAll(/[\s\S]/g, (one) => `\\u${hex(one.charCodeAt(0), 4).toUpperCase()}`),
  'as \\u in JSON': (text) =>
    JSON.stringify(text.replaceAll(/[\s\S]/g, (one) => `\\u${hex(one.charCodeAt(0), 4)}`)),
  'as HTML': (text) => text.replaceAll(/[&<>"'-]/g, (one) => `&#${one.charCodeAt(0)};`),
  'as HTML in hexadecimal': (text) =>
    [...text].map((one) => `&#x${hex(one.codePointAt(0) ?? 0, 1)};`).join(''),
  'as percent in JSON': (text) => JSON.stringify(encodeURIComponent(text)),
  'as JSON in percent': (text) => encodeURIComponent(JSON.stringify(text)),
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'in capitals': (text) => text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()),
}

/** Secrets in plain form: keys, passwords with punctuation, and texts beyond ASCII. */
const secret = fc
  .oneof(
    fc.stringMatching(/^[A-Za-z0-9]{12,30}-[TM]$/),
    fc.stringMatching(/^[!-~]{8,24}$/),
    fc.string({ minLength: 6, maxLength: 20, unit: 'grapheme' }),
  )
  .filter((text) => createRedactor([text]).survives(text) && Buffer.from(text).toString() === text)

/** Context of a secret that may look like the start of an escape sequence. */
const around = fc.oneof(
  fc.string({ maxLength: 10 }),
  fc.constantFrom('%', '%2', '\\', '\\\\', '\\u00', '&', '&#', '%25', '"', '{"a":"', '\\"', '•••••'),
)

t.test('every notation of a secret is redacted in any context', async () => {
  fc.assert(
    fc.property(
      secret,
      around,
      around,
      fc.constantFrom(...Object.keys(writings)),
      (value, before, after, how) => {
        const written = writings[how]?.(value) ?? ''
        const redactor = createRedactor([value])
        const redacted = redactor.redact(`${before}${written}${after}`)
        return !redactor.survives(redacted) && redacted.includes('•••••') && !redacted.includes(value)
      },
    ),
    { numRuns: runs(1000), seed: 1 },
  )
})

t.test('overlapping secrets are all redacted, and redaction is idempotent', async () => {
  const letters = fc.string({
    minLength: 4,
    maxLength: 8,
    unit: fc.constantFrom('a', 'b', '-', '%', '1', '•'),
  })
  fc.assert(
    fc.property(
      fc.array(letters, { maxLength: 6 }),
      fc.array(letters, { maxLength: 12 }),
      (secrets, parts) => {
        const redactor = createRedactor(secrets)
        const once = redactor.redact([...parts, ...secrets].join(''))
        return !redactor.survives(once) && redactor.redact(once) === once
      },
    ),
    { numRuns: runs(1000), seed: 1 },
  )
})

t.test(
  'a secret of 8 bytes is redacted in base64 and hexadecimal, a shorter one only as it is',
  async (t) => {
    const encoded = (text: string) => {
      const bytes = Buffer.from(text)
      return `${bytes.toString('base64')} ${bytes.toString('base64url')} ${bytes.toString('hex')}`
    }
    t.equal(createRedactor(['p4ss-w0?']).redact(encoded('p4ss-w0?')), '•••••= ••••• •••••')
    t.equal(createRedactor(['p4ss-w0']).redact(encoded('p4ss-w0')), encoded('p4ss-w0'))
  },
)

t.test('escapes within one another are read: JSON in JSON in JSON in a URL', async (t) => {
  const quoted = 'a"secret\\of theirs'
  const written = encodeURIComponent(JSON.stringify(JSON.stringify(JSON.stringify(quoted))))
  t.match(createRedactor([quoted]).redact(`?q=${written}&r`), /^\?q=[%\w]*•••••[%\w]*&r$/)
})

t.test('a text without secrets stays unchanged', async (t) => {
  const { redact } = createRedactor([key])
  fc.assert(fc.property(fc.string({ unit: codePoint }), (text) => redact(text) === text))
  const escaped = '{"a":"\\u0041%41&#65;\\n"}'
  t.equal(redact(escaped), escaped)
  t.equal(createRedactor([]).redact(`a ${key}`), `a ${key}`)
})

t.test('only the secret is removed; longer secrets are removed before their parts', async (t) => {
  const redactor = createRedactor(['secret', 'secret-key-of-somebody', 'somebody-else'])
  t.equal(redactor.redact('a secret-key-of-somebody, a secret.'), 'a •••••, a •••••.')
  t.equal(redactor.redact('secret-key-of-somebody-else'), '•••••', 'overlapping secrets become one mask')
  t.equal(redactor.redact('x\\u0073ecret%0a'), 'x•••••%0a')
  t.equal(redactor.redact('%73%65%63%72%65%74%73'), '•••••%73')
  t.equal(redactor.redact('SECRETSecret'), '••••••••••')
})

t.test('text before a secret cannot hide its first characters in an escape of its own', async (t) => {
  const redactor = createRedactor(['41-secret/of-them'])
  for (const [before, written] of [
    ['%', '41%2Dsecret/of-them'],
    ['%', '41-secret%2Fof-them'],
    ['&#', '41&#45;secret/of-them'],
    ['&#x', '41-secret&#x2f;of-them'],
    ['\\x', '41\\u002dsecret/of-them'],
    ['\\u00', '41-secret\\/of-them'],
    ['%25', '41%252Dsecret/of-them'],
  ] as const) {
    const text = `${before}${written} and more`
    t.equal(redactor.redact(text), `${before}••••• and more`, text)
    t.notOk(redactor.survives(`${before}•••••`))
  }
})

t.test('JSON stays valid when its strings, or its whole text, are redacted', async (t) => {
  const value = { [key]: [`echo: ${key}`, encodeURIComponent(`"${key}"`)], n: 1 }
  const redacted = createRedactor([key]).redact(JSON.stringify(value))
  t.same(JSON.parse(redacted), { '•••••': ['echo: •••••', '%22•••••%22'], n: 1 })
  const after = JSON.stringify([`\\${key}`, `\\${key.slice(0, -2)}&#45;T`, `"${key}`])
  t.same(
    JSON.parse(createRedactor([key]).redact(after)),
    ['\\•••••', '\\•••••', '"•••••'],
    'after a backslash',
  )
  const quoted = JSON.stringify(['"sekrit" of theirs'])
  t.same(JSON.parse(createRedactor(['"sekrit" of theirs']).redact(quoted)), ['•••••'], 'with quotes')
})

t.test('a secret at the beginning of a text is redacted once', async (t) => {
  const { redact } = createRedactor(['\\-secret/of-them'])
  t.equal(redact('\\-secret/of-them'), '•••••')
  t.equal(redact('\\&#45;secret/of-them'), '•••••')
})

t.test('values that occur in every output are not redacted', async (t) => {
  const common = [
    '',
    'a',
    'abc',
    '12345',
    '2026',
    'json',
    'JSON',
    'null',
    'result',
    'test',
    'stat',
    'application/json',
    'RPC_URL',
    '•••••',
    '••••',
    '", "',
    '": "',
    '-----',
  ]
  const redactor = createRedactor(common)
  const text = '{"jsonrpc":"2.0","result":null,"status":"test","started":"2026-01-01"} $RPC_URL ••••• a abc'
  t.equal(redactor.redact(text), text)
  t.notOk(redactor.survives(text))
  t.equal(createRedactor(['123456', 'sekrit', 'p4ss']).redact('123456 sekrit p4ss'), '••••• ••••• •••••')
})

t.test('a mask that completes another secret is redacted with it', async (t) => {
  const redactor = createRedactor(['a•••••b', 'secret'])
  t.equal(redactor.redact('asecretb'), '•••••')
})

t.test('a text that still contains a secret is found', async (t) => {
  const { survives } = createRedactor([key])
  for (const [text, want] of [
    ['fine', false],
    [`a${key}`, true],
    [encodeURIComponent(key), true],
    ['', false],
    ['•••••-T', false],
  ] as const)
    t.equal(survives(text), want, text)
})

t.test('large texts, and texts full of escapes, are redacted', async (t) => {
  const redactor = createRedactor([key, 'another-secret-of-theirs'])
  const large = `${'\\u0041%41\\\\'.repeat(isLong ? 5_000 : 1_000)}${key}${'&amp;amp;%2525'.repeat(isLong ? 2_000 : 500)}`
  const redacted = redactor.redact(large)
  t.notOk(redactor.survives(redacted))
  t.match(redacted, /%41\\*•••••&amp;/)
})

t.test('secrets of punctuation only, and texts that slow patterns down, are processed quickly', async (t) => {
  const secrets = [
    `${'\\'.repeat(12)}x`,
    `${'%25'.repeat(12)}x`,
    `${'&amp;'.repeat(12)}x`,
    `${'"'.repeat(30)}x`,
  ]
  const redactor = createRedactor(secrets)
  for (const mark of ['\\', '%25', '&amp;', '\\"', '%5c', '&#92;']) {
    t.notOk(redactor.survives(redactor.redact(mark.repeat(300))), mark)
  }
})

t.test(
  'secrets are user info, long path segments, query values, header values and declared secrets',
  async (t) => {
    const cases: (readonly [Parameters<typeof secretsOf>[0], string[], string[]])[] = [
      [{ urls: [`https://host.example.net/v2/${key}`] }, [key], ['v2', 'host.example.net']],
      [{ urls: ['http://host/123456789012345/1234567890123456'] }, ['1234567890123456'], ['123456789012345']],
      [
        { urls: ['http://us%40er:p%C3%A4ss@host/'] },
        ['us@er', 'us%40er', 'päss', 'us@er:päss', Buffer.from('us@er:päss').toString('base64')],
        [],
      ],
      [{ urls: ['http://token@host/'] }, ['token', Buffer.from('token:').toString('base64')], []],
      [
        { urls: ['http://host/?a=first%20one&b=second+one&third'] },
        ['first one', 'second one', 'second+one', 'third'],
        ['a', 'b'],
      ],
      [{ urls: [`http://host/a%2Fb${key}`] }, [`a/b${key}`, `a%2Fb${key}`], []],
      [{ urls: [`no url/${key}`] }, [key], []],
      [
        { headers: { Authorization: 'Bearer abc.def.ghi' } },
        ['Bearer abc.def.ghi', 'abc.def.ghi'],
        ['Bearer'],
      ],
      [
        { headers: { authorization: `Basic ${Buffer.from('user:pass:word').toString('base64')}` } },
        ['user', 'pass:word', 'user:pass:word'],
        [],
      ],
      [
        { headers: { Cookie: 'a=first-one; b=second-one' } },
        ['first-one', 'second-one', 'a=first-one; b=second-one'],
        [],
      ],
      [{ headers: { 'X-Api-Key': ' mine ' } }, ['mine'], []],
      [{ headers: { 'Content-Type': 'text/plain', accept: 'x/y' } }, [], ['text/plain', 'x/y']],
      [{ values: ['said'] }, ['said'], []],
    ]
    for (const [sources, held, free] of cases) {
      const secrets = secretsOf(sources)
      for (const value of held) t.ok(secrets.includes(value), `${JSON.stringify(sources)}: ${value}`)
      for (const value of free) t.notOk(secrets.includes(value), `${JSON.stringify(sources)}: not ${value}`)
      t.notOk(secrets.includes(''))
    }
  },
)

t.test('the beginning of a secret is redacted where a text was truncated inside it', async (t) => {
  const redactor = createRedactor([key, 'p%ss&word-of-theirs'])
  t.equal(
    redactor.redact(`"an error ${key.slice(0, 9)}… (300 characters)`),
    '"an error •••••… (300 characters)',
  )
  t.equal(redactor.redact(`${key.slice(0, 4)}…`), '•••••…')
  t.equal(redactor.redact(`${key.slice(0, 3)}…`), `${key.slice(0, 3)}…`, 'too short to identify the secret')
  t.equal(redactor.redact('a p%ss&wo… b'), 'a •••••… b')
  t.equal(redactor.redact('a p%25ss%26wo… b'), 'a •••••… b', 'escaped')
  t.equal(redactor.redact('a p%25ss%2… b'), 'a •••••%2… b', 'within an escape sequence')
  t.ok(redactor.survives(`${key.slice(0, 9)}…`))
  t.equal(redactor.redact(`${key.slice(0, 9)} and more…`), `${key.slice(0, 9)} and more…`)
  t.notOk(redactor.survives('••••• and •••••…'))
  t.equal(createRedactor(['••••••b']).redact('•••••…'), '•••••…', 'a mask stays unchanged')
})
