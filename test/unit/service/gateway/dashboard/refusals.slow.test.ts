import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { createVisitor, password } from '../../../../support/visitor.js'
import { openSite } from './site.js'

const site = await openSite(t)
/** The error text of a form. */
const problems = (html: string) =>
  [...html.matchAll(/<p class="(?:problem|notice bad)"[^>]*>([^<]*)</g)].map(([, text]) => text)

t.test('a public key over the limit, sent from an outdated page, is refused with the reason', async (t) => {
  const ada = await site.newcomer()
  const { location } = await ada.post('/keys', { name: 'a key', network: 'test' })
  const tokens = `${location?.split('?')[0]}/tokens`
  const { publicKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const register = (jwtId: string) => ada.post(tokens, { jwtId, jwtPublicKey: publicKey })
  for (let n = 1; n <= limits.jwtKeysPerKey; n += 1) t.equal((await register(`key ${n}`)).status, 303)
  const { status, html } = await register('one more')
  t.equal(status, 400)
  t.same(problems(html), [
    `This API key has ${limits.jwtKeysPerKey} public keys, the maximum. Remove one first.`,
  ])
})

t.test('a form from another site, or from a program that names no site, changes nothing', async (t) => {
  const ada = await site.newcomer()
  const send = (origin: string | null) =>
    ada.post('/keys', { name: `sent by ${origin}`, network: 'test' }, { headers: { origin } })
  for (const origin of [null, 'null', 'https://evil.example', `${site.origin}.evil.example`]) {
    const { status, html } = await send(origin)
    t.equal(status, 403, `${origin}`)
    t.match(html, 'This form was not sent from this site. Nothing was changed.')
  }
  t.equal((await send(site.origin)).status, 303)
  const { html } = await ada.get('/keys')
  t.match(html, `sent by ${site.origin}`)
  t.notMatch(html, /sent by (?:null|https:)/)
})

t.test('a wrong password is reported next to its field, in words that fit the form', async (t) => {
  const ada = await site.newcomer()
  const wrong = 'not the password at all'
  const told = async (path: string, fields: Readonly<Record<string, string>>) => {
    const { status, html } = await ada.post(path, fields)
    t.equal(status, 401, path)
    return problems(html)
  }
  const own = ['Wrong password.']
  t.same(await told('/account/password', { current: wrong, password }), own)
  t.same(await told('/account/delete', { deletePassword: wrong }), own)
  t.same(await told('/login', { email: 'nobody@example.com', password: wrong }), [
    'Wrong e-mail address or password.',
  ])
})

t.test('a common password is refused next to its field in every form', async (t) => {
  const easy = ['password1234', 'aaaaaaaaaaaa', 'abababababab', 'qwertyuiop', '1234567890', 'iloveyou123']
  const visitor = createVisitor(site.origin)
  const words = 'This password is easy to guess. Use several unrelated words or a password manager.'
  for (const weak of [...easy, 'somebody2024', 'concordat1234']) {
    const { status, html } = await visitor.post('/signup', { email: 'somebody@example.com', password: weak })
    t.equal(status, 400, weak)
    t.same(problems(html), [words], weak)
  }
  const ada = await site.newcomer('somebody@example.com')
  const changed = await ada.post('/account/password', { current: password, password: 'password1234' })
  t.equal(changed.status, 400)
  t.same(problems(changed.html), [words])
  for (const strong of ['correct horse battery', 'kX9$mq2LpZ']) {
    const { status } = await ada.post('/account/password', { current: password, password: strong })
    t.equal(status, 303, strong)
    await ada.post('/account/password', { current: strong, password })
  }
})
