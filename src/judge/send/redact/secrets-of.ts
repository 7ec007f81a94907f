import { percentDecoded } from './percent-decoded.js'

/** Sources of secrets. */
export interface SecretSources {
  readonly urls?: readonly string[]
  /** Headers given by the user, by name. */
  readonly headers?: Readonly<Record<string, string>>
  /** Other secrets. */
  readonly values?: readonly string[]
}

/** Minimum length of a path segment that counts as a possible key, in characters. */
const SHORTEST_SEGMENT = 16

/** Headers whose values are not secret. */
const PUBLIC_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  'content-type',
  'user-agent',
])

/**
 * Returns the secrets in user input: user info, long path segments, query values, header values, and other
 * values.
 */
export function secretsOf({ urls = [], headers = {}, values = [] }: SecretSources): string[] {
  const found = new Set<string>(values)
  for (const url of urls) for (const secret of secretsOfUrl(url)) found.add(secret)
  for (const [name, value] of Object.entries(headers)) {
    for (const secret of secretsOfHeader(name.toLowerCase(), value.trim())) found.add(secret)
  }
  found.delete('')
  return [...found]
}

function secretsOfUrl(text: string): string[] {
  if (!URL.canParse(text)) return text.split(/[/?#&=@:]/).filter((part) => part.length >= SHORTEST_SEGMENT)
  const url = new URL(text)
  const name = percentDecoded(url.username)
  const password = percentDecoded(url.password)
  const segments = url.pathname
    .split('/')
    .filter((segment) => percentDecoded(segment).length >= SHORTEST_SEGMENT)
  const query = url.search.slice(1).split('&')
  const queryValues = query.map((pair) => pair.slice(pair.indexOf('=') + 1))
  return [
    ...(name === '' && password === '' ? [] : userInfoForms(name, password)),
    ...[url.username, url.password, ...segments, ...queryValues].flatMap((part) => [
      part,
      percentDecoded(part),
    ]),
    ...url.searchParams.values(),
  ]
}

/** Returns user info as written and as encoded in an Authorization header. */
function userInfoForms(name: string, password: string): string[] {
  const pair = `${name}:${password}`
  const base64 = Buffer.from(pair).toString('base64')
  return [name, password, pair, base64, base64.replace(/=+$/, '')]
}

function secretsOfHeader(name: string, value: string): string[] {
  if (PUBLIC_HEADERS.has(name)) return []
  const secrets = [value]
  // The credentials of `Bearer x` and `Basic x` are secrets without the scheme, too.
  const [, scheme = '', credentials = ''] = /^([\w-]+)\s+(\S.*)$/.exec(value) ?? []
  secrets.push(credentials)
  if (scheme.toLowerCase() === 'basic') {
    const pair = Buffer.from(credentials, 'base64').toString('utf8')
    const colon = pair.indexOf(':')
    if (colon >= 0) secrets.push(...userInfoForms(pair.slice(0, colon), pair.slice(colon + 1)))
  }
  if (name === 'cookie') {
    for (const cookie of value.split(';')) secrets.push(cookie.slice(cookie.indexOf('=') + 1).trim())
  }
  return secrets
}
