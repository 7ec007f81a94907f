import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ContractError, contractError } from '../contract-error.js'
import { isArray, isObject, type JsonObject, type JsonValue, stringMember } from '../json.js'
import { discoverDocument } from './discover-document.js'
import { type Documents, type SourceDocument, writtenOut } from './documents.js'
import { createFetcher, knownDocument, type RemoteBounds, remoteDefaults } from './fetch-document.js'
import { parseDocument } from './parse-document.js'
import { sourceText, withPositions } from './source-positions.js'
import { documentProblems } from './validate-document.js'

/** Options for loading a contract. */
export interface LoadOptions {
  /** Allows fetching http and https documents that references name. Defaults to false. */
  readonly allowRemote?: boolean | undefined
  /** Limits for fetched documents. Defaults to `remoteDefaults`. */
  readonly remote?: Partial<RemoteBounds> | undefined
  /** The stream that `-` stands for. Defaults to the standard input of the process. */
  readonly standardInput?: NodeJS.ReadableStream | undefined
  /** Reads local files from elsewhere, such as a Git revision. Defaults to the file system. */
  readonly readFile?: ((path: string) => Promise<Buffer>) | undefined
}

/** File names of the main document in a folder. */
const ownNames = ['openrpc.json', 'openrpc.yaml', 'openrpc.yml'] as const

/**
 * Reads a contract's main document and every file that its references name, each once. An unreadable other
 * file is an error only if a used reference leads to it.
 * @param source a file, a folder with `openrpc.json` or `openrpc.yaml`, or `-` for standard input
 * @param options limits and permissions for other files
 * @throws ContractError when the main document cannot be read or is invalid
 */
export async function loadDocuments(source: string, options: LoadOptions = {}): Promise<Documents> {
  return documentsFrom(await readSource(source, options), options)
}

/**
 * Reads the other documents of a contract whose main document was already read.
 * @param source the main document
 * @param options limits and permissions for other files
 * @throws ContractError as {@link loadDocuments}
 */
export async function documentsFrom(source: ReadSource, options: LoadOptions = {}): Promise<Documents> {
  const root = parseDocument(source.text, source.path)
  const problems = documentProblems(root)
  if (!isObject(root) || problems.length > 0) {
    throw new ContractError(withPositions(problems, [{ name: '', value: root, text: source.text }]))
  }
  return followReferences(source, root, options)
}

/** The main document as text. */
export interface ReadSource {
  /** The path or URL against which its references are resolved. */
  readonly path: string
  readonly text: string
}

/** Returns true for the URL of a service, whose document is read with `rpc.discover`. */
export function isServiceUrl(source: string): boolean {
  return /^https?:\/\//i.test(source)
}

/**
 * Reads the text of a contract's main document.
 * @param source a file, a folder, the URL of a service, or `-` for standard input
 * @param options the stream that `-` stands for, and limits for the answer of a service
 * @throws ContractError when it cannot be read
 */
export async function readSource(source: string, options: LoadOptions = {}): Promise<ReadSource> {
  if (source === '-') {
    const text = sourceText(await buffer(options.standardInput ?? process.stdin))
    return { path: join(process.cwd(), 'standard-input'), text }
  }
  if (isServiceUrl(source)) {
    if (!URL.canParse(source)) throw contractError('', 'is not a valid URL')
    const url = new URL(source)
    // The path of a service may contain a key, so references are resolved without it.
    return { path: url.origin, text: await discoverDocument(url, { ...remoteDefaults, ...options.remote }) }
  }
  const path = options.readFile ? source : await documentPath(source)
  return { path, text: await readText(path, options.readFile) }
}

/**
 * Returns the path of the main document.
 * @param source a file, or a folder that contains the main document
 * @throws ContractError when a folder contains no document or several
 */
export async function documentPath(source: string): Promise<string> {
  const isFolder = await stat(source).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) return source
  const names = await readdir(source)
  const [name, another] = ownNames.filter((own) => names.includes(own))
  if (name === undefined)
    throw contractError('', `has no ${ownNames.join(', ')}: give the path of the document`)
  if (another !== undefined) throw contractError('', `has both ${name} and ${another}: give the path of one`)
  return join(source, name)
}

async function readText(path: string, read: (path: string) => Promise<Buffer> = readFile): Promise<string> {
  const bytes = await read(path).catch((cause: NodeJS.ErrnoException | ContractError) => {
    throw cause instanceof ContractError ? cause : contractError('', unreadable(cause), { cause })
  })
  return sourceText(bytes)
}

function unreadable({ code }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'the file does not exist'
  return code === 'EISDIR' ? 'is a folder' : `cannot be read (${code})`
}

/**
 * Reads every file that references name, from file to file.
 * @param source the main document as text
 * @param authored the parsed main document
 * @param options limits and permissions for other files
 */
export async function followReferences(
  source: ReadSource,
  authored: JsonObject,
  options: LoadOptions = {},
): Promise<Documents> {
  const { path, text } = source
  const root = writtenOut(authored)
  const own: SourceDocument = { name: '', value: root, text }
  const rootUrl = isServiceUrl(path) ? new URL(path) : pathToFileURL(path)
  const documents = new Map<string, SourceDocument | string>([[rootUrl.href, own]])
  const urls = new Map([['', rootUrl]])
  const waiting = [...filesNamed(root, rootUrl)]
  const read = reader(options)
  for (let url = waiting.pop(); url; url = waiting.pop()) {
    if (documents.has(url.href)) continue
    const found = await read(url)
    if (typeof found === 'string') {
      documents.set(url.href, found)
      continue
    }
    const name = shownName(url, rootUrl)
    documents.set(url.href, { name, value: found.json, text: found.text })
    urls.set(name, found.url)
    for (const next of filesNamed(found.json, found.url)) waiting.push(next)
  }
  return {
    root,
    all: () => [...documents.values()].filter((document) => typeof document !== 'string'),
    find: (file, from) => {
      const url = resolved(file, urls.get(from) ?? rootUrl)
      if (typeof url === 'string') return url
      const found = documents.get(url.href) ?? 'was not read'
      return typeof found === 'string' ? `"${file}" ${found}` : found
    },
  }
}

/**
 * Returns the URLs of the files that references name. Invalid names are reported where a reference is
 * followed.
 */
function filesNamed(value: JsonValue, base: URL): readonly URL[] {
  const found: URL[] = []
  const waiting: (JsonValue | undefined)[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (isArray(next)) for (const item of next) waiting.push(item)
    if (!isObject(next)) continue
    const file = stringMember(next, '$ref')?.split('#')[0] ?? ''
    const url = file === '' ? '' : resolved(file, base)
    if (typeof url !== 'string') found.push(url)
    for (const inner of Object.values(next)) waiting.push(inner)
  }
  return found
}

function resolved(file: string, base: URL): URL | string {
  if (file === '') return base
  const url = URL.canParse(file, base.href) ? new URL(file, base.href) : undefined
  if (!url) return `"${file}" is not a valid document name`
  url.hash = ''
  if (!['file:', 'http:', 'https:'].includes(url.protocol))
    return `"${file}" is neither a file nor an http URL`
  if (url.protocol === 'file:' && base.protocol !== 'file:') {
    return `"${file}" is a local file, but a fetched document may not refer to local files`
  }
  if (url.protocol === 'file:' && pathOf(url) === undefined) return `"${file}" is not a path on this machine`
  return url
}

/** Returns undefined for a file on another host, and for a name with an encoded slash. */
function pathOf(url: URL): string | undefined {
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}

/** Returns the path relative to the main document, in a form that references can use. */
function shownName(url: URL, rootUrl: URL): string {
  if (url.protocol !== 'file:' || rootUrl.protocol !== 'file:') return url.href
  return relative(dirname(fileURLToPath(rootUrl)), fileURLToPath(url))
    .split(sep)
    .join('/')
    .replaceAll(/[%#?]/g, encodeURIComponent)
}

/** A file that a reference names. */
interface OtherDocument {
  readonly json: JsonValue
  readonly text: string
  /** The URL against which its references are resolved. */
  readonly url: URL
}

/**
 * Creates a function that reads files that references name. It returns a message if a file is not available.
 */
function reader(options: LoadOptions): (url: URL) => Promise<OtherDocument | string> {
  const { allowRemote, remote } = options
  const fetched = createFetcher({ ...remoteDefaults, ...remote })
  const readLocal = (path: string) =>
    options.readFile ? readText(path, options.readFile) : readRegularFile(path)
  return async (url) => {
    const known = knownDocument(url)
    if (known) return { json: known, text: JSON.stringify(known, null, 2), url }
    const isFile = url.protocol === 'file:'
    if (!isFile && allowRemote !== true) return 'was not fetched: allow it with --allow-remote'
    try {
      const read = isFile ? { text: await readLocal(fileURLToPath(url)), url } : await fetched(url)
      return { ...read, json: parseDocument(read.text, url.pathname) }
    } catch (cause) {
      if (cause instanceof ContractError) return cause.message
      return `cannot be fetched: ${cause instanceof Error ? cause.message : String(cause)}`
    }
  }
}

/** Reads a regular file only: devices and pipes may have no end. */
async function readRegularFile(path: string): Promise<string> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw contractError('', cause.code === 'ENOENT' ? 'does not exist' : unreadable(cause), { cause })
  })
  if (!found.isFile()) throw contractError('', found.isDirectory() ? 'is a folder' : 'is not a regular file')
  return readText(path)
}
