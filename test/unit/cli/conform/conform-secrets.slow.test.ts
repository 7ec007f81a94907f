import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { ownKey } from '../../judge/run/deployment.js'
import { libraryService, passing } from './conform-harness.js'

const second = 'Zz1Yy2Xx3Ww4Vv5Uu6Tt7Ss8Rr9Qq0+/-N'
const revoked = 'Kk9Jj8Ii7Hh6Gg5Ff4Ee3Dd2Cc1Bb0~-N'
const header = 'Token "quoted\\ secret" of mine'
const query = 'q=uery&secret/value'

/** Every way in which an answer of this test contains a secret. */
function written(secret: string): readonly string[] {
  const percent = [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  return [
    secret,
    secret.toUpperCase(),
    secret.toLowerCase(),
    encodeURIComponent(secret),
    percent,
    percent.replaceAll('%', '%25'),
    JSON.stringify(secret).slice(1, -1),
    [...secret].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    [...secret].map((one) => `&#${one.charCodeAt(0)};`).join(''),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
    Buffer.from(secret).toString('hex'),
  ]
}

const secrets = [ownKey, second, revoked, header, query]
const echoed = secrets.flatMap(written)

const files = {
  'books/one.yaml': passing,
  'books/error.yaml': passing.replace('params: [7]', 'params: [8]'),
  'books/page.yaml': passing.replace('params: [7]', 'params: [9]'),
  'books/found.yaml': `needs: shelf\n${passing.replace('params: [7]', 'params: ["${shelf}"]')}`,
  'books/second.yaml': passing
    .replace('params: [7]', 'params: [7]\n    key: second')
    .replace('scenario:', 'needs: second-key\nscenario:'),
  'books/revoked.yaml': passing
    .replace('params: [7]', 'params: [7]\n    key: revoked')
    .replace('scenario:', 'needs: revoked-key\nscenario:'),
  'fixtures/shelf.yaml': `
fixture: A shelf.
steps:
  - call: book
    params: [1]
    capture: { shelf: $.result.title }
    expect: { result: { $type: object } }
`,
}

t.test('secrets that a target echoes in any notation appear in no output', async (t) => {
  const everything = echoed.join(' ')
  const headers = { 'x-echo': encodeURIComponent(everything).slice(0, 8000) }
  const { deployment, folder, run } = await libraryService(t, files, {
    book: ({ params: [number] }) => {
      if (number === 1) return { result: { title: everything } }
      if (number === 8)
        return { error: { code: -32002, message: everything, data: { [everything]: echoed } } }
      if (number === 9)
        return { status: 500, headers, body: `<html>${everything}<script>${everything}</script>` }
      return { result: { [everything]: everything } }
    },
  })
  const formats = ['json', 'junit', 'tap', 'html'] as const
  const places = formats.map((format) => join(folder, `report.${format}`))
  const given = [
    '--second-key',
    `${deployment.origin}/${encodeURIComponent(second)}?token=${encodeURIComponent(query)}`,
    '--revoked-key',
    `${deployment.origin}/${revoked}`,
    '--header',
    `Authorization: ${header}`,
    '--profile',
    join(folder, 'profile.json'),
  ]
  const all: string[] = []
  const reports = formats.flatMap((format, index) => ['--report', `${format}=${places[index]}`])
  const { code, out, err } = await run([...given, ...reports])
  t.equal(code, 1)
  // A profile is either usable unredacted or not written.
  t.match(err, /^concordat conform: \S+profile\.json is withheld because it contains a secret\.[^\n]*$/)
  await t.rejects(readFile(join(folder, 'profile.json')), { code: 'ENOENT' })
  all.push(out, err, ...(await Promise.all(places.map((file) => readFile(file, 'utf8')))))
  for (const format of formats) {
    const printed = await run([...given, '--report', `${format}=-`])
    all.push(printed.out)
  }
  t.equal(all.length, 10)
  for (const [index, text] of all.entries()) {
    t.ok(text.includes('•••••') || text === err)
    const lower = text.toLowerCase()
    for (const form of echoed) t.notOk(lower.includes(form.toLowerCase()), `text ${index}: ${form}`)
  }
})

t.test('a secret that is a word of every report does not block the output', async (t) => {
  const { folder, run } = await libraryService(t, { 'books/one.yaml': passing })
  for (const word of ['passed', 'testsuite', 'viewport', 'font-size', 'addEventListener']) {
    const file = join(folder, `${word}.html`)
    const { code, err } = await run(['--header', `X-Word: ${word}`, '--report', `html=${file}`])
    t.equal(err, '', word)
    t.equal(code, 0)
    t.match(await readFile(file, 'utf8'), 'All 1 case that ran passed')
  }
})
