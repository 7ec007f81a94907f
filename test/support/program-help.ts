import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Returns the comment at the top of a program's file, without its marks. */
export function helpOf(program: string): string {
  const [comment = ''] = /^\/\*\*\n[\s\S]*?\n \*\//.exec(readFileSync(fileURLToPath(program), 'utf8')) ?? []
  return comment
    .split('\n')
    .slice(1, -1)
    .map((line) => line.replace(/^ \* ?/, ''))
    .join('\n')
}

/**
 * Reads the options of a program. `--help` prints the comment at the top of its file and exits with 0; an option that
 * is wrong prints what is wrong and exits with 2.
 * @param program URL of the file
 */
export function readOptions<T>(program: string, read: () => T): T {
  if (process.argv.slice(2).some((word) => word === '--help' || word === '-h')) {
    console.log(helpOf(program))
    process.exit(0)
  }
  try {
    return read()
  } catch (error) {
    console.error(`${(error as Error).message}\nAll options: --help`)
    process.exit(2)
  }
}

/** Returns the number of an option. @throws TypeError if it is not above 0 */
export function positive(option: string, text: string): number {
  if (!(Number(text) > 0))
    throw new TypeError(`--${option} takes a number above 0, not ${JSON.stringify(text)}.`)
  return Number(text)
}

/** Returns the word of an option. @throws TypeError if it is none of the known ones */
export function oneOf<T extends string>(option: string, text: string, known: readonly T[]): T {
  const found = known.find((word) => word === text)
  if (found === undefined)
    throw new TypeError(`--${option} takes ${known.join(', ')}, not ${JSON.stringify(text)}.`)
  return found
}

/** A seed: the given whole number, or a random one. @throws TypeError */
export function seedOf(text: string | undefined): number {
  const seed = text === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(text)
  if (!Number.isSafeInteger(seed))
    throw new TypeError(`--seed takes a whole number, not ${JSON.stringify(text)}.`)
  return seed
}
