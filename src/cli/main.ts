import { inspect } from 'node:util'
import { explainMissing } from '../gateway/store/optional-dependency.js'
import { readPackageFile } from '../util/package-file.js'
import { type Command, type CommandIo, UsageError } from './io.js'

/** A command of the command line, loaded when it is asked for. */
interface CommandEntry {
  readonly summary: string
  readonly load: () => Promise<Command>
}

const commands: Readonly<Record<string, CommandEntry>> = {
  start: {
    summary: 'the node access service on embedded defaults: two development chains and a database',
    load: async () => (await import('./serve/start.js')).startCommand,
  },
  serve: {
    summary: 'the node access service for others to rely on, from a configuration file and the environment',
    load: async () => (await import('./serve/serve.js')).serveCommand,
  },
  init: {
    summary: 'make a new project that runs, from an OpenRPC document or a sample',
    load: async () => (await import('./init/init.js')).initCommand,
  },
  generate: {
    summary: 'write TypeScript and a reference page from an OpenRPC document',
    load: async () => (await import('./generate/generate.js')).generateCommand,
  },
  conform: {
    summary: 'hold a running service to its contract, case by case',
    load: async () => (await import('./conform/conform.js')).conformCommand,
  },
  verify: {
    summary: 'judge the answers of a conformance report again, by a newer contract',
    load: async () => (await import('./verify/verify.js')).verifyCommand,
  },
  compare: {
    summary: 'ask two deployments the same, and tell where they differ',
    load: async () => (await import('./compare/compare.js')).compareCommand,
  },
  selftest: {
    summary: 'show that the conformance suite notices what is wrong, fault by fault',
    load: async () => (await import('./selftest/selftest.js')).selftestCommand,
  },
  mock: {
    summary: 'serve an OpenRPC document from its examples, with made-up values where it has none',
    load: async () => (await import('./mock/mock.js')).mockCommand,
  },
  diff: {
    summary: 'what changed between two contracts, and whom it breaks',
    load: async () => (await import('./diff/diff.js')).diffCommand,
  },
  lint: {
    summary: 'tell what is wrong with an OpenRPC document, or could be better',
    load: async () => (await import('./lint/lint.js')).lintCommand,
  },
  keys: {
    summary: 'create, list, rotate, disable, enable and delete API keys',
    load: async () => (await import('./keys/keys.js')).keysCommand,
  },
}

const help = `Usage: concordat <command> [options]

Commands:
${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`)
  .join('\n')}

  concordat <command> --help   explains a command
  concordat --version          prints the version

Exit codes: 0 as wanted, 1 found wrong, 2 could not run.`

/**
 * Runs the command line.
 * @param args the arguments behind `concordat`
 * @param io where to write and which environment to read; the process's own by default
 * @returns the exit code: 0 as wanted, 1 found wrong, 2 could not run
 */
export async function main(args: readonly string[], io: CommandIo = processIo): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    io.out(help)
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-v') {
    const { version } = JSON.parse((await readPackageFile('package.json')).toString('utf8'))
    io.out(version)
    return 0
  }
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (entry === undefined) {
    io.err(`concordat: there is no command "${name}". Commands: ${Object.keys(commands).join(', ')}.`)
    return 2
  }
  try {
    const command = await entry.load()
    return await command(rest, io)
  } catch (error) {
    // Anything else is a defect of ours, told whole; exit 1 would say that something was found wrong.
    const words = error instanceof UsageError ? error.message : explainMissing(error)?.message
    io.err(`concordat ${name}: ${words ?? inspect(error)}`)
    return 2
  }
}

const processIo: CommandIo = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  env: process.env,
}
