import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../util/index.js'
import { LEASE_JOURNAL } from '../data-folder.js'
import { hasEmbeddedDatabase, type OpenDatabase, openServerDatabase, openStore } from '../open-store.js'
import { createSecret, findSecret, keepSecret, requireSharedSecret } from '../secret.js'
import { openBackup, writeBackup } from './backup-file.js'
import { type CopyHead, fillDatabase, type OnProgress, readDatabase, reported } from './copy.js'

/** A deployment's database and secret. */
export interface DatabasePlace {
  readonly dataDir: string
  /** URL of a PostgreSQL server; the embedded database by default. */
  readonly databaseUrl: string | undefined
  /** CONCORDAT_SECRET. */
  readonly secret: string | undefined
}

/**
 * Writes all accounts, keys, settings, usage and counts to a file, as they are at one moment.
 * @param withSecret true to write the secret, too
 * @throws OperatorError `backup_unusable`, `secret_mismatch`, and those of opening the database
 */
export async function backupDatabase(
  place: DatabasePlace,
  path: string,
  withSecret: boolean,
  onProgress: OnProgress,
): Promise<void> {
  if (place.databaseUrl === undefined) requireEmbeddedDatabase(place.dataDir)
  const database = await openDatabase(place)
  try {
    const secret = await requireSecret(place)
    await database.connection.transaction(async (query) =>
      writeBackup(path, reported(await readDatabase(query, secret, withSecret), onProgress)),
    )
  } finally {
    await database.close()
  }
}

/**
 * Fills an empty database from a backup, in one transaction.
 * @throws OperatorError `backup_unusable`, `database_not_empty`, `database_too_new`, `secret_mismatch`,
 *   `secret_unusable`, and those of opening the database
 */
export async function restoreDatabase(
  place: DatabasePlace,
  path: string,
  onProgress: OnProgress,
): Promise<void> {
  const backup = await openBackup(path)
  const secret = await secretFor(place, backup.head)
  const database = await openDatabase(place)
  try {
    if (place.databaseUrl === undefined && !place.secret) await keepSecret(place.dataDir, secret)
    const name = place.databaseUrl === undefined ? `in ${place.dataDir}` : 'of DATABASE_URL'
    await database.connection.transaction((query) => fillDatabase(query, reported(backup, onProgress), name))
    // A killed process may have left a journal with leases of another database.
    await rm(join(place.dataDir, LEASE_JOURNAL), { force: true })
  } finally {
    await database.close()
  }
}

/** Returns the secret of a restored deployment: its own if it has one, otherwise that of the backup. */
async function secretFor(place: DatabasePlace, { secret, secretVersion }: CopyHead): Promise<string> {
  requireSharedSecret(place.databaseUrl, place.secret)
  const text = (await findSecret(place.dataDir, place.secret)) ?? secret
  if (text === undefined) {
    throw new OperatorError(
      'secret_unusable',
      'The backup does not contain the secret. Set CONCORDAT_SECRET to the secret of the service that was backed up',
    )
  }
  if (createSecret(text).version === secretVersion) return text
  throw new OperatorError(
    'secret_mismatch',
    `The backup belongs to another secret (version ${secretVersion}), so its keys could not be decrypted. Set ` +
      'CONCORDAT_SECRET to the secret of the service that was backed up',
  )
}

/**
 * Returns the secret of an existing deployment.
 * @throws OperatorError `secret_unusable`
 */
export async function requireSecret({ dataDir, secret }: DatabasePlace): Promise<string> {
  const text = await findSecret(dataDir, secret)
  if (text !== undefined) return text
  throw new OperatorError(
    'secret_unusable',
    `No secret in ${dataDir}. Set the CONCORDAT_SECRET of the service`,
  )
}

/**
 * Requires the embedded database of a data folder, which opening it would create.
 * @throws OperatorError `database_unusable`
 */
export function requireEmbeddedDatabase(dataDir: string): void {
  if (hasEmbeddedDatabase(dataDir)) return
  throw new OperatorError(
    'database_unusable',
    `The folder ${dataDir} contains no database. Give another folder with --data`,
  )
}

/** Opens a database and leaves its tables as they are. */
function openDatabase({ dataDir, databaseUrl, secret }: DatabasePlace): Promise<OpenDatabase> {
  requireSharedSecret(databaseUrl, secret)
  return databaseUrl === undefined
    ? openStore({ dataDir, isUnmigrated: true })
    : openServerDatabase(databaseUrl, true)
}
