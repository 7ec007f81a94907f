import type { SendingStep } from '../scenario/scenario.js'
import { commandOf, programUrl, type Transport, transportOf } from './connection-url.js'
import { fillForm, readPath } from './redact/key-form.js'
import { secretsOf } from './redact/secrets-of.js'
import { TargetError } from './target-error.js'

/** Options of a target. */
export interface TargetOptions {
  /** URL of the service to test, including the key, or `stdio:` and a command. */
  readonly url: string
  /** URLs with another key of the same user, and with a revoked key. */
  readonly secondUrl?: string | undefined
  readonly revokedUrl?: string | undefined
  /** URLs with other keys, by the names that scenarios use. */
  readonly keyUrls?: Readonly<Record<string, string>> | undefined
  /** `paths` of the contract's `x-http`. If empty, the whole URL is the endpoint. */
  readonly paths: readonly string[]
  /** Name of the network. By default the suffix of the key decides. */
  readonly network?: string | undefined
  /** The contract's `x-networks`; `{}` if it has none. */
  readonly networks: Readonly<Record<string, unknown>>
}

/** The parts of a target's URL. */
export interface TargetUrl {
  /** The full URL. */
  readonly url: string
  /** The URL before the path form, without a trailing slash. */
  readonly base: string
  /** The query including `?`, or an empty string. */
  readonly query: string
  readonly form: string | undefined
  readonly key: string | undefined
}

/** The tested service. */
export interface Target {
  /** Its name in `x-networks`, if known. */
  readonly network: string | undefined
  /** The available keys, as facts. */
  readonly facts: ReadonlySet<string>
  readonly transport: Transport
  /** True if all URLs refer to this machine. A program runs on it. */
  readonly isLoopback: boolean
  /** The URL for display: its host and the suffix of its key, or the command. */
  readonly shown: string
  /** Values that must never be shown. */
  readonly secrets: readonly string[]
  /** The given URLs by key name. `own` is the target's own key. */
  readonly urls: ReadonlyMap<string, TargetUrl>
  /**
   * Returns the URL for a step.
   * @param step.path path below the target's base, with `{key}` for the key; by default the target's own form
   * @param step.key the key; by default the target's own. An empty literal removes it from the path.
   * @throws TargetError if the step needs a URL that was not given
   */
  urlFor(step?: { readonly path?: string | undefined; readonly key?: SendingStep['key'] }): string
}

/**
 * Parses the URLs of a service.
 * @throws TargetError with one sentence that names the remedy and contains no secret
 */
export function createTarget(options: TargetOptions): Target {
  const { paths, networks } = options
  const suffixes = suffixesOf(networks)
  const read = (text: string | undefined, name: string) =>
    text === undefined ? undefined : readUrl(text, name, paths, suffixes)
  const own = readUrl(options.url, 'URL', paths, suffixes)
  const second = read(options.secondUrl, 'URL of the second key')
  const revoked = read(options.revokedUrl, 'URL of the revoked key')
  const urls = new Map<string, TargetUrl>([['own', own]])
  for (const [name, url] of Object.entries(options.keyUrls ?? {})) {
    urls.set(name, readUrl(url, `URL of the key ${name}`, paths, suffixes))
  }
  if (second !== undefined) urls.set('second', second)
  if (revoked !== undefined) urls.set('revoked', revoked)
  const given = [...urls.values()]
  const otherCase = inOtherCase(own.key, suffixes)
  return {
    network: networkOf(options, own.key, suffixes),
    facts: new Set([
      ...(own.key === undefined ? [] : ['key']),
      ...[...urls.keys()].filter((name) => name !== 'own').map((name) => `${name}-key`),
    ]),
    transport: transportOf(own.url),
    isLoopback: given.every(({ url }) => isLoopback(url)),
    shown: shownUrl(own, suffixes),
    secrets: secretsOf({
      urls: given.map(({ url }) => url).filter((url) => transportOf(url) !== 'program'),
      values: [...given.map(({ key }) => key), otherCase].filter((key) => key !== undefined),
    }),
    urls,
    urlFor: ({ path, key } = {}) => {
      const from = typeof key === 'string' && key !== 'other-case' ? urls.get(key) : own
      if (from === undefined)
        throw new TargetError(`The step needs the ${key} key: give its URL with ${optionOf(key)}.`)
      const literal = key === 'other-case' ? otherCase : typeof key === 'object' ? key.literal : undefined
      if (key === 'other-case' && literal === undefined) {
        throw new TargetError('The URL has no key with letters: use a key with letters.')
      }
      if (path === undefined && literal === undefined) return from.url
      // Without path forms there is no key, and the whole URL is the endpoint.
      const form = path ?? from.form ?? paths[0]
      return form === undefined ? from.url : belowBase(from, form, literal ?? from.key)
    },
  }
}

function optionOf(key: unknown): string {
  return key === 'second' || key === 'revoked' ? `--${key}-key` : `--key ${String(key)}=URL`
}

/** Swaps the letter case of a key, except in its network suffix. Returns undefined if it has no letters. */
function inOtherCase(key: string | undefined, suffixes: ReadonlyMap<string, string>): string | undefined {
  if (key === undefined) return undefined
  const suffix = suffixOf(key, suffixes)?.shown ?? ''
  const name = key.slice(0, key.length - suffix.length)
  const changed = name.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
  return changed === name ? undefined : `${changed}${suffix}`
}

function belowBase({ base, query }: TargetUrl, form: string, key: string | undefined): string {
  const url = new URL(`${base}${fillForm(form, key)}`)
  // A key in the query is needed below every path.
  if (query !== '') url.search = [query.slice(1), url.search.slice(1)].filter((part) => part !== '').join('&')
  return url.href
}

function readProgram(text: string): TargetUrl {
  const url = programUrl(text)
  if (commandOf(url) === '')
    throw new TargetError('After stdio: comes a command, such as "stdio:npx server --stdio".')
  return { url, base: url, query: '', form: undefined, key: undefined }
}

function readUrl(
  text: string,
  name: string,
  paths: readonly string[],
  suffixes: ReadonlyMap<string, string>,
): TargetUrl {
  if (transportOf(text) === 'program') return readProgram(text)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^(?:https?|wss?):$/.test(url.protocol)) {
    throw new TargetError(
      `The ${name} must be complete and start with http://, https://, ws:// or wss://, or be stdio: and a command.`,
    )
  }
  // Fragments are never sent.
  url.hash = ''
  const path = readPath(url.pathname, paths, (key) => couldBeKey(key, suffixes))
  const front = url.href.slice(0, url.href.length - url.pathname.length - url.search.length)
  return { url: url.href, query: url.search, ...path, base: `${front}${path.base}` }
}

/**
 * Returns true for text that can be a key: it ends with a network suffix, or is long enough for a key of
 * another scheme.
 */
function couldBeKey(key: string, suffixes: ReadonlyMap<string, string>): boolean {
  return suffixes.size === 0 || key.length >= 16 || suffixOf(key, suffixes) !== undefined
}

/** Returns the key suffixes by network. */
function suffixesOf(networks: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const suffixes = new Map<string, string>()
  for (const [name, network] of Object.entries(networks)) {
    const suffix = (network as { readonly keySuffix?: unknown } | null | undefined)?.keySuffix
    if (typeof suffix === 'string' && suffix !== '') suffixes.set(name, suffix)
  }
  return suffixes
}

/**
 * Returns the network whose suffix a key has. A suffix of letters must follow a separator, so that it does
 * not match by chance.
 */
function suffixOf(key: string, suffixes: ReadonlyMap<string, string>) {
  const longestFirst = [...suffixes].sort(([, a], [, b]) => b.length - a.length)
  for (const [network, suffix] of longestFirst) {
    const before = key.at(-suffix.length - 1)
    if (!key.endsWith(suffix) || before === undefined) continue
    if (!/^[A-Za-z0-9]/.test(suffix)) return { network, shown: suffix }
    if (/[^A-Za-z0-9]/.test(before)) return { network, shown: `${before}${suffix}` }
  }
  return undefined
}

function networkOf(
  { network, networks }: TargetOptions,
  key: string | undefined,
  suffixes: ReadonlyMap<string, string>,
): string | undefined {
  if (network === undefined) return key === undefined ? undefined : suffixOf(key, suffixes)?.network
  if (Object.hasOwn(networks, network)) return network
  const names = Object.keys(networks)
  throw new TargetError(
    names.length === 0
      ? 'The contract declares no networks (x-networks), so --network cannot be used with it.'
      : `The contract has no network ${JSON.stringify(network)}: give one of ${names.join(', ')} with --network.`,
  )
}

function isLoopback(url: string): boolean {
  if (transportOf(url) === 'program') return true
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

function shownUrl({ url, key }: TargetUrl, suffixes: ReadonlyMap<string, string>): string {
  if (transportOf(url) === 'program') return `stdio:${commandOf(url)}`
  const { protocol, host, pathname, search } = new URL(url)
  const hides = pathname !== '/' || search !== ''
  const suffix = key === undefined ? '' : (suffixOf(key, suffixes)?.shown ?? '')
  return `${protocol}//${host}/${hides ? `•••••${suffix}` : ''}`
}
