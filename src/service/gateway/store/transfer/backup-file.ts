import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { link, unlink } from 'node:fs/promises'
import { OperatorError, reasonOf, systemCode } from '../../util/index.js'
import type { Copy, CopyHead, CopyLine } from './copy.js'
import { createOwnFile } from './create-own-file.js'

const FORMAT = 'concordat backup'
const FORMAT_VERSION = 1

/**
 * Writes a backup: JSON lines, the last of which has the SHA-256 digest of all previous lines. Only the current user
 * can read the file. It gets its name when it is complete.
 * @throws OperatorError `backup_unusable` if it exists or cannot be written
 */
export async function writeBackup(path: string, { head, lines }: Copy): Promise<void> {
  const unfinished = `${path}.unfinished`
  try {
    const file = await createOwnFile(unfinished)
    try {
      const hash = createHash('sha256')
      const write = async (value: object) => {
        const line = `${JSON.stringify(value)}\n`
        hash.update(line)
        await file.write(line)
      }
      await write({ format: FORMAT, version: FORMAT_VERSION, ...head })
      for await (const line of lines()) await write(line)
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

/**
 * Reads a backup and checks that it is whole and unchanged.
 * @throws OperatorError `backup_unusable`
 */
export async function openBackup(path: string): Promise<Copy> {
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
        const value = JSON.parse(line) as CopyLine | { readonly sha256: string }
        if (number > 1 && !('sha256' in value)) yield value
      }
    },
  }
}

async function checkedHead(path: string): Promise<CopyHead> {
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
  return head as unknown as CopyHead
}

function parsed(line: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(line ?? '') as Record<string, unknown>
  } catch {
    return undefined
  }
}

/**
 * Reads the lines of a file. Only a newline ends one: Node 24 also ends lines of `readLines` at U+2028 and U+2029, which
 * JSON contains as they are.
 */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

function unusable(path: string, what: string, cause?: unknown): OperatorError {
  return new OperatorError('backup_unusable', `The backup ${path} ${what}`, { cause })
}
