import { constants } from 'node:fs'
import { access, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Redactor } from '../../judge/index.js'
import { type CommandIo, UsageError } from '../io.js'

/** Writes all output of a run. Text that still contains a secret is withheld. */
export interface Output {
  /** Prints lines to standard output. `fixed` as for `save`. */
  readonly print: (lines: readonly string[], fixed?: readonly string[]) => void
  /** Writes a message to standard error. */
  readonly tell: (line: string) => void
  /**
   * Writes a file.
   * @param path where to write
   * @param content the text of the file
   * @param fixed boilerplate of the file format, which may contain a secret's text by chance
   * @throws UsageError when the file cannot be written
   */
  readonly save: (path: string, content: string, fixed?: readonly string[]) => Promise<void>
  /** True if any output was withheld because it contained a secret. */
  readonly hasLeaked: () => boolean
}

/**
 * Creates the output of a command.
 * @param io the streams to write to
 * @param redactor knows the secrets; texts were redacted before, this is the last check
 * @param command the command's name for messages
 */
export function createOutput(io: CommandIo, redactor: Redactor, command = 'conform'): Output {
  let leaked = false
  const withhold = (what: string) => {
    leaked = true
    io.err(
      `concordat ${command}: ${what} is withheld because it contains a secret. This is a defect of concordat.`,
    )
  }
  const survives = (text: string, fixed: readonly string[]) =>
    redactor.survives(fixed.reduce((rest, part) => rest.replace(part, () => ''), text))
  return {
    print: (lines, fixed = []) => {
      const text = lines.join('\n')
      if (survives(text, fixed)) withhold('the output')
      else io.out(text)
    },
    tell: (line) => io.err(redactor.redact(line)),
    save: async (path, content, fixed = []) => {
      if (survives(content, fixed)) return withhold(path)
      await writable(path, () => writeFile(path, content))
      const written = await readFile(path, 'utf8')
      if (written === content || !survives(written, fixed)) return
      await rm(path, { force: true })
      withhold(path)
    },
    hasLeaked: () => leaked,
  }
}

/**
 * Checks that a file can be written, before any request is sent.
 * @param path the file
 * @throws UsageError when its folder is missing or not writable, or the path is a folder
 */
export async function checkWritable(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory()) throw new UsageError(`${path} is a folder: give the name of a file`)
  const place = found === undefined ? dirname(resolve(path)) : path
  await writable(path, () => access(place, constants.W_OK))
}

async function writable(path: string, work: () => Promise<void>): Promise<void> {
  await work().catch((cause: NodeJS.ErrnoException) => {
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: 'its folder does not exist',
      EACCES: 'permission denied',
      ENOSPC: 'the disk is full',
    }
    throw new UsageError(`${path} cannot be written: ${reasons[cause.code ?? ''] ?? cause.code}`, { cause })
  })
}
