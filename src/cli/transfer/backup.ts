import { backupDatabase } from '@concordat/gateway'
import { defineCommand, type Program } from '../define-command.js'
import { placeOptions, readPlace, runCopy } from './place-options.js'

const define = (program: Program) =>
  placeOptions(program)
    .argument('<FILE>', 'the file to write; it must not exist')
    .option('--with-secret', 'write the secret, too. Anyone with the file can then use every key', false)

/** Runs `concordat backup`, which writes the database to a file. */
export const backupCommand = defineCommand({
  name: 'backup',
  description: `Writes accounts, keys, settings of accounts, usage and counts to a file, all as they are at one moment.
A service on a database server (DATABASE_URL) keeps running. One on the embedded database must be stopped first. The
configuration file is not part of the backup.`,
  define,
  examples: [
    { says: 'the service of the data folder', line: 'concordat backup concordat.backup' },
    {
      says: 'that of a configuration file',
      line: 'concordat backup concordat.backup --config concordat.yaml',
    },
  ],
  notes: `The file has no secret without --with-secret: keep CONCORDAT_SECRET, or the file "secret" of the service's folder,
in another place. Only the owner can read the file. Its last line is the checksum of the others.

Exit codes: 0 written, 2 could not run.`,
  async run({ args: [file], options, io }) {
    const place = await readPlace(options, io)
    return runCopy(io, async (onProgress) => {
      await backupDatabase(place, file, options.withSecret, onProgress)
      return `Written to ${file}`
    })
  },
})
