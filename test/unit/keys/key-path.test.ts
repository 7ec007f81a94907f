import t from 'tap'
import { extensions, limits } from '../../../generated/contract.js'
import { createKeyPath } from '../../../src/gateway/keys/key-path.js'

const key = `${'aB3'.repeat(10)}-T`
const keyOf = createKeyPath(extensions['x-http'].paths, limits.apiKeyPattern)

t.test('a key is read from each path that the contract has for it', async (t) => {
  for (const path of extensions['x-http'].paths) t.same(keyOf(path.replace('{key}', key)), { key }, path)
})

t.test('every other path is left to the router', async (t) => {
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
