import { rename, rm, writeFile } from 'node:fs/promises'
import { UsageError } from './io.js'

/**
 * Writes a file that says where a server answers, whole or not at all, for its owner alone.
 * @throws UsageError where it cannot be written
 */
export async function writeReadyFile(file: string, content: object): Promise<void> {
  const unfinished = `${file}.${process.pid}`
  try {
    await writeFile(unfinished, `${JSON.stringify(content)}\n`, { mode: 0o600 })
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`the ready file cannot be written: ${reason}`, { cause: error })
  }
}
