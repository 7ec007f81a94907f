import t from 'tap'
import { extensions } from '../../../../generated/contract.js'
import { createKeyPath } from '../../../../src/gateway/keys/lookup/key-path.js'

const key = `${'aB3'.repeat(10)}-T`
/** Parameters of a known key. */
const known = { key: `${'zZ9'.repeat(10)}-M` }
const asked: string[] = []
const keyOf = createKeyPath(extensions['x-http'].paths, (bytes, place, length) => {
  const text = Buffer.from(bytes).toString('latin1', place, place + length)
  asked.push(text)
  return text === known.key ? known : undefined
})

t.test('a key is read from each path of the contract', async (t) => {
  for (const path of extensions['x-http'].paths) t.same(keyOf(path.replace('{key}', key)), { key }, path)
})

t.test('all other paths are left to the router', async (t) => {
  const others = [
    '',
    '/',
    key,
    `/${key}/`,
    `/${key}?a=b`,
    `/${key}#a`,
    `//${key}`,
    `/V2/${key}`,
    `/v3/${key}`,
  ]
  others.push(
    `/${key.slice(1)}`,
    `/${key.replace('a', '%61')}`,
    `/v2/v2/${key}`,
    `http://host/${key}`,
    `/x/v2/${key}`,
  )
  for (const path of others) t.equal(keyOf(path), undefined, path)
})

t.test('a known key is found in the bytes of the request on every path', async (t) => {
  for (const path of extensions['x-http'].paths) {
    for (const text of [known.key, key]) {
      const url = path.replace('{key}', text)
      const params = keyOf(url, Buffer.from(`POST ${url} HTTP/1.1`), 'POST '.length)
      if (text === key) t.same(params, { key })
      else t.equal(params, known)
      t.ok(asked.includes(text))
    }
  }
  t.equal(keyOf(`/v3/${known.key}`, Buffer.from(`POST /v3/${known.key} HTTP/1.1`), 'POST '.length), undefined)
})
