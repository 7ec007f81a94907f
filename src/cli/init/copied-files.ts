import { basename, dirname, posix, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { GeneratedFile } from '../../toolkit/codegen/index.js'
import type { Documents, SourceDocument } from '../../toolkit/contract/index.js'
import {
  contractError,
  isArray,
  isObject,
  type JsonValue,
  stringMember,
} from '../../toolkit/contract/index.js'

/** The folder of the contract's files in a project. */
export const contractFolder = 'contract'

/** Returns true for a fetched document. */
export function isRemote({ name }: Pick<SourceDocument, 'name'>): boolean {
  return name.includes('://')
}

/**
 * Copies the local files of a contract into one folder and keeps their relative paths, so that references
 * work.
 * @param documents the files of the contract
 * @param path the path of the main document
 * @throws ContractError when a reference would have another target in the copy
 */
export function copiedFiles(
  documents: Documents,
  path: string,
): { readonly path: string; readonly files: readonly GeneratedFile[] } {
  const local = documents.all().filter((document) => !isRemote(document))
  const above = foldersAbove(local, dirname(resolve(path)))
  const placeOf = ({ name }: Pick<SourceDocument, 'name'>) =>
    posix.join(contractFolder, ...above, name === '' ? basename(path) : fileName(name))
  for (const document of local) checkReferences(documents, document, placeOf)
  const files = new Map(local.map((document) => [placeOf(document), document.text ?? '']))
  return {
    path: placeOf({ name: '' }),
    files: [...files].map(([path, content]) => ({ path, content })),
  }
}

/** Decodes the characters that document names have percent-encoded: `%25`, `%23` and `%3F`. */
function fileName(name: string): string {
  return name.replaceAll(/%(?:25|23|3F)/g, decodeURIComponent)
}

/** Returns the parent folders to keep, so that every `..` of a file name stays inside the copy. */
function foldersAbove(local: readonly SourceDocument[], folder: string): readonly string[] {
  const steps = local.map(({ name }) => name.split('/').findIndex((part) => part !== '..'))
  const most = Math.max(...steps)
  return most === 0 ? [] : folder.split(sep).filter(Boolean).slice(-most)
}

/** Rejects absolute references and those above the root, which have another target in a copy. */
function checkReferences(
  documents: Documents,
  document: SourceDocument,
  placeOf: (document: SourceDocument) => string,
): void {
  for (const file of filesNamed(document.value)) {
    const target = documents.find(file, document.name)
    if (typeof target === 'string' || isRemote(target)) continue
    // Use a root that is deep enough for every `..`.
    const root = new URL(`file:///${'x/'.repeat(file.split('/').length)}`)
    const expected = new URL(urlPath(placeOf(target)), root)
    const found = new URL(file, new URL(urlPath(placeOf(document)), root))
    if (fileURLToPath(found) !== fileURLToPath(expected)) {
      throw contractError(
        `${document.name}#`,
        `"${file}" would have another target in the copied project: make it relative to the file that contains it`,
      )
    }
  }
}

/** Returns the files that references name, as written. */
function filesNamed(value: JsonValue): ReadonlySet<string> {
  const found = new Set<string>()
  const waiting: (JsonValue | undefined)[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (isArray(next)) waiting.push(...next)
    if (!isObject(next)) continue
    const file = stringMember(next, '$ref')?.split('#')[0] ?? ''
    if (file !== '') found.add(file)
    waiting.push(...Object.values(next))
  }
  return found
}

/** Encodes a path with `/` between names for a URL or a Markdown link. */
export function urlPath(path: string): string {
  return path
    .split('/')
    .map((name) => encodeURIComponent(name).replaceAll(/[!'()*]/g, encoded))
    .join('/')
}

/** Encodes a character that `encodeURIComponent` does not. */
function encoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
