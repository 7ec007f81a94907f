import { randomBytes } from 'node:crypto'
import t from 'tap'
import { extensions } from '../../../../generated/contract.js'
import type { AcceptedKey } from '../../../../src/gateway/keys/accepted-key.js'
import { createKeyIndex, createKeyPath } from '../../../../src/gateway/keys/lookup/key-index.js'

const LENGTH = 8
const key = (id: string): AcceptedKey => ({
  id,
  userId: 'usr',
  network: 'test',
  dailyLimit: null,
  monthlyLimit: null,
  access: {},
})

t.test('thousands of texts are found at their places, and removed ones are not', async (t) => {
  const texts = createKeyIndex(LENGTH)
  const all = Array.from(
    { length: 5_000 },
    (_, n) => `${n.toString(36).padStart(4, '0')}${randomBytes(2).toString('hex')}`,
  )
  const find = (text: string) => texts.paramsAt(Buffer.from(`POST /${text} HTTP/1.1`), 6, LENGTH)?.key
  for (const text of all) t.equal(texts.set(text, key(text)), text)
  t.ok(all.every((text) => find(text) === text && texts.of(text)?.id === text))
  const gone = all.filter((_, n) => n % 3 === 0)
  for (const text of gone) texts.delete(text)
  t.ok(gone.every((text) => find(text) === undefined && texts.of(text) === undefined))
  // Removed texts make room for others.
  const others = gone.map((text) => text.toUpperCase().replace(/^0/, 'O'))
  for (const text of others) texts.set(text, key(text))
  const kept = all.filter((_, n) => n % 3 !== 0).concat(others)
  t.ok(kept.every((text) => find(text) === text && texts.of(text)?.id === text))
})

t.test('texts with equal hashes are distinguished', async (t) => {
  const texts = createKeyIndex(LENGTH)
  // The hash is 31 times a character plus the next one: "Aa" and "BB" collide.
  const all = ['AaAaAaAa', 'BBBBBBBB', 'AaAaBBBB', 'BBBBAaAa']
  for (const text of all) texts.set(text, key(text))
  const found = () => all.map((text) => texts.paramsAt(Buffer.from(text), 0, LENGTH)?.key)
  t.same(found(), all)
  t.equal(texts.paramsAt(Buffer.from('AaBBAaBB'), 0, LENGTH), undefined)
  for (const [n, text] of ['AaAaBBBB', 'BBBBAaAa', 'AaAaAaAa', 'BBBBBBBB'].entries()) {
    texts.delete(text)
    t.same(found().filter((each) => each !== undefined).length, all.length - n - 1)
    t.equal(texts.of(text), undefined)
  }
})

t.test('a key replaces the previous one, and only complete ASCII texts are stored', async (t) => {
  const texts = createKeyIndex(LENGTH)
  texts.set('abcdefgh', key('one'))
  t.match(texts.of('abcdefgh'), { id: 'one' })
  texts.set('abcdefgh', key('other'))
  t.match(texts.of('abcdefgh'), { id: 'other' })
  t.equal(texts.paramsAt(Buffer.from('abcdefgh'), 0, LENGTH - 1), undefined)
  for (const text of ['', 'abcdefg', 'abcdefghi', 'abcdefgŁ']) {
    t.equal(texts.set(text, key('no')), undefined)
    t.equal(texts.of(text), undefined)
  }
  // Its last character ends in the same byte as an "h".
  t.equal(texts.of('abcdefg\u0168'), undefined)
})

const unknownKey = `${'aB3'.repeat(10)}-T`
/** Parameters of a known key. */
const known = { key: `${'zZ9'.repeat(10)}-M` }
const asked: string[] = []
const keyOf = createKeyPath(extensions['x-http'].paths, (bytes, place, length) => {
  const text = Buffer.from(bytes).toString('latin1', place, place + length)
  asked.push(text)
  return text === known.key ? known : undefined
})

t.test('a key is read from each path of the contract, with or without a slash after it', async (t) => {
  for (const path of extensions['x-http'].paths.flatMap((path) => [path, `${path}/`]))
    t.same(keyOf(path.replace('{key}', unknownKey)), { key: unknownKey }, path)
})

t.test('all other paths are left to the router', async (t) => {
  const others = [
    '',
    '/',
    unknownKey,
    `/${unknownKey}//`,
    `/${unknownKey}?a=b`,
    `/${unknownKey}#a`,
    `//${unknownKey}`,
    `/V2/${unknownKey}`,
    `/v3/${unknownKey}`,
  ]
  others.push(
    `/${unknownKey.slice(1)}`,
    `/${unknownKey.replace('a', '%61')}`,
    `/v2/v2/${unknownKey}`,
    `http://host/${unknownKey}`,
    `/x/v2/${unknownKey}`,
  )
  for (const path of others) t.equal(keyOf(path), undefined, path)
})

t.test('a known key is found in the bytes of the request on every path', async (t) => {
  for (const path of extensions['x-http'].paths.flatMap((path) => [path, `${path}/`])) {
    for (const text of [known.key, unknownKey]) {
      const url = path.replace('{key}', text)
      const params = keyOf(url, Buffer.from(`POST ${url} HTTP/1.1`), 'POST '.length)
      if (text === unknownKey) t.same(params, { key: unknownKey })
      else t.equal(params, known)
      t.ok(asked.includes(text))
    }
  }
  t.equal(keyOf(`/v3/${known.key}`, Buffer.from(`POST /v3/${known.key} HTTP/1.1`), 'POST '.length), undefined)
})
