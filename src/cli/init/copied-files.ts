import { basename, dirname, posix, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { GeneratedFile } from '../../codegen/index.js'
import { contractError, isArray, isObject, type JsonValue, stringMember } from '../../contract/index.js'
import type { Documents, SourceDocument } from '../../contract/load/documents.js'
import { urlPath } from './url-path.js'

/** Where the files of a contract stand in a project. */
const contractFolder = 'contract'

/** True for a document that was fetched. */
export function isRemote({ name }: Pick<SourceDocument, 'name'>): boolean {
  return name.includes('://')
}

/**
 * The local files of a contract as they stand to each other, in a folder of their own, so that references hold.
 * @param path the path of the contract's own document
 * @throws ContractError where a reference would lead elsewhere from there
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

/** A document's name has three characters as references have them: `%25`, `%23` and `%3F`. */
function fileName(name: string): string {
  return name.replaceAll(/%(?:25|23|3F)/g, decodeURIComponent)
}

/** The folders that the contract's own document must lie in for every file to lie below the first of them. */
function foldersAbove(local: readonly SourceDocument[], folder: string): readonly string[] {
  const steps = local.map(({ name }) => name.split('/').findIndex((part) => part !== '..'))
  const most = Math.max(...steps)
  return most === 0 ? [] : folder.split(sep).filter(Boolean).slice(-most)
}

/** Absolute references, and those that climb above the root of the file system, lead elsewhere from a copy. */
function checkReferences(
  documents: Documents,
  document: SourceDocument,
  placeOf: (document: SourceDocument) => string,
): void {
  for (const file of filesNamed(document.value)) {
    const target = documents.find(file, document.name)
    if (typeof target === 'string' || isRemote(target)) continue
    // Deep enough for every step upwards to count.
    const root = new URL(`file:///${'x/'.repeat(file.split('/').length)}`)
    const expected = new URL(urlPath(placeOf(target)), root)
    const found = new URL(file, new URL(urlPath(placeOf(document)), root))
    if (fileURLToPath(found) !== fileURLToPath(expected)) {
      throw contractError(
        `${document.name}#`,
        `"${file}" would lead elsewhere from a copy: make it relative to the file that holds it`,
      )
    }
  }
}

/** The files that references name, as they name them. */
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
