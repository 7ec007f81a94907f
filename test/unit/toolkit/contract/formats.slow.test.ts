import fc from 'fast-check'
import t from 'tap'
import { formatPatterns, formats, isValidatedFormat } from '../../../../src/toolkit/contract/index.js'
import { isLong } from '../../../support/runs.js'

/** Valid and nearly valid texts of each format. */
const table: Readonly<Record<string, readonly [valid: readonly string[], invalid: readonly string[]]>> = {
  date: [
    ['2024-02-29', '2000-02-29', '2023-12-31', '0000-01-01', '9999-04-30'],
    [
      '2023-02-29',
      '1900-02-29',
      '2023-13-01',
      '2023-00-01',
      '2023-04-31',
      '2023-1-01',
      '2023-01-01 ',
      '২০২৩-01-01',
    ],
  ],
  time: [
    ['00:00:00Z', '23:59:59.999z', '12:34:56+01:30', '12:34:56-23:59', '23:59:60Z', '15:59:60-08:00'],
    ['24:00:00Z', '12:60:00Z', '12:34:61Z', '12:34:56', '12:34Z', '12:34:56+0100', '12:34:56.Z', '22:59:60Z'],
  ],
  'date-time': [
    [
      '2024-02-29T12:34:56Z',
      '1963-06-19t08:30:06.283185z',
      '1998-12-31T23:59:60Z',
      '2020-01-01T00:00:00+00:00',
    ],
    [
      '2023-02-29T12:34:56Z',
      '2024-02-29 12:34:56Z',
      '2024-02-29T12:34:56',
      '2024-02-29',
      '2024-02-29T24:00:00Z',
    ],
  ],
  email: [
    [
      'a@b.c',
      'joe.bloggs@example.com',
      '~a+b@x-y.z',
      '"joe bloggs"@example.com',
      'a@[127.0.0.1]',
      'a@[IPv6:::1]',
    ],
    ['a', '@b', 'a@', '.a@b.c', 'a.@b.c', 'a..b@c.d', 'a@-b.c', 'a@b_c', 'a@[1.2.3]', 'a b@c.d', 'a@b@c'],
  ],
  hostname: [
    ['a', 'www.example.com', 'xn--4gbwdl.xn--wgbh1c', '1.2', `${'a'.repeat(63)}.b`],
    ['', '-a', 'a-', 'a..b', '.a', 'a.', 'a_b', 'ä.b', `${'a'.repeat(64)}.b`, `${'a.'.repeat(127)}ab`],
  ],
  ipv4: [
    ['0.0.0.0', '255.255.255.255', '192.168.0.1'],
    ['256.0.0.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '0x7f.1', '1.2.3.4 ', '१.2.3.4'],
  ],
  ipv6: [
    [
      '::',
      '::1',
      '1::',
      '1:2:3:4:5:6:7:8',
      '::ffff:1.2.3.4',
      '1:2:3:4:5:6:1.2.3.4',
      '1::2:3:4:5:6:7',
      'ABCD:ef01::',
    ],
    [
      '',
      ':',
      ':::',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '1::2::3',
      '12345::',
      '::1%eth0',
      '::1.2.3',
      '1:2:3:4:5:6:7:1.2.3.4',
    ],
  ],
  uri: [
    [
      'http://a.b/c?d=e#f',
      'urn:isbn:0451450523',
      'mailto:a@b.c',
      'http://[::1]:80/',
      'a:',
      'file:///x',
      'x://u:p@h:1/%41?%41',
    ],
    [
      '//a.b/c',
      '/a',
      'a',
      '',
      'http://a b',
      'http://a/%zz',
      '1a:b',
      'http://[::1',
      'http://a:b/',
      'a:\\b',
      'http://ä/',
    ],
  ],
  'uri-reference': [
    ['', 'a', '/a', '//a.b/c', '?a', '#a', './a:b', '../a', 'http://a.b/c', '%41/b'],
    ['a b', ':a', '1:b', '%4', '\\a', '#a#b', '<a>', 'ä'],
  ],
  uuid: [
    [
      '2eb8aa08-aa98-11ea-b4aa-73b441d16380',
      '00000000-0000-0000-0000-000000000000',
      'ABCDEF01-2345-6789-ABCD-EF0123456789',
    ],
    [
      '2eb8aa08aa9811eab4aa73b441d16380',
      '2eb8aa08-aa98-11ea-b4aa-73b441d1638',
      '{2eb8aa08-aa98-11ea-b4aa-73b441d16380}',
      'geb8aa08-aa98-11ea-b4aa-73b441d16380',
    ],
  ],
  'json-pointer': [
    ['', '/', '/a/0', '/~0~1', '//', '/a b', '/ä'],
    ['a', '#/a', '/~', '/~2', '0'],
  ],
  'relative-json-pointer': [
    ['0', '1/a', '0#', '12/~0', '1'],
    ['', '/a', '-1', '01', '1#a', '0##', '#'],
  ],
  regex: [
    ['', 'a+', '^[a-z]$', '(?<year>\\d{4})', '\\-', '\\p{L}'],
    ['(', '[z-a]', 'a**', '(?<a', '\\'],
  ],
}

t.test('every validated format accepts its texts and refuses nearly valid ones', async (t) => {
  t.same(Object.keys(formats).sort(), Object.keys(table).sort())
  for (const [name, [valid, invalid]] of Object.entries(table)) {
    for (const text of valid) t.equal(formats[name]?.(text), true, `${name}: ${text}`)
    for (const text of invalid) t.equal(formats[name]?.(text), false, `${name}: ${text}, refused`)
  }
})

t.test('names of Object.prototype are not formats', async (t) => {
  for (const name of ['int32', 'toString', '__proto__', 'constructor', '', 1, null, undefined])
    t.equal(isValidatedFormat(name), false, String(name))
  t.equal(isValidatedFormat('date'), true)
})

t.test('every generated date is a valid date', async () => {
  const made = fc.date({
    min: new Date('0000-01-01'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(made, (date) => {
      const text = date.toISOString()
      return formats['date-time']?.(text) === true && formats['date']?.(text.slice(0, 10)) === true
    }),
  )
})

t.test('every generated address is a valid URL', async () => {
  fc.assert(fc.property(fc.ipV4(), (text) => formats['ipv4']?.(text) === true))
  fc.assert(fc.property(fc.ipV6(), (text) => formats['ipv6']?.(text) === true))
  fc.assert(fc.property(fc.uuid(), (text) => formats['uuid']?.(text) === true))
  fc.assert(fc.property(fc.domain(), (text) => formats['hostname']?.(text) === true))
  fc.assert(
    fc.property(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      (text) => formats['uri']?.(text) === true,
    ),
  )
  fc.assert(fc.property(fc.emailAddress(), (text) => formats['email']?.(text) === true))
})

/** A pattern with backtracking at each character would not finish here. */
t.test('a million characters of a nearly valid text are read in linear time', async (t) => {
  const parts = [
    'a',
    '1',
    '.',
    ':',
    '/',
    '@',
    '-',
    '%41',
    'a.',
    'a:',
    '1:',
    '::',
    '/a',
    '~0',
    '"',
    '\\"',
    '#',
    '?a',
  ]
  const leads = ['', 'http://', 'a:', '//', '"', '/', '12:34:56.', '0']
  for (const [name, pattern] of Object.entries(formatPatterns)) {
    for (const part of parts) {
      for (const lead of isLong ? leads : leads.slice(0, 2)) {
        pattern.test(`${lead}${part.repeat(1_000_000 / part.length)}\n`)
      }
    }
    t.pass(name)
  }
})
