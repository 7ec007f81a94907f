import fc from 'fast-check'
import { codePoint } from '../../test/support/code-point.js'
import { dashboardRoutes } from '../../test/support/dashboard-routes.js'
import { jsonMutations, mutate } from '../../test/support/mutations.js'
import {
  createVisitor,
  hiddenFields,
  newAddress,
  password,
  type Visitor,
} from '../../test/support/visitor.js'
import { type Direction, Finding } from './direction.js'

/** A request of a browser to the dashboard. `:id` in the path is the id of a key. */
export interface FormInput {
  readonly as: 'user' | 'operator' | 'nobody'
  readonly verb: 'GET' | 'POST'
  readonly path: string
  /** Fields of the form, or of the query. A name may repeat. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** True for the CSRF token of the session, undefined for no token, or another text. */
  readonly token: string | true | undefined
  /** Cookies to send instead of those of the session. */
  readonly cookie: string | undefined
  readonly contentType: string
}

const form = 'application/x-www-form-urlencoded'
/** A text that must not become markup. */
const markup = "\"><fuzz a='b'>"

const value = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 40 }),
  fc.constantFrom(
    ...[
      '',
      '0',
      '-1',
      '1e9',
      '99999999999999999999',
      'NaN',
      '2026-02-30',
      '2026-11-27T00:00',
      'on',
      'test',
      'main',
    ],
    ...[
      markup,
      '\0',
      '%00',
      '%',
      '\r\nset-cookie: a=b',
      '../../x',
      '__proto__',
      "' or 1=1 --",
      '\u202e',
      '\ud800',
    ],
    ...['//evil.example', 'javascript:alert(1)', '10.0.0.0/8, ::/0', 'eth_call, eth_', '0x', 'a@example.com'],
    ...['x'.repeat(5_000), '{"kty":"RSA"}', '-----BEGIN PUBLIC KEY-----', '123456'],
  ),
)

/** Returns the field names of all forms and queries, and some that no form has. */
function namesIn(pages: readonly string[]): readonly string[] {
  const found = pages.flatMap((html) =>
    [...html.matchAll(/<(?:input|select|textarea|button)[^>]* name="([^"]+)"/g)].map(([, name = '']) => name),
  )
  const queries = pages.flatMap((html) => [...html.matchAll(/[?;]([a-z]+)=/gi)].map(([, name = '']) => name))
  return [
    ...new Set([...found, ...queries, '__proto__', 'constructor', 'name[]', 'toString', 'next', 'token']),
  ]
}

/** Paths whose forms end a session or hash a password. They are tried less often. */
const costly = /password|signup|login|logout|delete|forgot|reset|address|second|code/

/** A session of the dashboard, with a key and a CSRF token. */
interface Session {
  readonly visitor: Visitor
  readonly keyId: string
  readonly token: string
}

/** Creates the direction that sends forms to the dashboard. It finds server errors, and fields that become markup. */
export async function formDirection(
  origin: string,
  operatorAddress: string,
): Promise<Direction<FormInput> & { readonly sessions: () => number }> {
  let opened = 0
  const open = async (email: string): Promise<Session> => {
    opened += 1
    const visitor = createVisitor(origin)
    const { status, html } = await visitor.post('/signup', { email, password })
    // Only the first sign-up of the operator succeeds.
    if (status !== 303) await visitor.post('/login', { email, password }, { from: '/login' })
    if (visitor.cookies.size === 0) throw new Error(html)
    const made = await visitor.post('/keys', { name: 'a key', network: 'test' })
    const found = made.location ?? (await visitor.get('/keys')).html
    const [keyId = 'key_0'] = /key_[0-9a-z]+/.exec(found) ?? []
    const token = hiddenFields((await visitor.get('/account')).html)['_csrf'] ?? ''
    return { visitor, keyId, token }
  }
  const sessions = {
    user: await open(newAddress()),
    operator: await open(operatorAddress),
    nobody: { visitor: createVisitor(origin), keyId: 'key_0', token: '' },
  }
  const routes = await dashboardRoutes()
  const pages: string[] = []
  for (const { method, path } of routes) {
    if (method !== 'GET' || /[*]|assets|events$/.test(path)) continue
    const { visitor, keyId } = sessions.operator
    const { status, html } = await visitor.get(path.replaceAll(':id', keyId).replaceAll(':', ''))
    if (status < 400) pages.push(html)
  }

  async function renewed(as: FormInput['as']): Promise<Session> {
    if (as !== 'nobody' && (await sessions[as].visitor.get('/account')).status !== 200)
      sessions[as] = await open(as === 'user' ? newAddress() : operatorAddress)
    return sessions[as]
  }

  async function send(input: FormInput): Promise<string> {
    const { visitor, keyId, token } = sessions[input.as]
    const own = [...visitor.cookies].map(([name, text]) => `${name}=${text}`).join('; ')
    const path = input.path.replaceAll(':id', keyId).replaceAll(':', '').replace('*', 'x')
    const sent = input.token === true ? token : input.token
    const fields = [...input.fields, ...(sent === undefined ? [] : [['_csrf', sent] as const])]
    const query = fields.map((pair) => pair.map(encoded).join('=')).join('&')
    const isPost = input.verb === 'POST'
    const address = createVisitorAddress()
    const response = await fetch(`${origin}${path}${isPost || query === '' ? '' : `?${query}`}`, {
      method: input.verb,
      redirect: 'manual',
      headers: {
        origin,
        'x-forwarded-for': address,
        ...((input.cookie ?? own) !== '' && { cookie: input.cookie ?? own }),
        ...(isPost && { 'content-type': input.contentType }),
      },
      ...(isPost && { body: query }),
    })
    // A stream of events has no end.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    const html = isStream ? '' : await response.text()
    if (isStream) await response.body?.cancel()
    if (response.status >= 500) throw new Finding(`HTTP ${response.status}: ${html.slice(0, 300)}`)
    if (html.includes('<fuzz')) throw new Finding(`a field became markup (HTTP ${response.status})`)
    if (response.headers.getSetCookie().some((line) => /^a=b/.test(line.trim())))
      throw new Finding('a cookie was set')
    if (isPost && response.status === 303) await renewed(input.as)
    return `HTTP ${response.status}`
  }

  return {
    name: 'forms',
    atOnce: 8,
    inputs: formInputs(routes, namesIn(pages)),
    send,
    sessions: () => opened,
  }
}

let addresses = 0
/** Returns a new client address, so that the limits of an address have no effect. */
function createVisitorAddress(): string {
  addresses += 1
  return `11.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}

/** Encodes a text for a form. `encodeURIComponent` would throw for lone surrogates. */
const encoded = (text: string): string => new URLSearchParams([[text, '']]).toString().slice(0, -1)

function formInputs(
  routes: Awaited<ReturnType<typeof dashboardRoutes>>,
  names: readonly string[],
): fc.Arbitrary<FormInput> {
  const name = fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: value })
  const route = fc.oneof(
    ...routes.map(({ method, path }) => ({
      weight: costly.test(path) && method === 'POST' ? 1 : 12,
      arbitrary: fc.constant({ verb: method as FormInput['verb'], path }),
    })),
  )
  const cookieText = fc
    .tuple(fc.array(jsonMutations, { minLength: 1, maxLength: 3 }), fc.nat())
    .map(([changes, number]) => mutate(`concordat.session_token=a${number}.b%3D; _csrf=${number}`, changes))
    // Removes characters that `fetch` does not accept in header values.
    .map((text) => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').trim())
  return fc
    .record({
      as: fc.constantFrom<FormInput['as']>('user', 'user', 'operator', 'operator', 'nobody'),
      route,
      fields: fc.array(fc.tuple(name, value), { maxLength: 8 }),
      token: fc.oneof(
        { weight: 6, arbitrary: fc.constant<true>(true) },
        { weight: 1, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: value },
      ),
      cookie: fc.option(cookieText, { freq: 8, nil: undefined }),
      isOwnCookie: fc.nat(7),
      contentType: fc.constantFrom(
        form,
        form,
        form,
        form,
        `${form}; charset=x`,
        'application/json',
        'text/plain',
      ),
    })
    .map(({ route: { verb, path }, isOwnCookie, cookie, ...rest }) => ({
      ...rest,
      verb,
      path,
      cookie: isOwnCookie === 0 ? cookie : undefined,
    }))
}
