import {
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { GeneratedFile } from './generated-file.js'
import { headerBytesMost, isGenerated } from './header.js'

/** A file whose text is to be another. */
export interface StaleFile extends GeneratedFile {
  /** The text that it has now. */
  readonly previous: string
}

/** What writing would do to a folder; paths are relative to it, with `/` between names. */
export interface WritePlan {
  readonly folder: string
  /** Files that are not there yet. */
  readonly missing: readonly GeneratedFile[]
  /** Files that the tool made and whose text is another now. */
  readonly stale: readonly StaleFile[]
  readonly unchanged: readonly string[]
  /** Files that the tool made earlier and makes no more. */
  readonly left: readonly string[]
}

/** The output folder cannot be used: something that the tool did not make is in the way, or it cannot be read or written. */
export class OutputError extends Error {
  override readonly name = 'OutputError'
}

/**
 * Compares generated files with a folder; nothing is written.
 * @param folder the output folder, which need not exist
 * @param toolName whose headers mark a file as generated
 * @throws OutputError where a file that the tool did not make has the name of one that it makes
 */
export async function planWrite(
  folder: string,
  files: readonly GeneratedFile[],
  toolName: string,
): Promise<WritePlan> {
  const compared = await Promise.all(
    files.map(async (file) => ({ file, found: await currentText(join(folder, file.path)) })),
  )
  const foreign = compared.filter(({ found }) => found !== undefined && !isGenerated(found, toolName))
  if (foreign.length > 0) {
    const names = foreign.map(({ file }) => file.path).join(', ')
    throw new OutputError(`${names} in ${folder} was not made by ${toolName} and is left alone: move it away`)
  }
  const wanted = new Set(files.map(({ path }) => path))
  const made = await generatedPaths(folder, toolName)
  return {
    folder,
    missing: compared.filter(({ found }) => found === undefined).map(({ file }) => file),
    stale: compared.flatMap(({ file, found }) =>
      found === undefined || isSame(found, file.content) ? [] : [{ ...file, previous: found }],
    ),
    unchanged: compared
      .filter(({ file, found }) => found !== undefined && isSame(found, file.content))
      .map(({ file }) => file.path),
    left: made.filter((path) => !wanted.has(path)),
  }
}

/** True for the same text; a checkout may have given its lines another end. */
function isSame(found: string, content: string): boolean {
  return found === content || found.replaceAll('\r\n', '\n') === content
}

/** True where the folder is not what the contract makes. */
export function isStale({ missing, stale, left }: WritePlan): boolean {
  return missing.length + stale.length + left.length > 0
}

/**
 * Carries a plan out. Every file is written whole under another name before the first one takes its place, so that
 * a full disk or a folder that cannot be written changes nothing.
 * @throws OutputError where it cannot be done
 */
export async function applyPlan(plan: WritePlan): Promise<void> {
  const { folder, missing, stale, left } = plan
  const changed = [...missing, ...stale].map((file) => {
    const path = join(folder, file.path)
    return { path, temporary: `${path}.${process.pid}.tmp`, content: file.content }
  })
  const made: string[] = []
  try {
    for (const path of new Set([folder, ...changed.map((file) => dirname(file.path))])) {
      await makeFolder(path, made)
    }
    for (const { temporary, content } of changed) await writeFile(temporary, content, { flag: 'wx' })
  } catch (cause) {
    for (const { temporary } of changed) await rm(temporary, { force: true }).catch(() => undefined)
    for (const path of made.reverse()) await rmdir(path).catch(() => undefined)
    throw cannot('write', folder, cause)
  }
  for (const { temporary, path } of changed) await rename(temporary, path)
  for (const path of left) await unlink(join(folder, path))
}

/**
 * Makes a folder and those above it that are missing, and adds each to `made`. Node's own recursive form never
 * returns where a file system says that the parent of a new folder is missing although it is there, as /proc does.
 */
async function makeFolder(path: string, made: string[]): Promise<void> {
  try {
    await mkdir(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (code !== 'ENOENT' || dirname(path) === path) throw cause
    await makeFolder(dirname(path), made)
    await mkdir(path)
  }
  made.push(path)
}

/** A file's text, undefined where there is none; a link is somebody's, and its text says nothing of who made it. */
async function currentText(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? '' : await readFile(path, 'utf8')
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw cannot('read', path, cause)
  }
}

/** Files below a folder that begin with the tool's header; links are not followed. */
async function generatedPaths(folder: string, toolName: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    if (isMissing(cause)) return []
    throw cannot('read', folder, cause)
  })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const marked = await Promise.all(
    paths.map(async (path) => (isGenerated(await beginning(path), toolName) ? [path] : [])),
  )
  return marked
    .flat()
    .map((path) => relative(folder, path).split(sep).join('/'))
    .filter((path) => !path.split('/').includes('node_modules'))
    .sort()
}

/** The first bytes of a file: enough for a header. */
async function beginning(path: string): Promise<string> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw cannot('read', path, cause)
  })
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headerBytesMost), 0, headerBytesMost, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

function isMissing(cause: unknown): boolean {
  return (cause as NodeJS.ErrnoException).code === 'ENOENT'
}

function cannot(what: string, path: string, cause: unknown): OutputError {
  const { code, message } = cause as NodeJS.ErrnoException
  const reasons: Readonly<Record<string, string>> = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
    ENOTDIR: 'a file is in the way of a folder',
    EEXIST: 'a file is in the way of a folder',
    EISDIR: 'a folder is in the way of a file',
    ENOENT: 'no folder can be made there',
  }
  return new OutputError(`cannot ${what} ${path}: ${reasons[code ?? ''] ?? message}`, { cause })
}
