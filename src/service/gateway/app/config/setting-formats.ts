import { isIP } from 'node:net'
import { readAddressRange } from '../../keys/index.js'
import { isNetwork, networkNames } from '../../profiles/index.js'

/** Longest host name (RFC 1035, section 2.3.4). */
const hostNameLength = 253

function urlOf(text: string, protocols: readonly string[]): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && protocols.includes(url.protocol) ? url : undefined
}

function isHost(text: string): boolean {
  const name = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i
  return isIP(text) !== 0 || (text.length <= hostNameLength && name.test(text))
}

const isPath = (text: string): boolean => text.trim() !== '' && !text.includes('\0')

function isPublicUrl(text: string): boolean {
  const url = urlOf(text, ['http:', 'https:'])
  return url !== undefined && url.search === '' && url.hash === '' && url.username === ''
}

/** The problem of a setting that names a network outside the contract. */
export const unknownNetwork = (name: string): string =>
  `is not a setting: the contract has no network ${name}, only ${networkNames.join(', ')}`

/** Formats of texts: the check, and the message after the name of the setting. */
const checks: Readonly<Record<string, readonly [isGood: (text: string) => boolean, problem: string]>> = {
  host: [isHost, 'must be an IP address or a host name to listen on'],
  folder: [isPath, 'must be a folder'],
  file: [isPath, 'must be a file'],
  'http-url': [(text) => urlOf(text, ['http:', 'https:']) !== undefined, 'must be an http or https URL'],
  'public-url': [isPublicUrl, 'must be an http or https URL without user, query and fragment'],
  origin: [
    (text) => isPublicUrl(text) && new URL(text.replace(/\/+$/, '')).pathname === '/',
    'must be an http or https URL without a path, because the dashboard needs its own host',
  ],
  'postgres-url': [
    (text) => Boolean(urlOf(text, ['postgres:', 'postgresql:'])?.hostname),
    'must be a URL of a PostgreSQL server: postgres://user:password@host:port/database',
  ],
  'smtp-url': [
    (text) => Boolean(urlOf(text, ['smtp:', 'smtps:'])?.hostname),
    'must be a URL of a mail server: smtp://user:password@host:port?from=address',
  ],
  email: [(text) => /^[^\s@]+@[^\s@]+$/.test(text), 'must be an e-mail address'],
  contact: [
    (text) => /^[^\s@]+@[^\s@]+$/.test(text) || urlOf(text, ['http:', 'https:']) !== undefined,
    'must be an e-mail address, or an http or https URL',
  ],
  colour: [(text) => /^#[0-9a-f]{6}$/i.test(text), 'must be a colour such as #2456e6'],
  'product-name': [
    (text) => /^[^\p{C}]{1,40}$/u.test(text) && text.trim() === text,
    'must be 1 to 40 visible characters without spaces around them',
  ],
  version: [(text) => /^\d+(\.\d+){0,2}$/.test(text), 'must be a version such as 1.0.0'],
  'address-range': [
    (text) => 'entry' in readAddressRange(text) && !/\/0+$/.test(text),
    'must be an IP address or a network such as 10.0.0.0/8, but not all addresses',
  ],
  name: [
    (text) => /^[\w.-]{1,64}$/.test(text),
    'must be 1 to 64 letters, digits, dots, hyphens or underscores',
  ],
  // RFC 9110, sections 5.1 and 5.5.
  'header-name': [(text) => /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(text), 'is not a valid header name'],
  'header-value': [
    (text) => /^[\t\x20-\x7e\x80-\xff]*$/.test(text),
    'must be a header value: one line of text',
  ],
  network: [isNetwork, `must be a network of the contract (${networkNames.join(', ')})`],
  'network-or-dashboard': [
    (text) => text === 'dashboard' || isNetwork(text),
    `must be dashboard or one of ${networkNames.join(', ')}`,
  ],
}

/** The checks of the formats, as the compiled schema uses them. */
export const formats: Readonly<Record<string, (text: string) => boolean>> = Object.fromEntries(
  Object.entries(checks).map(([name, [isGood]]) => [name, isGood]),
)

/** The message about a text that does not match a format. */
export const formatProblem = (format: string): string =>
  checks[format]?.[1] ?? `must be of the form ${format}`
