import { limits } from '../../../generated/contract.js'
import { networkNames } from '../../gateway/profiles/network.js'
import type { CommandIo } from '../io.js'
import { serveService } from './serve-service.js'
import { readServiceArguments } from './service-options.js'

const names = networkNames.join(', ')

const help = `Usage: concordat serve [options]

Runs the node access service for others to rely on: from a configuration file and the environment, which wins,
without keys for development. Where a network has no nodes a development chain of this process answers, and the log
warns of it.

  --config F       configuration file, YAML or JSON; docs/settings.md describes every setting
  --port N         port to listen on, 0 for a free one (CONCORDAT_PORT, default 8080)
  --network NAME   serve this network alone; may be given again, or take names separated by commas
                   (CONCORDAT_NETWORKS, default all: ${names})
  --data DIR       folder of the embedded database, the secret and the control socket (CONCORDAT_DATA)
  --ready-file F   write where it answers as JSON to F once it does
  --help           this text

From the environment, each also a setting of the file; docs/settings.md has all of them:
  CONCORDAT_HOST, CONCORDAT_PORT    address and port to listen on (default 127.0.0.1, 8080)
  CONCORDAT_NODES_<NETWORK>         URLs of a network's nodes, separated by commas (default: a development chain)
  DATABASE_URL, CONCORDAT_SECRET    PostgreSQL server, and the secret that those who share it share
  CONCORDAT_SECRET_PREVIOUS         the secret before this one: keys are encrypted anew at the start
  CONCORDAT_PUBLIC_URL_<NETWORK>    what users of a network are shown as the base of their URLs
  CONCORDAT_PUBLIC_URL_DASHBOARD    where people reach the dashboard, without a path
  CONCORDAT_SMTP_URL                mail server that verifies addresses (default: no mail; an account is there at once)
  CONCORDAT_OPERATORS               e-mail addresses of those who see every user, separated by commas
  CONCORDAT_LIMIT_REQUESTS_PER_DAY  requests per user and day, at most ${limits.requestsPerUserPerDay} (the contract's)
  CONCORDAT_METRICS_PORT            port of the metrics for Prometheus (default: none)
  CONCORDAT_TRUSTED_PROXIES         networks of proxies whose X-Forwarded-For is believed, separated by commas
  CONCORDAT_LOG_LEVEL               fatal, error, warn, info, debug, trace or silent (default info)
  OTEL_EXPORTER_OTLP_ENDPOINT       where traces go (default: none are made); OTEL_SERVICE_NAME names the service

Logs are lines of JSON on standard error. SIGHUP reads the file again: nodes, limits, operators and log level change
at once. SIGTERM or SIGINT ends it: what is in flight is answered first, for up to ${limits.gracefulStopSeconds} seconds.`

const onDevelopmentChain =
  'no nodes are set: a development chain of this process answers, and what is sent to it is gone when the process ends'

/**
 * `concordat serve`: the service of an operator until SIGTERM or SIGINT.
 * @returns 0 after a stop, 2 when it could not start or go on
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
        log.info({ urls: [...new Set(urls)], metrics }, 'the service answers')
      },
    },
    io,
  )
}
