import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { limits } from '../../../generated/contract.js'
import { type ControlClient, connectControl } from '../../gateway/app/control/control-client.js'
import { serveControl } from '../../gateway/app/control/control-server.js'
import type { OpenDatabase } from '../../gateway/store/open-store.js'
import { OperatorError } from '../../gateway/store/operator-error.js'
import { loadOptional } from '../../gateway/store/optional-dependency.js'
import type { Secret } from '../../gateway/store/secret.js'
import type { JsonValue } from '../../rpc/index.js'

/** How long another short command on the same folder is waited for. */
const BUSY_MS = 120_000
const BUSY_RETRY_MS = 50

/** Does the commands of the keys on a data folder, by the service that runs on it or without one. */
export interface KeyAdmin {
  run(command: string, input: JsonValue): Promise<JsonValue>
  /** The bases of the networks' URLs, where a service runs and knows them. */
  readonly urls: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** Where the keys are. */
export interface KeyAdminOptions {
  readonly dataDir: string
  /** A PostgreSQL server that keeps the keys; undefined where the data folder does. */
  readonly databaseUrl: string | undefined
  /** CONCORDAT_SECRET. */
  readonly secret: string | undefined
  /** Make the folder when it is missing. */
  readonly create: boolean
}

/**
 * Finds who can change the keys: for a server's database this process. For a data folder the service that runs on it,
 * else this process, which then holds the folder; commands that meet each other wait for their turn.
 * @throws OperatorError
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
      `There is no data folder ${folder}; name another with --data`,
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

/** True while another command has the folder, or let it go before it answered; nothing was asked for yet. */
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

/** The service's own code, loaded when it is needed here. */
async function loadParts() {
  const [
    { openStore, openServerDatabase },
    { loadSecret, requireSharedSecret },
    { createKeys },
    { createKeyCommands },
  ] = await loadOptional(() =>
    Promise.all([
      import('../../gateway/store/open-store.js'),
      import('../../gateway/store/secret.js'),
      import('../../gateway/keys/keys.js'),
      import('../../gateway/keys/key-commands.js'),
    ]),
  )
  /** Does the commands in a database that is open. */
  const over = (store: OpenDatabase, secret: Secret): KeyAdmin => {
    const commands = createKeyCommands(createKeys({ store, secret, limits }))
    return {
      async run(command, input) {
        const perform = commands[command]
        if (perform === undefined) throw new OperatorError('invalid_input', `There is no command ${command}`)
        return perform(input)
      },
      urls: {},
      close: () => store.close(),
    }
  }
  return { openStore, openServerDatabase, requireSharedSecret, loadSecret, over }
}

async function openDatabaseOf(databaseUrl: string, secretText: string | undefined): Promise<KeyAdmin> {
  const { openServerDatabase, requireSharedSecret, loadSecret, over } = await loadParts()
  requireSharedSecret(databaseUrl, secretText)
  const secret = await loadSecret('', secretText)
  return over(await openServerDatabase(databaseUrl), secret)
}

/** The service's own code on the folder, in this process. */
async function openFolder(folder: string, secretText: string | undefined): Promise<KeyAdmin> {
  const { openStore, loadSecret, over } = await loadParts()
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
