import { defaults, networkNames } from '@concordat/gateway'
import { type InvocationOf, type Program, texts, wholeNumber } from '../define-command.js'

/** Adds the options of the commands that run the service. */
export const serviceOptions = (program: Program) =>
  program
    .option('--port <N>', `port to listen on, 0 for a free one (CONCORDAT_PORT, default ${defaults.port})`)
    .option(
      '--network <NAME>',
      `serve only this network; repeatable, or a comma-separated list (CONCORDAT_NETWORKS, default all:
      ${networkNames.join(', ')})`,
      texts,
      [],
    )
    .option(
      '--data <DIR>',
      `folder of the embedded database, the secret and the control socket (CONCORDAT_DATA, default ${defaults.dataDir})`,
    )
    .option('--ready-file <F>', "write the service's URLs as JSON to F once it listens")

/** The options of a command that runs the service. */
export type ServiceArguments = InvocationOf<typeof serviceOptions>['options'] & {
  readonly config?: string | undefined
}

/** Parses `--block-seconds`: the seconds between blocks of a development chain. 0 mines each transaction immediately. */
export const blockSeconds = wholeNumber(0, 3600)
