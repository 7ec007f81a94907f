import type { Help, Option, OptionValues, Command as Program } from '@commander-js/extra-typings'
import { Command, CommanderError } from 'commander'
import { printable } from '../toolkit/text/index.js'
import { type CommandIo, type Command as Run, UsageError } from './io.js'

export type { Option, OptionValues, Program }

/**
 * The arguments and options of a command, each stated once: commander derives types, help and errors from them. A
 * parser must not return null or undefined, which commander replaces by an empty text.
 */
type Define<Args extends unknown[], Options extends OptionValues> = (
  program: Program,
) => Program<Args, Options>

/** The parsed arguments and options of one run of a command. */
interface Invocation<Args, Options> {
  /** The positional arguments, in the order of their definition. */
  readonly args: Args
  /** The options by name in camel case. Options that were not given are undefined. */
  readonly options: Options
  /** The options that were given. */
  readonly given: readonly Option[]
  readonly io: CommandIo
}

/** The invocation of a command with these arguments and options. */
export type InvocationOf<Definition> =
  Definition extends Define<infer Args, infer Options> ? Invocation<Args, Options> : never

/** A line that a user can copy. */
export interface CommandExample {
  readonly says: string
  readonly line: string
}

/** A command. Paragraphs of its texts are wrapped. Indented lines are kept. */
interface CommandDefinition<Args extends unknown[], Options extends OptionValues> {
  readonly name: string
  /** What the command does. */
  readonly description: string
  readonly define: Define<Args, Options>
  /** Two ways to run the command, each with what it does. */
  readonly examples: readonly [CommandExample, CommandExample]
  /** The text below the examples: environment and exit codes. */
  readonly notes: string
  /** Runs the command and returns its exit code. */
  readonly run: (invocation: Invocation<Args, Options>) => Promise<number>
}

/**
 * Returns a command that parses its arguments with commander, and prints its help if `--help` is among them.
 * It throws UsageError for invalid arguments, in one line that refers to `--help`.
 */
export function defineCommand<Args extends unknown[], Options extends OptionValues>(
  command: CommandDefinition<Args, Options>,
): Run {
  return async (args, io) => {
    const program = command.define(createProgram(`concordat ${command.name}`, io))
    program
      .description(helpText(command.description, program.createHelp(), helpWidth(io)))
      .addHelpText(
        'after',
        `\n${examplesText(command.examples)}\n${helpText(command.notes, program.createHelp(), helpWidth(io))}`,
      )
    for (const option of program.options) prepare(option, option.long ?? option.flags)
    for (const argument of program.registeredArguments) prepare(argument, argument.name())
    const words = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length)
    if (words.includes('--help') || words.includes('-h')) {
      program.outputHelp()
      return 0
    }
    checkValues(words, program)
    try {
      program.parse(args, { from: 'user' })
    } catch (error) {
      throw error instanceof CommanderError ? usageErrorOf(error) : error
    }
    const given = program.options.filter(
      (option) => program.getOptionValueSource(option.attributeName()) === 'cli',
    )
    return command.run({ args: program.processedArgs, options: program.opts(), given, io })
  }
}

function examplesText(examples: readonly CommandExample[]): string {
  return `Examples:\n${examples.map(({ says, line }) => `  # ${says}\n  ${line}\n`).join('')}`
}

/** Widest help, in columns. */
const widestHelp = 120
/** Width of help that is not shown in a terminal, in columns. */
const fileWidth = 100
/** Least width at which terms and descriptions are still readable beside each other, in columns. */
const leastWidth = 40

/** Descriptions are wrapped beside their terms if this much is left for them, in columns. */
const leastDescription = 20

/** The width of the output or the terminal; that of `COLUMNS` when the output goes to a pager. */
function helpWidth(io: CommandIo): number {
  const columns = io.columns ?? process.stdout.columns ?? (Number(process.env['COLUMNS']) || fileWidth)
  return Math.max(leastWidth, Math.min(columns, widestHelp))
}

/** Joins the lines of a paragraph. */
function unwrapped(text: string): string {
  return text.replaceAll(/^(\S.*)\n(?=\S)/gm, '$1 ')
}

/** Wraps paragraphs, and lists of a term and its description such as `  NAME  what it sets`. */
function helpText(text: string, help: Help, columns: number): string {
  help.helpWidth = columns
  const items = unwrapped(text)
    .split('\n')
    .map((line) => [line, ...(/^ {2}(\S+(?: \S+)*) {2,}(.+)$/.exec(line)?.slice(1) ?? [])] as const)
  const width = Math.max(...items.map(([, term = '']) => term.length))
  return items
    .map(([line, term, words = '']) =>
      term === undefined ? help.boxWrap(line, columns) : help.formatItem(term, width, words, help),
    )
    .join('\n')
}

/** Describes an option with its default, unless this is an absent flag or an empty list. */
function optionDescription({ description, defaultValue }: Option): string {
  const isShown = typeof defaultValue === 'number' || typeof defaultValue === 'string'
  return isShown ? `${description} (default: ${defaultValue})` : description
}

/** Creates a commander program that writes to the output of the command, and throws instead of exiting. */
export function createProgram(name: string, io: CommandIo): Program {
  const program = new Command(name) as Program
  return program
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.replace(/\n$/, '')),
      outputError: () => undefined,
      getOutHelpWidth: () => helpWidth(io),
    })
    .configureHelp({ optionDescription, minWidthToWrap: leastDescription })
    .helpOption('-h, --help', 'show this help')
}

/** An option or argument of commander. Its parser returns any value. */
interface Parsed {
  description: string
  parseArg?: ((value: string, previous: never) => unknown) | undefined
}

/** Joins the lines of a description, and adds the option's name to errors of its parser. The default parser refuses `''`. */
function prepare(given: Parsed, name: string): void {
  given.description = given.description.replaceAll(/\s*\n\s*/g, ' ')
  const parse = given.parseArg ?? text
  given.parseArg = (value: string, previous: never) => {
    try {
      return parse(value, previous)
    } catch (cause) {
      throw cause instanceof ValueError ? new UsageError(`${name} ${cause.message}`, { cause }) : cause
    }
  }
}

/**
 * Refuses an option without the value that it needs, and a value that it does not take. commander would take the next
 * option as the value, and shows values in its messages, although they may be secret.
 */
function checkValues(words: readonly string[], { options }: Pick<Program, 'options'>): void {
  for (const [at, word] of words.entries()) {
    const [, name = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? []
    const option = options.find(({ long, short }) => name === long || name === short)
    const next = words[at + 1]
    if (option?.required && value === undefined && (next === undefined || /^-./s.test(next))) {
      const hint = next === undefined ? '' : `, or ${name}=VALUE if it starts with a hyphen`
      throw new UsageError(`option '${option.flags}' needs a value${hint}. See --help.`)
    }
    if (option?.isBoolean() && value !== undefined) {
      throw new UsageError(`option '${name}' takes no value. See --help.`)
    }
  }
}

/** Returns an error of commander in one line. */
export function usageErrorOf(cause: CommanderError): UsageError {
  const message = cause.message
    .replace(/^error: /, '')
    .replace(/(?<=^unknown option '--[^=]*)=.*(?='$)/s, '')
    .replace(/\n\((.*)\)$/, '. $1')
    .replace(/(?<![.?])$/, '.')
  return new UsageError(`${printable(message)} See --help.`, { cause })
}

/**
 * Checks that an option is not combined with others that it makes useless.
 * @param given the options of the invocation
 * @throws UsageError
 */
export function refuseBeside(option: string, others: readonly string[], given: readonly Option[]): void {
  if (!given.some(({ long }) => long === option)) return
  const unused = given.find(({ long }) => others.includes(long ?? ''))
  if (unused !== undefined) throw new UsageError(`${option} and ${unused.long} cannot be combined`)
}

/** Thrown by the parser of a value. The message follows the name of the option, such as "needs a value". */
export class ValueError extends Error {}

/** Returns the value of an option or argument that is not empty. It is the parser of those that are given no other. */
export function text(value: string): string {
  if (value === '') throw new ValueError('needs a value')
  return value
}

/** Parses a value, which must not be empty, of an option that can be repeated and has the default `[]`. */
export function texts(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, text(value)]
}

/**
 * Returns a parser of whole numbers.
 * @param least the smallest allowed number
 * @param most the largest allowed number
 */
export function wholeNumber(least: number, most?: number): (value: string) => number {
  return (value) => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
    if (number >= least && number <= (most ?? number)) return number
    throw new ValueError(`needs a whole number from ${least}${most === undefined ? '' : ` to ${most}`}`)
  }
}

/** Parses a timeout in seconds. `setTimeout` fires immediately if the delay exceeds 2^31-1 milliseconds. */
export const timerSeconds = wholeNumber(1, 2_147_483)

/** Returns `a, b or c`. */
export function listed(words: readonly string[]): string {
  return words.join(', ').replace(/, ([^,]*)$/, ' or $1')
}

/** Returns a parser that takes one of the given words. */
export function oneOf<Word extends string>(...words: readonly Word[]): (value: string) => Word {
  return (value) => {
    const word = words.find((known) => known === value)
    if (word === undefined) throw new ValueError(`takes ${listed(words)}`)
    return word
  }
}
