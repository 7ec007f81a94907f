import { limits } from '../../../generated/contract.js'
import { networkNames } from '../../gateway/profiles/network.js'
import type { CommandIo } from '../io.js'
import { serveService } from './serve-service.js'
import { readServiceArguments } from './service-options.js'
import { startBanner } from './start-banner.js'

const names = networkNames.join(', ')

const help = `Usage: npm start [-- options], or concordat start [options]

Runs the node access service: the contract's methods over HTTP, API keys and quota kept in an embedded
database, and a development chain for each network without a node.

  --port N           port to listen on, 0 for a free one (CONCORDAT_PORT, default 8080)
  --network NAME     serve this network alone; may be given again, or take names separated by commas
                     (CONCORDAT_NETWORKS, default all: ${names})
  --data DIR         folder of the database, the secret and the control socket (CONCORDAT_DATA, default .concordat)
  --block-seconds N  mine a block every N seconds on the development chains, so that the head moves (default 0:
                     each transaction is mined at once, and nothing else is)
  --ready-file F     write the service's URLs as JSON to F once it answers
  --help             this text

From the environment:
  CONCORDAT_HOST                    address to listen on (default 127.0.0.1)
  CONCORDAT_NODES_<NETWORK>         URLs of a network's nodes, separated by commas (default: an embedded chain)
  CONCORDAT_PUBLIC_URL_<NETWORK>    what users of a network are shown as the base of their URLs
  CONCORDAT_PUBLIC_URL_DASHBOARD    where people reach the dashboard, without a path
  CONCORDAT_SMTP_URL                mail server that verifies addresses (default: no mail; an account is there at once)
  CONCORDAT_OPERATORS               e-mail addresses of those who see every user, separated by commas
  CONCORDAT_SECRET                  secret that keys are encrypted with (default: made once, kept in DIR)
  CONCORDAT_LIMIT_REQUESTS_PER_DAY  requests per user and day, at most ${limits.requestsPerUserPerDay} (the contract's)
  CONCORDAT_METRICS_PORT            port of the metrics for Prometheus (default: none)
  CONCORDAT_TRUSTED_PROXIES         networks of proxies whose X-Forwarded-For is believed, separated by commas
  CONCORDAT_LOG_LEVEL               fatal, error, warn, info, debug, trace or silent (default info)
  DATABASE_URL                      PostgreSQL server to keep everything in (default: an embedded database)

SIGTERM or SIGINT ends it: what is in flight is answered first, for up to ${limits.gracefulStopSeconds} seconds.
"concordat serve" runs it for others to rely on, from a configuration file.`

/**
 * `concordat start`: the service until SIGTERM or SIGINT.
 * @returns 0 after a stop, 2 when it could not start or go on
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
