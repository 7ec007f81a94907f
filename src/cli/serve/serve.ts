import { networkNames, variablesHelp } from '@concordat/gateway'
import { limits } from '@concordat/node-access-contract/contract'
import type { CommandIo } from '../io.js'
import { serveService } from './serve-service.js'
import { readServiceArguments } from './service-options.js'

const names = networkNames.join(', ')

const help = `Usage: concordat serve [options]

Runs the node access service in production, from a configuration file and environment variables, which take
precedence. It creates no development keys. A network without nodes uses a development chain in this process, and the
log warns about it.

  --config F       configuration file, YAML or JSON; docs/settings.md describes every setting
  --port N         port to listen on, 0 for a free one (CONCORDAT_PORT, default 8080)
  --network NAME   serve only this network; repeatable, or a comma-separated list
                   (CONCORDAT_NETWORKS, default all: ${names})
  --data DIR       folder of the embedded database, the secret and the control socket (CONCORDAT_DATA)
  --ready-file F   write the service's URLs as JSON to F once it listens
  --help           show this help

Environment variables; docs/settings.md describes all settings of the file and the environment:
${variablesHelp()}

Logs are JSON lines on standard error. SIGHUP reloads the file: nodes, limits, operators and log level change
immediately. SIGTERM or SIGINT stops the service after requests in flight, for up to ${limits.gracefulStopSeconds} seconds.`

const onDevelopmentChain =
  'no nodes are configured: an embedded development chain is used, and its transactions are lost when the process ends'

/**
 * Runs `concordat serve`, the service in production, until SIGTERM or SIGINT.
 * @param args the arguments after the command name
 * @param io output and environment
 * @returns 0 after a stop, 2 when it could not start or continue
 */
export async function serveCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const { help: isHelp, blockSeconds: _, ...options } = readServiceArguments(args, true)
  if (isHelp) {
    io.out(help)
    return 0
  }
  return serveService(
    {
      ...options,
      gateway: { developmentKeys: false },
      onReady({ networks, metrics }, _settings, log) {
        for (const [network, { embedded }] of Object.entries(networks))
          if (embedded) log.warn({ network }, onDevelopmentChain)
        const urls = Object.values(networks).map(({ url }) => url)
        log.info({ urls: [...new Set(urls)], metrics }, 'the service is ready')
      },
    },
    io,
  )
}
