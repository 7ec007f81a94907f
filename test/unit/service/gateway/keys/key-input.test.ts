import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import {
  readDescription,
  readEmail,
  readName,
  readNetwork,
} from '../../../../../src/service/gateway/index.js'

/** Escapes characters that would end a line of TAP. */
const shown = (text: string) =>
  JSON.stringify(text).replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16)}`)

const refused = { name: 'OperatorError', code: 'invalid_input' }

for (const [given, want] of [
  ['ci', 'ci'],
  ['  trimmed  ', 'trimmed'],
  ['n'.repeat(limits.keyNameLength), 'n'.repeat(limits.keyNameLength)],
  ['👩‍🔬 lab', '👩‍🔬 lab'],
  ['👩🏽‍🔬❤️', '👩🏽‍🔬❤️'],
  ['کتاب‌ها', 'کتاب‌ها'],
  ['😀'.repeat(limits.keyNameLength), '😀'.repeat(limits.keyNameLength)],
  ['<b>"\'&', '<b>"\'&'],
] as const) {
  t.equal(readName(given, limits), want, `the name ${shown(given)} is accepted`)
}

for (const given of [
  '',
  '   ',
  'n'.repeat(limits.keyNameLength + 1),
  '😀'.repeat(limits.keyNameLength + 1),
  'a\u0000b',
  'a\nb',
  'a\tb',
  'a\u001b[31mb',
  'a\u0085b',
  'a\u2028b',
  'a\u202eb',
  'a\u2066b',
  'a\u200bb',
  'a\u200cb',
  'a\u200db',
  '1\u200d2',
  'a\u00adb',
  'a\u2060b',
  'a\ufeffb',
  'a\u3164b',
  'a\u2800b',
  'a\u{e0041}b',
  'a\ud800b',
]) {
  t.throws(() => readName(given, limits), refused, `the name ${shown(given)} is refused`)
}

t.test('a description may be empty, and its length is limited by the contract', async (t) => {
  t.equal(readDescription('', limits), '')
  const longest = 'd'.repeat(limits.keyDescriptionLength)
  t.equal(readDescription(longest, limits), longest)
  t.throws(() => readDescription(`${longest}d`, limits), {
    ...refused,
    message: /257 characters; at most 256/,
  })
  t.throws(() => readDescription('two\nlines', limits), refused)
})

for (const email of [
  'a@b.co',
  'first.last+tag@sub.example.com',
  "o'neil@example.org",
  'ü@exämple.de',
  ' a@b.co ',
  `${'a'.repeat(249)}@b.co`,
]) {
  t.equal(readEmail(email), email.trim(), `${email} is a valid address`)
}

for (const email of [
  '',
  'a',
  'a@b',
  '@b.co',
  'a@',
  'a@b.',
  'a b@c.de',
  'a@b@c.de',
  'a@b\n.co',
  'a\u0000@b.co',
  '<a@b.co>',
  'a@b.co,c@d.co',
  `${'a'.repeat(250)}@b.co`,
]) {
  t.throws(
    () => readEmail(email),
    { ...refused, message: /not an e-mail address/ },
    `${JSON.stringify(email)} is invalid`,
  )
}

t.test('a network name must match exactly', async (t) => {
  t.equal(readNetwork('test', ['test', 'main']), 'test')
  for (const network of ['Test', '', 'constructor', 'T']) {
    t.throws(() => readNetwork(network, ['test', 'main']), { ...refused, message: /test or main/ })
  }
})
