import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ContractError, contractError } from './contract-error.js'
import type { Documents, SourceDocument } from './documents.js'
import { isArray, isObject, type JsonObject, type JsonValue, stringMember } from './json.js'
import { parseDocument } from './parse-document.js'
import { validateDocument } from './validate-document.js'

/** Where a contract may be read from. */
export interface LoadOptions {
  /** Fetch the http and https documents that references name; refused by default. */
  readonly allowRemote?: boolean | undefined
  /** What `-` reads; the process's standard input by default. */
  readonly standardInput?: NodeJS.ReadableStream | undefined
}

/** Bounds of a document that is fetched. */
const remoteDefaults = {
  /** Milliseconds until a whole document must be there. */
  timeout: 10_000,
  /** Bytes that it may have. */
  bytes: 10 * 1024 * 1024,
} as const

/** Names under which a folder's own document is looked for, in this order. */
const ownNames = ['openrpc.json', 'openrpc.yaml', 'openrpc.yml'] as const

/**
 * Reads a contract's document and every file that its references name, each once.
 * @param source a file, a folder with `openrpc.json` or `openrpc.yaml`, or `-` for standard input
 * @throws ContractError where the document itself cannot be used; another file that cannot be read is told of only
 * where a reference to it is followed
 */
export async function loadDocuments(source: string, options: LoadOptions = {}): Promise<Documents> {
  return documentsFrom(await readSource(source, options), options)
}

/**
 * The documents of a contract whose own one was read already.
 * @throws ContractError as {@link loadDocuments}
 */
export async function documentsFrom(
  { path, text }: ReadSource,
  options: LoadOptions = {},
): Promise<Documents> {
  const value = parseDocument(text, path)
  validateDocument(value)
  return withOthers({ name: '', value, text }, value, pathToFileURL(path), options)
}

/** A contract's own document as it was read. */
export interface ReadSource {
  /** The path that its references start from. */
  readonly path: string
  readonly text: string
}

/**
 * The text of a contract's own document, and the path that references in it start from.
 * @throws ContractError where it cannot be read
 */
export async function readSource(source: string, options: LoadOptions = {}): Promise<ReadSource> {
  if (source === '-') {
    const text = await textOf(options.standardInput ?? process.stdin)
    return { path: join(process.cwd(), 'standard-input'), text }
  }
  const path = await documentPath(source)
  return { path, text: await readText(path) }
}

async function documentPath(source: string): Promise<string> {
  const isFolder = await stat(source).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) return source
  const names = await readdir(source)
  const [name, another] = ownNames.filter((own) => names.includes(own))
  if (name === undefined) throw contractError('', `is a folder without ${ownNames.join(', ')}`)
  if (another !== undefined) throw contractError('', `is a folder with both ${name} and ${another}: name one`)
  return join(source, name)
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw contractError('', unreadable(cause), { cause })
  })
}

function unreadable({ code }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'there is no such file'
  return code === 'EISDIR' ? 'is a folder' : `cannot be read (${code})`
}

/** Follows the references from file to file. */
async function withOthers(
  own: SourceDocument,
  root: JsonObject,
  rootUrl: URL,
  options: LoadOptions,
): Promise<Documents> {
  const documents = new Map<string, SourceDocument | string>([[rootUrl.href, own]])
  const urls = new Map([['', rootUrl]])
  const waiting = [...filesNamed(root, rootUrl)]
  for (let url = waiting.pop(); url; url = waiting.pop()) {
    if (documents.has(url.href)) continue
    const name = shownName(url, rootUrl)
    const value = await readOther(url, options)
    documents.set(url.href, typeof value === 'string' ? value : { name, value: value.json, text: value.text })
    if (typeof value === 'string') continue
    urls.set(name, url)
    waiting.push(...filesNamed(value.json, url))
  }
  return {
    root,
    all: () => [...documents.values()].filter((document) => typeof document !== 'string'),
    find: (file, from) => {
      const url = resolved(file, urls.get(from) ?? rootUrl)
      if (typeof url === 'string') return url
      const found = documents.get(url.href) ?? 'is not read'
      return typeof found === 'string' ? `"${file}" ${found}` : found
    },
  }
}

/** The URLs of the files that references in a document name; what cannot be one is told of where it is followed. */
function filesNamed(value: JsonValue, base: URL): readonly URL[] {
  const found: URL[] = []
  const waiting: (JsonValue | undefined)[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (isArray(next)) waiting.push(...next)
    if (!isObject(next)) continue
    const file = stringMember(next, '$ref')?.split('#')[0] ?? ''
    const url = file === '' ? '' : resolved(file, base)
    if (typeof url !== 'string') found.push(url)
    waiting.push(...Object.values(next))
  }
  return found
}

function resolved(file: string, base: URL): URL | string {
  if (file === '') return base
  const url = URL.canParse(file, base.href) ? new URL(file, base.href) : undefined
  if (!url) return `"${file}" is no name of a document`
  url.hash = ''
  if (!['file:', 'http:', 'https:'].includes(url.protocol)) return `"${file}" is no file and no http address`
  if (url.protocol === 'file:' && base.protocol !== 'file:') {
    return `"${file}" is a local file, named by a document that was fetched`
  }
  return url
}

function shownName(url: URL, rootUrl: URL): string {
  if (url.protocol !== 'file:') return url.href
  return relative(dirname(fileURLToPath(rootUrl)), fileURLToPath(url))
    .split(sep)
    .join('/')
}

/** A file's JSON, or in words why there is none. */
async function readOther(
  url: URL,
  options: LoadOptions,
): Promise<{ readonly json: JsonValue; readonly text: string } | string> {
  if (url.protocol !== 'file:' && options.allowRemote !== true) {
    return 'is not fetched: --allow-remote allows it'
  }
  try {
    const text =
      url.protocol === 'file:' ? await readFile(fileURLToPath(url), 'utf8') : await fetchedText(url)
    return { json: parseDocument(text, url.pathname), text }
  } catch (cause) {
    if (cause instanceof ContractError) return cause.message
    const { code } = cause as NodeJS.ErrnoException
    return url.protocol === 'file:' && typeof code === 'string'
      ? unreadable({ ...(cause as Error), code })
      : `cannot be fetched: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

async function fetchedText(url: URL): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(remoteDefaults.timeout) })
  if (!response.ok)
    throw contractError('', `cannot be fetched: it is answered with status ${response.status}`)
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.byteLength
    if (bytes > remoteDefaults.bytes) {
      throw contractError('', `cannot be fetched: it has more than ${remoteDefaults.bytes} bytes`)
    }
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
