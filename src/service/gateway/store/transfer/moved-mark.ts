import { open, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError, reasonOf, systemCode } from '../../util/index.js'
import { createOwnFile } from './create-own-file.js'

const MARK = 'moved.json'

/** The mark of a data folder whose database was moved, or is being moved, to a server. */
export interface MovedMark {
  /** The id that the move leaves in the target. */
  readonly id: string
  /** The target, without credentials. */
  readonly to: string
  readonly state: 'moving' | 'moved'
}

/**
 * Reads the mark of a data folder; undefined without one.
 * @throws OperatorError `data_folder_unusable`: without its mark, a moved database could be used again
 */
export async function readMovedMark(folder: string): Promise<MovedMark | undefined> {
  const path = join(folder, MARK)
  try {
    return readMark(await readFile(path, 'utf8'))
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    const message =
      `Cannot read ${path}: ${reasonOf(error)}. The file says that the database was moved to a server: if that is so, ` +
      'start the service with DATABASE_URL and CONCORDAT_SECRET set; otherwise remove the file'
    throw new OperatorError('data_folder_unusable', message, { cause: error })
  }
}

function readMark(text: string): MovedMark {
  const { id, to, state } = Object(JSON.parse(text)) as { readonly [name: string]: unknown }
  if (typeof id !== 'string' || typeof to !== 'string' || (state !== 'moving' && state !== 'moved'))
    throw new SyntaxError('it names no move')
  return { id, to, state }
}

/** Writes the mark, which survives a power failure. */
export async function writeMovedMark(folder: string, mark: MovedMark): Promise<void> {
  const path = join(folder, MARK)
  const unfinished = `${path}.unfinished`
  const file = await createOwnFile(unfinished)
  await file.writeFile(`${JSON.stringify(mark)}\n`)
  await file.sync()
  await file.close()
  await rename(unfinished, path)
  const parent = await open(folder)
  await parent.sync()
  await parent.close()
}

/** Removes the mark. */
export async function removeMovedMark(folder: string): Promise<void> {
  await unlink(join(folder, MARK))
}

/**
 * Refuses to open the database of a marked folder.
 * @throws OperatorError `database_moved`
 */
export async function refuseMoved(folder: string, mayContinue: boolean): Promise<void> {
  const mark = await readMovedMark(folder)
  if (mark === undefined || (mayContinue && mark.state === 'moving')) return
  const message =
    mark.state === 'moved'
      ? `The database in ${folder} was moved to ${mark.to}. Start the service with DATABASE_URL and CONCORDAT_SECRET set`
      : `A move of the database in ${folder} to ${mark.to} was interrupted. Run the same concordat move again, which ` +
        `completes it. To give it up, check that the target is empty and remove ${join(folder, MARK)}`
  throw new OperatorError('database_moved', message)
}
