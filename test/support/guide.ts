import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { type CodeBlock, codeBlocks, notRun } from './markdown-blocks.js'
import { reader } from './reader.js'
import { cleanEnvironment } from './service.js'
import { findTool } from './tools.js'

/** The machine on which a reader runs commands. */
export interface ReaderMachine {
  readonly cwd: string
  /** Variables that the guide tells the reader to set. */
  readonly env?: Readonly<Record<string, string>>
  /** Folders of commands, searched before the system's. */
  readonly path?: readonly string[]
  /** Shell functions that stand for commands. */
  readonly functions?: string
  /** Ports and folders of the guide, and those that stand for them here. */
  readonly places?: Readonly<Record<string, string | number>>
  /** Options that are added to the last command, so that the short form of a test does less. */
  readonly options?: string
}

/** The outcome of commands. */
export interface CommandOutcome {
  readonly code: number | null
  readonly out: string
  /** Both outputs, in order. */
  readonly output: string
}

/** Commands that run until they are stopped. */
export interface StartedCommands {
  /** Resolves to the first match in the output. Rejects with the output if the commands end without one. */
  readonly said: (pattern: RegExp) => Promise<RegExpExecArray>
  readonly ended: Promise<CommandOutcome>
  /** Interrupts all processes of the commands, as Ctrl+C does. */
  readonly stop: () => Promise<CommandOutcome>
}

/** A block of shell commands in a guide. */
export interface ShellBlock extends CodeBlock {
  /** Runs the commands as printed, to their end. */
  readonly run: (machine: ReaderMachine) => Promise<CommandOutcome>
  /** Runs the commands as printed. They are stopped when the test file ends. */
  readonly start: (machine: ReaderMachine) => StartedCommands
}

/** A Markdown file whose shell blocks a test file runs. */
export interface Guide {
  /** The shell blocks of a section, in order; those of all opened sections by default. */
  readonly commands: (section?: string) => readonly ShellBlock[]
  /** Runs all commands of several blocks in one shell, equal lines once. */
  readonly runLines: (blocks: readonly ShellBlock[], machine: ReaderMachine) => Promise<CommandOutcome>
  /** The texts of other code blocks of a section, in order. */
  readonly code: (section: string, language: string) => readonly string[]
}

/**
 * Reads a guide. The test file fails at its end if it has not run each shell block of the opened sections.
 * test/unit/docs/shell-blocks.test.ts holds the tests to open every guide with shell blocks.
 * @param path in the project, such as `docs/qa.md`
 * @param sections all by default
 * @param folder of the guides; by default that of the reader, which is this project in most tests
 */
export async function openGuide(
  path: string,
  sections?: readonly string[],
  folder: string = reader.guides,
): Promise<Guide> {
  await findTool('curl')
  const all = codeBlocks(await readFile(join(folder, path), 'utf8'))
  const opened = all.filter(
    ({ language, section, text }) =>
      language === 'sh' &&
      (sections?.includes(section) ?? true) &&
      notRun[`${path}: ${text.trim()}`] === undefined,
  )
  const remaining = new Map(opened.map((block) => [block.line, block]))
  // An error in a teardown would keep later ones from stopping services; a failing exit code fails the file, too.
  process.once('exit', () => {
    for (const { line, text } of remaining.values()) console.error(`${path}:${line} was not run:\n${text}`)
    if (remaining.size > 0) process.exitCode = 1
  })
  const start = (text: string, machine: ReaderMachine, ...blocks: readonly CodeBlock[]) => {
    for (const block of blocks) remaining.delete(block.line)
    return startCommands(text, machine)
  }
  const shellBlocks = opened.map(
    (block): ShellBlock => ({
      ...block,
      run: (machine) => start(block.text, machine, block).ended,
      start(machine) {
        const started = start(block.text, machine, block)
        t.teardown(() => started.stop())
        return started
      },
    }),
  )
  return {
    commands: (section) => shellBlocks.filter((block) => section === undefined || block.section === section),
    runLines(blocks, machine) {
      const lines = new Set(blocks.flatMap(({ text }) => text.trimEnd().split('\n')))
      return start([...lines].join('\n'), machine, ...blocks).ended
    },
    code: (section, language) =>
      all.filter((one) => one.section === section && one.language === language).map(({ text }) => text),
  }
}

/** Starts shell commands on a reader's machine. */
export function startCommands(text: string, machine: ReaderMachine): StartedCommands {
  const { cwd, env = {}, path = [], functions = '', places = {}, options = '' } = machine
  let commands = text.trimEnd()
  for (const [place, here] of Object.entries(places)) {
    if (!commands.includes(place)) throw new TypeError(`${place} is not in:\n${text}`)
    commands = commands.replaceAll(place, String(here))
  }
  // The test runner restores its NODE_OPTIONS in child processes; only the shell can remove them.
  const lines = `set -eu; unset NODE_OPTIONS\n${functions}\n${commands} ${options}`
  const child = spawn('bash', ['-c', lines], {
    cwd,
    env: cleanEnvironment({ PATH: [...path, process.env['PATH'] ?? ''].join(':'), NO_COLOR: '1', ...env }),
    // A group of its own, because the shell starts further processes.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, output] = ['', '']
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      if (stream === child.stdout) out += part
      output += part
      for (const check of waiting) check()
    })
  }
  const ended = once(child, 'close').then(([code]): CommandOutcome => ({ code, out, output }))
  return {
    ended,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = pattern.exec(output)
          if (found === null) return
          waiting.delete(check)
          resolve(found)
        }
        waiting.add(check)
        check()
        ended.then(() => reject(new TypeError(`${text}ended without ${pattern}:\n${output}`)))
      }),
    stop() {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, 'SIGINT')
      return ended
    },
  }
}
