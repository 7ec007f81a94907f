import { randomBytes } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { UsageError } from './io.js'

/**
 * Writes a ready file atomically, readable only by its owner.
 * @param file the path
 * @param content the content, written as JSON
 * @throws UsageError when it cannot be written
 */
export async function writeReadyFile(file: string, content: object): Promise<void> {
  const unfinished = `${file}.${randomBytes(6).toString('hex')}`
  try {
    // `wx` fails for an existing file: one that another user has prepared would keep its owner and mode.
    await writeFile(unfinished, `${JSON.stringify(content)}\n`, { flag: 'wx', mode: 0o600 })
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`the ready file cannot be written: ${reason}`, { cause: error })
  }
}
