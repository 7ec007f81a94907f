import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ContractError, contractError } from '../contract-error.js'
import { isArray, isObject, type JsonObject, type JsonValue, stringMember } from '../json.js'
import type { Documents, SourceDocument } from './documents.js'
import { createFetcher, type RemoteBounds, remoteDefaults } from './fetch-document.js'
import { parseDocument } from './parse-document.js'
import { withPositions } from './source-positions.js'
import { sourceText } from './source-text.js'
import { documentProblems } from './validate-document.js'

/** Where a contract may be read from. */
export interface LoadOptions {
  /** Fetch the http and https documents that references name; refused by default. */
  readonly allowRemote?: boolean | undefined
  /** Bounds of what is fetched; `remoteDefaults` where nothing is said. */
  readonly remote?: Partial<RemoteBounds> | undefined
  /** What `-` reads; the process's standard input by default. */
  readonly standardInput?: NodeJS.ReadableStream | undefined
}

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
export async function documentsFrom(source: ReadSource, options: LoadOptions = {}): Promise<Documents> {
  const root = parseDocument(source.text, source.path)
  const problems = documentProblems(root)
  if (!isObject(root) || problems.length > 0) {
    throw new ContractError(withPositions(problems, [{ name: '', value: root, text: source.text }]))
  }
  return followReferences(source, root, options)
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
    const text = sourceText(await buffer(options.standardInput ?? process.stdin))
    return { path: join(process.cwd(), 'standard-input'), text }
  }
  if (/^https?:\/\//i.test(source)) {
    throw contractError(
      '',
      'is a web address: save it to a file first, or pass it in: curl … | concordat … -',
    )
  }
  const path = await documentPath(source)
  return { path, text: await readText(path) }
}

/**
 * The file that a source stands for: itself, or a folder's own document.
 * @throws ContractError where a folder has none, or several
 */
export async function documentPath(source: string): Promise<string> {
  const isFolder = await stat(source).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) return source
  const names = await readdir(source)
  const [name, another] = ownNames.filter((own) => names.includes(own))
  if (name === undefined) throw contractError('', `has no ${ownNames.join(', ')}: name the document itself`)
  if (another !== undefined) throw contractError('', `has both ${name} and ${another}: name one`)
  return join(source, name)
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw contractError('', unreadable(cause), { cause })
  })
  return sourceText(bytes)
}

function unreadable({ code }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'there is no such file'
  return code === 'EISDIR' ? 'is a folder' : `cannot be read (${code})`
}

/**
 * A document and every file that its references name, followed from file to file.
 * @param root what the text of the source says
 */
export async function followReferences(
  { path, text }: ReadSource,
  root: JsonObject,
  options: LoadOptions = {},
): Promise<Documents> {
  const own: SourceDocument = { name: '', value: root, text }
  const rootUrl = pathToFileURL(path)
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
  if (!url) return `"${file}" is no name of a document`
  url.hash = ''
  if (!['file:', 'http:', 'https:'].includes(url.protocol)) return `"${file}" is no file and no http address`
  if (url.protocol === 'file:' && base.protocol !== 'file:') {
    return `"${file}" is a local file, named by a document that was fetched`
  }
  if (url.protocol === 'file:' && pathOf(url) === undefined) return `"${file}" is no path of this machine`
  return url
}

/** Undefined for the file of another host, and for a name with an encoded slash. */
function pathOf(url: URL): string | undefined {
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}

/** The path from the contract's own document, readable, and as a reference may have it. */
function shownName(url: URL, rootUrl: URL): string {
  if (url.protocol !== 'file:') return url.href
  return relative(dirname(fileURLToPath(rootUrl)), fileURLToPath(url))
    .split(sep)
    .join('/')
    .replaceAll(/[%#?]/g, encodeURIComponent)
}

/** A file that a reference names. */
interface OtherDocument {
  readonly json: JsonValue
  readonly text: string
  /** Where references in it start from. */
  readonly url: URL
}

/** Reads files that references name, or says in words why there is none. */
function reader({ allowRemote, remote }: LoadOptions): (url: URL) => Promise<OtherDocument | string> {
  const fetched = createFetcher({ ...remoteDefaults, ...remote })
  return async (url) => {
    const isFile = url.protocol === 'file:'
    if (!isFile && allowRemote !== true) return 'is not fetched: --allow-remote allows it'
    try {
      const read = isFile ? { text: await readRegularFile(fileURLToPath(url)), url } : await fetched(url)
      return { ...read, json: parseDocument(read.text, url.pathname) }
    } catch (cause) {
      if (cause instanceof ContractError) return cause.message
      return `cannot be fetched: ${cause instanceof Error ? cause.message : String(cause)}`
    }
  }
}

/** A device or a pipe may have no end; a reference to one is a mistake, or worse. */
async function readRegularFile(path: string): Promise<string> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw contractError('', cause.code === 'ENOENT' ? 'does not exist' : unreadable(cause), { cause })
  })
  if (!found.isFile()) throw contractError('', found.isDirectory() ? 'is a folder' : 'is no regular file')
  return readText(path)
}
