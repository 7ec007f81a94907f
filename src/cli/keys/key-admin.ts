import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type ControlClient,
  connectControl,
  keyCommandsOn,
  loadSecret,
  type OpenDatabase,
  OperatorError,
  openServerDatabase,
  openStore,
  requireSharedSecret,
  type Secret,
  serveControl,
} from '@concordat/gateway'
import type { JsonValue } from '@concordat/rpc'

/** Milliseconds to wait for another command that uses the same folder. */
const BUSY_MS = 120_000
const BUSY_RETRY_MS = 50

/** Runs key commands on a data folder or database, through the running service if there is one. */
export interface KeyAdmin {
  run(command: string, input: JsonValue): Promise<JsonValue>
  /** Base URLs by network, if a running service reported them. */
  readonly urls: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** The location of the keys. */
export interface KeyAdminOptions {
  readonly dataDir: string
  /** The PostgreSQL server with the keys. Undefined if they are in the data folder. */
  readonly databaseUrl: string | undefined
  /** CONCORDAT_SECRET. */
  readonly secret: string | undefined
  /** Creates the folder if it is missing. */
  readonly create: boolean
}

/**
 * Opens the keys. With a database server, this process changes them. With a data folder, the service that
 * runs on it does; without one, this process opens the folder and waits for other commands.
 * @param options the location of the keys
 * @throws OperatorError when the keys cannot be opened
 */
export async function openKeyAdmin({
  dataDir,
  databaseUrl,
  secret,
  create,
}: KeyAdminOptions): Promise<KeyAdmin> {
  if (databaseUrl !== undefined) return openDatabaseOf(databaseUrl, secret)
  const folder = resolve(dataDir)
  if (!create && !existsSync(folder)) {
    throw new OperatorError(
      'data_folder_unusable',
      `The data folder ${folder} does not exist: give another folder with --data`,
    )
  }
  const until = performance.now() + BUSY_MS
  for (;;) {
    const client = await connectControl(folder)
    try {
      if (client === undefined) return await openFolder(folder, secret)
      return overControl(client, await client.run('service.urls', {}))
    } catch (error) {
      client?.close()
      if (!isBusy(error) || performance.now() > until) throw error
      await delay(BUSY_RETRY_MS)
    }
  }
}

/** Returns true if another command holds the folder or just released it. No command has run yet. */
function isBusy(error: unknown): boolean {
  return (
    error instanceof OperatorError &&
    (error.code === 'data_folder_in_use' || error.code === 'service_unreachable')
  )
}

function overControl(client: ControlClient, urls: unknown): KeyAdmin {
  return {
    run: (command, input) => client.run(command, input),
    urls: urls as KeyAdmin['urls'],
    close: async () => client.close(),
  }
}

/** Runs the commands on an open database. */
function over(store: OpenDatabase, secret: Secret): KeyAdmin {
  const commands = keyCommandsOn(store, secret, (error) => process.emitWarning(String(error)))
  return {
    async run(command, input) {
      const perform = commands[command]
      if (perform === undefined) throw new OperatorError('invalid_input', `Unknown command ${command}`)
      return perform(input)
    },
    urls: {},
    close: () => store.close(),
  }
}

async function openDatabaseOf(databaseUrl: string, secretText: string | undefined): Promise<KeyAdmin> {
  requireSharedSecret(databaseUrl, secretText)
  const secret = await loadSecret('', secretText)
  return over(await openServerDatabase(databaseUrl), secret)
}

/** Opens the folder in this process. */
async function openFolder(folder: string, secretText: string | undefined): Promise<KeyAdmin> {
  if (secretText) await loadSecret(folder, secretText)
  const store = await openStore({ dataDir: folder })
  try {
    serveControl(store.folder, { handlers: { 'service.urls': () => refuse(folder) } })
    return over(store, await loadSecret(folder, secretText))
  } catch (error) {
    await store.close()
    throw error
  }
}

function refuse(folder: string): never {
  throw new OperatorError('data_folder_in_use', `The data folder ${folder} is in use by another command`)
}
