import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { loadSecret, requireSharedSecret } from '../../../../../src/service/gateway/index.js'
import { createSecret } from '../../../../../src/service/gateway/store/index.js'
import { temporaryFolder } from '../../../../support/temporary-folder.js'

const ours = createSecret('one secret that is long enough to use')
const context = ['key_1', 'usr_1']

t.test('a sealed text can be opened, and differs each time', async (t) => {
  const sealed = [1, 2, 3].map(() => ours.seal('text', context))
  t.equal(new Set(sealed).size, 3)
  for (const each of sealed) t.equal(ours.open(each, ours.version, context), 'text')
  t.equal(sealed.join().includes('text'), false)
})

t.test('equal secret texts give equal secrets, different texts do not', async (t) => {
  const again = createSecret('one secret that is long enough to use')
  t.equal(again.version, ours.version)
  t.equal(again.open(ours.seal('text', context), ours.version, context), 'text')
  t.not(createSecret('another secret that is long enough').version, ours.version)
})

t.test('an accepted secret opens what it has sealed, and derives after the current one', async (t) => {
  const text = 'the next secret that is long enough'
  const next = createSecret(text)
  const both = createSecret('one secret that is long enough to use', [text])
  t.equal(both.open(next.seal('text', context), next.version, context), 'text')
  t.equal(both.version, ours.version)
  t.same(both.versions, [ours.version, next.version])
  t.equal(ours.open(both.seal('text', context), both.version, context), 'text', 'the current one seals')
  t.same(both.deriveAll('purpose'), [ours.derive('purpose'), next.derive('purpose')])
  t.equal(both.derive('purpose'), ours.derive('purpose'))
})

for (const [what, open] of [
  [
    'with another secret',
    () => createSecret('x'.repeat(32)).open(ours.seal('a', context), ours.version, context),
  ],
  ['for another key', () => ours.open(ours.seal('a', context), ours.version, ['key_2', 'usr_1'])],
  ['for another user', () => ours.open(ours.seal('a', context), ours.version, ['key_1', 'usr_2'])],
  ['when it was changed', () => ours.open(`A${ours.seal('a', context).slice(1)}B`, ours.version, context)],
  ['when it was truncated', () => ours.open(ours.seal('a', context).slice(0, 10), ours.version, context)],
  ['when it is empty', () => ours.open('', ours.version, context)],
] as const) {
  t.test(`no text can be opened ${what}`, async (t) => {
    t.throws(open, { code: 'secret_mismatch', message: /CONCORDAT_SECRET/ })
  })
}

t.test('the context is a list: the boundaries of its parts matter', async (t) => {
  t.throws(() => ours.open(ours.seal('a', ['ab', 'c']), ours.version, ['a', 'bc']), {
    code: 'secret_mismatch',
  })
})

t.test('the folder gets one secret, readable by its owner alone', async (t) => {
  const folder = await temporaryFolder(t)
  const versions = await Promise.all(
    Array.from({ length: 8 }, async () => (await loadSecret(folder)).version),
  )
  t.equal(new Set(versions).size, 1, 'eight concurrent processes agree')
  t.equal((await loadSecret(folder)).version, versions[0])
  t.same(await readdir(folder), ['secret'], 'no temporary files remain')
  t.equal((await stat(join(folder, 'secret'))).mode & 0o777, 0o600)
  t.match(await readFile(join(folder, 'secret'), 'utf8'), /^[0-9a-f]{64}\n$/)
})

t.test('a secret from the environment wins, and no file is written', async (t) => {
  const folder = await temporaryFolder(t)
  const text = 'e'.repeat(32)
  t.equal((await loadSecret(folder, text)).version, createSecret(text).version)
  t.same(await readdir(folder), [])
})

t.test('an empty variable counts as unset', async (t) => {
  const folder = await temporaryFolder(t)
  t.equal((await loadSecret(folder, '')).version, (await loadSecret(folder)).version)
})

t.test('a short secret is refused, and one of 32 characters is accepted', async (t) => {
  const folder = await temporaryFolder(t)
  await t.rejects(loadSecret(folder, 'e'.repeat(31)), {
    code: 'secret_unusable',
    message: /CONCORDAT_SECRET/,
  })
  await t.resolves(loadSecret(folder, 'e'.repeat(32)))
})

t.test('a damaged or unreadable secret is never replaced', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'secret'), 'short\n')
  await t.rejects(loadSecret(folder), { code: 'secret_unusable', message: /damaged/ })
  t.equal(await readFile(join(folder, 'secret'), 'utf8'), 'short\n')
  const other = await temporaryFolder(t)
  await mkdir(join(other, 'secret'))
  await t.rejects(loadSecret(other), {
    code: 'secret_unusable',
    message: new RegExp(`Cannot read .*${other}/secret.*CONCORDAT_SECRET`),
  })
  await t.rejects(loadSecret(join(folder, 'nowhere')), { code: 'secret_unusable', message: /Cannot write/ })
})

t.test('a shared database requires the shared secret', async (t) => {
  requireSharedSecret(undefined, undefined)
  requireSharedSecret('postgres://host/db', 'the secret that is shared')
  t.throws(() => requireSharedSecret('postgres://host/db', undefined), {
    code: 'secret_unusable',
    message: /CONCORDAT_SECRET must be set together with DATABASE_URL/,
  })
})
