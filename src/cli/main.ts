import { inspect } from 'node:util'
import { CommanderError } from 'commander'
import { createProgram, usageErrorOf } from './define-command.js'
import { type Command, type CommandIo, UsageError } from './io.js'
import { readPackageFile } from './package-file.js'

/** A command, loaded on demand. */
interface CommandEntry {
  readonly summary: string
  readonly load: () => Promise<Command>
}

/** The commands by name, in the order of the help. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  start: {
    summary: 'run the node access service locally: two development chains and an embedded database',
    load: async () => (await import('./serve/start.js')).startCommand,
  },
  serve: {
    summary: 'run the node access service in production, from a configuration file and the environment',
    load: async () => (await import('./serve/serve.js')).serveCommand,
  },
  init: {
    summary: 'create a runnable project from an OpenRPC document or a sample',
    load: async () => (await import('./init/init.js')).initCommand,
  },
  generate: {
    summary: 'write TypeScript and a reference page from an OpenRPC document',
    load: async () => (await import('./generate/generate.js')).generateCommand,
  },
  conform: {
    summary: 'check a running service against its contract, case by case',
    load: async () => (await import('./conform/conform.js')).conformCommand,
  },
  case: {
    summary: 'write a case from a request in a report of conform',
    load: async () => (await import('./case/case.js')).caseCommand,
  },
  verify: {
    summary: 'judge the answers of a conformance report again, with a newer contract',
    load: async () => (await import('./verify/verify.js')).verifyCommand,
  },
  compare: {
    summary: 'send the same calls to two deployments and report differences',
    load: async () => (await import('./compare/compare.js')).compareCommand,
  },
  selftest: {
    summary: 'check that the conformance suite detects deliberate faults',
    load: async () => (await import('./selftest/selftest.js')).selftestCommand,
  },
  mock: {
    summary: 'serve an OpenRPC document from its examples and generated values',
    load: async () => (await import('./mock/mock.js')).mockCommand,
  },
  diff: {
    summary: 'compare two contracts and report whom the changes break',
    load: async () => (await import('./diff/diff.js')).diffCommand,
  },
  bundle: {
    summary: 'merge an OpenRPC document and the files that it refers to into one',
    load: async () => (await import('./bundle/bundle.js')).bundleCommand,
  },
  lint: {
    summary: 'report problems in an OpenRPC document',
    load: async () => (await import('./lint/lint.js')).lintCommand,
  },
  keys: {
    summary: 'create, list, rotate, disable, enable and delete API keys',
    load: async () => (await import('./keys/keys.js')).keysCommand,
  },
  backup: {
    summary: 'write accounts, keys, settings, usage and counts of the service to a file',
    load: async () => (await import('./transfer/backup.js')).backupCommand,
  },
  restore: {
    summary: 'fill an empty database from a file of backup',
    load: async () => (await import('./transfer/restore.js')).restoreCommand,
  },
  move: {
    summary: 'move the embedded database to a PostgreSQL server',
    load: async () => (await import('./transfer/move.js')).moveCommand,
  },
}

/**
 * Runs the command line.
 * @param args the arguments after `concordat`
 * @param io output and environment; defaults to those of the process
 * @returns the exit code: 0 success, 1 problems found, 2 could not run
 */
export async function main(args: readonly string[], io: CommandIo = processIo): Promise<number> {
  const [name = '', ...rest] = args[0] === 'help' && args[1] !== undefined ? [args[1], '--help'] : args
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (entry === undefined) return runWithoutCommand(name, io)
  try {
    const command = await entry.load()
    return await command(rest, io)
  } catch (error) {
    // Other errors are defects of concordat: print them in full. Exit code 1 would mean that problems were found.
    const message = error instanceof UsageError ? error.message : missingPackage(error)
    io.err(`concordat ${name}: ${message ?? inspect(error)}`)
    return 2
  }
}

/** Prints the help or the version, and reports an unknown command. Loads no command. */
async function runWithoutCommand(word: string, io: CommandIo): Promise<number> {
  const { version } = JSON.parse((await readPackageFile('package.json')).toString('utf8'))
  const program = createProgram('concordat', io)
    .usage('<command> [options]')
    .version(version, '-v, --version', 'print the version')
    .helpCommand('help [command]', 'explain a command, as concordat COMMAND --help does')
    .addHelpText('after', '\nExit codes: 0 success, 1 problems found, 2 could not run.')
  for (const [name, { summary }] of Object.entries(commands)) program.command(name).summary(summary)
  if (word === '') {
    program.outputHelp()
    return 2
  }
  try {
    program.parse([word], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return 0
    io.err(`concordat: ${usageErrorOf(error).message}`)
  }
  return 2
}

const processIo: CommandIo = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  env: process.env,
}

/**
 * Returns how to install the package that an import did not find; undefined for other errors. The commands that run the
 * service need `@concordat/gateway`, which users of the toolkit do not install.
 */
function missingPackage(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return undefined
  const name = /Cannot find (?:package|module) '((?:@[^/']+\/)?[^'./@][^'/]*)/.exec(String(error))?.[1]
  return name && `this command needs the package ${name}. Run: npm install ${name}`
}
