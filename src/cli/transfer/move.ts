import { moveDatabase } from '@concordat/gateway'
import { defineCommand, type Program } from '../define-command.js'
import { placeOptions, readPlace, runCopy } from './place-options.js'

const define = (program: Program) =>
  placeOptions(program).requiredOption(
    '--to <URL>',
    'an empty database of a PostgreSQL server, such as postgres://USER@HOST/DATABASE; PGPASSWORD may have the password',
  )

/** Runs `concordat move`, which moves the embedded database to a server. */
export const moveCommand = defineCommand({
  name: 'move',
  description: `Moves the embedded database to an empty PostgreSQL database, in one transaction. Stop the service first.
The service's folder is then marked, and no service starts on its database any more.`,
  define,
  examples: [
    { says: 'to a server', line: 'concordat move --to postgres://ada@db.example.net/concordat' },
    { says: 'from another folder', line: 'concordat move --data /var/lib/concordat --to "$DATABASE_URL"' },
  ],
  notes: `Then start the service with DATABASE_URL set to the new database, and CONCORDAT_SECRET to the secret of the old
service, which may be in the file "secret" of its folder. After an interruption, run the same command again.

Exit codes: 0 moved, 2 could not run.`,
  async run({ options: { to, ...options }, io }) {
    const { dataDir, secret } = await readPlace(options, { ...io, env: { ...io.env, DATABASE_URL: '' } })
    return runCopy(io, async (onProgress) => {
      const name = await moveDatabase({ dataDir, secret }, to, onProgress)
      return `Moved to ${name}`
    })
  },
})
