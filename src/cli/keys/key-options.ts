import { defaults, networkNames } from '@concordat/gateway'
import { limits } from '@concordat/node-access-contract/contract'
import {
  type InvocationOf,
  listed,
  oneOf,
  type Program,
  texts,
  ValueError,
  wholeNumber,
} from '../define-command.js'

/** The actions of `concordat keys`. */
export const ACTIONS = ['create', 'list', 'set', 'rotate', 'disable', 'enable', 'delete'] as const
/** An action of `concordat keys`. */
export type Action = (typeof ACTIONS)[number]

/** The headings of options that some actions take, with these actions. The other options are those of all. */
export const keyOptionGroups: Readonly<Record<string, readonly Action[]>> = {
  'Options of create:': ['create'],
  'Options of create and set:': ['create', 'set'],
  'Options of set:': ['set'],
  'Options of rotate:': ['rotate'],
}

/** Adds the arguments and options of `concordat keys`. */
export const defineKeyOptions = (program: Program) =>
  program
    .argument('<ACTION>', listed(ACTIONS), oneOf(...ACTIONS))
    .argument('[KEY_ID]', 'a key, as list prints it')
    .option(
      '--config <F>',
      `the service's configuration file, for its folder, database and secret; environment variables take precedence`,
    )
    .option(
      '--data <DIR>',
      `the service's folder (CONCORDAT_DATA, default ${defaults.dataDir}). While the service runs, it performs the
      command, which takes effect immediately. With DATABASE_URL and CONCORDAT_SECRET the command changes that database,
      and every replica follows within a second`,
    )
    .option('--json', 'print JSON', false)
    .optionsGroup('Options of create:')
    .option('--user <EMAIL>', 'the user; needed')
    .option('--network <NAME>', `${networkNames.join(' or ')}; needed`)
    .optionsGroup('Options of create and set:')
    .option('--name <NAME>', 'the name; create needs it', String)
    .option('--description <TEXT>', 'a description', String)
    .optionsGroup('Options of set:')
    .option(
      '--daily-limit <N>',
      "requests per UTC day, in addition to the user's limit; none removes it",
      limit,
    )
    .option('--monthly-limit <N>', 'requests per UTC month; none removes it', limit)
    .option('--allow-addresses <CIDR,…>', 'addresses that may use the key; none removes the list', list)
    .option('--allow-origins <ORIGIN,…>', 'origins of pages; none removes the list', list)
    .option('--allow-contracts <ADDRESS,…>', 'contracts; none removes the list', list)
    .option('--allow-methods <NAME,…>', 'methods; none removes the list', list)
    .option(
      '--jwt-key <FILE>',
      'require a JSON Web Token: a public key in PEM or JWK format (repeatable); none removes the requirement',
      texts,
      [],
    )
    .option('--jwt-audience <TEXT>', 'the audience of the tokens')
    .optionsGroup('Options of rotate:')
    .option(
      '--grace <HOURS>',
      `time in which the old URL works, too, at most ${limits.rotationGraceHours}; none by default`,
      wholeNumber(0, limits.rotationGraceHours),
    )

/** What `concordat keys` runs with. */
export type KeysInvocation = InvocationOf<typeof defineKeyOptions>

/** The value that removes a limit, a list or the requirement of a token. */
export const NONE = 'none'

/** Parses a limit. */
function limit(value: string): number | typeof NONE {
  if (value === NONE) return NONE
  if (/^\d{1,10}$/.test(value)) return Number(value)
  throw new ValueError(`must be an integer or "${NONE}"`)
}

/** Parses a list. */
function list(value: string): readonly string[] | typeof NONE {
  return value === NONE ? NONE : value.split(',').map((entry) => entry.trim())
}
