import { createHash } from 'node:crypto'
import { link, open, unlink } from 'node:fs/promises'
import { OperatorError, reasonOf, systemCode } from '../../util/index.js'
import type { Row } from './copy-rows.js'
import { createOwnFile } from './create-own-file.js'

const FORMAT = 'concordat backup'
const FORMAT_VERSION = 1

/** The first line of a backup. */
export interface BackupHead {
  /** How many migrations the database had. */
  readonly migrations: number
  /** Version of the secret that encrypted the keys. */
  readonly secretVersion: string
  /** The secret, if the operator asked for it. */
  readonly secret?: string
}

/** A line of a backup: a table with its columns, whose rows follow, or a group of rows. */
export type BackupLine =
  | { readonly table: string; readonly columns: readonly string[] }
  | { readonly rows: readonly Row[] }

/**
 * Writes a backup: JSON lines, the last of which has the SHA-256 digest of all previous lines. Only the current user
 * can read the file. It gets its name when it is complete.
 * @throws OperatorError `backup_unusable` if it exists or cannot be written
 */
export async function writeBackup(
  path: string,
  write: (line: (value: BackupHead | BackupLine) => Promise<void>) => Promise<void>,
): Promise<void> {
  const unfinished = `${path}.unfinished`
  try {
    const file = await createOwnFile(unfinished)
    try {
      const hash = createHash('sha256')
      let isFirst = true
      await write(async (value) => {
        const stated = isFirst ? { format: FORMAT, version: FORMAT_VERSION, ...value } : value
        isFirst = false
        const line = `${JSON.stringify(stated)}\n`
        hash.update(line)
        await file.write(line)
      })
      await file.write(`${JSON.stringify({ sha256: hash.digest('hex') })}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    // Unlike a rename, a link never replaces a file.
    await link(unfinished, path)
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    const reason = systemCode(error) === 'EEXIST' ? 'it exists already' : reasonOf(error)
    throw unusable(path, `cannot be written: ${reason}`, error)
  } finally {
    await unlink(unfinished).catch(() => undefined)
  }
}

/** A backup whose checksum was found right. */
export interface OpenBackup {
  readonly head: BackupHead
  /** Reads the lines after the head. */
  lines(): AsyncGenerator<BackupLine>
}

/**
 * Reads a backup and checks that it is whole and unchanged.
 * @throws OperatorError `backup_unusable`
 */
export async function openBackup(path: string): Promise<OpenBackup> {
  const head = await checkedHead(path).catch((error: unknown) => {
    if (error instanceof OperatorError) throw error
    throw unusable(path, `cannot be read: ${reasonOf(error)}`, error)
  })
  return {
    head,
    async *lines() {
      let number = 0
      for await (const line of linesOf(path)) {
        number += 1
        const value = JSON.parse(line) as BackupLine | { readonly sha256: string }
        if (number > 1 && !('sha256' in value)) yield value
      }
    },
  }
}

async function checkedHead(path: string): Promise<BackupHead> {
  const hash = createHash('sha256')
  let first: string | undefined
  let last: string | undefined
  for await (const line of linesOf(path)) {
    if (last !== undefined) hash.update(`${last}\n`)
    first ??= line
    last = line
  }
  const head = parsed(first)
  if (head?.['format'] !== FORMAT) throw unusable(path, 'is not a backup of concordat')
  if (head['version'] !== FORMAT_VERSION)
    throw unusable(path, 'was written by a newer version. Use that version to restore it')
  const sum = parsed(last)?.['sha256']
  if (sum === undefined)
    throw unusable(path, 'is truncated: its last line has no checksum. Use another backup')
  if (sum !== hash.digest('hex'))
    throw unusable(path, 'is damaged: its checksum does not match. Use another backup')
  return head as unknown as BackupHead
}

function parsed(line: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(line ?? '') as Record<string, unknown>
  } catch {
    return undefined
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const file = await open(path)
  try {
    yield* file.readLines()
  } finally {
    await file.close()
  }
}

function unusable(path: string, what: string, cause?: unknown): OperatorError {
  return new OperatorError('backup_unusable', `The backup ${path} ${what}`, { cause })
}
