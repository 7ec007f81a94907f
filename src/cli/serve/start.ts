import { networkNames, variablesHelp } from '@concordat/gateway'
import { limits } from '@concordat/node-access-contract/contract'
import type { CommandIo } from '../io.js'
import { serveService } from './serve-service.js'
import { readServiceArguments } from './service-options.js'
import { startBanner } from './start-banner.js'

const names = networkNames.join(', ')

const help = `Usage: npm start [-- options], or concordat start [options]

Runs the node access service locally: the contract's methods over HTTP, API keys and quota in an embedded database,
and a development chain for each network without a node.

  --port N           port to listen on, 0 for a free one (CONCORDAT_PORT, default 8080)
  --network NAME     serve only this network; repeatable, or a comma-separated list
                     (CONCORDAT_NETWORKS, default all: ${names})
  --data DIR         folder of the database, the secret and the control socket (CONCORDAT_DATA, default .concordat)
  --block-seconds N  mine a block every N seconds on the development chains, so that the head moves (default 0:
                     blocks are mined for transactions only, immediately)
  --ready-file F     write the service's URLs as JSON to F once it listens
  --help             show this help

Environment variables; docs/settings.md describes all settings:
${variablesHelp()}

SIGTERM or SIGINT stops the service after requests in flight, for up to ${limits.gracefulStopSeconds} seconds.
"concordat serve" runs it in production, from a configuration file.`

/**
 * Runs `concordat start`, the service on embedded defaults, until SIGTERM or SIGINT.
 * @param args the arguments after the command name
 * @param io output and environment
 * @returns 0 after a stop, 2 when it could not start or continue
 */
export async function startCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const { help: isHelp, blockSeconds, ...options } = readServiceArguments(args, false)
  if (isHelp) {
    io.out(help)
    return 0
  }
  return serveService(
    {
      ...options,
      gateway: { developmentKeys: true, blockSeconds },
      onReady: (gateway, settings) => io.out(startBanner(gateway, settings)),
    },
    io,
  )
}
