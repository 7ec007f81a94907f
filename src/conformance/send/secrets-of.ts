import { percentDecoded } from './percent-decoded.js'

/** Where secrets may be. */
export interface SecretSources {
  readonly urls: readonly string[]
  /** Headers that somebody gave, by name. */
  readonly headers: Readonly<Record<string, string>>
  /** Other secrets, as they are. */
  readonly values: readonly string[]
}

/** Segments of a path that are at least so long may be keys. */
const SHORTEST_SEGMENT = 16

/** Headers whose values say nothing about who sends them. */
const PUBLIC_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  'content-type',
  'user-agent',
])

/** Every secret in what somebody gave: user info, long path segments, query values, header values, and values. */
export function secretsOf({ urls, headers, values }: SecretSources): string[] {
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

/** User info as it is, and as it travels in an Authorization header. */
function userInfoForms(name: string, password: string): string[] {
  const pair = `${name}:${password}`
  const base64 = Buffer.from(pair).toString('base64')
  return [name, password, pair, base64, base64.replace(/=+$/, '')]
}

function secretsOfHeader(name: string, value: string): string[] {
  if (PUBLIC_HEADERS.has(name)) return []
  const secrets = [value]
  // `Bearer x`, `Basic x`: the second word alone gives the same access.
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
