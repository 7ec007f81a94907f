import { constants } from 'node:fs'
import { access, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Redactor } from '../../conformance/index.js'
import { type CommandIo, UsageError } from '../io.js'

/** Where everything that a run writes goes through: a text in which a secret survived is not written. */
export interface Output {
  /** Lines that were asked for; `fixed` as for a file. */
  readonly print: (lines: readonly string[], fixed?: readonly string[]) => void
  /** A line for the person at the terminal. */
  readonly tell: (line: string) => void
  /**
   * A file.
   * @param fixed parts that are the same in every file of its kind: a secret may be a word of theirs by chance
   * @throws UsageError where it cannot be written
   */
  readonly save: (path: string, content: string, fixed?: readonly string[]) => Promise<void>
  /** True when something was held back because a secret survived in it. */
  readonly hasLeaked: () => boolean
}

/**
 * @param redactor knows the secrets; every text was redacted before, this is the last look
 * @param command whose output it is
 */
export function createOutput(io: CommandIo, redactor: Redactor, command = 'conform'): Output {
  let leaked = false
  const held = (what: string) => {
    leaked = true
    io.err(
      `concordat ${command}: ${what} is held back: a secret survived in it. This is a defect of concordat.`,
    )
  }
  const survives = (text: string, fixed: readonly string[]) =>
    redactor.survives(fixed.reduce((rest, part) => rest.replace(part, () => ''), text))
  return {
    print: (lines, fixed = []) => {
      const text = lines.join('\n')
      if (survives(text, fixed)) held('the output')
      else io.out(text)
    },
    tell: (line) => io.err(redactor.redact(line)),
    save: async (path, content, fixed = []) => {
      if (survives(content, fixed)) return held(path)
      await writable(path, () => writeFile(path, content))
      const written = await readFile(path, 'utf8')
      if (!survives(written, fixed)) return
      await rm(path, { force: true })
      held(path)
    },
    hasLeaked: () => leaked,
  }
}

/**
 * Looks whether a file can be written, before anything is sent.
 * @throws UsageError where its folder is missing or closed, or it is a folder itself
 */
export async function checkWritable(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory()) throw new UsageError(`${path} is a folder: name a file`)
  const place = found === undefined ? dirname(resolve(path)) : path
  await writable(path, () => access(place, constants.W_OK))
}

async function writable(path: string, work: () => Promise<void>): Promise<void> {
  await work().catch((cause: NodeJS.ErrnoException) => {
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: 'its folder does not exist',
      EACCES: 'it may not be written',
      ENOSPC: 'the disk is full',
    }
    throw new UsageError(`${path} cannot be written: ${reasons[cause.code ?? ''] ?? cause.code}`, { cause })
  })
}
