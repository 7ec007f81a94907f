import { limits } from '../../../generated/contract.js'
import { networkNames } from '../../gateway/index.js'
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

Environment variables:
  CONCORDAT_HOST                    address to listen on (default 127.0.0.1)
  CONCORDAT_NODES_<NETWORK>         URLs of a network's nodes, separated by commas (default: a development chain)
  CONCORDAT_PUBLIC_URL_<NETWORK>    base of the URLs that users of a network see
  CONCORDAT_PUBLIC_URL_DASHBOARD    URL of the dashboard, without a path
  CONCORDAT_SMTP_URL                mail server to verify addresses (default: none; accounts are active immediately)
  CONCORDAT_OPERATORS               e-mail addresses of operators, who see all users, separated by commas
  CONCORDAT_SECRET                  secret that encrypts keys (default: created once and stored in DIR)
  CONCORDAT_LIMIT_REQUESTS_PER_DAY  requests per user and day, at most ${limits.requestsPerUserPerDay} (the contract's limit)
  CONCORDAT_METRICS_PORT            port of the Prometheus metrics (default: none)
  CONCORDAT_TRUSTED_PROXIES         networks of proxies whose X-Forwarded-For is trusted, separated by commas
  CONCORDAT_LOG_LEVEL               fatal, error, warn, info, debug, trace or silent (default info)
  DATABASE_URL                      PostgreSQL server for all data (default: an embedded database)

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
