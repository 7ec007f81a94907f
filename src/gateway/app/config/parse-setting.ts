import { isIP } from 'node:net'
import { limits } from '../../../../generated/contract.js'
import { readAddressRange } from '../../keys/address-range.js'
import { isNetwork, type Network, networkNames } from '../../networks/network.js'
import type { NodeSettings } from '../../nodes/node-settings.js'

/** Why a setting's text cannot be used: reads behind the setting's name. */
export class Refusal {
  constructor(readonly reason: string) {}
}

/** Makes a setting's value of its text, wherever the text comes from. */
export type Parse<T> = (text: string) => T | Refusal

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** A level of the log, the most severe first; `silent` writes nothing. */
export type LogLevel = (typeof logLevels)[number]

/** Secrets shorter than this, in characters, are refused: they could be guessed from a dump of the database. */
const secretMinimumLength = 32
/** Longest host name (RFC 1035, section 2.3.4). */
const hostNameLength = 253
/** The longest wait for a node, in milliseconds. */
const nodeTimeoutMs = limits.nodeTimeoutSeconds * 1000

/** A whole number between two others, both allowed. */
export function wholeNumber(least: number, most: number): Parse<number> {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    return value >= least && value <= most
      ? value
      : new Refusal(`must be a whole number from ${least} to ${most}`)
  }
}

/** A TCP port; 0 takes a free one. */
export const parsePort = wholeNumber(0, 65_535)

/** An address, or a name of one, to listen on. */
export const parseHost: Parse<string> = (text) => {
  const name = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i
  return isIP(text) !== 0 || (text.length <= hostNameLength && name.test(text))
    ? text
    : new Refusal('must be an IP address or a host name to listen on')
}

/** The path of a folder. */
export const parseFolder: Parse<string> = (text) =>
  text.trim() === '' || text.includes('\0') ? new Refusal('must be a folder') : text

/** A secret that cannot be guessed. */
export const parseSecret: Parse<string> = (text) =>
  text.length >= secretMinimumLength
    ? text
    : new Refusal(`must have ${secretMinimumLength} characters or more`)

function parseUrl(text: string, protocols: readonly string[]): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && protocols.includes(url.protocol) ? url : undefined
}

const isHttpUrl = (text: string) => parseUrl(text, ['http:', 'https:']) !== undefined

/** A PostgreSQL server. */
export const parseDatabaseUrl: Parse<string> = (text) =>
  parseUrl(text, ['postgres:', 'postgresql:'])?.hostname
    ? text
    : new Refusal('must be a URL of a PostgreSQL server: postgres://user:password@host:port/database')

/** Networks of the contract, separated by commas. */
export const parseNetworks: Parse<readonly Network[]> = (text) => {
  const given = text.split(',').map((part) => part.trim())
  return given.every(isNetwork)
    ? networkNames.filter((name) => given.includes(name))
    : new Refusal(`must name networks of the contract (${networkNames.join(', ')}), separated by commas`)
}

/** URLs of a network's nodes, separated by commas; the word `embedded` is a development chain. */
export function parseNodes(network: string): Parse<readonly NodeSettings[]> {
  return (text) => {
    if (text === EMBEDDED) return []
    const urls = text.split(',').map((part) => part.trim())
    if (!urls.every(isHttpUrl)) return new Refusal('must be http or https URLs, separated by commas')
    return urls.map((url, at) => ({ url, ...nodeDefaults(network, at) }))
  }
}

/** What stands for a development chain in place of nodes; so does nothing. */
const EMBEDDED = 'embedded'

/** What a node is where configuration names its URL alone. */
export const nodeDefaults = (network: string, at: number) => ({
  name: `${network}-${at + 1}`,
  weight: 1,
  headers: {},
  timeoutMs: nodeTimeoutMs,
})

/** One node's URL. */
export const parseNodeUrl: Parse<string> = (text) =>
  isHttpUrl(text) ? text : new Refusal('must be an http or https URL')

/** A node's name: a label of metrics. */
export const parseNodeName: Parse<string> = (text) =>
  /^[\w.-]{1,64}$/.test(text)
    ? text
    : new Refusal('must be 1 to 64 letters, digits, dots, hyphens or underscores')

/** A node's share of the calls. */
export const parseNodeWeight = wholeNumber(0, 1000)

/** How long a call to a node may take. */
export const parseNodeTimeout = wholeNumber(1, nodeTimeoutMs)

/** The value of a header that goes to a node (RFC 9110, section 5.5). */
export const parseHeaderValue: Parse<string> = (text) =>
  /^[\t\x20-\x7e\x80-\xff]*$/.test(text) ? text : new Refusal('must be a header value: one line of text')

/** What users are shown as the base of their URLs. */
export const parsePublicUrl: Parse<string> = (text) => {
  const url = parseUrl(text, ['http:', 'https:'])
  return url === undefined || url.search !== '' || url.hash !== '' || url.username !== ''
    ? new Refusal('must be an http or https URL without user, query and fragment')
    : text.replace(/\/+$/, '')
}

/** Where people reach the dashboard. */
export const parseOrigin: Parse<string> = (text) => {
  const url = parsePublicUrl(text)
  return url instanceof Refusal || new URL(url).pathname !== '/'
    ? new Refusal('must be an http or https URL without a path: the dashboard has a host of its own')
    : new URL(url).origin
}

/** A mail server. */
export const parseSmtpUrl: Parse<string> = (text) =>
  parseUrl(text, ['smtp:', 'smtps:'])?.hostname
    ? text
    : new Refusal('must be a URL of a mail server: smtp://user:password@host:port?from=address')

/** E-mail addresses, separated by commas. */
export const parseEmails: Parse<readonly string[]> = (text) => {
  const addresses = text.split(',').map((part) => part.trim().toLowerCase())
  return addresses.every((address) => /^[^\s@]+@[^\s@]+$/.test(address))
    ? addresses
    : new Refusal('must be e-mail addresses, separated by commas')
}

/** Networks of proxies, separated by commas. */
export const parseTrustedProxies: Parse<readonly string[]> = (text) => {
  const networks = text.split(',').map((part) => part.trim())
  if (!networks.every((network) => 'entry' in readAddressRange(network)))
    return new Refusal('must be IP addresses or networks such as 10.0.0.0/8, separated by commas')
  return networks.some((network) => /\/0+$/.test(network))
    ? new Refusal('must not hold every address: anybody could then choose the address that they come from')
    : networks
}

/** The least severe level that is logged. */
export const parseLogLevel: Parse<LogLevel> = (text) =>
  logLevels.find((level) => level === text) ?? new Refusal(`must be one of ${logLevels.join(', ')}`)

/** A share, from 0 to 1. */
export const parseRatio: Parse<number> = (text) =>
  /^(?:0|1|0?\.\d+|1\.0+)$/.test(text) ? Number(text) : new Refusal('must be a number from 0 to 1')
