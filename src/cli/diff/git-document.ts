import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { ContractError } from '../../toolkit/contract/index.js'
import { UsageError } from '../io.js'

const run = promisify(execFile)

/** A document at a Git revision. */
export interface GitDocument {
  readonly revision: string
  /** The path in the working tree. */
  readonly path: string
}

/**
 * Parses an argument such as `git:HEAD~1:openrpc.json`.
 * @param own the document to use if the argument names none, as in `git:main`
 * @returns undefined if the argument does not begin with `git:`
 * @throws UsageError for a revision that could be an option
 */
export function gitDocument(argument: string, own: () => Promise<string>): Promise<GitDocument> | undefined {
  if (!argument.startsWith('git:')) return undefined
  const [revision = '', ...rest] = argument.slice('git:'.length).split(':')
  return atRevision(revision, rest.length > 0 ? async () => rest.join(':') : own)
}

/** Checks a revision. */
export async function atRevision(revision: string, path: () => Promise<string>): Promise<GitDocument> {
  if (revision === '' || revision.startsWith('-')) {
    throw new UsageError(`"${revision}" is not a Git revision, such as main or HEAD~1`)
  }
  return { revision, path: await path() }
}

/**
 * Creates a function that reads files of a Git revision.
 * @param revision a branch, tag or commit
 * @returns a function that takes a path of the working tree
 */
export function gitReader(revision: string): (path: string) => Promise<Buffer> {
  return async (path) => {
    const folder = existingFolder(resolve(path))
    const name = relative(folder, resolve(path)).split(sep).join('/')
    try {
      const { stdout } = await run('git', ['cat-file', 'blob', `${revision}:./${name}`], {
        cwd: folder,
        encoding: 'buffer',
        maxBuffer: 64 * 1024 * 1024,
      })
      return stdout
    } catch (cause) {
      throw new ContractError([{ pointer: '', message: reasonOf(cause, revision) }], { cause })
    }
  }
}

/** Returns the nearest folder above a path that exists in the working tree. */
function existingFolder(path: string): string {
  let folder = dirname(path)
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  return folder
}

function reasonOf(cause: unknown, revision: string): string {
  const { code, stderr } = cause as { readonly code?: unknown; readonly stderr?: Buffer }
  if (code === 'ENOENT') return 'Git is not installed'
  const [line = ''] = (stderr?.toString() ?? '').split('\n')
  const text = line.replace(/^(?:fatal|error): /, '') || `git cat-file failed (${String(code)})`
  return `cannot be read at the Git revision "${revision}": ${text}`
}
