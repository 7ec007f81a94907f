import t from 'tap'
import { extensions, limits } from '../../../../../generated/contract.js'
import { isKeyText } from '../../../../../src/service/gateway/keys/index.js'
import { digestOf, generateKey, mask } from '../../../../../src/service/gateway/keys/key-text.js'
import { newId } from '../../../../../src/service/gateway/store/index.js'

const networks = Object.values(extensions['x-networks'])

t.test('a generated key matches the contract', async (t) => {
  for (const { keySuffix } of networks) {
    const keys = Array.from({ length: 500 }, () => generateKey(keySuffix))
    t.equal(new Set(keys).size, keys.length)
    t.ok(
      keys.every(
        (key) =>
          isKeyText(key) && key.length === limits.apiKeyCharacters + 2 && key.endsWith(`-${keySuffix}`),
      ),
    )
  }
})

t.test('all characters are equally likely', async (t) => {
  const counts = new Map<string, number>()
  for (let n = 0; n < 2_000; n += 1) {
    for (const character of generateKey('T').slice(0, -2))
      counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  t.equal(counts.size, 62)
  const expected = (2_000 * limits.apiKeyCharacters) / 62
  const chiSquared = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  t.ok(
    chiSquared < 130,
    `chi-squared is ${chiSquared.toFixed(1)} with 61 degrees of freedom; 130 is one in a million`,
  )
})

const good = `${'a'.repeat(30)}-T`
for (const { keySuffix } of networks)
  t.ok(isKeyText(`${'Z9'.repeat(15)}-${keySuffix}`), `a key may end with -${keySuffix}`)
const suffixes = networks.map(({ keySuffix }): string => keySuffix)
for (const letter of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].filter((each) => !suffixes.includes(each)))
  t.notOk(isKeyText(`${'a'.repeat(30)}-${letter}`), `no key ends with -${letter}`)

for (const [text, matches] of [
  [good, true],
  [`${'a'.repeat(29)}-T`, false],
  [`${'a'.repeat(31)}-T`, false],
  [`${'a'.repeat(30)}-t`, false],
  [`${'a'.repeat(30)}-`, false],
  [`${'a'.repeat(30)}-TT`, false],
  [`${'a'.repeat(30)}-]`, false],
  [`${'a'.repeat(30)}_T`, false],
  [`${good}\n`, false],
  [` ${good}`, false],
  ['', false],
  ['__proto__', false],
  [`${'ä'.repeat(30)}-T`, false],
] as const) {
  t.equal(isKeyText(text), matches, `${JSON.stringify(text)} is ${matches ? 'a key' : 'not a key'}`)
}

t.test('the digest is SHA-256, and the mask hides the secret', async (t) => {
  t.equal(digestOf('abc'), 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0')
  t.equal(mask('3kQabcdefghijklmnopqrstuvwxyw9-T'), '3kQ…w9-T')
})

t.test('ids have a prefix with their type', async (t) => {
  t.match(newId('key'), /^key_[0-9a-z]{16}$/)
  t.match(newId('usr'), /^usr_[0-9a-z]{16}$/)
})
