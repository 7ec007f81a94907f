import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { createRedactor } from '../../../../src/judge/index.js'
import { createEvidenceMaker, ExchangeTrail } from '../../../../src/judge/record/evidence.js'
import { runDefaults } from '../../../../src/judge/terms/run-defaults.js'
import { isLong } from '../../../support/runs.js'

const key = 'Zq7bcdefghijkLmnopQrstu4vwxyzABCDEFG2-N'
const url = `http://127.0.0.1:1/${key}`

/** The body of a reply in the evidence. */
const bodyOf = (text: string): string => answerOf(text)?.body ?? ''

function answerOf(text: string) {
  const { redact } = createRedactor([key])
  const trail = new ExchangeTrail()
  const bytes = Buffer.from(text)
  trail.add({
    step: 1,
    exchange: {
      outgoing: {
        verb: 'POST',
        url,
        headers: {},
        body: undefined,
        methods: [],
        billed: 1,
        builtIn: false,
        effect: 'read',
      },
      reply: { status: 200, headers: {}, bytes, text },
      trouble: undefined,
      milliseconds: 1,
    },
  })
  const make = createEvidenceMaker({ redact, ownUrl: url, headers: {} })
  return trail.exchanges.map(make)[0]?.response
}

const limit = runDefaults.evidenceBodyCharacters
const window = limit + runDefaults.longestWrittenSecret

t.test('no fragment of a key remains where a body is truncated, however many keys it contains', async (t) => {
  const escaped = [...key].map((one) => `%25${one.charCodeAt(0).toString(16)}`).join('')
  for (const written of [key, escaped, JSON.stringify(`${key}\\`)]) {
    for (const cut of [limit, window, runDefaults.bytesKeptOfAnAnswer]) {
      for (const before of [1, 9, 20, written.length - 1]) {
        const text = `${'x'.repeat(cut - before)}${written}${'y'.repeat(window)}`
        t.notMatch(bodyOf(text), key.slice(0, 4))
      }
    }
    for (let extra = 0; extra < written.length; extra += isLong ? 9 : 27) {
      const body = bodyOf(`${'x'.repeat(extra)}${written.repeat(15_000)}`)
      t.notMatch(body.replaceAll('%25', '%'), /Zq7b|5a%71%37%62/)
    }
  }
})

t.test(
  'a long body is kept compressed for the judge, unless it contains a key or stays too long',
  async (t) => {
    const unpacked = (whole = '') => gunzipSync(Buffer.from(whole, 'base64')).toString('utf8')
    const long = 'é'.repeat(limit + 1)
    t.equal(unpacked(answerOf(long)?.whole), long)
    t.equal(answerOf('é'.repeat(limit))?.whole, undefined, 'a body that is not truncated has no second copy')
    for (const piece of [key, encodeURIComponent(key), `%5A${key.slice(1)}`]) {
      t.equal(answerOf(`${long}${piece}`)?.whole, undefined, piece)
    }
    t.equal(answerOf(randomBytes(runDefaults.compressedBodyCharacters).toString('hex'))?.whole, undefined)
    t.equal(answerOf('x'.repeat(runDefaults.bytesKeptOfAnAnswer + 1))?.whole, undefined)
  },
)

t.test('a body of many megabytes is stored as its beginning and its size', async (t) => {
  const body = bodyOf('\\u002d%2525&#45;'.repeat(1_000_000))
  t.match(body, /… \(the first 65536 characters of 16000000 bytes\)$/)
  t.ok(body.length < limit + 100)
  t.equal(bodyOf('short'), 'short')
  const { length } = bodyOf('x'.repeat(limit))
  t.equal(length, limit)
})
