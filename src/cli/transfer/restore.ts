import { restoreDatabase } from '@concordat/gateway'
import { defineCommand, type Program } from '../define-command.js'
import { placeOptions, readPlace, runCopy } from './place-options.js'

const define = (program: Program) => placeOptions(program).argument('<FILE>', 'a file of concordat backup')

/** Runs `concordat restore`, which fills an empty database from a backup. */
export const restoreCommand = defineCommand({
  name: 'restore',
  description: `Fills an empty database from a file of concordat backup, in one transaction: if the command is interrupted,
the database is still empty. Counts of requests are those of the backup.`,
  define,
  examples: [
    { says: 'into the database of DATABASE_URL', line: 'concordat restore concordat.backup' },
    { says: 'into an empty folder', line: 'concordat restore concordat.backup --data restored' },
  ],
  notes: `The secret must be that of the backed up service: CONCORDAT_SECRET, the file "secret" of the folder, or the
backup's own if it was written with --with-secret. A backup of an older version can be restored; one of a newer
version is refused.

Exit codes: 0 restored, 2 could not run.`,
  async run({ args: [file], options, io }) {
    const place = await readPlace(options, io)
    return runCopy(io, async (onProgress) => {
      await restoreDatabase(place, file, onProgress)
      return `Restored from ${file}`
    })
  },
})
