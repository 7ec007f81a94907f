import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { limits } from '../../../generated/contract.js'
import { password } from '../../support/dashboard.js'
import { openSite } from './site.js'

const site = await openSite(t)
/** What is said of a form. */
const problems = (html: string) =>
  [...html.matchAll(/<p class="(?:problem|notice bad)"[^>]*>([^<]*)</g)].map(([, text]) => text)

t.test(
  'a public key too many, sent from a page that was opened before, is refused with the reason',
  async (t) => {
    const ada = await site.newcomer()
    const { location } = await ada.post('/keys', { name: 'a key', network: 'test' })
    const tokens = `${location?.split('?')[0]}/settings/tokens`
    const { publicKey } = generateKeyPairSync('ed25519', {
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    const register = (jwtId: string) => ada.post(tokens, { jwtId, jwtPublicKey: publicKey })
    for (let n = 1; n <= limits.jwtKeysPerKey; n += 1) t.equal((await register(`key ${n}`)).status, 303)
    const { status, html } = await register('one more')
    t.equal(status, 400)
    t.same(problems(html), [
      `There are ${limits.jwtKeysPerKey} public keys, as many as one API key can have.`,
    ])
  },
)

t.test('a wrong password is told beside its field, in words that fit the form', async (t) => {
  const ada = await site.newcomer()
  const wrong = 'not the password at all'
  const told = async (path: string, fields: Readonly<Record<string, string>>) => {
    const { status, html } = await ada.post(path, fields)
    t.equal(status, 401, path)
    return problems(html)
  }
  const own = ['This is not your password.']
  t.same(await told('/account/password', { current: wrong, password }), own)
  t.same(await told('/account/delete', { deletePassword: wrong }), own)
  t.same(await told('/login', { email: 'nobody@example.com', password: wrong }), [
    'This does not fit. Check the address and the password.',
  ])
})
